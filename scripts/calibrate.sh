#!/usr/bin/env bash
# Fits what a shipped checkpoint makes of small databases, and puts the weights into its file in checkpoints/: how `gmn` is
# corrected by a probe, for the question `plausible` to predictions that are executed on Spider's validation databases, for
# `every` to pairs of the wide corpus over its validation databases, with the labels of each semantics that the networks answer
# for. `scripts/ex.sh` comes after it: `ex` weighs what `gmn` says.
#   scripts/calibrate.sh small
#   scripts/calibrate.sh base
# Needs TWINQL_DATA (docs/training.md). What it fits to is made where it is missing, a quarter of an hour on two processors, and
# kept in out/executed/, out/corpora/ and out/wide-valid-400/; then some minutes. After a change of the generators of databases,
# remove these and run it for both.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/shipped.sh
. scripts/shipped.sh

# shellcheck source=scripts/twinql.sh
. scripts/twinql.sh
scripts/executions.sh
out=out/executed
wide=out/wide-valid-400
SPLIT=valid PARTS=4 GOLDS=400 scripts/wide.sh
semantics=(no-fk default bird spider strict)
zcat out/corpora/executed-bird.jsonl.gz | grep '"split":"valid"' > "$out/plausible.jsonl"

checkpoint=checkpoints/$name
# Weights of one fit after the other come into the same file.
next=$checkpoint.safetensors
fit() {
  "$twinql" calibrate "$@" --checkpoint "$next" --out "$out/$name.next.safetensors"
  mv "$out/$name.next.safetensors" "$out/$name.safetensors"
  next=$out/$name.safetensors
}
fit --metric gmn --question plausible --pairs "$out/plausible.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird
for each in "${semantics[@]}"; do
  fit --metric gmn --question every --pairs "$wide/$each.jsonl.gz" --schemas "$wide/schemas" --semantics "$each"
done
cp "$out/$name.safetensors" "$checkpoint.safetensors"
"$twinql" selftest --checkpoint "$checkpoint.safetensors" --stored "$checkpoint.selftest.jsonl" --record
