//! How plausible databases follow a profile: what it says of a column, a table or a reference stands in the place of
//! what names and regularities would have it be.
//!
//! The gold's planted rows stay: a database in which the gold has no answer says nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use twinql_sql::{ColumnRef, ForeignKey, Schema, Value};

use super::content::Content;
use super::form::Form;
use super::portrait::{Portrait, Portraits};
use super::supply::{Making, Supply};
use crate::database::store;
use crate::dice::Dice;
use crate::facts::Atom;
use crate::generate::values::meets;
use crate::profile::{Bound, BoundReference, BoundTable, ColumnProfile};

/// Dependencies that are kept in one table.
pub(super) const DEPENDENCIES: usize = 16;

/// Common values that come to this share are all there are.
const ALL: f64 = 0.995;

/// How the children of one reference are dealt out in one database.
#[derive(Debug, Default)]
pub(super) struct Deal {
    /// Children that each parent would have in the real database.
    pub(super) wanted: Vec<f64>,
    /// Children that it has been given here.
    pub(super) given: Vec<u64>,
}

impl Portraits {
    /// Takes in a profile, after the portraits are made.
    pub(super) fn follow(&mut self, schema: &Schema, profile: Arc<Bound>) {
        for (at, portrait) in self.columns.iter_mut() {
            if let Some(known) = column_of(&profile, at) {
                adjust(portrait, known);
            }
        }
        let tables: Vec<usize> = self.references.keys().copied().collect();
        for &table in &tables {
            let Some(known) = profile.tables.get(table).and_then(Option::as_ref) else { continue };
            for reference in known.references.iter().filter(|r| r.holds >= 0.5) {
                let key = &reference.key;
                let declared = schema.tables.get(table).is_some_and(|t| t.foreign_keys.contains(key));
                let busy =
                    self.references(table).iter().any(|r| r.columns.iter().any(|c| key.columns.contains(c)));
                let read = tables.contains(&key.target);
                if !declared && !busy && read && key.target != table && !self.reaches(key.target, table) {
                    self.references.entry(table).or_default().push(key.clone());
                }
            }
        }
        self.profile = Some(profile);
    }

    pub(super) fn known_table(&self, table: usize) -> Option<&BoundTable> {
        self.profile.as_ref()?.tables.get(table)?.as_ref()
    }

    pub(super) fn known_column(&self, at: ColumnRef) -> Option<&ColumnProfile> {
        column_of(self.profile.as_ref()?, at)
    }

    pub(super) fn known_reference(&self, table: usize, key: &ForeignKey) -> Option<&BoundReference> {
        self.known_table(table)?.references.iter().find(|r| r.key == *key)
    }

    /// Rows of the tables of which the profile knows the number. Where the largest has more than `most`, all are
    /// made smaller alike, so that parents keep their share of children.
    pub(super) fn sizes(&self, tables: &[usize], most: usize) -> BTreeMap<usize, usize> {
        let rows = |t: usize| self.known_table(t).and_then(|known| known.rows);
        let largest = tables.iter().filter_map(|&t| rows(t)).max().unwrap_or(0);
        let scale = (most as f64 / largest.max(1) as f64).min(1.0);
        let size = |rows: u64| ((rows as f64 * scale).ceil() as usize).max((rows as usize).min(6)).max(1);
        tables.iter().filter_map(|&t| Some((t, size(rows(t)?)))).collect()
    }

    /// False if the profile knows the range of a column's numbers, and this one is outside.
    pub(super) fn has_in_range(&self, at: ColumnRef, value: &Value) -> bool {
        match (self.known_column(at).and_then(|known| known.range), value.as_f64()) {
            (Some([least, most]), Some(n)) => (least..=most).contains(&n),
            _ => true,
        }
    }

    /// True if the profile knows all values of a column, and none passes these tests.
    pub(super) fn excludes(&self, at: ColumnRef, atoms: &[&Atom]) -> bool {
        let (Some(known), Some(portrait)) = (self.known_column(at), self.get(at)) else { return false };
        closed(known)
            && !known.common.iter().any(|common| {
                let value = stored(&common.value, portrait);
                atoms.iter().all(|atom| meets(&value, atom))
            })
    }
}

