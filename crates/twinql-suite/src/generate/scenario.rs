//! Rows that together meet the conditions of a query, or all but one of them.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{ColumnRef, Value};

use super::draft::Draft;
use super::generator::Generator;
use super::values::{
    Style, between_whole, candidate, fractional, instantiate as matching, meets, near_date, variant,
    well_formed,
};
use crate::database::{keys, store};
use crate::dice::Dice;
use crate::facts::{Atom, Comparison, Facts, Slot};

/// The slots of a query that hold one value: connected by links that are meant to hold.
pub(crate) fn classes(facts: &Facts, weak: f64, dice: &mut Dice) -> BTreeMap<Slot, usize> {
    classes_without(facts, weak, None, dice)
}

/// The same where one link, by its number, does not hold: a join path that leads nowhere.
pub(super) fn classes_without(
    facts: &Facts,
    weak: f64,
    parted: Option<usize>,
    dice: &mut Dice,
) -> BTreeMap<Slot, usize> {
    let mut slots: Vec<Slot> = facts
        .links
        .iter()
        .flat_map(|l| [l.left, l.right])
        .chain(facts.atoms.iter().map(|a| a.slot))
        .chain(facts.grouped.iter().copied())
        .chain(facts.ranked.iter().copied())
        .collect();
    slots.sort_unstable();
    slots.dedup();
    let mut class: BTreeMap<Slot, usize> = slots.iter().enumerate().map(|(i, s)| (*s, i)).collect();
    for (number, link) in facts.links.iter().enumerate() {
        if (link.weak && !dice.chance(weak)) || parted == Some(number) {
            continue;
        }
        if let (Some(&a), Some(&b)) = (class.get(&link.left), class.get(&link.right)) {
            for c in class.values_mut() {
                if *c == b {
                    *c = a;
                }
            }
        }
    }
    class
}

/// What the rows of a scenario do with the conditions of their query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// They meet all of them.
    Meet,
    /// They miss one, by its number.
    Miss(usize),
    /// They miss two.
    MissBoth(usize, usize),
    /// They meet all of them, but one relation, by its number, has no row for them.
    Without(usize),
    /// They meet all but for the case of one's letters: LIKE does not see it, = does.
    Case(usize),
}

impl Aim {
    /// [`Aim::Miss`] for one of the conditions, where there is one.
    pub(super) fn miss(facts: &Facts, dice: &mut Dice) -> Aim {
        match facts.atoms.len() {
            0 => Aim::Meet,
            n => Aim::Miss(dice.below(n)),
        }
    }

    /// [`Aim::MissBoth`] for two of the conditions, where there are two.
    pub(super) fn miss_both(facts: &Facts, dice: &mut Dice) -> Aim {
        let n = facts.atoms.len();
        let first = dice.below(n);
        match n {
            0 | 1 => Aim::miss(facts, dice),
            _ => Aim::MissBoth(first, (first + 1 + dice.below(n - 1)) % n),
        }
    }

    fn misses(self, atom: usize) -> bool {
        match self {
            Aim::Miss(i) => i == atom,
            Aim::MissBoth(i, j) => i == atom || j == atom,
            _ => false,
        }
    }

    /// [`Aim::Case`] for one of the conditions on letters, where there is one.
    pub(super) fn case(facts: &Facts, dice: &mut Dice) -> Aim {
        let lettered: Vec<usize> = (0..facts.atoms.len())
            .filter(|&i| facts.atoms.get(i).is_some_and(|a| !letters(a).is_empty()))
            .collect();
        dice.pick(&lettered).map_or(Aim::Meet, |&i| Aim::Case(i))
    }
}

