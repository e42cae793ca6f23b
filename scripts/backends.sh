#!/usr/bin/env bash
# Compares distances and training on a GPU through wgpu with those by hand. Needs a Vulkan driver; a software one serves
# (Debian: apt-get install mesa-vulkan-drivers), and without any the test says that it is skipped. Building with wgpu takes
# 10 to 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release --locked -p twinql-train --lib --features wgpu -- parity --nocapture
