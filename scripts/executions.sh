#!/usr/bin/env bash
# Predictions for Spider's training questions with what execution on the real databases says of them, for the question
# `plausible` and for `ex`: out/executed/labelled.jsonl, and as a corpus with its split, executed-bird.jsonl.gz in FOLDER.
#   scripts/executions.sh [FOLDER]    # out/corpora
# Needs TWINQL_DATA (docs/training.md); a minute or two. What is there is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
mkdir -p out/executed
pairs=out/executed/pairs.jsonl verdicts=out/executed/executions.jsonl labelled=out/executed/labelled.jsonl
if [ ! -e "$labelled" ]; then
  scripts/executed_pairs.py collect > "$pairs"
  "$twinql" execute --pairs "$pairs" --db "$TWINQL_DATA/spider/database_train" --semantics bird \
    --max-steps 20000000 --out "$verdicts"
  scripts/executed_pairs.py label "$pairs" "$verdicts" > "$labelled.partial"
  mv "$labelled.partial" "$labelled"
fi
corpus=${1:-out/corpora}/executed-bird.jsonl.gz
mkdir -p "${corpus%/*}"
[ -e "$corpus" ] || "$twinql" corpus build --config configs/corpus-executed.toml --out "$corpus"
