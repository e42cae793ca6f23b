//! Names with and without what stands before them: schemas, databases, and the cases of
//! letters.
//!
//! A table has its name and, where the DDL says one, the schema it lies in. Two tables of
//! one name in two schemas are stored under `schema.name`, since SQLite has no schemas.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::dialects::Dialect;

use super::scan::{Token, TokenKind};
use super::{Schema, Table};

/// One part of a name as a query writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePart {
    /// The name, without its quotes.
    pub text: String,
    /// It stood in quotes.
    pub quoted: bool,
}

/// What a name of a table means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The table at this position.
    Table(usize),
    /// Tables of this name lie in several schemas, and none of them is the default.
    Ambiguous(Vec<String>),
    /// Nothing; with what to do about it, where that can be said.
    Unknown(Option<String>),
}

/// Schemas that a name without one is looked for in first.
const DEFAULTS: [&str; 3] = ["public", "dbo", "main"];

/// Whether a schema is one that names without a schema mean.
fn is_default_schema(name: &str) -> bool {
    DEFAULTS.iter().any(|default| name.eq_ignore_ascii_case(default))
}

/// The order of names, without regard to ASCII case; of names that differ in case alone, as they are written.
pub(crate) fn by_name(a: &str, b: &str) -> Ordering {
    let lower = |b: u8| b.to_ascii_lowercase();
    a.bytes().map(lower).cmp(b.bytes().map(lower)).then_with(|| a.cmp(b))
}

impl Table {
    /// The name without the schema that may be part of it.
    pub fn bare_name(&self) -> &str {
        let of_schema = |schema: &String| self.name.strip_prefix(schema.as_str())?.strip_prefix('.');
        self.schema.as_ref().and_then(of_schema).unwrap_or(&self.name)
    }

    /// The name with the schema, where it has one.
    pub fn full_name(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.bare_name()),
            None => self.name.clone(),
        }
    }
}

impl Schema {
    /// Whether names are told apart as PostgreSQL does it: without quotes they mean their
    /// lower case, in quotes exactly what is written. Otherwise the case of ASCII letters is
    /// ignored.
    pub fn compares_exactly(&self, dialect: Dialect) -> bool {
        self.exact_names && dialect.names().fold_to_lower
    }

    /// The table that a name of one to three parts means in `dialect`.
    pub fn find_table(&self, parts: &[NamePart], dialect: Dialect) -> Found {
        if dialect.names().paths {
            return self.find_by_path(parts).unwrap_or(Found::Unknown(None));
        }
        let exact = self.compares_exactly(dialect);
        let same = |stored: &str, part: &NamePart| same_name(exact, stored, &part.text, part.quoted);
        let (table, schema, database) = match parts {
            [table] => (table, None, None),
            [schema, table] => (table, Some(schema), None),
            [database, schema, table] => (table, Some(schema), Some(database)),
            _ => return Found::Unknown(None),
        };
        if let Some(database) = database
            && !database.text.eq_ignore_ascii_case(&self.db_id)
        {
            return Found::Unknown(Some(format!(
                "the database is called {:?} here, by its db_id",
                self.db_id
            )));
        }
        // SQLite's text says the name under which the table is stored.
        if schema.is_none()
            && dialect == Dialect::Sqlite
            && let Some(stored) = self.table_index(&table.text)
        {
            return Found::Table(stored);
        }
        let named: Vec<usize> =
            (0..self.tables.len()).filter(|&i| same(self.tables[i].bare_name(), table)).collect();
        if named.is_empty() {
            return Found::Unknown(self.hint(table, exact));
        }
        let Some(schema) = schema else {
            return self.in_search_path(&named);
        };
        let lies_there = |&i: &usize| match &self.tables[i].schema {
            Some(stored) => {
                same(stored, schema) || dialect.names().database_is_schema && self.is_database(schema)
            }
            None => self.may_stand_before(schema, dialect),
        };
        // A query of another system than the DDL's calls the default schema by its own name for it.
        let is_default = |&i: &usize| {
            let stored = self.tables[i].schema.as_deref();
            stored.is_some_and(is_default_schema) && self.may_stand_before(schema, dialect)
        };
        let only = |found: Vec<usize>| <[usize; 1]>::try_from(found).ok().map(|[i]| i);
        let all = || named.iter().copied();
        match all().filter(lies_there).collect::<Vec<_>>() {
            found if found.is_empty() => only(all().filter(is_default).collect()),
            found => only(found),
        }
        .map_or_else(
            || {
                let places: Vec<String> = named.iter().map(|&i| self.tables[i].full_name()).collect();
                Found::Unknown(Some(format!("the schema has {}", places.join(", "))))
            },
            Found::Table,
        )
    }

