//! Rows in the numbers that the queries count to: groups around the bounds of HAVING, and tables beyond a LIMIT.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use twinql_sql::{ColumnRef, Value};

use super::draft::Draft;
use super::generator::Generator;
use super::scenario::{Aim, classes, instantiate, key_classes, with_new_keys};
use super::values::Style;
use crate::dice::Dice;
use crate::facts::{Facts, Slot};

/// Adds groups whose sizes lie at, below or above the numbers that the queries compare counts with: HAVING,
/// LIMIT over grouped rows and the like turn on them.
pub(super) fn group_bounds(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
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
        let aim = if dice.chance(0.15) { Aim::miss(facts, dice) } else { Aim::Meet };
        let own_keys = if dice.chance(0.5) { key_classes(g, facts, &class) } else { Vec::new() };
        for _ in 0..size {
            let fixed = with_new_keys(&fixed, &own_keys, draft, dice);
            instantiate(g, facts, &class, &fixed, aim, draft, dice);
        }
    }
}

/// Bounds that [`beyond_bounds`] aims at; smaller ones are met by `group-bounds`.
const LARGE: RangeInclusive<i64> = 13..=AFFORDABLE;

/// Rows beyond which no table grows, whatever the queries count to.
pub(crate) const AFFORDABLE: i64 = 260;

/// Bounds up to which a database costs little more than others.
const CHEAP: i64 = 60;

/// A bound that ordinary tables do not reach.
struct Bound<'g> {
    /// The query that has it.
    facts: &'g Facts,
    rows: i64,
    /// It is one of LIMIT, and so of rows in an order.
    limit: bool,
}

/// All such bounds of the queries.
fn large<'g>(g: &'g Generator<'_>) -> Vec<Bound<'g>> {
    let mut all = Vec::new();
    for facts in g.facts {
        let counted = facts.counts.iter().filter(|n| !facts.limits.contains(n));
        all.extend(counted.map(|&rows| Bound { facts, rows, limit: false }));
        all.extend(facts.limits.iter().map(|&rows| Bound { facts, rows, limit: true }));
    }
    all.retain(|bound| LARGE.contains(&bound.rows));
    all
}

/// How many databases lie from one that grows to the next: fewer grow where that costs more.
fn apart(bounds: &[Bound<'_>]) -> Option<u64> {
    let most = bounds.iter().map(|bound| bound.rows).max()?;
    Some(if most <= CHEAP { 12 } else { 24 })
}

/// Few databases grow; others draw nothing here.
pub(super) fn weight_beyond(g: &Generator<'_>, index: u64) -> f64 {
    match apart(&large(g)) {
        Some(apart) if index % apart == apart - 1 => 1.0,
        Some(_) if g.thorough => 0.33,
        _ => 0.0,
    }
}

/// More rows than a table usually may have, for which the limit on rows is lifted.
pub(super) fn beyond_bounds(g: &Generator<'_>, index: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let bounds = large(g);
    let turn = apart(&bounds).map_or(0, |apart| (index / apart) as usize);
    let Some(bound) = bounds.get(turn % bounds.len().max(1)) else {
        return;
    };
    // All bounds in turn, and of each the sizes by which comparisons differ.
    let steps = [1, 0, 2, -1, 4, 8];
    let step = if bound.limit { 1 + dice.below(8) as i64 } else { steps[turn / bounds.len() % steps.len()] };
    let size = (bound.rows + step).clamp(1, AFFORDABLE + 8) as usize;
    let usual = draft.max_rows;
    draft.max_rows = draft.max_rows.max(size + 40);
    if bound.limit {
        many_rows(g, bound.facts, size, draft, dice);
    } else {
        large_group(g, bound.facts, size, draft, dice);
    }
    draft.max_rows = usual;
}

/// One group of a size.
fn large_group(g: &Generator<'_>, facts: &Facts, size: usize, draft: &mut Draft<'_>, dice: &mut Dice) {
    let class = classes(facts, 0.7, dice);
    let mut fixed = BTreeMap::new();
    // A group that no other row joins has exactly the size that is asked for.
    let (one_group, of_its_own) = (!g.thorough || dice.chance(0.8), !g.thorough || dice.chance(0.6));
    let bound_slots: BTreeSet<Slot> = facts.atoms.iter().map(|a| a.slot).collect();
    for slot in facts.grouped.iter().filter(|_| one_group) {
        if let (Some(c), Some(column)) = (class.get(slot), facts.column(*slot)) {
            let value = if of_its_own && !bound_slots.contains(slot) {
                draft.unused(column, dice)
            } else {
                draft.draw(column, dice)
            };
            fixed.insert(*c, value);
        }
    }
    let own_keys = key_classes(g, facts, &class);
    for _ in 0..size {
        let fixed = with_new_keys(&fixed, &own_keys, draft, dice);
        instantiate(g, facts, &class, &fixed, Aim::Meet, draft, dice);
    }
}

/// So many rows of a query, which differ in what they are grouped and ordered by: each such column has values of its
/// own, and sorts the rows in an order of its own, so that a LIMIT takes other rows under another order.
fn many_rows(g: &Generator<'_>, facts: &Facts, size: usize, draft: &mut Draft<'_>, dice: &mut Dice) {
    let class = classes(facts, 0.7, dice);
    let bound: BTreeSet<usize> = facts.atoms.iter().filter_map(|a| class.get(&a.slot).copied()).collect();
    let mut telling: BTreeMap<usize, ColumnRef> = key_classes(g, facts, &class).into_iter().collect();
    for query in g.facts {
        for slot in query.grouped.iter().chain(&query.ranked) {
            let own = facts.instances.iter().position(|t| query.instances.get(slot.instance) == Some(t));
            let slot = own.map(|instance| Slot { instance, column: slot.column });
            if let Some((slot, c)) = slot.and_then(|slot| Some((slot, *class.get(&slot)?)))
                && let Some(column) = facts.column(slot)
                && !bound.contains(&c)
                && has_room(draft, column)
            {
                telling.entry(c).or_insert(column);
            }
        }
    }
    let mut own: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for (&c, &column) in &telling {
        let mut values: Vec<Value> = (0..size).map(|_| draft.unused(column, dice)).collect();
        dice.shuffle(&mut values);
        own.insert(c, values);
    }
    for row in 0..size {
        let fixed = own.iter().filter_map(|(c, values)| Some((*c, values.get(row)?.clone()))).collect();
        instantiate(g, facts, &class, &fixed, Aim::Meet, draft, dice);
    }
}

/// Whether a column can have a value of its own in each of many rows.
fn has_room(draft: &Draft<'_>, column: ColumnRef) -> bool {
    let style = draft.pool(column).map(|pool| pool.style);
    !matches!(style, None | Some(Style::Flags | Style::Letters))
}
