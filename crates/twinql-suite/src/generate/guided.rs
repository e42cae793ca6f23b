//! Conditions that count only together: rows for which a join, a condition and an extreme
//! value meet.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::{ColumnRef, Value};

use super::draft::Draft;
use super::generator::Generator;
use super::scenario::{Aim, classes, instantiate};
use super::values::Style;
use crate::compare::order;
use crate::dice::Dice;
use crate::facts::{Facts, Slot};

/// A value for a column that is above (or below) all that its rows hold.
fn beyond(column: ColumnRef, above: bool, draft: &Draft<'_>, dice: &mut Dice) -> Option<Value> {
    let cells = draft.tables.get(column.table)?.iter();
    let held = cells.filter_map(|row| row.get(column.column)).filter(|v| **v != Value::Null);
    let furthest = if above { held.max_by(|a, b| order(a, b)) } else { held.min_by(|a, b| order(a, b)) };
    let style = draft
        .domains
        .get(column.table)
        .and_then(|d| d.get(column.column))
        .and_then(|&d| draft.pools.get(d))
        .map(|p| p.style);
    let by = 1 + dice.below(3) as i64;
    // Beyond the years that dates are drawn from otherwise.
    let day = if above { "2061-05-" } else { "1901-05-" };
    Some(match (style, furthest) {
        (Some(Style::Days), _) => Value::Text(format!("{day}{:02}", 9 + by)),
        (Some(Style::Moments), _) => Value::Text(format!("{day}{:02} 08:00:00", 9 + by)),
        (_, Some(Value::Integer(n))) if above => Value::Integer(n.saturating_add(by)),
        (_, Some(Value::Integer(n))) => Value::Integer(n.saturating_sub(by)),
        (_, Some(Value::Real(r))) if above => Value::Real((r.0 + by as f64).into()),
        (_, Some(Value::Real(r))) => Value::Real((r.0 - by as f64).into()),
        (_, Some(Value::Text(s))) if above => Value::Text(format!("{s}z")),
        (_, Some(Value::Text(s))) => {
            let shorter: String = s.chars().take(s.chars().count().saturating_sub(1)).collect();
            Value::Text(if shorter.is_empty() { "0".into() } else { shorter })
        }
        _ => return None,
    })
}

/// The classes of slots that a condition binds.
fn bound(facts: &Facts, class: &BTreeMap<Slot, usize>) -> BTreeSet<usize> {
    let of_atoms = facts.atoms.iter().filter(|a| !a.weak);
    of_atoms.filter_map(|a| class.get(&a.slot).copied()).collect()
}

/// Gives one ranked class an extreme value, where there is one that no condition binds.
fn make_extreme(
    facts: &Facts,
    class: &BTreeMap<Slot, usize>,
    fixed: &mut BTreeMap<usize, Value>,
    draft: &Draft<'_>,
    dice: &mut Dice,
) {
    let bound = bound(facts, class);
    let free: Vec<(usize, ColumnRef)> = facts
        .ranked
        .iter()
        .filter_map(|slot| Some((*class.get(slot)?, facts.column(*slot)?)))
        .filter(|(c, _)| !bound.contains(c) && !fixed.contains_key(c))
        .collect();
    let above = dice.chance(0.6);
    if let Some(&(c, column)) = dice.pick(&free)
        && let Some(value) = beyond(column, above, draft, dice)
    {
        fixed.insert(c, value);
    }
}

/// The strategy `lone-rows`: rows of all relations of a query but one. What the missing row
/// would be found by gets a value that no row has.
pub(super) fn lone_rows(g: &Generator<'_>, _: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let joining: Vec<&Facts> = g.facts.iter().filter(|f| f.instances.len() > 1).collect();
    let usual = draft.dangling;
    for _ in 0..1 + dice.below(3) {
        let Some(&facts) = dice.pick(&joining) else {
            break;
        };
        let class = classes(facts, 0.5, dice);
        let bound = bound(facts, &class);
        let missing = dice.below(facts.instances.len());
        let mut fixed = BTreeMap::new();
        for (slot, c) in class.iter().filter(|(s, _)| s.instance == missing) {
            let shared = class.iter().any(|(s, k)| k == c && s.instance != missing);
            if shared
                && !bound.contains(c)
                && !fixed.contains_key(c)
                && dice.chance(0.8)
                && let Some(column) = facts.column(*slot)
            {
                fixed.insert(*c, draft.unused(column, dice));
            }
        }
        if dice.chance(0.5) {
            make_extreme(facts, &class, &mut fixed, draft, dice);
        }
        // Else a foreign key would find, or make, the row that is to be missing.
        if !g.semantics.foreign_keys_hold {
            draft.dangling = 1.0;
        }
        instantiate(g, facts, &class, &fixed, Aim::Without(missing), draft, dice);
        draft.dangling = usual;
    }
}

/// The strategy `extremes`.
/// Rows of a query, one column of which is beyond all others: some meet its conditions, some miss one.
pub(super) fn extremes(g: &Generator<'_>, _: u64, draft: &mut Draft<'_>, dice: &mut Dice) {
    let ranking: Vec<&Facts> = g.facts.iter().filter(|f| !f.ranked.is_empty()).collect();
    for _ in 0..1 + dice.below(2) {
        let Some(&facts) = dice.pick(&ranking) else {
            return;
        };
        let class = classes(facts, 0.5, dice);
        let mut fixed = BTreeMap::new();
        make_extreme(facts, &class, &mut fixed, draft, dice);
        let aim = if dice.chance(0.4) { Aim::miss(facts, dice) } else { Aim::Meet };
        instantiate(g, facts, &class, &fixed, aim, draft, dice);
    }
}
