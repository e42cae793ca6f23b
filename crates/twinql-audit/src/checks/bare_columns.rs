//! Columns of a grouped query that are neither grouped by nor aggregated.

use twinql_sql::columns::Reads;
use twinql_sql::{AggFunc, AggregateCall, ColumnId, ColumnSet, Expr, Rel};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::Gold;
use crate::joined::{Joined, is_name};

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
        "SELECT count(*) FROM (SELECT * FROM customer GROUP BY city HAVING count(*) > 1)",
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

/// Finds bare columns of a grouping without a lone MIN or MAX. It is certain where neither the group keys nor what the
/// keys of the schema imply decide the column; a name that most likely does makes it a note. That a bare column is of
/// the grouped table's row (`SELECT name … GROUP BY id`), or is read for nothing but the order of one row, is no
/// finding.
fn bare(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    open(gold, false, &mut |Open { column, at, named, merged }| {
        let name = gold.name(column);
        let reason = match (merged, named) {
            (true, _) => format!("DISTINCT merges rows that may differ in {name}, by which they are sorted"),
            (false, Some(by)) => format!(
                "{name} is neither grouped by nor aggregated, and has one value only if {} decides it, which nothing says",
                gold.name(by)
            ),
            (false, None) => {
                format!("{name} is neither grouped by nor aggregated, and rows of one group may differ in it")
            }
        };
        let said = sink
            .add(at, reason)
            .remedy(format!("group by {name} too, or say which value is meant: min, max"));
        if named.is_some() {
            said.only(Severity::Note);
        }
    });
}

/// Finds bare columns beside the only MIN or MAX, which SQLite takes from a row with the extreme. That is determined if
/// the extreme is unique in its group, as that of a key is; only otherwise may several rows have it.
fn beside_extreme(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    open(gold, true, &mut |Open { column, at, named, .. }| {
        let name = gold.name(column);
        let unless = named.map_or_else(String::new, |by| {
            format!(", unless {} decides it, which nothing says", gold.name(by))
        });
        let reason = format!(
            "several rows may have the extreme value and differ in {name}, which is then that of any of them{unless}"
        );
        let said = sink
            .add(at, reason)
            .remedy("compare with the extreme in a subquery: WHERE x = (SELECT max(x) …)");
        if named.is_some() {
            said.only(Severity::Note);
        }
    });
}

/// A bare column that is open.
struct Open {
    column: ColumnId,
    at: Option<std::ops::Range<usize>>,
    /// The name that most likely decides it.
    named: Option<ColumnId>,
    /// Rows are grouped by a DISTINCT, and the column is one that they are sorted by.
    merged: bool,
}

/// Shows bare columns of groupings that are open, those with an extreme beside them or those without.
fn open(gold: &Gold<'_>, extreme: bool, found: &mut dyn FnMut(Open)) {
    let read = read_but_in_orders(gold);
    for rel in gold.relations() {
        let Rel::Aggregate { input, keys, calls } = rel else { continue };
        // What one group has one value of: its keys, and beside an extreme the value of that.
        let mut by: Vec<ColumnId> = keys.iter().filter_map(|(_, e)| super::limits::told_apart(e)).collect();
        let single = single_extreme(calls);
        if single.is_some() != extreme {
            continue;
        }
        if let Some(Expr::Column(c)) = single {
            by.push(*c);
        }
        // By the lenient schema: a key that was left out would otherwise make findings of good queries.
        let determined = gold.lenient.determined(input, by.iter().copied());
        let unique = gold.lenient.is_unique(input, by.iter().copied());
        for (id, call) in calls.iter().filter(|(_, call)| call.func == AggFunc::Bare) {
            let [Expr::Column(c)] = call.args.as_slice() else { continue };
            if read.contains(id) && !unique && !determined.contains(c) {
                // Where it is put out, or ordered by.
                let at = gold.found(&Expr::Column(*id)).or_else(|| gold.found(&Expr::Column(*c)));
                let named = by_name(gold, input, calls, &by, *c);
                found(Open { column: *c, at, named, merged: merges(gold, keys, calls, *c) });
            }
        }
    }
}

/// Whether a grouping is that of a DISTINCT. Without GROUP BY it is where nothing is aggregated; and what is no column of
/// the schema was aggregated before.
fn merges(
    gold: &Gold<'_>,
    keys: &[(ColumnId, Expr)],
    calls: &[(ColumnId, AggregateCall)],
    column: ColumnId,
) -> bool {
    let plain = !keys.is_empty() && calls.iter().all(|(_, call)| call.func == AggFunc::Bare);
    let grouped = gold.text.keyword("GROUP").next().is_some();
    let made = gold.info(column).is_some_and(|info| info.origin.is_none());
    plain && gold.text.keyword("DISTINCT").next().is_some() && (!grouped || made)
}

/// The name by which rows are looked up or grouped that most likely decides a bare column: that of a table which is not
/// aggregated, or one that goes with it, as `station_name` does with `station_id`.
fn by_name(
    gold: &Gold<'_>,
    input: &Rel,
    calls: &[(ColumnId, AggregateCall)],
    by: &[ColumnId],
    column: ColumnId,
) -> Option<ColumnId> {
    let joined = Joined::of(input);
    let made = calls.iter().filter(|(_, call)| call.func != AggFunc::Bare);
    let aggregated: ColumnSet = made.flat_map(|(_, call)| call.exprs()).flat_map(Reads::reads).collect();
    let aggregated = joined.sources_of(&aggregated);
    let named = |c: &ColumnId| gold.info(*c).map(|info| info.name.to_ascii_lowercase());
    let of_column = named(&column)?;
    let goes_with = |name: &ColumnId| {
        let name = named(name)?;
        let stem = name.strip_suffix("name")?;
        let rest = of_column.strip_prefix(stem).filter(|_| !stem.is_empty())?;
        ["id", "code", "no", "number"].contains(&rest).then_some(())
    };
    let decides = |name: &ColumnId| {
        let source = joined.sources_of(&ColumnSet::from([*name]));
        let known = joined.columns(source.iter().copied()).into_iter().chain(by.iter().copied());
        joined.sources.len() > 1
            && source.is_disjoint(&aggregated)
            && gold.lenient.determined(input, known).contains(&column)
    };
    let names = gold.lenient.determined(input, []).into_iter().chain(by.iter().copied());
    names.filter(|c| is_name(gold, *c)).find(|name| goes_with(name).is_some() || decides(name))
}

/// The columns that an answer is made of: all that is read, but in the order of one row.
fn read_but_in_orders(gold: &Gold<'_>) -> ColumnSet {
    let mut read: ColumnSet = gold.queries().into_iter().flat_map(|(_, q)| q.output.clone()).collect();
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
