"""A reward function for OpenRLHF: signature of OpenRLHF 0.11.2.

    --reward.remote_url /path/to/twinql/rewards/openrlhf.py --data.label_key gold

A label is the gold's SQL, or a JSON text with `gold` and `schema` or `db_id` (TWINQL_SCHEMAS). `twinql serve` answers the
same over HTTP at `/get_reward`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# OpenRLHF loads this file by its path, and not as a part of the package.
from twinql.rewards._batching import schema_of, usual_rewarder
from twinql.rewards.verl import _gold


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], **kwargs: Any) -> dict[str, Any]:
    """Rewards, one for each query. A query holds its prompt, which is left out where it begins with it."""
    samples = [_gold(label, None) for label in labels]
    completions = [
        query[len(prompt) :] if prompt and query.startswith(prompt) else query for query, prompt in zip(queries, prompts)
    ]
    schemas = [schema_of(schema, db_id) for _, schema, db_id in samples]
    rewards = usual_rewarder()(completions, [gold for gold, _, _ in samples], schemas)
    numbers = _numbers([0.0 if reward.reward is None else reward.reward for reward in rewards])
    return {
        "rewards": numbers,
        "scores": numbers,
        "extra_logs": {
            "twinql_ok": _numbers([float(reward.reward is not None) for reward in rewards]),
            "twinql_extracted": _numbers([float(reward.sql is not None) for reward in rewards]),
        },
    }


def _numbers(values: list[float]) -> Any:
    """A tensor where there is torch, which OpenRLHF brings; a list elsewhere."""
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]
    except ImportError:
        return values
    return torch.tensor(values)
