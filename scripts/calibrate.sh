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
export TWINQL_BIN
scripts/executions.sh
labelled=out/executed/labelled.jsonl
checkpoint=crates/twinql/checkpoints/$name
"$TWINQL_BIN" calibrate --pairs "$labelled" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird \
  --checkpoint "$checkpoint.safetensors" --out "out/executed/$name.safetensors"
cp "out/executed/$name.safetensors" "$checkpoint.safetensors"
"$TWINQL_BIN" selftest --checkpoint "$checkpoint.safetensors" --stored "$checkpoint.selftest.jsonl" --record
