//! A smaller and plainer witness: fewer rows, simpler values, no table that plays no part.
//!
//! Each step is kept if the two answers still differ on the database and it still meets what the
//! semantics and the schema say of it.

use std::collections::BTreeSet;

use twinql_sql::{Column, ColumnRef, Schema, Table, TypeClass, Value};

use super::simple::{Domain, Kind, Look, Renaming, simpler};
use super::trial::{GOLD, PAIR, PRED, Trial};
use crate::bout::{Outcome, Shrinking, drop_rows};
use crate::database::{Database, Row, keys, project, store};
use crate::execute::{Answer, ExecError, Limits, Sandbox};
use crate::generate::Generator;
use crate::plausible::content::{Content, is_own_name};
use crate::plausible::form::Form;
use crate::plausible::words::words;

/// Databases that are tried for simpler values; most witnesses need one or two.
const MAX_TRIALS: u32 = 60;

/// A witness on its way.
pub(super) struct Plainer<'t, 'a, 'g> {
    pub(super) trial: &'t mut Trial<'a>,
    pub(super) generator: &'g Generator<'g>,
    pub(super) database: Database,
    /// The answers on it.
    pub(super) answers: [Answer; 2],
}

impl Shrinking for Plainer<'_, '_, '_> {
    fn database(&self) -> &Database {
        &self.database
    }

    /// Takes the database if it may be one, and the answers still differ on it, whatever columns
    /// earlier databases have matched.
    fn keep(&mut self, mut database: Database) -> bool {
        if !self.generator.admits(&mut database) {
            return false;
        }
        self.trial.ring.forget_columns(PAIR);
        if self.trial.bout(&database) != Outcome::Differ {
            return false;
        }
        self.database = database;
        self.answers = self.trial.answers();
        true
    }

    /// A witness of costly queries stays as large as it is.
    fn exhausted(&self) -> bool {
        self.trial.exhausted()
    }

    fn drop_otherwise(&mut self, table: usize, row: usize) -> bool {
        self.drop_passed_by(table, row)
    }
}

/// What values of a column are to look like; `taken` are the names that other columns' texts go by.
fn look(column: &Column, table: &Table, taken: &mut BTreeSet<String>) -> Look {
    let own = if is_own_name(column, &table.name) { &table.name } else { &column.name };
    let mut called = words(own).join(" ");
    if taken.contains(&called) {
        called = format!("{} {called}", words(&table.name).join(" "));
    }
    taken.insert(called.clone());
    let kind = match Content::of(column, &table.name, false) {
        Content::Email if taken.insert("@".to_owned()) => Kind::Email,
        Content::Moment(Form::Day | Form::Moment { .. }) => Kind::Date,
        Content::Money => Kind::Money { fraction: column.class == TypeClass::Number },
        _ => Kind::Any,
    };
    Look { called, kind }
}

