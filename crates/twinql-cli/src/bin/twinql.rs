//! The `twinql` program.

use std::process::ExitCode;

/// Plans and graphs are many small boxes: a fifth of the time from text to score went into the
/// system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    twinql_cli::run()
}
