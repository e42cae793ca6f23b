//! Embeds the shipped checkpoints and their stored scores where they exist; an empty file stands for
//! none, so that a checkout without trained weights still builds (and can train them). Notes what
//! the program is built from and with.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../checkpoints");
    let names = ["small", "base"].map(|n| [format!("{n}.safetensors"), format!("{n}.selftest.jsonl")]);
    for name in names.as_flattened() {
        let source = folder.join(name);
        let target = Path::new(&env::var("OUT_DIR")?).join(name);
        println!("cargo::rerun-if-changed={}", source.display());
        if source.is_file() {
            fs::copy(&source, &target)?;
        } else {
            fs::write(&target, [])?;
        }
    }
    origin();
    Ok(())
}

/// Commit, compiler and target, each where it is known.
fn origin() {
    // In another repository, such as one that vendors this crate, the commit would be its own.
    if answer("git", &["ls-files", "--error-unmatch", "build.rs"]).is_some() {
        if let Some(commit) = answer("git", &["rev-parse", "HEAD"]) {
            println!("cargo::rustc-env=TWINQL_COMMIT={commit}");
        }
        if let Some(log) = answer("git", &["rev-parse", "--git-path", "logs/HEAD"]) {
            println!("cargo::rerun-if-changed={log}");
        }
    }
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    if let Some(version) = answer(&rustc, &["--version"]) {
        println!("cargo::rustc-env=TWINQL_RUSTC={version}");
    }
    if let Ok(target) = env::var("TARGET") {
        println!("cargo::rustc-env=TWINQL_TARGET={target}");
    }
}

/// The first line that a command prints if it succeeds.
fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
