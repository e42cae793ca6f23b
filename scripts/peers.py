#!/usr/bin/env python3
"""What two systems answer to one question of Spider's test or training sets, as pairs for `twinql corpus build`.

    scripts/peers.py > out/peers.jsonl

A gold is one way to ask; predictions differ from each other in the ways in which systems do. Of each question at most
PAIRS pairs of different texts are drawn, the same in every run. Which of the two stands in the gold's place is drawn too.
"""

import hashlib
import itertools
import json
import os
import sys
from pathlib import Path

PAIRS = 8


def lines(path):
    return [line.rstrip("\n").split("\t")[0].strip() for line in path.open()]


def sets(data):
    """Golds with db_id, and the files of predictions that are aligned with them."""
    spider, predictions = data / "spider", data / "predictions"
    codegen = predictions / "spider_train_subset_codegen"
    yield spider / "test_gold.sql", sorted((predictions / "spider_test").glob("*.txt"))
    yield spider / "train_others_gold.sql", sorted((predictions / "spider_train").glob("train_others_*.txt"))
    yield codegen / "spider_gold.sql", [codegen / f"pred{x}.txt" for x in ("", "_codegen", "_ua", "_codegen_ua")]
    yield codegen / "spider_gold_mt.sql", [codegen / f"pred{x}.txt" for x in ("_mt", "_codegen_mt", "_mt_v2")]


def key(*texts):
    return hashlib.sha256("\n".join(texts).encode()).digest()


def plain(sql):
    return " ".join(sql.lower().rstrip("; ").split())


def main():
    if not os.environ.get("TWINQL_DATA"):
        sys.exit("TWINQL_DATA is not set: point it at the folder with Spider's files and predictions")
    seen = set()
    for golds, files in sets(Path(os.environ["TWINQL_DATA"])):
        golds = [line.rstrip("\n").rsplit("\t", 1) for line in golds.open()]
        answers = [lines(path) for path in files]
        for number, (gold, db_id) in enumerate(golds):
            texts = {}
            for answer in answers:
                if number < len(answer) and "select" in answer[number].lower():
                    texts.setdefault(plain(answer[number]), answer[number])
            texts.pop(plain(gold), None)
            pairs = sorted(itertools.combinations(sorted(texts), 2), key=lambda pair: key(db_id, *pair))
            for left, right in pairs[:PAIRS]:
                if (db_id, left, right) in seen:
                    continue
                seen.add((db_id, left, right))
                if key(left, right)[0] % 2:
                    left, right = right, left
                pair = {"id": f"peers-{len(seen)}", "db_id": db_id, "gold": texts[left], "pred": texts[right], "source": "peers"}
                print(json.dumps(pair))


if __name__ == "__main__":
    main()
