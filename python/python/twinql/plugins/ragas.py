"""A metric as ragas (0.4) calls its own `SQLSemanticEquivalence`, without a language model.

    from twinql.plugins.ragas import SQLEquivalence
    result = await SQLEquivalence().ascore(response=…, reference=…, reference_contexts=[ddl])
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import twinql
from twinql.rewards import extract


@dataclass(frozen=True)
class Result:
    """What ragas calls a MetricResult, where it is not installed."""

    value: float
    reason: str


class SQLEquivalence:
    """1 where the metric calls response and reference the same, else 0; the reason has its score."""

    name = "sql_equivalence"

    def __init__(self, metric: str = "gmn", **settings: Any) -> None:
        self._scorer = twinql.Scorer(metrics=metric, **settings)

    def score(self, response: str, reference: str, reference_contexts: Sequence[str]) -> Any:
        """The result for one response; `reference_contexts` are CREATE TABLE statements."""
        found = extract(response)
        if found.sql is None:
            return _result(0.0, f"no SQL in the response ({found.outcome})")
        score = self._scorer.score_one(reference, found.sql, "\n".join(reference_contexts))
        reason = score.error or f"{score.decision}: {next(iter(score.scores))} {score.score}"
        return _result(float(score.decision == "same"), reason)

    async def ascore(self, response: str, reference: str, reference_contexts: Sequence[str]) -> Any:
        """The same, beside other work of an event loop."""
        return await asyncio.to_thread(self.score, response, reference, reference_contexts)


def _result(value: float, reason: str) -> Any:
    try:
        from ragas.metrics.result import MetricResult  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]
    except ImportError:
        return Result(value, reason)
    return MetricResult(value=value, reason=reason)
