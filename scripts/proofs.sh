#!/usr/bin/env bash
# The figures of docs/proofs.md: what is proved, against labels and on the provers' benchmarks. Needs TWINQL_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql
pairs=$TWINQL_DATA/pairs/spider_pair_dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

prove() { "$twinql" prove --no-witness --out "$work/proofs.jsonl" "$@"; }

echo "── Spider-pair dev, adjudicated labels, default" >&2
prove --pairs "$pairs.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics default --labels "$pairs.adjudicated.json"
echo "── Spider-pair dev, published labels, no-fk" >&2
prove --pairs "$pairs.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics no-fk
for preset in default no-fk; do
  echo "── bundled pairs, $preset" >&2
  labels=(); [ $preset = no-fk ] && labels=(--labels data/labels_no_fk.json)
  prove --pairs data/pairs.jsonl --schemas data/schemas --semantics $preset "${labels[@]}"
done
for benchmark in calcite_sqlsolver_232 spark_sqlsolver tpch_spark_sqlsolver tpcc_spark_sqlsolver; do
  echo "── $benchmark, declared" >&2
  prove --pairs "$TWINQL_DATA/equivalence/$benchmark.jsonl" --semantics declared
  echo "── $benchmark, declared, read as standard SQL" >&2
  prove --pairs "$TWINQL_DATA/equivalence/$benchmark.jsonl" --semantics declared --dialect generic
done