fn column_of(profile: &Bound, at: ColumnRef) -> Option<&ColumnProfile> {
    profile.tables.get(at.table)?.as_ref()?.columns.get(at.column)?.as_ref()
}

/// True if the common values are all that there are.
fn closed(known: &ColumnProfile) -> bool {
    let told: f64 = known.common.iter().map(|c| c.share).sum();
    !known.common.is_empty()
        && (known.distinct == Some(known.common.len() as u64)
            || told + known.null_share.unwrap_or(0.0) >= ALL)
}

fn stored(value: &serde_json::Value, portrait: &Portrait) -> Value {
    let value = match value {
        serde_json::Value::String(text) => Value::Text(text.clone()),
        other => match (other.as_i64(), other.as_f64()) {
            (Some(n), _) => Value::Integer(n),
            (None, Some(r)) => Value::Real(r.into()),
            (None, None) => Value::Null,
        },
    };
    store(value, portrait.affinity)
}

/// The form of dates that most texts of a column have.
fn form(known: &ColumnProfile) -> Option<Form> {
    let shape = &known.shapes.first()?.shape;
    Some(match shape.as_str() {
        "9999-99-99" | "9+-9+-9+" => Form::Day,
        "9999-99" => Form::Month,
        s if s.starts_with("9999/") => Form::Slashed,
        s if s.ends_with("/9999") || s.ends_with("/9+") => Form::American,
        s if s.starts_with("9999-99-99") || s.starts_with("9+-9+-9+") => {
            Form::Moment { fraction: s.contains('.') }
        }
        _ => return None,
    })
}

/// Corrects what a name has made of a column.
fn adjust(portrait: &mut Portrait, known: &ColumnProfile) {
    portrait.unique |= known.unique == Some(true);
    let moment = matches!(portrait.content, Content::Moment(_));
    if let Some(form) = form(known).filter(|_| !known.years.is_empty() && !portrait.formed) {
        portrait.content = Content::Moment(form);
    } else if moment && !portrait.formed && known.years.is_empty() && known.distinct.is_some_and(|d| d > 0) {
        // A name that promised dates, and a column that holds none that can be read.
        portrait.content = match known.number_share {
            Some(share) if share > 0.5 => Content::Count,
            _ => Content::Category,
        };
    }
    if known.number_share.is_some_and(|share| share > 0.5) {
        portrait.whole = known.whole_share.is_none_or(|w| w >= 1.0);
    }
}

/// Makes a column's supply follow the profile, in a table that is to have so many `rows`.
pub(super) fn follow(
    supply: &mut Supply,
    portrait: &Portrait,
    known: &ColumnProfile,
    total: Option<u64>,
    rows: usize,
    dice: &mut Dice,
) {
    match known.null_share {
        _ if portrait.not_null => supply.nulls = 0.0,
        // One NULL among many rows still shows where it is asked for.
        Some(share) if share > 0.0 => supply.nulls = share.max((1.0 / rows.max(1) as f64).min(0.1)),
        Some(_) if !portrait.asked_null => supply.nulls = 0.0,
        _ => {}
    }
    if let Some(unique) = known.unique {
        supply.unique = unique || portrait.unique;
    }
    if portrait.enumerated {
        return;
    }
    if let Some(making) = making(portrait, known, dice) {
        supply.making = making;
    }
    if !supply.unique
        && let Some(distinct) = known.distinct.filter(|d| *d > 0)
    {
        supply.making = pool(supply, portrait, known, kept(distinct, total, rows), rows, dice);
    }
}

/// Distinct values that a table with so many `rows` of a larger one has: all if they are few, else as large a part of
/// the rows as there.
fn kept(distinct: u64, total: Option<u64>, rows: usize) -> usize {
    let part = total.map_or(1.0, |total| distinct as f64 / total.max(1) as f64);
    let scaled = (rows as f64 * part.min(1.0)) as usize;
    let most = match total {
        // Something occurs twice there, and so it does here.
        Some(total) if distinct < total => rows.saturating_sub(1),
        _ => rows,
    };
    (distinct.min(rows as u64) as usize).min(scaled.max(24)).min(most).max(1)
}

