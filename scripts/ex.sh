#!/usr/bin/env bash
# Fits `ex` and writes its weights, crates/twinql-gmn/src/execution/weights.json: first to predictions that are executed on
# Spider's training databases, then to those of bird_ex_dev. Prints how good it and `estimate` are on databases of bird_ex_dev
# that were left out, over three seeds.
#   scripts/ex.sh [FOLDER]    # out/ex
# Needs TWINQL_DATA (docs/training.md). What databases say of each pair is kept in FOLDER; without it, about a quarter of an
# hour on two processors, with it some seconds. After a change of the generators of databases or of the networks, remove FOLDER
# and run it again; then `cargo measure docs`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/executions.sh
cargo measure ex "${1:-out/ex}"
