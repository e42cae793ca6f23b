#!/usr/bin/env bash
# How often the candidate that `twinql rerank` chooses is right, against the first candidate, the text that most
# candidates have, and the oracle (docs/reranking.md). Needs TWINQL_DATA.
#   scripts/rerank.sh                    # a beam and Spider test, to choose the way by; then Spider dev
#   scripts/rerank.sh train | dev        # one of the two
# OUT is the folder for what is made (out/rerank): sets, verdicts and choices, which a later run does not make again.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (docs/training.md names its layout)}"
out=${OUT:-out/rerank}
mkdir -p "$out"
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
schemas=$TWINQL_DATA/spider/tables.json

# Schemas of Spider test are in a file of their own.
schemas_of() { [ "$1" = test-13 ] && echo "$TWINQL_DATA/spider/test_tables.json" || echo "$schemas"; }

# Verdicts of the suite on every distinct candidate of a pool against its gold.
judge() {
  python3 scripts/rerank.py sets "$1" "$TWINQL_DATA" "$out/$1.jsonl" "$out/$1.pairs.jsonl"
  if [ ! -s "$out/$1.verdicts.jsonl" ]; then
    "$twinql" judge --pairs "$out/$1.pairs.jsonl" --schemas "$(schemas_of "$1")" --plausible 0 --format jsonl \
      --out "$out/$1.verdicts.jsonl"
  fi
}

# Choices of a pool under a way, named after its flags.
choose() {
  local pool=$1 way=$2
  shift 2
  [ -s "$out/$pool.$way.jsonl" ] ||
    "$twinql" rerank --sets "$out/$pool.jsonl" --schemas "$(schemas_of "$pool")" "$@" --out "$out/$pool.$way.jsonl"
}

# Candidates of a beam are ordered, systems are not.
weights_of() { [ "$1" = t5-beams ] && echo uniform rank:0.9 rank:0.7 rank:0.5 || echo uniform; }

part=${1:-all}
if [ "$part" != dev ]; then
  for pool in t5-beams test-13; do
    judge "$pool"
    for weights in $(weights_of "$pool"); do
      choose "$pool" "majority-$weights" --method majority --weights "$weights"
      choose "$pool" "relpm-$weights" --method mbr --metric relpm --weights "$weights"
      choose "$pool" "gmn-$weights" --method mbr --weights "$weights"
    done
    choose "$pool" "majority-no-proofs" --no-proofs
    python3 scripts/rerank.py table "$pool" "$TWINQL_DATA" "$out"
  done
fi
if [ "$part" != train ]; then
  for pool in dev-8 dev-41; do
    judge "$pool"
    choose "$pool" majority-uniform --method majority
    choose "$pool" relpm-uniform --method mbr --metric relpm
    choose "$pool" gmn-uniform --method mbr
    python3 scripts/rerank.py table "$pool" "$TWINQL_DATA" "$out"
  done
fi
