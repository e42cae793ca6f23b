#!/usr/bin/env bash
# The ablations of experiments/record.md: each configuration of experiments/ablations, with several seeds, on one
# sample of one corpus. Prints a Markdown table of mean and spread (population standard deviation).
#   experiments/ablations.sh                      all of them, seeds 1, 2 and 3
#   experiments/ablations.sh 0-ast 1-rot          these alone; the table has whatever is finished
#   SEEDS="1 2" TWINQL_MAX_PAIRS=2000 TWINQL_EPOCHS=1 TWINQL_OUT=out/try experiments/ablations.sh
# Needs TWINQL_DATA (docs/training.md). TWINQL_CORPUS names a corpus other than that of `scripts/corpora.sh
# spider no-fk`, which is made where it is missing. Finished runs are kept and interrupted ones go on.
# Spider-pair dev chooses nothing: epoch, calibration and threshold come from the validation databases.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${TWINQL_OUT:-out/ablations}
corpus=${TWINQL_CORPUS:-out/corpora/spider-no-fk.jsonl.gz}
# shellcheck source=experiments/seeds.sh
. experiments/seeds.sh
[ -e "$corpus" ] || scripts/corpora.sh spider no-fk

all=()
for file in experiments/ablations/[0-9]*.toml; do
  all+=("$(basename "$file" .toml)")
done
names=("${all[@]}")
[ $# -eq 0 ] || names=("$@")

# run NAME SEED
run() {
  local name=$1 seed=$2 run=$out/$1-$2
  [ -e "$run/dev.json" ] && return
  echo "── $name, seed $seed" >&2
  trained "$name" "$run" --config "experiments/ablations/$name.toml" --pairs "$corpus" --seed "$seed" --quiet
  evaluate() {
    "$twinql" evaluate --metric gmn --semantics no-fk --checkpoint "$run/model.safetensors" --by form \
      --resamples 2 --quiet "$@"
  }
  evaluate --pairs "$corpus" --split valid --schemas "$TWINQL_DATA/spider/test_tables.json" --out "$run/valid.json"
  evaluate --pairs "$TWINQL_DATA/pairs/spider_pair_dev.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" \
    --out "$run/dev.json"
}
for seed in $seeds; do
  for name in "${names[@]}"; do
    run "$name" "$seed"
  done
done

echo "| configuration | seeds | validation | validation, forms differ | Spider-pair dev | Spider-pair dev, forms differ |"
echo "|---|---|---|---|---|---|"
for name in "${all[@]}"; do
  finished=$(find "$out" -path "$out/$name-[0-9]*/dev.json" | wc -l)
  [ "$finished" -gt 0 ] || continue
  echo "| $name | $((finished)) | $(cell "$name" valid.json 1) | $(cell "$name" valid.json 2) | $(cell "$name" dev.json 1) | $(cell "$name" dev.json 2) |"
done
