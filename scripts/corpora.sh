#!/usr/bin/env bash
# Training corpora: pairs labelled under `no-fk`, and the same pairs under other semantics; those that
# differ with how easily they are told apart.
#   scripts/corpora.sh                               all: bundled, grammar, spider and bird, under five semantics
#   scripts/corpora.sh spider no-fk strict           these alone
#   scripts/corpora.sh spider no-fk strict:1/6       under strict the first of six equal parts of the golds
#   scripts/corpora.sh spider:2000 no-fk             a smaller corpus, spider-2000, of so many golds
# Needs TWINQL_DATA (docs/training.md). Interrupted builds go on where they stopped; finished files
# are kept. TWINQL_OUT names another folder.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

out=${TWINQL_OUT:-out/corpora}
mkdir -p "$out/ungraded"
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh

schemas() {
  case $1 in
    bundled | grammar) echo data/schemas ;;
    spider | turned-spider | peers) echo "$TWINQL_DATA/spider/test_tables.json" ;;
    bird | turned-bird | habits-bird) echo "$TWINQL_DATA/bird/train_tables.json" ;;
    *)
      echo "no corpus is called $1; there are bundled, grammar, spider, bird, peers," \
        "turned-spider, turned-bird and habits-bird" >&2
      exit 2 ;;
  esac
}

# corpus NAME[:GOLDS] SEMANTICS…: builds under no-fk, labels anew under each of the others, grades all.
corpus() {
  local config=${1%%:*} golds=${1#"${1%%:*}"} asked semantics part file
  golds=${golds#:}
  local name=$config${golds:+-$golds}
  local from=$out/ungraded/$name-no-fk.jsonl.gz
  shift
  [ -e "$from" ] || "$twinql" corpus build --config "configs/corpus-$config.toml" --semantics no-fk \
    ${golds:+--max-gold "$golds"} --out "$from"
  for asked in "$@"; do
    semantics=${asked%%:*}
    part=${asked#"$semantics"}
    part=${part#:}
    # strict:1/6 is in NAME-strict-1of6.jsonl.gz.
    file=$name-$semantics${part:+-${part/\//of}}.jsonl.gz
    [ -e "$out/ungraded/$file" ] || "$twinql" corpus relabel "$from" --schemas "$(schemas "$config")" \
      --semantics "$semantics" --databases 100 ${part:+--golds "$part"} --out "$out/ungraded/$file"
    [ -e "$out/$file" ] || "$twinql" corpus grade "$out/ungraded/$file" --schemas "$(schemas "$config")" \
      --semantics "$semantics" --out "$out/$file"
  done
}

if [ $# -gt 0 ]; then
  corpus "$@"
else
  for name in bundled grammar spider bird; do
    corpus "$name" no-fk default bird spider strict
  done
fi

for file in "$out"/*.jsonl.gz; do
  echo "── $file"
  "$twinql" corpus stats "$file"
done > "$out/stats.txt"
