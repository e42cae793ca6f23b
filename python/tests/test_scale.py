"""Engines that move tables, each where it is installed."""

from __future__ import annotations

import doctest
import pickle
import sys
from typing import Any

import pytest
from conftest import DATA

import twinql
from twinql import scale

SCHEMAS = str(DATA / "schemas")


@pytest.fixture(scope="module")
def table(bundled: list[dict[str, Any]]) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="skipped: pyarrow is not installed")
    own = [pair for pair in bundled if pair.get("db_id")]
    return pyarrow.table({name: [pair[name] for pair in own] for name in ("gold", "pred", "db_id")})


@pytest.fixture(scope="module")
def wanted(table: Any) -> list[float | None]:
    scores = twinql.Scorer(threads=1).score(table, SCHEMAS)
    return [score.score for score in scores]


def test_columns_are_added(table: Any, wanted: list[float | None]) -> None:
    assert doctest.testmod(scale).failed == 0
    batch = table.to_batches()[0]
    for given in (table, batch):
        scored = scale.with_scores(twinql.Scorer(threads=1), given, SCHEMAS)
        assert scored.column_names[-3:] == ["twinql_status", "twinql_gmn", "twinql_gmn_decision"]
        assert scored["twinql_gmn"].to_pylist() == wanted


def test_ray(table: Any, wanted: list[float | None]) -> None:
    # An actor is a class that is made of plain arguments; Ray calls it with tables.
    actor = pickle.loads(pickle.dumps(scale.RayScorer))(schemas=SCHEMAS)
    assert actor(table)["twinql_gmn"].to_pylist() == wanted
    ray = pytest.importorskip("ray", reason="skipped: ray is not installed")
    import ray.data

    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False)
    try:
        scored = ray.data.from_arrow(table).map_batches(
            scale.RayScorer,
            batch_format="pyarrow",
            batch_size=64,
            num_cpus=1,
            compute=ray.data.ActorPoolStrategy(size=1),
            fn_constructor_kwargs={"schemas": SCHEMAS},
        )
        rows = scored.take_all()
    finally:
        ray.shutdown()
    of = {(row["gold"], row["pred"]): row["twinql_gmn"] for row in rows}
    pairs = zip(table["gold"].to_pylist(), table["pred"].to_pylist())
    assert len(rows) == len(wanted) and [of[pair] for pair in pairs] == wanted


def test_spark(table: Any, wanted: list[float | None], monkeypatch: pytest.MonkeyPatch) -> None:
    # Spark calls the function with batches, in a process of its own.
    scores = scale.spark_scores(SCHEMAS)
    batches = list(scores(iter(table.to_batches(max_chunksize=100))))
    assert [value for batch in batches for value in batch["twinql_gmn"].to_pylist()] == wanted
    sql = pytest.importorskip("pyspark.sql", reason="skipped: pyspark is not installed")
    # Workers are this Python, not the first one of the path.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[2]").getOrCreate()
    pairs = spark.createDataFrame(table.to_pandas())
    rows = pairs.mapInArrow(scores, scale.spark_schema(pairs)).collect()
    spark.stop()
    assert [row["twinql_gmn"] for row in rows] == wanted


def test_daft(table: Any, wanted: list[float | None]) -> None:
    daft = pytest.importorskip("daft", reason="skipped: daft is not installed")
    frame = daft.from_arrow(table)
    scorer = scale.daft_scorer(SCHEMAS)
    scored = frame.with_column("score", scorer.score(frame["gold"], frame["pred"], frame["db_id"]))
    assert scored.to_pydict()["score"] == wanted


def test_duckdb(table: Any, wanted: list[float | None]) -> None:
    duckdb = pytest.importorskip("duckdb", reason="skipped: duckdb is not installed")
    connection = duckdb.connect()
    scale.duckdb_function(connection, SCHEMAS)
    connection.register("pairs", table)
    rows = connection.sql("SELECT twinql(gold, pred, db_id) FROM pairs").fetchall()
    assert [score for (score,) in rows] == wanted
