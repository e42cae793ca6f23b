//! What schema changes ask of queries and do to them.
//!
//! Names are read and replaced word by word, without scopes: a word that stands in a query may be any table,
//! column, alias or function of that name. That errs on the safe side, since what is found too often only
//! rules a change out.

use std::collections::HashSet;

use indexmap::IndexMap;
use sqlparser::ast::{Expr, Ident, Query, SelectItem, SetExpr, TableFactor, Value, ValueWithSpan};
use twinql_sql::Schema;
use twinql_sql::syntax::Named;

use super::Given;
use crate::rewrites::ast::{ident, is_wildcard};
use crate::walk;

/// Every name in both queries, in lower case: tables, columns, aliases, functions, and strings in
/// double quotes, which may be any of these.
pub fn words(given: &Given) -> HashSet<String> {
    let mut out = HashSet::new();
    for query in given.both() {
        walk::identifiers(&mut query.clone(), &mut |i| {
            out.insert(i.value.to_ascii_lowercase());
        });
    }
    out
}

/// Names of functions in both queries, in lower case.
pub(super) fn functions(given: &Given) -> HashSet<String> {
    let mut out = HashSet::new();
    for query in given.both() {
        walk::expressions(&mut query.clone(), &mut |e| {
            if let Expr::Function(f) = e {
                out.insert(f.name.to_string().trim_matches('"').to_ascii_lowercase());
            }
        });
    }
    out
}

/// True if a query selects `*`, but for EXISTS, where it means nothing; or joins by the names that
/// two tables share. Then columns that no query names matter all the same.
pub fn reads_unnamed(given: &Given) -> bool {
    given.both().into_iter().any(|query| {
        let mut query = query.clone();
        walk::expressions(&mut query, &mut |e| {
            if let Expr::Exists { subquery, negated: _ } = e
                && let SetExpr::Select(select) = subquery.body.as_mut()
                && let [SelectItem::Wildcard(_)] = select.projection.as_slice()
            {
                let one = ValueWithSpan::from(Value::Number("1".into(), false));
                select.projection = vec![SelectItem::UnnamedExpr(Expr::Value(one))];
            }
        });
        let mut wild = false;
        walk::selects(&mut query, &mut |s| wild |= s.projection.iter().any(is_wildcard));
        wild || query.to_string().contains("NATURAL")
    })
}

/// The query with every name in `new` replaced, wherever it stands.
pub fn renamed(query: &Query, new: &IndexMap<String, String>) -> Query {
    let mut query = query.clone();
    walk::identifiers(&mut query, &mut |i| {
        if let Some(name) = new.get(&i.value.to_ascii_lowercase()) {
            *i = ident(name);
        }
    });
    query
}

/// The positions of tables that either query reads.
pub(super) fn tables_read(given: &Given) -> Vec<usize> {
    let words = words(given);
    let read = |name: &str| words.contains(&name.to_ascii_lowercase());
    let tables = given.schema.tables.iter().enumerate();
    tables.filter(|(_, t)| read(&t.name)).map(|(i, _)| i).collect()
}

/// The query with `make(alias)` in place of each reading of the table called `name`; none where a
/// common table expression has that name, or a reading has more to it than an alias.
pub fn replaced(query: &Query, name: &str, make: &dyn Fn(&str) -> Option<TableFactor>) -> Option<Query> {
    let mut query = query.clone();
    let mut possible = true;
    walk::queries(&mut query, &mut |q| {
        let mut tables = q.with.iter().flat_map(|w| &w.cte_tables);
        possible &= !tables.any(|t| t.alias.name.value.eq_ignore_ascii_case(name));
    });
    walk::factors_from_within(&mut query, &mut |factor| {
        let Some(named) = Named::of(factor) else { return };
        let parts: Vec<&Ident> = named.name.0.iter().filter_map(|p| p.as_ident()).collect();
        let [part] = parts.as_slice() else {
            possible = false;
            return;
        };
        if !part.value.eq_ignore_ascii_case(name) {
            return;
        }
        match named.shown(part).filter(|_| named.args.is_none()).and_then(|shown| make(&shown)) {
            Some(new) => *factor = new,
            None => possible = false,
        }
    });
    possible.then_some(query)
}

/// Every name of the schema and of both queries, in lower case: what a new name must not be.
pub(super) fn taken(given: &Given) -> HashSet<String> {
    let mut out = words(given);
    out.extend(names(&given.schema));
    out
}

/// The names of tables and columns, in lower case, as SQLite compares them.
pub fn names(schema: &Schema) -> impl Iterator<Item = String> + '_ {
    schema.tables.iter().flat_map(|t| {
        std::iter::once(t.name.to_ascii_lowercase())
            .chain(t.columns.iter().map(|c| c.name.to_ascii_lowercase()))
    })
}

/// `stem`, or `stem2`, `stem3` …: the first that is not taken, which then is.
pub fn fresh(taken: &mut HashSet<String>, stem: &str) -> String {
    let (mut name, mut number) = (stem.to_owned(), 1);
    while !taken.insert(name.to_ascii_lowercase()) {
        number += 1;
        name = format!("{stem}{number}");
    }
    name
}
