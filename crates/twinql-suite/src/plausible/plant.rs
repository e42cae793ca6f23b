//! Rows around the gold query: some that it answers with, and what the prediction tests besides.

use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, Value};

use super::content::Content;
use super::draft::Draft;
use super::form::Form;
use super::portrait::{Portrait, same_letters};
use super::regularity::Regularity;
use super::supply::{Supply, phrase};
use crate::database::store;
use crate::dice::Dice;
use crate::facts::{Atom, Comparison, Facts, Slot};
use crate::generate::scenario::classes;
use crate::generate::values::{candidate, like, meets};

/// A row that was planted: its table and position.
pub(super) type Planted = Vec<(usize, usize)>;

/// True if a stored value meets a test, moments compared as far as the constant tells them.
fn passes(portrait: &Portrait, value: &Value, atom: &Atom) -> bool {
    let (Content::Moment(_), Some((own, moment))) = (portrait.content, Form::of(value)) else {
        return match atom.comparison {
            Comparison::Eq | Comparison::In if atom.folded => {
                atom.values.iter().any(|v| same_letters(v, value))
            }
            Comparison::NotEq | Comparison::NotIn if atom.folded => {
                !atom.values.iter().any(|v| same_letters(v, value))
            }
            _ => meets(value, atom),
        };
    };
    let ord = |constant: &Value| -> Option<std::cmp::Ordering> {
        if let Some((form, other)) = Form::of(constant) {
            let (a, b) = (moment, other);
            return Some(match form {
                _ if form.detail() >= own.detail() => a.cmp(&b),
                Form::Year => a.0.cmp(&b.0),
                Form::Month | Form::CompactMonth => (a.0, a.1).cmp(&(b.0, b.1)),
                _ => (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)),
            });
        }
        let n = bare_number(constant)?;
        // A month, or else a day, as STRFTIME gives it.
        Some(if (1..=12).contains(&n) { moment.1.cmp(&n) } else { moment.2.cmp(&n) })
    };
    let Some(first) = atom.values.first() else { return true };
    match atom.comparison {
        Comparison::Like | Comparison::NotLike => {
            let text = match value {
                Value::Text(t) => t.clone(),
                Value::Integer(n) => n.to_string(),
                _ => return false,
            };
            let Value::Text(pattern) = first else { return false };
            like(&text, pattern) == (atom.comparison == Comparison::Like)
        }
        Comparison::Eq => ord(first).is_some_and(|o| o.is_eq()),
        Comparison::NotEq => ord(first).is_none_or(|o| o.is_ne()),
        Comparison::Lt => ord(first).is_some_and(|o| o.is_lt()),
        Comparison::LtEq => ord(first).is_some_and(|o| o.is_le()),
        Comparison::Gt => ord(first).is_some_and(|o| o.is_gt()),
        Comparison::GtEq => ord(first).is_some_and(|o| o.is_ge()),
        Comparison::In => atom.values.iter().any(|v| ord(v).is_some_and(|o| o.is_eq())),
        Comparison::NotIn => atom.values.iter().all(|v| ord(v).is_none_or(|o| o.is_ne())),
    }
}

/// The number of a month or a day, as STRFTIME or a pattern has it.
fn bare_number(constant: &Value) -> Option<i64> {
    match constant {
        Value::Integer(n) => Some(*n),
        Value::Text(t) => t.trim_matches(['%', '-', '_', ' ']).parse().ok(),
        _ => None,
    }
}

/// The columns that the gold tests.
fn tested(gold: &Facts) -> Vec<ColumnRef> {
    gold.atoms.iter().filter_map(|a| gold.column(a.slot)).collect()
}

