//! What is decided of a table before it has rows: how many there are, how they are spread over parents, and which columns
//! tell them apart.

use twinql_sql::{ColumnRef, Value};

use super::Draft;
use crate::database::keys;
use crate::dice::Dice;
use crate::plausible::content::Content;
use crate::plausible::regularity::Regularity;
use crate::plausible::supply::QuickSet;

/// How a table's rows are spread in one database.
#[derive(Debug, Default)]
pub(super) struct Spread {
    /// Rows that the table is to have.
    pub(super) rows: usize,
    /// How unevenly parents are chosen, by reference.
    pub(super) skews: Vec<f64>,
    /// Columns that children of one parent share, and how many of them do.
    pub(super) sticky: Vec<(usize, f64)>,
    /// Sets of columns of which no two rows agree: declared keys, and natural ones.
    pub(super) unique: Vec<Vec<usize>>,
    pub(super) seen: Vec<QuickSet<Vec<Value>>>,
}

impl Draft<'_> {
    pub(super) fn spread(&self, table: usize, dice: &mut Dice) -> Spread {
        let definition = &self.schema.tables[table];
        let references = self.portraits.references(table);
        let mut unique: Vec<Vec<usize>> = keys(definition).cloned().collect();
        let alone = (0..definition.columns.len())
            .filter(|&c| self.portraits.get(ColumnRef { table, column: c }).is_some_and(|p| p.unique))
            .map(|c| vec![c]);
        unique.extend(alone.filter(|key| !keys(definition).any(|k| k == key)));
        unique.extend(self.natural_key(table, dice));
        if self.mood.has(Regularity::FullDescriptions) && !self.knows_keys(table) {
            unique.extend(self.portraits.described.get(&table).into_iter().flatten().cloned());
        }
        unique.extend(self.known_keys(table));
        let favourites = self.mood.has(Regularity::ClearFavourites);
        let skews = references.iter().map(|_| if favourites { 1.4 + dice.unit() } else { 1.0 }).collect();
        let mut sticky = Vec::new();
        let referring = |column: usize| references.iter().any(|r| r.columns.contains(&column));
        let profiled = self.portraits.known_table(table).is_some();
        if self.mood.has(Regularity::StickyValues) && !references.is_empty() && !profiled {
            for column in 0..definition.columns.len() {
                if !referring(column) && !unique.iter().any(|k| k.contains(&column)) && dice.chance(0.5) {
                    sticky.push((column, if dice.chance(0.5) { 1.0 } else { 0.7 }));
                }
            }
        }
        let seen = vec![QuickSet::default(); unique.len()];
        Spread { rows: 0, skews, sticky, unique, seen }
    }

    /// The columns of which a table, in this database, holds each combination once: a parent has one row for each day,
    /// or else for each other parent, or for each of its categories. Parents that no query reads count as well: a table
    /// of guests and their dishes holds each pair once whether guests are read or not.
    fn natural_key(&self, table: usize, dice: &mut Dice) -> Option<Vec<usize>> {
        let definition = &self.schema.tables[table];
        // A narrow table lists what a parent has, one row for each kind of it.
        let categories = dice.chance(if definition.columns.len() <= 6 { 0.75 } else { 0.15 });
        if !self.mood.has(Regularity::NaturalKeys) || self.knows_keys(table) {
            return None;
        }
        let read = self.portraits.references(table).iter().map(|r| (r.columns.clone(), Some(r.target)));
        let unread = (0..definition.columns.len())
            .filter(|&c| self.portraits.get(ColumnRef { table, column: c }).is_some_and(|p| p.shared))
            .map(|c| (vec![c], definition.foreign_keys.iter().find(|f| f.columns == [c]).map(|f| f.target)));
        let parents: Vec<(Vec<usize>, Option<usize>)> = read.chain(unread).collect();
        let (parent, target) = parents.first()?;
        let telling = |c: usize| match self.portraits.get(ColumnRef { table, column: c })?.content {
            Content::Moment(_) | Content::Year => Some(0),
            _ if parents.iter().any(|(own, _)| own.contains(&c)) => {
                let other = |(own, to): &(Vec<usize>, Option<usize>)| {
                    own.contains(&c) && (to.is_none() || to != target)
                };
                parents.iter().any(other).then_some(1)
            }
            Content::Category | Content::Level | Content::Name if categories => Some(2),
            Content::Prose | Content::Code | Content::Place if categories => Some(3),
            _ => None,
        };
        let columns = (0..definition.columns.len()).filter(|c| !parent.contains(c));
        let mut telling: Vec<(i32, usize)> = columns.filter_map(|c| Some((telling(c)?, c))).collect();
        telling.sort_unstable();
        // Mostly the most telling one.
        let &(_, column) = if dice.chance(0.6) { telling.first() } else { dice.pick(&telling) }?;
        let mut key = parent.clone();
        key.push(column);
        Some(key)
    }
}
