//! A plausible database in the making: rows are added one by one, references and keys kept at every step.

mod finish;
mod repeat;
mod spread;

use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, ForeignKey, Schema, Value};

use super::asked::{Asked, MOST_ASKED};
use super::by_column::ByColumn;
use super::portrait::Portraits;
use super::profile::{Deal, follow};
use super::regularity::{Mood, Regularity};
use super::supply::Supply;
use crate::constraints::Session;
use crate::database::{Row, has_key_form, has_type, key_form, project, store};
use crate::dice::Dice;
use crate::facts::Facts;
use spread::Spread;

/// Rows that one table may have.
const MAX_ROWS: usize = 60;

/// The same where the gold has not answered on smaller tables.
const PLENTY: usize = 160;

/// What a reference of a new row leads to.
enum Parent {
    /// The row with this position.
    Row(usize),
    /// Nothing: the reference is NULL.
    Nothing,
    /// Nothing that could be made, though the row is to refer to something.
    Missing,
}

/// A plausible database in the making.
pub(super) struct Draft<'a> {
    pub(super) schema: &'a Schema,
    pub(super) portraits: &'a Portraits,
    pub(super) mood: Mood,
    /// Tables are larger, and parents have more children.
    plenty: bool,
    tables: &'a [usize],
    pub(super) rows: Vec<Vec<Row>>,
    pub(super) supplies: ByColumn<Supply>,
    spreads: BTreeMap<usize, Spread>,
    /// CHECKs and generated columns.
    constraints: Session<'a>,
    /// Tables whose row is being made, outermost first.
    making: Vec<usize>,
    /// References may lead nowhere.
    dangling: bool,
    /// What the queries count to, beyond what tables hold anyway.
    asked: Asked,
    /// Rows of the tables of which a profile knows the number.
    sizes: BTreeMap<usize, usize>,
    /// How children are dealt out, by table and reference, where a profile knows.
    pub(super) deals: BTreeMap<(usize, usize), Deal>,
}

