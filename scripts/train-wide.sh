#!/usr/bin/env bash
# The last stage of a shipped network's training: it goes on with parts 1 to 6 of the wide corpus (scripts/wide.sh), in out/wide, since
# all of it at once would take more memory than most machines have. The run in out/wide-NAME-1 begins with the network of
# out/regular-NAME. `base` is taught by itself as it was before, `small` by `base` of this stage.
#   scripts/train-wide.sh small
# Needs TWINQL_DATA (docs/training.md), the parts, and out/corpora/executed-bird.jsonl.gz. Finished runs are kept and interrupted ones
# go on.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/shipped.sh
. scripts/shipped.sh

# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
[ -e out/corpora/executed-bird.jsonl.gz ] || scripts/executions.sh

run=out/wide-$name-1 before=out/regular-$name portion=out/wide/portion-1
[ ! -e "$run/model.safetensors" ] || exit 0
teacher=$before
[ "$name" = base ] || teacher=out/wide-base-1
[ -e "$teacher/model.safetensors" ] || { echo "no $teacher; run scripts/train-wide.sh base" >&2; exit 2; }

# The parts' files one after the other, with one of six validation pairs: each comes with six labels, and as many suffice to choose
# and to calibrate.
mkdir -p "$portion" "$run"
for file in no-fk default bird spider strict plausible-bird; do
  [ -e "$portion/$file.jsonl.gz" ] || {
    for part in $(seq 1 6); do
      zcat "out/wide/${part}of24/$file.jsonl.gz"
    done | awk '!/"split":"valid"/ || NR % 6 == 0' | gzip -1 > "$portion/$file.partial"
    mv "$portion/$file.partial" "$portion/$file.jsonl.gz"
  }
done
{
  echo "extends = \"$PWD/configs/train-wide-$name.toml\""
  echo "[train]"
  echo "learning_rate = 5e-4"
  echo "init = \"$PWD/$before/model.safetensors\""
  echo "teachers = [\"$PWD/$teacher/model.safetensors\"]"
} > "$run/laid-over.toml"
TWINQL_PORTION=$PWD/$portion "$twinql" train --config "$run/laid-over.toml" --run "$run" --resume
