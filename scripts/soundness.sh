#!/usr/bin/env bash
# Measures the soundness of normalisation by execution (docs/soundness.md). Needs TWINQL_DATA.
#   STEP=1      take every STEP-th batch of queries and pairs
#   THREADS=0   threads; 0 takes all cores
#   OUT=out/soundness   where disagreements (JSON lines) and tables are written
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (docs/training.md names its layout)}"
step=${STEP:-1} threads=${THREADS:-0} out=${OUT:-out/soundness}
mkdir -p "$out"

cargo build --release --locked --workspace --bin measure
measure() { # name, then arguments of the example
  local name=$1
  shift
  echo "── $name"
  "${CARGO_TARGET_DIR:-target}/release/measure" soundness "$@" --threads "$threads" --out "$out/$name.jsonl" |
    tee "$out/$name.md"
}

# (a) Every query against its printed canonical form; other semantics on every fourth batch.
measure queries-default queries --semantics default --step "$step"
for semantics in no-fk declared strict; do
  measure "queries-$semantics" queries --semantics "$semantics" --step $((4 * step)) --databases 60
done
# (b) Every pair with equal canonical forms.
for semantics in default no-fk; do
  measure "pairs-$semantics" pairs --semantics "$semantics" --step "$step"
done
for semantics in default declared; do
  measure "provers-$semantics" provers --semantics "$semantics"
done
found=$(cat "$out"/*.jsonl | wc -l)
echo "── disagreements: $found"
[ "$found" -eq 0 ]
