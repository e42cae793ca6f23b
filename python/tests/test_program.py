"""The program that pip installs beside the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DDL, OTHER, SAME

SCRIPT = Path(sys.executable).with_name("twinql")


@pytest.fixture
def schema_file(tmp_path: Path) -> Path:
    path = tmp_path / "concerts.sql"
    path.write_text(DDL)
    return path


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", ["judge", "score", "prove"])
def test_it_says_what_the_program_says(program: Path, schema_file: Path, command: str) -> None:
    for gold, pred in (SAME, OTHER):
        pair = ("--gold-sql", gold, "--pred-sql", pred)
        wanted = _run(program, command, "--schemas", schema_file, *pair)
        assert wanted.returncode == 0 and wanted.stdout, wanted.stderr
        for script in ([SCRIPT], [sys.executable, "-m", "twinql"]):
            found = _run(*script, command, "--schemas", schema_file, *pair)
            assert (found.stdout, found.returncode) == (wanted.stdout, wanted.returncode), found.stderr


def test_it_ends_as_the_program_does(schema_file: Path, tmp_path: Path) -> None:
    assert _run(SCRIPT, "--help").returncode == 0
    wrong = _run(SCRIPT, "score", "--no-such-flag")
    assert wrong.returncode == 2 and "--no-such-flag" in wrong.stderr
    old, new = tmp_path / "old.sql", tmp_path / "new.sql"
    old.write_text(OTHER[0])
    new.write_text(OTHER[1])
    changed = _run(SCRIPT, "check-refactor", "--schemas", schema_file, old, new)
    assert changed.returncode == 1 and "NOT the same" in changed.stdout, changed
