#!/usr/bin/env bash
# What networks make of kinds of pairs that they have never met (experiments/record.md): each configuration of experiments/kinds is
# trained without a fifth of the kinds of rewrite and of neighbour, with each seed without another fifth, and evaluated on the
# validation pairs that have such a kind; `fewer-kinds` is trained without three fifths, this one among them. Prints a Markdown
# table of mean and spread (population standard deviation).
#   experiments/kinds.sh                          all of them but those for a GPU, seeds 1, 2 and 3
#   experiments/kinds.sh shipped width-64         these alone; the table has whatever is finished
#   DEVICE=wgpu experiments/kinds.sh width-256-batch-128
#   SEEDS=1 TWINQL_MAX_PAIRS=2000 TWINQL_EPOCHS=1 TWINQL_OUT=out/try experiments/kinds.sh
# Needs TWINQL_DATA (docs/training.md) and Python. The corpora are made where they are missing. Finished runs are kept and
# interrupted ones go on. Epoch, calibration and threshold come from validation pairs without the kinds that are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
corpora=out/corpora # where experiments/kinds looks for them
out=${TWINQL_OUT:-out/kinds}
mkdir -p "$corpora"
# shellcheck source=experiments/seeds.sh
. experiments/seeds.sh
files=("$corpora/spider-2200-no-fk.jsonl.gz" "$corpora/habits-judged-no-fk.jsonl.gz")
[ -e "${files[0]}" ] || TWINQL_OUT=$corpora scripts/corpora.sh spider:2200 no-fk
# Habits with labels by as many databases as the others, and not by the few that suffice before shares are counted.
[ -e "${files[1]}" ] || {
  printf 'extends = "%s"\ndatabases = 100\n' "$PWD/configs/corpus-habits-spider.toml" > "$out/corpus-habits.toml"
  "$twinql" corpus build --config "$out/corpus-habits.toml" --max-gold 1500 --out "${files[1]}"
}

for_a_gpu='*-batch-128'
all=()
for file in experiments/kinds/*.toml; do
  all+=("$(basename "$file" .toml)")
done
names=()
for name in "${all[@]}"; do
  # shellcheck disable=SC2053
  [[ $name == $for_a_gpu ]] || names+=("$name")
done
[ $# -eq 0 ] || names=("$@")

for seed in $seeds; do
  part=$out/part-$seed
  [ -e "$part/unmet.jsonl" ] || experiments/kinds.py "$seed" "$part" "${files[@]}"
done

# run NAME SEED
run() {
  local name=$1 seed=$2 run=$out/$1-$2 part=$out/part-$2 set kinds=kinds
  [[ $name != fewer-kinds* ]] || kinds=fewer
  [ -e "$run/unmet.json" ] && return
  echo "── $name, seed $seed" >&2
  mkdir -p "$run"
  { echo "extends = \"$PWD/experiments/kinds/$name.toml\""; echo "[data]"; cat "$part/$kinds.toml"; } > "$run/laid-over.toml"
  trained "$name" "$run" --config "$run/laid-over.toml" --seed "$seed" ${DEVICE:+--device "$DEVICE"} --quiet
  for set in met unmet; do
    # The network alone: --probe 0.
    "$twinql" evaluate --metric gmn --probe 0 --semantics no-fk --checkpoint "$run/model.safetensors" --by form --resamples 2 \
      --quiet --pairs "$part/$set.jsonl" --schemas "$TWINQL_DATA/spider/test_tables.json" --out "$run/$set.json"
  done
}
for seed in $seeds; do
  for name in "${names[@]}"; do
    run "$name" "$seed"
  done
done

# beyond NAME FILE: mean ± spread of what the AUC where forms differ has more than that of `shipped` with the same seed, and so
# with the same kinds left out: some fifths are harder than others.
beyond() {
  local seed
  for seed in $seeds; do
    for name in "$1" shipped; do
      grep -o '"estimate": *[0-9.]*' "$out/$name-$seed/$2" 2> /dev/null | sed -n 2p | grep -o '[0-9.]*$' || true
    done | paste -s -d ' '
  done | awk 'NF == 2 { n++; d = $1 - $2; s += d; q += d * d }
    END { if (n) { m = s / n; v = q / n - m * m; printf "%+.3f ± %.3f", m, sqrt(v > 0 ? v : 0) } else printf "–" }'
}

echo "| configuration | seeds | kinds that were met: all | forms differ | kinds never met: all | forms differ | beyond \`shipped\`, forms differ: met | never met |"
echo "|---|---|---|---|---|---|---|---|"
for name in "${all[@]}"; do
  finished=$(find "$out" -path "$out/$name-[0-9]/unmet.json" | wc -l)
  [ "$finished" -gt 0 ] || continue
  echo "| \`$name\` | $((finished)) | $(cell "$name" met.json 1) | $(cell "$name" met.json 2) | $(cell "$name" unmet.json 1) | $(cell "$name" unmet.json 2) | $(beyond "$name" met.json) | $(beyond "$name" unmet.json) |"
done
