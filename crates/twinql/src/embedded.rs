//! The checkpoint inside the binary.

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/default.safetensors"));

/// What errors call it.
pub const ORIGIN: &str = "the embedded checkpoint";

/// The bytes of the default checkpoint, a safetensors file; `None` in a program that was
/// built from a checkout without one.
pub fn default_checkpoint() -> Option<&'static [u8]> {
    (!BYTES.is_empty()).then_some(BYTES)
}

/// Pairs with the scores that the default checkpoint gives them, for `twinql selftest`; empty in a
/// program that was built from a checkout without them.
pub const SELFTEST: &str = include_str!(concat!(env!("OUT_DIR"), "/selftest.jsonl"));
