#!/usr/bin/env bash
# A table of what is proved, against labels and on the provers' benchmarks. Needs TWINQL_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql
dev=(--pairs "$TWINQL_DATA/pairs/spider_pair_dev.jsonl" --schemas "$TWINQL_DATA/spider/tables.json")

# prove PAIRS LABELS ARGUMENTS…: a row of the table.
prove() {
  local pairs=$1 labels=$2
  shift 2
  "$twinql" prove --no-witness --quiet --format json "$@" | python3 -c '
import json, sys
told = json.load(sys.stdin)["counts"]["labelled"]
of = lambda kind, found: "%d of %d" % (told[kind + "_" + found], told[kind]) if told[kind] else "–"
against = len(told["equal_against_label"]) + len(told["different_against_label"])
print(*sys.argv[1:], of("positive", "equal"), of("negative", "different"), against, sep="\t")' "$pairs" "$labels"
}

printf 'pairs\tlabels, semantics\tproved equal\tproved different\tagainst the label\n'
prove "Spider-pair dev, 1,644" 'adjudicated, `default`' "${dev[@]}" --semantics default \
  --labels "$TWINQL_DATA/pairs/spider_pair_dev.adjudicated.json"
prove "Spider-pair dev, 1,644" 'published, `no-fk`' "${dev[@]}" --semantics no-fk
prove "bundled, 297" '`default`' --pairs data/pairs.jsonl --schemas data/schemas --semantics default
prove "bundled, 297" '`no-fk`' --pairs data/pairs.jsonl --schemas data/schemas --semantics no-fk --labels data/labels_no_fk.json
for benchmark in "Calcite, 232:calcite" "Spark, 127:spark" "TPC-H, 22:tpch_spark" "TPC-C, 19:tpcc_spark"; do
  file=$(echo "$TWINQL_DATA/equivalence/${benchmark#*:}_sqlsolver"*.jsonl)
  prove "${benchmark%:*}" 'all the same, `declared`' --pairs "$file" --semantics declared
  prove "${benchmark%:*}, read as standard SQL" 'all the same, `declared`' --pairs "$file" --semantics declared --dialect generic
done
mini=(--pairs "$TWINQL_DATA/dialects/minidev_sqlite_postgres.jsonl" --schemas "$TWINQL_DATA/bird/dev_tables.json")
prove "BIRD Mini-Dev in SQLite and PostgreSQL, 241" 'nominally the same, `default`' "${mini[@]}"