/// The constants with letters that an atom asks a text to be, or to be like.
fn letters(atom: &Atom) -> Vec<&str> {
    let positive = matches!(atom.comparison, Comparison::Eq | Comparison::In | Comparison::Like);
    let texts = atom.values.iter().filter_map(|v| match v {
        Value::Text(t) if positive && t.bytes().any(|b| b.is_ascii_alphabetic()) => Some(t.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The atom's constant with letters of another case.
fn other_case(atom: &Atom, dice: &mut Dice) -> Option<Value> {
    let text = *dice.pick(&letters(atom))?;
    let turned = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    let text = match atom.comparison {
        Comparison::Like => matching(text, dice),
        _ => text.to_owned(),
    };
    let (lower, upper) = (text.to_ascii_lowercase(), text.to_ascii_uppercase());
    let new = match dice.below(3) {
        0 if lower != text => lower,
        1 if upper != text => upper,
        _ => text.chars().map(turned).collect(),
    };
    Some(Value::Text(new))
}

/// Adds one row for each relation of a query, with values that meet its links and atoms as
/// `aim` says. `fixed` gives values to some classes of slots. Long, since all steps draw from the same dice
/// and pass on which values are taken.
pub(super) fn instantiate(
    g: &Generator<'_>,
    facts: &Facts,
    class: &BTreeMap<Slot, usize>,
    fixed: &BTreeMap<usize, Value>,
    aim: Aim,
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) {
    // Of the weak conditions some are met: of `a OR b` one will do, and a suite wants each alone.
    let used: Vec<bool> = facts.atoms.iter().map(|a| !a.weak || dice.chance(0.6)).collect();
    let mut values: BTreeMap<usize, Value> = fixed.clone();
    let mut members: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    for (slot, c) in class {
        members.entry(*c).or_default().push(*slot);
    }
    for (c, slots) in &members {
        if values.contains_key(c) {
            continue;
        }
        let Some(first) = slots.first() else { continue };
        let atoms: Vec<(usize, &Atom)> =
            facts.atoms.iter().enumerate().filter(|(i, a)| used[*i] && slots.contains(&a.slot)).collect();
        // Nothing is asked of the value, so that the draft may draw it.
        if atoms.is_empty() && slots.len() == 1 {
            continue;
        }
        let Some(column) = facts.column(*first) else {
            continue;
        };
        if let Aim::Case(i) = aim
            && let Some(atom) = facts.atoms.get(i).filter(|a| slots.contains(&a.slot))
            && let Some(value) = other_case(atom, dice)
        {
            values.insert(*c, value);
            continue;
        }
        let affinity = draft.schema.column(column).map(|c| c.affinity);
        let style = g
            .pool_of(facts, *first)
            .and_then(|d| draft.pools.get(d))
            .map(|p| p.style)
            .filter(|_| g.semantics.typed);
        let dated = style.filter(|s| matches!(s, Style::Days | Style::Moments));
        let fractional = draft.schema.column(column).is_some_and(fractional);
        let good = |v: &Value| atoms.iter().all(|(i, a)| meets(v, a) != aim.misses(*i));
        let mut value = None;
        // Mostly a value that one of the conditions names, now and then one from the pool.
        for attempt in 0..12 {
            let proposal = if atoms.is_empty() || attempt % 4 == 3 {
                draft.draw(column, dice)
            } else {
                let (i, atom) = atoms[dice.below(atoms.len())];
                let v = if aim.misses(i) && atom.comparison != Comparison::Like {
                    variant(&candidate(atom, dice), dice)
                } else {
                    candidate(atom, dice)
                };
                let v = match dated {
                    Some(style) if !well_formed(style, &v) => near_date(style, &v, true, dice),
                    _ if fractional && dice.chance(0.3) => between_whole(&v, dice),
                    _ => v,
                };
                match affinity {
                    Some(a) => store(v, a),
                    None => v,
                }
            };
            let fits_type = match (style, &proposal) {
                (Some(Style::Integers | Style::Numbers), Value::Text(_)) => false,
                (Some(Style::Integers), Value::Real(_)) => fractional,
                (Some(style), v) => well_formed(style, v),
                (None, _) => true,
            };
            if fits_type && good(&proposal) {
                value = Some(proposal);
                break;
            }
        }
        let value = match value {
            Some(v) => v,
            None => draft.draw(column, dice),
        };
        values.insert(*c, value);
    }
    // Parents first, so that a child finds its parent with the values wanted.
    let mut instances: Vec<usize> = (0..facts.instances.len()).collect();
    instances.sort_by_key(|&i| g.order.iter().position(|&t| t == facts.instances[i]));
    for instance in instances {
        if aim == Aim::Without(instance) {
            continue;
        }
        let given: Vec<(usize, Value)> = class
            .iter()
            .filter(|(slot, _)| slot.instance == instance)
            .filter_map(|(slot, c)| Some((slot.column, values.get(c)?.clone())))
            .collect();
        draft.add(facts.instances[instance], &given, dice);
    }
}

/// The classes of slots that hold a key of their table, and which no condition binds. Rows
/// whose keys are drawn from the small pools hardly ever make a group of more than a few.
pub(super) fn key_classes(
    g: &Generator<'_>,
    facts: &Facts,
    class: &BTreeMap<Slot, usize>,
) -> Vec<(usize, ColumnRef)> {
    let bound: BTreeSet<usize> = facts.atoms.iter().filter_map(|a| class.get(&a.slot).copied()).collect();
    let mut found: BTreeMap<usize, ColumnRef> = BTreeMap::new();
    for (slot, c) in class {
        let Some(column) = facts.column(*slot) else {
            continue;
        };
        let alone = g.schema.tables.get(column.table).is_some_and(|t| keys(t).any(|k| *k == [column.column]));
        if alone && !bound.contains(c) {
            found.entry(*c).or_insert(column);
        }
    }
    found.into_iter().collect()
}

/// The fixed values, and one of its own for each of these classes that has none.
pub(super) fn with_new_keys(
    fixed: &BTreeMap<usize, Value>,
    own_keys: &[(usize, ColumnRef)],
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) -> BTreeMap<usize, Value> {
    let mut values = fixed.clone();
    for (c, column) in own_keys {
        values.entry(*c).or_insert_with(|| draft.unused(*column, dice));
    }
    values
}
