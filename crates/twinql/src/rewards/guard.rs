//! What is certain of a prediction, found out cheaply: so that a policy gains nothing by what fools the network.
//!
//! Three things are asked. Whether the pair is proved equal or different. Whether the prediction's answer depends on
//! chance and the gold's does not. And whether one of a few generated databases tells the two apart. A refutation is
//! sound: there is a database that meets the semantics and on which the answers differ. That none is found says
//! nothing, and the network has the word.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use twinql_sql::function::is_volatile;
use twinql_sql::prove::Side;
use twinql_sql::tree::{Node, Tree};
use twinql_sql::{ColumnSet, Dialect, Expr, Proof, Rel, Schema, Semantics};
use twinql_suite::{JudgeConfig, Verdict};

use crate::job::{Job, Work};
use crate::judging::{self, Workers};
use crate::prepare::canonical;
use crate::proving;
use crate::status;

/// Databases that a pair meets where no number is given.
pub const GUARD_DATABASES: u64 = 16;

/// How many times as many databases a prediction with a loose end meets under `expected-ex`.
const LOOSE: u64 = 16;

/// What the guard knows of a prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "certainty", rename_all = "snake_case")]
pub enum Certainty {
    /// The answers are the same on every database.
    ProvedEqual,
    /// They are not, by proof.
    ProvedDifferent,
    /// A database tells them apart.
    Refuted {
        /// Its number under the seed.
        database: u64,
    },
    /// The prediction's answer depends on chance, the gold's does not.
    Chance,
    /// SQLite does not execute the prediction, or not within the limits.
    Refused {
        /// Why.
        message: String,
    },
    /// No database tells them apart: nothing is certain.
    Unrefuted {
        /// Databases on which both gave an answer.
        databases: u64,
    },
    /// The pair could not be tested.
    Untested {
        /// Why.
        reason: String,
    },
}

impl Certainty {
    /// Its name in logs.
    pub fn name(&self) -> &'static str {
        match self {
            Certainty::ProvedEqual => "proved_equal",
            Certainty::ProvedDifferent => "proved_different",
            Certainty::Refuted { .. } => "refuted",
            Certainty::Chance => "chance",
            Certainty::Refused { .. } => "refused",
            Certainty::Unrefuted { .. } => "unrefuted",
            Certainty::Untested { .. } => "untested",
        }
    }
}

/// What is certain of each job that holds a pair, in order. Runs on rayon's current pool; the result does not depend
/// on the number of threads.
pub(super) fn certainties(jobs: &[Job], config: &JudgeConfig, workers: &Workers) -> Vec<Option<Certainty>> {
    let proofs = proving::prove_all(jobs, &config.semantics, &|| ());
    let mut vacuous = Vec::with_capacity(jobs.len());
    let mut found: Vec<Option<Certainty>> = Vec::with_capacity(jobs.len());
    for (job, proof) in jobs.iter().zip(&proofs) {
        vacuous.push(matches!(proof, Some(Ok(proof)) if proof.vacuous().is_some()));
        found.push(match (proof, &job.work) {
            (Some(Ok(Proof::Equal(_))), _) => Some(Certainty::ProvedEqual),
            (Some(Ok(Proof::Different(_))), _) => Some(Certainty::ProvedDifferent),
            (_, Work::Pair { schema, gold, pred }) if by_chance(schema, gold, pred, &config.semantics) => {
                Some(Certainty::Chance)
            }
            _ => None,
        });
    }
    let open: Vec<usize> = (0..jobs.len()).filter(|at| matches!(found.get(*at), Some(None))).collect();
    let asked: Vec<Job> = open.iter().filter_map(|at| jobs.get(*at).cloned()).collect();
    for (at, report) in open.into_iter().zip(judging::judge_all(&asked, config, workers, &|| ())) {
        if let (Some(place), Some(report)) = (found.get_mut(at), report) {
            *place = Some(of_verdict(report.verdict, vacuous[at]));
        }
    }
    found
}

/// What a verdict says.
fn of_verdict(verdict: Verdict, vacuous: bool) -> Certainty {
    let untested = |verdict: &Verdict| {
        let reason = status::of_verdict(verdict).1.unwrap_or_default();
        Certainty::Untested { reason }
    };
    match verdict {
        // No database that meets the semantics shows what a vacuous query asks for.
        Verdict::Same { .. } if vacuous => {
            Certainty::Untested { reason: "a part of a query is empty by assumption".into() }
        }
        Verdict::Same { databases, .. } => Certainty::Unrefuted { databases },
        Verdict::Different { witness } => Certainty::Refuted { database: witness.index },
        Verdict::PredError { message } => Certainty::Refused { message },
        Verdict::Timeout { side: Side::Pred } => {
            Certainty::Refused { message: "stopped by the limits of the sandbox on several databases".into() }
        }
        Verdict::Timeout { side: Side::Gold }
        | Verdict::GoldError { .. }
        | Verdict::Untested { .. }
        | Verdict::MachineError { .. } => untested(&verdict),
    }
}

