//! Columns of a grouped query that are neither grouped by nor aggregated.

use std::collections::BTreeSet;

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, AggregateCall, ColumnId, Expr, Rel};

use super::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;

pub(super) const BARE_COLUMN: Check = Check {
    id: "bare-column",
    severity: Severity::Warning,
    summary: "a column that a group has several values of",
    why: "A column that is neither grouped by nor aggregated has the value of any row of its group; most systems refuse it.",
    source: "https://sqlite.org/lang_select.html#bareagg",
    undetermined: true,
    finds: &[
        "SELECT name, count(*) FROM customer GROUP BY city",
        "SELECT city, age FROM customer GROUP BY city HAVING count(*) > 1",
        "SELECT name, count(*) FROM customer",
    ],
    misses: &[
        "SELECT city, count(*) FROM customer GROUP BY city",
        "SELECT name, count(*) FROM customer GROUP BY id",
        "SELECT c.name, count(*) FROM customer AS c JOIN orders AS o ON c.id = o.customer_id GROUP BY o.customer_id",
        "SELECT city, count(*) FROM customer WHERE city = 'Bern'",
        "SELECT count(*) FROM customer ORDER BY age DESC LIMIT 1",
    ],
    apply: Apply::Plan(bare),
};

pub(super) const BARE_BESIDE_EXTREME: Check = Check {
    id: "bare-beside-extreme",
    severity: Severity::Warning,
    summary: "a column of the row with the extreme, of which there may be several",
    why: "Beside one MIN or MAX SQLite takes a bare column from a row that has it; where several rows do, from any of them, and other systems refuse the query.",
    source: "https://sqlite.org/lang_select.html#bareagg",
    undetermined: true,
    finds: &[
        "SELECT name, max(age) FROM customer",
        "SELECT city, name, min(age) FROM customer GROUP BY city",
    ],
    misses: &["SELECT city, max(age) FROM customer GROUP BY city", "SELECT name, max(id) FROM customer"],
    apply: Apply::Plan(beside_extreme),
};

fn bare(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    open(gold, false, &mut |column, at| {
        let name = gold.name(column);
        let merged =
            gold.text.keyword("GROUP").next().is_none() && gold.text.keyword("DISTINCT").next().is_some();
        let reason = match merged {
            true => format!("DISTINCT merges rows that may differ in {name}, by which they are sorted"),
            false => {
                format!("{name} is neither grouped by nor aggregated, and rows of one group may differ in it")
            }
        };
        sink.add(at, reason).remedy(format!("group by {name} too, or say which value is meant: min, max"));
    });
}

fn beside_extreme(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    open(gold, true, &mut |column, at| {
        let name = gold.name(column);
        let reason = format!(
            "several rows may have the extreme value and differ in {name}, which is then that of any of them"
        );
        sink.add(at, reason).remedy("compare with the extreme in a subquery: WHERE x = (SELECT max(x) …)");
    });
}

/// Shows bare columns of groupings that are open, those with an extreme beside them or those without.
fn open(gold: &Gold<'_>, extreme: bool, found: &mut dyn FnMut(ColumnId, std::ops::Range<usize>)) {
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        let mut by: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).collect();
        let single = single_extreme(calls);
        if single.is_some() != extreme {
            continue;
        }
        if let Some(Expr::Column(c)) = single {
            by.push(*c);
        }
        let determined = gold.lenient.determined(input, by.iter().copied());
        let unique = gold.lenient.is_unique(input, by);
        // One row is not ordered by anything.
        let read = if keys.is_empty() { Some(read_but_in_orders(gold)) } else { None };
        for (id, call) in calls.iter().filter(|(_, call)| call.func == AggFunc::Bare) {
            let [Expr::Column(c)] = call.args.as_slice() else { continue };
            if read.as_ref().is_some_and(|read| !read.contains(id)) {
                continue;
            }
            if !unique && !determined.contains(c) {
                // Where it is put out, or ordered by.
                let at = gold.found(&Expr::Column(*id)).or_else(|| gold.found(&Expr::Column(*c)));
                found(*c, at.unwrap_or_else(|| gold.text.whole()));
            }
        }
    }
}

/// The columns that an answer is made of: all that is read, but in the order of one row.
fn read_but_in_orders(gold: &Gold<'_>) -> BTreeSet<ColumnId> {
    let mut read: BTreeSet<ColumnId> =
        gold.queries().into_iter().flat_map(|(_, q)| q.output.clone()).collect();
    // Readers come before what they read.
    for rel in gold.relations() {
        match rel {
            Rel::Sort { input, .. } if gold.lenient.is_unique(input, []) => {}
            Rel::Project { exprs, .. } => {
                for (c, e) in exprs {
                    if read.contains(c) {
                        read.extend(e.reads());
                    }
                }
            }
            rel => rel.exprs().into_iter().for_each(|e| e.reads_into(&mut read)),
        }
    }
    read
}

/// The argument of the only MIN or MAX.
fn single_extreme(calls: &[(ColumnId, AggregateCall)]) -> Option<&Expr> {
    let mut all = calls.iter().filter(|(_, call)| matches!(call.func, AggFunc::Min | AggFunc::Max));
    match (all.next(), all.next()) {
        (Some((_, call)), None) => call.args.first(),
        _ => None,
    }
}
