"""A reward function for TRL's trainers (GRPO, RLOO): signature of TRL 1.16.

The data set has a column with golds (`gold`, or `query`, or `solution`), and `schema` (DDL text) or `db_id`:

    from trl import GRPOTrainer
    from twinql.rewards.trl import TwinqlReward, sql_reward

    trainer = GRPOTrainer(model=…, reward_funcs=[sql_reward], train_dataset=…)                          # TWINQL_SCHEMAS
    trainer = GRPOTrainer(model=…, reward_funcs=[TwinqlReward(schemas="tables.json", partial=0.1)], …)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from .. import _twinql
from ._batching import schema_of, usual_rewarder
from ._rewarder import Rewarder

Completion = "str | Sequence[Mapping[str, Any]]"


class TwinqlReward:
    """A reward of which the settings are chosen; those that are not named are `Rewarder`'s. It pickles."""

    def __init__(
        self,
        *,
        schemas: _twinql.Schemas | str | PathLike[str] | None = None,
        gold: str = "gold",
        name: str = "twinql",
        rewarder: Rewarder | None = None,
        **settings: Any,
    ) -> None:
        self.__name__ = name
        self._gold = gold
        self._rewarder = rewarder or Rewarder(**settings)
        self._schemas = None if schemas is None else _twinql.Schemas.load(schemas) if not isinstance(schemas, _twinql.Schemas) else schemas

    def __call__(
        self,
        completions: Sequence[Any],
        log_extra: Callable[[str, list[Any]], None] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """A reward for each completion; None, which TRL leaves out, where a gold cannot be used."""
        golds = next((columns[name] for name in (self._gold, "query", "solution") if name in columns), None)
        if golds is None:
            raise _twinql.ArgumentError(f"the data set has no column {self._gold!r} with the gold queries")
        texts = [text_of(completion) for completion in completions]
        schemas = [
            schema_of(schema, db_id, self._schemas)
            for schema, db_id in zip(
                columns.get("schema") or [None] * len(texts), columns.get("db_id") or [None] * len(texts)
            )
        ]
        rewards = self._rewarder(texts, list(golds), schemas)
        if log_extra is not None:
            log_extra("sql", [reward.sql for reward in rewards])
            log_extra("twinql_status", [reward.status for reward in rewards])
        if log_metric is not None and rewards:
            log_metric("twinql/extracted", sum(reward.sql is not None for reward in rewards) / len(rewards))
        return [reward.reward for reward in rewards]


def text_of(completion: Any) -> str:
    """The text of a completion: itself, or the content of the last message of a conversation."""
    if isinstance(completion, str):
        return completion
    return str(completion[-1].get("content") or "") if completion else ""


def sql_reward(completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """The reward by its usual settings (`TWINQL_REWARD_…`, `TWINQL_SCHEMAS`): a function of this module, which pickles."""
    return TwinqlReward(rewarder=usual_rewarder())(completions, **columns)