/// A value of the column that meets all tests, if one is found.
fn chosen(draft: &Draft<'_>, at: ColumnRef, atoms: &[&Atom], dice: &mut Dice) -> Option<Value> {
    let portrait = draft.portraits.get(at)?;
    let good = |v: &Value| atoms.iter().all(|a| passes(portrait, v, a));
    let equal = atoms.iter().find(|a| matches!(a.comparison, Comparison::Eq | Comparison::In));
    for attempt in 0..24 {
        let value = match (equal, portrait.content) {
            (Some(atom), content) if !matches!(content, Content::Moment(_)) && attempt < 8 => {
                match dice.pick(&atom.values) {
                    Some(value) if atom.folded => portrait.spelled(value),
                    value => value.cloned().unwrap_or(Value::Null),
                }
            }
            (_, Content::Moment(form)) if attempt >= 6 => {
                let constants = atoms.iter().flat_map(|a| &a.values);
                let known: Vec<_> = constants.filter_map(|v| Form::of(v).map(|(_, m)| m)).collect();
                let base = dice.pick(&known).copied().unwrap_or((2015, 6, 15, 0));
                let mut parts = atoms.iter().flat_map(|a| &a.values).filter_map(bare_number);
                let month = parts.find(|n| (1..=12).contains(n));
                let mut moment =
                    if attempt >= 20 { base } else { super::form::near(base, i64::from(attempt > 12), dice) };
                if let Some(m) = month {
                    moment.1 = m;
                }
                if attempt % 3 == 0 {
                    moment.1 = base.1;
                }
                if portrait.midnight {
                    moment.3 = 0;
                }
                form.write(moment, dice)
            }
            (_, content)
                if attempt % 3 == 2 && !atoms.is_empty() && !matches!(content, Content::Moment(_)) =>
            {
                candidate(atoms[dice.below(atoms.len())], dice)
            }
            _ => draft.supplies.get(at)?.sketch(dice),
        };
        let value = store(value, portrait.affinity);
        // What no row of the real database has is a last resort.
        if good(&value) && (attempt >= 18 || draft.portraits.has_in_range(at, &value)) {
            return Some(value);
        }
    }
    None
}

/// Plants rows that together meet the conditions of the gold, several times over. Gives the rows.
pub(super) fn plant(gold: &Facts, pred: &Facts, draft: &mut Draft<'_>, dice: &mut Dice) -> Planted {
    let mut planted = Planted::new();
    let looked_up =
        if draft.mood.has(Regularity::CoherentTests) { looked_up(gold, pred, draft) } else { Vec::new() };
    let times = [2, 3, 5, 7][dice.below(4)];
    for _ in 0..times {
        let class = classes(gold, 0.5, dice);
        let used: Vec<bool> = gold.atoms.iter().map(|a| !a.weak || dice.chance(0.65)).collect();
        plant_one(gold, &class, &used, &looked_up, draft, &mut planted, dice);
        // Rows that meet all conditions but one are as common.
        let found_by_pattern = |a: &Atom| a.comparison == Comparison::Like;
        let loose = gold.atoms.len() == 1 && pred.atoms.iter().any(found_by_pattern);
        if (gold.atoms.len() > 1 || loose) && dice.chance(0.5) {
            let missed = dice.below(gold.atoms.len());
            let used: Vec<bool> = (0..gold.atoms.len()).map(|i| i != missed).collect();
            let mut near = Planted::new();
            plant_one(gold, &class, &used, &[], draft, &mut near, dice);
            confuse(gold, &gold.atoms[missed], pred, &near, draft, dice);
        }
    }
    planted
}

/// Gives rows that miss a condition of the gold a value that the prediction's pattern takes for it: `Artifact Creature`
/// where the gold asks for `Creature` and the prediction for `%Creature%`.
fn confuse(
    gold: &Facts,
    missed: &Atom,
    pred: &Facts,
    near: &Planted,
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) {
    let Some(at) = gold.column(missed.slot) else { return };
    let like = |a: &&Atom| a.comparison == Comparison::Like && pred.column(a.slot) == Some(at);
    let Some(Value::Text(pattern)) = pred.atoms.iter().find(like).and_then(|a| a.values.first()) else {
        return;
    };
    let Some(portrait) = draft.portraits.get(at) else { return };
    if matches!(portrait.content, Content::Moment(_) | Content::Year) || draft.is_bound(at) {
        return;
    }
    for &(table, row) in near.iter().filter(|(table, _)| *table == at.table) {
        let value = store(Value::Text(phrase(pattern, dice)), portrait.affinity);
        if !passes(portrait, &value, missed)
            && let Some(cell) = draft.rows[table].get_mut(row).and_then(|r| r.get_mut(at.column))
        {
            *cell = value;
        }
    }
}

