//! Proofs that a database refutes. One of the two is wrong, which is a fault of twinql: the pair says so, and scores by
//! the database.
//!
//! Nothing is executed for it that is not executed anyway, but for one cheap look: where a probe runs beside the network,
//! queries of equal canonical forms are evaluated as they are written on a few databases, since the forms themselves
//! cannot differ, and the suite judges those that differ there. A proof is held only against databases of the semantics
//! that it was made under. Plausible databases count for nothing here: they hold NULLs and ties that a semantics rules out
//! or leaves open.

use rayon::prelude::*;
use twinql_probe::{Probe, Reading, Side};
use twinql_sql::{Plan, Schema, Semantics, parse, plan};
use twinql_suite::{JudgeConfig, Verdict};

use crate::batch::Batch;
use crate::job::{Job, Work};
use crate::judging::judge_all;
use crate::metric::{Claim, Metric, Setting};
use crate::prepare::same_tokens;
use crate::record::Record;
use crate::setup::Setup;

/// Databases on which queries of equal forms are evaluated: most mistakes show on the first few.
const DATABASES: u64 = 6;

/// Where a contradiction is to be reported.
pub const REPORT: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// What tells apart what is proved equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refuter {
    Suite,
    Probe,
}

impl Refuter {
    /// Its name in details.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Refuter::Suite => "suite",
            Refuter::Probe => "probe",
        }
    }
}

impl Setup {
    /// Looks for proofs of equality that a database refutes, and takes them back.
    pub(crate) fn contradictions(&self, batch: &mut Batch<'_>, records: &mut [Record]) {
        let mut known: Vec<(Semantics, Vec<Option<Refuter>>)> = Vec::new();
        for metric in batch.metrics {
            let Some(claim) = metric.further.claim else { continue };
            if !records.iter().any(|record| (claim.made)(self, record)) {
                continue;
            }
            let semantics = self.semantics_of(metric);
            if !known.iter().any(|(s, _)| *s == semantics) {
                known.push((semantics.clone(), self.refuters(batch, &semantics)));
            }
            let found = known.iter().find(|(s, _)| *s == semantics).map_or(&[][..], |(_, found)| found);
            for (record, by) in records.iter_mut().zip(found) {
                if let (Some(by), true) = (by, (claim.made)(self, record)) {
                    self.take_back(metric, claim, &semantics, *by, record);
                }
            }
        }
    }

    /// What tells each pair apart on a database that `semantics` allows, by all that has been executed.
    fn refuters(&self, batch: &mut Batch<'_>, semantics: &Semantics) -> Vec<Option<Refuter>> {
        let mut found = vec![None; batch.jobs.len()];
        if let Some(verdicts) = batch.verdicts(semantics) {
            let refuted = |verdict: &Option<Verdict>| matches!(verdict, Some(Verdict::Different { .. }));
            found = verdicts.iter().map(|verdict| refuted(verdict).then_some(Refuter::Suite)).collect();
        }
        let (Some(probe), Some(network)) = (self.probe(), &self.network) else { return found };
        let asked = network.question().is_usual() && self.semantics() == semantics;
        if !asked || !batch.reads(Setting::Probe) {
            return found;
        }
        if let Some(shown) = batch.shown() {
            for (found, shown) in found.iter_mut().zip(&*shown) {
                let differ = shown.is_some_and(|shown| shown.differ > 0);
                *found = found.or(differ.then_some(Refuter::Probe));
            }
        }
        let graphs = batch.graphs_for(network, semantics);
        let pairs: Vec<_> = batch.jobs.iter().zip(graphs.iter()).collect();
        let probe = Probe { databases: DATABASES, ..probe };
        let doubted: Vec<usize> = pairs
            .into_par_iter()
            .enumerate()
            .filter(|(_, (job, pair))| {
                let equal = pair.as_ref().is_some_and(|pair| pair.identical);
                equal && is_doubted_as_written(job, probe, semantics)
            })
            .map(|(at, _)| at)
            .collect();
        self.confirm(&doubted, batch.jobs, semantics, &mut found);
        found
    }

    /// Has the suite judge pairs of equal forms that a probe tells apart as they are written. There are next to none, and
    /// SQLite has the last word on them.
    fn confirm(&self, doubted: &[usize], jobs: &[Job], semantics: &Semantics, found: &mut [Option<Refuter>]) {
        let open = doubted.iter().filter(|at| matches!(found.get(**at), Some(None)));
        let (places, asked): (Vec<usize>, Vec<Job>) =
            open.filter_map(|at| Some((*at, jobs.get(*at)?.clone()))).unzip();
        let judge = JudgeConfig { semantics: semantics.clone(), ..self.judge.clone() };
        for (at, report) in places.into_iter().zip(judge_all(&asked, &judge, &self.workers, &|| ())) {
            if let (Some(found), Some(Verdict::Different { .. })) =
                (found.get_mut(at), report.map(|report| report.verdict))
            {
                *found = Some(Refuter::Suite);
            }
        }
    }

    /// Scores a pair by the database that tells it apart, and says of the metric what is wrong.
    fn take_back(
        &self,
        metric: &Metric,
        claim: Claim,
        semantics: &Semantics,
        by: Refuter,
        record: &mut Record,
    ) {
        match (claim.refuted)(self, by, record) {
            Some(score) => record.set_score(metric.name, score),
            None => record.set_null(metric.name),
        }
        record.set_detail(metric.name, "contradicted_by", by.name());
        record.contradict(
            metric.name,
            &format!(
                "a proof says that both answer the same under {semantics}, and a database of the {} tells them apart: \
                 one of the two is wrong, which is a fault of twinql. Please report the schema and both queries: {REPORT}",
                by.name()
            ),
        );
    }
}

