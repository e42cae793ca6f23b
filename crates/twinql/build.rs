//! Notes the parser's version.

use std::path::PathBuf;
use std::{env, fs};

/// The release of the parser that this build reads SQL with, as signatures name it. The lock file of the
/// workspace says it, or in a packaged crate the one inside the package.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
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
