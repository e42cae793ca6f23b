#!/usr/bin/env bash
# The figures of the README on Spider: labels, training, evaluation. Needs TWINQL_DATA (docs/training.md).
# With --checkpoint FILE: no training, the evaluation alone.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --package twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

if [ "${1:-}" = "--checkpoint" ]; then
  checkpoint=${2:?--checkpoint needs a file}
else
  "$twinql" corpus build --config configs/corpus-spider.toml --out out/spider/corpus.jsonl.gz
  "$twinql" train --config configs/train-spider.toml
  checkpoint=out/spider/run/model.safetensors
fi

evaluate() {
  "$twinql" evaluate --pairs "$TWINQL_DATA/pairs/spider_pair_dev.jsonl" \
    --schemas "$TWINQL_DATA/spider/tables.json" --metric gmn,suite,relpm --checkpoint "$checkpoint" "$@"
}
echo "── published labels, no-fk"
evaluate --semantics no-fk
echo "── adjudicated labels, default (gmn keeps the semantics of its own labels)"
evaluate --semantics default --labels "$TWINQL_DATA/pairs/spider_pair_dev.adjudicated.json"
