#!/usr/bin/env bash
# Whether the code behaves as it did: canonical forms, scores, verdicts, a corpus, a suite and a training run, as
# hashes, against those stored in scripts/same/. What is changed on purpose is recorded there with its reason.
#   scripts/same.sh            compare with the stored hashes; exits with 1 where one is another
#   scripts/same.sh --record   store the hashes of this code
# With TWINQL_DATA (docs/training.md names its layout) all real queries are read too: some minutes more.
#   OUT=out/same    where the outputs themselves are left, to be compared with diff
#   WRITE=1         also write the canonical forms there (some 500 MB with TWINQL_DATA)
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-out/same} mode=${1:-}
rm -rf "$out"
mkdir -p "$out"
cargo build --release --locked --workspace --bin twinql --bin measure
target=${CARGO_TARGET_DIR:-target}/release
twinql=$target/twinql
found=$out/bundled.tsv

line() { # what, then the file with it
  printf '%s\t%s\n' "$1" "$(sha256sum < "$2" | cut -c1-16)"
}
# Scores and verdicts without what names the version of the code.
plain() {
  python3 - "$1" <<'END'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    row.pop("signature", None)
    print(json.dumps(row, sort_keys=True))
END
}

"$target/measure" same ${WRITE:+--write "$out/forms"} > "$found"
{
  "$twinql" --quiet score --pairs data/pairs.jsonl --schemas data/schemas --metric gmn,relpm,proof,suite,three-tier \
    --out "$out/scores.raw"
  plain "$out/scores.raw" > "$out/scores.jsonl"
  line "scores of data/pairs.jsonl" "$out/scores.jsonl"
  "$twinql" --quiet score --pairs data/pairs.jsonl --schemas data/schemas --metric gmn --checkpoint base \
    --semantics no-fk --out "$out/base.raw"
  plain "$out/base.raw" > "$out/base.jsonl"
  line "scores of base, no-fk" "$out/base.jsonl"
  "$twinql" --quiet selftest > "$out/selftest.txt" 2>&1
  line "selftest" "$out/selftest.txt"

  "$twinql" --quiet corpus build --config configs/corpus-bundled.toml --max-gold 310 --seed 8 --out "$out/corpus.jsonl"
  line "corpus of 310 golds" "$out/corpus.jsonl"
  awk 'NR % 3 == 1' data/gold.tsv > "$out/gold.tsv"
  "$twinql" --quiet suite build --gold "$out/gold.tsv" --schemas data/schemas --neighbours 40 --seed 8 --out "$out/one.suite"
  gzip -dc "$out/one.suite" > "$out/suite.txt" 2> /dev/null || cp "$out/one.suite" "$out/suite.txt"
  line "suite of 150 golds" "$out/suite.txt"
  # 2,000 pairs, equal and not, judged with witnesses.
  head -n 2000 "$out/corpus.jsonl" > "$out/pairs.jsonl"
  for semantics in default strict; do
    "$twinql" --quiet judge --plausible 0 --pairs "$out/pairs.jsonl" --schemas data/schemas --semantics "$semantics" --seed 8 \
      --workers threads --witness-dir "$out/witness-$semantics" --out "$out/verdicts.raw"
    # Each line names its witness file: as if the folder were the usual one.
    plain "$out/verdicts.raw" | sed "s#$out/#out/same/#g" > "$out/verdicts-$semantics.jsonl"
    line "verdicts, $semantics" "$out/verdicts-$semantics.jsonl"
    (cd "$out/witness-$semantics" && find . -type f | sort | xargs cat) > "$out/witnesses-$semantics.sql"
    line "witnesses, $semantics" "$out/witnesses-$semantics.sql"
    "$twinql" --quiet prove --pairs "$out/pairs.jsonl" --schemas data/schemas --semantics "$semantics" --out "$out/proofs.raw"
    plain "$out/proofs.raw" > "$out/proofs-$semantics.jsonl"
    line "proofs, $semantics" "$out/proofs-$semantics.jsonl"
  done
  for dialect in postgres mysql; do
    "$twinql" --quiet judge --plausible 0 --pairs "data/dialects/$dialect.jsonl" --schemas "data/dialects/$dialect" --dialect "$dialect" \
      --seed 8 --workers threads --out "$out/verdicts.raw"
    plain "$out/verdicts.raw" > "$out/verdicts-$dialect.jsonl"
    line "verdicts, $dialect" "$out/verdicts-$dialect.jsonl"
  done
  # The corpus's predictions for golds that are in the suite.
  python3 - "$out" <<'END'
import json, sys
out = sys.argv[1]
known = set(line.rstrip("\n") for line in open(f"{out}/gold.tsv"))
with open(f"{out}/run.gold", "w") as golds, open(f"{out}/run.pred", "w") as preds:
    for line in open(f"{out}/pairs.jsonl"):
        row = json.loads(line)
        if f"{row['gold']}\t{row['db_id']}" in known:
            golds.write(f"{row['gold']}\t{row['db_id']}\n")
            preds.write(f"{row['pred']}\n")
END
  "$twinql" --quiet suite run --suite "$out/one.suite" --gold "$out/run.gold" --pred "$out/run.pred" --out "$out/run.raw" > /dev/null
  plain "$out/run.raw" > "$out/run.jsonl"
  line "suite run" "$out/run.jsonl"
  "$twinql" --quiet explain --schemas data/schemas/town_library.sql \
    "SELECT name FROM member WHERE member_id IN (SELECT member_id FROM loan)" \
    "SELECT DISTINCT name FROM member JOIN loan ON member.member_id = loan.member_id" > "$out/explain.txt"
  line "explain" "$out/explain.txt"

  "$twinql" --quiet train --config configs/train-quick.toml --pairs "$out/corpus.jsonl" --epochs 1 --seed 8 --run "$out/run" > "$out/train.log" 2>&1
  "$twinql" --quiet score --pairs data/pairs.jsonl --schemas data/schemas --metric gmn --semantics no-fk \
    --checkpoint "$out/run/model.safetensors" --out "$out/trained.raw"
  plain "$out/trained.raw" > "$out/trained.jsonl"
  line "scores after an epoch of training" "$out/trained.jsonl"
} >> "$found"

