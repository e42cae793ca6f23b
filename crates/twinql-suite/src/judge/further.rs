//! What is done where no database told two queries apart and none tested them either.

use sqlparser::ast::{BinaryOperator, Expr, Query, SetExpr};
use twinql_sql::{Proof, prove};

use super::trial::{PAIR, Trial};
use super::verdict::Verdict;
use super::{Course, Judge};
use crate::execute::Sandbox;
use crate::generate::Generator;

/// Further databases that are tried for a gold that has not answered: with more rows than the
/// usual ones, and of kinds that are seldom of use.
const FURTHER: u64 = 100;
/// The number of the first of them.
const FROM: u64 = 1_000;
/// Databases on which a gold without one of its conditions is tried, to name that condition.
const ASKED: u64 = 40;
/// Conditions that are looked at.
const MAX_CONDITIONS: usize = 12;

impl Judge {
    /// The verdict on a pair that the usual databases did not tell apart: tries further databases
    /// if they did not test it, then a proof.
    pub(super) fn tested(
        &self,
        trial: &mut Trial<'_>,
        course: &mut Course,
        generator: Generator<'_>,
        [gold, pred]: [String; 2],
    ) -> Verdict {
        let verdict = course.verdict();
        if !matches!(verdict, Verdict::Same { .. }) || self.why(trial, course).is_none() {
            return verdict;
        }
        if let Ok(Proof::Equal(_)) = prove(&self.schema, &gold, &pred, &self.config.semantics) {
            return verdict;
        }
        let generator = generator.thorough();
        let further = if course.reach.is_final() { 0 } else { FURTHER };
        for index in FROM..FROM + further {
            let Some(database) = generator.database(index) else {
                continue;
            };
            if let Some(verdict) = self.step(&generator, trial, course, (index, database)) {
                return verdict;
            }
            if trial.exhausted() {
                break;
            }
            if course.gold.enough() && self.why(trial, course).is_none() {
                return course.verdict();
            }
        }
        let verdict = course.verdict();
        let Some(mut reason) = self.why(trial, course) else {
            return verdict;
        };
        if !course.standing.answered()
            && let Some(condition) = unmet(&self.sandbox, &generator, &gold)
        {
            reason.push_str(&format!("; no database met its condition {condition}"));
        }
        Verdict::Untested { databases: course.standing.agreed(), reason }
    }

    /// Why agreement so far says nothing, if it does not.
    fn why(&self, trial: &mut Trial<'_>, course: &Course) -> Option<String> {
        let untested = trial.ring.untested(PAIR, &course.gold, course.standing.agreed());
        untested.or_else(|| course.reach.untested())
    }
}

/// A condition of the outermost WHERE without which the gold answers.
fn unmet(sandbox: &Sandbox, generator: &Generator<'_>, gold: &str) -> Option<String> {
    let query = *twinql_sql::parse(gold).ok()?.query;
    let count = conditions(&query).len().min(MAX_CONDITIONS);
    let mut loader = sandbox.loader(generator.tables()).ok()?;
    let mut weaker = Vec::new();
    for at in 0..count {
        let (text, condition) = without(&query, at)?;
        let mut prepared = sandbox.prepare(&text).ok()?;
        loader.load(&crate::Database::default()).ok()?;
        let nothing = prepared.run(0).ok();
        weaker.push((prepared, nothing, condition));
    }
    for index in 0..ASKED {
        let Some(database) = generator.database(index) else {
            continue;
        };
        loader.load(&database).ok()?;
        for (prepared, nothing, condition) in &mut weaker {
            if prepared.run(0).is_ok_and(|answer| Some(&answer) != nothing.as_ref()) {
                return Some(condition.clone());
            }
        }
    }
    None
}

/// The conjuncts of the outermost WHERE.
fn conditions(query: &Query) -> Vec<Expr> {
    let SetExpr::Select(select) = &*query.body else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if let Some(condition) = &select.selection {
        conjuncts(condition, &mut out);
    }
    out
}

fn conjuncts(condition: &Expr, out: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        Expr::Nested(inner) => conjuncts(inner, out),
        other => out.push(other.clone()),
    }
}

/// The query without its condition number `at`, and that condition.
fn without(query: &Query, at: usize) -> Option<(String, String)> {
    let mut parts = conditions(query);
    let dropped = (at < parts.len()).then(|| parts.remove(at))?;
    let mut query = query.clone();
    let SetExpr::Select(select) = &mut *query.body else {
        return None;
    };
    let and = |left: Expr, right: Expr| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(Expr::Nested(Box::new(right))),
    };
    select.selection = parts.into_iter().map(|part| Expr::Nested(Box::new(part))).reduce(and);
    Some((query.to_string(), dropped.to_string()))
}
