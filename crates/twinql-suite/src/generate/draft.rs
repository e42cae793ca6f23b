//! A database being made: rows are added one by one, each with some values given, and the
//! assumptions are kept at every step.

use std::collections::{BTreeMap, HashSet};

use twinql_sql::{ColumnRef, Schema, Semantics, Table, Value};

use crate::constraints::{Constraints, Session};
use crate::database::{Database, Row, has_type, key_form, key_of, keys, store};
use crate::dice::Dice;
use crate::generate::structured::{self, Shape};
use crate::generate::values::{Style, fresh, rewritten};

/// How deep the making of missing parents may go.
const MAX_PARENTS: usize = 6;

/// What a domain (columns that are joined with each other) is filled with.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    pub(crate) style: Style,
    pub(crate) values: Vec<Value>,
    /// Values are arrays or documents.
    pub(crate) shape: Option<Shape>,
    /// Probability of a value from outside the pool.
    pub(crate) fresh: f64,
    /// 1 draws uniformly, more prefers the first values.
    pub(crate) skew: f64,
}

/// A database in the making.
pub(crate) struct Draft<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) semantics: &'a Semantics,
    /// Rows of the needed tables; other tables stay empty.
    pub(crate) tables: Vec<Vec<Row>>,
    pub(crate) needed: &'a [usize],
    pub(crate) pools: Vec<Pool>,
    /// The pool of each column, by table.
    pub(crate) domains: &'a [Vec<usize>],
    /// Limits of types, CHECKs and generated columns.
    constraints: Session<'a>,
    /// Columns that some foreign key refers to.
    referred: &'a HashSet<ColumnRef>,
    /// Probability that a foreign key is left dangling, where the semantics allows it.
    pub(crate) dangling: f64,
    /// A table to which no foreign key leads, where the semantics allows it: its keys are its own.
    pub(crate) severed: Option<usize>,
    /// A table that has one row at most.
    pub(crate) lone: Option<usize>,
    /// Probability of NULL where the semantics allows it.
    pub(crate) nulls: f64,
    /// 1 picks parents uniformly, more prefers the first ones.
    pub(crate) parent_skew: f64,
    pub(crate) max_rows: usize,
    /// Uniqueness sets, by table and key.
    seen: BTreeMap<usize, Vec<HashSet<Vec<Value>>>>,
    /// Tables whose row is being made, outermost first.
    making: Vec<usize>,
    /// The row that is being made lacks too many ancestors.
    too_deep: bool,
    /// Foreign keys to fill in when all rows are there: table, row, foreign key.
    deferred: Vec<(usize, usize, usize)>,
    /// Counts the values that [`Draft::unused`] has given.
    serial: i64,
}

/// NULL is allowed by the semantics, and by the column or since keys and NOT NULL are not assumed.
pub(super) fn may_be_null(schema: &Schema, semantics: &Semantics, at: ColumnRef) -> bool {
    semantics.nulls.reach(at) && schema.column(at).is_some_and(|c| semantics.may_be_null(at, c))
}

