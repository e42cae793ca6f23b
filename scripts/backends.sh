#!/usr/bin/env bash
# Compares scores, training and gradients on burn's devices with those in plain Rust. Needs a Vulkan driver for wgpu; a
# software one serves (Debian: apt-get install mesa-vulkan-drivers), and without any the test
# says that it is skipped. Building with wgpu takes 10 to 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo test --release --locked -p twinql-model --lib --test parity --features flex,wgpu -- --nocapture