/// What is certain of each job under a shaping that counts databases itself, and asks for little: none of most.
///
/// Of two kinds of predictions plausible databases know too little. One answers by chance: a difference that is rare
/// enough shows on no database. The other has a [loose end](is_loose) that the gold has not, and is right wherever
/// the gold answers a single row, as many golds do nearly everywhere. Databases of the suite, which have more to
/// answer, are asked of these alone: what else they tell apart, execution on people's databases often calls right.
pub(super) fn open_to_chance(
    jobs: &[Job],
    config: &JudgeConfig,
    workers: &Workers,
) -> Vec<Option<Certainty>> {
    let semantics = &config.semantics;
    let mut found: Vec<Option<Certainty>> = jobs
        .par_iter()
        .map(|job| match &job.work {
            Work::Pair { schema, gold, pred } if by_chance(schema, gold, pred, semantics) => {
                Some(Certainty::Chance)
            }
            _ => None,
        })
        .collect();
    let loose: Vec<(usize, Job)> = jobs
        .par_iter()
        .enumerate()
        .filter(|(at, job)| match &job.work {
            Work::Pair { schema, gold, pred } if matches!(found.get(*at), Some(None)) => {
                let semantics = &*semantics.for_gold_text(schema, gold);
                is_loose(schema, pred, semantics) && !is_loose(schema, gold, semantics)
            }
            _ => false,
        })
        .map(|(at, job)| (at, job.clone()))
        .collect();
    let (places, asked): (Vec<usize>, Vec<Job>) = loose.into_iter().unzip();
    // They are few, so that they may meet more of them.
    let config = &JudgeConfig { databases: config.databases.saturating_mul(LOOSE), ..config.clone() };
    for (at, report) in places.into_iter().zip(judging::judge_all(&asked, config, workers, &|| ())) {
        if let (Some(place), Some(Verdict::Different { witness })) =
            (found.get_mut(at), report.map(|r| r.verdict))
        {
            *place = Some(Certainty::Refuted { database: witness.index });
        }
    }
    found
}

/// Whether a query has a loose end: it cuts rows off without an order that says which, or it joins what no condition
/// joins, so that each row comes as often as something else has rows. Both what is written and its canonical form have
/// it: what is written may order or join by what normalisation shows to be idle, and the canonical form makes cuts and
/// joins of subqueries within expressions, of which SQLite takes the first row anyway.
fn is_loose(schema: &Schema, sql: &str, semantics: &Semantics) -> bool {
    let planned = twinql_sql::parse(sql).and_then(|parsed| twinql_sql::plan(schema, &parsed));
    let Ok(written) = planned else { return false };
    let cut = |rel: &Rel| match rel {
        Rel::Sort { limit, offset, .. } => limit.is_some() || offset.is_some(),
        _ => false,
    };
    let keyless = |rel: &Rel| cut(rel) && matches!(rel, Rel::Sort { keys, .. } if keys.is_empty());
    let (cuts, repeats) = (written.query.rel.any(cut), has_product(&written.query.rel));
    (cuts || repeats)
        && canonical(schema, sql, Dialect::Sqlite, semantics).is_ok_and(|(form, _)| {
            let rel = &form.plan.query.rel;
            cuts && rel.any(keyless) || repeats && has_product(rel)
        })
}

/// Whether there is a join, outside of expressions, with inputs that no condition leads to.
fn has_product(rel: &Rel) -> bool {
    let (mut inputs, mut on) = (Vec::new(), Vec::new());
    joined(rel, &mut inputs, &mut on);
    if let [only] = inputs[..] {
        return only.inputs().into_iter().any(has_product)
            || only.arms().into_iter().any(|query| has_product(&query.rel));
    }
    !is_linked(&inputs, &on) || inputs.into_iter().any(has_product)
}

/// What a tree of joins and filters joins, and by which conditions.
fn joined<'a>(rel: &'a Rel, inputs: &mut Vec<&'a Rel>, on: &mut Vec<&'a Expr>) {
    match rel {
        Rel::Join { inputs: below, on: conditions } => {
            on.extend(conditions);
            below.iter().for_each(|rel| joined(rel, inputs, on));
        }
        Rel::Filter { input, predicate } => {
            on.extend(predicate);
            joined(input, inputs, on);
        }
        rel => inputs.push(rel),
    }
}

/// Whether conditions lead from each input of a join to each other one.
fn is_linked(inputs: &[&Rel], on: &[&Expr]) -> bool {
    let mut apart: Vec<ColumnSet> =
        inputs.iter().map(|input| input.outputs().into_iter().collect()).collect();
    for condition in on {
        let read = condition.free_columns();
        let (linked, mut rest): (Vec<_>, Vec<_>) =
            apart.into_iter().partition(|part| !part.is_disjoint(&read));
        if !linked.is_empty() {
            rest.push(linked.into_iter().flatten().collect());
        }
        apart = rest;
    }
    apart.len() <= 1
}

/// Whether the answer of the prediction depends on chance and that of the gold does not. `ORDER BY random()` where the
/// order says nothing is no chance: the canonical form does without it.
fn by_chance(schema: &Arc<Schema>, gold: &str, pred: &str, semantics: &Semantics) -> bool {
    let semantics = &*semantics.for_gold_text(schema, gold);
    draws(schema, pred, semantics) && !draws(schema, gold, semantics)
}

/// Whether the canonical form of a query calls a function whose value differs from call to call.
pub(super) fn draws(schema: &Schema, sql: &str, semantics: &Semantics) -> bool {
    let volatile =
        |node: Node<'_>| matches!(node, Node::Expr(Expr::Function { name, .. }) if is_volatile(name));
    // Nearly no query does, and its plan shows that at once.
    let planned = twinql_sql::parse(sql).and_then(|parsed| twinql_sql::plan(schema, &parsed));
    planned.is_ok_and(|plan| plan.query.any_deep(volatile))
        && canonical(schema, sql, Dialect::Sqlite, semantics)
            .is_ok_and(|(form, _)| form.plan.query.any_deep(volatile))
}
