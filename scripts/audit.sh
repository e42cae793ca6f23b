#!/usr/bin/env bash
# Audits the golds of benchmarks and the bundled ones (docs/audit.md). Those of benchmarks need TWINQL_DATA.
#   OUT=out/audit    where findings (JSON documents) are written
#   EVALUATION=1     the evaluation sets too: Spider dev and BIRD dev, on which no check may be chosen
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-out/audit}
mkdir -p "$out"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql
measure() { # name, gold file, schemas
  echo "── $1"
  "$twinql" audit --gold "$2" --schemas "$3" --severity note --format json --out "$out/$1.json"
}

measure bundled data/gold.tsv data/schemas
if [ -z "${TWINQL_DATA:-}" ]; then
  echo "skipped: TWINQL_DATA is not set"
  exit
fi
spider=$TWINQL_DATA/spider bird=$TWINQL_DATA/bird
measure spider-train "$spider/train_gold.sql" "$spider/tables.json"
measure spider-test "$spider/test_gold.sql" "$spider/test_tables.json"
measure bird-train "$bird/train_gold.sql" "$bird/train_tables.json"
if [ "${EVALUATION:-}" = 1 ]; then
  measure spider-dev "$spider/dev.jsonl" "$spider/tables.json"
  measure bird-dev "$bird/dev.json" "$bird/dev_tables.json"
fi
