//! Whether databases had as many rows as the queries count to: a LIMIT that cuts nothing tells no order from another.

use sqlparser::ast::{Expr, LimitClause, Query};

use crate::execute::Answer;
use crate::facts::{Facts, constant};
use crate::generate::bounds::AFFORDABLE;
use crate::text::Ready;
use twinql_sql::Value;

/// LIMITs up to which the usual databases have rows enough.
const USUAL: i64 = 12;

/// How far two queries count, and how far their databases went.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// The largest LIMIT of the two as wholes.
    limit: i64,
    /// A number that one of them counts to, above what any database has.
    beyond: Option<i64>,
    /// Rows of the gold's longest answer.
    most: usize,
}

impl Reach {
    pub(super) fn of(facts: &[Facts], sides: [&Ready<'_>; 2]) -> Reach {
        let asts = sides.into_iter().filter_map(|side| side.ast.as_ref());
        let limit = asts.filter_map(outermost_limit).max().unwrap_or(0);
        let counts = facts.iter().flat_map(|f| f.counts.iter().chain(&f.limits));
        Reach { limit, beyond: counts.copied().filter(|&n| n > AFFORDABLE).max(), most: 0 }
    }

    /// Takes note of an answer of the gold.
    pub(super) fn note(&mut self, answer: &Answer) {
        self.most = self.most.max(answer.rows.len());
    }

    /// Why agreement says nothing, if it does not.
    pub(super) fn untested(&self) -> Option<String> {
        if let Some(n) = self.beyond {
            return Some(format!("the queries count to {n}, more rows than any database here has"));
        }
        let cut = self.limit <= USUAL || self.most as i64 >= self.limit;
        (!cut).then(|| {
            let (limit, most) = (self.limit, self.most);
            format!("LIMIT {limit} cut no answer: the gold gave {most} rows at most")
        })
    }

    /// No further database has more rows.
    pub(super) fn is_final(&self) -> bool {
        self.beyond.is_some()
    }
}

/// The LIMIT of a query as a whole.
fn outermost_limit(query: &Query) -> Option<i64> {
    let limit: &Expr = match query.limit_clause.as_ref()? {
        LimitClause::LimitOffset { limit, offset: _, limit_by: _ } => limit.as_ref()?,
        LimitClause::OffsetCommaLimit { offset: _, limit } => limit,
    };
    match constant(limit)? {
        Value::Integer(n) => Some(n),
        _ => None,
    }
}
