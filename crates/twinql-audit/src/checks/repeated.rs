//! Sums and means over rows that a join repeats: the fan trap and the chasm trap.
//!
//! What is summed belongs to one table of a join (or to several: `price * amount`). The joined rows hold each of its
//! rows once if they are unique by its columns, together with the group keys. Otherwise there are two cases:
//!
//! - the rows are unique by another table's columns. An order line has one product, and the price of a product summed
//!   over order lines is counted once a line, which may be what was meant: a note. Nothing is said where that table is
//!   counted or grouped by.
//! - they are unique by no table's columns. Orders and payments of a customer are joined each with each, and a sum
//!   of either counts it once for each of the other, which nobody means: a warning. A mean is a note there too, as
//!   both tables may repeat the rows of the other about as often.

use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::print::to_sql;
use twinql_sql::tree::{NodeMut, Tree};
use twinql_sql::{AggFunc, AggregateCall, ColumnId, ColumnSet, Expr, Rel};

use super::limits::told_apart;
use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;
use crate::joined::{Joined, is_name};

pub(super) const SUM_OF_REPEATED_ROWS: Check = Check {
    id: "sum-of-repeated-rows",
    severity: Severity::Warning,
    summary: "a sum over rows that a join repeats",
    why: "A row that several rows of a joined table go with is summed once for each of them.",
    source: "the fan trap and the chasm trap of dimensional modelling",
    undetermined: false,
    finds: &[
        "SELECT sum(c.score) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
        "SELECT sum(c.score) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 100",
        "SELECT o.day, sum(o.total) FROM orders AS o LEFT JOIN line AS l ON l.order_id = o.id GROUP BY o.day",
        "SELECT c.id, sum(o.total), sum(l.amount) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id JOIN line AS l ON l.order_id = o.id GROUP BY c.id",
    ],
    misses: &[
        "SELECT sum(o.total) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.age > 30",
        "SELECT sum(l.amount) FROM orders AS o JOIN line AS l ON l.order_id = o.id WHERE o.total > 100",
        "SELECT sum(o.total) FROM orders AS o JOIN line AS l ON l.order_id = o.id WHERE l.product = 'nail'",
        "SELECT sum(score) FROM customer WHERE id IN (SELECT customer_id FROM orders)",
        "SELECT sum(o.total * l.amount) FROM orders AS o JOIN line AS l ON l.order_id = o.id",
        "SELECT o.id, l.product, sum(o.total) FROM orders AS o JOIN line AS l ON l.order_id = o.id GROUP BY o.id, l.product",
        "SELECT sum(CASE WHEN c.age > 30 THEN 1 ELSE 0 END) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
        "SELECT max(c.score) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
    ],
    apply: Apply::Plan(sums),
};

pub(super) const AVERAGE_OF_REPEATED_ROWS: Check = Check {
    id: "average-of-repeated-rows",
    severity: Severity::Warning,
    summary: "a mean over rows that a join repeats",
    why: "A row that several rows of a joined table go with weighs as much as there are of them.",
    source: "the fan trap and the chasm trap of dimensional modelling",
    undetermined: false,
    finds: &["SELECT avg(c.age) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id"],
    misses: &[
        "SELECT avg(o.total) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
        "SELECT avg(age) FROM customer WHERE id IN (SELECT customer_id FROM orders)",
        "SELECT c.id, avg(c.age) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id",
        "SELECT avg(a.total) FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id WHERE a.customer_id = 3",
    ],
    apply: Apply::Plan(means),
};

/// Finds SUM and TOTAL of what a join repeats; see above for what is certain and what may be meant.
fn sums(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    repeated(gold, sink, &[AggFunc::Sum, AggFunc::Total]);
}

/// Finds AVG of the same, which repeats change only if they repeat rows unequally.
fn means(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    repeated(gold, sink, &[AggFunc::Avg]);
}

/// Joined rows that are aggregated.
struct Aggregated<'a> {
    joined: Joined<'a>,
    /// The joined rows, but for those that an outer join fills up: what is NULL is not summed.
    inner: Rel,
    /// What is grouped by.
    keys: &'a [(ColumnId, Expr)],
    /// The aggregates over these rows.
    calls: &'a [(ColumnId, AggregateCall)],
}

/// The joins of the query that are aggregated.
fn aggregated<'a>(gold: &Gold<'a>) -> Vec<Aggregated<'a>> {
    let mut all = Vec::new();
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        let joined = Joined::of(input);
        if joined.sources.len() > 1 {
            all.push(Aggregated { inner: joined.inner(), joined, keys, calls });
        }
    }
    all
}

