#!/usr/bin/env bash
# The corpora of configs/train-questions.toml that scripts/corpora.sh does not make: golds turned against themselves, habits,
# shares of plausible databases, executions on real ones.
#   scripts/questions.sh
# Needs TWINQL_DATA (docs/training.md) and the corpora of scripts/checkpoint.sh. Finished files are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
mkdir -p "$out/ungraded"
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
  TWINQL_BIN=${CARGO_TARGET_DIR:-target}/release/twinql
fi
export TWINQL_BIN
twinql=$TWINQL_BIN

schemas() {
  case $1 in
    *bundled) echo data/schemas ;;
    *spider) echo "$TWINQL_DATA/spider/test_tables.json" ;;
    *bird) echo "$TWINQL_DATA/bird/train_tables.json" ;;
  esac
}

# build NAME: pairs as configs/corpus-NAME.toml says.
build() {
  [ -e "$out/ungraded/$1-no-fk.jsonl.gz" ] ||
    "$twinql" corpus build --config "configs/corpus-$1.toml" --out "$out/ungraded/$1-no-fk.jsonl.gz"
}

# graded NAME SEMANTICS: labels and how easily pairs that differ are told apart.
graded() {
  local file=$1-$2.jsonl.gz
  [ -e "$out/ungraded/$file" ] || "$twinql" corpus relabel "$out/ungraded/$1-no-fk.jsonl.gz" --schemas "$(schemas "$1")" \
    --semantics "$2" --databases 100 --out "$out/ungraded/$file"
  [ -e "$out/$file" ] || "$twinql" corpus grade "$out/ungraded/$file" --schemas "$(schemas "$1")" --semantics "$2" --out "$out/$file"
}

# shared NAME FILE SEMANTICS [K/N]: on how many plausible databases the two of each pair agree, of a part of the golds.
shared() {
  local file=$out/$1-plausible-$3.jsonl.gz
  [ -e "$file" ] || "$twinql" corpus share "$2" --schemas "$(schemas "$1")" --semantics "$3" ${4:+--golds "$4"} --out "$file"
}

for name in turned-spider turned-bird; do
  build "$name"
  for semantics in no-fk bird; do
    graded "$name" "$semantics"
  done
done
for name in spider bird bundled turned-spider turned-bird; do
  shared "$name" "$out/$name-no-fk.jsonl.gz" bird
done
shared bundled "$out/bundled-no-fk.jsonl.gz" default
for name in spider bird; do
  shared "$name" "$out/$name-no-fk.jsonl.gz" default 1/3
done
build habits-bird
shared habits-bird "$out/ungraded/habits-bird-no-fk.jsonl.gz" bird
scripts/executions.sh
[ -e "$out/executed-bird.jsonl.gz" ] ||
  "$twinql" corpus build --config configs/corpus-executed.toml --out "$out/executed-bird.jsonl.gz"
