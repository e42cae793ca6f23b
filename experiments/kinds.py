#!/usr/bin/env python3
"""Divides the kinds of rewrite and of neighbour in pair files into five parts by a hash of their names, and leaves one out.

    experiments/kinds.py 2 OUT CORPUS.jsonl.gz ...

writes OUT/kinds.toml (the part as `without_kinds`, to be put below a configuration), OUT/fewer.toml (the same of three parts),
OUT/met.jsonl (the validation pairs that a network trained without the part can have met the kinds of) and OUT/unmet.jsonl
(those with a kind of the part).
"""

import gzip
import json
import sys
import zlib
from pathlib import Path

PARTS = 5
MOST = 3  # parts that fewer.toml leaves out


def kinds(source: str) -> set[str]:
    """The rewrites and mutations that a source names: `rewrite:a+b>neighbour:c` has a, b and c."""
    steps = (step.partition(":") for step in source.split(">"))
    return {name for origin, _, names in steps if origin in ("rewrite", "neighbour") for name in names.split("+")}


def main() -> None:
    """Reads the files once and writes the three."""
    part, out, *files = sys.argv[1:]
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parts = [(int(part) + more) % PARTS for more in range(MOST)]
    left_out, valid = {part: set() for part in parts}, []
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                pair = json.loads(line)
                unmet = False
                for kind in kinds(pair.get("source", "")):
                    of = zlib.crc32(kind.encode()) % PARTS
                    unmet |= of == parts[0]
                    if of in left_out:
                        left_out[of].add(kind)
                if pair.get("split") == "valid":
                    valid.append((unmet, line))
    for name, some in (("kinds", parts[:1]), ("fewer", parts)):
        names = sorted(kind for part in some for kind in left_out[part])
        (out / f"{name}.toml").write_text(f"without_kinds = {json.dumps(names)}\n", encoding="utf-8")
    for name, wanted in (("met", False), ("unmet", True)):
        (out / f"{name}.jsonl").write_text("".join(line for unmet, line in valid if unmet == wanted), encoding="utf-8")
    print(f"part {part}: {len(left_out[parts[0]])} kinds are left out; of {len(valid)} validation pairs", end=" ", file=sys.stderr)
    print(f"{sum(unmet for unmet, _ in valid)} have one of them", file=sys.stderr)


if __name__ == "__main__":
    main()
