#!/usr/bin/env bash
# A corpus of a million pairs (configs/corpus-wide.toml): each with its label under every preset that the shipped networks answer
# for, and with the share of plausible databases on which its queries agree. It comes in 24 parts by databases, each in a folder of
# its own that can be trained on when it is finished.
#   scripts/wide.sh                 all parts
#   scripts/wide.sh 1 2 3           these alone
#   GOLDS=20 scripts/wide.sh 1 2    20 golds of each, drawn by the seed: a try
#   SPLIT=valid PARTS=4 GOLDS=400 scripts/wide.sh
#                                   400 golds of each of 4 parts of the validation databases alone: what scripts/calibrate.sh reads
# Needs TWINQL_DATA (docs/training.md). As many parts are built side by side as there are processors, each on one thread: SQLite's
# allocator has one lock a process, for which threads wait. What is finished is kept; an interrupted build goes on after its last
# 256 golds, and what comes after it with the next file. Time is printed for each file.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
parts=${PARTS:-24}
out=${TWINQL_OUT:-out/wide${SPLIT:+-$SPLIT}${GOLDS:+-$GOLDS}}
unset TWINQL_OUT # the commands would read it as their own --out
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh

mkdir -p "$out/schemas"
cp "$TWINQL_DATA/spider/test_tables.json" "$out/schemas/spider_tables.json"
cp "$TWINQL_DATA/bird/train_tables.json" "$out/schemas/bird_tables.json"
cp data/schemas/*.sql "$out/schemas/"

# made FILE COMMAND…: runs the command where the file is missing, and says how long it took.
made() {
  local file=$1 start=$SECONDS
  shift
  [ -e "$file" ] && return
  "$TWINQL_BIN" corpus "$@" --threads 1 --quiet --out "$file"
  echo "$file: $((SECONDS - start)) s" >&2
}

# part K
part() {
  local folder=$out/$1of$parts semantics
  mkdir -p "$folder"
  made "$folder/no-fk.jsonl.gz" build --config configs/corpus-wide.toml --part "$1/$parts" \
    ${SPLIT:+--only "$SPLIT"} ${GOLDS:+--max-gold "$GOLDS"}
  for semantics in default bird spider strict; do
    made "$folder/$semantics.jsonl.gz" relabel "$folder/no-fk.jsonl.gz" --schemas "$out/schemas" --semantics "$semantics" \
      --databases 40
  done
  made "$folder/plausible-bird.jsonl.gz" share "$folder/no-fk.jsonl.gz" --schemas "$out/schemas" --semantics bird
}
export -f made part
export out parts

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else seq "$parts"; fi |
  xargs -P "$(nproc)" -I {} bash -euo pipefail -c 'part {}'
# All parts that are finished as one file, which `twinql train` reads as well: members of a gzip file follow one another.
for name in no-fk default bird spider strict plausible-bird; do
  cat "$out"/*of"$parts/$name.jsonl.gz" > "$out/$name.jsonl.gz"
done
"$twinql" corpus stats "$out/no-fk.jsonl.gz"
