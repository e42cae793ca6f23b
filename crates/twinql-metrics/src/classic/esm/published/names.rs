//! What the published scripts know of a schema: names in lower case, and its keys.
//!
//! A column's id is `table.column__`. The scripts put two low lines before it as well; those behind it decide which
//! of two ids is the lesser where one column's name begins with the other's.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use twinql_sql::Schema;

/// The id of all columns.
pub(super) const ALL: &str = "all__";

/// The id of a column.
pub(super) fn id(table: &str, column: &str) -> String {
    format!("{table}.{column}__")
}

/// Table and column of an id; none for [`ALL`].
pub(super) fn parts(id: &str) -> Option<(&str, &str)> {
    id.strip_suffix("__")?.split_once('.')
}

/// One table.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) columns: Vec<String>,
    pub(super) primary: Vec<String>,
    /// Column to the id of another; of several keys over one column the last counts.
    pub(super) foreign: HashMap<String, String>,
    pub(super) never_null: BTreeSet<String>,
    pub(super) unique: BTreeSet<String>,
}

/// All tables by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) tables: BTreeMap<String, Facts>,
}

impl Names {
    /// Those of a schema.
    pub(super) fn of(schema: &Schema) -> Names {
        let mut tables = BTreeMap::new();
        for table in &schema.tables {
            let name = |c: &usize| table.columns.get(*c).map(|c| c.name.to_lowercase());
            let mut facts = Facts {
                columns: table.columns.iter().map(|c| c.name.to_lowercase()).collect(),
                primary: table.primary_key.iter().filter_map(name).collect(),
                ..Facts::default()
            };
            facts.never_null =
                table.columns.iter().filter(|c| c.not_null).map(|c| c.name.to_lowercase()).collect();
            facts.unique = table.unique.iter().filter(|u| u.len() == 1).flatten().filter_map(name).collect();
            if let [key] = facts.primary.as_slice() {
                facts.never_null.insert(key.clone());
                facts.unique.insert(key.clone());
            }
            for key in &table.foreign_keys {
                let Some(target) = schema.tables.get(key.target) else { continue };
                for (from, to) in key.columns.iter().zip(&key.target_columns) {
                    let to = target.columns.get(*to);
                    if let (Some(from), Some(to)) = (name(from), to) {
                        facts.foreign.insert(from, id(&target.name.to_lowercase(), &to.name.to_lowercase()));
                    }
                }
            }
            tables.insert(table.name.to_lowercase(), facts);
        }
        Names { tables }
    }

    /// The table's columns and keys.
    pub(super) fn table(&self, name: &str) -> Option<&Facts> {
        self.tables.get(name)
    }

    /// The facts behind an id, and its column; none for [`ALL`].
    pub(super) fn column<'i>(&self, id: &'i str) -> Option<(&Facts, &'i str)> {
        let (table, column) = parts(id)?;
        Some((self.tables.get(table)?, column))
    }

    /// True if this column never repeats a value.
    pub(super) fn unique(&self, id: &str) -> bool {
        self.column(id).is_some_and(|(facts, column)| facts.unique.contains(column))
    }

    /// True if this column is never NULL.
    pub(super) fn never_null(&self, id: &str) -> bool {
        self.column(id).is_some_and(|(facts, column)| facts.never_null.contains(column))
    }
}

/// Columns that foreign keys tie together, each to the first of its class.
///
/// A key joins the first class that holds either of its columns; two classes are never merged.
pub(super) fn representatives(schema: &Schema) -> HashMap<String, String> {
    let mut classes: Vec<BTreeSet<(usize, usize)>> = Vec::new();
    for (from, table) in schema.tables.iter().enumerate() {
        for key in &table.foreign_keys {
            for (column, target) in key.columns.iter().zip(&key.target_columns) {
                let (a, b) = ((from, *column), (key.target, *target));
                match classes.iter_mut().find(|c| c.contains(&a) || c.contains(&b)) {
                    Some(class) => class.extend([a, b]),
                    None => classes.push(BTreeSet::from([a, b])),
                }
            }
        }
    }
    let id = |(table, column): (usize, usize)| {
        let table = schema.tables.get(table)?;
        let column = table.columns.get(column)?;
        Some(id(&table.name.to_lowercase(), &column.name.to_lowercase()))
    };
    let mut out = HashMap::new();
    for class in &classes {
        let Some(first) = class.first().and_then(|c| id(*c)) else { continue };
        out.extend(class.iter().filter_map(|c| id(*c)).map(|c| (c, first.clone())));
    }
    out
}
