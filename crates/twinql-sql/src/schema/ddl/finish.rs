//! From the finished model to a schema: names become positions.
//!
//! Names can be resolved only now: a foreign key may refer to a table that is defined later, a CHECK to a
//! column that ALTER TABLE adds. What does not resolve is left out with a note. A condition is kept as a
//! condition only if SQLite takes it ([`Verifier`]): rows are generated in SQLite, and one that it cannot
//! compute would reject them all.

use std::collections::HashMap;

use super::model::{Draft, Key};
use super::{NoteKind, Reader, exprs};
use crate::dialects::Dialect;
use crate::schema::error::{SchemaError, SchemaErrorKind as E};
use crate::schema::verify::Verifier;
use crate::schema::{Check, Collation, Column, ForeignKey, Schema, Table, TypeClass, Typing};

impl Reader<'_> {
    /// The schema, with all notes in the order of lines.
    pub(super) fn finish(mut self) -> Result<Schema, SchemaError> {
        let mut schema = self.tables(true);
        if schema.tables.is_empty() {
            return Err(match self.broken.into_iter().next() {
                Some(error) => error,
                None => SchemaError::new(self.file, "", E::NoTables),
            });
        }
        for error in std::mem::take(&mut self.broken) {
            let line = error.place.strip_prefix("line ").and_then(|l| l.parse().ok());
            let reason = format!("the table is left out: {}", error.kind);
            self.not_read(line.unwrap_or(1), "CREATE TABLE", reason);
        }
        self.views(&mut schema);
        self.check_views(&schema);
        schema.gather_shards(self.dialect);
        self.notes.sort_by_key(|n| n.line);
        schema.notes = self.notes;
        Ok(schema)
    }

    /// All tables so far; `last` also verifies conditions, and notes what is dropped.
    pub(super) fn tables(&mut self, last: bool) -> Schema {
        let drafts: Vec<Draft> = self.model.tables.iter().filter(|t| !t.dropped).cloned().collect();
        let positions: HashMap<String, usize> =
            drafts.iter().enumerate().map(|(i, t)| (t.name.to_ascii_lowercase(), i)).collect();
        let mut tables: Vec<Table> = drafts.iter().map(|draft| table(draft, self.dialect)).collect();
        for (i, draft) in drafts.iter().enumerate() {
            let keys = self.foreign_keys(draft, &tables, &positions, last);
            tables[i].foreign_keys = keys;
        }
        let mut verifier = None;
        for (draft, table) in drafts.iter().zip(&mut tables) {
            let computed = draft.columns.iter().any(|c| c.generated.is_some());
            if computed || !draft.checks.is_empty() {
                let verifier = if last { Some(&*verifier.get_or_insert_with(Verifier::new)) } else { None };
                self.conditions(draft, table, verifier);
            }
        }
        let mut schema = Schema {
            db_id: self.db_id.clone(),
            tables,
            typing: Typing::of(self.dialect),
            ..Schema::default()
        };
        self.places.apply(&mut schema);
        schema
    }

    /// The foreign keys of a table that refer to columns that exist. Without a list they refer to the other
    /// table's primary key: `REFERENCES u`.
    fn foreign_keys(
        &mut self,
        draft: &Draft,
        tables: &[Table],
        positions: &HashMap<String, usize>,
        last: bool,
    ) -> Vec<ForeignKey> {
        let mut keys: Vec<ForeignKey> = Vec::new();
        for r in &draft.foreign {
            let found = positions.get(&r.target.to_ascii_lowercase()).and_then(|&target| {
                let t = tables.get(target)?;
                let columns = if r.target_columns.is_empty() {
                    t.primary_key.clone()
                } else {
                    let columns = r.target_columns.iter().map(|n| t.column_index(n));
                    columns.collect::<Option<Vec<usize>>>()?
                };
                (columns.len() == r.columns.len()).then_some((target, columns))
            });
            let own = tables.iter().find(|t| t.name == draft.name).and_then(|t| {
                let columns = r.columns.iter().map(|n| t.column_index(n));
                columns.collect::<Option<Vec<usize>>>()
            });
            let (Some((target, target_columns)), Some(columns)) = (found, own) else {
                if last {
                    let target = format!("{}({})", r.target, r.target_columns.join(", "));
                    let reason = format!(
                        "a foreign key of table {:?} refers to {target}, which does not exist; it is ignored",
                        draft.name
                    );
                    self.not_read(r.line, format!("FOREIGN KEY ({})", r.columns.join(", ")), reason);
                }
                continue;
            };
            let key = ForeignKey { columns, target, target_columns };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// CHECKs and generated columns.
    ///
    /// Without a verifier (`tables` in the middle of a file) each is taken on trust, and nothing is noted:
    /// it comes again at the end. A CHECK that says a column is not NULL, `CHECK (a IS NOT NULL)`, makes it
    /// so for the rules as well.
    fn conditions(&mut self, draft: &Draft, table: &mut Table, verifier: Option<&Verifier>) {
        let names: Vec<&str> = draft.columns.iter().map(|c| c.column.name.as_str()).collect();
        for (i, written) in
            draft.columns.iter().enumerate().filter_map(|(i, c)| Some((i, c.generated.as_ref()?)))
        {
            let expr = written.expr.clone().and_then(|mut e| {
                exprs::resolve(&mut e, &names)?;
                Ok(e.to_string())
            });
            let expr = expr.and_then(|e| match verifier {
                Some(verifier) => verifier.generated(table, i, &e).map(|()| e),
                None => Ok(e),
            });
            match expr {
                Ok(expr) => table.columns[i].generated = Some(expr),
                Err(why) if verifier.is_some() => {
                    let what = format!("{} AS ({})", table.columns[i].name, written.text);
                    let reason = format!("its values are not computed: {why}");
                    self.note(NoteKind::NotEnforced, written.line, what, reason);
                }
                Err(_) => {}
            }
        }
        for check in &draft.checks {
            let written = &check.condition;
            let mut required = Vec::new();
            let read = written.expr.clone().and_then(|mut e| {
                let columns = exprs::resolve(&mut e, &names)?;
                exprs::not_null(&e, &mut required);
                Ok((e.to_string(), columns))
            });
            let read = read.and_then(|(expr, columns)| match verifier {
                Some(verifier) => verifier.condition(table, &expr).map(|()| (expr, columns)),
                None => Ok((expr, columns)),
            });
            for column in &mut table.columns {
                column.not_null |= required.iter().any(|n| n.eq_ignore_ascii_case(&column.name));
            }
            let (expr, columns, enforced) = match read {
                Ok((expr, columns)) => (expr, columns, true),
                Err(why) => {
                    if verifier.is_some() {
                        let what = format!("CHECK ({})", written.text);
                        let reason = format!("generated rows need not meet it: {why}");
                        self.note(NoteKind::NotEnforced, written.line, what, reason);
                    }
                    (written.text.clone(), Vec::new(), false)
                }
            };
            let check = Check { name: check.name.clone(), expr, columns, enforced };
            let known = |c: &Check| c.expr == check.expr;
            if !table.checks.iter().any(known) {
                table.checks.push(check);
            }
        }
    }
}

/// How a column's texts are compared: as it says, as its table says, or as MySQL does where nothing is said.
fn collation(column: &Column, draft: &Draft, dialect: Dialect) -> Option<Collation> {
    let declared = column.declared.to_ascii_uppercase();
    let is_text = column.class == TypeClass::Text && !declared.starts_with("JSON");
    let of_table = || draft.collation.filter(|_| is_text);
    let usual = || (dialect.meaning().ignores_case && is_text).then_some(Collation::Nocase);
    // MySQL: VARCHAR(20) BINARY.
    let binary = || (dialect == Dialect::Mysql && declared.ends_with(" BINARY")).then_some(Collation::Binary);
    column.collation.or_else(binary).or_else(of_table).or_else(usual)
}

/// A draft's table, its keys as positions; conditions and foreign keys come later, since they need all
/// tables.
fn table(draft: &Draft, dialect: Dialect) -> Table {
    let position =
        |name: &String| draft.columns.iter().position(|c| c.column.name.eq_ignore_ascii_case(name));
    let key = |key: &Key| key.columns.iter().filter_map(position).collect::<Vec<usize>>();
    let columns = draft
        .columns
        .iter()
        .map(|c| Column { collation: collation(&c.column, draft, dialect), ..c.column.clone() });
    Table {
        schema: None,
        name: draft.name.clone(),
        columns: columns.collect(),
        primary_key: draft.primary.as_ref().map(key).unwrap_or_default(),
        unique: draft.unique.iter().map(key).collect(),
        foreign_keys: Vec::new(),
        checks: Vec::new(),
        shards: Vec::new(),
    }
}
