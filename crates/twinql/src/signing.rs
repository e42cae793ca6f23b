//! What the figures of an engine's metrics depend on.

use twinql_graph::RelPmConfig;
use twinql_metrics::{MetricId, MetricInfo, SemanticsOf};
use twinql_suite::bird::Cost;
use twinql_suite::{FileConfig, JudgeConfig, Limits, Ties};

use crate::engine::Engine;
use crate::runs::costs;
use crate::signature::{Signature, of_question, of_suite, short_hash};

impl Engine {
    /// What a metric's figures depend on.
    pub fn signature(&self, metric: &MetricInfo) -> Signature {
        let checkpoint = match (&self.network, metric.semantics) {
            (Some(network), SemanticsOf::Checkpoint) => network.hash().to_owned(),
            _ => "none".into(),
        };
        Signature {
            metric: metric.name.into(),
            checkpoint,
            dialect: self.dialect,
            semantics: self.semantics_of(metric).name,
            threshold: self.threshold(metric),
            device: "cpu".into(),
            seed: self.seed,
            further: self.further(metric),
        }
    }

    /// What else a metric depends on.
    fn further(&self, metric: &MetricInfo) -> Vec<String> {
        let network = self.network_semantics(metric).map(|own| format!("network:{own}"));
        let own = match metric.id {
            MetricId::Suite | MetricId::ThreeTier => of_suite(&self.judge),
            MetricId::ExpectedEx => self.of_plausible(of_suite(&JudgeConfig {
                databases: self.expected.databases,
                ..self.judge.clone()
            })),
            MetricId::Ex => {
                let mut parts = of_suite(&self.judge);
                parts.extend(of_question(self.question()));
                parts.push(format!("plausible:{}", self.expected.databases));
                self.of_plausible(parts)
            }
            MetricId::RelPm | MetricId::AstPm => of_matching(&self.matching),
            MetricId::Gmn | MetricId::TwoTier => {
                let mut parts = of_question(self.question());
                parts.extend(self.probe().map(|probe| format!("probe:{}", probe.databases)));
                parts
            }
            MetricId::CrystalBleu => self
                .trivial
                .iter()
                .map(|t| format!("trivial:{}", short_hash(t.to_tsv().as_bytes())))
                .collect(),
            _ => self.of_runs(metric),
        };
        network.into_iter().chain(own).collect()
    }

    /// What of plausible databases a signature has to say beside `parts`.
    fn of_plausible(&self, mut parts: Vec<String>) -> Vec<String> {
        if !self.profiles.is_empty() {
            parts.push(format!("profile:{}", self.profiles.digest()));
        }
        parts
    }

    /// What signatures of metrics that execute say beside the rest.
    fn of_runs(&self, metric: &MetricInfo) -> Vec<String> {
        let Some(runs) = &self.runs else { return Vec::new() };
        let mut parts = match (metric.id, runs.cost) {
            (MetricId::Execution, _) => {
                let possible = FileConfig::new(self.semantics.clone()).ties == Ties::Possible;
                vec![format!("ties:{}", if possible { "possible" } else { "as-returned" })]
            }
            (id, Cost::Time { repeats }) if costs(id) => {
                vec!["cost:time".to_owned(), format!("repeats:{repeats}")]
            }
            (id, Cost::Steps) if costs(id) => vec!["cost:steps".to_owned()],
            _ => Vec::new(),
        };
        if runs.limits.steps != Limits::for_files().steps {
            parts.push(format!("steps:{}", runs.limits.steps));
        }
        parts
    }
}

/// What a signature says of parameters that are not the usual ones.
fn of_matching(config: &RelPmConfig) -> Vec<String> {
    let RelPmConfig { alpha, beta, omega } = *config;
    let usual = RelPmConfig::default();
    let parts = [("alpha", alpha, usual.alpha), ("beta", beta, usual.beta), ("omega", omega, usual.omega)];
    let changed = parts.into_iter().filter(|(_, own, usual)| own != usual);
    changed.map(|(name, own, _)| format!("{name}:{own}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_names_what_was_changed() {
        assert!(of_matching(&RelPmConfig::default()).is_empty());
        let config = RelPmConfig { alpha: 0.25, omega: 0.5, ..RelPmConfig::default() };
        assert_eq!(of_matching(&config), ["alpha:0.25", "omega:0.5"]);
    }
}
