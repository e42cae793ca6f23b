#!/usr/bin/env bash
# Our execution accuracy against what test-suite-sql-eval answered on the same database files:
# agreement for 8 systems with and without DISTINCT, and every difference by cause.
# TWINQL_DATA must hold exec_verdicts/, suites/spider_dev_20/, predictions/ and spider/.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with exec_verdicts and suites}"
exec cargo measure compare-exec "$TWINQL_DATA"
