#!/usr/bin/env bash
# A shipped checkpoint, from data to figures: corpora, training, installation in checkpoints/,
# stored scores, evaluation.
#   scripts/checkpoint.sh small
#   scripts/checkpoint.sh base
# Needs TWINQL_DATA (docs/training.md). Finished steps are kept and interrupted ones go on, so it can
# be run again after any kill. checkpoints/README.md says how long it takes.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
name=${1:-small}
[ -e "configs/train-$name.toml" ] || { echo "there is no configs/train-$name.toml; give small or base" >&2; exit 2; }

cargo build --release --locked --package twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

for corpus in spider bird bundled; do
  TWINQL_BIN=$twinql scripts/corpora.sh $corpus no-fk default
done
"$twinql" train --config "configs/train-$name.toml" --resume
cp "out/$name/model.safetensors" "checkpoints/$name.safetensors"
"$twinql" selftest --checkpoint "checkpoints/$name.safetensors" --stored "checkpoints/$name.selftest.jsonl" --record
cargo build --release --locked --package twinql
"$twinql" selftest --checkpoint "$name"
scripts/spider.sh --checkpoint "$name"
