#!/usr/bin/env bash
# Scores the public predictions for Spider and BIRD again, with the questions that a leaderboard leaves open: how sure is
# an order of systems, what does another metric say, which queries decide, and on what database do they differ?
#   scripts/rescore.sh                          # spider-dev, spider-test and bird-dev; an hour on two cores
#   SYSTEMS='ESMp_*' scripts/rescore.sh spider-test
#   EXTERNAL='judge=verdicts/{}.jsonl' scripts/rescore.sh     # with what an LLM judge says
# Writes OUT (out/rescore): for each benchmark a report of `twinql compare` as HTML with pictures and witnesses, what
# `twinql estimate` says, the figures as JSON, and index.html. Needs TWINQL_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${TWINQL_DATA:?set TWINQL_DATA to the folder with the data (docs/training.md names its layout)}"
out=${OUT:-out/rescore}
systems=${SYSTEMS:-*}
external=(${EXTERNAL:+--external "$EXTERNAL"})
mkdir -p "$out"

cargo build --release --locked --workspace --bin twinql
twinql=${CARGO_TARGET_DIR:-target}/release/twinql

rescore() { # NAME GOLD SCHEMAS PREDICTIONS SEMANTICS DATABASES
  local name=$1 gold=$2 schemas=$3 predictions=$4 semantics=$5 databases=$6
  # Submissions without values are another question: scripts/leaderboard.sh.
  local files
  mapfile -t files < <(find "$TWINQL_DATA/predictions/$predictions" -name "$systems.txt" ! -name 'leaderboard2020_*' | sort)
  local common=(--gold "$TWINQL_DATA/$gold" --schemas "$TWINQL_DATA/$schemas" --semantics "$semantics" --pred "${files[@]}")
  local metrics=gmn,esm+,ex executed=()
  # Execution needs the databases of all golds.
  local missing
  missing=$(cut -f2 "$TWINQL_DATA/$gold" | sort -u | while read -r db; do
    [ -z "$db" ] || [ -e "$TWINQL_DATA/$databases/$db/$db.sqlite" ] || echo "$db"
  done | head -1)
  if [ -z "$missing" ]; then
    metrics+=,execution
    executed=(--db "$TWINQL_DATA/$databases")
  else
    echo "── $name: not executed, since the database $missing is not in $TWINQL_DATA/$databases"
  fi
  echo "── $name: ${#files[@]} systems"
  "$twinql" compare "${common[@]}" "${executed[@]}" "${external[@]}" --metric "$metrics" --reference suite \
    --report "$out/$name.html" --out "$out/$name.json"
  "$twinql" estimate "${common[@]}" > "$out/$name-estimate.txt"
}

for benchmark in "${@:-spider-dev spider-test bird-dev}"; do
  for name in $benchmark; do
    case $name in
      spider-dev) rescore "$name" spider/dev_gold.sql spider/tables.json spider_dev spider spider/database ;;
      spider-test) rescore "$name" spider/test_gold.sql spider/test_tables.json spider_test spider spider/test_database ;;
      bird-dev) rescore "$name" bird/dev_gold.sql bird/dev_tables.json bird_dev bird bird/dev_databases ;;
      *) echo "there is no benchmark $name; there are spider-dev, spider-test and bird-dev" >&2; exit 2 ;;
    esac
  done
done

{
  echo '<!doctype html><meta charset="utf-8"><title>Rescored</title><h1>Rescored</h1><ul>'
  for report in "$out"/*.html "$out"/*.txt; do
    name=$(basename "$report")
    [ "$name" = index.html ] || echo "<li><a href=\"$name\">${name%.html}</a></li>"
  done
  echo '</ul>'
} > "$out/index.html"
echo "$out/index.html"