    /// A name without a schema: the default schema's table first, else the only one.
    fn in_search_path(&self, named: &[usize]) -> Found {
        if let [only] = named {
            return Found::Table(*only);
        }
        let is_default = |&&i: &&usize| self.tables[i].schema.as_deref().is_none_or(is_default_schema);
        let mut defaults = named.iter().filter(is_default);
        match (defaults.next(), defaults.next()) {
            (Some(&only), None) => Found::Table(only),
            _ => Found::Ambiguous(named.iter().map(|&i| self.tables[i].full_name()).collect()),
        }
    }

    fn is_database(&self, part: &NamePart) -> bool {
        part.text.eq_ignore_ascii_case(&self.db_id)
    }

    /// Whether a name may stand before that of a table whose schema is not declared.
    fn may_stand_before(&self, part: &NamePart, dialect: Dialect) -> bool {
        let is = |name: &str| part.text.eq_ignore_ascii_case(name);
        let names = dialect.names();
        names.schemas.iter().any(|name| is(name)) || names.database_is_schema && self.is_database(part)
    }

    /// What a name that means nothing may have meant.
    fn hint(&self, wanted: &NamePart, exact: bool) -> Option<String> {
        let near = |t: &&Table| exact && t.bare_name().eq_ignore_ascii_case(&wanted.text);
        let table = self.tables.iter().find(near)?;
        Some(case_hint(table.bare_name()))
    }
}

/// Says how PostgreSQL finds a name.
pub(crate) fn case_hint(stored: &str) -> String {
    format!("the schema has \"{stored}\", which PostgreSQL finds only when it is quoted so")
}

/// Whether a name of a query is the one that the schema has.
pub(crate) fn same_name(exact: bool, stored: &str, written: &str, quoted: bool) -> bool {
    if !exact {
        return stored.eq_ignore_ascii_case(written);
    }
    if quoted {
        return stored == written;
    }
    // Only ASCII letters are folded in every encoding.
    stored.len() == written.len()
        && stored.bytes().zip(written.bytes()).all(|(s, w)| s == w.to_ascii_lowercase())
}

/// Where the tables of a DDL text lie.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Schema by the name under which a table is stored, in lower case.
    schemas: HashMap<String, String>,
    exact: bool,
}

impl Places {
    /// Reads where tables lie, and makes their names what they are stored under: names
    /// without quotes are folded as the dialect does it, and a name that tables of two
    /// schemas have keeps its schema.
    pub(super) fn settle(tokens: &mut Vec<Token>, dialect: Dialect) -> Places {
        super::paths::split(tokens, dialect);
        let paths = dialect.names().paths;
        let mut places = Places { exact: dialect.names().fold_to_lower, ..Places::default() };
        if places.exact {
            for token in tokens.iter_mut() {
                if let TokenKind::Word(word) = &mut token.kind {
                    word.make_ascii_lowercase();
                }
            }
        }
        let created = created(tokens, paths);
        let mut of_name: HashMap<String, Vec<String>> = HashMap::new();
        for (schema, table) in &created {
            let known = of_name.entry(table.to_lowercase()).or_default();
            let schema = schema.clone().unwrap_or_default();
            if !known.iter().any(|s| s.eq_ignore_ascii_case(&schema)) {
                known.push(schema);
            }
        }
        of_name.retain(|_, schemas| schemas.len() > 1);
        if !of_name.is_empty() {
            join_names(tokens, &of_name, paths);
        }
        for (schema, table) in created {
            let Some(schema) = schema else { continue };
            let stored =
                if of_name.contains_key(&table.to_lowercase()) { format!("{schema}.{table}") } else { table };
            places.schemas.entry(stored.to_lowercase()).or_insert(schema);
        }
        places
    }

    /// Says of each table where it lies.
    pub(super) fn apply(&self, schema: &mut Schema) {
        schema.exact_names = self.exact;
        for table in &mut schema.tables {
            table.schema = self.schemas.get(&table.name.to_lowercase()).cloned();
        }
    }
}

