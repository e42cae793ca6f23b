#!/usr/bin/env python3
"""Validation pairs with the labels that databases which aim at nothing would give.

    experiments/plain_labels.py out/corpora/spider-no-fk.jsonl.gz > plain.jsonl
    twinql evaluate --pairs plain.jsonl --schemas "$TWINQL_DATA/spider/test_tables.json" \
        --semantics no-fk --metric gmn --checkpoint base

Published labels often come from such databases. A pair that differs and that none of them tells
apart (`twinql corpus grade` says so: ease 0) has label 1 here.
"""

import gzip
import json
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
        for line in lines:
            pair = json.loads(line)
            if pair.get("split") == "valid":
                pair["label"] = int(pair["label"] == 1 or pair.get("ease") == 0)
                print(json.dumps(pair))


if __name__ == "__main__":
    main()
