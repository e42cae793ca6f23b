//! What columns are called: `loan.member_id`, and `member#2.name` in the second use of a table.

use std::collections::BTreeMap;

use crate::expr::{AggregateCall, BinaryOp, Expr};
use crate::plan::Plan;
use crate::print::{self, Names};
use crate::rel::{ColumnId, Rel};
use crate::schema::Schema;

/// Levels that are shown.
pub(super) const MAX_DEPTH: usize = 100;

/// Names of columns, and of the tables that they come from.
#[derive(Debug, Default)]
pub(super) struct Called {
    /// Columns with their tables.
    pub(super) columns: Names,
    /// Columns alone, where their table is named beside them.
    pub(super) alone: Names,
    /// The table of each first column of a source.
    pub(super) sources: BTreeMap<ColumnId, String>,
    /// How often each name has been given.
    given: BTreeMap<String, usize>,
    /// Numbers of second and later uses.
    numbered: bool,
}

impl Called {
    /// The names of a plan's columns. Without `numbered`, all uses of a table are called the same,
    /// so that two plans can be compared.
    pub(super) fn new(schema: &Schema, plan: &Plan, numbered: bool) -> Called {
        let mut called = Called { numbered, ..Called::default() };
        called.sources_of(schema, plan, &plan.query.rel, 0);
        for (i, info) in plan.columns.iter().enumerate() {
            let id = ColumnId(i as u32);
            if called.columns.contains_key(&id) {
                continue;
            }
            let name = called.next(&info.name);
            called.columns.insert(id, name.clone());
            called.alone.insert(id, name);
        }
        called
    }

    /// `name`, or `name#2` the second time.
    fn next(&mut self, name: &str) -> String {
        let count = self.given.entry(name.to_ascii_lowercase()).or_insert(0);
        *count += 1;
        match *count {
            n if n > 1 && self.numbered => format!("{name}#{n}"),
            _ => name.to_owned(),
        }
    }

    fn sources_of(&mut self, schema: &Schema, plan: &Plan, rel: &Rel, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let source = match rel {
            Rel::Scan { table, columns } => {
                let name = schema.tables.get(*table).map_or("?", |t| t.name.as_str());
                Some((name, columns.iter().map(|(c, _)| *c).collect()))
            }
            Rel::TableFunction { name, columns, .. }
            | Rel::Recursive { name, columns, .. }
            | Rel::RecursiveRef { name, columns } => Some((name.as_str(), columns.clone())),
            _ => None,
        };
        if let Some((name, columns)) = source {
            let name = self.next(name);
            for id in columns {
                let column = id.info(&plan.columns).map_or("?", |c| c.name.as_str());
                self.sources.insert(id, name.clone());
                self.columns.insert(id, format!("{name}.{column}"));
                self.alone.insert(id, column.to_owned());
            }
        }
        for input in rel.inputs() {
            self.sources_of(schema, plan, input, depth + 1);
        }
        let inner = rel.exprs().into_iter().flat_map(Expr::subqueries);
        for query in rel.arms().into_iter().chain(inner) {
            self.sources_of(schema, plan, &query.rel, depth + 1);
        }
    }
}

/// An expression turned so that what says the same reads the same: `A = B` and `B = A`, `A > B` and
/// `B < A`, conjunctions and lists in another order.
pub(super) fn oriented(e: &Expr, names: &Names) -> Expr {
    let mut e = e.clone();
    orient(&mut e, names);
    e
}

/// [`oriented`] for an aggregate.
pub(super) fn oriented_call(call: &AggregateCall, names: &Names) -> AggregateCall {
    let mut call = call.clone();
    for e in call.args.iter_mut().chain(&mut call.filter) {
        orient(e, names);
    }
    call
}

fn orient(e: &mut Expr, names: &Names) {
    let text = |e: &Expr| print::shallow(e, names);
    e.map(|e| {
        match e {
            Expr::Binary { op: op @ (BinaryOp::Gt | BinaryOp::GtEq), left, right } => {
                *op = op.flipped().unwrap_or(*op);
                std::mem::swap(left, right);
            }
            Expr::Binary { op, left, right } if op.is_commutative() && text(right) < text(left) => {
                std::mem::swap(left, right);
            }
            Expr::And(list) | Expr::Or(list) | Expr::InList { list, .. } => list.sort_by_cached_key(text),
            _ => {}
        }
        false
    });
}
