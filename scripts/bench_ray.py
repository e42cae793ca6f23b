#!/usr/bin/env python3
"""A million pairs through Ray Data and through the program `twinql score`: throughput side by side, and memory.

The pairs are those of `--pairs` many times over, no two with the same text, in a Parquet file for Ray and as JSON lines for
the program. Both score with the same number of threads: Ray by actors of one thread each, or with `--actors 1` by one actor of
all threads. The program's scores and Ray's are compared.

Usage: python scripts/bench_ray.py [--rows N] [--batch N] [--actors N] [--pairs FILE --schemas PATH] [--program FILE]
Needs ray[data] and pyarrow.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# Ray Data reads the footers of Parquet files in a pool of actors, 32 of them unless it is told otherwise, each a process with
# imports of its own. That is meant for thousands of files in a network; for one file it is most of Ray's start.
os.environ.setdefault("RAY_DATA_PARQUET_FOOTER_NUM_ACTORS", "1")

import pyarrow
import pyarrow.parquet
import ray
import ray.data

from twinql import scale

ROOT = Path(__file__).resolve().parents[1]


def make(source: Path, rows: int, folder: Path) -> tuple[Path, Path]:
    """The pairs as JSON lines and as Parquet."""
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = [line for line in lines if line.get("db_id")]
    text, table = folder / "pairs.jsonl", folder / "pairs.parquet"
    schema = pyarrow.schema([("id", pyarrow.int64()), *((name, pyarrow.string()) for name in ("db_id", "gold", "pred"))])
    with text.open("w", encoding="utf-8") as file, pyarrow.parquet.ParquetWriter(table, schema) as parquet:
        for start in range(0, rows, 50_000):
            block = []
            for place in range(start, min(rows, start + 50_000)):
                line, copy = lines[place % len(lines)], place // len(lines)
                # A comment makes each text one that no cache has seen.
                texts = {side: f"{line[side].rstrip().rstrip(';')} -- {copy}" for side in ("gold", "pred")}
                block.append({"id": place, "db_id": line["db_id"], **texts})
            file.writelines(json.dumps(pair) + "\n" for pair in block)
            parquet.write_table(pyarrow.Table.from_pylist(block, schema))
    return text, table


class Watch(threading.Thread):
    """The largest resident memory of each of Ray's workers with a scorer, in MiB, from second to second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most: dict[str, float] = {}
        self.readings: list[float] = []
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(2):
            now = 0.0
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    if b"RayScorer" not in (status.parent / "cmdline").read_bytes():
                        continue
                    # Without what it maps of Ray's object store, which all workers share.
                    resident = next(int(line.split()[1]) / 1024 for line in status.open() if line.startswith("RssAnon"))
                except (OSError, StopIteration):
                    continue
                pid = status.parent.name
                self.most[pid] = max(self.most.get(pid, 0.0), resident)
                now = max(now, resident)
            if now:
                self.readings.append(now)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--actors", type=int, help="actors that share the threads [default: one a thread]")
    parser.add_argument("--pairs", type=Path, default=ROOT / "data/pairs.jsonl")
    parser.add_argument("--schemas", type=Path, default=ROOT / "data/schemas")
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/twinql")
    options = parser.parse_args()
    actors = options.actors or options.threads
    each = max(1, options.threads // actors)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, table = make(options.pairs, options.rows, folder)
        began = time.perf_counter()
        command = [options.program, "--quiet", "--threads", str(options.threads), "score", "--pairs", text, "--schemas", options.schemas,
                   "--out", folder / "scores.jsonl"]  # fmt: skip
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
        own = time.perf_counter() - began
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"twinql score: {options.rows / own:.0f} pairs/s, {own:.0f} s, at most {memory:.0f} MiB", flush=True)

        start = time.perf_counter()
        # One more than the scorers take, for reading and writing.
        ray.init(num_cpus=options.threads + 1, include_dashboard=False, configure_logging=False, log_to_driver=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
        watch = Watch()
        watch.start()
        ready = time.perf_counter() - start
        began = time.perf_counter()
        # Blocks are what actors take: enough of them that all have work to the end.
        blocks = options.threads * max(4, options.rows // 50_000)
        scored = ray.data.read_parquet(str(table), override_num_blocks=blocks).map_batches(
            scale.RayScorer,
            batch_format="pyarrow",
            batch_size=options.batch,
            num_cpus=each,
            compute=ray.data.ActorPoolStrategy(size=actors),
            fn_constructor_kwargs={"schemas": str(options.schemas), "threads": each},
        )
        scored.select_columns(["id", "twinql_gmn"]).write_parquet(str(folder / "scored"))
        through = time.perf_counter() - began
        watch.done.set()
        ray.shutdown()
        print(f"Ray Data: {options.rows / through:.0f} pairs/s, {through:.0f} s, with the start of its actors; {ready:.0f} s more for ray.init")
        print(f"Ray is at {own / through:.2f} of the program's throughput")
        quarter = max(1, len(watch.readings) // 4)
        print(f"memory of an actor: at most {max(watch.most.values(), default=0):.0f} MiB; the largest reading of the first quarter of the time "
              f"{max(watch.readings[:quarter], default=0):.0f}, of the last {max(watch.readings[-quarter:], default=0):.0f}")  # fmt: skip
        rows = pyarrow.parquet.read_table(str(folder / "scored")).to_pydict()
        scores = dict(zip(rows["id"], rows["twinql_gmn"]))
        with (folder / "scores.jsonl").open(encoding="utf-8") as file:
            records = (json.loads(line) for line in file)
            differ = sum(scores.get(record["id"]) != record["scores"].get("gmn") for record in records)
        print(f"{len(scores)} scores, {differ} differ from the program's")


if __name__ == "__main__":
    main()
