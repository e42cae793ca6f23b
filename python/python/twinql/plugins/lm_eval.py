"""Functions for lm-evaluation-harness (0.4): in the YAML of a task

    process_results: !function twinql_lm_eval.process_results     # a file with: from twinql.plugins.lm_eval import *
    metric_list:
      - metric: twinql_same
        aggregation: mean
        higher_is_better: true
      - metric: twinql_probability
        aggregation: mean
        higher_is_better: true

A document has `query` or `gold`, and `schema` (DDL text) or `db_id` (TWINQL_SCHEMAS).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import twinql
from twinql.rewards import extract
from twinql.rewards._batching import schema_of

__all__ = ["process_results"]


@lru_cache(maxsize=1)
def _scorer() -> twinql.Scorer:
    return twinql.Scorer()


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """What one answer adds to the metrics; an answer without SQL is wrong."""
    sql = extract(results[0]).sql
    if sql is None:
        return {"twinql_same": 0.0, "twinql_probability": 0.0}
    gold = doc.get("query") or doc["gold"]
    score = _scorer().score_one(gold, sql, schema_of(doc.get("schema"), doc.get("db_id")))
    return {"twinql_same": float(score.decision == "same"), "twinql_probability": score.score or 0.0}