impl<'a> Draft<'a> {
    /// An empty draft. Uniqueness is watched for the keys of the needed tables.
    pub(crate) fn new(
        schema: &'a Schema,
        semantics: &'a Semantics,
        needed: &'a [usize],
        domains: &'a [Vec<usize>],
        pools: Vec<Pool>,
        (constraints, referred): (&'a Constraints, &'a HashSet<ColumnRef>),
        max_rows: usize,
    ) -> Draft<'a> {
        Draft {
            schema,
            semantics,
            tables: vec![Vec::new(); schema.tables.len()],
            needed,
            pools,
            domains,
            constraints: constraints.open(),
            referred,
            dangling: 0.0,
            severed: None,
            lone: None,
            nulls: 0.0,
            parent_skew: 1.0,
            max_rows,
            seen: needed
                .iter()
                .filter_map(|&t| Some((t, vec![HashSet::new(); keys(schema.tables.get(t)?).count()])))
                .collect(),
            making: Vec::new(),
            too_deep: false,
            deferred: Vec::new(),
            serial: 0,
        }
    }

    /// What a column is filled from.
    pub(crate) fn pool(&self, column: ColumnRef) -> Option<&Pool> {
        let domain = self.domains.get(column.table)?.get(column.column)?;
        self.pools.get(*domain)
    }

    /// A value for a column from its pool.
    pub(crate) fn draw(&mut self, column: ColumnRef, dice: &mut Dice) -> Value {
        let Some(pool) = self.pool(column) else {
            return Value::Null;
        };
        let value = if pool.values.is_empty() || dice.chance(pool.fresh) {
            fresh(pool.style, true, dice)
        } else {
            pool.values[dice.skewed(pool.values.len(), pool.skew)].clone()
        };
        let value = match self.schema.column(column).and_then(|c| c.collation) {
            Some(collation) => rewritten(value, collation, dice),
            None => value,
        };
        self.allowed(value, column, dice)
    }

    /// The value as the column stores it; another one where the schema does not allow it.
    fn allowed(&self, value: Value, column: ColumnRef, dice: &mut Dice) -> Value {
        let value = self.stored(value, column);
        match self.constraints.rule(column) {
            Some(rule) if !rule.allows(&value) => rule.fit(&value, dice).unwrap_or(value),
            _ => value,
        }
    }

    /// The value as SQLite stores it in the column, as an array or a document where it holds these.
    fn stored(&self, value: Value, column: ColumnRef) -> Value {
        let Some(c) = self.schema.column(column) else {
            return value;
        };
        let value = store(value, c.affinity);
        let shape = self.pool(column).map_or_else(|| structured::shape(c), |pool| pool.shape);
        match shape {
            Some(shape) => structured::fit(value, shape),
            None => value,
        }
    }

    /// A value that no key can have yet.
    pub(crate) fn unused(&mut self, column: ColumnRef, dice: &mut Dice) -> Value {
        self.serial += 1;
        let n = self.serial;
        let style = self.pool(column).map_or(Style::Integers, |p| p.style);
        let value = match style {
            Style::Integers | Style::Numbers | Style::Flags => {
                Value::Integer(n + [0, 0, 20, 300][dice.below(4)])
            }
            Style::Digits => Value::Text((n + 20).to_string()),
            Style::Dates => {
                Value::Text(format!("{:04}-{:02}-{:02}", 2000 + n % 25, 1 + n % 12, 1 + dice.below(28)))
            }
            Style::Days | Style::Moments => {
                let day = format!("{:04}-{:02}-{:02}", 1950 + n % 70, 1 + n / 70 % 12, 1 + dice.below(28));
                Value::Text(if style == Style::Days { day } else { format!("{day} 08:00:00") })
            }
            Style::Clock => Value::Text(format!("{:02}:{:02}:{:02}", n / 60 % 24, n % 60, dice.below(60))),
            _ => {
                let letter = char::from(b'a' + dice.below(26) as u8);
                Value::Text(format!("{letter}{n}"))
            }
        };
        let value = self.stored(value, column);
        match self.constraints.rule(column) {
            Some(rule) if !rule.allows(&value) => rule.fit_new(&value, n, dice).unwrap_or(value),
            _ => value,
        }
    }

    /// The row of a table whose columns have these values.
    pub(crate) fn find(&self, table: usize, columns: &[usize], values: &[Value]) -> Option<usize> {
        let wanted: Vec<Value> = values.iter().map(key_form).collect();
        self.tables.get(table)?.iter().position(|row| {
            columns.iter().zip(&wanted).all(|(&c, v)| row.get(c).map(key_form).as_ref() == Some(v))
        })
    }

    /// Adds a row with the given values, making parents that it lacks. Gives the position
    /// of the new row, or of the row that already has its key; `None` where neither is
    /// possible.
    pub(crate) fn add(&mut self, table: usize, given: &[(usize, Value)], dice: &mut Dice) -> Option<usize> {
        let schema = self.schema;
        let definition = schema.tables.get(table)?;
        if self.making.is_empty() {
            self.too_deep = false;
        }
        if self.making.len() > MAX_PARENTS {
            self.too_deep = true;
            return None;
        }
        let most = if self.lone == Some(table) { 1 } else { self.max_rows };
        if self.tables[table].len() >= most {
            return None;
        }
        // A value that was chosen for the columns of a join may not fit all of them.
        let given: Vec<(usize, Value)> = given
            .iter()
            .map(|(c, v)| (*c, self.stored(v.clone(), ColumnRef { table, column: *c })))
            .filter(|(c, _)| self.severed != Some(table) || !self.referenced(table, *c))
            .filter(|(c, v)| {
                !self.semantics.typed || definition.columns.get(*c).is_some_and(|d| has_type(d, v))
            })
            .filter(|(c, v)| {
                let computed = definition.columns.get(*c).is_some_and(|d| d.generated.is_some());
                !computed && self.constraints.allow(ColumnRef { table, column: *c }, v)
            })
            .collect();
        if self.semantics.keys_hold {
            for key in keys(definition) {
                let values: Vec<Value> = key
                    .iter()
                    .filter_map(|k| given.iter().find(|(c, _)| c == k).map(|(_, v)| v.clone()))
                    .collect();
                if values.len() == key.len()
                    && let Some(row) = self.find(table, key, &values)
                {
                    self.amend(table, row, &given);
                    return Some(row);
                }
            }
        }
        // Keys are drawn from small pools and often taken: after the first attempt they have unused values, and
        // the last two may change what was given, if a CHECK asks for it.
        for attempt in 0..4 {
            let deferred = self.deferred.len();
            if let Some(mut row) = self.row(table, definition, &given, attempt, dice)
                && self.mended(table, definition, &mut row, &given, attempt, dice)
            {
                let index = self.tables[table].len();
                for entry in self.deferred.iter_mut().skip(deferred) {
                    if entry.0 == table && entry.1 == usize::MAX {
                        entry.1 = index;
                    }
                }
                if self.register(table, definition, &row) {
                    self.tables[table].push(row);
                    return Some(index);
                }
            }
            self.deferred.truncate(deferred);
            // No other attempt lacks fewer ancestors, unless a key may refer to nothing.
            if self.too_deep && self.semantics.foreign_keys_hold && self.nulls == 0.0 {
                break;
            }
        }
        None
    }

    /// Makes a row meet its table's constraints; false where that cannot be. The last attempts
    /// may change values that were given.
    fn mended(
        &self,
        table: usize,
        definition: &Table,
        row: &mut Row,
        given: &[(usize, Value)],
        attempt: usize,
        dice: &mut Dice,
    ) -> bool {
        if !self.constraints.bind(table) {
            return true;
        }
        let fixed = |column: usize| {
            let refers = definition.foreign_keys.iter().any(|f| f.columns.contains(&column));
            refers || attempt < 2 && given.iter().any(|(c, _)| *c == column)
        };
        let nulls = |column: usize| self.nulls > 0.0 && self.may_be_null(ColumnRef { table, column });
        self.constraints.mend(table, definition, row, &fixed, &nulls, dice)
    }

    /// Writes the given values into an existing row, where no key or foreign key is touched.
    fn amend(&mut self, table: usize, row: usize, given: &[(usize, Value)]) {
        let schema = self.schema;
        let definition = &schema.tables[table];
        let mut amended = self.tables[table][row].clone();
        for (column, value) in given {
            let bound = keys(definition).any(|k| k.contains(column))
                || definition.foreign_keys.iter().any(|f| f.columns.contains(column))
                || self.referenced(table, *column);
            if !bound && let Some(cell) = amended.get_mut(*column) {
                *cell = value.clone();
            }
        }
        let kept = !self.constraints.bind(table)
            || self.keeps_keys(table, row, &amended) && self.constraints.meets(table, &mut amended);
        if kept {
            self.tables[table][row] = amended;
        }
    }

    /// True unless a key holds a generated column that a change of the row would change.
    fn keeps_keys(&self, table: usize, row: usize, amended: &Row) -> bool {
        let definition = &self.schema.tables[table];
        let mut computed = amended.clone();
        let generated = |c: &usize| definition.columns.get(*c).is_some_and(|c| c.generated.is_some());
        !keys(definition).any(|k| k.iter().any(generated)) || {
            self.constraints.meets(table, &mut computed);
            let before = &self.tables[table][row];
            keys(definition).all(|k| key_of(definition, before, k) == key_of(definition, &computed, k))
        }
    }

    /// True if some foreign key refers to the column.
    pub(crate) fn referenced(&self, table: usize, column: usize) -> bool {
        self.referred.contains(&ColumnRef { table, column })
    }

    /// Makes a row with the `given` cells: references first, for which rows of other tables are drawn or
    /// made, then the other columns, then what CHECKs and keys ask. None where a key leaves no room.
    fn row(
        &mut self,
        table: usize,
        definition: &Table,
        given: &[(usize, Value)],
        attempt: usize,
        dice: &mut Dice,
    ) -> Option<Row> {
        let mut cells: Vec<Option<Value>> = vec![None; definition.columns.len()];
        for (column, value) in given {
            if let Some(cell) = cells.get_mut(*column) {
                *cell = Some(value.clone());
            }
        }
        self.making.push(table);
        let mut held = true;
        for (index, fk) in definition.foreign_keys.iter().enumerate() {
            if !self.semantics.foreign_keys_hold
                && (self.severed == Some(fk.target) || dice.chance(self.dangling))
            {
                continue;
            }
            if self.needed.binary_search(&fk.target).is_err() {
                continue;
            }
            if self.refers_to_nothing(table, &fk.columns, &mut cells, dice) {
                continue;
            }
            if !self.refer(table, index, &mut cells, dice) {
                held = false;
                break;
            }
        }
        self.making.pop();
        if !held {
            return None;
        }
        let mut row = Row::with_capacity(cells.len());
        for (column, cell) in cells.into_iter().enumerate() {
            let at = ColumnRef { table, column };
            let value = match cell {
                Some(v) => v,
                None => {
                    if self.may_be_null(at) && dice.chance(self.nulls) {
                        Value::Null
                    } else if (attempt >= 1
                        && self.semantics.keys_hold
                        && keys(definition).any(|k| k.contains(&column)))
                        || (self.severed == Some(table) && self.referenced(table, column))
                    {
                        self.unused(at, dice)
                    } else {
                        self.draw(at, dice)
                    }
                }
            };
            row.push(value);
        }
        Some(row)
    }

    /// True where a column of a foreign key is NULL, which refers to nothing; where the
    /// semantics has NULLs, a nullable one becomes it by chance.
    fn refers_to_nothing(
        &self,
        table: usize,
        columns: &[usize],
        cells: &mut [Option<Value>],
        dice: &mut Dice,
    ) -> bool {
        for &column in columns {
            let nullable = self.may_be_null(ColumnRef { table, column });
            match cells.get_mut(column) {
                Some(Some(Value::Null)) => return true,
                Some(cell @ None) if nullable && dice.chance(self.nulls) => {
                    *cell = Some(Value::Null);
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn may_be_null(&self, at: ColumnRef) -> bool {
        may_be_null(self.schema, self.semantics, at)
    }

    /// Fills in the columns of a foreign key. False where no parent can be had.
    fn refer(&mut self, table: usize, index: usize, cells: &mut [Option<Value>], dice: &mut Dice) -> bool {
        let schema = self.schema;
        let fk = &schema.tables[table].foreign_keys[index];
        let fixed: Vec<(usize, Value)> = fk
            .columns
            .iter()
            .zip(&fk.target_columns)
            .filter_map(|(&c, &t)| Some((t, cells.get(c)?.clone()?)))
            .collect();
        let matching: Vec<usize> = if fixed.is_empty() {
            (0..self.tables[fk.target].len()).collect()
        } else {
            let forms: Vec<(usize, Value)> = fixed.iter().map(|(c, v)| (*c, key_form(v))).collect();
            (0..self.tables[fk.target].len())
                .filter(|&i| {
                    let row = &self.tables[fk.target][i];
                    forms.iter().all(|(c, v)| row.get(*c).map(key_form).as_ref() == Some(v))
                })
                .collect()
        };
        let mut parent = if matching.is_empty() {
            None
        } else {
            matching.get(dice.skewed(matching.len(), self.parent_skew)).copied()
        };
        if parent.is_none() {
            if self.making.contains(&fk.target) {
                if fixed.len() == fk.columns.len() {
                    // A given value of a key inside a cycle: only itself can meet it.
                    let own = fk.target == table
                        && fk.columns.iter().zip(&fk.target_columns).all(|(&c, &t)| {
                            cells.get(c) == cells.get(t) || cells.get(t).is_some_and(Option::is_none)
                        });
                    if own {
                        for (&c, &t) in fk.columns.iter().zip(&fk.target_columns) {
                            cells[t] = cells[c].clone();
                        }
                    }
                    return own;
                }
                // Two tables that refer to each other: the row goes in with NULL, which `finish` fills in.
                for &c in &fk.columns {
                    if cells[c].is_none() {
                        cells[c] = Some(Value::Null);
                    }
                }
                self.deferred.push((table, usize::MAX, index));
                return true;
            }
            parent = self.add(fk.target, &fixed, dice);
        }
        let Some(parent) = parent.and_then(|p| self.tables[fk.target].get(p)) else {
            return false;
        };
        for (&c, &t) in fk.columns.iter().zip(&fk.target_columns) {
            let value = parent.get(t).cloned().unwrap_or(Value::Null);
            let value = match schema.column(ColumnRef { table, column: c }) {
                Some(column) => store(value, column.affinity),
                None => value,
            };
            if value == Value::Null && !self.semantics.nulls.reach(ColumnRef { table, column: c }) {
                return false;
            }
            if let Some(cell) = cells.get_mut(c) {
                *cell = Some(value);
            }
        }
        true
    }

    /// Records the keys of a row; false if one of them is taken.
    fn register(&mut self, table: usize, definition: &Table, row: &Row) -> bool {
        if !self.semantics.keys_hold {
            return true;
        }
        let tuples: Vec<Vec<Value>> = keys(definition).map(|k| key_of(definition, row, k)).collect();
        let Some(seen) = self.seen.get_mut(&table) else {
            return true;
        };
        // A key with a NULL is equal to no other.
        let taken = tuples.iter().zip(&*seen).any(|(t, seen)| !t.contains(&Value::Null) && seen.contains(t));
        if !taken {
            for (tuple, seen) in tuples.into_iter().zip(seen) {
                if !tuple.contains(&Value::Null) {
                    seen.insert(tuple);
                }
            }
        }
        !taken
    }

    /// Fills in deferred foreign keys and gives the rows, those of needed tables only.
    pub(crate) fn finish(mut self, dice: &mut Dice) -> Database {
        for (table, row, index) in std::mem::take(&mut self.deferred) {
            let fk = &self.schema.tables[table].foreign_keys[index];
            let count = self.tables[fk.target].len();
            if count == 0 {
                continue;
            }
            let parent = self.tables[fk.target][dice.below(count)].clone();
            for (&c, &t) in fk.columns.iter().zip(&fk.target_columns) {
                let value = parent.get(t).cloned().unwrap_or(Value::Null);
                let value = self.stored(value, ColumnRef { table, column: c });
                if let Some(cell) = self.tables[table].get_mut(row).and_then(|r| r.get_mut(c)) {
                    *cell = value;
                }
            }
            // Generated columns follow; a row that breaks a CHECK now is found by the check.
            if self.constraints.bind(table)
                && let Some(row) = self.tables[table].get_mut(row)
            {
                self.constraints.meets(table, row);
            }
        }
        let needed = self.needed;
        Database {
            tables: self
                .tables
                .into_iter()
                .enumerate()
                .map(|(i, rows)| needed.binary_search(&i).is_ok().then_some(rows))
                .collect(),
        }
    }
}
