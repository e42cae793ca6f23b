//! Rows around the gold query: some that it answers with, and what the prediction tests besides.

use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, Value};

use super::asked;
use super::content::Content;
use super::draft::Draft;
use super::form::Form;
use super::portrait::{Portrait, same_letters};
use super::regularity::Regularity;
use super::supply::{phrase, sized};
use crate::database::store;
use crate::dice::Dice;
use crate::facts::{Atom, Comparison, Facts, Slot};
use crate::generate::bounds::AFFORDABLE;
use crate::generate::scenario::classes;
use crate::generate::values::{candidate, like, meets};

/// Rows that a LIMIT may reach for as many to be planted.
const MOST_PLANTED: i64 = 60;

/// A row that was planted: its table and position.
pub(super) type Planted = Vec<(usize, usize)>;

/// True if a stored value meets a test, moments compared as far as the constant tells them.
fn passes(portrait: &Portrait, value: &Value, atom: &Atom) -> bool {
    if atom.measured {
        let length = match value {
            Value::Text(text) => text.chars().count(),
            Value::Integer(n) => n.to_string().len(),
            _ => return false,
        };
        return meets(&Value::Integer(length as i64), atom);
    }
    // What a difference of moments comes to is left to chance.
    if atom.computed && matches!(portrait.content, Content::Moment(_) | Content::Year) {
        return true;
    }
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
pub(super) fn tested(gold: &Facts) -> Vec<ColumnRef> {
    gold.atoms.iter().filter_map(|a| gold.column(a.slot)).collect()
}

/// A value of the column that meets all tests, if one is found.
pub(super) fn chosen(draft: &Draft<'_>, at: ColumnRef, atoms: &[&Atom], dice: &mut Dice) -> Option<Value> {
    let portrait = draft.portraits.get(at)?;
    let good = |v: &Value| atoms.iter().all(|a| passes(portrait, v, a));
    let equal =
        |a: &&&Atom| matches!(a.comparison, Comparison::Eq | Comparison::In) && !a.measured && !a.computed;
    let equal = atoms.iter().find(equal);
    let measured = atoms.iter().find(|a| a.measured);
    for attempt in 0..24 {
        let sized = measured.filter(|_| attempt % 2 == 1).and_then(|atom| fitting(draft, at, atom, dice));
        let value = if let Some(sized) = sized {
            sized
        } else {
            match (equal, portrait.content) {
                // A whole moment may be written as no other is: `08/30/2015`.
                (Some(atom), Content::Moment(_)) if attempt == 0 && !atom.derived => {
                    dice.pick(&atom.values).cloned().unwrap_or(Value::Null)
                }
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
                    let mut moment = if attempt >= 20 {
                        base
                    } else {
                        super::form::near(base, i64::from(attempt > 12), dice)
                    };
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
            }
        };
        let value = store(value, portrait.affinity);
        // What no row of the real database has is a last resort.
        if good(&value) && (attempt >= 18 || draft.portraits.has_in_range(at, &value)) {
            return Some(value);
        }
    }
    None
}

/// A text or a number of the length that a test asks for.
fn fitting(draft: &Draft<'_>, at: ColumnRef, atom: &Atom, dice: &mut Dice) -> Option<Value> {
    let &Value::Integer(n) = atom.values.first()? else { return None };
    let room = [1, 2, 5][dice.below(3)];
    let length = match atom.comparison {
        Comparison::Gt => n.saturating_add(room),
        Comparison::Lt => n.saturating_sub(room),
        _ => n,
    };
    Some(match draft.supplies.get(at)?.sketch(dice) {
        Value::Text(text) => sized(&text, length, dice),
        Value::Integer(_) => {
            let least = 10_i64.checked_pow(u32::try_from(length.clamp(1, 18)).ok()? - 1)?;
            Value::Integer(dice.between(least, least.saturating_mul(10) - 1))
        }
        other => other,
    })
}

/// Plants rows that together meet the conditions of the gold, several times over. Gives the rows.
/// Those of a table to which one of the keys that were `looked_up` belongs have it.
pub(super) fn plant(
    gold: &Facts,
    pred: &Facts,
    looked_up: &[(ColumnRef, Value)],
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) -> Planted {
    let mut planted = Planted::new();
    let times = [2, 3, 5, 7][dice.below(4)].max(beyond_limit(gold, pred, dice));
    for _ in 0..times {
        let class = classes(gold, 0.5, dice);
        let used: Vec<bool> = gold.atoms.iter().map(|a| !a.weak || dice.chance(0.65)).collect();
        plant_one(
            gold,
            &Bed { class: &class, used: &used, without: &[], looked_up },
            draft,
            &mut planted,
            dice,
        );
        // Rows that meet all conditions but one are as common.
        let found_by_pattern = |a: &Atom| a.comparison == Comparison::Like;
        let loose = gold.atoms.len() == 1 && pred.atoms.iter().any(found_by_pattern);
        if (gold.atoms.len() > 1 || loose) && dice.chance(0.5) {
            let missed = dice.below(gold.atoms.len());
            let used: Vec<bool> = (0..gold.atoms.len()).map(|i| i != missed).collect();
            let mut near = Planted::new();
            plant_one(
                gold,
                &Bed { class: &class, used: &used, without: &[], looked_up: &[] },
                draft,
                &mut near,
                dice,
            );
            if !draft.mood.has(Regularity::BareValues) {
                confuse(gold, &gold.atoms[missed], pred, &near, draft, dice);
            }
        }
    }
    planted
}

/// How often rows are planted so that a LIMIT leaves some of them out, in most databases.
fn beyond_limit(gold: &Facts, pred: &Facts, dice: &mut Dice) -> usize {
    let limits = gold.limits.iter().chain(&pred.limits).filter(|n| (4..=MOST_PLANTED).contains(*n));
    match limits.max() {
        Some(&limit) if !gold.atoms.is_empty() => limit as usize * [6, 10, 13, 17][dice.below(4)] / 10,
        _ => 0,
    }
}

/// Rows that an outer join of the gold keeps though they have no partner, after all others are there: who joins so knows
/// that there are some.
pub(super) fn leave_alone(gold: &Facts, draft: &mut Draft<'_>, planted: &mut Planted, dice: &mut Dice) {
    if gold.optional.is_empty() || !draft.mood.has(Regularity::OuterRows) {
        return;
    }
    for _ in 0..[1, 1, 2, 3][dice.below(4)] {
        let class = classes(gold, 0.0, dice);
        let used: Vec<bool> = gold.atoms.iter().map(|a| !a.weak || dice.chance(0.65)).collect();
        let bed = Bed { class: &class, used: &used, without: &gold.optional, looked_up: &[] };
        plant_one(gold, &bed, draft, planted, dice);
    }
}

/// NULLs for the columns by which an instance is joined with what it does without.
fn missing(gold: &Facts, instance: usize, without: &[usize], draft: &Draft<'_>) -> Vec<(usize, Value)> {
    let ends = gold.links.iter().flat_map(|l| [(l.left, l.right), (l.right, l.left)]);
    let apart = ends.filter(|(own, other)| own.instance == instance && without.contains(&other.instance));
    let optional = |slot: Slot| {
        let portrait = gold.column(slot).and_then(|at| draft.portraits.get(at));
        portrait.is_some_and(|p| !p.unique && !p.not_null)
    };
    apart.filter(|(own, _)| optional(*own)).map(|(own, _)| (own.column, Value::Null)).collect()
}

/// Gives rows that miss a condition of the gold a value that the prediction's pattern takes for it: `Folk Rock`
/// where the gold asks for `Folk` and the prediction for `%Folk%`.
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

/// What is planted together.
struct Bed<'a> {
    /// Slots that hold one value.
    class: &'a BTreeMap<Slot, usize>,
    /// Which of the gold's tests are met.
    used: &'a [bool],
    /// Instances that get no row.
    without: &'a [usize],
    /// Keys that rows are to have.
    looked_up: &'a [(ColumnRef, Value)],
}

