#!/usr/bin/env bash
# The built-in checkpoint, from data to figures: corpora, training, installation in checkpoints/,
# stored scores, evaluation. Needs TWINQL_DATA (docs/training.md). Finished steps are kept and
# interrupted ones go on, so it can be run again after any kill. On two quiet cores: some ten
# minutes for the corpora and twenty for the training.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

cargo build --release --locked --package twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

TWINQL_BIN=$twinql scripts/corpora.sh spider no-fk default
"$twinql" train --config configs/train-small.toml --resume
cp out/small/model.safetensors checkpoints/default.safetensors
"$twinql" selftest --checkpoint checkpoints/default.safetensors --stored checkpoints/selftest.jsonl --record
cargo build --release --locked --package twinql
"$twinql" selftest
scripts/spider.sh --checkpoint checkpoints/default.safetensors
