//! Embeds the shipped checkpoints and their stored scores, and notes the parser's version.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Builds a program without checkpoints, which can train the first ones.
const WITHOUT: &str = "TWINQL_WITHOUT_CHECKPOINTS";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={WITHOUT}");
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    checkpoints(&folder.join("checkpoints"), &PathBuf::from(env::var("OUT_DIR")?))?;
    parser(&folder)
}

/// Copies them to where `embedded.rs` includes them from. An empty file stands for none.
fn checkpoints(from: &Path, to: &Path) -> Result<()> {
    let without = env::var(WITHOUT).is_ok_and(|v| v == "1");
    for name in ["small", "base"] {
        for file in [format!("{name}.safetensors"), format!("{name}.selftest.jsonl")] {
            let source = from.join(&file);
            println!("cargo::rerun-if-changed={}", source.display());
            if without {
                fs::write(to.join(file), [])?;
            } else {
                fs::copy(&source, to.join(file)).map_err(|e| {
                    format!(
                        "cannot embed {}: {e}; set {WITHOUT}=1 to build a program without checkpoints",
                        source.display()
                    )
                })?;
            }
        }
    }
    Ok(())
}

/// The release of the parser that this build reads SQL with, as signatures name it. The lock file of the
/// workspace says it, or in a packaged crate the one inside the package.
fn parser(folder: &Path) -> Result<()> {
    let places = [folder.join("../../Cargo.lock"), folder.join("Cargo.lock")];
    let lock = places.iter().find(|path| path.is_file());
    let lock = lock.ok_or("there is no Cargo.lock to read the parser's version from")?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock)?;
    let (_, after) =
        text.split_once("name = \"sqlparser\"\nversion = \"").ok_or("Cargo.lock names no sqlparser")?;
    let version = after.split('"').next().unwrap_or_default();
    // Releases of one minor version read alike.
    let (minor, _) = version.rsplit_once('.').unwrap_or((version, ""));
    println!("cargo::rustc-env=TWINQL_PARSER=sqlparser-{minor}");
    Ok(())
}
