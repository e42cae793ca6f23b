//! What a run was made with: `environment.json` in its folder.

use serde::Serialize;

/// The program, the machine and the outcome's signature. None of it changes the weights but
/// `vector` (by rounding) and `device`.
#[derive(Debug, Serialize)]
pub(super) struct Environment {
    format: u32,
    /// Version of twinql.
    program: &'static str,
    /// The commit that the program was built from; null outside its repository. Changes that
    /// were not committed do not show.
    commit: Option<&'static str>,
    /// The compiler's version.
    rustc: Option<&'static str>,
    /// What it compiled for.
    target: Option<&'static str>,
    /// Backends that are built in.
    features: Vec<&'static str>,
    /// What executes the steps.
    device: String,
    /// Threads of this run.
    threads: usize,
    /// Processors that the system offers.
    processors: usize,
    /// The processor's name, where the system tells it.
    cpu: Option<String>,
    /// Vector instructions that the processor has.
    vector: Vec<&'static str>,
    /// The epoch after which the run was resumed last; 0 for one in a piece.
    pub(super) resumed_after: usize,
    /// Of the checkpoint; null until there is one.
    pub(super) signature: Option<String>,
}

impl Environment {
    /// Of this process, about to train on `device`.
    pub(super) fn new(device: String) -> Environment {
        let features = [("wgpu", cfg!(feature = "wgpu")), ("cuda", cfg!(feature = "cuda"))];
        Environment {
            format: 1,
            program: env!("CARGO_PKG_VERSION"),
            commit: option_env!("TWINQL_COMMIT"),
            rustc: option_env!("TWINQL_RUSTC"),
            target: option_env!("TWINQL_TARGET"),
            features: features.iter().filter(|f| f.1).map(|f| f.0).collect(),
            device,
            threads: rayon::current_num_threads(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            cpu: cpu(),
            vector: vector(),
            resumed_after: 0,
            signature: None,
        }
    }
}

/// The processor's name on Linux.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn vector() -> Vec<&'static str> {
    let known = [
        ("sse4.2", std::is_x86_feature_detected!("sse4.2")),
        ("avx", std::is_x86_feature_detected!("avx")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
    ];
    known.iter().filter(|v| v.1).map(|v| v.0).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn vector() -> Vec<&'static str> {
    Vec::new()
}
