"""The best of several candidates, without a database and without a gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypedDict, Union

from . import _twinql
from ._types import OneSchema

if TYPE_CHECKING:
    from typing_extensions import Unpack

Candidate = Union[str, "tuple[str, float]", Mapping[str, Any]]
"""SQL, (SQL, logprob), or a dict with `sql` and perhaps `logprob`."""


@dataclass(frozen=True)
class Ranking:
    """A set of candidates, ranked."""

    chosen: int | None
    """The place of the candidate that was chosen; None where there are none."""
    status: str
    """`ok`; `unread` where no candidate is a query over the schema; `empty`."""
    scores: list[float | None]
    """By candidate, from 0 to 1: how far the others are expected to agree. None for what is no query."""
    classes: list[list[int]]
    """Candidates that are proved equal, by place."""
    errors: list[str | None] = field(repr=False)
    """By candidate, why it is no query over the schema."""


class How(TypedDict, total=False):
    """The keyword arguments of `rerank_all`, which `rerank` takes too."""

    method: str
    utility: str
    weights: str
    temperature: float
    decay: float
    proofs: bool
    checkpoint: str | PathLike[str]
    semantics: str
    dialect: str
    pred_dialect: str | None
    threads: int | None


def rerank(candidates: Sequence[Candidate], schema: OneSchema, **how: Unpack[How]) -> Ranking:
    """Ranks the candidates of one question; the keyword arguments are those of `rerank_all`.

    >>> ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)"
    >>> rerank(["SELECT b FROM t", "SELECT COUNT(*) FROM t", "SELECT COUNT(a) FROM t"], ddl).chosen
    1
    """
    return rerank_all([candidates], schema, **how)[0]


def rerank_all(
    sets: Iterable[Sequence[Candidate]],
    schema: OneSchema | Sequence[OneSchema],
    *,
    method: str = "majority",
    utility: str = "gmn",
    weights: str = "uniform",
    temperature: float = 1.0,
    decay: float = 0.9,
    proofs: bool = True,
    checkpoint: str | PathLike[str] = "small",
    semantics: str = "default",
    dialect: str = "sqlite",
    pred_dialect: str | None = None,
    threads: int | None = None,
) -> list[Ranking]:
    """Ranks many sets of candidates; `schema` is that of all, or a list with one for each.

    method: `majority` of classes of equal queries, or `mbr`, the candidate that the others are expected to agree with
    most. utility: what agreement is for `mbr`, `gmn` or `relpm`. weights: how much votes count: `uniform` for samples, `logprob`
    (at `temperature`) or `rank` (each `decay` of the one before) for beams. dialect: whose SQL the DDL is, and the
    candidates where pred_dialect does not say.
    """
    given = [[_pair(candidate) for candidate in candidates] for candidates in sets]
    schemas = list(schema) if isinstance(schema, (list, tuple)) else [schema] * len(given)
    parameter = temperature if weights == "logprob" else decay
    ranked = _twinql.rerank(
        given,
        schemas,
        method,
        utility,
        weights,
        parameter,
        proofs,
        fspath(checkpoint),
        semantics,
        dialect,
        pred_dialect,
        threads,
    )
    return [Ranking(**one) for one in ranked]


def _pair(candidate: Candidate) -> tuple[str, float | None]:
    if isinstance(candidate, str):
        return candidate, None
    if isinstance(candidate, Mapping):
        return candidate["sql"], candidate.get("logprob")
    return candidate[0], candidate[1]
