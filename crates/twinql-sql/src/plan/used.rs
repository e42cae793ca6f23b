//! Tables as queries use them, where a schema does not say what they are.
//!
//! Files of SQL are compared where no complete schema is at hand. A table that it lacks has the columns that the queries take from
//! it, and one more, [`REST`], for all that they do not name, so that `SELECT *` is not `SELECT a, b`:
//!
//! ```text
//! WITH o AS (SELECT * FROM orders) SELECT id FROM o WHERE total > 1      orders ("other columns", id, total)
//! ```
//!
//! Names lead to columns as the planner resolves them, through stars, common table expressions and derived tables. What could be a
//! column of several such tables, in all queries, is taken for one of the first in FROM; and a column that a declared table lacks and
//! that all queries read is taken for an undeclared one of it. Both are said:
//!
//! ```text
//! SELECT total FROM orders JOIN shops ON orders.shop = shops.id      orders (total may be another table's)
//! ```

use std::collections::BTreeMap;

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart};

use super::sight::ScopeTable;
use super::{HashMap, Plan, Planner, planner};
use crate::dialects::Dialect;
use crate::expr::{AggFunc, BinaryOp, Expr};
use crate::parse::Parsed;
use crate::plan::views::reached;
use crate::rel::{ColumnId, Rel};
use crate::schema::{Column, ColumnRef, Found, NamePart, Schema, Table, Typing};
use crate::syntax::read_relations;
use crate::tree::{Node, Tree};
use crate::value::Value;

/// The column that stands for all that no query names.
pub const REST: &str = "other columns";

/// What planning did not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Missing {
    /// A table of this name, with the schema that is written before it.
    Table { name: String, schema: Option<String> },
    /// A column of one of these tables, by position, in the order of FROM. `open` are those whose columns come from use.
    Column { tables: Vec<usize>, name: String, open: bool },
}

/// Adds the tables that a schema lacks, as `queries` use them; gives their names, and what is taken for granted of columns.
///
/// ```
/// use twinql_sql::{Dialect, Schema, parse_in, tables_in_use};
///
/// let query = parse_in("SELECT o.id FROM shop.orders AS o WHERE o.total > 1", Dialect::Postgres)?;
/// let mut schema = Schema::default();
/// let made = tables_in_use(&mut schema, &[&query]);
/// assert_eq!(made, ["shop.orders"]);
/// let columns: Vec<&str> = schema.tables[0].columns.iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(columns, ["other columns", "id", "total"]);
/// # Ok::<(), twinql_sql::SqlError>(())
/// ```
pub fn tables_in_use(schema: &mut Schema, queries: &[&Parsed]) -> Vec<String> {
    if let Some(query) = queries.first().filter(|_| schema.tables.is_empty()) {
        schema.typing = Typing::of(query.dialect);
    }
    let declared = schema.tables.len();
    place_tables(schema, queries);
    let mut in_doubt: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    loop {
        // What is in doubt in one query may be certain in another.
        for certain in [true, false] {
            for query in queries {
                while let Some(missing) = missing(schema, query) {
                    let several = missing.is_in_doubt();
                    if missing.is_declared() || several && certain {
                        break;
                    }
                    let note = several.then_some("may be another table's");
                    if !add(schema, missing, query.dialect, note, &mut in_doubt) {
                        break;
                    }
                }
            }
        }
        // What a declared table lacks: one query alone may be in error.
        let mut all = queries.iter().map(|query| missing(schema, query));
        let Some(lacking) =
            all.next().flatten().filter(|lacking| all.all(|other| other.as_ref() == Some(lacking)))
        else {
            break;
        };
        let dialect = queries.first().map_or_else(Dialect::default, |query| query.dialect);
        if !add(schema, lacking, dialect, Some("is not declared"), &mut in_doubt) {
            break;
        }
    }
    for query in queries {
        if let Ok(plan) = super::plan(schema, query) {
            say_types(schema, &plan, query.dialect);
        }
    }
    let tables = schema.tables.iter().enumerate();
    let made = tables.filter_map(|(at, table)| {
        let columns = in_doubt.get(&at);
        let known = at < declared || table.column_index(REST).is_none();
        match columns {
            None => (!known).then(|| table.full_name()),
            Some(columns) => Some(format!("{} ({})", table.full_name(), columns.join(", "))),
        }
    });
    made.collect()
}

/// What is missing first, where a table or a column is.
fn missing(schema: &Schema, query: &Parsed) -> Option<Missing> {
    let views = reached(schema, &query.query);
    let mut planner = planner(schema, &views, query);
    let planned = planner.plan_query(&query.query);
    planner.missing.into_inner().filter(|_| planned.is_err())
}

