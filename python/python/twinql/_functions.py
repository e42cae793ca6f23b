"""What can be asked of pairs without a network: verdicts with witnesses, proofs, explanations, accuracies.

`dialect` is whose SQL the DDL is, and both queries; `gold_dialect` and `pred_dialect` name those of golds and of predictions
where they differ. A pair's own fields of these names win.
"""

from __future__ import annotations

from os import PathLike, fspath

from . import _twinql
from ._results import Explanation, Proof, Side, SuiteAccuracy, SuiteVerdict, Verdict
from ._scorer import _shown
from ._types import AnySchemas, OneSchema, Pairs, Progress, Workers


def judge(
    pairs: Pairs,
    schemas: AnySchemas = None,
    *,
    semantics: str = "default",
    databases: int | None = None,
    seed: int = 8,
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
    shrink: bool = True,
    plausible: int = 64,
    threads: int | None = None,
    workers: Workers = "processes",
    progress: Progress = False,
) -> list[Verdict]:
    """Executes pairs on generated databases: one `Verdict` for each, with a witness where they differ.

    `same` says that no database told the two apart, which is no proof; `different` is proved by its witness.
    shrink: make witnesses as small as they can be. plausible: over how many plausible databases it is said of a
    witness how plausible it is; 0 leaves that out.
    """
    return _twinql.judge(
        pairs,
        schemas,
        semantics,
        databases,
        seed,
        dialect,
        gold_dialect,
        pred_dialect,
        shrink,
        plausible,
        threads,
        workers,
        _shown(progress),
    )


def judge_one(
    gold: str,
    pred: str,
    schema: OneSchema,
    *,
    semantics: str = "default",
    databases: int | None = None,
    seed: int = 8,
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
    shrink: bool = True,
    plausible: int = 64,
    workers: Workers = "processes",
) -> Verdict:
    """Executes one pair on generated databases.

    >>> ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)"
    >>> judge_one("SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b >= 1", ddl).verdict
    'different'
    """
    return judge(
        [(gold, pred)],
        schema,
        semantics=semantics,
        databases=databases,
        seed=seed,
        dialect=dialect,
        gold_dialect=gold_dialect,
        pred_dialect=pred_dialect,
        shrink=shrink,
        plausible=plausible,
        workers=workers,
    )[0]


def prove(
    pairs: Pairs,
    schemas: AnySchemas = None,
    *,
    semantics: str = "default",
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> list[Proof]:
    """Proves pairs the same, or different, on every database of a semantics: one `Proof` for each."""
    return _twinql.prove(
        pairs, schemas, semantics, dialect, gold_dialect, pred_dialect, threads, _shown(progress)
    )


def prove_one(
    gold: str,
    pred: str,
    schema: OneSchema,
    *,
    semantics: str = "default",
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
) -> Proof:
    """Proves one pair.

    >>> ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)"
    >>> prove_one("SELECT a FROM t WHERE b > 1 AND a < 3", "SELECT a FROM t WHERE a < 3 AND b > 1", ddl).proof
    'equal'
    >>> prove_one("SELECT CAST(b AS REAL) FROM t", "SELECT b::double precision FROM t", ddl, pred_dialect="postgres").proof
    'equal'
    """
    return prove(
        [(gold, pred)],
        schema,
        semantics=semantics,
        dialect=dialect,
        gold_dialect=gold_dialect,
        pred_dialect=pred_dialect,
    )[0]


def explain(
    gold: str,
    pred: str,
    schema: OneSchema,
    *,
    semantics: str = "default",
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
) -> Explanation:
    """How two queries are read, what they become, and what is proved of them.

    Raises `QueryError` where one of them is no query over the schema.
    """
    found = _twinql.explain(gold, pred, schema, semantics, dialect, gold_dialect, pred_dialect, None)
    gold_side, pred_side = (Side(**found.pop(name)) for name in ("gold", "pred"))
    return Explanation(gold=gold_side, pred=pred_side, **found)


def suite_accuracy(
    pairs: Pairs,
    schemas: AnySchemas = None,
    *,
    suite: str | PathLike[str] | None = None,
    semantics: str = "default",
    databases: int | None = None,
    seed: int = 8,
    dialect: str = "sqlite",
    gold_dialect: str | None = None,
    pred_dialect: str | None = None,
    plug_values: bool = False,
    threads: int | None = None,
    workers: Workers = "processes",
    progress: Progress = False,
) -> SuiteAccuracy:
    """Test-suite accuracy of predictions: the share that no database tells from their golds.

    suite: a file of `twinql suite build`, whose databases were distilled for the golds, and whose semantics and seed
    hold; without one, each pair is executed on databases of its own. plug_values: put the gold's values into
    predictions, and call one right if any way passes.
    """
    verdicts, status, signature = _twinql.suite_accuracy(
        pairs,
        schemas,
        None if suite is None else fspath(suite),
        semantics,
        databases,
        seed,
        dialect,
        gold_dialect,
        pred_dialect,
        plug_values,
        threads,
        workers,
        _shown(progress),
    )
    return SuiteAccuracy([SuiteVerdict(*verdict) for verdict in verdicts], status, signature)
