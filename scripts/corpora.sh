#!/usr/bin/env bash
# All training corpora: pairs labelled under `no-fk`, and the same pairs under other semantics.
# Needs TWINQL_DATA (docs/training.md). Interrupted builds go on where they stopped; finished files
# are kept. TWINQL_OUT names another folder.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
mkdir -p "$out"
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --package twinql
fi
twinql=${TWINQL_BIN:-${CARGO_TARGET_DIR:-target}/release/twinql}

# corpus NAME SCHEMAS SEMANTICS…: builds under no-fk, labels anew under each of the others.
corpus() {
  local name=$1 schemas=$2 file
  shift 2
  file=$out/$name-no-fk.jsonl.gz
  [ -e "$file" ] || "$twinql" corpus build --config "configs/corpus-$name.toml" --semantics no-fk --out "$file"
  for semantics in "$@"; do
    [ -e "$out/$name-$semantics.jsonl.gz" ] || "$twinql" corpus relabel "$file" --schemas "$schemas" \
      --semantics "$semantics" --out "$out/$name-$semantics.jsonl.gz"
  done
}

corpus bundled data/schemas default bird spider strict
corpus spider "$TWINQL_DATA/spider/test_tables.json" default bird spider strict
corpus bird "$TWINQL_DATA/bird/train_tables.json" default bird spider strict

for file in "$out"/*.jsonl.gz; do
  echo "── $file"
  "$twinql" corpus stats "$file"
done > "$out/stats.txt"
