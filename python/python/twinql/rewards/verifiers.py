"""A reward for verifiers and prime-rl: interface of verifiers 0.4.0 (`verifiers.v1`).

    [env.taskset.task.rewards]
    equivalence = { fn = "twinql.rewards.verifiers:equivalence", weight = 1.0 }

The task's data have `gold` (or `query`, or `answer`), and `schema` or `db_id`.
"""

from __future__ import annotations

from typing import Any

from ._batching import MicroBatcher, schema_of, usual_rewarder

_batchers: dict[Any, MicroBatcher] = {}


def _field(data: Any, *names: str) -> Any:
    """The first of these fields that there is, of an object or a dict."""
    for name in names:
        value = data.get(name) if hasattr(data, "get") else getattr(data, name, None)
        if value is not None:
            return value
    return None


async def equivalence(task: Any, trace: Any) -> float:
    """The reward of the last reply of a trace; 0 where the gold cannot be used."""
    import asyncio

    data = getattr(task, "data", task)
    loop = asyncio.get_running_loop()
    if loop not in _batchers:
        for old in [old for old in _batchers if old.is_closed()]:
            del _batchers[old]
        _batchers[loop] = MicroBatcher(usual_rewarder())
    gold = _field(data, "gold", "query", "answer")
    schema = schema_of(_field(data, "schema"), _field(data, "db_id"))
    reward = await _batchers[loop].reward(str(trace.last_reply or ""), str(gold), schema)
    return 0.0 if reward.reward is None else reward.reward
