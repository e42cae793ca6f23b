//! The checkpoints inside the binary.

/// A checkpoint that the program carries, with pairs and the scores that it gives them.
#[derive(Debug)]
pub struct BuiltIn {
    /// What `--checkpoint` calls it.
    pub name: &'static str,
    /// A safetensors file; empty in a program that was built from a checkout without it.
    bytes: &'static [u8],
    /// Stored scores for `twinql selftest`, JSON lines; empty where there are none.
    pub selftest: &'static str,
}

macro_rules! built_in {
    ($name:literal) => {
        BuiltIn {
            name: $name,
            bytes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".safetensors")),
            selftest: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".selftest.jsonl")),
        }
    };
}

/// All of them; the first is used where none is named. `build.rs` lists the same names.
pub static BUILT_IN: [BuiltIn; 2] = [built_in!("small"), built_in!("base")];

impl BuiltIn {
    /// The one of this name.
    pub fn find(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|b| b.name == name)
    }

    /// The bytes of the checkpoint; none where the program was built without it.
    pub fn checkpoint(&self) -> Option<&'static [u8]> {
        (!self.bytes.is_empty()).then_some(self.bytes)
    }

    /// What errors call it.
    pub fn origin(&self) -> String {
        format!("the built-in checkpoint `{}`", self.name)
    }
}
