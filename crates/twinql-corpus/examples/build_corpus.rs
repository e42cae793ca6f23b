//! Builds the corpus of a configuration: `cargo run --release --example build_corpus -- C.toml [MAX_GOLDS]`.

use std::path::Path;
use std::time::Instant;

use twinql_corpus::CorpusError;
use twinql_corpus::build::{BuildConfig, build, stats_path};

fn main() -> Result<(), CorpusError> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or("configs/corpus-bundled.toml".into());
    let text = std::fs::read_to_string(&path).map_err(|e| CorpusError::Config(format!("{path}: {e}")))?;
    let mut config = BuildConfig::from_toml(&text, Path::new(&path).parent().unwrap_or(Path::new("")))?;
    if let Some(most) = args.next().and_then(|n| n.parse().ok()) {
        config.max_golds = most;
    }
    let start = Instant::now();
    let stats = build(&config, &mut |p| {
        eprint!("\r{} of {} golds, {} pairs", p.golds, p.of, p.pairs);
    })?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("\n{seconds:.1} s, {:.2} ms a pair", seconds * 1e3 / stats.pairs as f64);
    eprintln!("{:?}; counts by origin stand in {}", stats.labels, stats_path(&config.out).display());
    Ok(())
}
