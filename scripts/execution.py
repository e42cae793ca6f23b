#!/usr/bin/env python3
"""Metrics that execute, on Spider dev's databases, against a second implementation and against test-suite-sql-eval.

    TWINQL_DATA=... scripts/execution.py [--twinql target/release/twinql]

For the 8 systems of `predictions/spider_dev/ESMp_*.txt`:

- the means of all six metrics on `spider/database` (pairs over wta_1, which has no file, are left out);
- how many values of `bird-ex` and `soft-f1` differ from BIRD's formulas over the answers of Python's sqlite3, and
  which;
- how many values of `execution` differ from `exec_verdicts` on `suites/spider_dev_20`, DISTINCT ignored;
- for the right predictions of one system, how often two measurements of time, and steps and time, put `r-ves` into
  one class, with 100 runs each on one thread (`--no-times` leaves that out).

Nothing is written beside the databases: they are opened read-only.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

METRICS = ["execution", "bird-ex", "ves", "r-ves", "soft-f1", "soft-f1:repaired"]
SECONDS = 30


def lines(path):
    return [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]


class Reference:
    """BIRD's formulas over answers of Python's sqlite3."""

    def __init__(self, root):
        self.root, self.open = root, {}

    def answer(self, db_id, sql):
        if db_id not in self.open:
            path = self.root / db_id / f"{db_id}.sqlite"
            self.open[db_id] = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        connection, began = self.open[db_id], time.monotonic()
        connection.set_progress_handler(lambda: time.monotonic() - began > SECONDS, 100_000)
        return connection.execute(sql).fetchall()

    def scores(self, db_id, gold, pred):
        try:
            pred, gold = self.answer(db_id, pred), self.answer(db_id, gold)
        except sqlite3.Error as error:
            return 0, 0.0, str(error)
        return int(set(pred) == set(gold)), soft_f1(gold, pred), None


def soft_f1(gold, pred):
    gold, pred = list(dict.fromkeys(gold)), list(dict.fromkeys(pred))
    if not gold and not pred:
        return 1.0
    found = superfluous = missed = 0.0
    for ours, theirs in zip(gold, pred):
        found += sum(cell in ours for cell in theirs) / len(ours)
        superfluous += sum(cell not in ours for cell in theirs) / len(ours)
        missed += sum(cell not in theirs for cell in ours) / len(ours)
    missed += max(0, len(gold) - len(pred))
    superfluous += max(0, len(pred) - len(gold))
    total = 2 * found + superfluous + missed
    return 2 * found / total if total else 0.0


def run(twinql, folder, pairs, db, more):
    """Records of pairs, by the program."""
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    command = [twinql, "score", "--pairs", str(path), "--db", str(db), "--quiet", *more]
    out = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    return [json.loads(line) for line in out.splitlines()]


def classes(twinql, folder, pairs, db, more):
    """The class of each pair in `r-ves`, 0 where the prediction is wrong, and the ratio of costs."""
    records = run(twinql, folder, pairs, db, ["--metric", "r-ves", "--threads", "1", *more])
    details = [record["details"].get("r-ves", {}) for record in records]
    return [(detail.get("value", 0.0), detail.get("ratio")) for detail in details]


def times(twinql, folder, pairs, db):
    """Says how far efficiency in time can be had again."""
    time_of = ["--cost", "time", "--repeats", "100"]
    first, second = (classes(twinql, folder, pairs, db, time_of) for _ in range(2))
    steps = classes(twinql, folder, pairs, db, [])
    right = [i for i, (value, _) in enumerate(steps) if value > 0]
    same = sum(first[i][0] == second[i][0] for i in right)
    both = sum(first[i][0] == steps[i][0] for i in right)
    print(f"\nr-ves: {len(right)} right; in one class: {same} in two measurements of time, {both} in steps and time")
    equal = [i for i in right if steps[i][1] == 1.0]
    lower = sum(first[i][0] < 1.0 for i in equal)
    print(f"  {len(equal)} take as many steps as the gold; {lower} of them are below 1 in time")
    for name, found in [("time", first), ("time again", second), ("steps", steps)]:
        print(f"  mean in {name}: {sum(value for value, _ in found) / len(found):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--twinql", default="target/release/twinql")
    parser.add_argument("--show", type=int, default=5, help="differences that are shown")
    parser.add_argument("--no-times", action="store_true", help="measure nothing in time")
    args = parser.parse_args()
    if "TWINQL_DATA" not in os.environ:
        sys.exit("skipped: TWINQL_DATA is not set")
    data = Path(os.environ["TWINQL_DATA"])
    gold = lines(data / "spider/dev_gold.sql")
    databases, suites = data / "spider/database", data / "suites/spider_dev_20"
    there = {path.parent.name for path in databases.glob("*/*.sqlite")}
    reference = Reference(databases)
    checked = {"bird-ex": [], "soft-f1": [], "execution": []}
    of = {"bird-ex": 0, "soft-f1": 0, "execution": 0}
    print("| system | " + " | ".join(f"`{name}`" for name in METRICS) + " |")
    print("|---|" + "---|" * len(METRICS))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for file in sorted((data / "predictions/spider_dev").glob("ESMp_*.txt")):
            system = file.stem.removeprefix("ESMp_")
            preds = [line[0] for line in lines(file)]
            assert len(preds) == len(gold), f"{file}: {len(preds)} predictions for {len(gold)} golds"
            pairs = [
                {"id": i, "db_id": db_id, "gold": sql, "pred": pred}
                for i, ((sql, db_id), pred) in enumerate(zip(gold, preds))
            ]
            real = [pair for pair in pairs if pair["db_id"] in there]
            scored = run(args.twinql, folder, real, databases, ["--metric", ",".join(METRICS)])
            sums = dict.fromkeys(METRICS, 0.0)
            for pair, record in zip(real, scored):
                for name in METRICS:
                    value = record["details"].get(name, {}).get("value", record["scores"][name])
                    sums[name] += value or 0.0
                ex, f1, error = reference.scores(pair["db_id"], pair["gold"], pair["pred"])
                for name, wanted in [("bird-ex", ex), ("soft-f1", f1)]:
                    of[name] += 1
                    if abs(record["scores"][name] - wanted) > 1e-9:
                        found = record["scores"][name]
                        checked[name].append((system, pair["id"], found, wanted, error or record["error"]))
            print(f"| {system} | " + " | ".join(f"{sums[n] / len(real):.4f}" for n in METRICS) + " |")
            scored = run(
                args.twinql, folder, pairs, suites, ["--metric", "execution", "--semantics", "spider"]
            )
            name = system.replace("RASAT_PICARD", "RASAT+PICARD")
            verdicts = [json.loads(line) for line in open(data / f"exec_verdicts/{name}.jsonl")]
            for record, verdict in zip(scored, verdicts):
                of["execution"] += 1
                if record["scores"]["execution"] != verdict["exec"]:
                    found = record["scores"]["execution"]
                    checked["execution"].append((system, record["id"], found, verdict["exec"], record["error"]))
        if not args.no_times:
            # Those of the last system.
            times(args.twinql, folder, real, databases)
    for name, differences in checked.items():
        print(f"\n{name}: {of[name] - len(differences)} of {of[name]} agree")
        for difference in differences[: args.show]:
            print("  system {}, line {}: {} here, {} there ({})".format(*difference))


if __name__ == "__main__":
    main()
