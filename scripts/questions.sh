#!/usr/bin/env bash
# The corpora of configs/train-questions.toml that scripts/checkpoint.sh has not made for the first stage: golds turned against
# themselves, habits, shares of plausible databases, executions on real ones.
#   scripts/questions.sh
# Needs TWINQL_DATA (docs/training.md) and the corpora of the first stage. Finished files are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
fi
export TWINQL_BIN=${TWINQL_BIN:-${CARGO_TARGET_DIR:-target}/release/twinql}

scripts/corpora.sh turned-spider no-fk bird
scripts/corpora.sh turned-bird no-fk bird
scripts/corpora.sh habits-bird # labels of the suite are not needed: no semantics

# shared NAME SCHEMAS SEMANTICS [K/N]: on how many plausible databases the two of each pair agree, of a part of the golds.
shared() {
  local file=$out/$1-plausible-$3.jsonl.gz
  [ -e "$file" ] || "$TWINQL_BIN" corpus share "$out/ungraded/$1-no-fk.jsonl.gz" --schemas "$2" \
    --semantics "$3" ${4:+--golds "$4"} --out "$file"
}

spider=$TWINQL_DATA/spider/test_tables.json bird=$TWINQL_DATA/bird/train_tables.json
shared bundled data/schemas bird
shared bundled data/schemas default
for name in spider turned-spider; do shared "$name" "$spider" bird; done
for name in bird turned-bird habits-bird; do shared "$name" "$bird" bird; done
shared spider "$spider" default 1/3
shared bird "$bird" default 1/3

scripts/executions.sh
[ -e "$out/executed-bird.jsonl.gz" ] ||
  "$TWINQL_BIN" corpus build --config configs/corpus-executed.toml --out "$out/executed-bird.jsonl.gz"
