#!/usr/bin/env bash
# Fits what a shipped checkpoint makes of executions and of small databases, and puts the weights into its file in
# crates/twinql/checkpoints/: `ex`, to predictions that are executed on Spider's training databases, and how `gmn` is
# corrected by a probe: for the question `plausible` to those of them on validation databases, for `every` to the
# validation pairs of three corpora, with the labels of each semantics that the networks answer for.
#   scripts/calibrate.sh small
#   scripts/calibrate.sh base
# Needs TWINQL_DATA (docs/training.md) and the corpora of scripts/questions.sh kept; a few minutes, the first time ten more. After a change
# of the generators of databases run it for both. Executions and labels are kept in out/executed/.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (see docs/training.md)}"
name=${1:-small}

case $name in
  small | base) ;;
  *) echo "no shipped checkpoint is called $name; give small or base" >&2; exit 2 ;;
esac

if [ -z "${TWINQL_BIN:-}" ]; then
  cargo build --release --locked --workspace --bin twinql
  TWINQL_BIN=${CARGO_TARGET_DIR:-target}/release/twinql
fi
export TWINQL_BIN
scripts/executions.sh
out=out/executed
corpora=${TWINQL_OUT:-out/corpora}
for corpus in executed-bird spider-2200-no-fk bird-no-fk turned-spider-no-fk; do
  [ -e "$corpora/$corpus.jsonl.gz" ] || { echo "no $corpora/$corpus.jsonl.gz; run scripts/questions.sh kept" >&2; exit 2; }
done
# One folder of schemas for pairs of both data sets.
mkdir -p "$out/schemas"
cp "$TWINQL_DATA/spider/test_tables.json" "$out/schemas/spider_tables.json"
cp "$TWINQL_DATA/bird/train_tables.json" "$out/schemas/bird_tables.json"
valid() { zcat "${@/#/$corpora/}" | grep '"split":"valid"'; }
valid executed-bird.jsonl.gz > "$out/plausible.jsonl"
valid spider-2200-no-fk.jsonl.gz bird-no-fk.jsonl.gz turned-spider-no-fk.jsonl.gz > "$out/every-no-fk.next.jsonl"
# Labels of other semantics are made anew where the pairs have changed.
if ! cmp -s "$out/every-no-fk.next.jsonl" "$out/every-no-fk.jsonl"; then
  rm -f "$out"/every-{default,bird,spider,strict}.jsonl
  mv "$out/every-no-fk.next.jsonl" "$out/every-no-fk.jsonl"
fi
rm -f "$out/every-no-fk.next.jsonl"
for semantics in default bird spider strict; do
  [ -e "$out/every-$semantics.jsonl" ] || "$TWINQL_BIN" corpus relabel "$out/every-no-fk.jsonl" --schemas "$out/schemas" \
    --semantics "$semantics" --databases 100 --out "$out/every-$semantics.jsonl"
done

checkpoint=crates/twinql/checkpoints/$name
# Weights of one fit after the other come into the same file.
next=$checkpoint.safetensors
fit() {
  "$TWINQL_BIN" calibrate "$@" --checkpoint "$next" --out "$out/$name.next.safetensors"
  mv "$out/$name.next.safetensors" "$out/$name.safetensors"
  next=$out/$name.safetensors
}
fit --metric ex --pairs "$out/labelled.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird
fit --metric gmn --question plausible --pairs "$out/plausible.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --semantics bird
for semantics in no-fk default bird spider strict; do
  fit --metric gmn --question every --pairs "$out/every-$semantics.jsonl" --schemas "$out/schemas" --semantics "$semantics"
done
cp "$out/$name.safetensors" "$checkpoint.safetensors"
"$TWINQL_BIN" selftest --checkpoint "$checkpoint.safetensors" --stored "$checkpoint.selftest.jsonl" --record
