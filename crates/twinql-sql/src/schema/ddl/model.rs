//! A schema in the making: everything by name, so that later statements can rename, drop
//! and add.

use std::collections::HashMap;

use sqlparser::ast;

use crate::schema::{Collation, Column};

/// The schema so far.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) tables: Vec<Draft>,
    /// Positions in `tables` by name in lower case; dropped ones are not here.
    pub(super) by_name: HashMap<String, usize>,
    pub(super) views: Vec<ViewDraft>,
    /// PostgreSQL's CREATE TYPE … AS ENUM and CREATE DOMAIN, by name in lower case.
    pub(super) types: HashMap<String, TypeDraft>,
}

/// A table by names.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) columns: Vec<ColumnDraft>,
    pub(super) primary: Option<Key>,
    pub(super) unique: Vec<Key>,
    pub(super) foreign: Vec<Reference>,
    pub(super) checks: Vec<CheckDraft>,
    pub(super) dropped: bool,
    /// How texts are compared in columns that do not say it.
    pub(super) collation: Option<Collation>,
}

/// A column with the expression that computes it.
#[derive(Debug, Clone)]
pub(super) struct ColumnDraft {
    pub(super) column: Column,
    pub(super) generated: Option<Written>,
    /// The named type that it was declared with, in lower case.
    pub(super) of_type: Option<String>,
}

/// An expression and its text.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) line: usize,
    pub(super) text: String,
    /// In SQLite's terms, or why it has none.
    pub(super) expr: Result<ast::Expr, String>,
}

/// A primary key or a unique set.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) name: Option<String>,
    pub(super) columns: Vec<String>,
}

/// A foreign key.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) name: Option<String>,
    pub(super) columns: Vec<String>,
    pub(super) target: String,
    /// Empty: the target's primary key.
    pub(super) target_columns: Vec<String>,
    pub(super) line: usize,
}

/// A CHECK.
#[derive(Debug, Clone)]
pub(super) struct CheckDraft {
    pub(super) name: Option<String>,
    pub(super) condition: Written,
}

/// A view; its query is in the text's dialect.
#[derive(Debug, Clone)]
pub(super) struct ViewDraft {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) query: String,
    pub(super) line: usize,
}

/// What a name of a type stands for.
#[derive(Debug, Clone, Default)]
pub(super) struct TypeDraft {
    pub(super) declared: String,
    pub(super) values: Vec<String>,
    pub(super) not_null: bool,
    /// Conditions on `VALUE`.
    pub(super) checks: Vec<CheckDraft>,
}

impl Model {
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(&name.to_ascii_lowercase()).copied()
    }

    pub(super) fn table(&mut self, name: &str) -> Option<&mut Draft> {
        let at = self.position(name)?;
        self.tables.get_mut(at)
    }

    pub(super) fn add(&mut self, table: Draft) {
        self.by_name.insert(table.name.to_ascii_lowercase(), self.tables.len());
        self.tables.push(table);
    }

    /// Removes a table or view; false where there is none.
    pub(super) fn drop_named(&mut self, name: &str) -> bool {
        if let Some(at) = self.by_name.remove(&name.to_ascii_lowercase())
            && let Some(table) = self.tables.get_mut(at)
        {
            table.dropped = true;
            return true;
        }
        let before = self.views.len();
        self.views.retain(|v| !v.name.eq_ignore_ascii_case(name));
        self.views.len() < before
    }

    pub(super) fn rename_table(&mut self, old: &str, new: &str) {
        if let Some(at) = self.by_name.remove(&old.to_ascii_lowercase()) {
            self.by_name.insert(new.to_ascii_lowercase(), at);
            if let Some(table) = self.tables.get_mut(at) {
                new.clone_into(&mut table.name);
            }
        }
        for reference in self.tables.iter_mut().flat_map(|t| &mut t.foreign) {
            if reference.target.eq_ignore_ascii_case(old) {
                new.clone_into(&mut reference.target);
            }
        }
    }

    pub(super) fn rename_column(&mut self, table: &str, old: &str, new: &str) {
        if let Some(draft) = self.table(table) {
            draft.rename_column(old, new);
        }
        for reference in self.tables.iter_mut().flat_map(|t| &mut t.foreign) {
            if reference.target.eq_ignore_ascii_case(table) {
                renamed(&mut reference.target_columns, old, new);
            }
        }
    }
}