impl<'a> Draft<'a> {
    /// An empty database, for which all is decided that holds for a whole column: how many rows there are, and where
    /// values come from. A profile's figures, where there is one, go over what the portrait guesses.
    pub(super) fn new(
        schema: &'a Schema,
        tables: &'a [usize],
        portraits: &'a Portraits,
        constraints: Session<'a>,
        mood: Mood,
        plenty: bool,
        dice: &mut Dice,
    ) -> Draft<'a> {
        let mut draft = Draft {
            schema,
            portraits,
            mood,
            plenty,
            tables,
            rows: vec![Vec::new(); schema.tables.len()],
            supplies: ByColumn::default(),
            spreads: BTreeMap::new(),
            constraints,
            making: Vec::new(),
            dangling: false,
            asked: Asked::default(),
            sizes: portraits.sizes(tables, if plenty { PLENTY } else { MAX_ROWS } - 12),
            deals: BTreeMap::new(),
        };
        for &table in tables {
            let Some(definition) = schema.tables.get(table) else { continue };
            for column in 0..definition.columns.len() {
                let at = ColumnRef { table, column };
                if let Some(portrait) = portraits.get(at) {
                    let mut supply = Supply::of(portrait, &mood, dice);
                    if let Some(known) = portraits.known_column(at) {
                        let total = portraits.known_table(table).and_then(|t| t.rows);
                        let rows = draft.sizes.get(&table).copied().unwrap_or(MAX_ROWS);
                        follow(&mut supply, portrait, known, total, rows, dice);
                    }
                    draft.supplies.insert(at, supply);
                }
            }
            let spread = draft.spread(table, dice);
            draft.spreads.insert(table, spread);
        }
        draft
    }

    /// Fills the tables to this share of the size that they are to have.
    pub(super) fn settle(&mut self, share: f64, gold: &Facts, pred: &Facts, dice: &mut Dice) {
        let bound = gold
            .counts
            .iter()
            .chain(&gold.ranks)
            .copied()
            .filter(|n| (2..=12).contains(n))
            .max()
            .unwrap_or(0) as f64;
        self.asked = Asked::of(gold, pred);
        for &table in self.tables {
            let parents = self
                .portraits
                .references(table)
                .iter()
                .map(|r| self.spreads.get(&r.target).map_or(0, |s| s.rows));
            let parents = parents.max().unwrap_or(0);
            let most = self.most(table) - 12;
            let wanted = match self.spreads.get(&table).map_or(0, |s| s.rows) {
                0 if self.asked.grows(table) => self.asked.rows(parents, self.has_children(table), dice),
                0 if parents == 0 && self.plenty => most,
                0 if parents == 0 => [6, 9, 14, 20][dice.below(4)] + bound as usize,
                0 => {
                    let fan = [0.7, 1.2, 2.0, 3.5][dice.below(4)];
                    // A table that extends another has at most one row for each of its rows.
                    let extends = self.spreads.get(&table).is_some_and(|s| {
                        let references = self.portraits.references(table);
                        s.unique.iter().any(|key| references.iter().any(|r| r.columns == *key))
                    });
                    let fan = if extends { [0.5, 0.8, 0.9, 1.0][dice.below(4)] } else { fan };
                    let fan = if self.plenty && !extends { fan * 4.0 + 4.0 } else { fan };
                    ((parents as f64 * fan) as usize + (bound * 1.5) as usize)
                        .clamp(if extends { 3 } else { 8 }, most)
                }
                known => known,
            };
            let wanted = self.sizes.get(&table).copied().unwrap_or(wanted);
            if let Some(spread) = self.spreads.get_mut(&table) {
                spread.rows = wanted;
            }
            let until = (wanted as f64 * share) as usize;
            let mut failures = 0;
            if self.rows[table].is_empty() && until > 0 && self.add(table, &[], dice).is_none() {
                // Tables that refer to each other in a circle, and none may be NULL: one row comes first.
                self.dangling = true;
                self.add(table, &[], dice);
                self.dangling = false;
            }
            // A large table runs out of values for its keys now and then.
            let patience = if self.asked.grows(table) { 6 + until } else { 6 };
            while self.rows[table].len() < until && failures < patience {
                if self.add(table, &[], dice).is_none() {
                    failures += 1;
                }
            }
        }
        if share >= 1.0 {
            self.adopt(dice);
        }
    }

    /// Rows that a table may have.
    fn most(&self, table: usize) -> usize {
        let usual = if self.plenty { PLENTY } else { MAX_ROWS };
        if self.asked.grows(table) { usual.max(MOST_ASKED) } else { usual }
    }

    /// Whether a table that the gold reads refers to this one.
    fn has_children(&self, table: usize) -> bool {
        let refers =
            |t: &usize| self.portraits.references(*t).iter().any(|r| r.target == table && *t != table);
        self.asked.tables.iter().any(refers)
    }

    /// Gives each parent without a child one, where a table refers to one other and no parent is without.
    fn adopt(&mut self, dice: &mut Dice) {
        for &table in self.tables {
            let Some(reference) = self.portraits.references(table).first().cloned() else { continue };
            if !self.leaves_no_orphans(table, &reference) {
                continue;
            }
            for parent in 0..self.rows[reference.target].len() {
                let key = self.key_of(&reference, parent);
                if self.find(table, &key).is_none() {
                    self.add(table, &key, dice);
                }
            }
        }
    }

    /// The cells of a child that refers to this parent.
    pub(super) fn key_of(&self, reference: &ForeignKey, parent: usize) -> Vec<(usize, Value)> {
        let row = self.rows[reference.target].get(parent);
        let value = |t: usize| row.and_then(|r| r.get(t)).cloned().unwrap_or(Value::Null);
        reference.columns.iter().zip(&reference.target_columns).map(|(&c, &t)| (c, value(t))).collect()
    }

    /// The rows of a table with these cells.
    fn all(&self, table: usize, cells: &[(usize, Value)]) -> impl Iterator<Item = usize> {
        let forms: Vec<(usize, Value)> = cells.iter().map(|(c, v)| (*c, key_form(v))).collect();
        let rows = self.rows[table].iter().enumerate();
        let fitting = rows.filter(move |(_, row)| {
            forms.iter().all(|(c, form)| row.get(*c).is_some_and(|value| has_key_form(value, form)))
        });
        fitting.map(|(place, _)| place)
    }

    /// The first row of a table with these cells.
    pub(super) fn find(&self, table: usize, cells: &[(usize, Value)]) -> Option<usize> {
        self.all(table, cells).next()
    }

    /// Whether a row has these cells.
    pub(super) fn has(&self, table: usize, row: usize, cells: &[(usize, Value)]) -> bool {
        let own = self.rows[table].get(row);
        cells
            .iter()
            .all(|(c, v)| own.and_then(|r| r.get(*c)).is_some_and(|own| has_key_form(own, &key_form(v))))
    }

    /// One of the rows of a table with these cells.
    pub(super) fn some(&self, table: usize, cells: &[(usize, Value)], dice: &mut Dice) -> Option<usize> {
        let fitting: Vec<usize> = self.all(table, cells).collect();
        fitting.get(dice.skewed(fitting.len(), 1.3)).copied()
    }

    /// Adds a row with the given cells, and the parents that it lacks; gives its position.
    pub(super) fn add(&mut self, table: usize, given: &[(usize, Value)], dice: &mut Dice) -> Option<usize> {
        let most = self.most(table);
        // Tables that refer to each other in a circle would never come to an end. What is given may ask for a
        // second row of a table, such as somebody's boss.
        let again = self.making.iter().filter(|t| **t == table).count();
        if self.rows[table].len() >= most || self.making.len() > 6 || again > usize::from(!given.is_empty()) {
            return None;
        }
        self.making.push(table);
        let row = (0..5).find_map(|_| self.row(table, given, dice));
        self.making.pop();
        let row = row?;
        for (column, value) in row.iter().enumerate() {
            if let Some(source) = self.supplies.get_mut(ColumnRef { table, column }) {
                source.note(value);
            }
        }
        self.rows[table].push(row);
        Some(self.rows[table].len() - 1)
    }

    fn row(&mut self, table: usize, given: &[(usize, Value)], dice: &mut Dice) -> Option<Row> {
        let (schema, portraits) = (self.schema, self.portraits);
        let definition = schema.tables.get(table)?;
        let mut cells: Vec<Option<Value>> = vec![None; definition.columns.len()];
        for (column, value) in given {
            let at = definition.columns.get(*column)?;
            let value = store(value.clone(), at.affinity);
            // What a join or a test asks for may not fit the type of every column.
            if has_type(at, &value) && !(at.not_null && value == Value::Null) {
                cells[*column] = Some(value);
            }
        }
        let mut parents: Vec<(usize, usize)> = Vec::new();
        // Those that are given first: others may follow from them.
        let mut order: Vec<(usize, &ForeignKey)> = portraits.references(table).iter().enumerate().collect();
        order.sort_by_key(|(_, r)| r.columns.iter().any(|c| cells.get(*c).is_none_or(Option::is_none)));
        for (index, reference) in order {
            match self.refer(table, index, reference, &mut cells, &parents, dice) {
                Parent::Row(parent) => parents.push((reference.target, parent)),
                Parent::Nothing => {}
                Parent::Missing => self.without(table, reference, &mut cells)?,
            }
        }
        self.copy(table, &parents, &mut cells);
        self.stick(table, &mut cells, dice);
        let drawn: Vec<bool> = cells.iter().map(Option::is_none).collect();
        let mut row = Row::with_capacity(cells.len());
        for (column, cell) in cells.into_iter().enumerate() {
            let value = match (cell, self.supplies.get_mut(ColumnRef { table, column })) {
                (Some(value), _) => value,
                (None, Some(source)) if source.nulls > 0.0 && dice.chance(source.nulls) => Value::Null,
                (None, Some(source)) => source.draw(dice),
                (None, None) => Value::Null,
            };
            row.push(value);
        }
        if portraits.known_table(table).is_none() {
            self.agree(table, &mut row, &drawn, dice);
        }
        self.depend(table, &mut row, &|c| {
            portraits.references(table).iter().any(|r| r.columns.contains(&c))
                || given.iter().any(|(own, _)| *own == c)
        });
        if self.constraints.bind(table) {
            let refers = |c: usize| portraits.references(table).iter().any(|r| r.columns.contains(&c));
            let fixed = |c: usize| refers(c) || given.iter().any(|(own, _)| *own == c);
            let nulls = |c: usize| definition.columns.get(c).is_some_and(|c| !c.not_null);
            if !self.constraints.mend(table, definition, &mut row, &fixed, &nulls, dice) {
                return None;
            }
        }
        let spread = self.spreads.get_mut(&table)?;
        let tuples: Vec<Vec<Value>> = spread.unique.iter().map(|k| project(&row, k)).collect();
        if tuples.iter().zip(&spread.seen).any(|(t, seen)| !t.contains(&Value::Null) && seen.contains(t)) {
            return None;
        }
        for (tuple, seen) in tuples.into_iter().zip(&mut spread.seen) {
            seen.insert(tuple);
        }
        Some(row)
    }

    /// Fills in a reference: what is given decides, then what another reference leads to, then chance.
    fn refer(
        &mut self,
        table: usize,
        index: usize,
        reference: &ForeignKey,
        cells: &mut [Option<Value>],
        parents: &[(usize, usize)],
        dice: &mut Dice,
    ) -> Parent {
        let given: Vec<(usize, Value)> = reference
            .columns
            .iter()
            .zip(&reference.target_columns)
            .filter_map(|(&c, &t)| Some((t, cells.get(c)?.clone()?)))
            .collect();
        if given.iter().any(|(_, v)| *v == Value::Null) {
            return Parent::Nothing;
        }
        let count = self.rows[reference.target].len();
        let absent = self.known_absence(table, reference);
        if given.is_empty()
            && let Some(astray) = self.astray(table, reference, dice)
        {
            for (column, value) in astray {
                cells[column] = Some(value);
            }
            return Parent::Nothing;
        }
        let parent = if !given.is_empty() {
            self.find(reference.target, &given).or_else(|| self.add(reference.target, &given, dice))
        } else if reference.target == table {
            // A table that refers to itself: to an earlier row, or to nothing.
            if count == 0 || dice.chance(absent.unwrap_or(0.2)) {
                return Parent::Missing;
            }
            Some(dice.below(count))
        } else if (absent.is_some() || !self.mood.has(Regularity::CompleteReferences))
            && reference.columns.iter().all(|&c| self.may_be_null(table, c))
            && dice.chance(absent.unwrap_or(0.12))
        {
            return Parent::Missing;
        } else if let Some(repeated) = self.repeated(table, reference, cells) {
            self.find(reference.target, &repeated).or_else(|| self.add(reference.target, &repeated, dice))
        } else if let Some(parent) =
            self.through(reference, parents).filter(|_| self.mood.has(Regularity::ClosedDiamonds))
        {
            Some(parent)
        } else {
            self.by_chance((table, index), reference, parents, dice)
        };
        let Some(parent) = parent else { return Parent::Missing };
        for (c, value) in self.key_of(reference, parent) {
            let Some(at) = self.schema.tables[table].columns.get(c) else { continue };
            let value = store(value, at.affinity);
            // A key that is given may be one that no row of the other table can have.
            match &cells[c] {
                Some(known) if key_form(known) != key_form(&value) => return Parent::Missing,
                Some(_) => {}
                None => cells[c] = Some(value),
            }
        }
        Parent::Row(parent)
    }

    fn may_be_null(&self, table: usize, column: usize) -> bool {
        self.schema.tables[table].columns.get(column).is_some_and(|c| !c.not_null)
    }

    /// Leaves a reference out: NULL where the schema allows it. `None` if the row cannot be.
    fn without(&self, table: usize, reference: &ForeignKey, cells: &mut [Option<Value>]) -> Option<()> {
        let free = |c: usize| cells.get(c).is_some_and(Option::is_none);
        if reference.columns.iter().any(|&c| free(c) && self.may_be_null(table, c)) {
            for &c in &reference.columns {
                if self.may_be_null(table, c) {
                    cells[c].get_or_insert(Value::Null);
                }
            }
            return Some(());
        }
        self.dangling.then_some(())
    }

    /// A parent by chance, in step with those that the child has already.
    fn by_chance(
        &mut self,
        (table, index): (usize, usize),
        reference: &ForeignKey,
        parents: &[(usize, usize)],
        dice: &mut Dice,
    ) -> Option<usize> {
        if self.rows[reference.target].is_empty() {
            self.add(reference.target, &[], dice)?;
        }
        let skew = self.spreads.get(&table).and_then(|s| s.skews.get(index)).copied().unwrap_or(1.0);
        let count = self.rows[reference.target].len();
        let even = self.mood.wild && !self.mood.has(Regularity::ClearFavourites);
        let mut parent = if even { self.rows[table].len() % count.max(1) } else { dice.skewed(count, skew) };
        if let Some(dealt) = self.dealt((table, index), reference, dice) {
            parent = dealt;
        }
        let twin = parents.iter().find(|(t, _)| *t == reference.target).map(|(_, p)| *p);
        // Two keys of one parent, such as its number here and its number elsewhere.
        let same =
            |r: &ForeignKey| r.target == reference.target && r.target_columns != reference.target_columns;
        if let Some(twin) = twin
            && self.portraits.references(table).iter().any(same)
        {
            parent = twin;
        } else if let Some(key) =
            self.closing(reference, parents).filter(|_| self.mood.has(Regularity::ClosedDiamonds))
        {
            let fitting: Vec<usize> = self.all(reference.target, &key).collect();
            parent = match fitting.get(dice.skewed(fitting.len(), skew)) {
                Some(&fitting) => fitting,
                None => self.add(reference.target, &key, dice).unwrap_or(parent),
            };
        } else if twin == Some(parent) && self.mood.has(Regularity::DistinctTwins) && count > 1 {
            parent = (parent + 1 + dice.below(count - 1)) % count;
        }
        Some(parent)
    }

    /// The row of the target that another parent of the same child refers to.
    fn through(&self, reference: &ForeignKey, parents: &[(usize, usize)]) -> Option<usize> {
        parents.iter().find_map(|(table, row)| {
            let up = self.portraits.references(*table).iter().find(|r| r.target == reference.target)?;
            let cells = self.rows[*table].get(*row)?;
            let key: Option<Vec<(usize, Value)>> = up
                .columns
                .iter()
                .zip(&up.target_columns)
                .map(|(&c, &t)| Some((t, cells.get(c)?.clone())))
                .collect();
            self.find(reference.target, &key?)
        })
    }

    /// The cells by which a row of the target refers to the parents that the child has already.
    fn closing(&self, reference: &ForeignKey, parents: &[(usize, usize)]) -> Option<Vec<(usize, Value)>> {
        let ups = self.portraits.references(reference.target).iter();
        ups.filter(|up| up.target != reference.target).find_map(|up| {
            parents.iter().find(|(t, _)| *t == up.target).map(|(_, row)| self.key_of(up, *row))
        })
    }

    /// True if a change of the cell could break a key, a reference or a regularity.
    pub(super) fn is_bound(&self, at: ColumnRef) -> bool {
        let declared =
            self.spreads.get(&at.table).is_some_and(|s| s.unique.iter().any(|k| k.contains(&at.column)));
        let refers = |table: usize| self.portraits.references(table).iter();
        declared
            || self.constraints.bind(at.table)
            || refers(at.table).any(|r| r.columns.contains(&at.column))
            || self
                .tables
                .iter()
                .any(|&t| refers(t).any(|r| r.target == at.table && r.target_columns.contains(&at.column)))
    }

    /// The place of a table among all: parents come first.
    pub(super) fn rank(&self, table: usize) -> usize {
        self.tables.iter().position(|&t| t == table).unwrap_or(usize::MAX)
    }

    /// True if another table of the database refers to it.
    pub(super) fn is_parent(&self, table: usize) -> bool {
        self.tables.iter().any(|&t| self.portraits.references(t).iter().any(|r| r.target == table))
    }

    /// Adds a row with the references of another one, its group keys and these cells; none where a cell belongs to one row
    /// alone.
    pub(super) fn sibling(
        &mut self,
        table: usize,
        row: usize,
        given: &[(usize, Value)],
        grouped: &[usize],
        dice: &mut Dice,
    ) -> Option<usize> {
        let alone = |(column, value): &(usize, Value)| {
            self.supplies.get(ColumnRef { table, column: *column }).is_some_and(|s| s.is_taken(value))
        };
        if given.iter().any(alone) {
            return None;
        }
        let references = self.portraits.references(table);
        let old = self.rows[table].get(row)?;
        let mut cells: Vec<(usize, Value)> = given.to_vec();
        // What tells the rows of one parent apart is the sibling's own.
        let telling = |column: usize| {
            let unique = self.spreads.get(&table).map_or(&[][..], |s| &s.unique);
            unique.iter().any(|key| key.len() > 1 && key.last() == Some(&column))
        };
        let shared = (0..old.len()).filter(|&column| {
            !telling(column) && self.portraits.get(ColumnRef { table, column }).is_some_and(|p| p.shared)
        });
        let unique =
            |c: usize| self.supplies.get(ColumnRef { table, column: c }).is_some_and(Supply::is_unique);
        let grouped = grouped.iter().copied().filter(|&c| !unique(c));
        let shared: Vec<usize> =
            references.iter().flat_map(|r| &r.columns).copied().chain(shared).chain(grouped).collect();
        if shared.is_empty() {
            return None;
        }
        for c in shared {
            if !cells.iter().any(|(own, _)| *own == c) {
                cells.push((c, old.get(c)?.clone()));
            }
        }
        self.add(table, &cells, dice)
    }

    /// Writes cells into a row, where no key or reference is touched.
    pub(super) fn amend(&mut self, table: usize, row: usize, given: &[(usize, Value)]) {
        for (column, value) in given {
            let at = ColumnRef { table, column: *column };
            let taken = self.supplies.get(at).is_some_and(|s| s.is_taken(value));
            if self.is_bound(at) || taken {
                continue;
            }
            if let Some(cell) = self.rows[table].get_mut(row).and_then(|r| r.get_mut(*column)) {
                *cell = value.clone();
            }
        }
    }
}
