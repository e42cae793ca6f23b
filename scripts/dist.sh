#!/usr/bin/env bash
# What is released for one target: the wheel into target/dist/python, the program into target/dist/program. For Linux the program is
# linked with musl, and runs on every Linux. On a machine that can run them, both score a pair.
#   scripts/dist.sh [TARGET]    a triple of rustc; this machine's where none is given
# Needs maturin, and for Linux cargo-zigbuild, which brings a compiler for old systems along (pip install maturin cargo-zigbuild ziglang).
set -euo pipefail
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
target=${1:-$host} out=target/dist
mkdir -p $out/python $out/program

build=build wheel=()
case $target in
  *-linux-gnu) build='' wheel=(--zig --compatibility manylinux2014) ;;
  *-linux-musl) build=zigbuild wheel=(--zig --compatibility musllinux_1_2) ;;
esac

maturin build --locked -m python/Cargo.toml --target "$target" ${wheel[@]+"${wheel[@]}"} --out $out/python
if [ "$target" = "$host" ]; then
  python=$(command -v python3 || command -v python)
  rm -rf target/dist-venv
  "$python" -m venv target/dist-venv
  bin=$(echo target/dist-venv/[bS]*)
  "$bin/python" -m pip install --quiet --no-index --find-links $out/python twinql
  "$bin/python" -c '
import twinql
schema = twinql.Schema.from_ddl("CREATE TABLE t (a INTEGER PRIMARY KEY)")
assert twinql.Scorer().score_one("SELECT a FROM t", "SELECT t.a FROM t", schema).decision == "same"'
fi

[ -n "$build" ] || exit 0
cargo $build --release --locked -p twinql-cli --target "$target"
program=twinql
case $target in *windows*) program=twinql.exe ;; esac
folder=${CARGO_TARGET_DIR:-target}/$target/release
if [ "$target" = "$host" ] || [ "$target" = "${host%-gnu}-musl" ]; then
  "$folder/$program" selftest
fi
tar -czf "$out/program/twinql-$target.tar.gz" -C "$folder" "$program" -C "$PWD" README.md LICENSE-MIT LICENSE-APACHE
