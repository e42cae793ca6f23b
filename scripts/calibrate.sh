#!/usr/bin/env bash
# Fits what a shipped checkpoint makes of executions and of small databases, and puts the weights into its file in
# crates/twinql/checkpoints/: `ex`, to predictions that are executed on Spider's training databases, and how `gmn` is
# corrected by a probe: for the question `plausible` to those of them on validation databases, for `every` to the
# validation pairs of the wide corpus, with the labels of each semantics that the networks answer for.
#   scripts/calibrate.sh small
#   scripts/calibrate.sh base
# Needs TWINQL_DATA (docs/training.md), the parts of scripts/wide.sh and what scripts/train-wide.sh makes beside them; a few minutes. After a change of the generators of
# databases run it for both. Executions and labels are kept in out/executed/.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/shipped.sh
. scripts/shipped.sh

# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
scripts/executions.sh
out=out/executed
executed=out/corpora/executed-bird.jsonl.gz wide=out/wide
[ -e "$executed" ] || { echo "no $executed; run scripts/train-wide.sh $name" >&2; exit 2; }
[ -e "$wide/1of24/no-fk.jsonl.gz" ] || { echo "no $wide/1of24; run scripts/wide.sh" >&2; exit 2; }
valid() { zcat "$@" | grep '"split":"valid"'; }
# Of the wide corpus, every second one of the parts that are there.
semantics=(no-fk default bird spider strict)
valid "$executed" > "$out/plausible.jsonl"
for each in "${semantics[@]}"; do
  valid "$wide"/*of24/"$each.jsonl.gz" | awk 'NR % 2 == 0' > "$out/every-$each.jsonl"
done

checkpoint=crates/twinql/checkpoints/$name
# Weights of one fit after the other come into the same file.
next=$checkpoint.safetensors
fit() {
  "$twinql" calibrate "$@" --checkpoint "$next" --out "$out/$name.next.safetensors"
  mv "$out/$name.next.safetensors" "$out/$name.safetensors"
  next=$out/$name.safetensors
}
fit --metric ex --pairs "$out/labelled.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird
fit --metric gmn --question plausible --pairs "$out/plausible.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird
for each in "${semantics[@]}"; do
  fit --metric gmn --question every --pairs "$out/every-$each.jsonl" --schemas "$wide/schemas" --semantics "$each"
done
cp "$out/$name.safetensors" "$checkpoint.safetensors"
"$twinql" selftest --checkpoint "$checkpoint.safetensors" --stored "$checkpoint.selftest.jsonl" --record
