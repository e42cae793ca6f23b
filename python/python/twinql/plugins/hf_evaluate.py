"""A metric as Hugging Face's `evaluate` has them (`compute`, `add`, `add_batch`), without that library.

>>> metric = Equivalence()
>>> ddl = "CREATE TABLE t (a INTEGER, b INTEGER)"
>>> found = metric.compute(predictions=["SELECT t.a FROM t", "SELECT b FROM t"], references=["SELECT a FROM t"] * 2, schemas=[ddl] * 2)
>>> found["accuracy"], found["decisions"]
(0.5, ['same', 'different'])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import twinql
from twinql._types import OneSchema


class Equivalence:
    """The share of predictions that a metric calls the same as their references, and the mean score."""

    name = "twinql"

    def __init__(self, metric: str = "gmn", **settings: Any) -> None:
        self._scorer = twinql.Scorer(metrics=metric, **settings)
        self._pairs: list[tuple[str, str, OneSchema]] = []

    def add(self, *, prediction: str, reference: str, schema: OneSchema) -> None:
        """Adds one prediction."""
        self._pairs.append((reference, prediction, schema))

    def add_batch(self, *, predictions: Sequence[str], references: Sequence[str], schemas: Sequence[OneSchema]) -> None:
        """Adds predictions with their references and schemas."""
        if not len(predictions) == len(references) == len(schemas):
            raise twinql.ArgumentError(
                f"{len(predictions)} predictions, {len(references)} references and {len(schemas)} schemas"
            )
        self._pairs.extend(zip(references, predictions, schemas))

    def compute(
        self,
        *,
        predictions: Sequence[str] = (),
        references: Sequence[str] = (),
        schemas: Sequence[OneSchema] = (),
    ) -> dict[str, Any]:
        """The figures. Accuracy is over all that was added, and what has no score is not called the same; the mean score is over
        the `scored` pairs that have one, and None where none has."""
        self.add_batch(predictions=predictions, references=references, schemas=schemas)
        pairs, self._pairs = self._pairs, []
        scores = [self._scorer.score_one(gold, pred, schema) for gold, pred, schema in pairs]
        count = max(len(scores), 1)
        known = [score.score for score in scores if score.score is not None]
        return {
            "accuracy": sum(score.decision == "same" for score in scores) / count,
            "mean_score": sum(known) / len(known) if known else None,
            "scored": len(known),
            "scores": [score.score for score in scores],
            "decisions": [score.decision for score in scores],
            "statuses": [score.status for score in scores],
            "signature": scores[0].signature if scores else "",
        }