/// Whether a database of the probe tells the two queries apart as they are written, whose forms are equal.
fn is_doubted_as_written(job: &Job, probe: Probe, semantics: &Semantics) -> bool {
    let Work::Pair { schema, gold, pred } = &job.work else { return false };
    // What is written the same way is the same, and without DISTINCT what is written is not what is compared.
    if semantics.ignore_distinct || same_tokens(gold, pred) {
        return false;
    }
    let Some(((of_gold, gold_plan), (of_pred, pred_plan))) = written(schema, gold).zip(written(schema, pred))
    else {
        return false;
    };
    let gold_side = Side { plan: &gold_plan, reading: &of_gold };
    let pred_side = Side { plan: &pred_plan, reading: &of_pred };
    let semantics = semantics.for_gold_text(schema, gold);
    probe.every(schema, gold_side, pred_side, &semantics).differ > 0
}

/// A query's plan as it is written, and what its text names.
fn written(schema: &Schema, sql: &str) -> Option<(Reading, Plan)> {
    let parsed = parse(sql).ok()?;
    let planned = plan(schema, &parsed).ok()?;
    Some((Reading::of(schema, &parsed, &planned), planned))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Engine;
    use crate::metrics::{CONJUNCTIVE, EX, GMN, PROOF, SUITE, THREE_TIER, TWO_TIER};
    use crate::record::Status;

    const PETS: &str = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);";

    fn job(gold: &str, pred: &str) -> Job {
        let schema = Arc::new(Schema::from_ddl("pets", PETS).unwrap());
        Job::new("1".into(), Work::Pair { schema, gold: gold.into(), pred: pred.into() })
    }

    fn engine(metrics: &[&'static Metric]) -> Engine {
        Engine::builder().metrics(metrics.iter().copied()).build().unwrap()
    }

    /// A record as a wrong proof would leave it.
    fn as_if_proved(record: &mut Record) {
        for (metric, key, value) in [
            ("proof", "proof", serde_json::Value::from("equal")),
            ("conjunctive", "outcome", "equal".into()),
            ("gmn", "identical", true.into()),
            ("two-tier", "tier", "proof".into()),
            ("three-tier", "tier", "proof".into()),
            ("ex", "evidence", "proved_equal".into()),
        ] {
            record.set_score(metric, 1.0);
            record.set_detail(metric, key, value);
        }
    }

    #[test]
    fn a_proof_that_the_suite_refutes_is_taken_back() {
        let engine = engine(&[&PROOF, &CONJUNCTIVE, &GMN, &TWO_TIER, &THREE_TIER, &EX, &SUITE]);
        let jobs = [job("SELECT name FROM pet WHERE age > 2", "SELECT name FROM pet WHERE age >= 2")];
        let mut records = engine.score(&jobs);
        assert_eq!(records[0].status, Status::Ok, "{records:?}");
        as_if_proved(&mut records[0]);
        let mut batch = Batch::new(&jobs, engine.metrics(), true);
        batch.judged(&engine.setup.judge, &engine.setup.workers);
        engine.setup.contradictions(&mut batch, &mut records);
        let record = &mut records[0];
        record.settle(engine.metrics().iter().map(|m| m.name));
        assert_eq!(record.status, Status::Contradicted);
        assert!(record.error.as_ref().is_some_and(|error| error.contains(REPORT)), "{record:?}");
        for metric in engine.metrics() {
            let right = match metric.name {
                "proof" | "conjunctive" => record.score(metric.name).is_none(),
                // Execution on people's databases may well call it right.
                "ex" => record.detail("ex", "evidence") == Some(&"refuted".into()),
                _ => record.score(metric.name).is_some_and(|score| score < engine.threshold(metric)),
            };
            assert!(right, "{}: {record:?}", metric.name);
        }
        assert_eq!(record.status_of("suite"), Status::Ok);
    }

    #[test]
    fn a_proof_is_held_against_its_own_semantics_only() {
        let engine = engine(&[&PROOF, &SUITE]);
        let jobs = [job("SELECT name FROM pet", "SELECT name FROM pet WHERE age > 2")];
        let mut batch = Batch::new(&jobs, engine.metrics(), true);
        let strict = Semantics::preset("strict").unwrap();
        batch.judged(&JudgeConfig { semantics: strict, ..engine.setup.judge.clone() }, &engine.setup.workers);
        let mut records = vec![Record::empty("1".into())];
        as_if_proved(&mut records[0]);
        engine.setup.contradictions(&mut batch, &mut records);
        assert_eq!(records[0].status_of("proof"), Status::Ok);
    }

    #[test]
    fn equal_forms_are_looked_at_as_they_are_written() {
        let refuted = |gold: &str, pred: &str| {
            let semantics = Semantics::default();
            let probe = Probe { databases: DATABASES, ..Probe::default() };
            is_doubted_as_written(&job(gold, pred), probe, &semantics)
        };
        assert!(refuted("SELECT name FROM pet WHERE age > 2", "SELECT name FROM pet"));
        for (gold, pred) in [
            ("SELECT COUNT(*) FROM pet", "SELECT COUNT(age) FROM pet"),
            ("SELECT name FROM pet ORDER BY age DESC", "SELECT p.name FROM pet AS p ORDER BY -p.age"),
            ("SELECT MAX(age) FROM pet", "SELECT age FROM pet ORDER BY age DESC LIMIT 1"),
        ] {
            assert!(!refuted(gold, pred), "{gold} / {pred}");
        }
    }
}
