//! Embeds `checkpoints/default.safetensors` where it exists; an empty file stands for none,
//! so that a checkout without trained weights still builds (and can train them).

use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../checkpoints/default.safetensors");
    let target = Path::new(&env::var("OUT_DIR")?).join("default.safetensors");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", source.display());
    if source.is_file() {
        fs::copy(&source, &target)?;
    } else {
        fs::write(&target, [])?;
    }
    Ok(())
}
