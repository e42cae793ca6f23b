"""A scorer for inspect_ai (0.3).

    from inspect_ai import Task
    from twinql.plugins.inspect_ai import equivalence

    Task(dataset=…, solver=…, scorer=equivalence(schemas="tables.json"))

The target is the gold; a sample's metadata have `db_id`, or `schema` with DDL text.
"""

from __future__ import annotations

import asyncio
from os import PathLike
from typing import Any

from inspect_ai.scorer import (  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]

import twinql
from twinql.rewards import extract
from twinql.rewards._batching import schema_of


@scorer(metrics=[accuracy(), stderr()], name="twinql")  # type: ignore[untyped-decorator, unused-ignore]
def equivalence(
    schemas: twinql.Schemas | str | PathLike[str] | None = None, metric: str = "gmn", **settings: Any
) -> Scorer:
    """Correct where the metric calls target and answer the same. `settings` are those of `twinql.Scorer`."""
    judge = twinql.Scorer(metrics=metric, **settings)
    known = schemas if schemas is None or isinstance(schemas, twinql.Schemas) else twinql.Schemas.load(schemas)

    async def score(state: TaskState, target: Target) -> Score | None:
        found = extract(state.output.completion)
        if found.sql is None:
            return Score(value=INCORRECT, answer=None, explanation=f"no SQL in the answer ({found.outcome})")
        metadata = state.metadata or {}
        schema = schema_of(metadata.get("schema"), metadata.get("db_id"), known)
        result = await asyncio.to_thread(judge.score_one, target.text, found.sql, schema)
        if result.status in ("gold_error", "machine_error") or result.score is None:
            return Score.unscored(answer=found.sql, explanation=result.error)
        probability = result.score
        return Score(
            value=CORRECT if result.decision == "same" else INCORRECT,
            answer=found.sql,
            explanation=result.error or f"{metric} {probability}",
            metadata={metric: probability, "status": result.status, "signature": result.signature},
        )

    return score
