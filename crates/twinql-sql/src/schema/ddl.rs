//! Schemas from DDL text.

use std::collections::HashMap;

use crate::dialect::Dialect;

use super::error::{SchemaError, SchemaErrorKind as E};
use super::names::Places;
use super::scan::{Kind, Token, tokens};
use super::types::ENDS_A_TYPE;
use super::{Affinity, Column, ForeignKey, Schema, Table, TypeClass};

/// A schema and what was left out of it.
pub type WithWarnings = (Schema, Vec<String>);

impl Schema {
    /// The schema that `text` (CREATE TABLE statements of SQLite, MySQL, PostgreSQL or
    /// plain SQL) defines: primary keys, UNIQUE, NOT NULL, foreign keys and CREATE UNIQUE
    /// INDEX are read, every other statement is skipped. Warnings of [`read`] are logged.
    ///
    /// # Errors
    /// Empty text, no table, a table without columns, a name defined twice, a key over a
    /// column that the table does not have, a CREATE TABLE that cannot be read.
    pub fn from_ddl(db_id: &str, text: &str) -> Result<Schema, SchemaError> {
        Schema::from_ddl_in(db_id, text, Dialect::Sqlite)
    }

    /// As [`Schema::from_ddl`], quotes, comments and types read as `dialect` has them.
    /// SQLite's reader also takes most of what the others write.
    ///
    /// # Errors
    /// Those of [`Schema::from_ddl`].
    pub fn from_ddl_in(db_id: &str, text: &str, dialect: Dialect) -> Result<Schema, SchemaError> {
        let (schema, warnings) = read_in(db_id, text, dialect)?;
        for warning in warnings {
            tracing::warn!(db_id, "{warning}");
        }
        Ok(schema)
    }
}

/// As [`Schema::from_ddl`], with what was ignored: foreign keys to tables or columns that
/// do not exist (SQLite accepts them), tables made by CREATE TABLE … AS SELECT.
///
/// # Errors
/// Those of [`Schema::from_ddl`].
pub fn read(db_id: &str, text: &str) -> Result<WithWarnings, SchemaError> {
    read_in(db_id, text, Dialect::Sqlite)
}

/// As [`read`], in a dialect.
///
/// # Errors
/// Those of [`Schema::from_ddl`].
pub fn read_in(db_id: &str, text: &str, dialect: Dialect) -> Result<WithWarnings, SchemaError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        file: format!("schema {db_id}"),
        schema: Schema {
            db_id: db_id.to_owned(),
            ..Schema::default()
        },
        references: Vec::new(),
        warnings: Vec::new(),
        dialect,
        types: HashMap::new(),
    };
    if text.trim().is_empty() {
        return Err(reader.error("", E::Empty));
    }
    let mut all = tokens(text, dialect);
    let places = Places::settle(&mut all, dialect);
    for statement in all.split(|t| t.is_symbol(';')) {
        reader.statement(statement)?;
    }
    if reader.schema.tables.is_empty() {
        return Err(reader.error("", E::NoTables));
    }
    reader.resolve_references();
    places.apply(&mut reader.schema);
    Ok((reader.schema, reader.warnings))
}

/// A foreign key by names, until every table is known.
struct Reference {
    table: usize,
    columns: Vec<usize>,
    target: String,
    /// Empty: the target's primary key.
    target_columns: Vec<String>,
    line: usize,
}

struct Reader {
    file: String,
    schema: Schema,
    references: Vec<Reference>,
    warnings: Vec<String>,
    dialect: Dialect,
    /// PostgreSQL's CREATE TYPE … AS ENUM and CREATE DOMAIN: the type each name, in lower
    /// case, stands for.
    types: HashMap<String, String>,
}

impl Reader {
    fn error(&self, place: impl Into<String>, kind: E) -> SchemaError {
        SchemaError::new(self.file.clone(), place, kind)
    }

    fn syntax(&self, line: usize, message: impl Into<String>) -> SchemaError {
        self.error(format!("line {line}"), E::Syntax(message.into()))
    }