/// The schema that USE or SET search_path makes the default from here on; `None` where the
/// token begins neither.
fn default_schema(tokens: &[Token], at: usize) -> Option<Option<String>> {
    let begins = at == 0 || tokens.get(at - 1).is_some_and(|t| t.is_symbol(';'));
    let token = tokens.get(at).filter(|_| begins)?;
    if token.is("USE") {
        return Some(tokens.get(at + 1).and_then(Token::name).map(str::to_owned));
    }
    if !token.is("SET") || !tokens.get(at + 1)?.is("search_path") {
        return None;
    }
    let name = tokens
        .get(at + 3)
        .and_then(Token::name)
        .filter(|n| !n.is_empty() && !n.eq_ignore_ascii_case("pg_catalog"));
    Some(name.map(str::to_owned))
}

/// The schema and name of every table that is created, the default schema where one is set.
fn created(tokens: &[Token], paths: bool) -> Vec<(Option<String>, String)> {
    let mut out = Vec::new();
    let mut default: Option<String> = None;
    let mut creating = false;
    for at in 0..tokens.len() {
        if let Some(schema) = default_schema(tokens, at) {
            default = schema;
        }
        let token = &tokens[at];
        if token.is_symbol(';') {
            creating = false;
        } else if token.is("CREATE") {
            creating = true;
        } else if creating && token.is("TABLE") {
            creating = false;
            let mut start = at + 1;
            if tokens.get(start).is_some_and(|t| t.is("IF")) {
                start += 3;
            }
            let parts = parts_at(tokens, start);
            let table = parts.last().cloned();
            let schema = place(&parts, paths);
            if let Some(table) = table {
                out.push((schema.or_else(|| default.clone()), table));
            }
        }
    }
    out
}

/// What stands before a table's name: its schema, or the whole path.
fn place(parts: &[String], paths: bool) -> Option<String> {
    let (_, before) = parts.split_last()?;
    let last = before.last()?;
    Some(if paths { before.join(".") } else { last.clone() })
}

/// The parts of the name that begins here.
fn parts_at(tokens: &[Token], mut at: usize) -> Vec<String> {
    let mut parts = Vec::new();
    while let Some(name) = tokens.get(at).and_then(Token::name) {
        parts.push(name.to_owned());
        if !tokens.get(at + 1).is_some_and(|t| t.is_symbol('.')) {
            break;
        }
        at += 2;
    }
    parts
}

