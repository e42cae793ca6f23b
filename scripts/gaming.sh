#!/usr/bin/env bash
# Whether a query that reads no table is called the same as one that does: data/constants.sql against all
# golds of the bundled set and, with TWINQL_DATA (docs/training.md), of Spider dev. By judge, suite run and execute,
# and what these do not call different by three-tier. Exits with 1 where one is, unless that is proved.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --workspace --bin twinql
cargo build --release --locked --workspace --bin measure
target=${CARGO_TARGET_DIR:-target}/release
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

against() {
  local gold=$1 schemas=$2 semantics=$3
  "$target/measure" gaming "$gold" "$schemas" "$semantics" "$folder"
  if [ -s "$folder/left.jsonl" ]; then
    "$target/twinql" score --metric three-tier --semantics "$semantics" --pairs "$folder/left.jsonl" \
      --schemas "$schemas" --out "$folder/scores.jsonl" 2> "$folder/log"
    grep -o 'threshold:[0-9.]*' "$folder/log" | head -1 | cut -d: -f2 > "$folder/threshold"
    python3 - "$folder" <<'END'
import json, sys
folder = sys.argv[1]
threshold = float(open(f"{folder}/threshold").read())
pairs = [json.loads(line) for line in open(f"{folder}/left.jsonl")]
scores = [json.loads(line) for line in open(f"{folder}/scores.jsonl")]
same = [(p, s) for p, s in zip(pairs, scores) if (s["scores"]["three-tier"] or 0) >= threshold]
print(f"three-tier: {len(same)} of the {len(pairs)} pairs left are called the same")
for pair, _ in same[:40]:
    print(f"  {pair['db_id']}: {pair['gold']} | {pair['pred']}")
sys.exit(1 if same else 0)
END
  fi
}
for semantics in default no-fk; do
  echo "── bundled golds, $semantics"
  against data/gold.tsv data/schemas "$semantics"
  if [ -n "${TWINQL_DATA:-}" ]; then
    echo "── Spider dev, $semantics"
    against "$TWINQL_DATA/spider/dev_gold.sql" "$TWINQL_DATA/spider/tables.json" "$semantics"
  fi
done
