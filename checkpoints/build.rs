//! Looks for the files that `src/lib.rs` includes, or leaves them out.

use std::env;
use std::path::PathBuf;

/// Builds a program without checkpoints, which can train the first ones.
const WITHOUT: &str = "TWINQL_WITHOUT_CHECKPOINTS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-env-changed={WITHOUT}");
    println!("cargo::rustc-check-cfg=cfg(without_checkpoints)");
    if env::var(WITHOUT).is_ok_and(|v| v == "1") {
        println!("cargo::rustc-cfg=without_checkpoints");
        return Ok(());
    }
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    for file in ["small.safetensors", "small.selftest.jsonl", "base.safetensors", "base.selftest.jsonl"] {
        let path = folder.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            let path = path.display();
            return Err(format!(
                "there is no {path}; set {WITHOUT}=1 to build a program without checkpoints"
            )
            .into());
        }
    }
    Ok(())
}
