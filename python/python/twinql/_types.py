"""Types that arguments have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

if TYPE_CHECKING:
    from ._twinql import Schema, Schemas

Status = Literal[
    "ok", "contradicted", "gold_error", "pred_error", "unsupported", "timeout", "untested", "machine_error"
]
"""What became of a pair."""

Decision = Literal["same", "different", "abstained"]
"""What a metric says of a pair."""

Workers = Literal["processes", "threads"]
"""What runs the suite's queries."""

Question = Literal["every", "plausible"]
"""On which databases two queries are to answer the same, for the network."""


class ArrowStream(Protocol):
    """A table of any library that speaks Arrow's C interface, as a stream of batches."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """One batch of a library that speaks Arrow's C interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class HasTables(Protocol):
    """SQLAlchemy's MetaData, as far as it is looked at."""

    @property
    def sorted_tables(self) -> Any: ...


Pair = Union[Mapping[str, Any], Sequence[Any]]
"""A dict with the fields of a pair file, (gold, pred), or (gold, pred, db_id or Schema)."""

Pairs = Union[str, "PathLike[str]", Iterable[Pair], ArrowStream, ArrowArray]
"""Pairs, the path of a JSONL file of them, or a table of Arrow."""

OneSchema = Union["Schema", str, "PathLike[str]", HasTables, "Schemas", Mapping[str, "Schema | str"]]
"""A schema: an object, DDL text, a file, or SQLAlchemy's MetaData; of several only one may be there."""

AnySchemas = Union[OneSchema, None]
"""Schemas of one or several databases; without them pairs carry their own."""

Progress = Union[bool, Callable[[int, "int | None"], Any]]
"""True for a bar of tqdm where that is installed, or a function that gets the pairs done and their number."""
