#!/usr/bin/env bash
# Edits of SQL files that people committed: what check-refactor decides of them, beside equal texts, sqlglot's optimiser and
# provensql. Needs TWINQL_DATA, and a Python with sqlglot and provensql (TWINQL_SQLGLOT names it).
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --workspace --bin twinql --bin measure
"${CARGO_TARGET_DIR:-target}/release/measure" edits
"${TWINQL_SQLGLOT:-python3}" scripts/edits_others.py
