#!/usr/bin/env bash
# The Python package: builds the wheel, installs it into a fresh environment, and runs every check of it. Needs
# python3 (3.10 or later) and pip's index; PYTHON names another Python.
# Usage: scripts/python.sh [pytest arguments]
#   WHEEL_PROFILE=release   build the wheel from what other builds have compiled already; it is larger, and not the one
#                           that is published
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "scripts/python.sh needs Python 3.10 or later with venv: apt-get install python3-venv, or set PYTHON"
  exit 1
fi

step() { printf -- '-- %s (%s)\n' "$1" "$(date +%T)"; }
out=target/python profile=${WHEEL_PROFILE:-wheel}
wheels=$out/wheels

step "environment"
# The same environment serves again where the list of what it holds is the same: its packages take a minute.
list=$(sed -n 's/^test = //p;s/^requires = //p' python/pyproject.toml; "$python" -V)
if [ ! -x "$out/venv/bin/python" ] || [ "$(cat "$out/list" 2>/dev/null)" != "$list" ]; then
  rm -rf "$out/venv"
  "$python" -m venv "$out/venv"
  "$out/venv/bin/python" -m pip install --quiet 'maturin>=1.14,<2'
fi
venv=$PWD/$out/venv/bin

step "program and wheel"
# Tests compare with the program of the same sources.
cargo build --release --locked --quiet --workspace --bin twinql
rm -rf "$wheels"
features=()
[ "$profile" = wheel ] || features=(--features as-workspace)
"$venv/maturin" build --profile "$profile" "${features[@]}" --locked --quiet -m python/Cargo.toml --interpreter "$venv/python" --out "$wheels"
wheel=$(echo "$wheels"/twinql-*.whl)
bytes=$(wc -c <"$wheel")
printf '%s: %d.%d MB\n' "$(basename "$wheel")" $((bytes / 1000000)) $((bytes / 100000 % 10))
[ "$profile" != wheel ] || [ "$bytes" -le 18000000 ] || { echo "the wheel is larger than 18 MB"; exit 1; }

step "install"
"$venv/python" -m pip install --quiet "$wheel[test]"
"$venv/python" -m pip install --quiet --no-deps --force-reinstall "$wheel"
echo "$list" >"$out/list"

step "types"
users=python/tests/typing_of_users.py
"$venv/mypy" --strict --no-error-summary --cache-dir "$out/mypy" -p twinql
"$venv/mypy" --strict --no-error-summary --cache-dir "$out/mypy" "$users"
"$venv/python" -m mypy.stubtest --concise --allowlist python/tests/stubtest.allowlist twinql._twinql
site=$("$venv/python" -c 'import twinql, os; print(os.path.dirname(twinql.__file__))')
"$venv/pyright" --pythonpath "$venv/python" --warnings "$site" "$users"

step "engines"
# Tests of the engines that move tables run where these install; without them they say 'skipped'. Spark needs Java as well.
engines=(duckdb daft 'ray[data]')
"$venv/python" -m pip install --quiet "${engines[@]}" || echo "skipped: not all of ${engines[*]} can be installed"

step "tests"
TWINQL_PROGRAM=${CARGO_TARGET_DIR:-$PWD/target}/release/twinql \
  "$venv/python" -m pytest --quiet -p no:cacheprovider python/tests "$@"

step "done"
