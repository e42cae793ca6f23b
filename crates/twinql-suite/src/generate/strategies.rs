//! The strategies that fill a draft, in the order in which they are applied.

use std::collections::BTreeMap;

use twinql_sql::Value;

use super::Generator;
use super::draft::Draft;
use super::values::{candidate, meets};
use crate::database::{keys, store};
use crate::dice::Dice;
use crate::facts::{Comparison, Facts, Slot};

/// One way of adding rows.
#[allow(missing_debug_implementations)] // two function pointers
pub struct Strategy {
    /// The name, for lists and documentation.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// The probability that a database with this number uses it.
    pub(super) weight: fn(&Generator<'_>, u64) -> f64,
    pub(super) apply: fn(&Generator<'_>, u64, &mut Draft<'_>, &mut Dice),
}

/// All strategies.
pub const STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "scenario",
        doc: "rows that together meet the conditions of a query, or all but one of them",
        weight: |g, _| if g.facts.is_empty() { 0.0 } else { 0.85 },
        apply: scenario,
    },
    Strategy {
        name: "uniform",
        doc: "independent rows from pools of few values, so that joins hit and groups form",
        weight: |_, _| 0.9,
        apply: uniform,
    },
    Strategy {
        name: "group-bounds",
        doc: "groups of sizes around the constants of HAVING and LIMIT",
        weight: |g, index| match (g.counts.is_empty(), index) {
            (true, _) => 0.2,
            (false, 0..3) => 0.2,
            (false, _) => 0.6,
        },
        apply: group_bounds,
    },
    Strategy {
        name: "duplicates",
        doc: "copies of rows with another key: duplicates, ties of ORDER BY, equal groups",
        weight: |_, index| if index < 2 { 0.2 } else { 0.55 },
        apply: duplicates,
    },
    Strategy {
        name: "near-duplicates",
        doc: "copies of rows with one value changed: what a single condition tells apart",
        weight: |_, index| if index < 2 { 0.1 } else { 0.4 },
        apply: near_duplicates,
    },
];

fn uniform(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let most = match index {
        0..3 => 1,
        3..10 => 3,
        10..25 => 6,
        _ => [4, 8, 14, 24][dice.below(4)],
    };
    for &table in &g.order {
        for _ in 0..1 + dice.below(most) {
            draft.add(table, &[], dice);
        }
    }
}

