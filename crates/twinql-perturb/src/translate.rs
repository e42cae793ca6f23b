//! Queries over a transformed schema, read as queries over the original one.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{Ident, Query, TableFactor, VisitorMut};
use twinql_corpus::schemas::{Given, renamed, replaced, words};
use twinql_sql::schema::quote;
use twinql_sql::syntax::change;
use twinql_sql::{Schema, SqlError, parse, plan};

use crate::mapping::{MappedTable, Mapping};
use crate::reads::Reads;

/// A prediction over a transformed schema, seen through the transformation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// As a query over the original schema.
    Query(String),
    /// It is no query over the transformed schema, for this reason.
    Invalid(String),
}

/// A query over `new` as one over `old`.
///
/// Where only names changed, only names are replaced, and a star stays a star: who asks for all columns asks for
/// all columns. Else each changed table stands for its query over the old schema.
pub fn seen(old: &Schema, new: &Schema, mapping: &Mapping, sql: &str) -> Seen {
    if let Err(error) = parse(sql).and_then(|parsed| plan(new, &parsed))
        && !matches!(error, SqlError::Unsupported { .. } | SqlError::TooLarge { .. })
    {
        return Seen::Invalid(error.to_string());
    }
    if mapping.tables.is_empty() {
        return Seen::Query(sql.to_owned());
    }
    let Some(given) = Given::new(new, sql, sql) else {
        // Not understood as far as that; its words are all that can be compared.
        return Seen::Query(sql.to_owned());
    };
    let words = words(&given);
    let read: Vec<&MappedTable> =
        mapping.tables.iter().filter(|t| words.contains(&t.name.to_ascii_lowercase())).collect();
    if read.is_empty() {
        return Seen::Query(sql.to_owned());
    }
    match by_names(old, new, &read, mapping, &given, sql).or_else(|| by_tables(given.gold(), &read)) {
        Some(text) => Seen::Query(text),
        None => Seen::Query(sql.to_owned()),
    }
}

/// The gold of a change over the new schema as a query over the old one: every changed table stands for its query,
/// stars included.
pub fn through(new: &Schema, mapping: &Mapping, sql: &str) -> Option<String> {
    if mapping.tables.is_empty() {
        return Some(sql.to_owned());
    }
    let given = Given::new(new, sql, sql)?;
    let read: Vec<&MappedTable> = mapping.tables.iter().collect();
    by_tables(given.gold(), &read)
}

/// A query over the old schema as one over the new, with tables that are gone standing for what the mapping has in
/// their place.
pub fn rewritten(old: &Schema, mapping: &Mapping, sql: &str) -> Option<String> {
    let given = Given::new(old, sql, sql)?;
    let mut query = given.gold().clone();
    for gone in &mapping.gone {
        query = replaced(&query, &gone.name, &|alias| derived(&gone.query, alias))?;
    }
    Some(query.to_string())
}

/// `(query) AS alias` as an item of FROM.
fn derived(query: &str, alias: &str) -> Option<TableFactor> {
    factor(&format!("SELECT 1 FROM ({query}) AS {}", quote(alias)))
}

/// The first item of FROM of a query as text.
fn factor(sql: &str) -> Option<TableFactor> {
    let parsed = parse(sql).ok()?;
    let sqlparser::ast::SetExpr::Select(select) = *parsed.query.body else { return None };
    Some(select.from.into_iter().next()?.relation)
}

/// Names replaced where they differ. None where that would mean something else: a column that no single old table
/// has, or names that are other columns' there.
fn by_names(
    old: &Schema,
    new: &Schema,
    read: &[&MappedTable],
    mapping: &Mapping,
    given: &Given,
    sql: &str,
) -> Option<String> {
    let words = words(given);
    if read.iter().flat_map(|t| &t.computed).any(|c| words.contains(&c.to_ascii_lowercase())) {
        return None;
    }
    let names = mapping.renamed();
    let other = names.keys().any(|name| words.contains(name));
    let moved = read.iter().any(|t| !t.name.eq_ignore_ascii_case(&t.from));
    if !other && !moved {
        return same_columns(old, new, mapping, sql, sql).then(|| sql.to_owned());
    }
    let mut query = renamed(given.gold(), &names);
    for table in read.iter().filter(|t| !t.name.eq_ignore_ascii_case(&t.from)) {
        let from = quoted_if_needed(&table.from);
        query = replaced(&query, &table.name, &|alias| {
            factor(&format!("SELECT 1 FROM {from} AS {}", quoted_if_needed(alias)))
        })?;
    }
    let text = query.to_string();
    same_columns(old, new, mapping, sql, &text).then_some(text)
}

/// A name as a query may have it: as it is where it is plain.
fn quoted_if_needed(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && parse(&format!("SELECT {name}.a FROM t AS {name}")).is_ok();
    if plain { name.to_owned() } else { quote(name) }
}

