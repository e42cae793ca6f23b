#!/usr/bin/env bash
# The corpora of configs/train-questions.toml: pairs of Spider, BIRD and the bundled schemas under several semantics, what two
# systems answered to one question, golds turned against themselves, habits, shares of plausible databases, executions on real
# ones.
#   scripts/questions.sh
# Needs TWINQL_DATA (docs/training.md); some 85 minutes on two busy cores. Finished files are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh

scripts/corpora.sh bundled no-fk default bird spider strict
scripts/corpora.sh spider no-fk default:1/12 bird:1/12 spider:1/12 strict:1/12
scripts/corpora.sh bird no-fk default:1/12
[ -e out/peers.jsonl ] || { scripts/peers.py > out/peers.jsonl.partial && mv out/peers.jsonl.partial out/peers.jsonl; }
for corpus in peers turned-spider turned-bird; do
  scripts/corpora.sh "$corpus" no-fk
done
# Labels of the suite are not needed: no semantics.
scripts/corpora.sh habits-bird

# shared NAME SCHEMAS [K/N]: on how many plausible databases the two of each pair agree, of a part of the golds.
shared() {
  local file=$out/$1-plausible-bird.jsonl.gz
  [ -e "$file" ] || "$twinql" corpus share "$out/ungraded/$1-no-fk.jsonl.gz" --schemas "$2" \
    --semantics bird ${3:+--golds "$3"} --out "$file"
}

spider=$TWINQL_DATA/spider/test_tables.json bird=$TWINQL_DATA/bird/train_tables.json
shared bundled data/schemas
shared spider "$spider" 1/2
for name in peers turned-spider; do shared "$name" "$spider"; done
for name in bird habits-bird; do shared "$name" "$bird"; done

scripts/executions.sh "$out"
