#!/bin/sh
# Installs the program `twinql` from its releases, after comparing its checksum:
#   curl -fsSL https://raw.githubusercontent.com/twinql/twinql/main/scripts/install.sh | sh -s -- [VERSION [FOLDER]]
# VERSION is a tag, as v0.1.0 [default: latest]; FOLDER where it goes [default: ~/.local/bin].
set -eu
version=${1:-latest} folder=${2:-$HOME/.local/bin}

case $(uname -sm) in
  "Linux x86_64") target=x86_64-unknown-linux-musl ;;
  "Linux aarch64") target=aarch64-unknown-linux-musl ;;
  "Darwin x86_64") target=x86_64-apple-darwin ;;
  "Darwin arm64") target=aarch64-apple-darwin ;;
  *) echo "there is no program for $(uname -sm): cargo install --locked twinql-cli builds it" >&2; exit 1 ;;
esac
releases=${RELEASES:-https://github.com/twinql/twinql/releases}
case $version in
  latest) from=$releases/latest/download ;;
  *) from=$releases/download/$version ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
file=twinql-$target.tar.gz
curl -fsSL -o "$work/$file" "$from/$file"
curl -fsSL -o "$work/all" "$from/SHA256SUMS"
(
  cd "$work"
  grep -F "  $file" all >sums || { echo "SHA256SUMS does not name $file"; exit 1; }
  if command -v sha256sum >/dev/null; then sha256sum -c sums; else shasum -a 256 -c sums; fi
) >&2
tar -xzf "$work/$file" -C "$work" twinql
mkdir -p "$folder"
mv "$work/twinql" "$folder/twinql"
"$folder/twinql" --version
case :$PATH: in *":$folder:"*) ;; *) echo "$folder is not on your PATH" >&2 ;; esac
