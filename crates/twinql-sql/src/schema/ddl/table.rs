//! CREATE TABLE and CREATE UNIQUE INDEX.
//!
//! The reader is one for the dumps of SQLite, PostgreSQL, MySQL and T-SQL. It works on tokens, not on a
//! parser's tree: a dump holds clauses that no parser knows, and one of them must not cost the whole table.
//! What says something of columns, keys or values is read; what says something of storage is passed over;
//! the rest is noted.

use super::model::{CheckDraft, ColumnDraft, Draft, Key, Reference, Written};
use super::types::behind_default;
use super::words::{Run as _, closing, is_constraint, items, names, qualified, shown, without_repeats};
use super::{NoteKind, Reader};
use crate::dialects::Dialect;
use crate::schema::error::{SchemaError, SchemaErrorKind as E};
use crate::schema::scan::Token;
use crate::schema::{Collation, Column};

/// Where the reading of an item's constraints stands.
struct Clauses<'t> {
    item: &'t [Token],
    /// The column they stand behind, by its position in the table and by name.
    column: Option<usize>,
    own: Option<String>,
    /// The next token.
    at: usize,
    /// What CONSTRAINT called the next one.
    name: Option<String>,
    /// The columns of a FOREIGN KEY whose REFERENCES comes next.
    pending: Option<Vec<String>>,
}

impl Clauses<'_> {
    fn next_is(&self, word: &str) -> bool {
        self.item.is(self.at + 1, &[word])
    }
}

