//! Rules over joins and the subqueries that stand for them.

use std::collections::BTreeSet;

use super::EsmRule;
use super::facts::{Facts, equality, plain};
use crate::classic::esm::clauses::{Block, Body, Item, Op, Query, Term};

/// Rule 12.
pub(super) const IN_AS_JOIN: EsmRule = EsmRule {
    number: 12,
    name: "in-as-join",
    before: "SELECT miles FROM walk WHERE dog_id IN (SELECT id FROM dog WHERE weight > 5)",
    after: "SELECT T1.miles FROM walk AS T1 JOIN dog AS T2 ON T1.dog_id = T2.id WHERE T2.weight > 5",
    assumes: "the subquery is one table's column that is unique and never NULL: each row meets one row at most",
    apply: in_as_join,
    alike: &[(
        "SELECT COUNT(*) FROM walk WHERE miles > 2 AND dog_id IN (SELECT id FROM dog WHERE name = 'Rex')",
        "SELECT COUNT(*) FROM dog d JOIN walk w ON d.id = w.dog_id WHERE d.name = 'Rex' AND w.miles > 2",
    )],
    apart: &[
        (
            "SELECT name FROM dog WHERE id IN (SELECT dog_id FROM walk WHERE miles > 2)",
            "SELECT T1.name FROM dog AS T1 JOIN walk AS T2 ON T1.id = T2.dog_id WHERE T2.miles > 2",
        ),
        (
            "SELECT miles FROM walk WHERE dog_id NOT IN (SELECT id FROM dog WHERE weight > 5)",
            "SELECT T1.miles FROM walk AS T1 JOIN dog AS T2 ON T1.dog_id = T2.id WHERE T2.weight > 5",
        ),
        (
            "SELECT miles FROM walk WHERE dog_id = (SELECT id FROM dog WHERE weight > 5)",
            "SELECT T1.miles FROM walk AS T1 JOIN dog AS T2 ON T1.dog_id = T2.id WHERE T2.weight > 5",
        ),
    ],
};

fn in_as_join(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Block(block) = &mut query.body else { return false };
    if !block.inner() || block.select.iter().any(|t| matches!(t, Term::Star(_))) {
        return false;
    }
    let found = block.filter.iter().position(|term| {
        looked_up(term).is_some_and(|(_, inner)| {
            facts.only_table(inner).is_some()
                && plain(inner)
                && inner.select.first().is_some_and(|key| facts.key(inner, key))
        })
    });
    let Some((column, inner)) = found.and_then(|at| {
        let term = block.filter.remove(at);
        looked_up(&term).map(|(column, inner)| (column.clone(), inner.clone()))
    }) else {
        return false;
    };
    let (Some(mut source), Some(key)) = (inner.from.into_iter().next(), inner.select.into_iter().next())
    else {
        return false;
    };
    source.on.push(Term::test(Op::Eq, column, key));
    block.from.push(source);
    block.filter.extend(inner.filter);
    true
}

/// A column and the block that it is looked up in: `c IN (SELECT …)`.
fn looked_up(term: &Term) -> Option<(&Term, &Block)> {
    let Term::Test { op: Op::In, args } = term else { return None };
    match args.as_slice() {
        [column @ Term::Column { .. }, Term::Query(inner)] => {
            Some((column, inner.bare_block().filter(|b| b.select.len() == 1)?))
        }
        _ => None,
    }
}

/// Rule 17.
pub(super) const IN_ITSELF: EsmRule = EsmRule {
    number: 17,
    name: "in-itself",
    before: "SELECT name FROM dog WHERE id IN (SELECT id FROM dog WHERE weight > 5)",
    after: "SELECT name FROM dog WHERE weight > 5",
    assumes: "the column is unique and never NULL (the paper assumes nothing, and is wrong where values repeat)",
    apply: in_itself,
    alike: &[(
        "SELECT name FROM dog WHERE id IN (SELECT x.id FROM dog x WHERE x.weight > 5) AND tag = 'a'",
        "SELECT name FROM dog WHERE tag = 'a' AND weight > 5",
    )],
    apart: &[(
        "SELECT name FROM dog WHERE name IN (SELECT name FROM dog WHERE weight > 5)",
        "SELECT name FROM dog WHERE weight > 5",
    )],
};

