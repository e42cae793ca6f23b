//! Keys that one query names where the other names what they stand for: somebody looked them up.
//!
//! `fur_id = 3 AND tail_id = 8` says the same as two joins that ask for the names of two colours, if these are the keys of
//! those colours. The rows are made before all others, each with its key and its name.

use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, Value};

use super::draft::Draft;
use super::plant::{chosen, tested};
use super::portrait::{Portraits, same_letters};
use super::regularity::Regularity;
use super::supply::Supply;
use crate::dice::Dice;
use crate::facts::{Atom, Comparison, Facts, Slot};

/// A row that one query knows by its key, and the other by what else it holds.
#[derive(Debug, PartialEq)]
struct Known {
    key: (ColumnRef, Value),
    names: Vec<(usize, Value)>,
    /// The key was that of a reference: the table is there to be looked up in.
    referred: bool,
}

/// The values that a test asks for one by one.
fn wanted(atom: &Atom) -> &[Value] {
    let bare = |v: &Value| matches!(v, Value::Text(t) if !t.contains(['%', '_']));
    match atom.comparison {
        _ if atom.measured || atom.computed || atom.derived && !atom.folded => &[],
        Comparison::Eq | Comparison::In => &atom.values,
        Comparison::Like if atom.values.iter().all(bare) => &atom.values,
        _ => &[],
    }
}

/// Adds the values of a test in the order in which the query has them.
fn extend(list: &mut Vec<Value>, atom: &Atom) {
    for value in wanted(atom) {
        if !list.contains(value) {
            list.push(value.clone());
        }
    }
}

/// The key that a column is, or refers to.
fn key_of(at: ColumnRef, portraits: &Portraits) -> Option<ColumnRef> {
    let parent = portraits.references(at.table).iter().find_map(|r| {
        let [column] = r.columns.as_slice() else { return None };
        let target = ColumnRef { table: r.target, column: *r.target_columns.first()? };
        (*column == at.column).then_some(target)
    });
    parent.or_else(|| portraits.get(at).filter(|p| p.unique).map(|_| at))
}

/// The instances of a key's table that a query leads to from a column; all of them where it is the key itself.
fn instances(facts: &Facts, at: ColumnRef, key: ColumnRef) -> Vec<usize> {
    let of_table = |i: &usize| facts.instances.get(*i) == Some(&key.table);
    let all = || (0..facts.instances.len()).filter(of_table);
    let column = |slot: Slot| facts.column(slot);
    let linked = facts.links.iter().filter_map(|l| match (column(l.left)?, column(l.right)?) {
        (a, b) if a == at && b == key => Some(l.right.instance),
        (a, b) if a == key && b == at => Some(l.left.instance),
        _ => None,
    });
    let linked: Vec<usize> = linked.collect();
    if linked.is_empty() { all().collect() } else { all().filter(|i| linked.contains(i)).collect() }
}

/// The rows that `keys` knows by key, and `names` by something else.
fn known(names: &Facts, keys: &Facts, portraits: &Portraits) -> Vec<Known> {
    let mut found: Vec<Known> = Vec::new();
    let mut by_column: Vec<(ColumnRef, Vec<Value>)> = Vec::new();
    for atom in keys.atoms.iter().filter(|a| !wanted(a).is_empty()) {
        let Some(at) = keys.column(atom.slot) else { continue };
        match by_column.iter_mut().find(|(known, _)| *known == at) {
            Some((_, values)) => extend(values, atom),
            None => {
                let mut values = Vec::new();
                extend(&mut values, atom);
                by_column.push((at, values));
            }
        }
    }
    let in_names = tested(names);
    for (at, values) in by_column {
        let Some(key) =
            key_of(at, portraits).filter(|key| !in_names.contains(&at) && !in_names.contains(key))
        else {
            continue;
        };
        let mut lists: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        let led_to = instances(names, at, key);
        for atom in names.atoms.iter().filter(|a| led_to.contains(&a.slot.instance) && !wanted(a).is_empty())
        {
            extend(lists.entry(atom.slot.column).or_default(), atom);
        }
        for (i, value) in values.into_iter().enumerate() {
            // The same word for both is one that was looked for in the wrong column.
            let name = |(column, list): (&usize, &Vec<Value>)| {
                let name = list.get(i).filter(|name| **name != value && !same_letters(name, &value))?;
                Some((*column, name.clone()))
            };
            let names: Vec<(usize, Value)> = lists.iter().filter_map(name).collect();
            if !names.is_empty() && !found.iter().any(|k| k.key == (key, value.clone())) {
                found.push(Known { key: (key, value), names, referred: at != key });
            }
        }
    }
    found
}

/// Makes the rows that are looked up, before there are others. Gives those keys of the prediction's that the gold's rows
/// belong to.
pub(super) fn look_up(
    gold: &Facts,
    pred: &Facts,
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) -> Vec<(ColumnRef, Value)> {
    let mut rows = known(gold, pred, draft.portraits);
    rows.extend(known(pred, gold, draft.portraits));
    if draft.mood.has(Regularity::KnownKeys) {
        for Known { key: (at, value), names, referred } in &rows {
            for (column, _) in names {
                if let Some(supply) = draft.supplies.get_mut(ColumnRef { table: at.table, column: *column }) {
                    supply.be_unique(*referred);
                }
            }
            let given: Vec<(usize, Value)> =
                [(at.column, value.clone())].into_iter().chain(names.iter().cloned()).collect();
            draft.add(at.table, &given, dice);
        }
    }
    if !draft.mood.has(Regularity::CoherentTests) {
        return Vec::new();
    }
    let mut belonging = belonging(gold, pred, draft);
    belonging.retain(|(at, _)| !rows.iter().any(|row| row.key.0.table == at.table));
    for (at, key) in &belonging {
        let mut tests: BTreeMap<ColumnRef, Vec<&Atom>> = BTreeMap::new();
        for atom in gold.atoms.iter().filter(|a| !a.weak) {
            if let Some(column) = gold.column(atom.slot).filter(|c| c.table == at.table && c != at) {
                tests.entry(column).or_default().push(atom);
            }
        }
        let mut given = vec![(at.column, key.clone())];
        for (column, atoms) in tests {
            let Some(value) = chosen(draft, column, &atoms, dice) else { continue };
            given.push((column.column, value));
        }
        draft.add(at.table, &given, dice);
    }
    belonging
}

/// Keys that the prediction alone names: the gold's rows belong to them.
fn belonging(gold: &Facts, pred: &Facts, draft: &Draft<'_>) -> Vec<(ColumnRef, Value)> {
    let tested = tested(gold);
    let mut found: Vec<(ColumnRef, Value)> = Vec::new();
    for atom in &pred.atoms {
        let ([value], true) = (wanted(atom), atom.comparison != Comparison::In) else { continue };
        let Some(at) = pred.column(atom.slot).filter(|at| !tested.contains(at)) else { continue };
        let Some(at) = key_of(at, draft.portraits) else { continue };
        if draft.supplies.get(at).is_some_and(Supply::is_unique)
            && gold.instances.contains(&at.table)
            && !found.iter().any(|(known, _)| known.table == at.table)
        {
            found.push((at, value.clone()));
        }
    }
    found
}
