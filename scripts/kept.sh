#!/usr/bin/env bash
# The corpora of configs/train-kept-base.toml that scripts/questions.sh does not make: a part of Spider's pairs, habits over
# Spider's golds, and shares of plausible databases on which the regularities of canonical forms hold.
#   scripts/kept.sh
# Needs TWINQL_DATA (docs/training.md) and the corpora of scripts/questions.sh. Finished files are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
fi
export TWINQL_BIN=${TWINQL_BIN:-${CARGO_TARGET_DIR:-target}/release/twinql}

scripts/corpora.sh spider:2200 no-fk default:1/6
scripts/corpora.sh habits-spider

# shared NAME SCHEMAS [K/N]: as in scripts/questions.sh, on databases where names are unique and extremes clear.
shared() {
  local file=$out/$1-kept-bird.jsonl.gz
  [ -e "$file" ] || "$TWINQL_BIN" corpus share "$out/ungraded/$1-no-fk.jsonl.gz" --schemas "$2" \
    --semantics bird --keep unique-names,clear-extremes ${3:+--golds "$3"} --out "$file"
}

spider=$TWINQL_DATA/spider/test_tables.json bird=$TWINQL_DATA/bird/train_tables.json
shared bundled data/schemas
for name in spider-2200 peers turned-spider habits-spider; do shared "$name" "$spider"; done
shared bird "$bird" 1/2
shared habits-bird "$bird"