fn renamed(names: &mut [String], old: &str, new: &str) {
    for name in names {
        if name.eq_ignore_ascii_case(old) {
            new.clone_into(name);
        }
    }
}

fn same(name: Option<&String>, other: &str) -> bool {
    name.is_some_and(|n| n.eq_ignore_ascii_case(other))
}

impl Draft {
    /// Where the column of this name stands.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.column.name.eq_ignore_ascii_case(name))
    }

    pub(super) fn column(&mut self, name: &str) -> Option<&mut ColumnDraft> {
        self.position(name).and_then(|at| self.columns.get_mut(at))
    }

    pub(super) fn has_column(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// Gives constraints of this name another one.
    pub(super) fn rename_constraint(&mut self, old: &str, new: &str) {
        let keys = self.primary.iter_mut().chain(&mut self.unique).map(|k| &mut k.name);
        let foreign = self.foreign.iter_mut().map(|f| &mut f.name);
        let checks = self.checks.iter_mut().map(|c| &mut c.name);
        for name in keys.chain(foreign).chain(checks).filter(|name| same(name.as_ref(), old)) {
            *name = Some(new.to_owned());
        }
    }

    fn rename_column(&mut self, old: &str, new: &str) {
        if let Some(column) = self.column(old) {
            new.clone_into(&mut column.column.name);
        }
        for key in self.primary.iter_mut().chain(&mut self.unique) {
            renamed(&mut key.columns, old, new);
        }
        for reference in &mut self.foreign {
            renamed(&mut reference.columns, old, new);
        }
        let generated = self.columns.iter_mut().filter_map(|c| c.generated.as_mut());
        let checks = self.checks.iter_mut().map(|c| &mut c.condition);
        for written in generated.chain(checks) {
            if let Ok(expr) = &mut written.expr {
                super::exprs::rename(expr, old, new);
            }
        }
    }

    /// Removes a column with every constraint that names it.
    pub(super) fn drop_column(&mut self, name: &str) {
        let names = |columns: &[String]| columns.iter().any(|c| c.eq_ignore_ascii_case(name));
        self.columns.retain(|c| !c.column.name.eq_ignore_ascii_case(name));
        self.primary = self.primary.take().filter(|k| !names(&k.columns));
        self.unique.retain(|k| !names(&k.columns));
        self.foreign.retain(|r| !names(&r.columns));
        self.checks.retain(|c| !c.condition.expr.as_ref().is_ok_and(|e| super::exprs::mentions(e, name)));
    }

    /// Removes a constraint by its name; false where there is none.
    pub(super) fn drop_constraint(&mut self, name: &str) -> bool {
        let count =
            |t: &Draft| usize::from(t.primary.is_some()) + t.unique.len() + t.foreign.len() + t.checks.len();
        let before = count(self);
        self.primary = self.primary.take().filter(|k| !same(k.name.as_ref(), name));
        self.unique.retain(|k| !same(k.name.as_ref(), name));
        self.foreign.retain(|r| !same(r.name.as_ref(), name));
        self.checks.retain(|c| !same(c.name.as_ref(), name));
        count(self) < before
    }

    pub(super) fn add_unique(&mut self, key: Key) {
        let known = |k: &Key| {
            k.columns.len() == key.columns.len()
                && k.columns.iter().zip(&key.columns).all(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        if !key.columns.is_empty() && !self.unique.iter().any(known) {
            self.unique.push(key);
        }
    }

    pub(super) fn set_primary(&mut self, key: Key) {
        for name in &key.columns {
            if let Some(column) = self.column(name) {
                column.column.not_null = true;
            }
        }
        self.primary = Some(key);
    }
}
