"""The scorer: metrics over pairs of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import Any

from . import _twinql
from ._results import Evaluation, Score
from ._twinql import ScoreTable
from ._types import AnySchemas, OneSchema, Pairs, Progress, Question, Workers


def _shown(progress: Progress) -> Any:
    """What the compiled part takes for an argument `progress`."""
    return None if progress is False else progress


def _path(path: str | PathLike[str] | None) -> str | None:
    """What the compiled part takes for a path."""
    return None if path is None else fspath(path)


class Scorer:
    """Scores pairs of a reference and a prediction.

    A scorer is made once and used often: it holds the network, and its threads are shared with other scorers of the
    same number. It may be called from several threads, pickled, and used after a fork.

    checkpoint: the network of learned metrics: `small` or `base`, which are built in, or a file.
    semantics: what "the same answer" means (see `twinql.SEMANTICS`).
    metrics: one name or several (see `twinql.METRICS`).
    dialect: whose SQL queries and DDL are (see `twinql.DIALECTS`).
    gold_dialect, pred_dialect: whose SQL golds and predictions are, where that is not `dialect`; a pair's own fields of
        these names win.
    threads: how many work; one for each core that this process may use where it is None.
    seed: of the suite's databases.
    databases: the suite's number of databases for a pair.
    abstain: learned metrics may abstain, by their checkpoint's band.
    db: a folder of SQLite databases, for metrics that execute on them.
    workers: `processes` runs the suite's queries in processes that can be killed, `threads` in this one.
    question: what the network is asked: whether two queries answer the same on `every` database that the semantics
        allows, or on a `plausible` one, as people have them.
    probes: small databases in memory on which `gmn` and `two-tier` evaluate pairs whose canonical forms differ; 0 leaves
        the word to the network alone. 12 where it is None, and 4 for the question `plausible`.
    plausible: plausible databases that `expected-ex` and `ex` count over; 16 where it is None.
    profile: a profile, or a folder of them, that plausible databases follow.
    relpm_alpha, relpm_beta, relpm_omega: parameters of `relpm` and `astpm`: how much a node's own match counts against
        its children's, recall against precision, and a node's match against the scores below it.
    crystalbleu_corpus: a file of queries, whose most common n-grams `crystalbleu` leaves out.
    without_rules: rules that `esm+` leaves out; `all`, `values` and `duplicates` too.

    >>> scorer = Scorer(metrics=("gmn", "relpm"))
    >>> ddl = "CREATE TABLE t (a INTEGER, b INTEGER)"
    >>> [s.decision for s in scorer.score([("SELECT a FROM t", "SELECT t.a FROM t"), ("SELECT a FROM t", "SELECT b FROM t")], ddl)]
    ['same', 'different']
    """

    def __init__(
        self,
        checkpoint: str | PathLike[str] = "small",
        semantics: str = "default",
        metrics: str | Iterable[str] = ("gmn",),
        dialect: str = "sqlite",
        threads: int | None = None,
        seed: int = 8,
        *,
        gold_dialect: str | None = None,
        pred_dialect: str | None = None,
        databases: int | None = None,
        abstain: bool = False,
        db: str | PathLike[str] | None = None,
        workers: Workers = "processes",
        question: Question = "every",
        probes: int | None = None,
        plausible: int | None = None,
        profile: str | PathLike[str] | None = None,
        relpm_alpha: float | None = None,
        relpm_beta: float | None = None,
        relpm_omega: float | None = None,
        crystalbleu_corpus: str | PathLike[str] | None = None,
        without_rules: Sequence[str] = (),
    ) -> None:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        self._positional: tuple[Any, ...] = (fspath(checkpoint), semantics, names, dialect, threads, seed)
        self._settings: dict[str, Any] = {
            "gold_dialect": gold_dialect,
            "pred_dialect": pred_dialect,
            "databases": databases,
            "abstain": abstain,
            "db": _path(db),
            "workers": workers,
            "question": question,
            "probes": probes,
            "plausible": plausible,
            "profile": _path(profile),
            "relpm_alpha": relpm_alpha,
            "relpm_beta": relpm_beta,
            "relpm_omega": relpm_omega,
            "crystalbleu_corpus": _path(crystalbleu_corpus),
            "without_rules": list(without_rules),
        }
        self._engine = _twinql.Engine(*self._positional, **self._settings)

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics, in the order in which they are computed."""
        return tuple(self._engine.signatures())

    @property
    def signatures(self) -> dict[str, str]:
        """What each metric's figures depend on."""
        return self._engine.signatures()

    @property
    def thresholds(self) -> dict[str, float]:
        """The score from which on a metric calls two queries the same."""
        return self._engine.thresholds()

    @property
    def semantics(self) -> dict[str, str]:
        """The semantics that each metric answers for: a network answers for that of its labels."""
        return self._engine.semantics()

    def score(self, pairs: Pairs, schemas: AnySchemas = None, *, progress: Progress = False) -> list[Score]:
        """Scores pairs: one `Score` for each, in order. A bad pair raises nothing: its status says so."""
        return self._engine.score(pairs, schemas, _shown(progress))

    def score_one(self, gold: str, pred: str, schema: OneSchema) -> Score:
        """Scores one pair."""
        return self._engine.score_one(gold, pred, schema)

    def score_arrow(self, pairs: Pairs, schemas: AnySchemas = None, *, progress: Progress = False) -> ScoreTable:
        """Scores pairs into columns that pyarrow, polars, pandas and duckdb take as they are."""
        return self._engine.score_arrow(pairs, schemas, _shown(progress))

    def evaluate(
        self,
        pairs: Pairs,
        schemas: AnySchemas = None,
        *,
        resamples: int = 1000,
        level: float = 0.95,
        progress: Progress = False,
    ) -> Evaluation:
        """How well the metrics agree with the labels of pairs; pairs without a label are left out."""
        report = self._engine.evaluate(pairs, schemas, _shown(progress), resamples, level)
        return Evaluation(
            pairs=report["pairs"],
            unlabelled=report["unlabelled"],
            status=report["status"],
            metrics={metric["metric"]: metric for metric in report["metrics"]},
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self._positional, self._settings)

    def __repr__(self) -> str:
        checkpoint, semantics, names, dialect, *_ = self._positional
        return f"Scorer({checkpoint!r}, {semantics!r}, {tuple(names)!r}, {dialect!r})"


def _rebuilt(cls: type[Scorer], positional: tuple[Any, ...], settings: dict[str, Any]) -> Scorer:
    """The scorer of these arguments, in whichever process this is."""
    return cls(*positional, **settings)


def evaluate(
    pairs: Pairs,
    schemas: AnySchemas = None,
    *,
    metrics: str | Iterable[str] = ("gmn",),
    checkpoint: str | PathLike[str] = "small",
    semantics: str = "default",
    dialect: str = "sqlite",
    threads: int | None = None,
    seed: int = 8,
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
    resamples: int = 1000,
    progress: Progress = False,
) -> Evaluation:
    """How well metrics agree with the labels of pairs: `Scorer(…).evaluate(…)` in one call."""
    scorer = Scorer(
        checkpoint,
        semantics,
        metrics,
        dialect,
        threads,
        seed,
        gold_dialect=gold_dialect,
        pred_dialect=pred_dialect,
    )
    return scorer.evaluate(pairs, schemas, resamples=resamples, progress=progress)
