"""Tables of other libraries, in and out."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import OTHER, SAME

import twinql

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

COLUMNS = {
    "id": ["a", "b", "c", "d"],
    "gold": [SAME[0], OTHER[0], SAME[0], None],
    "pred": [SAME[1], OTHER[1], None, SAME[1]],
    "label": [1, 0, None, 1],
}
STATUSES = ["ok", "ok", "pred_error", "gold_error"]


def tables() -> list[tuple[str, Any]]:
    table = pa.table(COLUMNS)
    text = {"id": "large_string", "gold": "large_string", "pred": "large_string", "label": "int64"}
    large = table.cast(pa.schema([(name, getattr(pa, kind)()) for name, kind in text.items()]))
    coded = table.set_column(1, "gold", table["gold"].dictionary_encode())
    frame = pl.DataFrame(COLUMNS)
    return [
        ("pyarrow", table),
        ("pyarrow, large", large),
        ("pyarrow, views", table.set_column(2, "pred", table["pred"].cast(pa.string_view()))),
        ("pyarrow, categories", coded),
        ("pyarrow, chunks", pa.concat_tables([table.slice(0, 1), table.slice(1, 2), table.slice(3)])),
        ("pyarrow, one batch", table.to_batches()[0]),
        ("pyarrow, a reader", pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))),
        ("pyarrow, more columns", table.append_column("other", pa.array([[1], [2], [3], [4]]))),
        ("pyarrow, small labels", table.set_column(3, "label", table["label"].cast(pa.uint8()))),
        ("polars", frame),
        ("polars, categories", frame.with_columns(pl.col("pred").cast(pl.Categorical))),
        ("pandas", pd.DataFrame(COLUMNS)),
    ]


@pytest.mark.parametrize(("name", "table"), tables(), ids=[name for name, _ in tables()])
def test_tables_of_many_kinds_are_pairs(
    name: str, table: Any, scorer: twinql.Scorer, schema: twinql.Schema
) -> None:
    wanted = scorer.score([{key: values[i] for key, values in COLUMNS.items()} for i in range(4)], schema)
    assert [score.status for score in wanted] == STATUSES
    assert scorer.score(table, schema) == wanted


def test_labels_of_tables(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    for labels in ([1, 0], [True, False], [1.0, 0.0]):
        table = pa.table({"gold": [SAME[0], OTHER[0]], "pred": [SAME[1], OTHER[1]], "label": labels})
        assert scorer.evaluate(table, schema, resamples=10).auc() == 1.0


def test_scores_go_out_to_all_of_them(schema: twinql.Schema) -> None:
    scorer = twinql.Scorer(metrics=("gmn", "relpm"), threads=2)
    out = scorer.score_arrow(pa.table(COLUMNS), schema)
    scores = scorer.score(pa.table(COLUMNS), schema)
    names = ["id", "status", "gmn", "relpm", "gmn_decision", "gmn_details", "relpm_decision", "relpm_details", "error"]
    assert out.column_names == names and len(out) == 4
    rows = pa.table(out).to_pylist()
    assert [row["status"] for row in rows] == STATUSES
    assert [row["gmn"] for row in rows] == [score.scores["gmn"] for score in scores]
    assert [row["gmn_decision"] for row in rows] == [score.decisions["gmn"] for score in scores]
    assert [row["error"] for row in rows] == [score.error for score in scores]
    # More than once, and by several libraries.
    assert pl.DataFrame(out).rows(named=True) == rows
    assert pd.DataFrame.from_arrow(out)["gmn"].tolist()[:2] == [row["gmn"] for row in rows[:2]]
    assert pa.schema(out).names == names
    assert pa.table(out).schema.metadata[b"twinql:gmn"].decode() == scorer.signatures["gmn"]
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT count(*) FROM out WHERE status = 'ok'").fetchall() == [(2,)]


def test_numbers_stay_numbers(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    table = pa.table({"id": [7, 8], "gold": [SAME[0]] * 2, "pred": [SAME[1]] * 2})
    assert pa.table(scorer.score_arrow(table, schema))["id"].to_pylist() == [7, 8]
    assert [score.id for score in scorer.score(table, schema)] == [7, 8]
    none = pa.table({"gold": pa.array([], pa.string()), "pred": pa.array([], pa.string())})
    assert pa.table(scorer.score_arrow(none, schema)).num_rows == 0


def test_tables_that_hold_no_pairs(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return "no capsule"

    def torn() -> Any:
        yield pa.record_batch({"gold": [SAME[0]], "pred": [SAME[1]]})
        raise RuntimeError("torn")

    types = pa.schema([("gold", pa.string()), ("pred", pa.string())])
    no_text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer((0).to_bytes(4, "little") + (2).to_bytes(4, "little")), pa.py_buffer(b"\xff\xfe")]
    )
    for table, says in [
        (pa.table({"gold": ["a"]}), "no column \"pred\""),
        (pa.table({"gold": [[1]], "pred": ["a"]}), "column \"gold\" is"),
        (pa.RecordBatchReader.from_batches(types, torn()), "torn"),
        (pa.table({"gold": no_text, "pred": ["a"]}), "column \"gold\""),
        (pa.array([1, 2]), "not of structs"),
    ]:
        with pytest.raises(twinql.InputError, match=says):
            scorer.score(table, schema)
    with pytest.raises(TypeError):
        scorer.score(Broken(), schema)
