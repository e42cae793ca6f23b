# Sourced by scripts that train with several seeds, from the repository root: the data's folder, $seeds, $twinql,
# and what their tables are made of. Runs are the folders $out/NAME-SEED; the caller sets $out.
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"

unset TWINQL_OUT # the commands would read it as their own --out
seeds=${SEEDS:-1 2 3}
mkdir -p "$out"
# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh

# trained NAME RUN ARGUMENT…: a run in the folder RUN; it begins with pretraining where NAME ends in `pretrained`.
trained() {
  local name=$1 run=$2 init=()
  shift 2
  if [[ $name == *pretrained ]]; then
    init=(--init "$run/pretrained.safetensors")
    [ -e "$run/pretrained.safetensors" ] || "$twinql" pretrain --run "$run" "$@" --resume >&2
  fi
  "$twinql" train --run "$run" "$@" ${init[@]+"${init[@]}"} --resume >&2
}

# cell NAME FILE N: mean ± spread (population standard deviation) over the finished seeds of the Nth
# AUC in the run's FILE of `evaluate --by form`: of all pairs (1), or of those whose canonical forms differ (2).
cell() {
  for file in "$out/$1"-[0-9]*/"$2"; do
    [ -e "$file" ] && grep -o '"estimate": *[0-9.]*' "$file" | sed -n "$3p" | grep -o '[0-9.]*$'
  done | awk '{ n++; s += $1; q += $1 * $1 }
    END { if (n) { m = s / n; v = q / n - m * m; printf "%.4f ± %.4f", m, sqrt(v > 0 ? v : 0) } else printf "–" }'
}