impl Reader<'_> {
    /// CREATE TABLE, from behind the word TABLE.
    pub(super) fn create_table(&mut self, tokens: &[Token], start: usize) -> Result<(), SchemaError> {
        let line = tokens.line();
        let mut at = start;
        let guarded = tokens.is(at, &["IF"]);
        if guarded {
            at += 3;
        }
        let (name, at) = qualified(tokens, at).ok_or_else(|| self.syntax(line, "a table name is missing"))?;
        if name.to_ascii_lowercase().starts_with("sqlite_") {
            self.ignored(line, "CREATE TABLE", "a table of SQLite's own");
            return Ok(());
        }
        let paths = self.dialect.names().paths;
        if self.model.position(&name).is_some() && !paths {
            if guarded {
                self.ignored(line, "CREATE TABLE IF NOT EXISTS", "the table is there already");
                return Ok(());
            }
            return Err(self.at(line, E::Duplicate { what: "table", name }));
        }
        if tokens.is(at, &["AS"]) || tokens.is(at, &["SELECT", "WITH"]) {
            let query = tokens.get(at + usize::from(tokens.is(at, &["AS"]))..).unwrap_or_default();
            return self.table_of_query(name, line, Vec::new(), query);
        }
        if tokens.is(at, &["LIKE"]) {
            let mut table = Draft { name, line, ..Draft::default() };
            self.copy_of(&mut table, tokens, at + 1)?;
            self.model.add(table);
            return Ok(());
        }
        if tokens.is(at, &["PARTITION"]) {
            self.ignored(line, "CREATE TABLE … PARTITION OF", "a part of another table");
            return Ok(());
        }
        if !tokens.opens(at) {
            return Err(self.syntax(line, format!("'(' expected after the name of table {name:?}")));
        }
        let end = closing(tokens, at + 1)
            .ok_or_else(|| self.syntax(line, format!("table {name:?} has no closing ')'")))?;
        let mut table = Draft { name, line, ..Draft::default() };
        let body = tokens.get(at + 1..end).unwrap_or_default();
        let tail = tokens.rest(end + 1);
        // MySQL: CREATE TABLE t (a, b) SELECT …, where the list gives names alone.
        let query = tail.iter().position(|t| t.is_any(&["SELECT", "WITH"]) && !is_option(tail, t));
        if let Some(at) = query.filter(|_| items(body).iter().all(|i| i.len() == 1)) {
            let query = tail.rest(at);
            return self.table_of_query(table.name, line, names(body), query);
        }
        self.body(&mut table, body)?;
        self.options(&mut table, tail);
        match self.model.table(&table.name) {
            Some(known) => {
                let (name, columns) = (known.name.clone(), table.columns);
                let new =
                    columns.into_iter().filter(|c| !known.has_column(&c.column.name)).collect::<Vec<_>>();
                known.columns.extend(new);
                let reason = "the table is defined before; it gets the columns of both";
                self.not_read(line, format!("CREATE TABLE {name}"), reason);
            }
            None => self.model.add(table),
        }
        Ok(())
    }

    /// What stands between the parentheses: columns, constraints, and LIKE.
    fn body(&mut self, table: &mut Draft, body: &[Token]) -> Result<(), SchemaError> {
        // Columns first: a constraint may stand before a column that it names.
        let mut constraints = Vec::new();
        for item in items(body).into_iter().filter(|i| !i.is_empty()) {
            if item.is(0, &["LIKE"]) && is_constraint(item) {
                self.copy_of(table, item, 1)?;
            } else if is_constraint(item) {
                constraints.push((None, item));
            } else {
                let (column, rest) = self.column(table, item)?;
                constraints.push((Some(column), rest));
            }
        }
        if table.columns.is_empty() {
            return Err(self.at(table.line, E::NoColumns(table.name.clone())));
        }
        for (column, item) in constraints {
            self.constraints(table, column, item)?;
        }
        Ok(())
    }

    /// The columns of another table, for LIKE.
    fn copy_of(&mut self, table: &mut Draft, tokens: &[Token], at: usize) -> Result<(), SchemaError> {
        let line = tokens.line();
        let other = qualified(tokens, at).and_then(|(name, _)| self.model.table(&name).cloned());
        let Some(other) = other else {
            return Err(self.syntax(line, "LIKE names no table that is defined before"));
        };
        table.columns.extend(other.columns);
        let including = tokens.iter().any(|t| t.is_any(&["ALL", "INDEXES"]));
        // MySQL's LIKE takes the keys with it, PostgreSQL's only where it is told so.
        if including || !tokens.iter().any(|t| t.is("INCLUDING")) && self.dialect == Dialect::Mysql {
            table.primary = other.primary;
            table.unique.extend(other.unique);
        }
        if including || self.dialect == Dialect::Mysql {
            table.checks.extend(other.checks);
        }
        Ok(())
    }

    /// What stands behind the closing parenthesis.
    ///
    /// INHERITS (PostgreSQL) puts the parents' columns first, and one that the table defines again counts
    /// once.
    fn options(&mut self, table: &mut Draft, tail: &[Token]) {
        if let Some(at) = tail.iter().position(|t| t.is("COLLATE")) {
            let named = tail.iter().skip(at + 1).find_map(Token::name);
            table.collation = named.and_then(|name| Collation::named(name, self.dialect));
        }
        if tail.is(0, &["PARTITION"]) || tail.windows(2).any(|w| w[0].is("PARTITION") && w[1].is("BY")) {
            self.ignored(
                table.line,
                "CREATE TABLE … PARTITION BY",
                "where rows are stored says nothing of them",
            );
        }
        let Some(at) = tail.iter().position(|t| t.is("INHERITS")) else {
            return;
        };
        for parent in names(tail.group(at + 1).0) {
            match self.model.table(&parent).cloned() {
                Some(parent) => {
                    let mut columns = parent.columns;
                    columns.retain(|c| !table.has_column(&c.column.name));
                    columns.append(&mut table.columns);
                    table.columns = columns;
                    table.checks.extend(parent.checks);
                }
                None => self.not_read(
                    table.line,
                    format!("INHERITS ({parent})"),
                    "no table of that name is defined before; its columns are missing",
                ),
            }
        }
    }

    /// Adds the column that `item` defines; gives its position and the tokens behind its type.
    pub(super) fn column<'t>(
        &mut self,
        table: &mut Draft,
        item: &'t [Token],
    ) -> Result<(usize, &'t [Token]), SchemaError> {
        let line = item.line();
        let name = item
            .first()
            .and_then(Token::name)
            .ok_or_else(|| self.syntax(line, "a column name is missing"))?
            .to_owned();
        if table.has_column(&name) {
            return Err(self.at(line, E::Duplicate { what: "column", name }));
        }
        let (draft, at) = self.typed_column(table, name, item);
        table.columns.push(draft);
        Ok((table.columns.len() - 1, item.rest(at)))
    }

    /// A column of the type that stands at the item's second token, and what a domain adds.
    pub(super) fn typed_column(
        &mut self,
        table: &mut Draft,
        name: String,
        item: &[Token],
    ) -> (ColumnDraft, usize) {
        let (ty, at) = self.declared_type(item, 1);
        let known = self.known_type(&ty.declared);
        // A domain or an enumeration stands for the type it was made of, with its values and its CHECK.
        let (declared, values) = match &known {
            Some(known) => (known.declared.clone(), known.values.clone()),
            None => (ty.declared.clone(), ty.values),
        };
        let declared = with_scale(declared, self.dialect);
        let mut column = Column { values, ..Column::new(name.clone(), declared, self.dialect) };
        // What is read of a repeated column is never NULL: <https://cloud.google.com/bigquery/docs/arrays#arrays_and_nulls>.
        column.not_null |=
            self.dialect == Dialect::Bigquery && column.declared.to_ascii_uppercase().starts_with("ARRAY<");
        let mut of_type = None;
        if let Some(known) = known {
            of_type = Some(ty.declared.to_lowercase());
            column.not_null = known.not_null;
            for mut check in known.checks {
                if let Ok(expr) = &mut check.condition.expr {
                    super::exprs::rename(expr, "VALUE", &name);
                }
                table.checks.push(check);
            }
        }
        let draft = ColumnDraft { column, generated: None, of_type };
        (draft, at)
    }

    /// Reads constraints in `item`: of `column` where they stand behind one, else of the
    /// table. SQLite lets both kinds follow each other without a comma:
    /// `CREATE TABLE t (a INT UNIQUE CHECK (a > 0) FOREIGN KEY (a) REFERENCES u)`.
    ///
    /// The first clause that is not known ends the item: where it ends cannot be told, and a word inside it
    /// could be read for a constraint.
    pub(super) fn constraints(
        &mut self,
        table: &mut Draft,
        column: Option<usize>,
        item: &[Token],
    ) -> Result<(), SchemaError> {
        let own = column.and_then(|c| table.columns.get(c)).map(|c| c.column.name.clone());
        let mut read = Clauses { item, column, own, at: 0, name: None, pending: None };
        while let Some(token) = item.get(read.at) {
            if token.is("CONSTRAINT") {
                read.name = item.name(read.at + 1).map(str::to_owned);
                read.at += 2;
                continue;
            }
            if self.key_clause(table, &mut read, token)?
                || self.value_clause(table, &mut read, token)
                || self.collate_clause(table, &mut read, token)
            {
                continue;
            }
            if let Some(after) = self.harmless_clause(column.is_some(), item, read.at) {
                read.at = after;
            } else {
                let owner = read.own.as_deref().unwrap_or(&table.name).to_owned();
                self.not_read(
                    token.line,
                    shown(item.rest(read.at)),
                    format!("a clause of {owner:?} that is not known; it is left out"),
                );
                break;
            }
        }
        Ok(())
    }

    /// PRIMARY KEY, UNIQUE, FOREIGN KEY and REFERENCES; false where `token` begins none of them.
    fn key_clause(
        &mut self,
        table: &mut Draft,
        read: &mut Clauses<'_>,
        token: &Token,
    ) -> Result<bool, SchemaError> {
        let item = read.item;
        if token.is("PRIMARY") && read.next_is("KEY") || token.is("KEY") && read.column.is_some() {
            // MySQL: a bare KEY behind a column means PRIMARY KEY.
            read.at += 1 + usize::from(token.is("PRIMARY"));
            let columns = self.key_columns(table, read)?;
            if self.is_promise(item, read.at, "PRIMARY KEY") {
                read.name = None;
            } else if !columns.is_empty() {
                table.set_primary(Key { name: read.name.take(), columns: without_repeats(columns) });
            }
        } else if token.is("UNIQUE") {
            self.unique_clause(table, read, token)?;
        } else if token.is("FOREIGN") && read.next_is("KEY") {
            read.at += 2;
            // MySQL: FOREIGN KEY [name] (columns)
            while let Some(word) = item.get(read.at).filter(|t| !t.is_symbol('(') && !t.is("REFERENCES")) {
                read.name = read.name.take().or_else(|| word.name().map(str::to_owned));
                read.at += 1;
            }
            read.pending = Some(self.key_columns(table, read)?);
        } else if token.is("REFERENCES") {
            let columns = read.pending.take().or_else(|| read.own.clone().map(|c| vec![c]));
            read.at = self.reference(table, read.name.take(), columns, item, read.at + 1)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// UNIQUE, from that word on. A key over an expression, `UNIQUE (lower(a))`, is noted and not read: keys
    /// here are lists of columns, and this one does not make `a` a key, or a part of one.
    fn unique_clause(
        &mut self,
        table: &mut Draft,
        read: &mut Clauses<'_>,
        token: &Token,
    ) -> Result<(), SchemaError> {
        const BETWEEN: &[&str] = &words![KEY INDEX NULLS NOT DISTINCT CLUSTERED NONCLUSTERED USING];
        let item = read.item;
        read.at += 1;
        if read.column.is_none() {
            // MySQL: UNIQUE [KEY | INDEX] [name] (columns)
            while let Some(word) = item.get(read.at).filter(|t| !t.is_symbol('(')) {
                if !word.is_any(BETWEEN) {
                    read.name = read.name.take().or_else(|| word.name().map(str::to_owned));
                }
                read.at += 1;
            }
            if item.opens(read.at) && is_expression(item, read.at) {
                self.not_read(token.line, shown(item), "a key over an expression says nothing of columns");
                read.at = item.behind_group(read.at);
                return Ok(());
            }
        }
        let columns = self.key_columns(table, read)?;
        let name = read.name.take();
        if !self.is_promise(item, read.at, "UNIQUE") {
            table.add_unique(Key { name, columns: without_repeats(columns) });
        }
        Ok(())
    }

    /// Whether the key that ends at `at` is no more than a promise: its system does not look whether rows keep to it. Rows
    /// that break it are possible, so it is no key here, and noted.
    fn is_promise(&mut self, item: &[Token], at: usize, what: &str) -> bool {
        let rest = item.rest(at);
        let said = rest.windows(2).any(|w| matches!(w, [not, word] if not.is("NOT") && word.is("ENFORCED")));
        if said || !self.dialect.enforces_keys() {
            let reason = "its system does not enforce it, so rows may break it; it is no key here";
            self.note(NoteKind::NotEnforced, item.rest(at.saturating_sub(1)).line(), what, reason);
            return true;
        }
        false
    }

    /// The columns that a key names where the reading stands, or the one column it stands behind.
    fn key_columns(&mut self, table: &Draft, read: &mut Clauses<'_>) -> Result<Vec<String>, SchemaError> {
        let (columns, after) = self.columns_at(table, read.own.as_ref(), read.item, read.at)?;
        read.at = after;
        Ok(columns)
    }

    /// CHECK, NOT NULL, GENERATED and DEFAULT: what a value may be, and where it comes from. False where
    /// `token` begins none of them.
    fn value_clause(&mut self, table: &mut Draft, read: &mut Clauses<'_>, token: &Token) -> bool {
        let item = read.item;
        if token.is("CHECK") && item.opens(read.at + 1) {
            let condition = self.grouped(read);
            table.checks.push(CheckDraft { name: read.name.take(), condition });
        } else if token.is("NOT") && read.next_is("NULL") {
            read.at += 2;
            if let Some(c) = read.column.and_then(|c| table.columns.get_mut(c)) {
                c.column.not_null = true;
            }
        } else if token.is("GENERATED") && item.iter().skip(read.at).take(6).any(|t| t.is("IDENTITY")) {
            // GENERATED BY DEFAULT AS IDENTITY (START 1): a number that the database chooses, no computed column.
            while !item.get(read.at).is_none_or(|t| t.is("IDENTITY")) {
                read.at += 1;
            }
            read.at = item.behind_group(read.at + 1);
        } else if token.is("GENERATED") && read.next_is("ALWAYS") {
            // The AS behind it says the rest; SQLite lets these two words be left out.
            read.at += 2;
        } else if token.is("AS") && item.opens(read.at + 1) {
            let computed = self.grouped(read);
            if let Some(c) = read.column.and_then(|c| table.columns.get_mut(c)) {
                c.generated = Some(computed);
            }
        } else if token.is("DEFAULT") {
            read.at = behind_default(item, read.at + 1);
        } else {
            return false;
        }
        true
    }

    /// `COLLATE name` behind a column; false where it does not stand there. PostgreSQL's collations order texts, and tell
    /// them apart by their bytes; what another name means is not known.
    fn collate_clause(&mut self, table: &mut Draft, read: &mut Clauses<'_>, token: &Token) -> bool {
        if !token.is("COLLATE") {
            return false;
        }
        let Some((name, after)) = qualified(read.item, read.at + 1) else {
            return false;
        };
        read.at = after;
        let collation = Collation::named(&name, self.dialect);
        if collation.is_none() && (self.dialect == Dialect::Sqlite || self.dialect.meaning().ignores_case) {
            let reason = "a collation that is not known; texts of the column are compared by their bytes";
            self.not_read(token.line, format!("COLLATE {name}"), reason);
        }
        if let Some(c) = read.column.and_then(|c| table.columns.get_mut(c)) {
            c.column.collation = collation.or(c.column.collation);
        }
        true
    }

    /// The expression in the parentheses behind the word where the reading stands, which goes on behind them.
    fn grouped(&self, read: &mut Clauses<'_>) -> Written {
        let (inner, after) = read.item.group(read.at + 1);
        read.at = after;
        self.written(inner)
    }

    /// Where the tokens go on behind a clause that says nothing of values, or is noted here;
    /// `None` where no such clause stands at `at`.
    fn harmless_clause(&mut self, of_column: bool, item: &[Token], at: usize) -> Option<usize> {
        let token = item.get(at)?;
        if token.is("ON") {
            // ON CONFLICT x, ON DELETE SET NULL, ON UPDATE NO ACTION, ON UPDATE now().
            let words = if item.is(at + 2, &["SET", "NO"]) { 4 } else { 3 };
            return Some(item.behind_group(at + words));
        }
        if token.is("EXCLUDE") || token.is("PERIOD") {
            let reason = "generated rows need not keep to it";
            self.note(NoteKind::NotEnforced, token.line, shown(item), reason);
            return Some(item.len());
        }
        if !of_column && token.is_any(&["KEY", "INDEX", "FULLTEXT", "SPATIAL"]) {
            self.ignored(token.line, "INDEX", super::INDEX);
            return Some(item.len());
        }
        let two = |second: &[&str]| item.is(at + 1, second).then_some(at + 2);
        match () {
            () if token.is_any(WITH_A_VALUE) => {
                Some(at + 2 + usize::from(item.get(at + 1).is_some_and(|t| t.is_symbol('='))))
            }
            () if token.is("CHARACTER") => two(&["SET"]).map(|at| at + 1),
            () if token.is("INITIALLY") => two(&["DEFERRED", "IMMEDIATE"]),
            () if token.is("NOT") => two(&["DEFERRABLE", "VALID", "ENFORCED", "VISIBLE"])
                .or_else(|| item.is(at + 1, &["FOR"]).then_some(at + 3)),
            () if token.is("NO") => two(&["INHERIT"]),
            () if token.is_any(WITH_A_GROUP) => Some(item.behind_group(at + 1)),
            () if token.is("USING") => {
                Some(item.behind_group(at + 2 + usize::from(item.is(at + 1, &["INDEX"]))))
            }
            () if token.is_any(ALONE) => Some(at + 1),
            () => None,
        }
    }

    /// The columns in parentheses at `at`, or `own` where none follow; and what comes after.
    fn columns_at(
        &self,
        table: &Draft,
        own: Option<&String>,
        item: &[Token],
        at: usize,
    ) -> Result<(Vec<String>, usize), SchemaError> {
        // PRIMARY KEY [CLUSTERED | USING BTREE | ASC] (columns)
        let open = (at..item.len().min(at + 3)).find(|&i| item[i].is_symbol('('));
        let Some(open) = open.filter(|_| own.is_none() || item[at].is_symbol('(')) else {
            return Ok((own.cloned().into_iter().collect(), at));
        };
        let line = item[open].line;
        let end = closing(item, open + 1)
            .ok_or_else(|| self.syntax(line, "a list of columns has no closing ')'"))?;
        let columns = names(item.get(open + 1..end).unwrap_or_default());
        if let Some(column) = columns.iter().find(|c| !table.has_column(c)) {
            let (table, column) = (table.name.clone(), column.clone());
            return Err(self.at(line, E::UnknownColumn { table, column }));
        }
        Ok((columns, end + 1))
    }

    fn reference(
        &mut self,
        table: &mut Draft,
        name: Option<String>,
        columns: Option<Vec<String>>,
        item: &[Token],
        at: usize,
    ) -> Result<usize, SchemaError> {
        let line = item.get(at).or(item.last()).map_or(1, |t| t.line);
        let (target, mut at) = qualified(item, at)
            .ok_or_else(|| self.syntax(line, "REFERENCES is not followed by a table name"))?;
        let mut target_columns = Vec::new();
        if item.opens(at) {
            let (inner, after) = item.group(at);
            (target_columns, at) = (names(inner), after);
        }
        if self.is_promise(item, at, "FOREIGN KEY") {
            return Ok(at);
        }
        if let Some(columns) = columns.filter(|c| !c.is_empty()) {
            table.foreign.push(Reference { name, columns, target, target_columns, line });
        }
        Ok(at)
    }

    /// CREATE UNIQUE INDEX name ON table (columns), from behind the word INDEX. A partial
    /// index, or one over expressions, says nothing about whole rows.
    pub(super) fn unique_index(&mut self, tokens: &[Token], start: usize) {
        let line = tokens.line();
        let Some(on) = (start..tokens.len()).find(|&i| tokens[i].is("ON")) else {
            self.not_read(line, shown(tokens), "it names no table");
            return;
        };
        let name = on.checked_sub(1).and_then(|i| tokens.get(i)).and_then(Token::name);
        let name = name.map(str::to_owned);
        let only = usize::from(tokens.is(on + 1, &["ONLY"]));
        let Some((target, mut at)) = qualified(tokens, on + 1 + only) else {
            self.not_read(line, shown(tokens), "it names no table");
            return;
        };
        while tokens.get(at).is_some_and(|t| !t.is_symbol('(')) {
            at += 1; // PostgreSQL: USING btree
        }
        let (listed, after) = tokens.group(at);
        let columns = names(listed);
        let partial = tokens.rest(after).iter().any(|t| t.is("WHERE"));
        let expression = is_expression(tokens, at);
        let is_view = self.model.views.iter().any(|v| v.name.eq_ignore_ascii_case(&target));
        let reason = match self.model.table(&target) {
            None if is_view => {
                format!("{target:?} is a view: what is unique in its rows is not taken for granted")
            }
            None => format!("no table is named {target:?}"),
            Some(_) if partial => "a partial index says nothing about whole rows".to_owned(),
            Some(_) if expression => "a key over an expression says nothing of columns".to_owned(),
            Some(table) => match columns.iter().find(|c| !table.has_column(c)) {
                Some(column) => format!("table {target:?} has no column {column:?}"),
                None => {
                    table.add_unique(Key { name, columns });
                    return;
                }
            },
        };
        self.not_read(line, shown(tokens), reason);
    }
}

/// Clauses of a column that are a word and a value, with or without `=` between them.
const WITH_A_VALUE: &[&str] =
    &words![COMMENT CHARSET STORAGE COMPRESSION ENCODE SRID MATCH COLUMN_FORMAT AFTER];

/// Those that are a word with or without parentheses behind it.
const WITH_A_GROUP: &[&str] = &words![WITH INCLUDE IDENTITY AUTO_INCREMENT AUTOINCREMENT OPTIONS];

/// Those that are one word.
const ALONE: &[&str] = &words![
    NULL ASC DESC DEFERRABLE VIRTUAL STORED PERSISTED VISIBLE INVISIBLE ENABLE DISABLE ENFORCED CLUSTERED
    NONCLUSTERED UNSIGNED SIGNED ZEROFILL BINARY ROWGUIDCOL SPARSE FIRST VALIDATE RELY
];

/// A declared type with the scale that its system gives it: of Snowflake `NUMBER` is `NUMBER(38, 0)`, a whole number.
fn with_scale(declared: String, dialect: Dialect) -> String {
    let names: &[&str] = match dialect {
        Dialect::Snowflake => &["NUMBER", "DECIMAL", "NUMERIC"],
        Dialect::Trino => &["DECIMAL"],
        _ => &["DECIMAL", "NUMERIC", "DEC"],
    };
    let is_bare = names.iter().any(|name| declared.eq_ignore_ascii_case(name));
    match dialect.meaning().decimal_scale.filter(|_| is_bare) {
        Some(scale) => format!("{declared}(38, {scale})"),
        None => declared,
    }
}

/// True if the list that opens at `at` holds more than names, orders and lengths.
fn is_expression(tokens: &[Token], at: usize) -> bool {
    items(tokens.group(at).0).iter().any(|item| {
        let open = item.iter().position(|t| t.is_symbol('('));
        let inner = open.and_then(|i| item.get(i + 1));
        open == Some(0)
            || inner.is_some_and(|t| !t.shown().starts_with(|c: char| c.is_ascii_digit()))
            || item.iter().any(|t| ['+', '-', '*', '/', '|', ':'].iter().any(|c| t.is_symbol(*c)))
    })
}

/// True for WITH of a table's options: `WITH (fillfactor = 70)`, `WITH SYSTEM VERSIONING`.
fn is_option(tail: &[Token], word: &Token) -> bool {
    let at = tail.iter().position(|t| std::ptr::eq(t, word)).unwrap_or(0);
    word.is("WITH") && tail.get(at + 1).is_none_or(|t| t.is_symbol('(') || t.is_any(&["SYSTEM", "OIDS"]))
}
