//! Metrics of queries as they are written and planned: what they read is made once a batch.

use rayon::prelude::*;
use twinql_metrics::{MetricId, MetricInfo, Pair, Scored, Side, classic, crystal_bleu};
use twinql_model::{GraphConfig, GraphKind};
use twinql_sql::parse;

use crate::Engine;
use crate::batch::Batch;
use crate::job::Work;
use crate::record::Record;
use crate::unread::explain_failures;

impl Engine {
    /// Metrics of queries as they are written and planned. What is written alike but in ways that a metric
    /// knows scores 1 whatever an assumption empties: these metrics compare texts.
    pub(crate) fn classic(&self, metric: &MetricInfo, batch: &mut Batch<'_>, records: &mut [Record]) {
        let Some(usual) = classic(metric.id) else { return };
        let score = |pair: &Pair<'_>| match (metric.id, &self.trivial) {
            (MetricId::CrystalBleu, Some(trivial)) => crystal_bleu(pair, trivial),
            _ => usual(pair),
        };
        let rots = batch.graphs(&self.semantics, &GraphConfig::default());
        let trees =
            batch.graphs(&self.semantics, &GraphConfig { kind: GraphKind::Ast, ..GraphConfig::default() });
        let scored: Vec<Option<Scored>> = batch
            .jobs
            .par_iter()
            .zip(rots.par_iter().zip(trees.par_iter()))
            .map(|(job, (rot, tree))| {
                let Work::Pair { schema, gold, pred } = &job.work else { return None };
                let (rots, trees) = (rot.as_ref()?.both()?, tree.as_ref()?.both()?);
                let queries = (parse(gold).ok()?.query, parse(pred).ok()?.query);
                let gold = Side { sql: gold, query: &queries.0, tree: trees.0, rot: rots.0 };
                let pred = Side { sql: pred, query: &queries.1, tree: trees.1, rot: rots.1 };
                Some(score(&Pair { schema, gold, pred }))
            })
            .collect();
        for (record, scored) in records.iter_mut().zip(scored) {
            let Some(scored) = scored else { continue };
            record.set_score(metric.name, scored.score);
            for (key, value) in scored.details {
                record.set_detail(metric.name, &key, value);
            }
        }
        explain_failures(metric, batch.jobs, &rots, |_| false, records);
        explain_failures(metric, batch.jobs, &trees, |_| false, records);
    }
}