fn in_itself(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Block(block) = &mut query.body else { return false };
    let Some((id, table)) = facts.only_table(block) else { return false };
    let found = block.filter.iter().enumerate().find_map(|(at, term)| {
        let (column, inner) = looked_up(term)?;
        let (inner_id, inner_table) = facts.only_table(inner)?;
        let selected = inner.select.first()?;
        let same = table == inner_table && plain(inner) && column.as_column()?.1 == selected.as_column()?.1;
        (same && facts.key(block, column)).then(|| (at, inner_id, inner.filter.clone()))
    });
    let Some((at, inner_id, conditions)) = found else { return false };
    block.filter.remove(at);
    block.filter.extend(conditions.into_iter().map(|mut term| {
        rename(&mut term, inner_id, id);
        term
    }));
    true
}

/// Makes columns of one source those of another.
pub(super) fn rename(term: &mut Term, from: usize, to: usize) {
    term.change(&mut |t| match t {
        Term::Column { source, name: _ } | Term::Star(Some(source)) if *source == from => *source = to,
        _ => {}
    });
}

/// Rule 13.
pub(super) const REDUNDANT_JOIN: EsmRule = EsmRule {
    number: 13,
    name: "redundant-join",
    before: "SELECT T2.name FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id",
    after: "SELECT name FROM dog",
    assumes: "an inner join looks a foreign key that is never NULL up in its key, and uses no other column there",
    apply: redundant_join,
    alike: &[(
        "SELECT T1.id, COUNT(*) FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id GROUP BY T1.id",
        "SELECT owner_id, COUNT(*) FROM dog GROUP BY owner_id",
    )],
    apart: &[
        ("SELECT T2.miles FROM dog AS T1 JOIN walk AS T2 ON T1.id = T2.dog_id", "SELECT miles FROM walk"),
        (
            "SELECT T2.name FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id",
            "SELECT name FROM dog",
        ),
        (
            "SELECT T2.name FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 30",
            "SELECT name FROM dog",
        ),
        ("SELECT T1.id FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id", "SELECT id FROM owner"),
    ],
};

/// Takes out a table that an inner join only looks up by its key. Every foreign key, being never NULL, finds one row
/// there, so that neither the number of rows nor a value changes; its key, where it is put out, is the foreign key
/// itself.
fn redundant_join(query: &mut Query, facts: &Facts<'_>) -> bool {
    let mut named = Vec::new();
    if query.block().is_some_and(|b| b.inner() && b.from.len() > 1) {
        query.change(&mut |term| {
            if matches!(term, Term::Column { .. } | Term::Star(Some(_)) | Term::Other(_)) {
                named.push(term.clone());
            }
        });
    }
    let Some(block) = query.block().filter(|b| b.inner() && b.from.len() > 1) else { return false };
    if block.select.iter().any(|t| matches!(t, Term::Star(None))) {
        return false;
    }
    let on: Vec<Term> = block.from.iter().flat_map(|s| s.on.clone()).collect();
    let found = on.iter().enumerate().find_map(|(at, term)| {
        let (a, b) = equality(term)?;
        [(a, b), (b, a)].into_iter().find_map(|(foreign, key)| {
            let ((from, _), (to, _)) = (foreign.as_column()?, key.as_column()?);
            let holds = from != to
                && facts.references(block, foreign, key)
                && facts.key(block, key)
                && facts.declared_not_null(block, foreign)
                && only_key(&named, to, key);
            holds.then(|| (at, to, foreign.clone(), key.clone()))
        })
    });
    let Some((at, gone, foreign, key)) = found else { return false };
    let mut on = on;
    on.remove(at);
    if let Body::Block(block) = &mut query.body {
        block.from.retain(|s| s.id != gone);
        attach(block, on);
    }
    query.change(&mut |term| {
        if *term == key {
            *term = foreign.clone();
        }
    });
    true
}

/// Makes these the conditions of a block's joins, all inner.
fn attach(block: &mut Block, on: Vec<Term>) {
    for source in &mut block.from {
        source.on.clear();
    }
    if let Some(last) = block.from.last_mut() {
        last.on = on;
    }
}

