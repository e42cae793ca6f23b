#!/usr/bin/env bash
# One network for two semantics against one for each (experiments/record.md): experiments/conditioning, three
# seeds, the same number of training pairs. Prints a Markdown table of mean and spread.
#   experiments/conditioning.sh
# Needs TWINQL_DATA and the corpora of `scripts/corpora.sh spider no-fk default`. Finished runs are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${TWINQL_OUT:-out/conditioning}
# shellcheck source=experiments/seeds.sh
. experiments/seeds.sh
scripts/corpora.sh spider no-fk default

# evaluate RUN SEMANTICS: on validation pairs and on Spider-pair dev with the labels of these semantics.
evaluate() {
  local run=$1 semantics=$2 labels=()
  [ "$semantics" = default ] && labels=(--labels "$TWINQL_DATA/pairs/spider_pair_dev.adjudicated.json")
  local how=(--metric gmn --semantics "$semantics" --checkpoint "$run/model.safetensors" --by form --resamples 2 --quiet)
  "$twinql" evaluate "${how[@]}" --pairs "out/corpora/spider-$semantics.jsonl.gz" --split valid \
    --schemas "$TWINQL_DATA/spider/test_tables.json" --out "$run/valid-$semantics.json"
  "$twinql" evaluate "${how[@]}" --pairs "$TWINQL_DATA/pairs/spider_pair_dev.jsonl" \
    --schemas "$TWINQL_DATA/spider/tables.json" ${labels[@]+"${labels[@]}"} --out "$run/dev-$semantics.json"
}
for seed in $seeds; do
  for name in no-fk default both; do
    run=$out/$name-$seed
    [ -e "$run/done" ] && continue
    echo "── $name, seed $seed" >&2
    "$twinql" train --config "experiments/conditioning/$name.toml" --run "$run" --seed "$seed" --quiet --resume >&2
    for semantics in no-fk default; do
      [ "$name" = both ] || [ "$name" = "$semantics" ] || continue
      evaluate "$run" "$semantics"
    done
    touch "$run/done"
  done
done

echo "| asked for | network | validation | validation, forms differ | Spider-pair dev | Spider-pair dev, forms differ |"
echo "|---|---|---|---|---|---|"
for semantics in no-fk default; do
  for name in "$semantics" both; do
    echo "| \`$semantics\` | $name | $(cell "$name" "valid-$semantics.json" 1) | $(cell "$name" "valid-$semantics.json" 2) | $(cell "$name" "dev-$semantics.json" 1) | $(cell "$name" "dev-$semantics.json" 2) |"
  done
done
