"""What calls return. All of it is plain data: it compares, pickles and prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from ._types import Decision, Status

Id = Union[str, int, float]
Cell = Union[None, int, float, str, bytes]


@dataclass(frozen=True)
class Metric:
    """A metric that a scorer can compute."""

    name: str
    summary: str
    """One line: what it is."""
    source: str
    """The publication it follows."""
    binary: bool
    """Its scores are 0 and 1."""


@dataclass(frozen=True)
class Score:
    """The scores of one pair."""

    id: Id
    """The pair's id as it came, or its number from 0 as text."""
    status: Status
    """What became of the pair; what became of a metric, where it is not `ok`, is `details[metric]["status"]`."""
    scores: dict[str, float | None]
    """By metric, in [0, 1], 1 = the same; None where the metric has nothing to say of the pair."""
    details: dict[str, Any] = field(repr=False)
    """More about a score, by metric."""
    error: str | None
    """What went wrong and what to do."""
    decisions: dict[str, Decision] = field(repr=False)
    """What each metric says, by its threshold or its abstention band."""
    signatures: dict[str, str] = field(repr=False)
    """What each metric's figures depend on."""

    @property
    def score(self) -> float | None:
        """The score of the first metric."""
        return next(iter(self.scores.values()), None)

    @property
    def decision(self) -> Decision:
        """What the first metric says."""
        for decision in self.decisions.values():
            return decision
        return "abstained"

    @property
    def signature(self) -> str:
        """What the first metric's figures depend on."""
        return next(iter(self.signatures.values()), "")

    def to_dict(self) -> dict[str, Any]:
        """The record as `twinql score` writes it, ready for `json.dumps`."""
        return {
            "id": self.id,
            "status": self.status,
            "scores": self.scores,
            "details": self.details,
            "error": self.error,
        }


@dataclass(frozen=True)
class Witness:
    """A database on which two queries give different answers, and the answers."""

    sql: str
    """Statements that make the database."""
    gold_columns: list[str]
    gold_rows: list[tuple[Cell, ...]]
    pred_columns: list[str]
    pred_rows: list[tuple[Cell, ...]]
    text: str = field(repr=False)
    """All of it as a SQL script with comments."""
    plausibility: dict[str, Any] | None = field(default=None, repr=False)
    """How plausible it is that they differ, and what is odd about the database; None where that was not asked for."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Verdict:
    """What the test suite says of one pair."""

    id: Id
    status: Status
    verdict: str | None
    """`same` (no database told them apart), `different` (the witness proves it), or None."""
    databases: int | None
    """Databases on which both queries gave an answer."""
    nonempty: int | None
    """On how many of them the gold answered: not what it gives over empty tables."""
    witness: Witness | None
    notes: list[str] = field(repr=False)
    """Repairs of the texts."""
    error: str | None
    signature: str = field(repr=False)


@dataclass(frozen=True)
class Proof:
    """What is proved of one pair."""

    id: Id
    status: Status
    proof: str | None
    """`equal`, `different` or `unknown`; None where a query has no plan."""
    details: dict[str, Any] = field(repr=False)
    """Rules, assumptions and certificate; the reason; or what still differs."""
    text: str = field(repr=False)
    """The proof in words."""
    error: str | None
    signature: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Side:
    """How one query is read."""

    sql: str
    """The text after repairs."""
    repairs: list[str]
    canonical_sql: str | None
    """The canonical form as SQL, where it has one."""
    canonical_tree: str
    """The canonical form as a tree."""
    rules: list[str]
    """The normalisation rules that led there."""
    stopped: str | None
    """The limit that ended the normalisation early, if one did."""
    vacuous: list[str]
    """Assumptions that empty a part of the query, and without which it was read."""


@dataclass(frozen=True)
class Explanation:
    """How two queries are read, what they become, and what is proved of them."""

    proof: str
    """`equal`, `different` or `unknown`."""
    details: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    """The proof in words."""
    relpm: float | None
    """How well the two trees match, in [0, 1]."""
    nulls_in: list[str]
    """Columns that may hold NULL because the gold asks for it."""
    semantics: str
    gold: Side
    pred: Side

    def __str__(self) -> str:
        parts = [f"{name}: {side.sql}\n{side.canonical_tree}" for name, side in (("gold", self.gold), ("pred", self.pred))]
        return "\n".join([*parts, self.text])


@dataclass(frozen=True)
class Evaluation:
    """How well metrics agree with labels."""

    pairs: int
    """Pairs with a label."""
    unlabelled: int
    """Pairs without one, which are in no figure."""
    status: dict[str, int]
    """How many labelled pairs ended in which status."""
    metrics: dict[str, dict[str, Any]]
    """The figures of each metric, as `twinql evaluate` names them; None where one is not defined."""

    def auc(self, metric: str | None = None) -> float | None:
        """The area under the ROC curve, of the first metric where none is named."""
        area = self._of(metric)["auc"]
        return None if area is None else area["estimate"]

    def accuracy(self, metric: str | None = None) -> float | None:
        """The share called rightly at the threshold, of the first metric where none is named."""
        accuracy: float | None = self._of(metric)["accuracy"]
        return accuracy

    def _of(self, metric: str | None) -> dict[str, Any]:
        return self.metrics[next(iter(self.metrics)) if metric is None else metric]


@dataclass(frozen=True)
class SuiteVerdict:
    """What test-suite accuracy counts of one pair."""

    id: Id
    status: Status
    right: bool | None
    """None where no database says."""
    error: str | None


@dataclass(frozen=True)
class SuiteAccuracy:
    """Test-suite accuracy of predictions."""

    verdicts: list[SuiteVerdict] = field(repr=False)
    status: dict[str, int]
    """How many pairs ended in which status."""
    signature: str = field(repr=False)

    @property
    def pairs(self) -> int:
        """All pairs: the denominator."""
        return len(self.verdicts)

    @property
    def right(self) -> int:
        """Predictions that no database tells from their gold."""
        return sum(verdict.right is True for verdict in self.verdicts)

    @property
    def accuracy(self) -> float:
        """Right ones among all pairs; 0 of none."""
        return self.right / max(self.pairs, 1)

    def __iter__(self) -> Iterator[SuiteVerdict]:
        return iter(self.verdicts)
