#!/usr/bin/env python3
"""How fast the Python package is: its import, one warm pair, and batches beside the program `twinql score`.

Both score the same pairs with the same number of threads, in turn, and medians are compared, so that what else the
machine does falls on both. The program's time includes its start and the reading of its file; so does Python's.

Usage: python scripts/bench_python.py [--pairs FILE] [--schemas PATH] [--program FILE] [--threads N] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import twinql

ROOT = Path(__file__).resolve().parents[1]


def distinct(pairs: Path, copies: int, out: Path) -> int:
    """Writes pairs several times over, each time with other literals and names, so that no two are the same text."""
    lines = [json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines() if line.strip()]
    with out.open("w", encoding="utf-8") as file:
        for copy in range(copies):
            for line in lines:
                both = {side: f"{line[side].rstrip().rstrip(';')} -- {copy}" for side in ("gold", "pred")}
                pair = {"id": f"{line.get('id')}-{copy}", "db_id": line["db_id"], **both}
                file.write(json.dumps(pair) + "\n")
    return copies * len(lines)


def timed(command: list[str], environment: dict[str, str] | None = None) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


BATCH = """
import json, sys, twinql
pairs, schemas, threads, out = sys.argv[1:]
scores = twinql.Scorer(threads=int(threads)).score(pairs, schemas)
with open(out, "w") as file:
    for score in scores:
        file.write(json.dumps(score.to_dict()) + "\\n")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=ROOT / "data/pairs.jsonl")
    parser.add_argument("--schemas", type=Path, default=ROOT / "data/schemas")
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/twinql")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--copies", type=int, default=40)
    options = parser.parse_args()

    bare = [timed([sys.executable, "-c", "pass"]) for _ in range(11)]
    loaded = [timed([sys.executable, "-c", "import twinql"]) for _ in range(11)]
    print(f"import: {1e3 * (statistics.median(loaded) - statistics.median(bare)):.1f} ms")

    scorer = twinql.Scorer(threads=options.threads)
    schemas = twinql.Schemas.load(options.schemas)
    lines = [json.loads(line) for line in options.pairs.read_text(encoding="utf-8").splitlines() if line.strip()]
    took = []
    for round_ in range(3):
        for line in lines:
            schema = schemas[line["db_id"]]
            began = time.perf_counter()
            scorer.score_one(line["gold"], line["pred"], schema)
            if round_:
                took.append(time.perf_counter() - began)
    cuts = statistics.quantiles(took, n=100)
    print(f"score_one, warm: p50 {1e3 * cuts[49]:.3f} ms, p99 {1e3 * cuts[98]:.3f} ms over {len(took)} calls")

    with tempfile.TemporaryDirectory() as folder:
        pairs, out = Path(folder) / "pairs.jsonl", str(Path(folder) / "out.jsonl")
        count = distinct(options.pairs, options.copies, pairs)
        common = [str(pairs), str(options.schemas), str(options.threads)]
        program = [str(options.program), "score", "--pairs", common[0], "--schemas", common[1]]
        program += ["--threads", common[2], "--format", "jsonl", "--out", out, "--quiet"]
        python = [sys.executable, "-c", BATCH, *common, out]
        times: dict[str, list[float]] = {"program": [], "python": []}
        inside: list[float] = []
        for _ in range(options.rounds):
            times["program"].append(timed(program))
            times["python"].append(timed(python))
            began = time.perf_counter()
            scorer.score(pairs, schemas)
            inside.append(time.perf_counter() - began)
    each = {name: count / statistics.median(values) for name, values in times.items()}
    warm = count / statistics.median(inside)
    ratios = [p / q for p, q in zip(times["program"], times["python"])]
    warm_ratios = [p / q for p, q in zip(times["program"], inside)]
    print(f"{count} pairs, {options.threads} threads, medians of {options.rounds} rounds in turn")
    print(f"  twinql score      {each['program']:9.0f} pairs/s, with its start and its file")
    print(f"  a Python process  {each['python']:9.0f} pairs/s, with the same: {statistics.median(ratios):.2f} of the program")
    print(f"  a warm scorer     {warm:9.0f} pairs/s, results as objects: {statistics.median(warm_ratios):.2f} of the program")


if __name__ == "__main__":
    main()