impl Missing {
    /// Several tables could have the column.
    fn is_in_doubt(&self) -> bool {
        matches!(self, Missing::Column { tables, .. } if tables.len() > 1)
    }

    /// The tables that could have it are declared without it.
    fn is_declared(&self) -> bool {
        matches!(self, Missing::Column { open: false, .. })
    }
}

/// Adds what is missing, with what is to be said of a column; false if it is there already, so that adding it did not help.
fn add(
    schema: &mut Schema,
    missing: Missing,
    dialect: Dialect,
    note: Option<&str>,
    notes: &mut BTreeMap<usize, Vec<String>>,
) -> bool {
    match missing {
        Missing::Table { name, schema: place } => {
            let columns = vec![Column::new(REST, "", dialect)];
            let stored = match &place {
                Some(place) if schema.table(&name).is_some() => format!("{place}.{name}"),
                _ => name,
            };
            let new = schema.table(&stored).is_none();
            schema.tables.push(Table { name: stored, schema: place, columns, ..Table::default() });
            new
        }
        Missing::Column { tables, name, open: _ } => {
            let Some(at) = tables.first().copied() else { return false };
            match schema.tables.get_mut(at) {
                Some(table) if table.column_index(&name).is_none() => {
                    if let Some(note) = note {
                        notes.entry(at).or_default().push(format!("{name} {note}"));
                    }
                    table.columns.push(Column::new(name, "", dialect));
                    true
                }
                _ => false,
            }
        }
    }
}

/// Says of columns without a type what their use says: a date function takes dates, a sum numbers, and what is compared is alike.
///
/// ```text
/// SELECT DATE_TRUNC('month', at), SUM(total) FROM orders      orders (at TIMESTAMP, total NUMERIC)
/// ```
fn say_types(schema: &mut Schema, plan: &Plan, dialect: Dialect) {
    let mut found: Vec<(ColumnRef, String)> = Vec::new();
    // A least or greatest value is one of its column.
    let mut chosen: HashMap<ColumnId, ColumnId> = HashMap::default();
    plan.query.for_each_deep(|node| {
        if let Node::Rel(Rel::Aggregate { calls, .. }) = node {
            chosen.extend(calls.iter().filter_map(|(id, call)| match (&call.func, call.args.as_slice()) {
                (AggFunc::Min | AggFunc::Max, [Expr::Column(of)]) => Some((*id, *of)),
                _ => None,
            }));
        }
    });
    let origin = |expr: &Expr| {
        let id = match expr {
            Expr::Column(id) => id,
            Expr::Scalar(query) => query.output.first()?,
            _ => return None,
        };
        let id = chosen.get(id).unwrap_or(id);
        plan.columns.get(id.0 as usize)?.origin
    };
    let mut add = |expr: &Expr, declared: &str| {
        found.extend(origin(expr).map(|at| (at, declared.to_owned())));
    };
    let declared = |expr: &Expr| {
        let column = origin(expr).and_then(|at| schema.column(at));
        column.map(|column| column.declared.as_str()).filter(|declared| !declared.is_empty())
    };
    plan.query.for_each_deep(|node| match node {
        Node::Expr(Expr::Function { name, args }) if takes_dates(name) => {
            args.iter().for_each(|arg| add(arg, "TIMESTAMP"));
        }
        Node::Expr(Expr::Function { name, args }) if name.contains("generate_") => {
            args.iter().for_each(|arg| add(arg, "NUMERIC"));
        }
        Node::Expr(Expr::Binary { op, left, right }) => {
            let is_number = |e: &Expr| matches!(e, Expr::Literal(Value::Integer(_) | Value::Real(_)));
            let takes_numbers =
                is_number(left) || is_number(right) || matches!(op, BinaryOp::Mul | BinaryOp::Div);
            if takes_numbers && !matches!(op, BinaryOp::Concat) {
                [left, right].into_iter().for_each(|side| add(side, "NUMERIC"));
            } else if op.is_comparison() {
                for (side, other) in [(left, right), (right, left)] {
                    if let Some(declared) = declared(other) {
                        add(side, declared);
                    }
                }
            }
        }
        Node::Rel(Rel::Aggregate { calls, .. }) => {
            for (_, call) in calls {
                if matches!(call.func, AggFunc::Sum | AggFunc::Avg | AggFunc::Total) {
                    call.args.iter().for_each(|arg| add(arg, "NUMERIC"));
                }
            }
        }
        _ => {}
    });
    for (at, declared) in found {
        let column = schema.tables.get_mut(at.table).and_then(|table| table.columns.get_mut(at.column));
        if let Some(column) = column.filter(|column| column.declared.is_empty() && column.name != REST) {
            *column =
                Column { not_null: column.not_null, ..Column::new(&column.name, declared.as_str(), dialect) };
        }
    }
}

