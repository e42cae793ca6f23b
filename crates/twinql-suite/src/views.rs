//! Which tables and views a text names, without a parser: so that it holds for all that SQLite
//! takes.

use std::collections::HashMap;

use twinql_sql::Schema;
use twinql_sql::schema::View;

use crate::lexical::names;

/// A table or view of a schema, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Table(usize),
    View(usize),
}

/// A schema's tables and views by name in lower case.
#[derive(Debug, Default)]
pub(crate) struct Names(HashMap<String, Relation>);

impl Names {
    pub(crate) fn of(schema: &Schema) -> Names {
        let mut names = HashMap::with_capacity(schema.tables.len() + schema.views.len());
        for (i, view) in schema.views.iter().enumerate() {
            names.insert(view.name.to_ascii_lowercase(), Relation::View(i));
        }
        for (i, table) in schema.tables.iter().enumerate() {
            names.entry(table.name.to_ascii_lowercase()).or_insert(Relation::Table(i));
        }
        Names(names)
    }

    /// The tables and views that a text may name, each after those that it reads itself.
    pub(crate) fn mentioned(&self, schema: &Schema, sql: &str) -> Vec<Relation> {
        let mut found = Vec::new();
        self.collect(schema, sql, &mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, schema: &Schema, sql: &str, inside: &mut Vec<usize>, found: &mut Vec<Relation>) {
        for name in names(sql) {
            let Some(&relation) = self.0.get(&name.to_ascii_lowercase()) else {
                continue;
            };
            if found.contains(&relation) {
                continue;
            }
            if let Relation::View(i) = relation {
                if inside.contains(&i) {
                    continue;
                }
                if let Some(view) = schema.views.get(i) {
                    inside.push(i);
                    self.collect(schema, &view.query, inside, found);
                    inside.pop();
                }
            }
            if !found.contains(&relation) {
                found.push(relation);
            }
        }
    }
}

/// The views that the texts of two queries may name, each after those that it reads itself.
pub(crate) fn read_by(schema: &Schema, texts: [&str; 2]) -> Vec<View> {
    if schema.views.is_empty() {
        return Vec::new();
    }
    let names = Names::of(schema);
    let mut read: Vec<Relation> = Vec::new();
    for relation in texts.iter().flat_map(|text| names.mentioned(schema, text)) {
        if !read.contains(&relation) {
            read.push(relation);
        }
    }
    views_of(schema, read).cloned().collect()
}

/// The views that read no tables but those that are `there`, and views over them.
pub(crate) fn over(schema: &Schema, there: impl Fn(usize) -> bool) -> Vec<&View> {
    if schema.views.is_empty() {
        return Vec::new();
    }
    let names = Names::of(schema);
    let mut made: Vec<Relation> = Vec::new();
    for (i, view) in schema.views.iter().enumerate() {
        let read = names.mentioned(schema, &view.query);
        let tables = |r: &Relation| match r {
            Relation::Table(t) => there(*t),
            Relation::View(_) => true,
        };
        if read.iter().any(|r| matches!(r, Relation::Table(_))) && read.iter().all(tables) {
            for relation in read.into_iter().chain([Relation::View(i)]) {
                if matches!(relation, Relation::View(_)) && !made.contains(&relation) {
                    made.push(relation);
                }
            }
        }
    }
    views_of(schema, made).collect()
}

/// Those of some relations that are views.
fn views_of(schema: &Schema, relations: Vec<Relation>) -> impl Iterator<Item = &View> {
    relations.into_iter().filter_map(|relation| match relation {
        Relation::View(i) => schema.views.get(i),
        Relation::Table(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_views_that_a_query_reads_are_made() {
        let ddl = "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t;
            CREATE VIEW w AS SELECT a FROM v; CREATE VIEW x AS SELECT a FROM t;";
        let schema = Schema::from_ddl("d", ddl).unwrap();
        let read = |gold, pred| -> Vec<String> {
            let views = read_by(&schema, [gold, pred]);
            views.into_iter().map(|v| v.name).collect()
        };
        assert_eq!(read("SELECT a FROM w", "SELECT a FROM t"), ["v", "w"]);
        assert!(read("SELECT a FROM t", "SELECT 1").is_empty());
    }
}