    fn statement(&mut self, tokens: &[Token]) -> Result<(), SchemaError> {
        let Some(first) = tokens.first() else {
            return Ok(());
        };
        if first.is("ALTER") {
            return self.alter_table(tokens);
        }
        if !first.is("CREATE") {
            return Ok(());
        }
        if tokens.get(1).is_some_and(|t| t.is("TYPE") || t.is("DOMAIN")) {
            self.create_type(tokens);
            return Ok(());
        }
        // CREATE [words] TABLE | [UNIQUE] INDEX; anything else is not ours.
        let kind = tokens.iter().take(6).position(|t| t.is("TABLE") || t.is("INDEX"));
        match kind.and_then(|i| tokens.get(i).map(|t| (i, t))) {
            _ if tokens.iter().take(3).any(|t| t.is("VIEW") || t.is("TRIGGER")) => Ok(()),
            Some((i, t)) if t.is("TABLE") => self.create_table(tokens, i + 1),
            Some((i, _)) if tokens.iter().take(i).any(|t| t.is("UNIQUE")) => {
                self.unique_index(tokens, i + 1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// CREATE TYPE name AS ENUM (…), CREATE DOMAIN name [AS] type.
    fn create_type(&mut self, tokens: &[Token]) {
        let Some((name, mut at)) = qualified(tokens, 2) else {
            return;
        };
        at += usize::from(tokens.get(at).is_some_and(|t| t.is("AS")));
        let declared = match tokens.get(at) {
            Some(t) if t.is("ENUM") => "text".to_owned(),
            Some(t) if tokens.get(1).is_some_and(|t| t.is("DOMAIN")) => t.shown(),
            _ => return,
        };
        self.types.insert(name.to_lowercase(), declared);
    }

    fn create_table(&mut self, tokens: &[Token], start: usize) -> Result<(), SchemaError> {
        let line = tokens.first().map_or(1, |t| t.line);
        let mut at = start;
        let guarded = tokens.get(at).is_some_and(|t| t.is("IF"));
        if guarded {
            at += 3;
        }
        let (name, mut at) =
            qualified(tokens, at).ok_or_else(|| self.syntax(line, "a table name is missing"))?;
        if name.to_ascii_lowercase().starts_with("sqlite_") {
            return Ok(());
        }
        if self.schema.table_index(&name).is_some() {
            if guarded {
                return Ok(());
            }
            return Err(self.error(format!("line {line}"), E::Duplicate { what: "table", name }));
        }
        if tokens.get(at).is_some_and(|t| t.is("AS")) {
            self.warnings.push(format!(
                "line {line}: table {name:?} is made by CREATE TABLE … AS and is left out"
            ));
            return Ok(());
        }
        if !tokens.get(at).is_some_and(|t| t.is_symbol('(')) {
            return Err(self.syntax(line, format!("'(' expected after the name of table {name:?}")));
        }
        at += 1;
        let end = closing(tokens, at)
            .ok_or_else(|| self.syntax(line, format!("table {name:?} has no closing ')'")))?;
        let index = self.schema.tables.len();
        self.schema.tables.push(Table {
            name: name.clone(),
            schema: None,
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique: Vec::new(),
            foreign_keys: Vec::new(),
        });
        let items = items(tokens.get(at..end).unwrap_or_default());
        // Columns first: a constraint may stand before a column that it names.
        let mut constraints = Vec::new();
        for item in items.into_iter().filter(|i| !i.is_empty()) {
            if is_constraint(item) {
                constraints.push((None, item));
            } else {
                let (column, rest) = self.column(index, item)?;
                constraints.push((Some(column), rest));
            }
        }
        if self.schema.tables[index].columns.is_empty() {
            return Err(self.error(format!("line {line}"), E::NoColumns(name)));
        }
        for (column, item) in constraints {
            self.constraints(index, column, item)?;
        }
        Ok(())
    }

    /// Adds the column that `item` defines; gives its position and the tokens after its type.
    fn column<'t>(&mut self, table: usize, item: &'t [Token]) -> Result<(usize, &'t [Token]), SchemaError> {
        let line = item.first().map_or(1, |t| t.line);
        let name = item
            .first()
            .and_then(Token::name)
            .ok_or_else(|| self.syntax(line, "a column name is missing"))?
            .to_owned();
        // Spelled as SQLite takes it: all words, then a size. MySQL's `int(11) unsigned`
        // becomes `int unsigned(11)`; what is no size (`enum('a')`) is dropped.
        let mut words: Vec<&str> = Vec::new();
        let mut size = String::new();
        let mut is_array = false;
        let mut at = 1;
        while let Some(token) = item.get(at) {
            let charset = token.is("CHARACTER") && item.get(at + 1).is_some_and(|t| t.is("SET"));
            if charset || ENDS_A_TYPE.iter().any(|k| token.is(k)) {
                break;
            }
            if token.is_symbol('(') {
                let end = closing(item, at + 1).unwrap_or(item.len());
                let inner = item.get(at + 1..end).unwrap_or_default();
                let inner: String = inner.iter().map(Token::shown).collect();
                if is_size(&inner) {
                    size = format!("({inner})");
                }
                at = end + 1;
                continue;
            }
            let behind_bracket = at > 0 && item.get(at - 1).is_some_and(|t| t.is_symbol('['));
            is_array |= token.is_symbol('[');
            if let Kind::Word(w) | Kind::Quoted(w) = &token.kind
                && !behind_bracket
                // public.status is status.
                && !item.get(at + 1).is_some_and(|t| t.is_symbol('.'))
            {
                words.push(w);
            }
            at += 1;
        }
        let mut declared = words.join(" ");
        if !declared.is_empty() {
            declared.push_str(&size);
        }
        if is_array {
            declared.push_str("[]");
        }
        if let Some(known) = self.types.get(&declared.to_lowercase()) {
            declared.clone_from(known);
        }
        let columns = &mut self.schema.tables[table].columns;
        if columns.iter().any(|c| c.name.eq_ignore_ascii_case(&name)) {
            return Err(self.error(format!("line {line}"), E::Duplicate { what: "column", name }));
        }
        columns.push(Column {
            name,
            class: TypeClass::of_declared_in(&declared, self.dialect),
            affinity: Affinity::of_declared_in(&declared, self.dialect),
            declared,
            not_null: false,
        });
        Ok((columns.len() - 1, item.get(at..).unwrap_or_default()))
    }

    /// Reads constraints in `item`: of `column` where they stand behind one, else of the
    /// table. SQLite lets both kinds follow each other without a comma.
    fn constraints(
        &mut self,
        table: usize,
        column: Option<usize>,
        item: &[Token],
    ) -> Result<(), SchemaError> {
        let mut at = 0;
        let mut pending: Option<Vec<usize>> = None;
        while let Some(token) = item.get(at) {
            let next = item.get(at + 1);
            if token.is("PRIMARY") && next.is_some_and(|t| t.is("KEY")) {
                at += 2;
                let (columns, after) = self.columns_at(table, column, item, at)?;
                at = after;
                self.primary_key(table, columns);
            } else if token.is("UNIQUE") {
                at += 1;
                // MySQL: UNIQUE [KEY | INDEX] [name] (columns)
                if column.is_none() {
                    while item.get(at).is_some_and(|t| !t.is_symbol('(')) {
                        at += 1;
                    }
                }
                let (columns, after) = self.columns_at(table, column, item, at)?;
                at = after;
                self.unique(table, columns);
            } else if token.is("FOREIGN") && next.is_some_and(|t| t.is("KEY")) {
                at += 2;
                while item
                    .get(at)
                    .is_some_and(|t| !t.is_symbol('(') && !t.is("REFERENCES"))
                {
                    at += 1;
                }
                let (columns, after) = self.columns_at(table, column, item, at)?;
                at = after;
                pending = Some(columns);
            } else if token.is("REFERENCES") {
                let columns = pending.take().or_else(|| column.map(|c| vec![c]));
                at = self.reference(table, columns, item, at + 1)?;
            } else if token.is("NOT") && next.is_some_and(|t| t.is("NULL")) {
                at += 2;
                if let Some(c) = column.and_then(|c| self.schema.tables[table].columns.get_mut(c)) {
                    c.not_null = true;
                }
            } else if token.is("KEY") && column.is_some() {
                // MySQL: a bare KEY behind a column means PRIMARY KEY.
                at += 1;
                self.primary_key(table, column.into_iter().collect());
            } else if token.is_symbol('(') {
                at = closing(item, at + 1).unwrap_or(item.len()) + 1;
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// The columns in parentheses at `at`, or `column` where none follow; and what comes after.
    fn columns_at(
        &self,
        table: usize,
        column: Option<usize>,
        item: &[Token],
        at: usize,
    ) -> Result<(Vec<usize>, usize), SchemaError> {
        // PRIMARY KEY [CLUSTERED | USING BTREE | ASC] (columns)
        let open = (at..item.len().min(at + 3)).find(|&i| item[i].is_symbol('('));
        let Some(open) = open.filter(|_| column.is_none() || item[at].is_symbol('(')) else {
            return Ok((column.into_iter().collect(), at));
        };
        let line = item[open].line;
        let end = closing(item, open + 1)
            .ok_or_else(|| self.syntax(line, "a list of columns has no closing ')'"))?;
        let owner = &self.schema.tables[table];
        let columns = names(item.get(open + 1..end).unwrap_or_default())
            .into_iter()
            .map(|name| {
                owner.column_index(&name).ok_or_else(|| {
                    self.error(
                        format!("line {line}"),
                        E::UnknownColumn {
                            table: owner.name.clone(),
                            column: name,
                        },
                    )
                })
            })
            .collect::<Result<Vec<usize>, _>>()?;
        Ok((columns, end + 1))
    }

    fn reference(
        &mut self,
        table: usize,
        columns: Option<Vec<usize>>,
        item: &[Token],
        at: usize,
    ) -> Result<usize, SchemaError> {
        let line = item.get(at).or(item.last()).map_or(1, |t| t.line);
        let (target, mut at) = qualified(item, at)
            .ok_or_else(|| self.syntax(line, "REFERENCES is not followed by a table name"))?;
        let mut target_columns = Vec::new();
        if item.get(at).is_some_and(|t| t.is_symbol('(')) {
            let end = closing(item, at + 1).unwrap_or(item.len());
            target_columns = names(item.get(at + 1..end).unwrap_or_default());
            at = end + 1;
        }
        if let Some(columns) = columns.filter(|c| !c.is_empty()) {
            self.references.push(Reference {
                table,
                columns,
                target,
                target_columns,
                line,
            });
        }
        Ok(at)
    }

    fn primary_key(&mut self, table: usize, columns: Vec<usize>) {
        let table = &mut self.schema.tables[table];
        for &c in &columns {
            if let Some(c) = table.columns.get_mut(c) {
                c.not_null = true;
            }
        }
        table.primary_key = without_repeats(columns);
    }

    fn unique(&mut self, table: usize, columns: Vec<usize>) {
        let columns = without_repeats(columns);
        let unique = &mut self.schema.tables[table].unique;
        if !columns.is_empty() && !unique.contains(&columns) {
            unique.push(columns);
        }
    }

    /// CREATE UNIQUE INDEX name ON table (columns); a partial index, or one over
    /// expressions, says nothing about whole rows and is skipped.
    fn unique_index(&mut self, tokens: &[Token], start: usize) {
        if tokens.iter().any(|t| t.is("WHERE")) {
            return;
        }
        let Some(on) = (start..tokens.len()).find(|&i| tokens[i].is("ON")) else {
            return;
        };
        let Some((name, mut at)) = qualified(tokens, on + 1) else {
            return;
        };
        while tokens.get(at).is_some_and(|t| !t.is_symbol('(')) {
            at += 1; // PostgreSQL: USING btree
        }
        let (Some(table), Some(end)) = (self.schema.table_index(&name), closing(tokens, at + 1)) else {
            return;
        };
        let list = tokens.get(at + 1..end).unwrap_or_default();
        if list.iter().any(|t| t.is_symbol('(')) {
            return;
        }
        let columns: Option<Vec<usize>> = names(list)
            .iter()
            .map(|n| self.schema.tables[table].column_index(n))
            .collect();
        if let Some(columns) = columns {
            self.unique(table, columns);
        }
    }

    /// ALTER TABLE [ONLY] name ADD [CONSTRAINT name] PRIMARY KEY | UNIQUE | FOREIGN KEY …,
    /// as dumps of PostgreSQL and MySQL have it. Other changes are skipped.
    fn alter_table(&mut self, tokens: &[Token]) -> Result<(), SchemaError> {
        let mut at = 2;
        while tokens
            .get(at)
            .is_some_and(|t| t.is("ONLY") || t.is("IF") || t.is("EXISTS"))
        {
            at += 1;
        }
        let Some((name, at)) = qualified(tokens, at) else {
            return Ok(());
        };
        let Some(table) = self.schema.table_index(&name) else {
            return Ok(());
        };
        for item in items(tokens.get(at..).unwrap_or_default()) {
            let Some((first, rest)) = item.split_first() else {
                continue;
            };
            if first.is("ADD") && is_constraint(rest) {
                self.constraints(table, None, rest)?;
            }
        }
        Ok(())
    }

    fn resolve_references(&mut self) {
        for r in std::mem::take(&mut self.references) {
            let found = self.schema.table_index(&r.target).and_then(|target| {
                let t = &self.schema.tables[target];
                let columns = if r.target_columns.is_empty() {
                    t.primary_key.clone()
                } else {
                    r.target_columns
                        .iter()
                        .map(|n| t.column_index(n))
                        .collect::<Option<Vec<usize>>>()?
                };
                (columns.len() == r.columns.len()).then_some((target, columns))
            });
            let owner = &mut self.schema.tables[r.table];
            let Some((target, target_columns)) = found else {
                self.warnings.push(format!(
                    "line {}: a foreign key of table {:?} refers to {}({}), which does not exist; it is ignored",
                    r.line,
                    owner.name,
                    r.target,
                    r.target_columns.join(", ")
                ));
                continue;
            };
            let key = ForeignKey {
                columns: r.columns,
                target,
                target_columns,
            };
            if !owner.foreign_keys.contains(&key) {
                owner.foreign_keys.push(key);
            }
        }
    }
}

/// The last part of a name with or without qualifiers, and where the tokens go on.
fn qualified(tokens: &[Token], mut at: usize) -> Option<(String, usize)> {
    let mut name = tokens.get(at)?.name()?.to_owned();
    at += 1;
    while tokens.get(at).is_some_and(|t| t.is_symbol('.')) {
        name = tokens.get(at + 1)?.name()?.to_owned();
        at += 2;
    }
    Some((name, at))
}

/// Where the parenthesis that was opened before `from` closes.
fn closing(tokens: &[Token], from: usize) -> Option<usize> {
    let mut depth = 1_usize;
    for (i, t) in tokens.iter().enumerate().skip(from) {
        if t.is_symbol('(') {
            depth += 1;
        } else if t.is_symbol(')') {
            depth -= 1;
            if depth == 0 {
                return Some(i);
            }
        }
    }
    None
}

/// Splits at the commas outside parentheses.
fn items(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    tokens
        .split(|t| {
            if t.is_symbol('(') {
                depth += 1;
            } else if t.is_symbol(')') {
                depth = depth.saturating_sub(1);
            }
            depth == 0 && t.is_symbol(',')
        })
        .collect()
}

/// One or two numbers: what may stand in a type's parentheses.
fn is_size(inner: &str) -> bool {
    let number = |s: &str| !s.is_empty() && s.len() < 10 && s.chars().all(|c| c.is_ascii_digit());
    let mut parts = inner.split(',');
    parts.by_ref().take(2).all(number) && parts.next().is_none()
}

/// The first name of each item: `a, b DESC, c(10)` gives a, b, c.
fn names(tokens: &[Token]) -> Vec<String> {
    items(tokens)
        .into_iter()
        .filter_map(|item| item.first()?.name().map(str::to_owned))
        .collect()
}

/// True if the item is a table constraint or an index, not a column. `key` and `index`
/// are also column names: an index has names in its parentheses, a type has numbers.
fn is_constraint(item: &[Token]) -> bool {
    let Some(first) = item.first() else {
        return true;
    };
    let second = item.get(1);
    let opens = |t: Option<&Token>| t.is_some_and(|t| t.is_symbol('('));
    if first.is("CONSTRAINT") {
        return second.is_some();
    }
    if first.is("PRIMARY") || first.is("FOREIGN") {
        return second.is_some_and(|t| t.is("KEY"));
    }
    if first.is("UNIQUE") {
        return opens(second) || second.is_some_and(|t| t.is("KEY") || t.is("INDEX")) || opens(item.get(2));
    }
    if first.is("CHECK") || first.is("EXCLUDE") {
        return opens(second) || second.is_some_and(|t| t.is("USING"));
    }
    if ["KEY", "INDEX", "FULLTEXT", "SPATIAL"]
        .iter()
        .any(|k| first.is(k))
    {
        let open = item.iter().position(|t| t.is_symbol('('));
        return open.and_then(|i| item.get(i + 1)).is_some_and(|t| match &t.kind {
            Kind::Word(w) => !w.starts_with(|c: char| c.is_ascii_digit()),
            Kind::Quoted(_) => true,
            _ => false,
        });
    }
    false
}

fn without_repeats(columns: Vec<usize>) -> Vec<usize> {
    let mut out = Vec::with_capacity(columns.len());
    for c in columns {
        if !out.contains(&c) {
            out.push(c);
        }
    }
    out
}