/// Whether what a function takes is a date or a time, and not a text or a number that it makes one of.
fn takes_dates(name: &str) -> bool {
    let makes = ["parse", "strptime", "to_", "from_", "unixtime", "seconds", "millis", "micros", "make"];
    let says = ["date", "time", "julianday", "unixepoch"];
    says.iter().any(|part| name.contains(part)) && !makes.iter().any(|part| name.contains(part))
}

/// Says of declared tables without a place where they lie, by what queries write before their names; tables of one name in several
/// places have the same columns.
///
/// ```text
/// CREATE TABLE stays (id INTEGER)     SELECT id FROM icu.stays     icu.stays (id)
/// ```
fn place_tables(schema: &mut Schema, queries: &[&Parsed]) {
    let mut paths: Vec<Vec<NamePart>> = Vec::new();
    for query in queries {
        let fold = schema.compares_exactly(query.dialect);
        read_relations(&*query.query, &mut |name| {
            let Some(path) = parts(name, fold).filter(|path| path.len() > 1) else { return };
            // A path that another one ends in is the same, written shorter.
            match paths.iter_mut().find(|known| ends_in(known, &path) || ends_in(&path, known)) {
                Some(known) if known.len() < path.len() => *known = path,
                Some(_) => {}
                None => paths.push(path),
            }
        });
    }
    let Some(dialect) = queries.first().map(|query| query.dialect) else { return };
    // A database is known by one name.
    if let Some([database, _, _]) = paths.iter().map(Vec::as_slice).find(|path| path.len() == 3)
        && !dialect.names().paths
    {
        schema.db_id.clone_from(&database.text);
    }
    while let Some(path) = paths.first().cloned() {
        let Some((table, _)) = path.split_last() else { break };
        let (of_name, others): (Vec<_>, Vec<_>) = paths
            .into_iter()
            .partition(|p| p.last().is_some_and(|t| t.text.eq_ignore_ascii_case(&table.text)));
        paths = others;
        let declared = schema.table_index(&table.text).filter(|at| schema.tables[*at].schema.is_none());
        let known = |path: &&Vec<NamePart>| match schema.find_table(path, dialect) {
            Found::Table(_) => of_name.len() == 1,
            Found::Unknown(_) | Found::Ambiguous(_) => false,
        };
        if of_name.iter().any(|path| known(&path))
            || declared.is_none()
                && (schema.table_index(&table.text).is_some() || schema.view(&table.text).is_some())
        {
            continue;
        }
        let unknown: Vec<_> = of_name.iter().collect();
        // A table that nobody declares has the columns that queries take from it.
        let model = declared.map_or_else(
            || Table { columns: vec![Column::new(REST, "", dialect)], ..Table::default() },
            |at| schema.tables[at].clone(),
        );
        let several = unknown.len() > 1;
        for (i, path) in unknown.into_iter().enumerate() {
            let before = path.split_last().map_or(&[][..], |(_, before)| before);
            let names: Vec<&str> = before.iter().map(|part| part.text.as_str()).collect();
            let place = match names.last() {
                Some(last) if !dialect.names().paths => (*last).to_owned(),
                _ => names.join("."),
            };
            let bare = if model.name.is_empty() { &table.text } else { &model.name };
            let name = if several { format!("{place}.{bare}") } else { bare.clone() };
            let placed = Table { name, schema: Some(place), ..model.clone() };
            match (i, declared) {
                (0, Some(at)) => schema.tables[at] = placed,
                _ => schema.tables.push(placed),
            }
        }
    }
}

/// The parts of a name, as a schema stores them.
fn parts(name: &ObjectName, fold: bool) -> Option<Vec<NamePart>> {
    let part = |part: &ObjectNamePart| {
        let ident = part.as_ident()?;
        let quoted = ident.quote_style.is_some();
        let text = if fold && !quoted { ident.value.to_ascii_lowercase() } else { ident.value.clone() };
        Some(NamePart { text, quoted })
    };
    name.0.iter().map(part).collect()
}

fn ends_in(path: &[NamePart], end: &[NamePart]) -> bool {
    path.len() >= end.len()
        && path.iter().rev().zip(end.iter().rev()).all(|(a, b)| a.text.eq_ignore_ascii_case(&b.text))
}

