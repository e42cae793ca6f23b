//! Partial matching of trees by rules: RelPM over plans, ASTPM over syntax trees.

use rayon::prelude::*;
use twinql_graph::relpm;
use twinql_metrics::MetricInfo;
use twinql_model::{GraphConfig, GraphKind};

use crate::Engine;
use crate::batch::Batch;
use crate::record::Record;
use crate::unread::explain_failures;
use crate::vacuous::mark;

impl Engine {
    /// RelPM of the trees of this kind.
    pub(crate) fn partial(
        &self,
        metric: &MetricInfo,
        kind: GraphKind,
        batch: &mut Batch<'_>,
        records: &mut [Record],
    ) {
        let config = GraphConfig { kind, ..GraphConfig::default() };
        let graphs = batch.graphs(&self.semantics, &config);
        let scores: Vec<Option<(f64, bool)>> = graphs
            .par_iter()
            .map(|pair| {
                let pair = pair.as_ref()?;
                if pair.identical {
                    return Some((1.0, true));
                }
                let (gold, pred) = pair.both()?;
                let score = relpm(gold, pred, &self.matching);
                // What is the same without an assumption is the same with it.
                let emptied = pair.emptied.as_ref().and_then(|(gold, pred)| {
                    let (gold, pred) = (gold.as_ref().as_ref().ok()?, pred.as_ref().as_ref().ok()?);
                    Some(relpm(gold, pred, &self.matching))
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
}
