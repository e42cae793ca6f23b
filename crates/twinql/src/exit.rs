//! Exit codes of the `twinql` program. Scripts may rely on them.

/// Done.
pub const DONE: u8 = 0;
/// Done, and a check that the user asked for failed: `--strict`, `--fail-under`.
pub const CHECK_FAILED: u8 = 1;
/// Done, and a check that the user asked for decided nothing: `check-refactor`.
pub const UNDECIDED: u8 = 3;
/// Could not run: bad arguments, an unreadable file, no usable input.
pub const COULD_NOT_RUN: u8 = 2;
/// Ended by a signal: this and its number, as shells have it; 130 for Ctrl-C.
pub const SIGNAL: u8 = 128;
