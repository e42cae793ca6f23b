"""What tests share: the repository's data, and the program to compare with."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import twinql

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"

DDL = """
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL);
CREATE TABLE concert (
  id INTEGER PRIMARY KEY,
  singer_id INTEGER NOT NULL REFERENCES singer(id),
  year INTEGER NOT NULL
);
"""
SAME = ("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer")
OTHER = ("SELECT name FROM singer", "SELECT name FROM singer WHERE age > 20")


@pytest.fixture(scope="session")
def schema() -> twinql.Schema:
    return twinql.Schema.from_ddl(DDL, db_id="concerts")


@pytest.fixture(scope="session")
def scorer() -> twinql.Scorer:
    return twinql.Scorer(threads=2)


@pytest.fixture(scope="session")
def bundled() -> list[dict[str, Any]]:
    """The bundled pairs."""
    lines = (DATA / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def schemas() -> twinql.Schemas:
    return twinql.Schemas.load(DATA / "schemas")


@pytest.fixture(scope="session")
def program() -> Path:
    """The program of the same sources, which `scripts/python.sh` builds."""
    path = Path(os.environ.get("TWINQL_PROGRAM", ROOT / "target/release/twinql"))
    if not path.is_file():
        pytest.skip(f"{path} is not there: cargo build --release -p twinql-cli")
    return path
