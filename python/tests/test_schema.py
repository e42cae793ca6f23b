"""Schemas: where they come from, and what an argument may be."""

from __future__ import annotations

import pickle
import sqlite3
import warnings
from pathlib import Path

import pytest
from conftest import DATA, DDL, SAME

import twinql


def test_from_ddl(schema: twinql.Schema) -> None:
    assert schema.db_id == "concerts"
    assert schema.tables == {"singer": ["id", "name", "age"], "concert": ["id", "singer_id", "year"]}
    assert schema.notes == []
    assert twinql.Schema.from_ddl(schema.to_ddl(), db_id="concerts") == schema
    assert schema.renamed("other").db_id == "other" and schema.renamed("other") != schema
    assert "singer, concert" in repr(schema)
    assert hash(schema) == hash(twinql.Schema.from_ddl(DDL, db_id="concerts"))


@pytest.mark.parametrize("ddl", ["", "SELECT 1", "CREATE TABLE", "CREATE TABLE t ()", "\x00", "(" * 50_000])
def test_what_is_no_ddl_raises(ddl: str) -> None:
    with pytest.raises(twinql.SchemaError):
        twinql.Schema.from_ddl(ddl)


def test_from_sqlite(tmp_path: Path, schema: twinql.Schema) -> None:
    path = tmp_path / "concerts.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(DDL)
    db.close()
    assert twinql.Schema.from_sqlite(path).tables == schema.tables
    assert twinql.Schemas.load(tmp_path)["concerts"].tables == schema.tables
    with pytest.raises(twinql.SchemaError):
        twinql.Schema.from_sqlite(tmp_path / "nowhere.sqlite")


def test_from_tables_json(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(
        """[{"db_id": "d", "table_names_original": ["t"], "table_names": ["t"],
             "column_names_original": [[-1, "*"], [0, "a"], [0, "b"]],
             "column_names": [[-1, "*"], [0, "a"], [0, "b"]],
             "column_types": ["text", "number", "text"], "primary_keys": [1], "foreign_keys": []}]"""
    )
    assert twinql.Schema.from_tables_json(path, "d").tables == {"t": ["a", "b"]}
    with pytest.raises(twinql.SchemaError, match="no database 'e'|no database \"e\""):
        twinql.Schema.from_tables_json(path, "e")


def test_from_sqlalchemy(scorer: twinql.Scorer) -> None:
    sa = pytest.importorskip("sqlalchemy")
    metadata = sa.MetaData()
    sa.Table("b", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("a_id", sa.ForeignKey("a.id")))
    sa.Table("a", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("t", sa.String(20), nullable=False))
    schema = twinql.Schema.from_sqlalchemy(metadata, db_id="x")
    assert (schema.db_id, schema.tables) == ("x", {"a": ["id", "t"], "b": ["id", "a_id"]})
    assert scorer.score_one("SELECT t FROM a", "SELECT a.t FROM a", metadata).decision == "same"


def test_schemas_are_a_mapping(schemas: twinql.Schemas) -> None:
    assert len(schemas) == len(list((DATA / "schemas").glob("*.sql"))) == len(schemas.keys())
    assert "beekeeping" in schemas and "nowhere" not in schemas and 5 not in schemas
    assert list(schemas) == schemas.keys() and schemas["beekeeping"].db_id == "beekeeping"
    with pytest.raises(KeyError):
        schemas["nowhere"]
    again = twinql.Schemas({name: schemas[name] for name in schemas})
    assert again == schemas and pickle.loads(pickle.dumps(schemas)) == schemas
    renamed = twinql.Schemas({"bees": schemas["beekeeping"], "t": "CREATE TABLE t (a INTEGER)"})
    assert renamed["bees"].db_id == "bees" and renamed["t"].tables == {"t": ["a"]}


def test_arguments_that_hold_no_schema(scorer: twinql.Scorer, schemas: twinql.Schemas) -> None:
    for argument, error, says in [
        (17, twinql.ArgumentError, "schemas is a int"),
        ({"t": 17}, twinql.ArgumentError, "neither Schema nor DDL"),
        ("nowhere.sql", twinql.SchemaError, "nowhere.sql"),
        (schemas, twinql.SchemaError, "databases where one is needed"),
        ({}, twinql.SchemaError, "0 databases"),
        ("CREATE TABLE", twinql.SchemaError, "CREATE"),
    ]:
        with pytest.raises(error, match=says):
            scorer.score_one(*SAME, argument)  # type: ignore[arg-type]
    # In a batch the pair says so.
    [score] = scorer.score([SAME], schemas)
    assert score.status == "gold_error" and "db_id" in (score.error or "")
    [score] = scorer.score([(*SAME, "beekeping")], schemas)
    assert "similar names: beekeeping" in (score.error or "")


def test_a_file_that_changes_is_read_again(scorer: twinql.Scorer, tmp_path: Path) -> None:
    path = tmp_path / "db.sql"
    path.write_text("CREATE TABLE t (a INTEGER)")
    pair = ("SELECT a FROM t", "SELECT t.a FROM t")
    assert scorer.score_one(*pair, path).status == "ok"
    path.write_text("CREATE TABLE another_name (a INTEGER)")
    assert scorer.score_one(*pair, path).status == "gold_error"


def test_what_is_not_read_warns(tmp_path: Path) -> None:
    path = tmp_path / "db.sql"
    path.write_text("CREATE TABLE t (a INTEGER);\nCREATE VIRTUAL TABLE v USING fts5(x);\n")
    with pytest.warns(twinql.SchemaWarning, match="not read"):
        schemas = twinql.Schemas.load(path)
    assert any("v" in note or "VIRTUAL" in note for note in schemas["db"].notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        twinql.Schemas.load(path)