impl Plainer<'_, '_, '_> {
    /// All steps.
    pub(super) fn run(&mut self, limits: Limits) {
        drop_rows(self);
        self.simplify();
        self.sort_rows();
        self.drop_tables(limits);
    }

    /// Drops a row that rows of its own table refer to; these then refer to what it refers to, or to
    /// themselves.
    fn drop_passed_by(&mut self, table: usize, row: usize) -> bool {
        let Some(definition) = self.generator.schema().tables.get(table) else {
            return false;
        };
        let mut own = definition.foreign_keys.iter().filter(|f| f.target == table).peekable();
        if own.peek().is_none() {
            return false;
        }
        let mut smaller = self.database.clone();
        let Some(Some(rows)) = smaller.tables.get_mut(table) else {
            return false;
        };
        let gone = rows.remove(row);
        for key in own {
            let of = |row: &Row, columns: &[usize]| project(row, columns);
            let named = of(&gone, &key.target_columns);
            let circular = of(&gone, &key.columns) == named;
            for row in rows.iter_mut().filter(|r| of(r, &key.columns) == named) {
                for (&column, &target) in key.columns.iter().zip(&key.target_columns) {
                    let value = if circular { row.get(target) } else { gone.get(column) };
                    let value = value.cloned().unwrap_or(Value::Null);
                    if let Some(cell) = row.get_mut(column) {
                        *cell = value;
                    }
                }
            }
        }
        self.keep(smaller)
    }

    /// Renames values: all together if that goes well, or a domain at a time, or value by value.
    fn simplify(&mut self) {
        let mut trials = 0;
        let mut attempt = |plainer: &mut Self, renamings: &[(usize, Vec<Renaming>)]| {
            trials += 1;
            trials <= MAX_TRIALS && !plainer.exhausted() && {
                let renamed = plainer.renamed(renamings);
                plainer.keep(renamed)
            }
        };
        let domains: Vec<(usize, Domain)> = self.domains();
        let plans: Vec<(usize, Vec<Renaming>)> = domains
            .iter()
            .map(|(number, domain)| (*number, simpler(domain, true)))
            .filter(|(_, renamings)| !renamings.is_empty())
            .collect();
        if plans.is_empty() || attempt(self, &plans) {
            return;
        }
        for (number, domain) in &domains {
            let (number, natural, plan) = (*number, simpler(domain, true), simpler(domain, false));
            let renamed = attempt(self, &[(number, natural.clone())])
                || natural != plan && attempt(self, &[(number, plan.clone())]);
            if renamed {
                continue;
            }
            let mut present = domain.values.clone();
            for (from, to) in plan {
                if !present.contains(&to) && attempt(self, &[(number, vec![(from.clone(), to.clone())])]) {
                    present.remove(&from);
                    present.insert(to);
                }
            }
        }
    }

    /// The domains of the database with their values.
    fn domains(&self) -> Vec<(usize, Domain)> {
        let schema = self.generator.schema();
        let mut out: Vec<(usize, Domain)> = Vec::new();
        let mut called: BTreeSet<String> = BTreeSet::new();
        for (table, definition) in schema.tables.iter().enumerate() {
            let rows = self.database.rows(table);
            if rows.is_empty() {
                continue;
            }
            for (column, about) in definition.columns.iter().enumerate() {
                let at = ColumnRef { table, column };
                let Some(number) = self.generator.domain(at) else {
                    continue;
                };
                let place = out.iter().position(|(n, _)| *n == number).unwrap_or_else(|| {
                    let literals = self.generator.literals(number).to_vec();
                    let look = look(about, definition, &mut called);
                    let domain = Domain { literals, text: true, look, ..Domain::default() };
                    out.push((number, domain));
                    out.len() - 1
                });
                let Some((_, domain)) = out.get_mut(place) else {
                    continue;
                };
                let values = rows.iter().filter_map(|r| r.get(column));
                domain.values.extend(values.cloned());
                domain.key |= keys(definition).any(|k| k.contains(&column))
                    || definition.foreign_keys.iter().any(|f| f.columns.contains(&column));
                domain.text &= about.class == TypeClass::Text;
                domain.year |= about.name.to_ascii_lowercase().contains("year");
            }
        }
        out
    }

    fn renamed(&self, plans: &[(usize, Vec<Renaming>)]) -> Database {
        let schema = self.generator.schema();
        let mut database = self.database.clone();
        for (table, (rows, definition)) in database.tables.iter_mut().zip(&schema.tables).enumerate() {
            let Some(rows) = rows else { continue };
            for (column, about) in definition.columns.iter().enumerate() {
                let number = self.generator.domain(ColumnRef { table, column });
                let Some((_, plan)) = plans.iter().find(|(n, _)| Some(*n) == number) else {
                    continue;
                };
                for value in rows.iter_mut().filter_map(|r| r.get_mut(column)) {
                    if let Some((_, to)) = plan.iter().find(|(from, _)| from == value) {
                        *value = store(to.clone(), about.affinity);
                    }
                }
            }
        }
        database
    }

    /// Rows in the order of their keys, in which SQLite reads them once the key is declared.
    fn sort_rows(&mut self) {
        let mut sorted = self.database.clone();
        for (rows, definition) in sorted.tables.iter_mut().zip(&self.generator.schema().tables) {
            let key = |row: &Row| -> Vec<Value> {
                let key = definition.primary_key.iter();
                key.filter_map(|&c| row.get(c).cloned()).collect()
            };
            if let Some(rows) = rows {
                rows.sort_by_key(key);
            }
        }
        if sorted == self.database || self.keep(sorted) {
            return;
        }
        // The order matters: then the keys are numbered as the rows stand.
        for (table, definition) in self.generator.schema().tables.iter().enumerate() {
            let &[column] = definition.primary_key.as_slice() else {
                continue;
            };
            let Some(number) = self.generator.domain(ColumnRef { table, column }) else {
                continue;
            };
            let rows = self.database.rows(table).iter();
            let found: Vec<Value> = rows.filter_map(|r| r.get(column).cloned()).collect();
            let mut wanted = found.clone();
            wanted.sort();
            let renaming: Vec<Renaming> = found.into_iter().zip(wanted).collect();
            if renaming.iter().any(|(from, to)| from != to) {
                let renamed = self.renamed(&[(number, renaming)]);
                self.keep(renamed);
            }
        }
    }

    /// Drops tables that neither query reads, and that no foreign key needs: one that may be NULL does not, which is
    /// tried where it refers to something. Twice, since a table may be free once another is gone.
    fn drop_tables(&mut self, limits: Limits) {
        let read = self.generator.read();
        let unread: Vec<usize> = (0..self.database.tables.len()).filter(|t| !read.contains(t)).collect();
        for &table in unread.iter().chain(&unread) {
            if !matches!(self.database.tables.get(table), Some(Some(_))) {
                continue;
            }
            let mut smaller = self.database.clone();
            if let Some(rows) = smaller.tables.get_mut(table) {
                *rows = None;
            }
            if self.can_be_read(&smaller, limits)
                && !self.keep(smaller.clone())
                && self.cut_off(&mut smaller, table)
            {
                self.keep(smaller);
            }
        }
    }

    /// Has nothing refer to a table; false where a reference may not be NULL.
    fn cut_off(&self, database: &mut Database, table: usize) -> bool {
        for (from, definition) in self.generator.schema().tables.iter().enumerate() {
            for key in definition.foreign_keys.iter().filter(|key| key.target == table && from != table) {
                let Some(Some(rows)) = database.tables.get_mut(from) else { continue };
                let nullable =
                    |column: &&usize| self.generator.may_be_null(ColumnRef { table: from, column: **column });
                let Some(&column) = key.columns.iter().find(nullable) else { return false };
                for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
                    *cell = Value::Null;
                }
            }
        }
        true
    }

    /// Whether both queries find their tables in the database.
    fn can_be_read(&self, database: &Database, limits: Limits) -> bool {
        let mut schema: Schema = self.generator.schema().clone();
        let gone: BTreeSet<usize> =
            (0..schema.tables.len()).filter(|&t| !matches!(database.tables.get(t), Some(Some(_)))).collect();
        for (index, table) in schema.tables.iter_mut().enumerate() {
            if gone.contains(&index) {
                // A table without columns is not created.
                table.columns.clear();
            }
        }
        let Ok(sandbox) = Sandbox::new(&schema, limits) else {
            return false;
        };
        [GOLD, PRED].into_iter().all(|query| {
            let sql = self.trial.ring.party(query).sql();
            !matches!(sandbox.prepare(sql), Err(ExecError::Invalid(message)) if message.contains("no such"))
        })
    }
}
