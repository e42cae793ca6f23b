"""Scores in the engines that move tables: Ray Data, Spark, Daft, DuckDB.

Each holds one scorer a worker process and takes Arrow in and out. Engines have a pool of processes of their own, so that a
scorer takes one thread unless it is told otherwise. A table has the columns of a pair: `gold`, `pred`, `db_id` or
`schema`, and perhaps `id`; scores are added as `twinql_…` columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._scorer import Scorer
from ._twinql import Schemas

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]

__all__ = ["RayScorer", "daft_scorer", "duckdb_function", "spark_schema", "spark_scores", "with_scores"]


def with_scores(scorer: Scorer, table: Any, schemas: Any = None) -> Any:
    """A table of pyarrow (or a record batch) with the columns `twinql_status`, `twinql_METRIC` and `twinql_METRIC_decision`.

    >>> import pyarrow
    >>> table = pyarrow.table({"gold": ["SELECT a FROM t"], "pred": ["SELECT t.a FROM t"]})
    >>> with_scores(Scorer(), table, "CREATE TABLE t (a INTEGER)")["twinql_gmn_decision"].to_pylist()
    ['same']
    """
    import pyarrow

    scores = pyarrow.table(scorer.score_arrow(table, schemas))
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    for name, _ in _columns(scorer.metrics):
        table = table.append_column(f"twinql_{name}", scores[name])
    return table


def _columns(metrics: Sequence[str]) -> list[tuple[str, str]]:
    """The columns that are added, with their types in SQL."""
    scores = [(name, "double") for name in metrics]
    return [("status", "string"), *scores, *((f"{name}_decision", "string") for name in metrics)]


class RayScorer:
    """An actor class for Ray Data.

        ds.map_batches(
            RayScorer, batch_format="pyarrow", batch_size=4096, num_cpus=1,
            compute=ray.data.ActorPoolStrategy(size=8), fn_constructor_kwargs={"schemas": "tables.json"},
        )

    `settings` are those of `Scorer`. The schemas are read once an actor. Where Ray reads few Parquet files, set
    `RAY_DATA_PARQUET_FOOTER_NUM_ACTORS=1` before it is imported: it starts 32 processes for their footers otherwise.
    """

    def __init__(self, schemas: Any = None, **settings: Any) -> None:
        self._scorer = Scorer(**{"threads": 1, **settings})
        self._schemas = None if schemas is None else Schemas(schemas)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """The batch with its scores."""
        return with_scores(self._scorer, batch, self._schemas)


def spark_scores(
    schemas: Any = None, **settings: Any
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """A function for Spark's `mapInArrow`.

        pairs.mapInArrow(spark_scores("tables.json"), spark_schema(pairs))

    `settings` are those of `Scorer`.
    """
    scorer = Scorer(**{"threads": 1, **settings})
    known = None if schemas is None else Schemas(schemas)

    def scores(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        # The scorer comes along by its arguments, and is made once a task.
        for batch in batches:
            yield from with_scores(scorer, batch, known).to_batches()

    return scores


def spark_schema(pairs: Any, metrics: Sequence[str] = ("gmn",)) -> Any:
    """The schema of what `spark_scores` makes of a DataFrame, by the metrics that it is asked for."""
    from pyspark.sql.types import StructType  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]

    # `add` changes a schema in place, and the DataFrame's own has to stay.
    schema = StructType(list(pairs.schema.fields))
    for name, kind in _columns(metrics):
        schema = schema.add(f"twinql_{name}", kind)
    return schema


def daft_scorer(schemas: Any = None, **settings: Any) -> Any:
    """A scorer for Daft: an object whose `score(gold, pred, db_id)` is a batch method.

        scorer = daft_scorer("tables.json")
        df.with_column("score", scorer.score(df["gold"], df["pred"], df["db_id"]))
    """
    import daft  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]

    @daft.cls(max_concurrency=1)
    class DaftScorer:
        """Holds the scorer of a worker."""

        def __init__(self) -> None:
            self._scorer = Scorer(**{"threads": 1, **settings})
            self._schemas = None if schemas is None else Schemas(schemas)

        @daft.method.batch(return_dtype=daft.DataType.float64())  # type: ignore[untyped-decorator, unused-ignore]
        def score(self, gold: Any, pred: Any, db_id: Any) -> Any:
            """The score of the first metric."""
            import pyarrow

            columns = {"gold": gold.to_arrow(), "pred": pred.to_arrow(), "db_id": db_id.to_arrow()}
            table = with_scores(self._scorer, pyarrow.table(columns), self._schemas)
            return table[f"twinql_{self._scorer.metrics[0]}"].combine_chunks()

    return DaftScorer()


def duckdb_function(connection: Any, schemas: Any = None, name: str = "twinql", **settings: Any) -> None:
    """Makes `name(gold, pred, db_id)`, the score of the first metric, a function of a DuckDB connection.

        duckdb_function(connection, "tables.json")
        connection.sql("SELECT avg(twinql(gold, pred, db_id)) FROM 'pairs.parquet'")

    DuckDB calls it from its own threads, one call at a time, with some 2,000 rows: the scorer takes all cores.
    """
    import pyarrow
    from duckdb.sqltypes import DOUBLE, VARCHAR  # type: ignore[import-not-found, unused-ignore]  # pyright: ignore[reportMissingImports]

    scorer = Scorer(**settings)
    known = None if schemas is None else Schemas(schemas)

    def scores(gold: Any, pred: Any, db_id: Any) -> Any:
        table = pyarrow.table({"gold": gold, "pred": pred, "db_id": db_id})
        return with_scores(scorer, table, known)[f"twinql_{scorer.metrics[0]}"]

    connection.create_function(name, scores, [VARCHAR, VARCHAR, VARCHAR], DOUBLE, type="arrow")
