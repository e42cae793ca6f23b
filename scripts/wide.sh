#!/usr/bin/env bash
# A corpus of a million pairs (configs/corpus-wide.toml): each with its label under every preset that the shipped networks answer
# for, and with the share of plausible databases on which its queries agree.
#   scripts/wide.sh             all golds
#   scripts/wide.sh 200         200 golds, drawn by the seed: a try
# Needs TWINQL_DATA (docs/training.md). What is finished is kept; an interrupted build goes on after its last 256 golds, and what
# comes after it with the next file. Time is printed for each file.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
golds=${1:-}
out=${TWINQL_OUT:-out}/wide${golds:+-$golds}
unset TWINQL_OUT # the commands would read it as their own --out
mkdir -p "$out/schemas"
if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
fi
twinql=${TWINQL_BIN:-${CARGO_TARGET_DIR:-target}/release/twinql}

# made FILE COMMAND…: runs the command where the file is missing, and says how long it took.
made() {
  local file=$1 start=$SECONDS
  shift
  [ -e "$file" ] && return
  "$twinql" corpus "$@" --out "$file"
  echo "$file: $((SECONDS - start)) s" >&2
}

cp "$TWINQL_DATA/spider/test_tables.json" "$out/schemas/spider_tables.json"
cp "$TWINQL_DATA/bird/train_tables.json" "$out/schemas/bird_tables.json"
cp data/schemas/*.sql "$out/schemas/"

made "$out/no-fk.jsonl.gz" build --config configs/corpus-wide.toml ${golds:+--max-gold "$golds"}
for semantics in default bird spider strict; do
  made "$out/$semantics.jsonl.gz" relabel "$out/no-fk.jsonl.gz" --schemas "$out/schemas" --semantics "$semantics" --databases 60
done
made "$out/plausible-bird.jsonl.gz" share "$out/no-fk.jsonl.gz" --schemas "$out/schemas" --semantics bird
"$twinql" corpus stats "$out/no-fk.jsonl.gz"
