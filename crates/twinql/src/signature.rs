//! The line that pins all that could change a figure.

use std::fmt;

use twinql_graph::Question;
use twinql_sql::Semantics;
use twinql_suite::{JudgeConfig, Limits, Suite};

use crate::dialects::Dialects;
use crate::judging::WORKER_HEAP;

/// The parser that reads queries, with its version.
pub const PARSER: &str = env!("TWINQL_PARSER");

/// What a figure depends on, printed with it and stored in every report.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The metric's name.
    pub metric: String,
    /// First digits of the checkpoint's hash; `none` for a metric without weights.
    pub checkpoint: String,
    /// Whose SQL the queries were.
    pub dialects: Dialects,
    /// Name of the semantics.
    pub semantics: String,
    /// Scores at or above it count as "the same".
    pub threshold: f64,
    /// Where it was computed.
    pub device: String,
    /// The seed.
    pub seed: u64,
    /// What else this metric depends on, `name:value`.
    pub further: Vec<String>,
}

impl Signature {
    /// What figures depend on that no network has a part in.
    pub fn without_network(
        metric: &str,
        dialects: impl Into<Dialects>,
        semantics: &Semantics,
        threshold: f64,
        seed: u64,
        further: Vec<String>,
    ) -> Signature {
        Signature {
            metric: metric.into(),
            checkpoint: "none".into(),
            dialects: dialects.into(),
            semantics: semantics.name.clone(),
            threshold,
            device: "cpu".into(),
            seed,
            further,
        }
    }

    /// What figures of a distilled suite depend on: `hash` (see [`suite_hash`]) stands for all that it was made with.
    pub fn of_distilled(metric: &str, suite: &Suite, hash: &str, dialects: impl Into<Dialects>) -> Signature {
        let mut further = vec![format!("suite:{hash}"), format!("databases:{}", suite.counts().databases)];
        if suite.config.plausible {
            further.push("plausible".into());
        }
        let config = &suite.config;
        Signature::without_network(metric, dialects, &config.semantics, 0.5, config.seed, further)
    }
}

impl fmt::Display for Signature {
    /// `twinql:0.1.0|metric:gmn|ckpt:9f2c…|sql:sqlparser-0.63|dialect:sqlite|semantics:default|threshold:0.50|device:cpu|dtype:f32|seed:8`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "twinql:{}|metric:{}|ckpt:{}|sql:{PARSER}|dialect:{}|semantics:{}|threshold:{:.2}|device:{}|dtype:f32|seed:{}",
            env!("CARGO_PKG_VERSION"),
            self.metric,
            self.checkpoint,
            self.dialects,
            self.semantics,
            self.threshold,
            self.device,
            self.seed,
        )?;
        self.further.iter().try_for_each(|part| write!(f, "|{part}"))
    }
}

/// What the suite's verdicts depend on beyond what every signature has: the databases for a
/// pair, and bounds on executions that are not the usual ones.
pub fn of_suite(config: &JudgeConfig) -> Vec<String> {
    let (limits, usual) = (&config.limits, Limits::default());
    let mut parts = vec![format!("databases:{}", config.databases)];
    if limits.steps != usual.steps {
        parts.push(format!("steps:{}", limits.steps));
    }
    if ![usual.heap_bytes, WORKER_HEAP].contains(&limits.heap_bytes) {
        parts.push(format!("memory:{}", limits.heap_bytes >> 20));
    }
    parts
}

/// What a network was asked, where that is not the usual question.
pub fn of_question(question: Question) -> Vec<String> {
    if question.is_usual() { Vec::new() } else { vec![format!("question:{question}")] }
}

/// The first eight digits of the SHA-256 of a checkpoint's bytes, its checksum left out.
pub fn short_hash(bytes: &[u8]) -> String {
    shortened(twinql_gmn::checksum(bytes))
}

/// The first eight digits of the SHA-256 of a suite's bytes, its checksum left out.
pub fn suite_hash(bytes: &[u8]) -> String {
    shortened(twinql_suite::suite::checksum(bytes))
}

fn shortened(mut digits: String) -> String {
    digits.truncate(8);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_named() {
        let signature = Signature {
            metric: "gmn".into(),
            checkpoint: short_hash(b""),
            dialects: Dialects::default(),
            semantics: "default".into(),
            threshold: 0.5,
            device: "cpu".into(),
            seed: 8,
            further: Vec::new(),
        };
        let text = signature.to_string();
        assert!(text.ends_with(
            "|metric:gmn|ckpt:e3b0c442|sql:sqlparser-0.63|dialect:sqlite|semantics:default|threshold:0.50|device:cpu|dtype:f32|seed:8"
        ), "{text}");
    }

    #[test]
    fn the_suite_names_its_bounds() {
        let mut config = JudgeConfig::default();
        assert_eq!(of_suite(&config), ["databases:100"]);
        config.limits.heap_bytes = WORKER_HEAP;
        assert_eq!(of_suite(&config), ["databases:100"]);
        config.limits.steps = 7;
        config.limits.heap_bytes = 64 << 20;
        assert_eq!(of_suite(&config), ["databases:100", "steps:7", "memory:64"]);
    }
}
