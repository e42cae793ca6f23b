"""Scoring: results, inputs, statuses, settings."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, DDL, OTHER, SAME

import twinql


def test_a_pair_has_typed_results(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    same = scorer.score_one(*SAME, schema)
    other = scorer.score_one(*OTHER, schema)
    assert (same.id, same.status, same.error, same.decision) == ("0", "ok", None, "same")
    assert same.scores["gmn"] is not None and same.scores["gmn"] > 0.9
    assert same.score == same.scores["gmn"]
    assert same.details["gmn"]["identical"] is True
    assert other.decision == "different" and other.scores["gmn"] != same.scores["gmn"]
    assert same.signature.startswith(f"twinql:{twinql.__version__}|metric:gmn|ckpt:")
    assert same.signature == scorer.signatures["gmn"]
    assert "dialect:sqlite|semantics:default" in same.signature


@pytest.mark.parametrize("checkpoint", ["small", "base"])
def test_scores_are_the_programs_bit_for_bit(
    program: Path, bundled: list[dict[str, Any]], schemas: twinql.Schemas, tmp_path: Path, checkpoint: str
) -> None:
    out = tmp_path / "scores.jsonl"
    metrics = "gmn,relpm,proof,bleu"
    arguments = ["score", "--pairs", DATA / "pairs.jsonl", "--schemas", DATA / "schemas", "--metric", metrics]
    arguments += ["--checkpoint", checkpoint, "--format", "jsonl", "--out", out]
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)
    wanted = [json.loads(line) for line in out.read_text().splitlines()]
    scorer = twinql.Scorer(checkpoint, metrics=metrics.split(","))
    scored = [score.to_dict() for score in scorer.score(bundled, schemas)]
    assert len(scored) == 297
    # As text: what is equal so is equal to the last bit, in the same order of fields.
    assert [json.dumps(s, ensure_ascii=False) for s in scored] == [
        json.dumps(w, ensure_ascii=False) for w in wanted
    ]
    from_file = scorer.score(DATA / "pairs.jsonl", DATA / "schemas")
    assert [s.to_dict() for s in from_file] == scored


def test_all_ways_of_giving_pairs_agree(
    scorer: twinql.Scorer, bundled: list[dict[str, Any]], schemas: twinql.Schemas
) -> None:
    wanted = [score.scores for score in scorer.score(bundled, schemas)]
    tuples = [(p["gold"], p["pred"], p["db_id"]) for p in bundled]
    with_schemas = [(p["gold"], p["pred"], schemas[p["db_id"]]) for p in bundled]
    named = {db_id: schemas[db_id] for db_id in schemas}
    texts = {db_id: schemas[db_id].to_ddl() for db_id in schemas}
    for pairs, over in [
        (iter(bundled), DATA / "schemas"),
        (tuples, schemas),
        ([list(t) for t in tuples], str(DATA / "schemas")),
        (with_schemas, None),
        ((dict(p, schema=schemas[p["db_id"]]) for p in bundled), None),
        (DATA / "pairs.jsonl", schemas),
        (str(DATA / "pairs.jsonl"), named),
        (bundled, texts),
        ([dict(p, schema=texts[p["db_id"]]) for p in bundled], None),
    ]:
        scores = scorer.score(pairs, over)
        assert [score.scores for score in scores] == wanted
        assert all(score.status == "ok" for score in scores)


def test_results_do_not_depend_on_threads(bundled: list[dict[str, Any]], schemas: twinql.Schemas) -> None:
    one, four = (twinql.Scorer(threads=n).score(bundled, schemas) for n in (1, 4))
    assert one == four


def test_ids_come_back_as_they_are(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    ids: list[Any] = ["x", 7, None, 2**70, "ü"]
    pairs = [{"id": i, "gold": SAME[0], "pred": SAME[1]} for i in ids]
    assert [s.id for s in scorer.score(pairs, schema)] == ["x", 7, "2", str(2**70), "ü"]


def test_every_pair_has_a_status_and_none_raises(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    gold = "SELECT name FROM singer"
    deep = "SELECT " + "(" * 20_000 + "1" + ")" * 20_000
    cases: list[tuple[Any, str]] = [
        ((gold, gold), "ok"),
        ((gold, "SELEC name"), "pred_error"),
        ((gold, "SELECT nothing FROM singer"), "pred_error"),
        ((gold, ""), "pred_error"),
        ((gold, "DROP TABLE singer"), "pred_error"),
        (("SELECT nothing FROM singer", gold), "gold_error"),
        ((gold, "\x00\x01 SELECT"), "pred_error"),
        ((gold, deep), "unsupported"),
        ((gold, "SELECT name FROM singer WHERE " + " OR ".join(["age = 1"] * 30_000)), "unsupported"),
        ((gold, "x" * 5_000_000), "unsupported"),
        ((gold, "\ud800"), "pred_error"),
        ((gold, None), "pred_error"),
        ((gold, 5), "pred_error"),
        ((None, gold), "gold_error"),
        ((gold, gold, "elsewhere"), "gold_error"),
        ((gold, gold, object()), "gold_error"),
        ((gold, b"SELECT 1"), "pred_error"),
        ((gold, float("nan")), "pred_error"),
        ((gold,), "gold_error"),
        ({"gold": gold}, "pred_error"),
        ({"pred": gold}, "gold_error"),
        ({}, "gold_error"),
        (gold, "gold_error"),
        (17, "gold_error"),
        (None, "gold_error"),
        ({"gold": gold, "pred": gold, "schema": "no DDL at all"}, "gold_error"),
        ({"gold": gold, "pred": gold, "label": 7}, "gold_error"),
        ({"id": [], "gold": gold, "pred": gold}, "gold_error"),
    ]
    scores = scorer.score([pair for pair, _ in cases], schema)
    for (pair, status), score in zip(cases, scores, strict=True):
        found = (score.status, score.error)
        assert score.status == status, (str(pair)[:60], found)
        assert (score.error is None) == (score.status == "ok"), (str(pair)[:60], found)
        if score.status == "pred_error":
            assert (score.score, score.decision) == (0.0, "different")
    for pred in ("\ud800", None, 5):
        assert scorer.score_one(gold, pred, schema).status == "pred_error"  # type: ignore[arg-type]


def test_an_iterators_own_error_comes_through(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    def pairs() -> Any:
        yield SAME
        raise RuntimeError("torn")

    with pytest.raises(RuntimeError, match="torn"):
        scorer.score(pairs(), schema)


def test_inputs_as_a_whole_raise(scorer: twinql.Scorer, schema: twinql.Schema, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    for pairs, error in [
        (17, "pairs is a int"),
        ({"gold": "a", "pred": "b"}, "pairs is a dict"),
        (empty, "it holds no pairs"),
        (tmp_path / "nowhere.jsonl", "nowhere.jsonl"),
    ]:
        with pytest.raises(twinql.InputError, match=error):
            scorer.score(pairs, schema)  # type: ignore[arg-type]
    assert scorer.score([], schema) == []


def test_arguments_are_checked() -> None:
    for arguments, error, says in [
        ({"metrics": "nothing"}, twinql.ArgumentError, "the metrics are gmn"),
        ({"metrics": ()}, twinql.ArgumentError, "no metric is named"),
        ({"semantics": "mine"}, twinql.ArgumentError, "the presets are default"),
        ({"dialect": "cobol"}, twinql.ArgumentError, "cobol"),
        ({"pred_dialect": "cobol"}, twinql.ArgumentError, "cobol"),
        ({"threads": 0}, twinql.ArgumentError, "at least 1"),
        ({"threads": 10**6}, twinql.ArgumentError, "at most"),
        ({"databases": 0}, twinql.ArgumentError, "at least 1"),
        ({"workers": "slaves"}, twinql.ArgumentError, "processes"),
        ({"plausible": 4}, twinql.ArgumentError, "plausible is read only by expected-ex and ex"),
        ({"metrics": "ex", "plausible": 0}, twinql.ArgumentError, "from 1 to 10000"),
        ({"profile": "nowhere"}, twinql.ArgumentError, "profile is read only by expected-ex and ex"),
        ({"metrics": "ex", "profile": "nowhere.json"}, twinql.InputError, "nowhere.json"),
        ({"relpm_beta": 3.0}, twinql.ArgumentError, "relpm_beta is read only by relpm and astpm"),
        ({"metrics": "relpm", "relpm_alpha": 2.0}, twinql.ArgumentError, "relpm_alpha"),
        ({"crystalbleu_corpus": "nowhere"}, twinql.ArgumentError, "read only by crystalbleu"),
        ({"without_rules": ["all"]}, twinql.ArgumentError, "read only by esm"),
        ({"metrics": "esm+", "without_rules": ["betwen"]}, twinql.ArgumentError, "is not a rule of esm"),
        ({"metrics": "execution"}, twinql.ArgumentError, "db=FOLDER"),
        ({"metrics": "suite", "abstain": True}, twinql.ArgumentError, "abstain"),
        ({"checkpoint": "nowhere.safetensors"}, twinql.CheckpointError, "nowhere.safetensors"),
        ({"checkpoint": __file__}, twinql.CheckpointError, "test_scorer.py"),
    ]:
        with pytest.raises(error, match=says):
            twinql.Scorer(**arguments)  # type: ignore[arg-type]
    assert issubclass(twinql.CheckpointError, twinql.TwinqlError)


def test_several_metrics_and_their_settings(schema: twinql.Schema) -> None:
    scorer = twinql.Scorer(metrics=["suite", "gmn", "suite"], semantics="no-fk", databases=10, workers="threads")
    assert scorer.metrics == ("suite", "gmn")
    assert "databases:10" in scorer.signatures["suite"] and scorer.semantics["suite"] == "no-fk"
    score = scorer.score_one(*OTHER, schema)
    assert score.scores["suite"] == 0.0 and score.details["suite"]["verdict"] == "different"
    assert list(score.decisions) == ["suite", "gmn"] and score.decision == "different"
    assert set(scorer.thresholds) == {"suite", "gmn"}


def test_settings_of_some_metrics(schema: twinql.Schema, tmp_path: Path) -> None:
    corpus, profile = tmp_path / "queries.sql", tmp_path / "profile.json"
    corpus.write_text("SELECT COUNT(*) FROM singer\n" * 3)
    table = {"rows": 500, "columns": {"age": {"distinct": 40}}}
    content = {"format": "twinql-profile", "version": 1, "db_id": "elsewhere", "tables": {"singer": table}}
    profile.write_text(json.dumps(content))
    scorer = twinql.Scorer(
        metrics=("relpm", "crystalbleu", "expected-ex"),
        plausible=4,
        profile=profile,
        relpm_alpha=0.25,
        crystalbleu_corpus=corpus,
        workers="threads",
    )
    usual = twinql.Scorer(metrics=("relpm", "crystalbleu", "expected-ex"), workers="threads")
    for one in (scorer, pickle.loads(pickle.dumps(scorer))):
        # The only profile is of the only schema, whatever their names.
        score, other = one.score_one(*OTHER, schema), usual.score_one(*OTHER, schema)
        assert score.status == "ok" and score.scores["relpm"] != other.scores["relpm"]
        assert score.scores["crystalbleu"] != other.scores["crystalbleu"]
        assert score.details["expected-ex"]["databases"] <= 4
        signatures = one.signatures
        assert signatures["relpm"].endswith("|alpha:0.25") and "|trivial:" in signatures["crystalbleu"]
        assert "|databases:4|profile:" in signatures["expected-ex"]


def test_abstaining_is_by_the_checkpoints_band(bundled: list[dict[str, Any]], schemas: twinql.Schemas) -> None:
    decided = twinql.Scorer(threads=2).score(bundled, schemas)
    abstaining = twinql.Scorer(threads=2, abstain=True).score(bundled, schemas)
    assert {s.decision for s in decided} == {"same", "different"}
    assert {s.decision for s in abstaining} == {"same", "different", "abstained"}
    assert [s.scores for s in decided] == [s.scores for s in abstaining]


def test_another_dialect(tmp_path: Path) -> None:
    ddl = "CREATE TABLE t (id integer PRIMARY KEY, name varchar(20) NOT NULL)"
    scorer = twinql.Scorer(dialect="postgres")
    score = scorer.score_one("SELECT name FROM t WHERE name ILIKE 'a%'", "SELECT t.name FROM t WHERE t.name ILIKE 'a%'", ddl)
    assert (score.status, score.decision) == ("ok", "same")
    assert "dialect:postgres" in score.signature


HALF = "SELECT age / 2 FROM singer"
DIV = "SELECT age DIV 2 FROM singer"


def test_two_dialects_in_a_pair(schema: twinql.Schema) -> None:
    scorer = twinql.Scorer(metrics="proof", pred_dialect="mysql")
    score = scorer.score_one(HALF, DIV, schema)
    assert score.scores["proof"] == 1.0 and "|dialect:sqlite>mysql|" in score.signature
    assert scorer.score_one(HALF, HALF, schema).scores["proof"] != 1.0
    again = pickle.loads(pickle.dumps(scorer))
    assert again.score_one(HALF, DIV, schema).scores == score.scores
    # A pair's own field wins; a name that no dialect has is its error, and no other's.
    pairs = [
        {"gold": HALF, "pred": HALF, "pred_dialect": "sqlite"},
        {"gold": DIV, "pred": DIV, "gold_dialect": "mysql"},
        {"gold": HALF, "pred": DIV, "pred_dialect": "cobol"},
    ]
    same, both, unknown = scorer.score(pairs, schema)
    assert (same.scores["proof"], both.scores["proof"]) == (1.0, 1.0)
    assert unknown.status == "unsupported" and unknown.scores["proof"] != 1.0
    assert 'pred_dialect: unknown dialect "cobol"; the dialects are sqlite' in str(unknown.error)


def test_metrics_that_execute(tmp_path: Path) -> None:
    import sqlite3

    (tmp_path / "concerts").mkdir()
    with sqlite3.connect(tmp_path / "concerts/concerts.sqlite") as db:
        db.executescript(DDL + "INSERT INTO singer VALUES (1, 'a', 30), (2, 'b', 10);")
    db.close()
    scorer = twinql.Scorer(metrics="execution", db=tmp_path, workers="threads")
    scores = scorer.score([(*SAME, "concerts"), (*OTHER, "concerts")])
    assert [(s.status, s.score) for s in scores] == [("ok", 1.0), ("ok", 0.0)]


def test_progress_is_told(scorer: twinql.Scorer, schema: twinql.Schema, capfd: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int | None]] = []
    scorer.score([SAME] * 300, schema, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (300, 300) and [done for done, _ in told] == sorted({done for done, _ in told})
    scorer.score(iter([SAME] * 3), schema, progress=True)
    assert "scoring" in capfd.readouterr().err


def test_records_go_into_json(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    score = scorer.score_one(*SAME, schema)
    assert json.loads(json.dumps(score.to_dict())) == score.to_dict()
    assert "Score(id='0', status='ok'" in repr(score)


def test_a_probe_settles_what_rows_show() -> None:
    pair = ("SELECT name FROM singer WHERE id > 3", "SELECT name FROM singer WHERE id >= 3")
    ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"
    probed = twinql.Scorer().score_one(*pair, ddl)
    alone = twinql.Scorer(probes=0)
    assert probed.scores["gmn"] <= 0.01 and probed.details["gmn"]["refuted"] is True
    assert "probe:24" in probed.signature and "probe:" not in alone.signatures["gmn"]
    score = pickle.loads(pickle.dumps(alone)).score_one(*pair, ddl)
    assert score.scores["gmn"] > probed.scores["gmn"] and "refuted" not in score.details["gmn"]
    with pytest.raises(twinql.ArgumentError, match="probes must be at most 1000"):
        twinql.Scorer(probes=1001)
