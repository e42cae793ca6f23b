"""Queries of systems that cannot be had, in DuckDB's words, by sqlglot: a second opinion on what they mean.

Reads lines {"dialect": …, "sql": …} and writes for each a line with the translation, a JSON string or null.
`cargo measure engines` asks it where TWINQL_SQLGLOT names a Python that has sqlglot (`pip install sqlglot`).
"""

import json
import logging
import sys

import sqlglot

# What is not translated is null here, and a warning there.
logging.disable(logging.CRITICAL)

for line in sys.stdin:
    query = json.loads(line)
    try:
        statements = sqlglot.transpile(
            query["sql"],
            read=query["dialect"],
            write="duckdb",
            unsupported_level=sqlglot.ErrorLevel.RAISE,
        )
    except Exception:  # sqlglot raises errors of many kinds on texts that it does not know.
        statements = []
    print(json.dumps(statements[0] if len(statements) == 1 else None))
