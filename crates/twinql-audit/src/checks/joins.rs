//! Joins that join what does not belong together.

use std::collections::BTreeSet;

use twinql_sql::{BinaryOp, ColumnRef, Expr, ForeignKey, Rel};

use crate::check::{Apply, Check, Sink};
use crate::finding::Severity;
use crate::gold::{Block, Gold};

pub(super) const JOIN_WITHOUT_CONDITION: Check = Check {
    id: "join-without-condition",
    severity: Severity::Warning,
    summary: "tables that no condition joins",
    why: "Without a condition each row of one table goes with each row of the other.",
    source: "373 of some 19,000 joins in benchmarks and published predictions have no ON",
    undetermined: false,
    finds: &["SELECT c.name FROM customer AS c JOIN orders AS o WHERE o.total > 100"],
    misses: &[
        "SELECT c.name FROM customer AS c, orders AS o WHERE o.customer_id = c.id",
        "SELECT c.name FROM customer AS c, (SELECT max(age) AS m FROM customer) AS x WHERE c.age > x.m / 2",
        "SELECT c.name, x.m FROM customer AS c, (SELECT max(age) AS m FROM customer) AS x",
        "SELECT c.name, x.product FROM customer AS c CROSS JOIN (SELECT DISTINCT product FROM line) AS x",
    ],
    apply: Apply::Plan(without_condition),
};

pub(super) const SELF_COMPARISON: Check = Check {
    id: "self-comparison",
    severity: Severity::Warning,
    summary: "a column compared with itself",
    why: "A column is equal to itself in every row in which it is not NULL, so the condition says nothing of what it was meant for.",
    source: "a slip in aliases",
    undetermined: false,
    finds: &["SELECT c.name FROM customer AS c JOIN orders AS o ON c.id = c.id"],
    misses: &["SELECT a.name FROM customer AS a JOIN customer AS b ON a.id = b.id"],
    apply: Apply::Plan(with_itself),
};

pub(super) const OTHER_JOIN_COLUMN: Check = Check {
    id: "other-join-column",
    severity: Severity::Warning,
    summary: "two tables joined by other columns than their foreign key",
    why: "The schema says by which columns one table refers to the other; keys of different things that happen to be equal join rows that have nothing to do with each other.",
    source: "annotation errors of BIRD and Spider that third parties list",
    undetermined: false,
    finds: &["SELECT c.name FROM customer AS c JOIN orders AS o ON c.id = o.id"],
    misses: &[
        "SELECT c.name FROM customer AS c JOIN orders AS o ON c.id = o.customer_id",
        "SELECT a.id FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id",
        "SELECT c.name FROM customer AS c JOIN line AS l ON l.product = c.name",
    ],
    apply: Apply::Plan(other_column),
};

/// The blocks of the query that join.
fn joined<'a>(gold: &Gold<'a>) -> impl Iterator<Item = Block<'a>> {
    gold.blocks().into_iter().filter(|block| block.leaves.len() > 1)
}

/// Finds blocks whose tables fall into groups that no condition ties together. It is certain that each row of one goes
/// with each of the other. Someone who writes CROSS JOIN means that, and a table with one row, of its own or by its
/// conditions, adds a value to every row.
fn without_condition(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    // Who writes CROSS JOIN means it.
    if gold.text.keyword("CROSS").next().is_some() {
        return;
    }
    for block in joined(gold) {
        // Leaves that a condition reads together fall into one group.
        let mut group: Vec<usize> = (0..block.leaves.len()).collect();
        for e in &block.conjuncts {
            let read = block.read_by(e);
            if let Some(&first) = read.first() {
                let to = group.get(first).copied().unwrap_or(first);
                let joined: Vec<usize> = read.iter().filter_map(|i| group.get(*i).copied()).collect();
                group.iter_mut().filter(|g| joined.contains(g)).for_each(|g| *g = to);
            }
        }
        // A single row goes with every row on purpose.
        let several = |i: usize| {
            block.leaves.get(i).is_some_and(|leaf| {
                !gold.lenient.is_unique(leaf, [])
                    && !gold.lenient.is_unique(
                        &Rel::Filter {
                            input: Box::new((*leaf).clone()),
                            predicate: block
                                .conjuncts
                                .iter()
                                .filter(|e| block.read_by(e) == BTreeSet::from([i]))
                                .map(|e| (*e).clone())
                                .collect(),
                        },
                        [],
                    )
            })
        };
        let apart: BTreeSet<usize> =
            (0..block.leaves.len()).filter(|&i| several(i)).filter_map(|i| group.get(i).copied()).collect();
        if apart.len() > 1 {
            let names: Vec<String> = block.leaves.iter().filter_map(|leaf| table(gold, leaf)).collect();
            let reason = format!(
                "no condition joins all of {}: each row of one goes with each of the other",
                names.join(", ")
            );
            sink.add(gold.text.only("JOIN"), reason).remedy("say by which columns they belong together");
        }
    }
}

