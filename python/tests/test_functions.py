"""Verdicts, proofs, explanations, accuracies, evaluations."""

from __future__ import annotations

import json
import pickle
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, OTHER, SAME

import twinql


@pytest.mark.parametrize("workers", ["processes", "threads"])
def test_a_witness_tells_queries_apart(schema: twinql.Schema, workers: Any) -> None:
    same, other, bad = twinql.judge(
        [SAME, OTHER, ("SELECT name FROM singer", "SELECT")], schema, databases=30, workers=workers
    )
    assert (same.verdict, same.databases, same.witness) == ("same", 30, None)
    assert same.nonempty is not None and same.nonempty > 0
    assert (bad.status, bad.verdict) == ("pred_error", None)
    assert other.verdict == "different" and other.witness is not None
    assert "metric:suite" in other.signature and "databases:30" in other.signature
    # What the witness says holds in another SQLite.
    with sqlite3.connect(":memory:") as db:
        db.executescript(other.witness.sql)
        gold, pred = (db.execute(sql).fetchall() for sql in OTHER)
    db.close()
    assert sorted(gold) == sorted(other.witness.gold_rows)
    assert sorted(pred) == sorted(other.witness.pred_rows)
    assert gold != pred and other.witness.gold_columns == ["name"]
    assert "CREATE TABLE" in str(other.witness)


def test_two_dialects_in_a_pair(schema: twinql.Schema) -> None:
    half, div = "SELECT age / 2 FROM singer", "SELECT age DIV 2 FROM singer"
    assert twinql.prove_one(half, div, schema, pred_dialect="mysql").proof == "equal"
    assert twinql.prove_one(div, half, schema, gold_dialect="mysql").proof == "equal"
    assert twinql.judge_one(half, half, schema, pred_dialect="mysql", workers="threads").verdict == "different"
    assert twinql.explain(half, div, schema, pred_dialect="mysql").proof == "equal"
    [proof] = twinql.prove([{"gold": half, "pred": div, "pred_dialect": "mysql"}], schema)
    assert proof.proof == "equal" and "|dialect:sqlite|" in proof.signature


def test_workers_and_threads_agree(bundled: list[dict[str, Any]], schemas: twinql.Schemas) -> None:
    pairs = bundled[:40]
    verdicts = [
        twinql.judge(pairs, schemas, databases=20, shrink=False, workers=workers)
        for workers in ("processes", "threads")
    ]
    assert [v.verdict for v in verdicts[0]] == [v.verdict for v in verdicts[1]]
    assert [v.witness for v in verdicts[0]] == [v.witness for v in verdicts[1]]


def test_plausible_witnesses(schema: twinql.Schema) -> None:
    weighed = twinql.judge_one(*OTHER, schema, workers="threads")
    assert weighed.witness is not None and weighed.witness.plausibility is not None
    assert weighed.witness.plausibility["databases"] > 0
    plain = twinql.judge_one(*OTHER, schema, plausible=0, workers="threads")
    assert plain.witness is not None and plain.witness.plausibility is None
    with pytest.raises(twinql.ArgumentError, match="plausible"):
        twinql.judge_one(*OTHER, schema, plausible=10**6)


def test_proofs(schema: twinql.Schema) -> None:
    equal, different, unknown, bad = twinql.prove(
        [
            SAME,
            ("SELECT name FROM singer", "SELECT name, age FROM singer"),
            ("SELECT name FROM singer WHERE age % 2 = 0", "SELECT name FROM singer WHERE age & 1 = 0"),
            ("SELECT name FROM singer", "SELECT nothing FROM singer"),
        ],
        schema,
    )
    assert equal.proof == "equal" and equal.details["certificate"]["kind"]
    assert "equal" in str(equal) and equal.error is None
    assert different.proof == "different" and different.details["reason"]
    assert unknown.proof == "unknown" and unknown.details["gold_only"]
    assert (bad.proof, bad.status) == (None, "pred_error") and "nothing" in (bad.error or "")
    assert "metric:proof" in equal.signature


def test_explanations(schema: twinql.Schema) -> None:
    found = twinql.explain("SELECT name FROM singer WHERE NOT age <= 20", "SELECT s.name FROM singer s WHERE s.age > 20", schema)
    assert found.proof == "equal" and found.relpm == 1.0
    assert found.gold.canonical_sql == found.pred.canonical_sql is not None
    assert found.gold.rules and "singer" in found.gold.canonical_tree
    assert "equal" in str(found)
    with pytest.raises(twinql.QueryError, match="^pred: "):
        twinql.explain("SELECT name FROM singer", "SELECT nothing FROM singer", schema)


