"""What other programs say of the edits that `measure edits` reads: a row for each, in the same columns.

Needs `pip install sqlglot provensql` and TWINQL_DATA. Texts: both versions written out by sqlglot in one way. sqlglot: its
optimiser makes one query of both, given the columns of the schema. provensql: its verdict; it reads BigQuery's SQL, so that
sqlglot translates other dialects first, and columns and types are its catalog.
"""

import json
import logging
import multiprocessing
import os
import statistics
import sys
import time
from importlib.metadata import version

import sqlglot
from provensql.catalog import _BQ_TYPE_MAP, Catalog
from provensql.compare import compare
from sqlglot import exp
from sqlglot.optimizer import optimize

logging.disable(logging.CRITICAL)

# Seconds for an edit; what takes longer is not decided.
LIMIT = 30


def columns(edit):
    """The tables of the schema, with the types of their columns."""
    tables = {}
    for statement in sqlglot.parse(edit.get("schema") or "", read=edit["dialect"]):
        if isinstance(statement, exp.Create) and isinstance(statement.this, exp.Schema):
            defs = statement.this.find_all(exp.ColumnDef)
            types = {d.name: d.args["kind"].sql() if d.args.get("kind") else "STRING" for d in defs}
            tables[statement.this.this.name] = types
    return tables


def texts(edit):
    """Equal texts, once both are written in one way; else nothing is known."""
    one, other = (sqlglot.transpile(edit[v], read=edit["dialect"], pretty=True, comments=False) for v in ("before", "after"))
    return "same" if one == other else "nothing"


def optimiser(edit):
    """Equal queries behind sqlglot's optimiser; else nothing is known."""
    schema = columns(edit)
    both = (optimize(sqlglot.parse_one(edit[v], read=edit["dialect"]), schema=schema, dialect=edit["dialect"]) for v in ("before", "after"))
    one, other = (query.sql(comments=False) for query in both)
    return "same" if one == other else "nothing"


def provensql(edit):
    """The verdict of provensql; one that it does not reach for want of a construct counts as not read."""
    read = {name: {c: _BQ_TYPE_MAP.get(t.split("(")[0], _BQ_TYPE_MAP["STRING"]) for c, t in cols.items()}
            for name, cols in columns(edit).items()}
    one, other = (sqlglot.transpile(edit[v], read=edit["dialect"], write="bigquery")[0] for v in ("before", "after"))
    verdict = compare(one, other, catalog=Catalog(tables=read))
    if verdict.reason_code.startswith(("base_", "head_")):
        return None
    return {"EQUIVALENT": "same", "DIFFERENT": "different", "SCHEMA_CHANGE": "different"}.get(verdict.type.value, "nothing")


def answer(judge, edit, pipe):
    try:
        pipe.send(judge(edit))
    except Exception:  # each of them raises errors of many kinds on texts that it does not know
        pipe.send(None)


def within_limit(judge, edit):
    """What a program says, and in how many seconds; None where it does not read a version."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.Process(target=answer, args=(judge, edit, sender))
    start = time.perf_counter()
    worker.start()
    said = receiver.recv() if receiver.poll(LIMIT) else "nothing"
    took = time.perf_counter() - start
    worker.kill()
    worker.join()
    return said, took


def row(name, judge, edits):
    found = [(edit, *within_limit(judge, edit)) for edit in edits]
    said = [says for _, says, _ in found]
    labelled = [(edit["truth"], says) for edit, says, _ in found if edit.get("truth") in ("same", "different")]
    right = sum(truth == says for truth, says in labelled)
    wrong = sum(says in ("same", "different") and truth != says for truth, says in labelled)
    percent = lambda n: f"{100 * n / len(edits):.1f}"
    decided = said.count("same") + said.count("different")
    return [name, len(edits), percent(sum(s is not None for s in said)), percent(decided), said.count("same"),
            said.count("different"), f"{right} of {len(labelled)}", wrong,
            f"{1000 * statistics.median(took for *_, took in found):.0f}"]


def main():
    data = os.environ.get("TWINQL_DATA")
    if not data:
        print("skipped: TWINQL_DATA is not set")
        return
    with open(os.path.join(data, "edits/edits.jsonl"), encoding="utf-8") as lines:
        edits = [json.loads(line) for line in lines]
    for name, judge in [
        (f"text, formatted by sqlglot {version('sqlglot')}", texts),
        (f"sqlglot {version('sqlglot')}, optimised", optimiser),
        (f"provensql {version('provensql')}", provensql),
    ]:
        print(*row(name, judge, edits), sep="\t")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
