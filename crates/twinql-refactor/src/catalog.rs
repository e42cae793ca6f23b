//! The tables of a project as a schema: each model is a table for those that read it.
//!
//! Models are gone through from the sources down. A model's columns are the outputs of its query, with the types that the planner
//! gives them; what the project says of types and keys is added. Where a query cannot be planned, its columns are those that the project
//! lists, or those that others [take](twinql::sql::tables_in_use) from it.

use std::collections::{BTreeMap, BTreeSet};

use twinql::sql::plan::{REST, plan_with_names};
use twinql::sql::schema::{Check, Column, ForeignKey, Schema, Table, TypeClass};
use twinql::sql::{Dialect, parse_in, tables_in_use};

use crate::files::parts;
use crate::project::{Model, Project};
use crate::properties::Properties;
use crate::tables::{self, Versions};

/// The tables of a project, and what reads what.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// All tables: sources, seeds, and models as tables.
    pub schema: Schema,
    /// Models, each behind those that it reads.
    pub order: Vec<String>,
    /// What each model reads, by name.
    pub reads: BTreeMap<String, BTreeSet<String>>,
    /// Models whose query has no plan over the tables above it, and why.
    pub unplanned: BTreeMap<String, String>,
}

impl Catalog {
    /// The tables of a project whose SQL is in `dialect`.
    pub fn of(project: &Project, dialect: Dialect) -> Catalog {
        let mut catalog = Catalog::default();
        catalog.schema.db_id = "project".to_owned();
        catalog.schema.typing = twinql::sql::schema::Typing::of(dialect);
        for table in &project.tables {
            let clashes =
                catalog.schema.table(&table.name).is_some() || project.models.contains_key(&table.name);
            let name = match &table.source {
                Some(source) if clashes => format!("{source}.{}", table.name),
                _ => table.name.clone(),
            };
            let stored = Table { schema: table.source.clone(), ..declared(name, &table.properties, dialect) };
            catalog.schema.tables.push(stored);
        }
        catalog.order = order(project, &mut catalog);
        for name in catalog.order.clone() {
            if let Some(model) = project.models.get(&name) {
                catalog.add(&name, model, dialect);
            }
        }
        catalog.refer(project);
        catalog
    }

    /// Adds a model as a table.
    fn add(&mut self, name: &str, model: &Model, dialect: Dialect) {
        let outputs = match &model.full {
            Ok(rendered) => self.outputs(&rendered.sql, dialect),
            Err(error) => Err(error.to_string()),
        };
        let declared = |properties: &Properties| Table {
            schema: name.rsplit('.').nth(1).map(str::to_owned),
            ..declared(name.to_owned(), properties, dialect)
        };
        let mut said = declared(&model.properties);
        match outputs {
            Ok(outputs) => {
                let listed = std::mem::take(&mut said.columns);
                // Keys name columns by their place.
                let keys = |columns: &[Column]| {
                    model.properties.unique_sets().iter().filter_map(|set| places(columns, set)).collect()
                };
                said.columns = outputs
                    .into_iter()
                    .map(|column| {
                        let known = listed.iter().find(|known| known.name.eq_ignore_ascii_case(&column.name));
                        match known {
                            Some(known) if known.declared.is_empty() => Column {
                                not_null: known.not_null || column.not_null,
                                values: known.values.clone(),
                                ..column
                            },
                            Some(known) => known.clone(),
                            None => column,
                        }
                    })
                    .map(|column| with_type(column, &model.stored, dialect))
                    .collect();
                said.unique = keys(&said.columns);
            }
            Err(why) => {
                self.unplanned.insert(name.to_owned(), why);
                let mut properties = model.properties.clone();
                properties.add(&model.stored);
                said = declared(&properties);
            }
        }
        self.schema.tables.push(said);
    }

    /// The columns that a query gives, over the tables so far.
    fn outputs(&mut self, sql: &str, dialect: Dialect) -> Result<Vec<Column>, String> {
        // A query may name the table that it makes.
        let part = <[_; 1]>::try_from(parts(sql));
        let sql = part.as_ref().map_or(sql, |[part]| part.sql.as_str());
        let ([sql, _], mut schema) = tables::written([sql, sql], &self.schema, &Versions::default())
            .map_err(|error| error.to_string())?;
        let parsed = parse_in(&sql, dialect).map_err(|error| error.to_string())?;
        tables_in_use(&mut schema, &[&parsed]);
        let planned = plan_with_names(&schema, &parsed).map_err(|error| error.to_string());
        // What was learnt of tables in use stays; the views of this query go.
        schema.views.clear();
        self.schema = schema;
        let (plan, names) = planned?;
        let column = |(name, id): (String, &twinql::sql::ColumnId)| {
            let info = plan.columns.get(id.0 as usize)?;
            let origin = info.origin.and_then(|at| self.schema.column(at));
            let column = match origin {
                Some(stored) => Column { name, ..stored.clone() },
                None => Column::new(name, type_of(info.class), dialect),
            };
            Some(Column { not_null: !info.nullable, generated: None, ..column })
        };
        Ok(names.into_iter().zip(&plan.query.output).filter_map(column).collect())
    }

