#!/usr/bin/env bash
# The figures on Spider-pair dev (docs/results.md). Needs TWINQL_DATA (docs/training.md).
#   scripts/spider.sh                  with the built-in checkpoint
#   scripts/spider.sh --checkpoint base
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

evaluate() {
  "$twinql" evaluate --pairs "$TWINQL_DATA/pairs/spider_pair_dev.jsonl" \
    --schemas "$TWINQL_DATA/spider/tables.json" \
    --metric gmn,two-tier,three-tier,suite,proof,relpm "$@"
}
echo "── published labels, no-fk"
evaluate --semantics no-fk "$@"
echo "── adjudicated labels, default"
evaluate --semantics default --labels "$TWINQL_DATA/pairs/spider_pair_dev.adjudicated.json" "$@"
