#!/usr/bin/env bash
# Do the tests build on what the binary is built from? A dependency of tests alone that asks another feature of a crate that
# the binary uses has that crate, and all above it, built a second time: minutes. Lists such crates with their features.
set -euo pipefail
cd "$(dirname "$0")/.."

crates() {
  cargo tree --workspace --locked --prefix none --format '{p} [{f}]' -e "$1" | sed 's/ (\*)$//' | LC_ALL=C sort -u
}

other=$(LC_ALL=C comm -23 <(crates normal,build) <(crates normal,build,dev))
if [ -n "$other" ]; then
  echo "with other features in the tests than in the binary; ask for the same in Cargo.toml:"
  echo "$other"
  exit 1
fi