impl Planner<'_> {
    /// Notes that a table is missing.
    pub(super) fn note_missing_table(&self, name: &ObjectName) {
        let Some(mut parts) = parts(name, self.exact_names) else { return };
        let Some(last) = parts.pop() else { return };
        let before: Vec<String> = parts.into_iter().map(|part| part.text).collect();
        let schema = if self.dialect.names().paths {
            Some(before.join(".")).filter(|path| !path.is_empty())
        } else {
            before.into_iter().next_back()
        };
        *self.missing.borrow_mut() = Some(Missing::Table { name: last.text, schema });
    }

    /// Notes that a column is missing, and which tables of the innermost scope that has any could have it.
    pub(super) fn note_missing_column(&self, qualifier: Option<&Ident>, name: &Ident) {
        let scopes = || self.scopes.iter().rev();
        let named = |table: &&ScopeTable, ident: &Ident| self.same(&table.name, ident);
        let (qualifier, name) = match qualifier {
            // A field of a column: `device.kind`.
            Some(column)
                if self.dialect.names().fields
                    && !scopes().flat_map(|s| &s.tables).any(|table| named(&table, column)) =>
            {
                (None, column)
            }
            _ => (qualifier, name),
        };
        let innermost = |of: &dyn Fn(&ScopeTable) -> Vec<usize>| {
            let meant = |t: &&ScopeTable| qualifier.is_none_or(|q| named(t, q));
            let found = |tables: &[ScopeTable]| tables.iter().filter(meant).flat_map(of).collect::<Vec<_>>();
            scopes().map(|scope| found(&scope.tables)).find(|tables| !tables.is_empty())
        };
        let mut open = innermost(&|table| self.open_tables(table).collect());
        if let Some(tables) = &mut open {
            tables.dedup();
        }
        self.note_column_of(open, || innermost(&|table| table.table.into_iter().collect()), name);
    }

    /// Notes that one of these tables lacks a column: those whose columns come from use, or else declared ones.
    fn note_column_of(
        &self,
        open: Option<Vec<usize>>,
        declared: impl FnOnce() -> Option<Vec<usize>>,
        name: &Ident,
    ) {
        let found = match open {
            Some(tables) => Some((tables, true)),
            None => declared().map(|tables| (tables, false)),
        };
        if let Some((tables, open)) = found {
            *self.missing.borrow_mut() = Some(Missing::Column { tables, name: self.stored(name), open });
        }
    }

    /// As [`Self::note_missing_column`], of a column of USING that one side of a join may lack.
    pub(super) fn note_missing_side(&self, side: &[ScopeTable], name: &Ident) {
        let some = |tables: Vec<usize>| Some(tables).filter(|tables| !tables.is_empty());
        let open = side.iter().flat_map(|table| self.open_tables(table)).collect();
        let declared = || some(side.iter().filter_map(|table| table.table).collect());
        self.note_column_of(some(open), declared, name);
    }

    /// The tables in use whose other columns a table in scope passes on.
    fn open_tables<'t>(&'t self, table: &'t ScopeTable) -> impl Iterator<Item = usize> {
        let rest = table.columns.iter().filter(|column| column.name == REST && !column.hidden);
        rest.filter_map(|column| Some(self.columns.get(column.id.0 as usize)?.origin?.table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_in;

    /// The tables of a schema after queries have used them: `name (columns)`, types where they are known.
    fn used(ddl: &str, dialect: Dialect, queries: &[&str]) -> String {
        let mut schema = match ddl {
            "" => Schema::default(),
            ddl => Schema::from_ddl_in("shop", ddl, dialect).unwrap(),
        };
        let parsed: Vec<Parsed> = queries.iter().map(|sql| parse_in(sql, dialect).unwrap()).collect();
        tables_in_use(&mut schema, &parsed.iter().collect::<Vec<_>>());
        let table = |table: &Table| {
            let columns = table.columns.iter().filter(|c| c.name != REST);
            let mut columns: Vec<String> =
                columns.map(|c| format!("{} {}", c.name, c.declared).trim_end().to_owned()).collect();
            columns.sort();
            format!("{} ({})", table.full_name(), columns.join(", "))
        };
        schema.tables.iter().map(table).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn columns_are_those_that_queries_take() {
        for (queries, expected) in [
            (
                &["WITH o AS (SELECT * FROM orders) SELECT o.id FROM (SELECT * FROM o) o WHERE total > 1"][..],
                "orders (id, total NUMERIC)",
            ),
            (&["SELECT a.x, b.y FROM a JOIN b ON a.id = b.id", "SELECT z FROM a"], "a (id, x, z); b (id, y)"),
            (&["SELECT a.x FROM a JOIN b USING (id) WHERE a.x = 1"], "a (id, x NUMERIC); b (id)"),
            (&["SELECT (SELECT MAX(b.y) FROM b WHERE b.id = a.id) FROM a"], "a (id); b (id, y)"),
            (
                &["SELECT DATE_TRUNC('month', a.at), SUM(a.n) FROM a GROUP BY 1"],
                "a (at TIMESTAMP, n NUMERIC)",
            ),
            (&["WITH a AS (SELECT * FROM a) SELECT x FROM a"], "a (x)"),
            (&["SELECT * FROM a UNION ALL SELECT * FROM a"], "a ()"),
            (&["SELECT x FROM s.a", "SELECT x FROM r.a"], "s.a (x); r.a (x)"),
        ] {
            assert_eq!(used("", Dialect::Postgres, queries), expected, "{queries:?}");
        }
        // Whose column it is, one query says, or nobody.
        assert_eq!(
            used("", Dialect::Postgres, &["SELECT x FROM a, b", "SELECT b.x FROM a, b"]),
            "a (); b (x)"
        );
        assert_eq!(used("", Dialect::Postgres, &["SELECT x FROM a, b"]), "a (x); b ()");
    }

    #[test]
    fn what_is_taken_for_granted_is_said() {
        let made = |ddl: &str, queries: &[&str]| {
            let mut schema = Schema::from_ddl_in("shop", ddl, Dialect::Postgres).unwrap();
            let parsed: Vec<Parsed> =
                queries.iter().map(|q| parse_in(q, Dialect::Postgres).unwrap()).collect();
            tables_in_use(&mut schema, &parsed.iter().collect::<Vec<_>>())
        };
        let shops = "CREATE TABLE shops (id INT)";
        assert_eq!(made(shops, &["SELECT total FROM a, b"]), ["a (total may be another table's)", "b"]);
        // Both versions read the column, so it is there; what one reads alone may be misspelt.
        let lacking = ["SELECT city FROM shops JOIN a USING (id)", "SELECT shops.city FROM shops, a"];
        assert_eq!(made(shops, &lacking[1..]), ["shops (city is not declared)", "a"]);
        assert_eq!(made(shops, &["SELECT shops.city FROM shops", "SELECT id FROM shops"]), [""; 0]);
    }

    #[test]
    fn types_are_found_in_functions_of_tables_and_in_greatest_values() {
        for (query, expected) in [
            (
                "SELECT day FROM t, UNNEST(GENERATE_DATE_ARRAY(DATE(t.a), DATE(t.b))) AS day",
                "t (a TIMESTAMP, b TIMESTAMP)",
            ),
            (
                "SELECT t.a FROM t WHERE DATE(t.a) < (SELECT DATE(MAX(t.b)) FROM t)",
                "t (a TIMESTAMP, b TIMESTAMP)",
            ),
            ("SELECT n FROM t, UNNEST(GENERATE_ARRAY(1, t.a)) AS n", "t (a NUMERIC)"),
            (
                "SELECT t.i FROM s AS t CROSS JOIN UNNEST(GENERATE_DATE_ARRAY(DATE(t.a), DATE '2030-01-01')) AS d",
                "s (a TIMESTAMP, i)",
            ),
        ] {
            assert_eq!(used("", Dialect::Bigquery, &[query]), expected, "{query}");
        }
    }

    #[test]
    fn tables_lie_where_queries_say() {
        let ddl = "CREATE TABLE stays (id INTEGER)";
        let of = |dialect, queries: &[&str]| used(ddl, dialect, queries);
        assert_eq!(of(Dialect::Postgres, &["SELECT id FROM icu.stays"]), "icu.stays (id integer)");
        assert_eq!(
            of(Dialect::Postgres, &["SELECT id FROM icu.stays", "SELECT id FROM old.stays"]),
            "icu.stays (id integer); old.stays (id integer)"
        );
        assert_eq!(of(Dialect::Trino, &["SELECT id FROM lake.icu.stays"]), "icu.stays (id INTEGER)");
        assert_eq!(
            of(
                Dialect::Bigquery,
                &["SELECT id FROM `p-1.icu.stays`", "SELECT id FROM `p-1.old.stays`, icu.stays"]
            ),
            "p-1.icu.stays (id INTEGER); p-1.old.stays (id INTEGER)"
        );
        assert_eq!(
            of(Dialect::Bigquery, &["SELECT id, t.device.kind FROM d.t"]),
            "stays (id INTEGER); d.t (device, id)"
        );
    }
}
