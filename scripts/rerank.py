#!/usr/bin/env python3
"""Pools of candidates for scripts/rerank.sh, and how often what is chosen from them is right.

  rerank.py sets  POOL DATA SETS.jsonl PAIRS.jsonl
  rerank.py table POOL DATA OUT

A pool is `t5-beams` (beams of four over training databases), `test-13` (thirteen systems of Spider test, every fourth
question), `dev-8` (the eight systems of Spider dev with verdicts of execution) or `dev-41` (all systems of Spider dev
that predict values, the leaderboard's submissions of 2020 and the example left out; every fifth question).
"""

import collections
import json
import pathlib
import random
import sys

RESAMPLES = 1000
# Of the large pools every so many questions are looked at: the suite judges each candidate.
EVERY = {"test-13": 4, "dev-41": 5}
EIGHT = ["C3", "Claude", "DAIL", "DIN", "GPT4Turbo", "Graphix", "RASAT_PICARD", "RESDSQL"]


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")


def golds(path):
    return [line.rsplit("\t", 1) for line in lines(path) if "\t" in line]


def text(sql):
    """What two candidates have in common that are the same text."""
    return " ".join(sql.split()).rstrip(" ;")


def predictions(path, count):
    found = [line.split("\t")[0].strip() for line in lines(path)][:count]
    return found + [""] * (count - len(found))


def systems(data, part):
    folder = data / f"predictions/spider_{part}"
    names = sorted(path.stem for path in folder.glob("*.txt"))
    return [n for n in names if not n.startswith("leaderboard2020") and n != "spider_official_pred_example"]


def pool(name, data):
    """The names of the candidates' sources, and sets: id, db_id, gold, candidates."""
    if name == "t5-beams":
        train = golds(data / "spider/train_spider_gold.sql")
        beams = data / "predictions/spider_train_beams/T5-PICARD_beam4.jsonl"
        sets = []
        for line in filter(str.strip, lines(beams)):
            beam = json.loads(line)
            gold, db_id = train[beam["idx"]]
            sets.append({"id": beam["idx"], "db_id": db_id.strip(), "gold": gold, "candidates": beam["beam"]})
        return [f"beam {i}" for i in range(4)], sets
    part = "test" if name == "test-13" else "dev"
    of = golds(data / f"spider/{part}_gold.sql")
    names = [f"ESMp_{system}" for system in EIGHT] if name == "dev-8" else systems(data, part)
    files = [predictions(data / f"predictions/spider_{part}/{system}.txt", len(of)) for system in names]
    sets = [
        {"id": i, "db_id": db_id.strip(), "gold": gold, "candidates": [file[i] for file in files]}
        for i, (gold, db_id) in enumerate(of)
        if i % EVERY.get(name, 1) == 0
    ]
    return names, sets


def write_sets(name, data, to_sets, to_pairs):
    _, sets = pool(name, data)
    with open(to_sets, "w", encoding="utf-8") as out, open(to_pairs, "w", encoding="utf-8") as pairs:
        for one in sets:
            shown = {key: one[key] for key in ("id", "db_id", "candidates")}
            out.write(json.dumps(shown, ensure_ascii=False) + "\n")
            distinct = {text(sql): place for place, sql in reversed(list(enumerate(one["candidates"])))}
            for place in sorted(distinct.values()):
                pair = {
                    "id": f"{one['id']}:{place}",
                    "db_id": one["db_id"],
                    "gold": one["gold"],
                    "pred": one["candidates"][place],
                }
                pairs.write(json.dumps(pair, ensure_ascii=False) + "\n")


def interval(values):
    """The mean with its bootstrap interval: resamples are the same for every row of a table, so they are paired."""
    generator = random.Random(8)
    n = len(values)
    means = sorted(sum(generator.choices(values, k=n)) / n for _ in range(RESAMPLES))
    return sum(values) / n, means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def rows_of(choices, verdicts, names, sets):
    """Each way to choose, with whether its choice is right, set by set; partial for ways that take a mean."""
    majority = []
    for one in sets:
        counts = collections.Counter(text(sql) for sql in one["candidates"])
        most = max(counts.values())
        majority.append(next(p for p, sql in enumerate(one["candidates"]) if counts[text(sql)] == most))
    right = [verdicts(i) for i in range(len(sets))]
    yield "first candidate", [float(of[0]) for of in right]
    yield "a random candidate", [sum(of) / len(of) for of in right]
    alone = [sum(of[k] for of in right) / len(right) for k in range(len(names))]
    best = max(range(len(names)), key=lambda k: alone[k])
    yield f"the best source ({names[best]})", [float(of[best]) for of in right]
    yield "majority of texts", [float(of[p]) for of, p in zip(right, majority)]
    for way, chosen in choices:
        yield way, [float(p is not None and of[p]) for of, p in zip(right, chosen)]
    yield "oracle", [float(any(of)) for of in right]


def table(title, rows):
    print(f"\n{title}\n")
    print("| way | accuracy | 95 % interval | against majority of texts |")
    print("|---|--:|---|---|")
    rows = list(rows)
    base = dict(rows)["majority of texts"]
    for way, values in rows:
        mean, low, high = interval(values)
        more, worse, better = interval([a - b for a, b in zip(values, base)])
        against = "" if way == "majority of texts" else f"{100 * more:+.1f} ({100 * worse:+.1f} to {100 * better:+.1f})"
        print(f"| {way} | {100 * mean:.1f} | {100 * low:.1f} to {100 * high:.1f} | {against} |")


def tables(name, data, out):
    names, sets = pool(name, data)
    told = {}
    for line in open(out / f"{name}.verdicts.jsonl", encoding="utf-8"):
        record = json.loads(line)
        told[record["id"]] = record.get("verdict")
    counts = collections.Counter(told.values())
    choices = []
    for path in sorted(out.glob(f"{name}.*.jsonl")):
        way = path.name[len(name) + 1 : -len(".jsonl")]
        if way not in ("pairs", "verdicts"):
            chosen = [json.loads(line)["chosen"] for line in open(path, encoding="utf-8")]
            assert len(chosen) == len(sets), path
            choices.append((way, chosen))

    def by_suite(i):
        one = sets[i]
        first = {}
        for place, sql in enumerate(one["candidates"]):
            first.setdefault(text(sql), place)
        return [told[f"{one['id']}:{first[text(sql)]}"] == "same" for sql in one["candidates"]]

    title = f"{name}: {len(sets)} sets of {len(names)}, by the suite's verdicts ({dict(counts)})"
    table(title, rows_of(choices, by_suite, names, sets))
    if name == "dev-8":
        executed = []
        for system in EIGHT:
            path = data / f"exec_verdicts/{system.replace('_', '+')}.jsonl"
            of = {record["i"]: record["exec"] for record in map(json.loads, open(path, encoding="utf-8"))}
            executed.append(of)
        title = f"{name}: the same choices, by test-suite-sql-eval's verdicts of execution"
        table(title, rows_of(choices, lambda i: [of[i] == 1 for of in executed], names, sets))


if __name__ == "__main__":
    command, name, data, *rest = sys.argv[1:]
    if command == "sets":
        write_sets(name, pathlib.Path(data), *rest)
    else:
        tables(name, pathlib.Path(data), pathlib.Path(rest[0]))
