"""What users may write: checked by mypy and pyright, and run by nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import twinql


def pairs() -> Iterator[tuple[str, str]]:
    yield "SELECT 1", "SELECT 1"


def scoring(schema: twinql.Schema, schemas: twinql.Schemas) -> float | None:
    scorer = twinql.Scorer(Path("x.safetensors"), "no-fk", ["gmn"], threads=2, workers="threads")
    scores: list[twinql.Score] = scorer.score(pairs(), {"a": schema, "b": "CREATE TABLE t (a INT)"})
    scorer.score("pairs.jsonl", schemas, progress=True)
    scorer.score([{"gold": "SELECT 1", "pred": "SELECT 1"}, ("SELECT 1", "SELECT 1", schema)])
    table: twinql.ScoreTable = scorer.score_arrow(Path("pairs.jsonl"), "schemas/", progress=print)
    scorer.score(table)
    first = scores[0]
    if first.status == "ok" and first.decision == "same":
        return first.scores["gmn"]
    return None


def judging(schema: twinql.Schema) -> list[str]:
    verdict: twinql.Verdict = twinql.judge_one("SELECT 1", "SELECT 2", schema, seed=3)
    proof: twinql.Proof = twinql.prove([("SELECT 1", "SELECT 2")], schema)[0]
    witness = verdict.witness
    return [proof.text, "" if witness is None else witness.sql]
