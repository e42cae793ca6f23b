//! Statements that change what others defined: ALTER TABLE, RENAME, DROP.
//!
//! Dumps define a table in one statement and its keys in others: `pg_dump` writes `ALTER TABLE ONLY t ADD
//! CONSTRAINT t_pkey PRIMARY KEY (id)`, phpMyAdmin `ALTER TABLE t ADD PRIMARY KEY (id), MODIFY id int NOT
//! NULL`. All changes are made on the drafts ([`super::model`]), which know names and not positions, so a
//! column may come, go or be renamed under a key. A change that cannot be made is noted and the rest of the
//! file is read on: a schema with a note is of more use than none.

use super::Reader;
use super::model::Draft;
use super::words::{Run as _, is_constraint, items, qualified, shown};
use crate::schema::error::SchemaError;
use crate::schema::scan::Token;

impl Reader<'_> {
    /// ALTER TABLE [IF EXISTS] [ONLY] name change, change …
    pub(super) fn alter_table(&mut self, tokens: &[Token]) {
        let line = tokens.line();
        let mut at = tokens.iter().take(3).position(|t| t.is("TABLE")).map_or(2, |i| i + 1);
        while tokens.is(at, &["ONLY", "IF", "EXISTS"]) {
            at += 1;
        }
        let Some((name, at)) = qualified(tokens, at) else {
            self.not_read(line, shown(tokens), "it names no table");
            return;
        };
        let rest = tokens.rest(at);
        let Some(position) = self.model.position(&name) else {
            if !setting(rest) {
                self.not_read(line, shown(tokens), format!("no table is named {name:?}"));
            }
            return;
        };
        // ADD may stand before a list (T-SQL, Oracle): what has no verb of its own goes on.
        let mut adding = false;
        for item in items(rest) {
            let Some(table) = self.model.tables.get(position).cloned() else {
                return;
            };
            let verb = item.is(0, VERBS) || item.is(0, SETTINGS);
            let result = if adding && !verb {
                self.add(table, position, item)
            } else {
                adding = item.is(0, &["ADD"]);
                self.change(table, position, item)
            };
            if let Err(error) = result {
                let line = item.first().map_or(line, |t| t.line);
                self.not_read(line, shown(tokens), error.kind.to_string());
            }
        }
    }

    /// One change of a table. `table` is a copy: it is put back ([`Self::put`]) when the change is complete,
    /// so an error leaves the table as it was. Long, since each form of ALTER TABLE has an arm of its own.
    fn change(&mut self, mut table: Draft, position: usize, item: &[Token]) -> Result<(), SchemaError> {
        let line = item.line();
        let name = |i: usize| item.name(i).map(str::to_owned);
        let name_before = table.name.clone();
        let unknown = |reader: &mut Self, what: &str, name: &str| {
            let reason = format!("table {name_before:?} has no {what} {name:?}");
            reader.not_read(line, shown(item), reason);
        };
        if setting(item) {
            self.ignored(line, "ALTER TABLE", "rights, storage or numbers for keys");
            return Ok(());
        }
        // T-SQL: WITH [NO]CHECK ADD CONSTRAINT.
        if item.is(0, &["WITH"]) && item.is(2, &["ADD"]) {
            return self.add(table, position, item.rest(3));
        }
        if item.is(0, &["ADD"]) {
            return self.add(table, position, item.rest(1));
        }
        if item.is(0, &["DROP"]) {
            self.drop_part(&mut table, item);
            self.put(position, table);
        } else if item.is(0, &["RENAME"]) {
            let to = item.iter().position(|t| t.is("TO"));
            let from = 1 + usize::from(item.is(1, &["COLUMN", "CONSTRAINT", "INDEX", "KEY"]));
            match (to, item.is(1, &["CONSTRAINT", "INDEX", "KEY"])) {
                // A constraint's new name matters to a later DROP CONSTRAINT alone.
                (_, true) => {
                    if let (Some(old), Some(new)) = (name(2), to.and_then(|t| name(t + 1))) {
                        table.rename_constraint(&old, &new);
                        self.put(position, table);
                    }
                }
                (Some(to), false) if to > 1 => match (name(from), name(to + 1)) {
                    (Some(old), Some(_)) if !table.has_column(&old) => unknown(self, "column", &old),
                    (Some(_), Some(new)) if table.has_column(&new) => {
                        let reason = format!("there is a column {new:?} already");
                        self.not_read(line, shown(item), reason);
                    }
                    (Some(old), Some(new)) => self.model.rename_column(&table.name, &old, &new),
                    _ => self.not_read(line, shown(item), "a name is missing"),
                },
                _ => {
                    let at = 1 + usize::from(item.is(1, &["TO", "AS"]));
                    match qualified(item, at) {
                        Some((new, _)) => self.rename(line, &table.name, &new),
                        None => self.not_read(line, shown(item), "a name is missing"),
                    }
                }
            }
        } else if item.is(0, &["ALTER"]) {
            self.alter_column(table, position, item)?;
        } else if item.is(0, &["MODIFY", "CHANGE"]) {
            let at = 1 + usize::from(item.is(1, &["COLUMN"]));
            let change = item.is(0, &["CHANGE"]);
            let Some(old) = name(at) else {
                self.not_read(line, shown(item), "a name is missing");
                return Ok(());
            };
            let definition = item.rest(at + usize::from(change));
            let Some(index) = table.position(&old) else {
                unknown(self, "column", &old);
                return Ok(());
            };
            let new = definition.first().and_then(Token::name).unwrap_or(&old).to_owned();
            // CHANGE old new type (MySQL). Keys of other tables name the column too: the model renames them
            // all.
            if new != old {
                self.model.rename_column(&table.name, &old, &new);
                if let Some(renamed) = self.model.tables.get(position) {
                    table = renamed.clone();
                }
            }
            let (draft, rest) = self.typed_column(&mut table, new, definition);
            table.columns[index] = draft;
            self.constraints(&mut table, Some(index), definition.rest(rest))?;
            // The new definition need not repeat that a column of the primary key is NOT NULL.
            let in_key = |key: &super::model::Key| {
                key.columns.iter().any(|c| c.eq_ignore_ascii_case(&table.columns[index].column.name))
            };
            if table.primary.as_ref().is_some_and(in_key) {
                table.columns[index].column.not_null = true;
            }
            self.put(position, table);
        } else {
            self.not_read(line, shown(item), "this change of a table is not read");
        }
        Ok(())
    }

    /// Puts a changed table in the place of the old one.
    fn put(&mut self, position: usize, table: Draft) {
        if let Some(place) = self.model.tables.get_mut(position) {
            *place = table;
        }
    }

    /// What follows ADD: a constraint, or [COLUMN] [IF NOT EXISTS] and a column or several.
    fn add(&mut self, mut table: Draft, position: usize, item: &[Token]) -> Result<(), SchemaError> {
        if is_constraint(item) {
            self.constraints(&mut table, None, item)?;
            self.put(position, table);
            return Ok(());
        }
        let line = item.line();
        let mut at = usize::from(item.is(0, &["COLUMN"]));
        if item.is(at, &["IF"]) {
            at += 3;
        }
        let item = item.rest(at);
        let list = match item.first() {
            Some(t) if t.is_symbol('(') => items(item.group(0).0),
            Some(t) if t.is("PARTITION") => {
                self.ignored(line, "ALTER TABLE", "rights, storage or numbers for keys");
                return Ok(());
            }
            Some(_) => vec![item],
            None => {
                self.not_read(line, "ADD", "nothing is added");
                return Ok(());
            }
        };
        for item in list {
            if is_constraint(item) {
                self.constraints(&mut table, None, item)?;
                continue;
            }
            let (column, rest) = self.column(&mut table, item)?;
            self.constraints(&mut table, Some(column), rest)?;
            // MySQL: FIRST, AFTER column. The order shows in SELECT *.
            let place = match rest.iter().position(|t| t.is_any(&["FIRST", "AFTER"])) {
                Some(i) if rest[i].is("FIRST") => Some(0),
                Some(i) => rest.name(i + 1).and_then(|n| table.position(n)).map(|at| at + 1),
                None => None,
            };
            if let Some(place) = place
                && let Some(added) = table.columns.pop()
            {
                table.columns.insert(place.min(table.columns.len()), added);
            }
        }
        self.put(position, table);
        Ok(())
    }

    /// DROP [COLUMN] name, DROP CONSTRAINT | FOREIGN KEY | INDEX | KEY | CHECK name, DROP
    /// PRIMARY KEY.
    fn drop_part(&mut self, table: &mut Draft, item: &[Token]) {
        let line = item.line();
        if item.is(1, &["PRIMARY"]) && item.is(2, &["KEY"]) {
            table.primary = None;
            return;
        }
        let constraint = item.is(1, &["CONSTRAINT", "FOREIGN", "INDEX", "KEY", "CHECK"]) && item.len() > 2;
        let mut at = 1
            + usize::from(item.is(1, &["COLUMN", "CONSTRAINT", "INDEX", "KEY", "CHECK"]) && item.len() > 2)
            + 2 * usize::from(item.is(1, &["FOREIGN"]));
        let optional = item.is(at, &["IF"]);
        if optional {
            at += 2;
        }
        let Some(name) = item.name(at) else {
            self.not_read(line, shown(item), "a name is missing");
            return;
        };
        if constraint {
            // PostgreSQL names an unnamed key after its table.
            let known = table.drop_constraint(name) || table.drop_implicit(name);
            if !known && !optional && !item.is(1, &["INDEX", "KEY"]) {
                let reason = format!("table {:?} has no constraint {name:?}", table.name);
                self.not_read(line, shown(item), reason);
            }
        } else if table.has_column(name) && table.columns.len() > 1 {
            table.drop_column(name);
        } else if !optional {
            let reason = format!("table {:?} has no other column, or none named {name:?}", table.name);
            self.not_read(line, shown(item), reason);
        }
    }

    /// ALTER [COLUMN] name SET | DROP | TYPE …, or T-SQL's new definition.
    fn alter_column(&mut self, mut table: Draft, position: usize, item: &[Token]) -> Result<(), SchemaError> {
        let line = item.line();
        if item.is(1, &["INDEX", "CONSTRAINT", "CHECK"]) {
            self.ignored(line, "ALTER TABLE", "rights, storage or numbers for keys");
            return Ok(());
        }
        let at = 1 + usize::from(item.is(1, &["COLUMN"]));
        let name = item.name(at).unwrap_or_default().to_owned();
        let Some(index) = table.position(&name) else {
            let reason = format!("table {:?} has no column {name:?}", table.name);
            self.not_read(line, shown(item), reason);
            return Ok(());
        };
        let (verb, object) = (at + 1, at + 2);
        if item.is(verb, &["SET", "DROP"]) && item.is(object, &["NOT"]) {
            table.columns[index].column.not_null = item.is(verb, &["SET"]);
        } else if item.is(verb, &["DROP"]) && item.is(object, &["EXPRESSION"]) {
            table.columns[index].generated = None;
        } else if item.is(verb, &["SET", "DROP", "ADD", "RESTART"]) && !item.is(object, &["DATA"]) {
            // Defaults, statistics, storage, identities.
            self.ignored(line, "ALTER COLUMN", "a default, statistics or storage");
            return Ok(());
        } else {
            let ty = match () {
                () if item.is(verb, &["TYPE"]) => verb + 1,
                () if item.is(verb, &["SET"]) => object + 2,
                () => verb,
            };
            let definition = item.rest(ty.saturating_sub(1));
            let not_null = table.columns[index].column.not_null;
            let (mut draft, rest) = self.typed_column(&mut table, name, definition);
            let behind = definition.rest(rest);
            if ty == verb {
                // T-SQL says anew whether it may be NULL.
                draft.column.not_null = false;
                table.columns[index] = draft;
                self.constraints(&mut table, Some(index), behind)?;
            } else {
                draft.column.not_null |= not_null;
                draft.generated = table.columns[index].generated.clone();
                table.columns[index] = draft;
            }
        }
        self.put(position, table);
        Ok(())
    }

    /// A table's or a view's new name, with all references to it.
    fn rename(&mut self, line: usize, old: &str, new: &str) {
        if self.model.position(new).is_some_and(|at| self.model.position(old) != Some(at)) {
            let reason = format!("there is a table {new:?} already");
            self.not_read(line, format!("RENAME {old} TO {new}"), reason);
        } else if self.model.position(old).is_some() {
            self.model.rename_table(old, new);
        } else if let Some(view) = self.model.views.iter_mut().find(|v| v.name.eq_ignore_ascii_case(old)) {
            new.clone_into(&mut view.name);
        } else {
            self.not_read(line, format!("RENAME {old} TO {new}"), format!("no table is named {old:?}"));
        }
    }

    /// MySQL: RENAME TABLE a TO b, c TO d.
    pub(super) fn rename_tables(&mut self, tokens: &[Token]) {
        let line = tokens.line();
        for item in items(tokens.rest(2)) {
            let names = qualified(item, 0).and_then(|(old, at)| {
                item.get(at).filter(|t| t.is("TO"))?;
                Some((old, qualified(item, at + 1)?.0))
            });
            match names {
                Some((old, new)) => self.rename(line, &old, &new),
                None => self.not_read(line, shown(tokens), "a name is missing"),
            }
        }
    }

    /// ALTER [MATERIALIZED] VIEW name RENAME TO name; ALTER DOMAIN.
    pub(super) fn alter_view(&mut self, tokens: &[Token]) {
        let line = tokens.line();
        let at = 2 + usize::from(tokens.is(1, &["MATERIALIZED"]));
        let named = qualified(tokens, at);
        let rest = named.as_ref().map_or(&[][..], |(_, at)| tokens.rest(*at));
        let rename = rest.is(0, &["RENAME"]) && rest.is(1, &["TO"]);
        match (named.as_ref(), rest.name(2)) {
            _ if setting(rest) => self.ignored(line, "ALTER VIEW", "rights"),
            (Some((old, _)), Some(new)) if rename => self.rename(line, old, new),
            _ => self.not_read(line, shown(tokens), "this change is not read"),
        }
    }

    /// DROP TABLE | VIEW | INDEX | TYPE | DOMAIN [IF EXISTS] name, name …
    pub(super) fn drop_things(&mut self, tokens: &[Token]) {
        let line = tokens.line();
        let mut at = 2 + usize::from(tokens.is(1, &["MATERIALIZED"]));
        let kind = tokens.get(at - 1).map(Token::shown).unwrap_or_default().to_uppercase();
        let concurrently = tokens.is(at, &["CONCURRENTLY"]);
        at += usize::from(concurrently);
        let optional = tokens.is(at, &["IF"]);
        at += 2 * usize::from(optional);
        for item in items(tokens.rest(at)) {
            let Some((name, _)) = qualified(item, 0) else {
                self.not_read(line, shown(tokens), "a name is missing");
                return;
            };
            let found = match kind.as_str() {
                "TABLE" | "VIEW" => self.model.drop_named(&name),
                "TYPE" | "DOMAIN" => self.model.types.remove(&name.to_lowercase()).is_some(),
                _ => {
                    // An index that is not unique was never kept.
                    for table in &mut self.model.tables {
                        table.drop_constraint(&name);
                    }
                    true
                }
            };
            if !found {
                if optional {
                    self.ignored(line, &format!("DROP {kind} IF EXISTS"), "there is none of that name");
                } else {
                    self.not_read(line, shown(tokens), format!("nothing is named {name:?}"));
                }
            }
        }
    }
}