def test_suite_accuracy_without_a_suite(schema: twinql.Schema) -> None:
    found = twinql.suite_accuracy(
        [SAME, OTHER, ("SELECT name FROM singer", "SELECT"), SAME], schema, databases=20, workers="threads"
    )
    assert (found.pairs, found.right, found.accuracy) == (4, 2, 0.5)
    assert [v.right for v in found] == [True, False, False, True]
    assert found.status == {"ok": 3, "pred_error": 1}
    with pytest.raises(twinql.ArgumentError, match="suite"):
        twinql.suite_accuracy([SAME], schema, plug_values=True)


def test_suite_accuracy_is_the_programs(program: Path, tmp_path: Path, bundled: list[dict[str, Any]]) -> None:
    pairs = [p for p in bundled if p["db_id"] == "beekeeping"]
    (tmp_path / "gold.tsv").write_text("".join(f"{p['gold']}\t{p['db_id']}\n" for p in pairs))
    (tmp_path / "pred.txt").write_text("".join(f"{p['pred']}\n" for p in pairs))
    suite, out = tmp_path / "small.suite", tmp_path / "out.jsonl"

    def twinql_(*arguments: Any) -> str:
        done = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True)
        return done.stdout + done.stderr

    gold = ["--gold", tmp_path / "gold.tsv"]
    twinql_("suite", "build", *gold, "--schemas", DATA / "schemas", "--out", suite, "--max-databases", 40, "--neighbours", 20)
    said = twinql_("suite", "run", "--suite", suite, *gold, "--pred", tmp_path / "pred.txt", "--out", out)
    wanted = [json.loads(line) for line in out.read_text().splitlines()]
    for workers in ("threads", "processes"):
        found = twinql.suite_accuracy(pairs, suite=suite, workers=workers)  # type: ignore[arg-type]
        assert [(v.status, v.right) for v in found] == [(w["status"], w["score"] == 1) for w in wanted]
        assert found.signature in said
        assert found.accuracy == sum(w["score"] == 1 for w in wanted) / len(wanted)
    with pytest.raises(twinql.InputError):
        twinql.suite_accuracy(pairs, suite=tmp_path / "gold.tsv")


def test_evaluation_is_the_programs(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    arguments = ["evaluate", "--pairs", DATA / "pairs.jsonl", "--schemas", DATA / "schemas", "--metric", "gmn,relpm"]
    arguments += ["--resamples", 100, "--out", out]
    subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)
    wanted = json.loads(out.read_text())
    found = twinql.evaluate(DATA / "pairs.jsonl", DATA / "schemas", metrics=("gmn", "relpm"), resamples=100)
    assert list(found.metrics.values()) == wanted["metrics"]
    assert (found.pairs, found.unlabelled, found.status) == (297, 0, wanted["status"])
    assert found.auc() == wanted["metrics"][0]["auc"]["estimate"] and found.accuracy("relpm") is not None


def test_evaluation_needs_labels(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    with pytest.raises(twinql.InputError, match="none of the 1 pairs has a label"):
        scorer.evaluate([SAME], schema)
    pairs = [{"gold": g, "pred": p, "label": label} for (g, p), label in [(SAME, 1), (OTHER, 0), (OTHER, False)]]
    found = scorer.evaluate([*pairs, SAME], schema, resamples=10)
    assert (found.pairs, found.unlabelled, found.auc()) == (3, 1, 1.0)
    for bad in ({"resamples": 0}, {"level": 1.0}, {"level": float("nan")}):
        with pytest.raises(twinql.ArgumentError):
            scorer.evaluate(pairs, schema, **bad)  # type: ignore[arg-type]


def test_results_pickle(schema: twinql.Schema, scorer: twinql.Scorer) -> None:
    results = [
        scorer.score_one(*SAME, schema),
        twinql.judge_one(*OTHER, schema, workers="threads"),
        twinql.prove_one(*SAME, schema),
        twinql.explain(*SAME, schema),
        twinql.suite_accuracy([SAME], schema, workers="threads"),
        schema,
    ]
    assert pickle.loads(pickle.dumps(results)) == results


def test_what_there_is_to_choose_from() -> None:
    assert {"gmn", "suite", "proof", "relpm"} <= set(twinql.METRICS)
    assert twinql.METRICS["suite"].binary and not twinql.METRICS["gmn"].binary
    assert twinql.SEMANTICS[0] == "default" and "sqlite" in twinql.DIALECTS
