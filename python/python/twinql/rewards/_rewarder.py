"""Rewards of completions, and the SQL in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from .. import _twinql
from .._types import OneSchema, Status, Workers

SHAPINGS: tuple[str, ...] = tuple(_twinql.reward_names()[0])
"""What the main part of a reward may be made of."""

FORMATS: tuple[str, ...] = tuple(_twinql.reward_names()[1])
"""Formats in which a completion may give its SQL."""


@dataclass(frozen=True)
class Extraction:
    """What a completion holds."""

    sql: str | None
    """The statement, where there is exactly one."""
    outcome: str
    """`sql`, `several`, `unclosed`, `no_sql` or `too_long`."""
    format: str | None
    """How it is given (see `FORMATS`)."""


@dataclass(frozen=True)
class Reward:
    """What a completion earns, and why."""

    reward: float | None
    """The sum of the parts; None where it is not the completion's fault that nothing is known."""
    parts: dict[str, float | None]
    """`answer`, `partial`, `steps`, `clauses` and `format`; None for what was not asked for."""
    sql: str | None
    """The SQL that was found."""
    status: Status
    error: str | None
    certainty: dict[str, Any] | None = field(repr=False)
    """What is certain of the pair, where the guard was asked."""
    steps: dict[str, Any] | None = field(repr=False)
    """How the steps of its WITH clause are aligned with the gold's."""


def extract(completion: str, *, take_unclosed: bool = False) -> Extraction:
    """The SQL in a completion.

    take_unclosed: take an answer that is opened and not closed as if the end of the text closed it.

    >>> extract("<think>Two tables?</think> <answer>```sql\\nSELECT 1;\\n```</answer>")
    Extraction(sql='SELECT 1', outcome='sql', format='answer-sql-block')
    """
    return Extraction(*_twinql.extract_sql(completion, take_unclosed))


class Rewarder:
    """Rewards completions against golds. It pickles, and may be used from several threads and after a fork.

    shaping: `probability` of the network, `gmn-score` (−1 for no SQL, −0.6 for no plan, else max(0, 1 − d²)), `tiers`, or
    `expected-ex`. guard: databases on which the network's word is checked, and under `expected-ex` predictions with loose
    ends; 0 asks none, which a policy will learn to use. partial, steps, clauses: weights of credit for trees that match in
    part, for steps of a WITH clause, and for clauses that are right. no_sql, no_plan: what a completion without exactly one
    statement earns, and one that is no query over the schema.
    format: (name, weight) of a part for the format alone.
    dialect: whose SQL the DDL is, and golds and completions where gold_dialect and pred_dialect do not say.

    >>> ddl = "CREATE TABLE t (a INTEGER, b INTEGER)"
    >>> rewarder = Rewarder()
    >>> [r.reward for r in rewarder(["```sql\\nSELECT t.a FROM t\\n```", "```sql\\nSELECT b FROM t\\n```"], ["SELECT a FROM t"] * 2, ddl)]
    [1.0, 0.0]
    """

    def __init__(
        self,
        shaping: str = "probability",
        *,
        checkpoint: str | PathLike[str] = "small",
        semantics: str = "default",
        dialect: str = "sqlite",
        gold_dialect: str | None = None,
        pred_dialect: str | None = None,
        seed: int = 8,
        guard: int = _twinql.GUARD_DATABASES,
        partial: float = 0.0,
        steps: float = 0.0,
        clauses: float = 0.0,
        no_sql: float | None = None,
        no_plan: float | None = None,
        format: tuple[str, float] | None = None,
        take_unclosed: bool = False,
        threads: int | None = None,
        workers: Workers = "processes",
    ) -> None:
        self._arguments: tuple[Any, ...] = (
            fspath(checkpoint),
            semantics,
            dialect,
            gold_dialect,
            pred_dialect,
            seed,
            shaping,
            guard,
            partial,
            steps,
            clauses,
            no_sql,
            no_plan,
            format,
            take_unclosed,
            threads,
            workers,
        )
        self._rewarder = _twinql.Rewarder(*self._arguments)

    @property
    def signature(self) -> str:
        """What the rewards depend on."""
        return self._rewarder.signature()

    def __call__(
        self,
        completions: Sequence[str],
        golds: Sequence[str],
        schema: OneSchema | Sequence[OneSchema],
    ) -> list[Reward]:
        """Rewards completions: one `Reward` for each, in order. `schema` is that of all, or a list with one for each."""
        schemas = list(schema) if isinstance(schema, (list, tuple)) else [schema] * len(completions)
        return [_reward(one) for one in self._rewarder.rewards(list(completions), list(golds), schemas)]

    def one(self, completion: str, gold: str, schema: OneSchema) -> Reward:
        """Rewards one completion."""
        return self([completion], [gold], schema)[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self._arguments)

    def __repr__(self) -> str:
        return f"Rewarder({self.signature!r})"


def _rebuilt(cls: type[Rewarder], arguments: tuple[Any, ...]) -> Rewarder:
    """The rewarder of these arguments, in whichever process this is."""
    rewarder = cls.__new__(cls)
    rewarder._arguments = arguments
    rewarder._rewarder = _twinql.Rewarder(*arguments)
    return rewarder


def _reward(found: dict[str, Any]) -> Reward:
    return Reward(
        reward=found["reward"],
        parts=found["parts"],
        sql=found["extraction"].get("sql"),
        status=found["status"],
        error=found["error"],
        certainty=found["certainty"],
        steps=found["steps"],
    )
