//! Metrics of queries as they are written, or written and planned: what they read is made once a batch.

use rayon::prelude::*;
use twinql_gmn::{GraphConfig, GraphKind};
use twinql_metrics::{Pair, Scored, Side};
use twinql_sql::{Schema, parse};

use crate::batch::Batch;
use crate::job::{Job, Work};
use crate::metric::Metric;
use crate::record::Record;
use crate::setup::Setup;
use crate::unread::explain_failures;

/// Scores each pair of texts. What twinql cannot plan is no less a text: such a metric has a reader of its own.
pub(crate) fn written(
    metric: &Metric,
    score: fn(&Schema, &str, &str) -> Scored,
    jobs: &[Job],
    records: &mut [Record],
) {
    jobs.par_iter().zip(records).for_each(|(job, record)| {
        if let Work::Pair { schema, gold, pred } = &job.work {
            record.set(metric.name, score(schema, gold, pred));
        }
    });
}

/// Scores each pair of which both sides can be read. What is written alike but in ways that a metric
/// knows scores 1 whatever an assumption empties: these metrics compare texts.
pub(crate) fn score(
    setup: &Setup,
    metric: &Metric,
    score: fn(&Setup, &Pair<'_>) -> Scored,
    batch: &mut Batch<'_>,
    records: &mut [Record],
) {
    let rots = batch.graphs(setup.semantics(), &GraphConfig::default());
    let of_text = GraphConfig { kind: GraphKind::Ast, ..GraphConfig::default() };
    let trees = batch.graphs(setup.semantics(), &of_text);
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
            Some(score(setup, &Pair { schema, gold, pred }))
        })
        .collect();
    for (record, scored) in records.iter_mut().zip(scored) {
        if let Some(scored) = scored {
            record.set(metric.name, scored);
        }
    }
    explain_failures(metric, batch.jobs, &rots, |_| false, records);
    explain_failures(metric, batch.jobs, &trees, |_| false, records);
}
