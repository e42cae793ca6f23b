//! The line that pins all that could change a figure.

use std::fmt;

use twinql_sql::Dialect;

/// What a figure depends on, printed with it and stored in every report.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The metric's name.
    pub metric: String,
    /// First digits of the checkpoint's hash; `none` for a metric without weights.
    pub checkpoint: String,
    /// Whose SQL the queries were.
    pub dialect: Dialect,
    /// Name of the semantics.
    pub semantics: String,
    /// Scores at or above it count as "the same".
    pub threshold: f64,
    /// Where it was computed.
    pub device: String,
    /// The seed.
    pub seed: u64,
}

impl fmt::Display for Signature {
    /// `twinql:0.1.0|metric:gmn|ckpt:9f2c…|sql:sqlparser-0.63|dialect:sqlite|semantics:default|threshold:0.50|device:cpu|dtype:f32|seed:8`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "twinql:{}|metric:{}|ckpt:{}|sql:sqlparser-0.63|dialect:{}|semantics:{}|threshold:{:.2}|device:{}|dtype:f32|seed:{}",
            env!("CARGO_PKG_VERSION"),
            self.metric,
            self.checkpoint,
            self.dialect,
            self.semantics,
            self.threshold,
            self.device,
            self.seed,
        )
    }
}

/// The first eight digits of the SHA-256 of a checkpoint's bytes.
pub fn short_hash(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes)
        .iter()
        .take(4)
        .map(|b| format!("{b:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_named() {
        let signature = Signature {
            metric: "gmn".into(),
            checkpoint: short_hash(b""),
            dialect: Dialect::Sqlite,
            semantics: "default".into(),
            threshold: 0.5,
            device: "cpu".into(),
            seed: 8,
        };
        let text = signature.to_string();
        assert!(text.ends_with(
            "|metric:gmn|ckpt:e3b0c442|sql:sqlparser-0.63|dialect:sqlite|semantics:default|threshold:0.50|device:cpu|dtype:f32|seed:8"
        ), "{text}");
    }
}
