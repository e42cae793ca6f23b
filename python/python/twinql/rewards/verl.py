"""A reward function for verl: signature of verl 0.9.1.

    reward.custom_reward_function.path=pkg://twinql.rewards.verl   # or the path of this file
    reward.custom_reward_function.name=compute_score

`ground_truth` is the gold's SQL, or a dict (or JSON text) with `gold` and `schema` or `db_id`; `extra_info` may hold the
latter two. verl calls once a sample: samples of one event loop are rewarded together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from ._batching import MicroBatcher, schema_of, usual_rewarder
from ._rewarder import Reward


def _gold(ground_truth: Any, extra_info: Mapping[str, Any] | None) -> tuple[str, Any, Any]:
    """The gold, its schema and its database."""
    if isinstance(ground_truth, str) and ground_truth.lstrip().startswith("{"):
        ground_truth = json.loads(ground_truth)
    own = ground_truth if isinstance(ground_truth, Mapping) else {"gold": ground_truth}
    beside = extra_info or {}
    gold = next(own[name] for name in ("gold", "query", "sql") if name in own)
    return str(gold), own.get("schema", beside.get("schema")), own.get("db_id", beside.get("db_id"))


def _answer(reward: Reward) -> dict[str, Any]:
    """What verl reads as `score`, and logs."""
    return {
        "score": 0.0 if reward.reward is None else reward.reward,
        "twinql_ok": reward.reward is not None,
        "twinql_extracted": reward.sql is not None,
        "twinql_status": reward.status,
    }


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    **reward_kwargs: Any,
) -> dict[str, Any]:
    """The reward of one response; those that are asked for together are rewarded together."""
    gold, schema, db_id = _gold(ground_truth, extra_info)
    loop = asyncio.get_running_loop()
    batcher = _batchers.get(loop)
    if batcher is None:
        # Loops that are closed have no samples any more.
        for old in [old for old in _batchers if old.is_closed()]:
            del _batchers[old]
        batcher = _batchers[loop] = MicroBatcher(usual_rewarder())
    return _answer(await batcher.reward(solution_str, gold, schema_of(schema, db_id)))


_batchers: dict[asyncio.AbstractEventLoop, MicroBatcher] = {}


def compute_score_sync(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    **reward_kwargs: Any,
) -> dict[str, Any]:
    """The same for reward managers that take plain functions alone (`remote`)."""
    gold, schema, db_id = _gold(ground_truth, extra_info)
    return _answer(usual_rewarder().one(solution_str, gold, schema_of(schema, db_id)))


def compute_score_batch(
    data_sources: list[str],
    solution_strs: list[str],
    ground_truths: list[Any],
    extra_infos: list[Mapping[str, Any] | None],
    **reward_kwargs: Any,
) -> list[dict[str, Any]]:
    """The same for the legacy manager `batch`."""
    samples = [_gold(truth, extra) for truth, extra in zip(ground_truths, extra_infos)]
    schemas = [schema_of(schema, db_id) for _, schema, db_id in samples]
    rewards = usual_rewarder()(solution_strs, [gold for gold, _, _ in samples], schemas)
    return [_answer(reward) for reward in rewards]
