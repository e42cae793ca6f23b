//! Rows that a join repeats, and that are then counted.

use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, AggregateCall, Assumption, BinaryOp, ColumnId, ColumnSet, Expr, Rel, Value};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Block, Gold};

pub(super) const COUNT_OF_REPEATED_KEY: Check = Check {
    id: "count-of-repeated-key",
    severity: Severity::Note,
    summary: "COUNT of a key that a join repeats",
    why: "A row that several rows of the joined table go with is counted once for each of them; COUNT(DISTINCT …) counts it once.",
    source: "annotation errors of BIRD that third parties list",
    undetermined: false,
    finds: &[
        "SELECT count(c.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 100",
    ],
    misses: &[
        "SELECT count(DISTINCT c.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 100",
        "SELECT c.name, count(c.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
        "SELECT count(o.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.age > 30",
        "SELECT count(*) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 100",
        "SELECT count(c.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total = 100",
    ],
    apply: Apply::Plan(counts),
};

pub(super) const GROUPS_OF_ONE_ROW: Check = Check {
    id: "groups-of-one-row",
    severity: Severity::Warning,
    summary: "a count over groups that have one row each",
    why: "Where the group's key is unique every group has one row, so that each count is 1.",
    source: "functional dependencies, Paulley and Larson 1994",
    undetermined: false,
    finds: &[
        "SELECT name, count(*) FROM customer GROUP BY id",
        "SELECT id FROM orders GROUP BY id ORDER BY count(*) DESC LIMIT 1",
    ],
    misses: &[
        "SELECT customer_id, count(*) FROM orders GROUP BY customer_id",
        "SELECT c.id, count(*) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
        "SELECT id, max(age) FROM customer GROUP BY id",
    ],
    apply: Apply::Plan(single),
};

pub(super) const COUNT_OF_EVERY_CASE: Check = Check {
    id: "count-of-every-case",
    severity: Severity::Warning,
    summary: "COUNT of a condition, or of a CASE that always has a value",
    why: "COUNT counts what is not NULL, and neither 0 nor a condition that is false is NULL: rows that do not meet the condition are counted too.",
    source: "https://sqlite.org/lang_aggfunc.html#count; annotation errors of BIRD that third parties list",
    undetermined: false,
    finds: &[
        "SELECT count(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer",
        "SELECT count(iif(city = 'Bern', 1, 0)) * 100.0 / count(*) FROM customer",
        "SELECT city, count(age > 30) FROM customer GROUP BY city",
    ],
    misses: &[
        "SELECT count(CASE WHEN age > 30 THEN 1 END) FROM customer",
        "SELECT sum(CASE WHEN age > 30 THEN 1 ELSE 0 END) FROM customer",
        "SELECT count(CASE WHEN age > 30 THEN id ELSE NULL END) FROM customer",
        "SELECT count(DISTINCT CASE WHEN age > 30 THEN 'old' ELSE 'young' END) FROM customer",
    ],
    apply: Apply::Plan(every_case),
};

/// An inner join that is aggregated: its block, its keys and its calls.
struct Grouped<'a> {
    /// What is joined, and by which conditions.
    block: Block<'a>,
    /// The joined rows, as the aggregate gets them.
    input: &'a Rel,
    /// What is grouped by.
    keys: &'a [(ColumnId, Expr)],
    /// The aggregates.
    calls: &'a [(ColumnId, AggregateCall)],
}

/// The aggregates over inner joins of tables. Derived tables are left out: what of their rows repeats is theirs to say.
fn grouped<'a>(gold: &Gold<'a>) -> Vec<Grouped<'a>> {
    let mut all = Vec::new();
    for rel in gold.relations() {
        if let Rel::Aggregate { input, keys, calls } = rel {
            let block = Block::of(input);
            if block.leaves.len() > 1 && block.leaves.iter().all(|leaf| matches!(leaf, Rel::Scan { .. })) {
                all.push(Grouped { block, input, keys, calls });
            }
        }
    }
    all
}

impl Grouped<'_> {
    /// The leaf that a column is of.
    fn leaf_of(&self, c: ColumnId) -> Option<usize> {
        self.block.leaves.iter().position(|leaf| leaf.output_set().contains(&c))
    }

    /// Leaves that the group keys, the calls or a condition of their own read.
    fn used(&self, but: Option<&AggregateCall>) -> BTreeSet<usize> {
        let calls = self
            .calls
            .iter()
            .map(|(_, call)| call)
            .filter(|call| !but.is_some_and(|but| std::ptr::eq(*call, but)));
        let read = calls.flat_map(AggregateCall::exprs).chain(self.keys.iter().map(|(_, e)| e));
        let read: ColumnSet = read.flat_map(Reads::reads).collect();
        let mut used: BTreeSet<usize> = read.iter().filter_map(|c| self.leaf_of(*c)).collect();
        used.extend(self.filtered());
        used
    }

    /// Leaves with a condition that is no equality of columns of two of them.
    fn filtered(&self) -> BTreeSet<usize> {
        let joins = |e: &&&Expr| {
            matches!(e, Expr::Binary { op: BinaryOp::Eq, left, right }
                if matches!((&**left, &**right), (Expr::Column(_), Expr::Column(_))))
                && self.block.read_by(e).len() > 1
        };
        let conditions = self.block.conjuncts.iter().filter(|e| !joins(e));
        conditions.flat_map(|e| self.block.read_by(e)).collect()
    }

    /// Leaves of which one row is most likely meant: those that are looked up by a value, and tables between two others,
    /// which have one row for each pair.
    fn settled(&self) -> Vec<usize> {
        let looked_up = |i: usize| {
            let own = BTreeSet::from([i]);
            self.block.conjuncts.iter().any(|e| {
                matches!(e, Expr::Binary { op: BinaryOp::Eq | BinaryOp::Like, left, right }
                    if matches!((&**left, &**right), (Expr::Column(_), Expr::Literal(_))))
                    && self.block.read_by(e) == own
            })
        };
        let between = |i: usize| self.neighbours(i).len() > 1;
        (0..self.block.leaves.len()).filter(|&i| looked_up(i) || between(i)).collect()
    }

    /// Leaves that a condition joins with this one.
    fn neighbours(&self, leaf: usize) -> BTreeSet<usize> {
        let touching =
            self.block.conjuncts.iter().map(|e| self.block.read_by(e)).filter(|read| read.contains(&leaf));
        touching.flatten().filter(|other| *other != leaf).collect()
    }

    /// The columns of a leaf.
    fn columns(&self, leaf: usize) -> ColumnSet {
        self.block.leaves.get(leaf).map(|rel| rel.output_set()).unwrap_or_default()
    }
}

