//! What a schema says of the values in its tables beside keys: limits of types, enumerations,
//! CHECKs and generated columns.
//!
//! A [`Rule`] says what one column may hold, so that values can be chosen; SQLite itself, in a
//! [`Probe`], says whether a row meets its table's CHECKs, and computes generated columns.

mod probe;
mod rule;
mod shapes;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeMap;

use twinql_sql::{ColumnRef, Schema, Semantics, Table, Value};

use crate::database::{Row, store};
use crate::dice::Dice;
use probe::{Asking, Found, Probe};
pub(crate) use rule::Rule;
use shapes::Shape;

/// The constraints on some of a schema's tables.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    rules: BTreeMap<(usize, usize), Rule>,
    guarded: BTreeMap<usize, Guarded>,
}

/// A table with CHECKs or generated columns.
#[derive(Debug)]
struct Guarded {
    probe: Probe,
    shapes: Vec<Shape>,
}

/// Proposals that are tried to make a row meet its CHECKs.
const PROPOSALS: usize = 60;

impl Constraints {
    /// Those of `tables` under `semantics`. `released` columns hold texts of other forms, where
    /// the system would let them.
    pub(crate) fn of(
        schema: &Schema,
        semantics: &Semantics,
        tables: &[usize],
        released: impl Fn(ColumnRef) -> bool,
    ) -> Constraints {
        let mut constraints = Constraints::default();
        for &index in tables {
            let Some(table) = schema.tables.get(index) else {
                continue;
            };
            let shapes: Vec<Shape> = if semantics.checks_hold() {
                let enforced = table.checks.iter().filter(|c| c.enforced);
                enforced.map(|c| Shape::of(c, table)).collect()
            } else {
                Vec::new()
            };
            for (position, column) in table.columns.iter().enumerate() {
                if column.generated.is_some() {
                    continue;
                }
                let at = ColumnRef { table: index, column: position };
                let mut rule = Rule::none(column);
                if semantics.typed {
                    rule.limit(column, schema.typing, released(at));
                }
                for shape in &shapes {
                    shape.bind(position, &mut rule);
                }
                if !rule.is_free() {
                    constraints.rules.insert((index, position), rule);
                }
            }
            if !shapes.is_empty() || table.columns.iter().any(|c| c.generated.is_some()) {
                match Probe::new(table, semantics.checks_hold()) {
                    Ok(probe) => {
                        constraints.guarded.insert(index, Guarded { probe, shapes });
                    }
                    Err(error) => tracing::warn!(table = table.name, %error, "its CHECKs are not enforced"),
                }
            }
        }
        constraints
    }

    /// What a column may hold; `None` where it may hold all that its type allows.
    pub(crate) fn rule(&self, at: ColumnRef) -> Option<&Rule> {
        self.rules.get(&(at.table, at.column))
    }

    /// Whether the column may hold the value.
    pub(crate) fn allow(&self, at: ColumnRef, value: &Value) -> bool {
        self.rule(at).is_none_or(|r| r.allows(value))
    }

    /// Whether rows of the table are bound at all.
    pub(crate) fn bind(&self, table: usize) -> bool {
        self.guarded.contains_key(&table) || self.rules.range((table, 0)..(table + 1, 0)).next().is_some()
    }

    /// Makes ready to look at many rows.
    pub(crate) fn open(&self) -> Session<'_> {
        Session {
            constraints: self,
            asking: self
                .guarded
                .iter()
                .filter_map(|(&table, guarded)| Some((table, RefCell::new(guarded.probe.ask()?))))
                .collect(),
        }
    }
}

/// Constraints at work on one database.
pub(crate) struct Session<'a> {
    constraints: &'a Constraints,
    asking: BTreeMap<usize, RefCell<Asking<'a>>>,
}

impl<'a> Session<'a> {
    /// What a column may hold; `None` where it may hold all that its type allows.
    pub(crate) fn rule(&self, at: ColumnRef) -> Option<&'a Rule> {
        self.constraints.rule(at)
    }

    /// Whether the column may hold the value.
    pub(crate) fn allow(&self, at: ColumnRef, value: &Value) -> bool {
        self.constraints.allow(at, value)
    }

    /// Whether rows of the table are bound at all.
    pub(crate) fn bind(&self, table: usize) -> bool {
        self.constraints.bind(table)
    }

    /// Computes the generated columns of a row; true where it meets all rules and CHECKs.
    pub(crate) fn meets(&self, table: usize, row: &mut Row) -> bool {
        let allowed = row.iter().enumerate().all(|(column, value)| {
            let at = ColumnRef { table, column };
            self.allow(at, value)
        });
        allowed
            && (!self.asking.contains_key(&table)
                || self.look(table, row).is_some_and(|failing| failing.is_empty()))
    }

    /// Makes a row meet its rules and CHECKs by changing columns that are not `fixed`; false
    /// where none of the proposals does.
    pub(crate) fn mend(
        &self,
        table: usize,
        definition: &Table,
        row: &mut Row,
        fixed: &dyn Fn(usize) -> bool,
        nulls: &dyn Fn(usize) -> bool,
        dice: &mut Dice,
    ) -> bool {
        for (column, value) in row.iter_mut().enumerate() {
            let Some(rule) = self.rule(ColumnRef { table, column }) else {
                continue;
            };
            if !rule.allows(value) {
                match rule.fit(value, dice) {
                    Some(fitting) if !fixed(column) => *value = fitting,
                    _ => return false,
                }
            }
        }
        let Some(guarded) = self.constraints.guarded.get(&table) else {
            return true;
        };
        // From here on a random walk: a changed row stays if it fails no more CHECKs than before, so that the
        // walk can leave a place where no single change helps.
        let Some(mut failing) = self.look(table, row) else {
            return false;
        };
        for _ in 0..PROPOSALS {
            let Some(&number) = dice.pick(&failing) else {
                return true;
            };
            let Some(shape) = guarded.shapes.get(number) else {
                return false;
            };
            let free: Vec<usize> = shape
                .inputs(definition)
                .into_iter()
                .filter(|&c| !fixed(c) && definition.columns.get(c).is_some_and(|d| d.generated.is_none()))
                .collect();
            let Some(&column) = dice.pick(&free) else {
                return false;
            };
            let mut proposal = row.clone();
            let at = ColumnRef { table, column };
            let mut value = shape.propose(column, row, nulls(column), dice);
            if let Some(definition) = definition.columns.get(column) {
                value = store(value, definition.affinity);
                if !crate::database::has_type(definition, &value) {
                    continue;
                }
            }
            if let Some(rule) = self.rule(at)
                && !rule.allows(&value)
            {
                match rule.fit(&value, dice) {
                    Some(fitting) => value = fitting,
                    None => continue,
                }
            }
            if let Some(cell) = proposal.get_mut(column) {
                *cell = value;
            }
            if let Some(now) = self.look(table, &mut proposal)
                && now.len() <= failing.len()
            {
                *row = proposal;
                failing = now;
            }
        }
        failing.is_empty()
    }

    /// Computes the row's generated columns and gives the numbers of the CHECKs that it fails;
    /// `None` where SQLite cannot evaluate them on this row.
    fn look(&self, table: usize, row: &mut Row) -> Option<Vec<usize>> {
        let Found { failing, computed } = self.asking.get(&table)?.borrow_mut().look(row)?;
        for (column, value) in computed {
            if let Some(cell) = row.get_mut(column) {
                *cell = value;
            }
        }
        Some(failing)
    }
}
