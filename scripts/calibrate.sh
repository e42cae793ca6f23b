#!/usr/bin/env bash
# Fits `ex` of a shipped checkpoint to predictions that are executed on Spider's training databases, and puts the
# weights into its file in crates/twinql/checkpoints/.
#   scripts/calibrate.sh small
#   scripts/calibrate.sh base
# Needs TWINQL_DATA (docs/training.md); a few minutes. After a change of the generator of plausible databases run it
# for both. Executions are kept in out/executed/.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
name=${1:-small}

case $name in
  small | base) ;;
  *) echo "no shipped checkpoint is called $name; give small or base" >&2; exit 2 ;;
esac

if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
  TWINQL_BIN=${CARGO_TARGET_DIR:-target}/release/twinql
fi
mkdir -p out/executed
pairs=out/executed/pairs.jsonl verdicts=out/executed/executions.jsonl labelled=out/executed/labelled.jsonl
if [ ! -e "$labelled" ]; then
  scripts/executed_pairs.py collect > "$pairs"
  "$TWINQL_BIN" execute --pairs "$pairs" --db "$TWINQL_DATA/spider/database_train" --semantics bird \
    --max-steps 20000000 --out "$verdicts"
  scripts/executed_pairs.py label "$pairs" "$verdicts" > "$labelled.partial"
  mv "$labelled.partial" "$labelled"
fi
checkpoint=crates/twinql/checkpoints/$name
"$TWINQL_BIN" calibrate --pairs "$labelled" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird \
  --checkpoint "$checkpoint.safetensors" --out "out/executed/$name.safetensors"
cp "out/executed/$name.safetensors" "$checkpoint.safetensors"
"$TWINQL_BIN" selftest --checkpoint "$checkpoint.safetensors" --stored "$checkpoint.selftest.jsonl" --record
