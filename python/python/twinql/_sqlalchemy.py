"""SQLAlchemy's tables as DDL text. SQLAlchemy is imported only here, and only where it is used already."""

from __future__ import annotations

from typing import Any


def ddl_of(metadata: Any) -> str:
    """CREATE TABLE statements of all tables, in SQLite's dialect, in order of their foreign keys."""
    from sqlalchemy.dialects import sqlite
    from sqlalchemy.schema import CreateTable

    dialect = sqlite.dialect()
    tables = [str(CreateTable(table).compile(dialect=dialect)).strip() for table in metadata.sorted_tables]
    return "".join(f"{table};\n" for table in tables)
