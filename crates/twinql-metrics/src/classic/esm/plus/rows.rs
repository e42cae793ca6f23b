//! Rules over one block: DISTINCT, grouping, counting, sorting.

use std::collections::BTreeSet;

use super::facts::{Facts, equalities, plain};
use super::{EsmRule, own_terms};
use crate::classic::esm::clauses::{Block, Body, Item, Key, Op, Query, Term};

/// Rule 1.
pub(super) const EXTREME_ROW: EsmRule = EsmRule {
    number: 1,
    name: "extreme-row",
    before: "SELECT name FROM dog WHERE id = (SELECT MAX(id) FROM dog)",
    after: "SELECT name FROM dog ORDER BY id DESC LIMIT 1",
    assumes: "the compared column is unique and never NULL",
    apply: extreme_row,
    alike: &[(
        "SELECT name FROM dog WHERE (SELECT min(d.id) FROM dog d) = id",
        "SELECT name FROM dog ORDER BY id LIMIT 1",
    )],
    apart: &[
        (
            "SELECT name FROM dog WHERE id = (SELECT MIN(id) FROM dog)",
            "SELECT name FROM dog ORDER BY id DESC LIMIT 1",
        ),
        (
            "SELECT name FROM dog WHERE weight = (SELECT MAX(weight) FROM dog)",
            "SELECT name FROM dog ORDER BY weight DESC LIMIT 1",
        ),
    ],
};

fn extreme_row(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Some(block) = query.bare_block().filter(|b| plain(b) && !b.distinct) else { return false };
    let Some((_, table)) = facts.only_table(block) else { return false };
    let [Term::Test { op: Op::Eq, args }] = block.filter.as_slice() else { return false };
    let (column, inner) = match args.as_slice() {
        [c @ Term::Column { .. }, Term::Query(q)] | [Term::Query(q), c @ Term::Column { .. }] => (c, q),
        _ => return false,
    };
    let Some(inner) = inner.bare_block() else { return false };
    let same_rows = facts.only_table(inner).is_some_and(|(_, t)| t == table)
        && inner.filter.is_empty()
        && inner.group.is_empty()
        && inner.having.is_empty();
    let [selected] = inner.select.as_slice() else { return false };
    let Some((function @ ("min" | "max"), _, of)) = selected.aggregate() else { return false };
    let same_column = of.as_column().zip(column.as_column()).is_some_and(|((_, a), (_, b))| a == b);
    if !same_rows || !same_column || !facts.key(block, column) {
        return false;
    }
    let key = Key { term: column.clone(), descending: function == "max", nulls_first: None };
    query.order.push(key);
    query.limit = Some(Term::Number("1".to_owned()));
    if let Body::Block(block) = &mut query.body {
        block.filter.clear();
    }
    true
}

/// Rule 2.
pub(super) const DISTINCT: EsmRule = EsmRule {
    number: 2,
    name: "distinct",
    before: "SELECT DISTINCT id, name FROM dog",
    after: "SELECT id, name FROM dog",
    assumes: "one output column is unique and never NULL, and no join repeats its rows; in COUNT(DISTINCT c), c is unique",
    apply: distinct,
    alike: &[
        ("SELECT COUNT(DISTINCT tag) FROM dog", "SELECT COUNT(tag) FROM dog"),
        (
            "SELECT COUNT(DISTINCT T2.id) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 9",
            "SELECT COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 9",
        ),
    ],
    apart: &[
        ("SELECT DISTINCT tag FROM dog", "SELECT tag FROM dog"),
        (
            "SELECT COUNT(DISTINCT T1.id) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id",
            "SELECT COUNT(T1.id) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id",
        ),
    ],
};

fn distinct(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Some(block) = query.block() else { return false };
    let unique = columns(block, facts, |c| facts.unique(block, c) && facts.once(block, c));
    let keyed = block.distinct
        && plain(block)
        && block.select.iter().any(|t| facts.key(block, t) && facts.once(block, t));
    let mut changed = false;
    own_terms(query, &mut |term| {
        if let Term::Call { name, distinct: distinct @ true, args } = term
            && matches!(name.as_str(), "count" | "sum" | "avg" | "total")
            && args.iter().all(|a| unique.contains(a))
        {
            *distinct = false;
            changed = true;
        }
    });
    if let (Body::Block(block), true) = (&mut query.body, keyed) {
        block.distinct = false;
        changed = true;
    }
    changed
}

