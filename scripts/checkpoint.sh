#!/usr/bin/env bash
# A shipped checkpoint, from data to figures: corpora, its teachers, training, installation in
# checkpoints/, the weights of `ex`, stored scores, evaluation.
#   scripts/checkpoint.sh small
#   scripts/checkpoint.sh base
# Needs TWINQL_DATA (docs/training.md). Finished steps are kept and interrupted ones go on, so it can
# be run again after any kill (remove out/NAME, out/questions-NAME, out/regular-NAME and out/wide-NAME-1 to train a network anew). checkpoints/README.md
# says how long it takes.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/shipped.sh
. scripts/shipped.sh

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

export TWINQL_BIN=$twinql
for corpus in spider bird; do
  scripts/corpora.sh "$corpus" no-fk default bird:1/6 spider:1/6 strict:1/6
done
scripts/corpora.sh bundled no-fk default bird spider strict
# In the second stage `base` is taught by itself of the first, and teaches `small`. The third is no training: both read forms by
# the regularities, and are calibrated for that.
train() {
  [ -e "out/$1/model.safetensors" ] || "$twinql" train --config "configs/train-$1.toml" --resume
}
for run in teacher graded base "$name"; do train "$run"; done
scripts/questions.sh
train questions-base
# `base` of the third and the fourth stage teaches in the fourth.
for run in questions-base-again regular-base; do train "$run"; done
if [ "$name" = small ]; then
  for run in questions-small regular-small; do train "$run"; done
fi
scripts/wide.sh 1 2 3 4 5 6
scripts/train-wide.sh base
scripts/train-wide.sh "$name"
cp "out/wide-$name-1/model.safetensors" "checkpoints/$name.safetensors"
scripts/calibrate.sh "$name" # the weights of ex, how gmn weighs its probe, and the stored scores
cargo build --release --locked --workspace --bin twinql
"$twinql" selftest --checkpoint "$name"
scripts/spider.sh --checkpoint "$name"
