#!/usr/bin/env bash
# What degenerate completions earn, kind by kind, with the guard of rewards and without it, against honest mistakes for the
# same golds (docs/rewards.md): over the bundled golds and, with TWINQL_DATA (docs/training.md), over golds of Spider's
# training part.
#   scripts/rewards.sh [SHAPING [STEP [GOLDS [PARTIAL]]]]     # probability, every gold, 300 golds, no partial credit
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked --workspace --bin measure
exec "${CARGO_TARGET_DIR:-target}/release/measure" hacking "$@"