parts=bundled
if [ -n "${TWINQL_DATA:-}" ]; then
  parts="bundled real"
  found=$out/real.tsv
  "$target/measure" same --data "$TWINQL_DATA" ${WRITE:+--write "$out/forms"} | grep -v "$(printf 'forms\tbundled')" > "$found"
  python3 - "$TWINQL_DATA" > "$out/real.jsonl" <<'END'
import json, os, sys
# Every fourth prediction of one system for Spider dev.
data = sys.argv[1]
folder = f"{data}/predictions/spider_dev"
name = sorted(f for f in os.listdir(folder) if f.endswith(".txt"))[0]
golds = open(f"{data}/spider/dev_gold.sql").read().splitlines()
preds = open(f"{folder}/{name}").read().splitlines()
for i, (gold, pred) in enumerate(zip(golds, preds)):
    if gold.strip() and i % 4 == 0:
        sql, db_id = gold.rsplit("\t", 1)
        print(json.dumps({"id": str(i), "db_id": db_id, "gold": sql, "pred": pred.split("\t")[0]}))
END
  {
    for pairs in "$out/real.jsonl spider/tables.json" "$TWINQL_DATA/pairs/spider_pair_dev.jsonl spider/tables.json" \
      "$TWINQL_DATA/pairs/bird_ex_dev.jsonl bird/dev_tables.json"; do
      read -r file schemas <<< "$pairs"
      name=$(basename "$file" .jsonl)
      "$twinql" --quiet score --pairs "$file" --schemas "$TWINQL_DATA/$schemas" --metric gmn,relpm,proof --out "$out/scores.raw"
      plain "$out/scores.raw" > "$out/scores-$name.jsonl"
      line "scores of $name" "$out/scores-$name.jsonl"
    done
    "$twinql" --quiet judge --plausible 0 --pairs "$out/real.jsonl" --schemas "$TWINQL_DATA/spider/tables.json" --seed 8 \
      --workers threads --out "$out/verdicts.raw"
    plain "$out/verdicts.raw" > "$out/verdicts-real.jsonl"
    line "verdicts on Spider dev" "$out/verdicts-real.jsonl"
  } >> "$found"
fi

bad=0
for part in $parts; do
  if [ "$mode" = "--record" ]; then
    mkdir -p scripts/same
    cp "$out/$part.tsv" "scripts/same/$part.tsv"
  elif ! diff -u "scripts/same/$part.tsv" "$out/$part.tsv"; then
    bad=1
  fi
done
[ "$bad" -eq 0 ] && echo "the same: $parts"
exit "$bad"