impl Aggregated<'_> {
    /// The columns that all rows of a group agree in.
    fn grouped_by(&self) -> ColumnSet {
        self.keys.iter().filter_map(|(_, e)| told_apart(e)).collect()
    }

    /// Sources that the keys or the calls read.
    fn put_out(&self) -> BTreeSet<usize> {
        let calls = self.calls.iter().flat_map(|(_, call)| call.exprs());
        let read = calls.chain(self.keys.iter().map(|(_, e)| e)).flat_map(Reads::reads).collect();
        self.joined.sources_of(&read)
    }

    /// Whether each joined row of a group has other rows of these sources, those included of which one row is meant.
    fn unique(&self, gold: &Gold<'_>, of: &BTreeSet<usize>, settled: &BTreeSet<usize>) -> bool {
        let columns = self.joined.columns(of.iter().chain(settled).copied());
        gold.lenient.is_unique(&self.inner, columns.into_iter().chain(self.grouped_by()))
    }

    /// Sources that are joined by their whole key, whatever its type is: one row of them goes with each of the others.
    fn by_key(&self, gold: &Gold<'_>) -> BTreeSet<usize> {
        let equal: ColumnSet = self.joined.equalities().into_iter().flatten().collect();
        let keyed = |source: &Rel| match source {
            Rel::Scan { table, columns } => gold.schema.tables.get(*table).is_some_and(|t| {
                let joined =
                    |key: &usize| columns.iter().any(|(id, column)| column == key && equal.contains(id));
                !t.primary_key.is_empty() && t.primary_key.iter().all(joined)
            }),
            _ => false,
        };
        (0..self.joined.sources.len())
            .filter(|&i| self.joined.sources.get(i).is_some_and(|s| keyed(s)))
            .collect()
    }

    /// Sources that the keys or a COUNT read.
    fn counted(&self) -> BTreeSet<usize> {
        let counts = self.calls.iter().filter(|(_, c)| matches!(c.func, AggFunc::Count | AggFunc::Bare));
        let read = counts.flat_map(|(_, call)| call.exprs()).chain(self.keys.iter().map(|(_, e)| e));
        self.joined.sources_of(&read.flat_map(Reads::reads).collect())
    }

    /// Whether the conditions in a call read the key of a source: each of them picks one of its rows.
    fn picked(&self, gold: &Gold<'_>, call: &AggregateCall, source: usize) -> bool {
        let read: ColumnSet = call.exprs().flat_map(Reads::reads).collect();
        match self.joined.sources.get(source) {
            Some(Rel::Scan { table, columns }) => gold.schema.tables.get(*table).is_some_and(|t| {
                let key = columns.iter().filter(|(_, column)| t.primary_key.contains(column));
                !t.primary_key.is_empty() && key.clone().all(|(id, _)| read.contains(id))
            }),
            _ => false,
        }
    }

    /// Sources of which one row is most likely meant: what is looked up or joined by a name, or by a key but
    /// for one column, and tables between two others, which have a row for each pair.
    fn settled(&self, gold: &Gold<'_>) -> BTreeSet<usize> {
        let named = |c: &ColumnId| is_name(gold, *c);
        let names: ColumnSet =
            self.joined.equalities().into_iter().filter(|pair| pair.iter().any(named)).flatten().collect();
        let put_out = self.put_out();
        let between = |i: &usize| !put_out.contains(i) && self.joined.neighbours(*i).len() > 1;
        let mut settled = self.joined.looked_up(gold);
        settled.extend(self.joined.sources_of(&names));
        settled.extend(self.joined.all_but_one(gold));
        settled.extend((0..self.joined.sources.len()).filter(between));
        settled
    }
}

/// The columns that a summed value is made of; a condition that only says whether a row counts is none of it.
fn values(e: &Expr, into: &mut ColumnSet) {
    match e {
        Expr::Column(c) => {
            into.insert(*c);
        }
        Expr::Case { branches, otherwise, .. } => {
            branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).for_each(|e| values(e, into));
        }
        Expr::Function { name, args, .. } if name == "iif" => {
            args.iter().skip(1).for_each(|e| values(e, into));
        }
        // A comparison is 1 or 0: its sum is a count of rows.
        Expr::Binary { op, .. } if op.is_comparison() => {}
        Expr::And(_) | Expr::Or(_) | Expr::InList { .. } | Expr::InSubquery { .. } => {}
        e => e.operands().into_iter().for_each(|e| values(e, into)),
    }
}

/// Shows sums, or means, of what a join repeats, the first of each aggregation.
fn repeated(gold: &Gold<'_>, sink: &mut Sink<'_>, functions: &[AggFunc]) {
    for rows in aggregated(gold) {
        let mut calls =
            rows.calls.iter().filter(|(_, call)| functions.contains(&call.func) && !call.distinct);
        let Some((id, call, found)) =
            calls.find_map(|(id, call)| Some((*id, call, rows.repeats(gold, call)?)))
        else {
            continue;
        };
        let names: Vec<String> = found.owners.iter().map(|i| rows.joined.name(gold, *i)).collect();
        let by = rows.joined.name(gold, found.by);
        let (counts, whole) = match call.func {
            AggFunc::Avg => ("weighs", "the mean"),
            _ => ("counts", "the sum"),
        };
        let reason = format!(
            "the join repeats a row of {} for each row of {by} that goes with it, and it {counts} in {whole} each time",
            names.join(", ")
        );
        let remedy = match rows.put_out().contains(&found.by) {
            true => format!("aggregate {by} in a subquery of its own"),
            false => format!("IN (SELECT … FROM {by}) instead of the join"),
        };
        let at = gold.column_place(id);
        sink.add(at, reason)
            .remedy(remedy)
            .mended(mended(gold, &rows, id, &found.owners))
            .only(found.severity);
    }
}