/// Finds COUNT of a key that a join repeats. It is certain that rows are counted several times, but not that this was
/// not meant: so the count has to be the only output, its table has no other use, and another table is filtered.
/// COUNT(*), groups, and a table of which one row is looked up are no findings.
fn counts(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for grouped in grouped(gold) {
        for (id, call) in grouped.calls {
            let [Expr::Column(c)] = call.args.as_slice() else { continue };
            let Some(leaf) = grouped.leaf_of(*c) else { continue };
            let columns = grouped.columns(leaf);
            let Some(rel) = grouped.block.leaves.get(leaf) else { continue };
            let counted = call.func == AggFunc::Count && !call.distinct && gold.known.is_unique(rel, [*c]);
            let settled = grouped.settled().into_iter().flat_map(|i| grouped.columns(i));
            let by = columns.into_iter().chain(settled).chain(grouped.keys.iter().map(|(k, _)| *k));
            // The counted table does nothing but be counted, and another is filtered: then its rows are what is meant.
            let alone = grouped.calls.len() == 1 && grouped.keys.is_empty() && !grouped.filtered().is_empty();
            if !counted
                || !alone
                || gold.lenient.is_unique(grouped.input, by)
                || grouped.used(Some(call)).contains(&leaf)
            {
                continue;
            }
            let at = gold.column_place(*id);
            let written = gold.text.at(&at);
            let mended = written.find('(').map(|i| {
                let (head, rest) = written.split_at(i + 1);
                gold.text.with(&at, &format!("{head}DISTINCT {}", rest.trim_start()))
            });
            let reason = format!(
                "the join repeats a {} for each row that goes with it, and each time it is counted",
                gold.name(*c)
            );
            sink.add(at, reason).remedy("COUNT(DISTINCT …)").mended(mended);
        }
    }
}

/// Finds a count over groups that a declared key makes single rows. What foreign keys would make unique does not do
/// here, for it may be left out. An aggregate that a condition filters counts to 0 or 1, and says something.
fn single(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        let by: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).collect();
        if by.is_empty()
            || !gold.known.is_unique(input, by.iter().copied())
            || gold.known.is_unique(input, [])
        {
            continue;
        }
        // MIN, MAX and SUM of one row are its value, which people write to satisfy other systems.
        let counts = calls.iter().find(|(_, c)| c.func == AggFunc::Count && c.filter.is_none());
        if let Some((id, _)) = counts {
            let at = gold.column_place(*id);
            let names: Vec<String> = by.iter().map(|c| gold.name(*c)).collect();
            let reason = format!(
                "{} is unique, so that every group has one row and each count is 1 at most",
                names.join(", ")
            );
            sink.add(at, reason).assumes(&[Assumption::Keys]);
        }
    }
}

/// Finds COUNT of conditions. COUNT(DISTINCT …) of a CASE counts its kinds, which may be meant.
fn every_case(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    let valued = |e: &Expr| matches!(e, Expr::Literal(value) if *value != Value::Null);
    let calls = gold.relations().into_iter().filter_map(|rel| match rel {
        Rel::Aggregate { calls, .. } => Some(calls),
        _ => None,
    });
    for (id, call) in calls.flatten() {
        let [argument] = call.args.as_slice() else { continue };
        let reason = match argument {
            Expr::Binary { op, .. } if op.is_comparison() => {
                "a row is counted whether or not it meets the condition"
            }
            Expr::Case { branches, otherwise: Some(otherwise), .. }
                if valued(otherwise) && branches.iter().all(|(_, then)| valued(then)) =>
            {
                "the CASE has a value for every row, and COUNT counts each"
            }
            Expr::Function { name, args }
                if name == "iif" && args.len() == 3 && args.iter().skip(1).all(valued) =>
            {
                "the IIF has a value for every row, and COUNT counts each"
            }
            _ => continue,
        };
        if call.func == AggFunc::Count && !call.distinct {
            let at = gold.column_place(*id);
            sink.add(at, reason).remedy("SUM(CASE WHEN … THEN 1 ELSE 0 END)");
        }
    }
}
