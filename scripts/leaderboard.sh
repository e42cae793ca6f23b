#!/usr/bin/env bash
# How metrics rank 21 submissions of 2020 to Spider's leaderboard, against test-suite accuracy: Table 4 and
# Figures 6 and 7 of Zhong, Yu and Klein (2020), and Tables 2 and 3 (docs/comparing.md). Needs TWINQL_DATA.
#   scripts/leaderboard.sh                       # out/leaderboard.html and out/leaderboard.json
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (docs/training.md names its layout)}"
out=${OUT:-out}
mkdir -p "$out"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

# The submissions predict few values or none: the gold's are tried in all places, as in the paper. One database
# has no rows anywhere, so that single denotations are over the golds of the other 19.
mask() { paste "$TWINQL_DATA/spider/dev_gold.sql" "$1" | awk -F'\t' '$2 != "wta_1" { print $3 }'; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -F'\t' '$2 != "wta_1"' "$TWINQL_DATA/spider/dev_gold.sql" > "$work/gold.sql"
mkdir "$work/pred"
for file in "$TWINQL_DATA"/predictions/spider_dev/leaderboard2020_*.txt; do
  mask "$file" > "$work/pred/$(basename "$file" .txt | sed s/leaderboard2020/submission/).txt"
done

"$twinql" compare --gold "$work/gold.sql" --schemas "$TWINQL_DATA/spider/tables.json" \
  --pred "$work"/pred/*.txt --plug-values --semantics spider --db "$TWINQL_DATA/spider/database" \
  --metric gmn,esm,esm:official,execution --reference suite \
  --report "$out/leaderboard.html" --out "$out/leaderboard.json"
