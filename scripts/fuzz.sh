#!/usr/bin/env bash
# Fuzzes one target: scripts/fuzz.sh TARGET SECONDS (canonical, judge, ddl or tables_json; 0 seconds
# only builds). Needs a nightly compiler and cargo-fuzz (`cargo install cargo-fuzz --locked`).
#   WORK=out/fuzz   where what it finds interesting is kept, so that a later run goes on from it
# What ends it is written to fuzz/artifacts/TARGET; the exit code is not 0 then.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?a target: canonical, judge, ddl or tables_json} seconds=${2:?seconds to run, 0 to build only}
work=${WORK:-out/fuzz}/$target dict=fuzz/sql.dict
case $target in ddl | tables_json) dict=fuzz/ddl.dict ;; esac
rustup toolchain list | grep -q nightly || { echo "a nightly compiler is missing: rustup toolchain install nightly"; exit 1; }
command -v cargo-fuzz >/dev/null || { echo "cargo-fuzz is missing: cargo install cargo-fuzz --locked"; exit 1; }

cargo +nightly fuzz build "$target"
[ "$seconds" -gt 0 ] || exit 0
mkdir -p "$work" "fuzz/artifacts/$target"
# One input may take 20 seconds and 2 GB: far more than any needs, and far less than what would
# harm a batch. Short inputs find more in an hour.
nice -n 15 cargo +nightly fuzz run "$target" "$work" "fuzz/corpus/$target" -- \
  -dict="$dict" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=2048 -print_final_stats=1
