#!/usr/bin/env bash
# The main job on bundled data: build a labelled corpus, train a small model, evaluate it on
# databases it has never seen, score one pair. With --reduced: the same at a fraction of the size.
set -euo pipefail
cd "$(dirname "$0")/.."

reduced=""
[ "${1:-}" = "--reduced" ] && reduced=1
out=${TWINQL_OUT:-out/quickstart}
mkdir -p "$out"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

echo "── 1. labelled pairs: gold queries × neighbours and rewrites, labelled by the fuzzer"
"$twinql" corpus build --config configs/corpus-bundled.toml --out "$out/corpus.jsonl.gz" ${reduced:+--max-gold 60}
"$twinql" corpus stats "$out/corpus.jsonl.gz"

echo "── 2. train a small matching network"
"$twinql" train --config configs/train-quick.toml --pairs "$out/corpus.jsonl.gz" --run "$out/run" ${reduced:+--epochs 2}

echo "── 3. how well do the metrics agree with hand-made labels on held-out databases?"
"$twinql" evaluate --pairs data/pairs.jsonl --split held_out --labels data/labels_no_fk.json \
  --schemas data/schemas --semantics no-fk --metric gmn,suite,relpm \
  --checkpoint "$out/run/model.safetensors" --plot "$out/roc.svg" --report "$out/report.html"
echo "   $out/report.html shows this with pictures"

echo "── 4. score one pair"
"$twinql" score --schemas data/schemas/town_library.sql --checkpoint "$out/run/model.safetensors" \
  --gold-sql "SELECT name FROM member WHERE member_id IN (SELECT member_id FROM loan)" \
  --pred-sql "SELECT DISTINCT name FROM member JOIN loan ON member.member_id = loan.member_id"