/// The name of a leaf, if it is a table.
fn table(gold: &Gold<'_>, leaf: &Rel) -> Option<String> {
    match leaf {
        Rel::Scan { table, .. } => gold.schema.tables.get(*table).map(|t| t.name.clone()),
        _ => None,
    }
}

/// Finds a comparison of a column with itself in one row, which is a slip in aliases. Two scans of one table have
/// different columns here, so that a self-join is none.
fn with_itself(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for e in gold.expressions() {
        let Expr::Binary { op, left, right } = e else { continue };
        if op.is_comparison() && left == right && matches!(**left, Expr::Column(_)) {
            sink.add(gold.place(e), "both sides are the same column of the same row")
                .remedy("look at the aliases");
        }
    }
}

/// The columns that two tables are joined by, pairs by position, and the tables.
fn other_column(gold: &Gold<'_>, sink: &mut Sink<'_>) {
    for block in joined(gold) {
        let equalities: Vec<(&Expr, ColumnRef, ColumnRef, BTreeSet<usize>)> = block
            .conjuncts
            .iter()
            .filter_map(|e| {
                let Expr::Binary { op: BinaryOp::Eq, left, right } = e else { return None };
                let (Expr::Column(a), Expr::Column(b)) = (&**left, &**right) else { return None };
                let origin = |c: &twinql_sql::ColumnId| gold.info(*c)?.origin;
                Some((*e, origin(a)?, origin(b)?, block.read_by(e)))
            })
            .collect();
        for (e, a, b, leaves) in &equalities {
            let scans = leaves.iter().all(|i| matches!(block.leaves.get(*i), Some(Rel::Scan { .. })));
            // Keys of two things; the only condition that joins them.
            let alone = equalities.iter().filter(|(_, _, _, other)| other == leaves).count() == 1;
            if a.table == b.table || leaves.len() != 2 || !scans || !alone {
                continue;
            }
            let references = references(gold, *a, *b);
            let own = |c: &ColumnRef| is_key(gold, *c);
            let related = references.iter().any(|(key, owner)| uses(key, *owner, *a, *b));
            if !references.is_empty() && !related && own(a) && own(b) && !shared(gold, *a, *b) {
                let (key, owner) = match references.first() {
                    Some((key, owner)) => (*key, *owner),
                    None => continue,
                };
                let name = |table: usize, columns: &[usize]| {
                    let names =
                        columns.iter().map(|&column| gold.schema.name_of(ColumnRef { table, column }));
                    names.collect::<Vec<_>>().join(", ")
                };
                let (from, to) = (name(owner, &key.columns), name(key.target, &key.target_columns));
                let reason = format!(
                    "{} and {} are keys of different things; {from} refers to {to}",
                    gold.schema.name_of(*a),
                    gold.schema.name_of(*b)
                );
                sink.add(gold.place(e), reason).remedy(format!("{from} = {to}"));
            }
        }
    }
}

/// Foreign keys between the tables of two columns, with their owners.
fn references<'a>(gold: &Gold<'a>, a: ColumnRef, b: ColumnRef) -> Vec<(&'a ForeignKey, usize)> {
    let of = |owner: usize, target: usize| {
        let keys = gold.schema.tables.get(owner).map_or(&[][..], |t| &t.foreign_keys);
        keys.iter().filter(move |k| k.target == target).map(move |k| (k, owner))
    };
    of(a.table, b.table).chain(of(b.table, a.table)).collect()
}

/// Whether one of the two columns belongs to a foreign key between their tables, on either side of it together.
fn uses(key: &ForeignKey, owner: usize, a: ColumnRef, b: ColumnRef) -> bool {
    let (from, to) = if a.table == owner { (a, b) } else { (b, a) };
    key.columns.iter().zip(&key.target_columns).any(|(f, t)| *f == from.column && *t == to.column)
}

/// A column is its table's whole key, and nothing else is said of it.
fn is_key(gold: &Gold<'_>, c: ColumnRef) -> bool {
    gold.schema.tables.get(c.table).is_some_and(|t| t.primary_key == [c.column])
}

/// The two columns are keys of one thing: one refers to the other, both refer to one, or have one name that tells more
/// than `id`.
fn shared(gold: &Gold<'_>, a: ColumnRef, b: ColumnRef) -> bool {
    let targets = |c: ColumnRef| gold.schema.sole_references(c).chain([c]).collect::<BTreeSet<_>>();
    let name = |c: ColumnRef| gold.schema.column(c).map(|column| column.name.to_ascii_lowercase());
    let same_name = name(a) == name(b) && name(a).is_some_and(|n| n != "id");
    same_name || !targets(a).is_disjoint(&targets(b))
}
