//! The checkpoints that the program carries, as bytes: `README.md` beside them is their card.

/// A checkpoint that the program carries, with pairs and the scores that it gives them.
#[derive(Debug)]
pub struct BuiltIn {
    /// What `--checkpoint` calls it.
    pub name: &'static str,
    /// A safetensors file; empty in a program that was built without it.
    bytes: &'static [u8],
    /// Stored scores for `twinql selftest`, JSON lines; empty where there are none.
    pub selftest: &'static str,
}

#[cfg(not(without_checkpoints))]
macro_rules! built_in {
    ($name:literal) => {
        BuiltIn {
            name: $name,
            bytes: include_bytes!(concat!("../", $name, ".safetensors")),
            selftest: include_str!(concat!("../", $name, ".selftest.jsonl")),
        }
    };
}

#[cfg(without_checkpoints)]
macro_rules! built_in {
    ($name:literal) => {
        BuiltIn { name: $name, bytes: &[], selftest: "" }
    };
}

/// All of them; the first is used where none is named. `build.rs` lists their files.
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