    /// Adds the references that the project tests, once all tables are there.
    fn refer(&mut self, project: &Project) {
        let models = project.models.iter().map(|(name, model)| (name.clone(), &model.properties));
        let tables = project.tables.iter().map(|table| {
            let reference = match &table.source {
                Some(source) => format!("{source}.{}", table.name),
                None => table.name.clone(),
            };
            (reference, &table.properties)
        });
        let index =
            |schema: &Schema, reference: &str| schema.table_index(&tables::table_of(schema, reference));
        for (reference, properties) in models.chain(tables) {
            for column in &properties.columns {
                let Some((to, field)) = &column.refers else { continue };
                let found = (|| {
                    let from = index(&self.schema, &reference)?;
                    let target = index(&self.schema, to)?;
                    let source = self.schema.tables.get(from)?.column_index(&column.name)?;
                    let goal = self.schema.tables.get(target)?.column_index(field)?;
                    Some((from, ForeignKey { columns: vec![source], target, target_columns: vec![goal] }))
                })();
                if let Some((from, key)) = found
                    && let Some(table) = self.schema.tables.get_mut(from)
                {
                    table.foreign_keys.push(key);
                }
            }
        }
    }
}

/// What a project says of a table, as a table.
fn declared(name: String, properties: &Properties, dialect: Dialect) -> Table {
    let mut columns: Vec<Column> = properties
        .columns
        .iter()
        .map(|said| {
            let column = Column::new(&said.name, &said.data_type, dialect);
            Column { not_null: said.not_null, values: said.accepted.clone(), ..column }
        })
        .collect();
    if !properties.complete {
        columns.push(Column::new(REST, "", dialect));
    }
    let unique = properties.unique_sets().iter().filter_map(|set| places(&columns, set)).collect();
    let checks = properties.checks.iter().map(|expr| Check {
        name: None,
        expr: expr.clone(),
        columns: Vec::new(),
        enforced: false,
    });
    Table { name, checks: checks.collect(), unique, columns, ..Table::default() }
}

/// A column with the type that it has in the warehouse, where its query does not say it.
fn with_type(column: Column, stored: &[crate::Column], dialect: Dialect) -> Column {
    let known = stored.iter().find(|known| known.name.eq_ignore_ascii_case(&column.name));
    match known.filter(|_| column.declared.is_empty()) {
        Some(known) => Column {
            not_null: column.not_null,
            values: column.values,
            ..Column::new(column.name, &known.data_type, dialect)
        },
        None => column,
    }
}

/// Positions of columns, if all of them are there.
fn places(columns: &[Column], names: &[String]) -> Option<Vec<usize>> {
    let at = |name: &String| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
    names.iter().map(at).collect()
}

/// The name of a type whose values are of a class.
fn type_of(class: TypeClass) -> &'static str {
    match class {
        TypeClass::Integer => "INTEGER",
        TypeClass::Number => "NUMERIC",
        TypeClass::Text => "TEXT",
        TypeClass::Boolean => "BOOLEAN",
        TypeClass::Time => "TIMESTAMP",
        TypeClass::Other => "",
    }
}

/// Models, each behind those that it reads; those of a circle come last, and are said to be in one.
fn order(project: &Project, catalog: &mut Catalog) -> Vec<String> {
    let models = &project.models;
    for (name, model) in models {
        let reads = |sql: &str| {
            tables::references(sql).map(|(reference, _)| reference.to_owned()).collect::<Vec<_>>()
        };
        let full = model.full.as_ref().map(|rendered| reads(&rendered.sql)).unwrap_or_default();
        let known = full.into_iter().filter(|read| models.contains_key(read) && read != name).collect();
        catalog.reads.insert(name.clone(), known);
    }
    let mut left: BTreeMap<&String, usize> =
        catalog.reads.iter().map(|(name, reads)| (name, reads.len())).collect();
    let mut readers: BTreeMap<&String, Vec<&String>> = BTreeMap::new();
    for (name, reads) in &catalog.reads {
        for read in reads {
            readers.entry(read).or_default().push(name);
        }
    }
    let mut ready: Vec<&String> =
        left.iter().filter(|(_, n)| **n == 0).map(|(name, _)| *name).rev().collect();
    let mut order = Vec::with_capacity(models.len());
    while let Some(name) = ready.pop() {
        left.remove(name);
        order.push(name.clone());
        for reader in readers.get(name).into_iter().flatten() {
            if let Some(n) = left.get_mut(*reader) {
                *n -= 1;
                if *n == 0 {
                    ready.push(reader);
                }
            }
        }
    }
    let circle: Vec<String> = left.into_keys().cloned().collect();
    for name in &circle {
        catalog.unplanned.insert(name.clone(), "it reads itself through other models".to_owned());
    }
    order.extend(circle);
    order
}