/// The slots of a query that hold one value: connected by links that are meant to hold.
fn classes(facts: &Facts, weak: f64, dice: &mut Dice) -> BTreeMap<Slot, usize> {
    let mut slots: Vec<Slot> = facts
        .links
        .iter()
        .flat_map(|l| [l.left, l.right])
        .chain(facts.atoms.iter().map(|a| a.slot))
        .chain(facts.grouped.iter().copied())
        .collect();
    slots.sort_unstable();
    slots.dedup();
    let mut class: BTreeMap<Slot, usize> = slots.iter().enumerate().map(|(i, s)| (*s, i)).collect();
    for link in &facts.links {
        if link.weak && !dice.chance(weak) {
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

/// Adds one row for each relation of a query, with values that meet its links and atoms;
/// `miss` lets one atom fail. `fixed` gives values to some classes of slots.
fn instantiate(
    g: &Generator<'_>,
    facts: &Facts,
    class: &BTreeMap<Slot, usize>,
    fixed: &BTreeMap<usize, Value>,
    miss: bool,
    draft: &mut Draft<'_>,
    dice: &mut Dice,
) {
    let missed = if miss {
        Some(dice.below(facts.atoms.len()))
    } else {
        None
    };
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
        let atoms: Vec<(usize, &crate::facts::Atom)> = facts
            .atoms
            .iter()
            .enumerate()
            .filter(|(i, a)| used[*i] && slots.contains(&a.slot))
            .collect();
        if atoms.is_empty() && slots.len() == 1 {
            continue;
        }
        let Some(column) = facts.column(*first) else {
            continue;
        };
        let affinity = draft.schema.column(column).map(|c| c.affinity);
        let good = |v: &Value| atoms.iter().all(|(i, a)| meets(v, a) != (missed == Some(*i)));
        let mut value = None;
        for attempt in 0..12 {
            let proposal = if atoms.is_empty() || attempt % 4 == 3 {
                draft.draw(column, dice)
            } else {
                let (i, atom) = atoms[dice.below(atoms.len())];
                let v = if missed == Some(i) && atom.comparison != Comparison::Like {
                    super::values::variant(&candidate(atom, dice), dice)
                } else {
                    candidate(atom, dice)
                };
                match affinity {
                    Some(a) => store(v, a),
                    None => v,
                }
            };
            let fits_type = g.pool_of(facts, *first).is_none_or(|d| {
                let style = draft.pools.get(d).map(|p| p.style);
                !matches!(
                    (style, &proposal),
                    (
                        Some(super::Style::Integers | super::Style::Numbers),
                        Value::Text(_)
                    ) | (Some(super::Style::Integers), Value::Real(_))
                )
            });
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
        let given: Vec<(usize, Value)> = class
            .iter()
            .filter(|(slot, _)| slot.instance == instance)
            .filter_map(|(slot, c)| Some((slot.column, values.get(c)?.clone())))
            .collect();
        draft.add(facts.instances[instance], &given, dice);
    }
}

fn scenario(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let times = 1 + dice.below(if index < 4 { 2 } else { 5 });
    let same = dice.chance(0.3);
    let Some(mut facts) = g.facts.get(dice.below(g.facts.len())) else {
        return;
    };
    let mut class = classes(facts, 0.5, dice);
    for _ in 0..times {
        if !same {
            facts = &g.facts[dice.below(g.facts.len())];
            class = classes(facts, 0.5, dice);
        }
        let miss = !facts.atoms.is_empty() && dice.chance(0.35);
        instantiate(g, facts, &class, &BTreeMap::new(), miss, draft, dice);
    }
}

fn group_bounds(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    if g.facts.is_empty() {
        return;
    }
    let facts = &g.facts[dice.below(g.facts.len())];
    let class = classes(facts, 0.7, dice);
    let grouped: Vec<Slot> = facts
        .grouped
        .iter()
        .copied()
        .chain(facts.links.iter().map(|l| l.left))
        .chain(facts.links.iter().map(|l| l.right))
        .collect();
    let groups = 1 + dice.below(if index < 20 { 2 } else { 4 });
    for _ in 0..groups {
        let bound = dice.pick(&g.counts).copied().unwrap_or(2).min(12);
        let size = (bound + [0, 1, -1, 0, 1, 2][dice.below(6)]).clamp(1, 14);
        // One or all of the group keys are held fast while rows are added.
        let mut fixed = BTreeMap::new();
        let all = dice.chance(0.5);
        let chosen = dice.below(grouped.len());
        for (i, slot) in grouped.iter().enumerate() {
            if (all && i < facts.grouped.len()) || i == chosen {
                let Some(c) = class.get(slot) else { continue };
                if let Some(column) = facts.column(*slot) {
                    let value = draft.draw(column, dice);
                    fixed.insert(*c, value);
                }
            }
        }
        let miss = dice.chance(0.15) && !facts.atoms.is_empty();
        for _ in 0..size {
            instantiate(g, facts, &class, &fixed, miss, draft, dice);
        }
    }
}

/// The columns of a table whose values make it unique; a copy must draw them anew.
fn key_columns(draft: &Draft<'_>, table: usize) -> Vec<usize> {
    let Some(definition) = draft.schema.tables.get(table) else {
        return Vec::new();
    };
    let mut columns: Vec<usize> = keys(definition).flatten().copied().collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

fn copy(
    draft: &mut Draft<'_>,
    table: usize,
    row: usize,
    change: Option<usize>,
    dice: &mut Dice,
) -> Option<usize> {
    let redrawn = if draft.semantics.keys_hold {
        key_columns(draft, table)
    } else {
        Vec::new()
    };
    let source = draft.tables.get(table)?.get(row)?;
    let given: Vec<(usize, Value)> = source
        .iter()
        .enumerate()
        .filter(|(c, v)| !redrawn.contains(c) && change != Some(*c) && **v != Value::Null)
        .map(|(c, v)| (c, v.clone()))
        .collect();
    draft.add(table, &given, dice)
}

fn duplicates(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let most = if index < 15 { 2 } else { 4 };
    for &table in &g.order {
        let rows = draft.tables[table].len();
        if rows == 0 || !dice.chance(0.7) {
            continue;
        }
        for _ in 0..1 + dice.below(most) {
            let row = dice.below(rows);
            copy(draft, table, row, None, dice);
        }
    }
}

fn near_duplicates(g: &Generator<'_>, _index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    for &table in &g.order {
        let rows = draft.tables[table].len();
        let width = draft.schema.tables[table].columns.len();
        if rows == 0 || !dice.chance(0.7) {
            continue;
        }
        for _ in 0..1 + dice.below(3) {
            let row = dice.below(rows);
            let column = dice.below(width);
            copy(draft, table, row, Some(column), dice);
        }
    }
}
