#!/usr/bin/env bash
# Prints how fast twinql scores and trains, and, where `python3 -c 'import torch'` works, how fast
# the same network is in PyTorch on the same pairs.
#   scripts/speed.sh [PAIRS SCHEMAS [CORPUS CORPUS_SCHEMAS]]
# PAIRS are scored, CORPUS (labelled pairs with splits) is trained on. Without arguments: the bundled
# pairs, and the corpus of scripts/quickstart.sh. TWINQL_THREADS chooses the threads (2), TWINQL_DEVICES what trains
# (cpu,flex).
set -euo pipefail
cd "$(dirname "$0")/.."

pairs=${1:-data/pairs.jsonl}
schemas=${2:-data/schemas}
corpus=${3:-out/quickstart/corpus.jsonl.gz}
corpus_schemas=${4:-data/schemas}
threads=${TWINQL_THREADS:-2}
out=${TWINQL_OUT:-out/speed}
mkdir -p "$out"

cargo build --release --locked --workspace --bin twinql --bin measure
bin=${CARGO_TARGET_DIR:-target}/release
export TWINQL_THREADS=$threads

now() { date +%s%N; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

if [ ! -f "$corpus" ]; then
  "$bin/twinql" corpus build --config configs/corpus-bundled.toml --out "$corpus"
fi

case $pairs in *.gz) n=$(zcat "$pairs" | wc -l) ;; *) n=$(wc -l < "$pairs") ;; esac
echo "── scoring from SQL text, $threads threads, $n pairs of $pairs: median of 5 runs"
for i in 1 2 3 4 5; do
  a=$(now)
  "$bin/twinql" score --quiet --pairs "$pairs" --schemas "$schemas" --metric gmn --out "$out/scores.jsonl"
  b=$(now)
  echo $(((b - a) / 1000))
done | median > "$out/micros"
awk -v n="$n" '{ printf "twinql score, whole process: %.0f pairs/s (%.2f s)\n", n / ($1 / 1e6), $1 / 1e6 }' "$out/micros"

echo "── the same, process warm"
"$bin/measure" throughput score "$pairs" "$schemas"

echo "── training, $threads threads"
"$bin/measure" throughput train "$corpus" "$corpus_schemas" "$out"

echo "── the same by device, width of the network and size of a batch"
"$bin/measure" throughput devices "$corpus" "$corpus_schemas" "${TWINQL_DEVICES:-cpu,flex}" 32,64,128 32,256

if python3 -c 'import torch' 2> /dev/null; then
  echo "── the same network and batches in PyTorch"
  python3 scripts/speed_torch.py "$out"
else
  echo "PyTorch is not installed: no comparison"
fi