fn making(portrait: &Portrait, known: &ColumnProfile, dice: &mut Dice) -> Option<Making> {
    if let (Content::Moment(form), false) = (portrait.content, known.years.is_empty()) {
        return Some(Making::Dated {
            form,
            years: known.years.iter().map(|y| *y as f64).collect(),
            midnight: portrait.midnight,
        });
    }
    let numeric = known.number_share.is_some_and(|share| share > 0.5);
    if let (true, Some([least, most])) = (numeric, known.range) {
        if portrait.content == Content::Id && portrait.unique && portrait.whole && least.abs() < 9e15 {
            let dense = known.distinct.is_some_and(|d| most - least + 1.0 <= d as f64);
            let step = if dense { 1 } else { [2, 3, 7][dice.below(3)] };
            return Some(Making::Serial { next: least as i64, step });
        }
        let points = if known.quantiles.len() > 1 { known.quantiles.as_slice() } else { &[least, most] };
        return Some(Making::Spread { points: points.into(), digits: if portrait.whole { 0 } else { 2 } });
    }
    // Codes are told by their shape; names are better made of words.
    let coded = known.shapes.iter().filter(|s| !s.shape.contains('+') && s.shape.contains('9'));
    let (shapes, weights): (Vec<String>, Vec<f64>) = coded.map(|s| (s.shape.clone(), s.share)).unzip();
    let textual = !matches!(portrait.content, Content::Moment(_) | Content::Id);
    let most: f64 = weights.iter().sum();
    (textual && !numeric && most > 0.5)
        .then(|| Making::Shaped { shapes: shapes.into(), weights: weights.into() })
}

/// The values of a column that repeats some, and how often each comes.
fn pool(
    supply: &Supply,
    portrait: &Portrait,
    known: &ColumnProfile,
    size: usize,
    rows: usize,
    dice: &mut Dice,
) -> Making {
    let mut values: Vec<Value> = known.common.iter().map(|c| stored(&c.value, portrait)).collect();
    let told = values.len();
    let mut seen: HashSet<Value> = values.iter().cloned().collect();
    let wanted = if closed(known) { told } else { size.max(told) };
    let inside = |v: &Value| match (known.range, v.as_f64()) {
        (Some([least, most]), Some(n)) => (least..=most).contains(&n),
        _ => true,
    };
    let members: Vec<Value> = portrait.members.iter().map(|m| store(m.clone(), portrait.affinity)).collect();
    for member in members.into_iter().filter(|m| inside(m)) {
        if values.len() < wanted && seen.insert(member.clone()) {
            values.push(member);
        }
    }
    let mut source = supply.clone();
    source.unique = false;
    for attempt in 0..wanted * 6 {
        if values.len() >= wanted {
            break;
        }
        let value = match source.draw(dice) {
            Value::Text(t) if attempt > wanted * 3 => Value::Text(format!("{t} {attempt}")),
            other => other,
        };
        if seen.insert(value.clone()) {
            values.push(value);
        }
    }
    if values.is_empty() {
        return supply.making.clone();
    }
    let count = values.len();
    let weights: Vec<f64> = if told > 0 {
        let rest = (1.0 - known.common.iter().map(|c| c.share).sum::<f64>()).max(0.0);
        let each = rest / count.saturating_sub(told).max(1) as f64;
        (0..count).map(|i| known.common.get(i).map_or(each, |c| c.share)).collect()
    } else {
        // Nobody knows which value is the common one.
        dice.shuffle(&mut values);
        let rest = (1.0 - known.frequencies.iter().sum::<f64>()).max(0.0);
        let each = rest / count.saturating_sub(known.frequencies.len()).max(1) as f64;
        (0..count).map(|i| known.frequencies.get(i).copied().unwrap_or(each).max(1e-6)).collect()
    };
    Making::Pool {
        values: values.into(),
        weights: weights.into(),
        fresh: 0,
        pace: (count as f64 / rows.max(1) as f64).min(1.0),
    }
}
