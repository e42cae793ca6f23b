#!/usr/bin/env bash
# The last stage of a shipped network's training: it goes on with the wide corpus (scripts/wide.sh), one portion after the other, since
# all of it at once would take more memory than most machines have. The first is its parts 1 to 6, in out/wide; the second has 400
# golds of each of the others, in out/wide-400. Each is a run in out/wide-NAME-K that begins with the network of the one before, the
# first with that of out/regular-NAME. `base` is taught by itself as it was before each portion, `small` by `base` of the same portion.
#   scripts/train-wide.sh small
#   scripts/train-wide.sh base 1    the first portion
# Needs TWINQL_DATA (docs/training.md), the parts of the portions, and out/corpora/executed-bird.jsonl.gz. Finished runs are kept and
# interrupted ones go on.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/shipped.sh
. scripts/shipped.sh
[ $# -gt 1 ] || set -- "$name" 1 2
shift

# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
[ -e out/corpora/executed-bird.jsonl.gz ] || scripts/executions.sh

# Of each portion the folder, its parts, and the learning rate: the second changes the network less.
of=("" out/wide out/wide-400)
parts=("" "$(seq 1 6)" "$(seq 7 24)")
rates=("" 5e-4 4e-4)

# portion K: its parts' files one after the other, with one of six validation pairs: each comes with six labels, and as many
# suffice to choose and to calibrate.
portion() {
  local folder=${of[$1]}/portion-$1 file part
  mkdir -p "$folder"
  for file in no-fk default bird spider strict plausible-bird; do
    [ -e "$folder/$file.jsonl.gz" ] || {
      for part in ${parts[$1]}; do
        zcat "${of[$1]}/${part}of24/$file.jsonl.gz"
      done | awk '!/"split":"valid"/ || NR % 6 == 0' | gzip -1 > "$folder/$file.partial"
      mv "$folder/$file.partial" "$folder/$file.jsonl.gz"
    }
  done
}

for k in "$@"; do
  [[ $k == [12] ]] || { echo "there is no portion $k; give 1 or 2" >&2; exit 2; }
  run=out/wide-$name-$k before=out/wide-$name-$((k - 1))
  [ "$k" -gt 1 ] || before=out/regular-$name
  [ -e "$run/model.safetensors" ] && continue
  teacher=$before
  [ "$name" = base ] || teacher=out/wide-base-$k
  [ -e "$teacher/model.safetensors" ] || { echo "no $teacher; run scripts/train-wide.sh base $k" >&2; exit 2; }
  portion "$k"
  mkdir -p "$run"
  {
    echo "extends = \"$PWD/configs/train-wide-$name.toml\""
    echo "[train]"
    echo "learning_rate = ${rates[$k]}"
    echo "init = \"$PWD/$before/model.safetensors\""
    echo "teachers = [\"$PWD/$teacher/model.safetensors\"]"
  } > "$run/laid-over.toml"
  TWINQL_PORTION=$PWD/${of[$k]}/portion-$k "$twinql" train --config "$run/laid-over.toml" --run "$run" --resume
done
