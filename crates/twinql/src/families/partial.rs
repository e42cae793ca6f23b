//! Partial matching of trees by rules: RelPM over plans, ASTPM over syntax trees.

use rayon::prelude::*;
use twinql_gmn::{GraphConfig, GraphKind};
use twinql_graph::{RelPmConfig, relpm};

use crate::batch::Batch;
use crate::metric::Metric;
use crate::record::Record;
use crate::setup::Setup;
use crate::unread::explain_failures;
use crate::vacuous::mark;

/// RelPM of the trees of this kind.
pub(crate) fn score(
    kind: GraphKind,
    setup: &Setup,
    metric: &Metric,
    batch: &mut Batch<'_>,
    records: &mut [Record],
) {
    let config = GraphConfig { kind, ..GraphConfig::default() };
    let graphs = batch.graphs(setup.semantics(), &config);
    let scores: Vec<Option<(f64, bool)>> = graphs
        .par_iter()
        .map(|pair| {
            let pair = pair.as_ref()?;
            if pair.identical {
                return Some((1.0, true));
            }
            let (gold, pred) = pair.both()?;
            let score = relpm(gold, pred, &setup.matching);
            // What is the same without an assumption is the same with it.
            let emptied = pair.emptied.as_ref().and_then(|(gold, pred)| {
                let (gold, pred) = (gold.as_ref().as_ref().ok()?, pred.as_ref().as_ref().ok()?);
                Some(relpm(gold, pred, &setup.matching))
            });
            Some((emptied.map_or(score, |e| score.min(e)), false))
        })
        .collect();
    for (record, score) in records.iter_mut().zip(scores) {
        if let Some((score, identical)) = score {
            record.set_score(metric.name, score);
            record.set_detail(metric.name, "identical", identical);
        }
    }
    mark(metric, &graphs, records);
    explain_failures(metric, batch.jobs, &graphs, |_| false, records);
}

/// What a signature says of parameters that are not the usual ones.
pub(crate) fn signature(setup: &Setup) -> Vec<String> {
    let RelPmConfig { alpha, beta, omega } = setup.matching;
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
        assert!(signature(&Setup::default()).is_empty());
        let matching = RelPmConfig { alpha: 0.25, omega: 0.5, ..RelPmConfig::default() };
        assert_eq!(signature(&Setup { matching, ..Setup::default() }), ["alpha:0.25", "omega:0.5"]);
    }
}
