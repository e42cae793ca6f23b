#!/usr/bin/env bash
# A third stage for `base` that was tried and not shipped (experiments/record.md#regularities): shares of plausible databases on
# which names are unique and extremes clear. Makes the corpora of experiments/kept.toml and trains it.
#   experiments/kept.sh
# Needs TWINQL_DATA (docs/training.md) and out/questions-base-again of scripts/checkpoint.sh. Finished files are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
unset TWINQL_OUT # experiments/kept.toml names its corpora
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh

scripts/questions.sh
# A part of Spider's pairs, and habits over Spider's golds.
scripts/corpora.sh spider:2200 no-fk default:1/6
scripts/corpora.sh habits-spider

# shared NAME SCHEMAS [K/N]: on how many such databases the two of each pair agree, of a part of the golds.
shared() {
  local file=out/corpora/$1-kept-bird.jsonl.gz
  [ -e "$file" ] || "$twinql" corpus share "out/corpora/ungraded/$1-no-fk.jsonl.gz" --schemas "$2" --semantics bird \
    --keep unique-names,clear-extremes ${3:+--golds "$3"} --out "$file"
}
shared bundled data/schemas
for name in spider-2200 peers turned-spider habits-spider; do shared "$name" "$TWINQL_DATA/spider/test_tables.json"; done
shared bird "$TWINQL_DATA/bird/train_tables.json" 1/2
shared habits-bird "$TWINQL_DATA/bird/train_tables.json"

"$twinql" train --config experiments/kept.toml --resume