/// Whether a query over the new schema and one over the old read the same columns, seen through the mapping. Of
/// stars nothing is asked but that there is a plan.
fn same_columns(old: &Schema, new: &Schema, mapping: &Mapping, sql: &str, text: &str) -> bool {
    let columns = |schema: &Schema, sql: &str| -> Option<(BTreeSet<(String, String)>, bool)> {
        let plan = plan(schema, &parse(sql).ok()?).ok()?;
        let starred = Reads::of(schema, sql).map_or(true, |r| r.starred);
        let reads = Reads::of_plan(&plan);
        let names = reads.columns.iter().filter_map(|r| {
            let table = &schema.tables.get(r.table)?.name;
            Some((table.to_ascii_lowercase(), schema.column(*r)?.name.to_ascii_lowercase()))
        });
        Some((names.collect(), starred))
    };
    let (Some((of_new, starred)), Some((of_old, _))) = (columns(new, sql), columns(old, text)) else {
        // Not planned: nothing says that they differ, if neither is.
        return plan_fails(new, sql) && plan_fails(old, text);
    };
    let back = of_new.into_iter().map(|(table, column)| match mapping.table(&table) {
        None => (table, column),
        Some(mapped) => {
            let old = mapped.columns.iter().find(|(new, _)| new.eq_ignore_ascii_case(&column));
            let column = old.map_or(column, |(_, old)| old.to_ascii_lowercase());
            (mapped.from.to_ascii_lowercase(), column)
        }
    });
    starred || back.collect::<BTreeSet<_>>() == of_old
}

fn plan_fails(schema: &Schema, sql: &str) -> bool {
    parse(sql).and_then(|parsed| plan(schema, &parsed)).is_err()
}

/// Each changed table as its query over the old schema.
fn by_tables(query: &Query, read: &[&MappedTable]) -> Option<String> {
    let mut query = query.clone();
    // First under other names: a table's query may read another changed table's old self.
    let mut taken: HashSet<String> = idents(&query);
    let mut stands = Vec::new();
    for table in read {
        let stand = twinql_corpus::schemas::fresh(&mut taken, &format!("{}_old", table.name));
        query = replaced(&query, &table.name, &|alias| {
            factor(&format!("SELECT 1 FROM {} AS {}", quote(&stand), quote(alias)))
        })?;
        stands.push((stand, &table.query));
    }
    for (stand, text) in stands {
        query = replaced(&query, &stand, &|alias| derived(text, alias))?;
    }
    Some(query.to_string())
}

/// Every identifier of a query, in lower case.
fn idents(query: &Query) -> HashSet<String> {
    struct Idents(HashSet<String>);
    impl VisitorMut for Idents {
        type Break = ();
        fn pre_visit_ident(&mut self, ident: &mut Ident) -> ControlFlow<()> {
            self.0.insert(ident.value.to_ascii_lowercase());
            ControlFlow::Continue(())
        }
    }
    let mut found = Idents(HashSet::new());
    let _ = change(&mut query.clone(), &mut found);
    found.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::relation;
    use crate::relation::Target;
    use crate::schema::Change;
    use crate::schema::tests::{changes, shop};

    fn made(name: &str, test: impl Fn(&Change) -> bool) -> Change {
        let Target::Schema(apply) = relation(name).unwrap().target else { panic!("{name}") };
        changes(apply, &shop()).into_iter().find(test).unwrap()
    }

    fn query(change: &Change, sql: &str) -> String {
        match seen(&shop(), &change.schema, &change.mapping, sql) {
            Seen::Query(text) => text,
            Seen::Invalid(why) => format!("invalid: {why}"),
        }
    }

    #[test]
    fn a_renamed_column_is_the_same_column() {
        let change = made("CRn", |c| c.mapping.renamed().contains_key("nation_id"));
        for (sql, expect) in [
            ("SELECT nation_id FROM shop", "SELECT country_id FROM shop"),
            (
                "SELECT T1.nation_id FROM shop AS T1 WHERE name = 'nation_id'",
                "SELECT T1.country_id FROM shop AS T1 WHERE name = 'nation_id'",
            ),
            // Untouched, spaces and all.
            ("SELECT  name  FROM shop", "SELECT  name  FROM shop"),
            ("SELECT * FROM shop", "SELECT * FROM shop"),
        ] {
            assert_eq!(query(&change, sql), expect);
        }
        // The old name is none any more.
        assert!(query(&change, "SELECT country_id FROM shop").starts_with("invalid: no column named"));
        assert!(query(&change, "SELEC name").starts_with("invalid: "));
    }

    #[test]
    fn a_moved_column_is_read_where_it_was() {
        let change = made("NO", |c| c.schema.table("car_price").is_some());
        assert_eq!(query(&change, "SELECT count(*) FROM car"), "SELECT count(*) FROM car");
        assert_eq!(query(&change, "SELECT price FROM car_price"), "SELECT price FROM car AS car_price");
        assert_eq!(
            query(&change, "SELECT T2.price FROM car AS T1 JOIN car_price AS T2 ON T1.car_id = T2.car_id"),
            "SELECT T2.price FROM car AS T1 JOIN car AS T2 ON T1.car_id = T2.car_id"
        );
        // Without its table the name would be that of two.
        let text = query(&change, "SELECT price FROM car JOIN car_price ON car.car_id = car_price.car_id");
        assert!(
            text.contains(
                r#"(SELECT "car"."car_id" AS "car_id", "car"."price" AS "price" FROM "car") AS "car_price""#
            ),
            "{text}"
        );
        assert!(!plan_fails(&shop(), &text), "{text}");
    }

    #[test]
    fn a_flat_table_is_a_join() {
        let change = made("FL", |c| c.schema.table("country").is_none());
        assert_eq!(query(&change, "SELECT name FROM shop"), "SELECT name FROM shop");
        let text = query(&change, "SELECT country_region FROM shop");
        assert!(text.contains("LEFT JOIN \"country\""), "{text}");
        assert!(!plan_fails(&shop(), &text));
    }

    #[test]
    fn a_new_column_is_nothing() {
        let change = made("CI", |c| c.mapping.tables[0].computed == ["bumper"]);
        let text = query(&change, "SELECT bumper FROM car");
        assert!(text.contains("NULL AS \"bumper\""), "{text}");
        assert!(!plan_fails(&shop(), &text));
    }
}