/// First words of a change beside [`SETTINGS`].
const VERBS: &[&str] = &words![ADD DROP ALTER RENAME MODIFY CHANGE WITH INHERIT NO DEFAULT];

/// First words of a change of rights, storage and the like.
const SETTINGS: &[&str] = &words![
    SET OWNER ENABLE DISABLE CLUSTER ATTACH DETACH REPLICA VALIDATE CHECK NOCHECK AUTO_INCREMENT ENGINE COMMENT
    CONVERT ORDER FORCE REBUILD LOCK ALGORITHM
];

/// True for changes that say nothing of columns, keys or values.
fn setting(item: &[Token]) -> bool {
    item.is(0, SETTINGS)
        || item.is(0, &["RESET"])
        || item.is(0, &["NO"]) && item.is(1, &["FORCE", "INHERIT"])
        || item.is(0, &["DEFAULT"]) && item.is(1, &["CHARSET", "CHARACTER", "COLLATE"])
        || item.is(0, &["ALTER"]) && item.iter().any(|t| t.is_any(&["IDENTITY", "STATISTICS", "STORAGE"]))
}

impl Draft {
    /// Drops a constraint that has no name by the one that PostgreSQL gives it.
    fn drop_implicit(&mut self, name: &str) -> bool {
        let table = self.name.clone();
        let named = |middle: &str, end: &str| {
            let middle = if middle.is_empty() { String::new() } else { format!("_{middle}") };
            format!("{table}{middle}_{end}").eq_ignore_ascii_case(name)
        };
        let count = |t: &Draft| usize::from(t.primary.is_some()) + t.unique.len() + t.foreign.len();
        let before = count(self);
        if named("", "pkey") {
            self.primary = None;
        }
        self.unique.retain(|k| !(k.name.is_none() && named(&k.columns.join("_"), "key")));
        self.foreign.retain(|k| !(k.name.is_none() && named(&k.columns.join("_"), "fkey")));
        count(self) < before
    }
}
