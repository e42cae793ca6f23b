#!/usr/bin/env python3
"""Predictions for Spider's training questions, with what execution on the real databases says of them.

    scripts/executed_pairs.py collect > pairs.jsonl
    twinql execute --pairs pairs.jsonl --db "$TWINQL_DATA/spider/database_train" --semantics bird > executions.jsonl
    scripts/executed_pairs.py label pairs.jsonl executions.jsonl > executed.jsonl

`collect` gives each (database, gold, prediction) once: what T5 with PICARD, Codegen and DeepSeek answered, and
the wrong parses of Seq2Struct in SPLASH. `label` keeps the pairs of which both queries ran, over databases with
rows: where every answer is empty, execution says nothing.
"""

import json
import os
import sqlite3
import sys
from pathlib import Path


def root():
    if not os.environ.get("TWINQL_DATA"):
        sys.exit("TWINQL_DATA is not set: point it at the folder with Spider's files and predictions")
    return Path(os.environ["TWINQL_DATA"])


def golds(path):
    """SQL and db_id of each line."""
    return [line.rstrip("\n").rsplit("\t", 1) for line in path.open()]


def answers():
    """Source, db_id, gold and prediction of all answers."""
    data = root()
    for line in (data / "pairs/splash_train_seq2struct.jsonl").open():
        pair = json.loads(line)
        yield "splash", pair["db_id"], pair["gold"], pair["pred"]
    train, codegen = data / "predictions/spider_train", data / "predictions/spider_train_subset_codegen"
    aligned = [
        ("picard", data / "spider/train_spider_gold.sql", [train / "T5-PICARD_top1.txt"]),
        ("deepseek", data / "spider/train_others_gold.sql", sorted(train.glob("train_others_*.txt"))),
        ("codegen", codegen / "spider_gold.sql", [codegen / f"pred{x}.txt" for x in ("", "_codegen", "_ua", "_codegen_ua")]),
        ("codegen", codegen / "spider_gold_mt.sql", [codegen / f"pred{x}.txt" for x in ("_mt", "_codegen_mt", "_mt_v2")]),
    ]
    for source, gold, predictions in aligned:
        for path in predictions:
            # T5 answers the first lines.
            for (sql, db_id), pred in zip(golds(gold), path.open()):
                yield source, db_id, sql, pred.strip()


def collect():
    seen = set()
    for source, db_id, gold, pred in answers():
        key = (db_id, *(" ".join(sql.lower().rstrip("; ").split()) for sql in (gold, pred)))
        # The same text is the same query.
        if pred and key not in seen and key[1] != key[2]:
            seen.add(key)
            pair = {"id": f"{source}-{len(seen)}", "db_id": db_id, "gold": gold, "pred": pred, "source": source}
            print(json.dumps(pair))


def has_rows(db_id):
    path = root() / "spider/database_train" / db_id / f"{db_id}.sqlite"
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as file:
        tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        quoted = ('"' + name.replace('"', '""') + '"' for name in tables)
        return any(file.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in quoted)


def label(pairs, executions):
    rows = {}
    for pair, execution in zip(map(json.loads, open(pairs)), map(json.loads, open(executions)), strict=True):
        db_id = pair["db_id"]
        if execution["verdict"] in ("same", "different") and rows.setdefault(db_id, has_rows(db_id)):
            print(json.dumps({**pair, "label": int(execution["verdict"] == "same")}))


def main():
    match sys.argv[1:]:
        case ["collect"]:
            collect()
        case ["label", pairs, executions]:
            label(pairs, executions)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