/// Makes the rows whose keys the prediction names, before there are others: who looked a key up found one row that
/// meets the gold's tests of that table.
pub(super) fn look_up(gold: &Facts, pred: &Facts, draft: &mut Draft<'_>, dice: &mut Dice) {
    if !draft.mood.has(Regularity::CoherentTests) {
        return;
    }
    for (at, key) in looked_up(gold, pred, draft) {
        let mut tests: BTreeMap<ColumnRef, Vec<&Atom>> = BTreeMap::new();
        for atom in gold.atoms.iter().filter(|a| !a.weak) {
            if let Some(column) = gold.column(atom.slot).filter(|c| c.table == at.table && *c != at) {
                tests.entry(column).or_default().push(atom);
            }
        }
        let mut given = vec![(at.column, key)];
        for (column, atoms) in tests {
            let Some(value) = chosen(draft, column, &atoms, dice) else { continue };
            given.push((column.column, value));
            let named = atoms.iter().any(|a| a.comparison == Comparison::Eq);
            if let Some(supply) = draft.supplies.get_mut(column).filter(|_| named) {
                supply.be_unique();
            }
        }
        draft.add(at.table, &given, dice);
    }
}

/// Keys that the prediction names where the gold names what they stand for: somebody looked them up.
fn looked_up(gold: &Facts, pred: &Facts, draft: &Draft<'_>) -> Vec<(ColumnRef, Value)> {
    let tested = tested(gold);
    let mut found: Vec<(ColumnRef, Value)> = Vec::new();
    for atom in &pred.atoms {
        let Some(value) = named(atom) else { continue };
        let Some(at) = pred.column(atom.slot).filter(|at| !tested.contains(at)) else { continue };
        let parent = draft.portraits.references(at.table).iter().find_map(|r| {
            let place = r.columns.iter().position(|c| *c == at.column)?;
            Some(ColumnRef { table: r.target, column: *r.target_columns.get(place)? })
        });
        let at = parent.unwrap_or(at);
        let unique = draft.supplies.get(at).is_some_and(Supply::is_unique);
        if unique
            && gold.instances.contains(&at.table)
            && !found.iter().any(|(known, _)| known.table == at.table)
        {
            found.push((at, value.clone()));
        }
    }
    found
}

/// The one value that a test asks for.
fn named(atom: &Atom) -> Option<&Value> {
    let bare = |v: &Value| matches!(v, Value::Text(t) if !t.contains(['%', '_']));
    let value = atom.values.first()?;
    match atom.comparison {
        Comparison::Eq => Some(value),
        Comparison::Like if bare(value) => Some(value),
        _ => None,
    }
}

/// Where a row that is still to come refers to both this table and one that has its row, this row refers to that one,
/// too: the post that somebody edits is somebody's own.
fn close(
    gold: &Facts,
    table: usize,
    made: &BTreeMap<usize, usize>,
    draft: &Draft<'_>,
    given: &mut Vec<(usize, Value)>,
) {
    if !draft.mood.has(Regularity::ClosedDiamonds) {
        return;
    }
    let refers = |from: usize, to: usize| draft.portraits.references(from).iter().find(|r| r.target == to);
    for (&target, &row) in made.iter().filter(|(target, _)| **target != table) {
        let both = |&&i: &&usize| refers(i, table).is_some() && refers(i, target).is_some();
        let Some(reference) = refers(table, target).filter(|_| gold.instances.iter().any(|i| both(&i)))
        else {
            continue;
        };
        if !given.iter().any(|(c, _)| reference.columns.contains(c)) {
            given.extend(draft.key_of(reference, row));
        }
    }
}

/// Keeps one of the tests that a value need not all meet, such as those of a CASE: a row for each of them is planted
/// in the course of time.
fn one_of_the_weak(atoms: &mut Vec<&Atom>, dice: &mut Dice) {
    let choice =
        |a: &Atom| a.weak && matches!(a.comparison, Comparison::Eq | Comparison::In | Comparison::Like);
    let choices = atoms.iter().filter(|a| choice(a)).count();
    if choices < 2 {
        return;
    }
    let kept = dice.below(choices);
    let mut seen = 0;
    atoms.retain(|a| {
        let keep = !choice(a) || seen == kept;
        seen += usize::from(choice(a));
        keep
    });
}

