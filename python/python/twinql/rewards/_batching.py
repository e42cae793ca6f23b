"""What the adapters share: which schema a sample is over, and batches where a framework calls one sample at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from .. import _twinql
from .._types import OneSchema
from ._rewarder import Reward, Rewarder

SCHEMAS = "TWINQL_SCHEMAS"
"""The environment variable that names the schemas where an adapter is given none: a path as `Schemas.load` takes it."""


def usual_rewarder() -> Rewarder:
    """The rewarder of adapters that are called by name: set up by TWINQL_REWARD_… variables, made once a process.

    TWINQL_REWARD_SHAPING, TWINQL_REWARD_PARTIAL, TWINQL_REWARD_STEPS, TWINQL_REWARD_CLAUSES and TWINQL_REWARD_THREADS
    stand for the arguments of the same names.
    """
    global _usual
    if _usual is None:
        of = os.environ.get
        _usual = Rewarder(
            of("TWINQL_REWARD_SHAPING", "probability"),
            partial=float(of("TWINQL_REWARD_PARTIAL", "0")),
            steps=float(of("TWINQL_REWARD_STEPS", "0")),
            clauses=float(of("TWINQL_REWARD_CLAUSES", "0")),
            threads=int(of("TWINQL_REWARD_THREADS", "0")) or None,
        )
    return _usual


_usual: Rewarder | None = None
_named: tuple[str, _twinql.Schemas] | None = None


def named_schemas() -> _twinql.Schemas:
    """The schemas that TWINQL_SCHEMAS names, read once a process."""
    global _named
    path = os.environ.get(SCHEMAS)
    if not path:
        raise _twinql.ArgumentError(
            f"a sample names a db_id, and nobody says where its schema is: set {SCHEMAS}, or give samples a `schema`"
        )
    if _named is None or _named[0] != path:
        _named = (path, _twinql.Schemas.load(path))
    return _named[1]


def schema_of(
    schema: OneSchema | None, db_id: str | None, schemas: _twinql.Schemas | Mapping[str, Any] | None = None
) -> OneSchema:
    """The schema of a sample: its own, or that of its database."""
    if schema is not None:
        return schema
    known = named_schemas() if schemas is None else schemas
    if db_id is None:
        return known
    try:
        found: OneSchema = known[db_id]
    except KeyError:
        raise _twinql.ArgumentError(f"no schema for db_id {db_id!r}") from None
    return found


class MicroBatcher:
    """Gathers samples that are asked for one at a time, and rewards them together.

    Trainers that call a reward for each sample do so from one event loop. What comes within `wait` seconds, at most `most`
    samples, is one batch: its graphs are made in parallel, and equal queries once.
    """

    def __init__(self, rewarder: Rewarder, *, wait: float = 0.005, most: int = 256) -> None:
        self.rewarder, self.wait, self.most = rewarder, wait, most
        self._waiting: list[tuple[str, str, OneSchema, asyncio.Future[Reward]]] = []
        self._timer: asyncio.TimerHandle | None = None

    async def reward(self, completion: str, gold: str, schema: OneSchema) -> Reward:
        """The reward of one completion, once its batch is done."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reward] = loop.create_future()
        self._waiting.append((completion, gold, schema, future))
        if len(self._waiting) >= self.most:
            self._start(loop)
        elif self._timer is None:
            self._timer = loop.call_later(self.wait, self._start, loop)
        return await future

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        batch, self._waiting = self._waiting, []
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if batch:
            task = loop.create_task(self._work(batch))
            # The loop keeps no strong reference to a task.
            _tasks.add(task)
            task.add_done_callback(_tasks.discard)

    async def _work(self, batch: list[tuple[str, str, OneSchema, asyncio.Future[Reward]]]) -> None:
        completions, golds, schemas, futures = zip(*batch)
        try:
            rewards = await asyncio.to_thread(self.rewarder, completions, golds, list(schemas))
        except BaseException as error:
            for future in futures:
                if not future.done():
                    future.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        for future, reward in zip(futures, rewards):
            if not future.done():
                future.set_result(reward)


_tasks: set[asyncio.Task[None]] = set()