/// What a call aggregates several times.
struct Repeats {
    /// The sources of what is aggregated.
    owners: BTreeSet<usize>,
    /// The source that repeats their rows.
    by: usize,
    /// A warning where the rows are unique by no table, which nobody means.
    severity: Severity,
}

impl Aggregated<'_> {
    /// Whether a call aggregates rows that the join repeats.
    fn repeats(&self, gold: &Gold<'_>, call: &AggregateCall) -> Option<Repeats> {
        let joined = &self.joined;
        let keys = self.by_key(gold);
        let mut summed = ColumnSet::new();
        call.args.iter().for_each(|e| values(e, &mut summed));
        let owners = joined.sources_of(&summed);
        let apart = |i: usize| joined.sources.get(i).is_some_and(|s| gold.lenient.is_unique(s, s.outputs()));
        if owners.is_empty() || !owners.iter().all(|i| apart(*i)) || self.unique(gold, &owners, &keys) {
            return None;
        }
        let fixed = gold.lenient.determined(joined.rows, self.grouped_by());
        let all: BTreeSet<usize> = (0..joined.sources.len()).collect();
        let others = |i: usize| all.iter().copied().filter(|other| *other != i).collect();
        // A source repeats rows if the columns of all others do not tell the joined rows apart.
        let by = all
            .iter()
            .copied()
            .filter(|i| !owners.contains(i) && !keys.contains(i) && !self.unique(gold, &others(*i), &keys))
            .find(|i| keyed(gold, joined, *i))?;
        // The mean of one value is that value, and a mean of rows that are all repeated as often is the same.
        let mean = call.func == AggFunc::Avg;
        if mean && (summed.is_subset(&fixed) || !joined.tied(&owners, by, &fixed)) {
            return None;
        }
        let settled: BTreeSet<usize> = self.settled(gold).union(&keys).copied().collect();
        let grain = all.iter().any(|i| self.unique(gold, &BTreeSet::from([*i]), &settled));
        // A query about the rows of the other table, or one of its rows in each CASE.
        let about = grain && self.counted().contains(&by);
        if about || self.unique(gold, &owners, &settled) || self.picked(gold, call, by) {
            return None;
        }
        let severity = if mean || grain { Severity::Note } else { Severity::Warning };
        Some(Repeats { owners, by, severity })
    }
}

/// The source has a key that the schema tells: only then is it known that other columns of it may repeat.
fn keyed(gold: &Gold<'_>, joined: &Joined<'_>, source: usize) -> bool {
    match joined.sources.get(source) {
        Some(Rel::Scan { table, .. }) => {
            gold.schema.tables.get(*table).is_some_and(|t| !t.primary_key.is_empty() || !t.unique.is_empty())
        }
        _ => true,
    }
}

/// The query over distinct rows of what is summed, where nothing else is aggregated.
fn mended(
    gold: &Gold<'_>,
    rows: &Aggregated<'_>,
    call: ColumnId,
    owners: &BTreeSet<usize>,
) -> Option<String> {
    let mut kept = rows.grouped_by();
    for (_, e) in rows.keys {
        kept.extend(e.reads());
    }
    let grouped = kept.clone();
    for i in owners {
        let source = rows.joined.sources.get(*i)?;
        match source {
            Rel::Scan { table, columns } => {
                let key = &gold.schema.tables.get(*table)?.primary_key;
                let of_key = columns.iter().filter(|(_, c)| key.is_empty() || key.contains(c));
                kept.extend(of_key.map(|(id, _)| *id));
            }
            derived => kept.extend(derived.outputs()),
        }
    }
    let own = rows.joined.columns(owners.iter().copied());
    // Another aggregate, over the distinct rows, would be of other rows than it was: COUNT(*) counts joined rows.
    for (_, other) in rows.calls {
        let read: ColumnSet = other.exprs().flat_map(Reads::reads).collect();
        if other.args.is_empty() || !read.iter().all(|c| own.contains(c) || grouped.contains(c)) {
            return None;
        }
        kept.extend(read);
    }
    let mut plan = gold.plan.clone();
    plan.query.map_up_deep(|node| {
        if let NodeMut::Rel(Rel::Aggregate { input, calls, .. }) = node
            && calls.iter().any(|(id, _)| *id == call)
        {
            let below =
                std::mem::replace(&mut **input, Rel::Values { columns: Vec::new(), rows: Vec::new() });
            let exprs = kept.iter().map(|c| (*c, Expr::Column(*c))).collect();
            **input = Rel::Distinct { input: Box::new(Rel::Project { input: Box::new(below), exprs }) };
        }
    });
    to_sql(gold.schema, &plan).ok()
}