/// Plants one row for each relation of the gold, parents first, and siblings of some. Values that joins make equal are
/// handed from one row to the next; a row that has a looked-up key, or a name that belongs to one row, is used again.
fn plant_one(
    gold: &Facts,
    class: &BTreeMap<Slot, usize>,
    used: &[bool],
    looked_up: &[(ColumnRef, Value)],
    draft: &mut Draft<'_>,
    planted: &mut Planted,
    dice: &mut Dice,
) {
    let mut values: BTreeMap<usize, Value> = BTreeMap::new();
    let mut made: BTreeMap<usize, usize> = BTreeMap::new();
    let mut instances: Vec<usize> = (0..gold.instances.len()).collect();
    instances.sort_by_key(|&i| draft.rank(gold.instances[i]));
    for instance in instances {
        let table = gold.instances[instance];
        let mut given: Vec<(usize, Value)> = Vec::new();
        let mut keyed = Vec::new();
        let slots: Vec<(&Slot, &usize)> = class.iter().filter(|(s, _)| s.instance == instance).collect();
        for (slot, c) in &slots {
            if let Some(value) = values.get(c) {
                given.push((slot.column, value.clone()));
                continue;
            }
            let mut atoms: Vec<&Atom> = gold
                .atoms
                .iter()
                .zip(used)
                .filter(|(a, used)| **used && class.get(&a.slot) == Some(*c))
                .map(|(a, _)| a)
                .collect();
            one_of_the_weak(&mut atoms, dice);
            if atoms.is_empty() {
                continue;
            }
            let at = ColumnRef { table, column: slot.column };
            if let Some(value) = chosen(draft, at, &atoms, dice) {
                if draft.supplies.get(at).is_some_and(|s| s.is_taken(&value)) {
                    keyed.push((slot.column, value.clone()));
                }
                given.push((slot.column, value));
            }
        }
        let key = looked_up.iter().find(|(at, _)| at.table == table);
        if let Some((at, value)) = key.filter(|_| keyed.is_empty()) {
            keyed.push((at.column, value.clone()));
            given.push((at.column, value.clone()));
        }
        close(gold, table, &made, draft, &mut given);
        let known = if !keyed.is_empty() {
            draft.find(table, &keyed)
        } else {
            draft.find(table, &given).filter(|_| draft.is_parent(table) && dice.chance(0.7))
        };
        let row = match known {
            Some(row) => {
                draft.amend(table, row, &given);
                Some(row)
            }
            None => draft.add(table, &given, dice),
        };
        let Some(row) = row else { continue };
        planted.push((table, row));
        made.insert(table, row);
        for _ in 0..[0, 0, 1, 2][dice.below(4)] {
            // Siblings, which meet the same conditions under the same parents.
            if let Some(sibling) = draft.sibling(table, row, &given, dice) {
                planted.push((table, sibling));
            }
        }
        for (slot, c) in slots {
            // NULL is equal to nothing that another relation holds.
            let value = draft.rows[table].get(row).and_then(|r| r.get(slot.column));
            if let Some(value) = value.filter(|v| **v != Value::Null) {
                values.entry(*c).or_insert_with(|| value.clone());
            }
        }
    }
}

/// Makes what the prediction alone tests come true on the gold's rows and on no others, in the databases in which
/// it is to: a column that the gold leaves alone may say the same in other words.
pub(super) fn align(gold: &Facts, pred: &Facts, planted: &Planted, draft: &mut Draft<'_>, dice: &mut Dice) {
    if !draft.mood.has(Regularity::CoherentTests) {
        return;
    }
    let tested = tested(gold);
    let mut columns: BTreeMap<ColumnRef, Vec<&Atom>> = BTreeMap::new();
    for atom in &pred.atoms {
        if let Some(at) = pred.column(atom.slot)
            && !tested.contains(&at)
            && planted.iter().any(|(t, _)| *t == at.table)
        {
            columns.entry(at).or_default().push(atom);
        }
    }
    for (at, atoms) in columns {
        if draft.is_bound(at) || gold.ranked.iter().any(|s| gold.column(*s) == Some(at)) {
            continue;
        }
        let Some(portrait) = draft.portraits.get(at) else { continue };
        if draft.portraits.excludes(at, &atoms) {
            continue;
        }
        for row in 0..draft.rows[at.table].len() {
            let wanted = planted.contains(&(at.table, row));
            let meets = |v: &Value| atoms.iter().all(|a| passes(portrait, v, a));
            let Some(old) = draft.rows[at.table][row].get(at.column) else { continue };
            if meets(old) == wanted {
                continue;
            }
            let new = if wanted {
                chosen(draft, at, &atoms, dice)
            } else {
                draft.supplies.get(at).and_then(|s| s.draw_but(&meets, dice))
            };
            if let Some(value) = new
                && let Some(cell) = draft.rows[at.table][row].get_mut(at.column)
            {
                *cell = value;
            }
        }
    }
}