/// The columns of a block's tables of which `holds` is true.
fn columns(block: &Block, facts: &Facts<'_>, holds: impl Fn(&Term) -> bool) -> Vec<Term> {
    let mut out = Vec::new();
    for source in &block.from {
        let Item::Table(table) = source.item else { continue };
        let columns = facts.schema.tables.get(table).map(|t| t.columns.as_slice()).unwrap_or_default();
        out.extend(columns.iter().map(|c| Term::column(source.id, c.name.to_lowercase())).filter(&holds));
    }
    out
}

/// Rule 5.
pub(super) const GROUP_KEY: EsmRule = EsmRule {
    number: 5,
    name: "group-key",
    before: "SELECT T1.id, T1.name, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id, T1.name",
    after: "SELECT T1.id, T1.name, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id",
    assumes: "one group key is unique and never NULL: it determines the other columns of its table",
    apply: group_key,
    alike: &[
        ("SELECT name FROM dog GROUP BY id", "SELECT name FROM dog"),
        (
            "SELECT T1.name, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T2.owner_id, T1.name",
            "SELECT T1.name, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id",
        ),
    ],
    apart: &[
        (
            "SELECT T1.id, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id, T2.name",
            "SELECT T1.id, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id",
        ),
        ("SELECT COUNT(*) FROM dog GROUP BY tag, name", "SELECT COUNT(*) FROM dog GROUP BY tag"),
    ],
};

fn group_key(query: &mut Query, facts: &Facts<'_>) -> bool {
    let ordered = query.order.iter().any(|k| k.term.aggregates());
    let Body::Block(block) = &mut query.body else { return false };
    let source_of = |t: &Term| t.as_column().map(|(source, _)| source);
    if block.having.is_empty()
        && facts.only_table(block).is_some()
        && !ordered
        && !block.select.iter().any(Term::aggregates)
        && block.group.iter().any(|g| facts.key(block, g))
    {
        block.group.clear();
        return true;
    }
    // What an inner join equates with a key determines that key's table as well.
    let mut keys: Vec<(usize, usize)> = Vec::new();
    for (place, group) in block.group.iter().enumerate() {
        let equal = equalities(block).filter(|_| block.inner());
        let twins = equal.filter_map(|(a, b)| (a == group).then_some(b).or((b == group).then_some(a)));
        let known = std::iter::once(group).chain(twins).filter(|c| facts.key(block, c));
        keys.extend(known.filter_map(source_of).map(|source| (place, source)));
    }
    let before = block.group.len();
    let mut gone = BTreeSet::new();
    for (key, source) in keys {
        if !gone.contains(&key) {
            let of = block.group.iter().enumerate().filter(|(_, group)| source_of(group) == Some(source));
            gone.extend(of.map(|(place, _)| place).filter(|place| *place != key));
        }
    }
    let mut places = 0..;
    block.group.retain(|_| places.next().is_none_or(|place| !gone.contains(&place)));
    block.group.len() < before
}

/// Rule 7.
pub(super) const COUNT_NOT_NULL: EsmRule = EsmRule {
    number: 7,
    name: "count-not-null",
    before: "SELECT COUNT(owner_id) FROM dog",
    after: "SELECT COUNT(*) FROM dog",
    assumes: "the column is never NULL, and no outer join makes it so",
    apply: count_not_null,
    alike: &[(
        "SELECT miles FROM walk GROUP BY dog_id HAVING COUNT(miles) > 2",
        "SELECT miles FROM walk GROUP BY dog_id HAVING COUNT(*) > 2",
    )],
    apart: &[
        ("SELECT COUNT(weight) FROM dog", "SELECT COUNT(*) FROM dog"),
        (
            "SELECT COUNT(T2.id) FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id",
            "SELECT COUNT(*) FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id",
        ),
    ],
};

fn count_not_null(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Some(block) = query.block() else { return false };
    let never_null = columns(block, facts, |c| facts.never_null(block, c));
    let mut changed = false;
    own_terms(query, &mut |term| {
        if let Term::Call { name, distinct: false, args } = term
            && name == "count"
            && let [arg @ Term::Column { .. }] = args.as_mut_slice()
            && never_null.contains(arg)
        {
            *arg = Term::Star(None);
            changed = true;
        }
    });
    changed
}

/// Rule 8.
pub(super) const IS_NOT_NULL: EsmRule = EsmRule {
    number: 8,
    name: "is-not-null",
    before: "SELECT name FROM dog WHERE owner_id IS NOT NULL AND weight > 5",
    after: "SELECT name FROM dog WHERE weight > 5",
    assumes: "the column is never NULL, and no outer join makes it so",
    apply: is_not_null,
    alike: &[("SELECT miles FROM walk WHERE miles IS NOT NULL", "SELECT miles FROM walk")],
    apart: &[
        ("SELECT name FROM dog WHERE weight IS NOT NULL", "SELECT name FROM dog"),
        (
            "SELECT T1.name FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T2.id IS NOT NULL",
            "SELECT T1.name FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id",
        ),
    ],
};