/// Makes one name of `schema.table` where tables of several schemas are called so, also
/// where the schema is the default.
fn join_names(tokens: &mut Vec<Token>, of_name: &HashMap<String, Vec<String>>, paths: bool) {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut default: Option<String> = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(schema) = default_schema(tokens, at) {
            default = schema;
        }
        let follows_dot = out.last().is_some_and(|t| t.is_symbol('.'));
        let parts = match token.name() {
            Some(_) if !follows_dot => parts_at(tokens, at),
            _ => Vec::new(),
        };
        let table = parts.last().filter(|t| of_name.contains_key(&t.to_lowercase()));
        let before_a_table = out
            .last()
            .is_some_and(|t| ["TABLE", "ONLY", "EXISTS", "REFERENCES", "ON"].iter().any(|word| t.is(word)));
        let joined = match (parts.as_slice(), table) {
            ([_, .., _], Some(table)) => place(&parts, paths).map(|place| format!("{place}.{table}")),
            ([_], Some(table)) if before_a_table => default.as_ref().map(|s| format!("{s}.{table}")),
            _ => None,
        };
        match joined {
            Some(name) => {
                let mut token = token.clone();
                token.kind = TokenKind::Quoted(name);
                if let Some(last) = tokens.get(at + parts.len() * 2 - 2) {
                    token.end = last.end;
                }
                out.push(token);
                at += parts.len() * 2 - 1;
            }
            None => {
                out.push(token.clone());
                at += 1;
            }
        }
    }
    *tokens = out;
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::{Generic, Mysql, Postgres, Sqlite};

    fn name(written: &str) -> Vec<NamePart> {
        written
            .split('.')
            .map(|part| NamePart { text: part.trim_matches('"').to_owned(), quoted: part.starts_with('"') })
            .collect()
    }

    fn shown(schema: &Schema, written: &str, dialect: Dialect) -> String {
        match schema.find_table(&name(written), dialect) {
            Found::Table(i) => schema.tables[i].full_name(),
            Found::Ambiguous(places) => format!("ambiguous: {}", places.join(", ")),
            Found::Unknown(hint) => format!("unknown {}", hint.unwrap_or_default()),
        }
    }

    #[test]
    fn names_of_tables_in_each_dialect() {
        let dump = Schema::from_ddl_in(
            "shop",
            "CREATE TABLE public.Orders (id int primary key); CREATE TABLE hr.notes (id int primary key);
             CREATE TABLE billing.notes (id int primary key, o int);
             CREATE TABLE public.\"Mixed\" (id int); CREATE TABLE hr.staff (id int);
             ALTER TABLE ONLY billing.notes ADD CONSTRAINT f FOREIGN KEY (o) REFERENCES hr.notes(id);",
            Postgres,
        )
        .unwrap();
        for (written, found) in [
            ("orders", "public.orders"),
            ("ORDERS", "public.orders"),
            ("\"orders\"", "public.orders"),
            ("public.orders", "public.orders"),
            ("shop.public.orders", "public.orders"),
            ("\"Mixed\"", "public.Mixed"),
            ("staff", "hr.staff"),
            ("billing.notes", "billing.notes"),
            ("notes", "ambiguous: hr.notes, billing.notes"),
        ] {
            assert_eq!(shown(&dump, written, Postgres), found, "{written}");
        }
        for (written, hint) in [
            ("\"Orders\"", "\"orders\", which PostgreSQL finds"),
            ("Mixed", "\"Mixed\", which PostgreSQL finds only when it is quoted so"),
            ("other.orders", "the schema has public.orders"),
            ("db.public.orders", "called \"shop\" here"),
            ("nothing", ""),
        ] {
            let found = shown(&dump, written, Postgres);
            assert!(found.starts_with("unknown") && found.contains(hint), "{written}: {found}");
        }
        // Queries of other systems over the same dump: names in any case, the default schema by each system's name.
        for (dialect, written, found) in [
            (Sqlite, "ORDERS", "public.orders"),
            (Sqlite, "main.Orders", "public.orders"),
            (Sqlite, "mixed", "public.Mixed"),
            (Sqlite, "hr.notes", "hr.notes"),
            (Mysql, "shop.Orders", "public.orders"),
            (Mysql, "MIXED", "public.Mixed"),
            (Generic, "dbo.orders", "public.orders"),
        ] {
            assert_eq!(shown(&dump, written, dialect), found, "{dialect} {written}");
        }
        assert!(shown(&dump, "main.staff", Sqlite).starts_with("unknown"));
        // A dump of tables in two schemas keeps its keys.
        let notes = dump.table("billing.notes").unwrap();
        assert_eq!(notes.bare_name(), "notes");
        assert_eq!(dump.tables[notes.foreign_keys[0].target].full_name(), "hr.notes");

        // A schema that says nothing of cases and places is read leniently.
        let plain = Schema::from_ddl("shop", "CREATE TABLE Orders (id int)").unwrap();
        for (dialect, written, found) in [
            (Postgres, "\"orders\"", true),
            (Postgres, "public.orders", true),
            (Postgres, "dbo.orders", false),
            (Mysql, "shop.orders", true),
            (Mysql, "public.orders", false),
            (Generic, "dbo.orders", true),
            (Generic, "shop.dbo.orders", true),
            (Sqlite, "main.orders", true),
            (Sqlite, "public.orders", false),
        ] {
            let is_found = plain.find_table(&name(written), dialect) == Found::Table(0);
            assert_eq!(is_found, found, "{dialect} {written}");
        }

        let mysql = Schema::from_ddl_in(
            "file",
            "USE `hotel`; CREATE TABLE `Rooms` (id int); CREATE TABLE `old`.`Rooms` (id int);",
            Mysql,
        )
        .unwrap();
        for (written, found) in [
            ("hotel.rooms", "hotel.Rooms"),
            ("old.rooms", "old.Rooms"),
            ("rooms", "ambiguous: hotel.Rooms, old.Rooms"),
        ] {
            assert_eq!(shown(&mysql, written, Mysql), found, "{written}");
        }
        let old = Schema::from_ddl_in(
            "d",
            "SET search_path = hr, pg_catalog; CREATE TABLE a (id int); SET search_path = public; CREATE TABLE a (id int);",
            Postgres,
        )
        .unwrap();
        assert_eq!(shown(&old, "a", Postgres), "public.a");
        assert_eq!(shown(&old, "hr.a", Postgres), "hr.a");
    }
}
