//! What stands alone: tables of one row, and groups without a value.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{ColumnRef, Value};

use super::draft::Draft;
use super::generator::Generator;
use super::scenario::{Aim, classes, instantiate};
use crate::dice::Dice;
use crate::facts::Facts;

/// Whether a query is one that a table of one row may tell apart from another.
pub(super) fn may_be_alone(g: &Generator<'_>) -> bool {
    g.facts.iter().any(|f| f.instances.len() > 1 || !f.ranked.is_empty())
}

/// One of the tables that others refer to has at most one row, or else one of all.
pub(super) fn one_row(draft: &mut Draft<'_>, dice: &mut Dice) {
    let definitions = draft.needed.iter().filter_map(|&t| Some((t, draft.schema.tables.get(t)?)));
    let targets = definitions
        .flat_map(|(t, table)| table.foreign_keys.iter().map(|f| f.target).filter(move |&to| to != t));
    let referred: BTreeSet<usize> = targets.collect();
    let referred: Vec<usize> = referred.into_iter().collect();
    draft.lone = dice.pick(if referred.is_empty() { draft.needed } else { &referred }).copied();
}

/// Whether a query makes groups in which there may be NULLs.
pub(super) fn has_null_groups(g: &Generator<'_>) -> bool {
    let nullable = |t: usize| {
        let width = g.schema.tables.get(t).map_or(0, |t| t.columns.len());
        (0..width).any(|column| g.may_be_null(ColumnRef { table: t, column }))
    };
    g.facts.iter().any(|f| !f.grouped.is_empty() && f.instances.iter().any(|&t| nullable(t)))
}

/// A group or two of a few rows, in which all is NULL that may be, but for what conditions and joins need.
pub(super) fn null_groups(g: &Generator<'_>, _: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let grouping: Vec<&Facts> = g.facts.iter().filter(|f| !f.grouped.is_empty()).collect();
    let usual = draft.nulls;
    for _ in 0..1 + dice.below(2) {
        let Some(&facts) = dice.pick(&grouping) else { break };
        let class = classes(facts, 0.7, dice);
        let mut kept: BTreeSet<usize> =
            facts.atoms.iter().filter_map(|a| class.get(&a.slot).copied()).collect();
        kept.extend(facts.links.iter().filter_map(|l| class.get(&l.left).copied()));
        let mut fixed = BTreeMap::new();
        for slot in &facts.grouped {
            if let (Some(c), Some(column)) = (class.get(slot), facts.column(*slot))
                && !facts.atoms.iter().any(|a| a.slot == *slot)
                && !facts.ranked.contains(slot)
            {
                fixed.insert(*c, draft.unused(column, dice));
            }
        }
        for slot in &facts.ranked {
            if let (Some(c), Some(column)) = (class.get(slot), facts.column(*slot))
                && !kept.contains(c)
                && g.may_be_null(column)
            {
                fixed.entry(*c).or_insert(Value::Null);
            }
        }
        draft.nulls = 1.0;
        let bound = dice.pick(&g.counts).copied().unwrap_or(1).clamp(1, 12) as usize;
        let size = if dice.chance(0.5) { bound + dice.below(2) } else { 1 + dice.below(3) };
        for _ in 0..size {
            instantiate(g, facts, &class, &fixed, Aim::Meet, draft, dice);
        }
        draft.nulls = usual;
    }
}