fn is_not_null(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Block(block) = &mut query.body else { return false };
    let says_nothing = |term: &Term| {
        let Term::Not(inner) = term else { return false };
        let Term::Test { op: Op::Is, args } = inner.as_ref() else { return false };
        matches!(args.as_slice(), [column, Term::Null] if facts.never_null(block, column))
    };
    let kept: Vec<Term> = block.filter.iter().filter(|t| !says_nothing(t)).cloned().collect();
    let before = std::mem::replace(&mut block.filter, kept).len();
    block.filter.len() < before
}

/// Rule 9.
pub(super) const EXTREME_VALUE: EsmRule = EsmRule {
    number: 9,
    name: "extreme-value",
    before: "SELECT weight FROM dog ORDER BY weight DESC LIMIT 1",
    after: "SELECT MAX(weight) FROM dog",
    assumes: "the table is not empty; for the least value, the column is never NULL",
    apply: extreme_value,
    alike: &[("SELECT miles FROM walk ORDER BY miles LIMIT 1", "SELECT MIN(miles) FROM walk")],
    apart: &[
        ("SELECT weight FROM dog ORDER BY weight LIMIT 1", "SELECT MIN(weight) FROM dog"),
        (
            "SELECT miles FROM walk WHERE dog_id = 3 ORDER BY miles DESC LIMIT 1",
            "SELECT MAX(miles) FROM walk WHERE dog_id = 3",
        ),
        ("SELECT miles FROM walk ORDER BY miles DESC LIMIT 2", "SELECT MAX(miles) FROM walk"),
    ],
};

fn extreme_value(query: &mut Query, facts: &Facts<'_>) -> bool {
    let (Some(block), [key], Some(Term::Number(limit)), None) =
        (query.block(), query.order.as_slice(), &query.limit, &query.offset)
    else {
        return false;
    };
    let [column @ Term::Column { .. }] = block.select.as_slice() else { return false };
    let whole = facts.only_table(block).is_some() && block.filter.is_empty() && plain(block);
    let nulls = key.descending || facts.never_null(block, column);
    if !whole || !nulls || limit != "1" || key.term != *column || key.nulls_first.is_some() {
        return false;
    }
    let name = if key.descending { "max" } else { "min" }.to_owned();
    let extreme = Term::Call { name, distinct: false, args: vec![column.clone()] };
    query.order.clear();
    query.limit = None;
    if let Body::Block(block) = &mut query.body {
        block.select = vec![extreme];
        block.distinct = false;
    }
    true
}

/// Rule 10.
pub(super) const ALL_COLUMNS: EsmRule = EsmRule {
    number: 10,
    name: "all-columns",
    before: "SELECT * FROM walk",
    after: "SELECT id, dog_id, miles FROM walk",
    assumes: "the tables consist of these columns only",
    apply: all_columns,
    alike: &[(
        "SELECT T1.* FROM walk AS T1 JOIN dog AS T2 ON T1.dog_id = T2.id WHERE T2.name = 'Rex'",
        "SELECT T1.id, T1.dog_id, T1.miles FROM walk AS T1 JOIN dog AS T2 ON T1.dog_id = T2.id WHERE T2.name = 'Rex'",
    )],
    apart: &[("SELECT * FROM walk", "SELECT id, miles FROM walk")],
};

fn all_columns(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Block(block) = &mut query.body else { return false };
    let expand = |only: Option<usize>| -> Option<Vec<Term>> {
        let mut out = Vec::new();
        for source in block.from.iter().filter(|s| only.is_none_or(|id| s.id == id)) {
            let Item::Table(table) = source.item else { return None };
            let columns = &facts.schema.tables.get(table)?.columns;
            out.extend(columns.iter().map(|c| Term::column(source.id, c.name.to_lowercase())));
        }
        Some(out).filter(|o| !o.is_empty())
    };
    let mut select = Vec::with_capacity(block.select.len());
    let mut changed = false;
    for term in &block.select {
        let expanded = match term {
            Term::Star(only) => expand(*only),
            _ => None,
        };
        changed |= expanded.is_some();
        select.extend(expanded.unwrap_or_else(|| vec![term.clone()]));
    }
    block.select = select;
    changed
}