/// True if none of these terms names another column of this source than its key.
fn only_key(named: &[Term], source: usize, key: &Term) -> bool {
    named.iter().all(|term| match term {
        Term::Column { source: s, name: _ } => *s != source || term == key,
        Term::Star(Some(s)) => *s != source,
        // Names that nobody resolved may be anything.
        _ => false,
    })
}

/// Columns of a class whose equalities are all written down.
const LARGEST_CLASS: usize = 8;

/// Rule 16.
pub(super) const JOINED_COLUMNS: EsmRule = EsmRule {
    number: 16,
    name: "joined-columns",
    before: "SELECT T1.id FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 30",
    after: "SELECT T2.owner_id FROM owner AS T1 JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 30",
    assumes: "inner joins only",
    apply: joined_columns,
    alike: &[(
        "SELECT w.miles FROM dog d JOIN walk w ON d.id = w.dog_id WHERE d.name = 'a' ORDER BY d.id",
        "SELECT w.miles FROM dog d JOIN walk w ON w.dog_id = d.id WHERE d.name = 'a' ORDER BY w.dog_id",
    )],
    apart: &[(
        "SELECT T1.id FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 30",
        "SELECT T2.owner_id FROM owner AS T1 LEFT JOIN dog AS T2 ON T1.id = T2.owner_id WHERE T1.age > 30",
    )],
};

fn joined_columns(query: &mut Query, facts: &Facts<'_>) -> bool {
    let Body::Block(block) = &mut query.body else { return false };
    if !block.inner() {
        return false;
    }
    // A column by its table's name, its own and its source's place: the least stands for its class.
    type Place = (String, String, usize);
    let place = |term: &Term| -> Option<Place> {
        let (source, name) = term.as_column()?;
        let Item::Table(table) = block.from.iter().find(|s| s.id == source)?.item else { return None };
        Some((facts.schema.tables.get(table)?.name.to_lowercase(), name.to_owned(), source))
    };
    let on: Vec<Term> = block.from.iter().flat_map(|s| s.on.clone()).collect();
    let mut classes: Vec<BTreeSet<Place>> = Vec::new();
    let mut others = Vec::new();
    for term in &on {
        let pair = equality(term).and_then(|(a, b)| Some(BTreeSet::from([place(a)?, place(b)?])));
        let Some(mut class) = pair else {
            others.push(term.clone());
            continue;
        };
        classes.retain(|c| {
            let apart = c.is_disjoint(&class);
            if !apart {
                class.extend(c.iter().cloned());
            }
            apart
        });
        classes.push(class);
    }
    if classes.is_empty() {
        return false;
    }
    classes.sort();
    let term = |p: &Place| Term::column(p.2, p.1.clone());
    let mut changed = false;
    let mut equal = Vec::new();
    for class in &classes {
        let all: Vec<Term> = class.iter().map(term).collect();
        // Every column with every other, so that which one stands for them does not matter; a long chain is
        // nobody's query, and is tied to its first column alone.
        let from = if all.len() <= LARGEST_CLASS { all.len() } else { 1 };
        for (place, first) in all.iter().enumerate().take(from) {
            let rest = all.iter().skip(place + 1);
            equal.extend(rest.map(|c| Term::test(Op::Eq, first.clone(), c.clone())));
        }
    }
    let representative = |t: &Term| {
        let (source, name) = t.as_column()?;
        let class = classes.iter().find(|c| c.iter().any(|(_, n, s)| n == name && *s == source))?;
        class.first().map(term)
    };
    let clauses = [&mut block.select, &mut block.filter, &mut block.group, &mut block.having, &mut others];
    let keys = query.order.iter_mut().map(|key| &mut key.term);
    clauses.into_iter().flatten().chain(keys).for_each(|t| {
        t.change(&mut |t| {
            if let Some(first) = representative(t).filter(|first| first != t) {
                *t = first;
                changed = true;
            }
        });
    });
    equal.extend(others);
    if equal != on {
        attach(block, equal);
        changed = true;
    }
    changed
}