/// Plants one row for each relation of the gold, parents first, and siblings of some. Values that joins make equal are
/// handed from one row to the next; a row that has a looked-up key, or a name that belongs to one row, is used again.
fn plant_one(gold: &Facts, bed: &Bed<'_>, draft: &mut Draft<'_>, planted: &mut Planted, dice: &mut Dice) {
    let Bed { class, used, without, looked_up } = *bed;
    // Groups of which some exceed what they are compared with.
    let bounds: Vec<i64> = asked::groups(gold).filter(|n| (2..=AFFORDABLE).contains(n)).collect();
    let group = match dice.pick(&bounds) {
        Some(&bound) if dice.chance(0.5) => (bound + [-1, 0, 1, 2][dice.below(4)]).max(0) as usize,
        _ => 0,
    };
    let mut values: BTreeMap<usize, Value> = BTreeMap::new();
    let mut made: BTreeMap<usize, usize> = BTreeMap::new();
    let mut instances: Vec<usize> = (0..gold.instances.len()).collect();
    instances.retain(|i| !without.contains(i));
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
        // The largest value of a table is that of a row of it: the one that is there already.
        let extreme = slots.iter().any(|(slot, c)| gold.ranked.contains(slot) && values.contains_key(*c));
        let same = made.get(&table).copied().filter(|&row| extreme && draft.has(table, row, &given));
        let key = looked_up.iter().find(|(at, _)| at.table == table);
        if let Some((at, value)) = key.filter(|_| keyed.is_empty()) {
            keyed.push((at.column, value.clone()));
            given.push((at.column, value.clone()));
        }
        close(gold, table, &made, draft, &mut given);
        given.extend(missing(gold, instance, without, draft));
        let own = |s: &&Slot| s.instance == instance && !gold.ranked.contains(s);
        let grouped: Vec<usize> = gold.grouped.iter().filter(own).map(|s| s.column).collect();
        let known = if same.is_some() {
            same
        } else if !keyed.is_empty() {
            draft.find(table, &keyed)
        } else if !without.is_empty() {
            None
        } else {
            draft.some(table, &given, dice).filter(|_| draft.is_parent(table) && dice.chance(0.7))
        };
        let row = match known {
            Some(row) => {
                draft.amend(table, row, &given);
                Some(row)
            }
            // What only one row may have is that row's.
            None => draft.add(table, &given, dice).or_else(|| draft.some(table, &given, dice)),
        };
        let Some(row) = row else { continue };
        planted.push((table, row));
        made.insert(table, row);
        let siblings = if same.is_some() { 0 } else { [0, 0, 1, 2][dice.below(4)] };
        for _ in 0..siblings.max(if draft.is_parent(table) { 0 } else { group }) {
            // Siblings, which meet the same conditions under the same parents.
            match draft.sibling(table, row, &given, &grouped, dice) {
                Some(sibling) => planted.push((table, sibling)),
                None => break,
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
