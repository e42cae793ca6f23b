//! Notes what the program is built from and with.

use std::env;
use std::process::Command;

/// Commit, compiler and target, each where it is known.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
