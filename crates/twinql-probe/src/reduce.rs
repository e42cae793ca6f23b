//! The part of a schema that two queries read.
//!
//! A probe makes databases for it alone. So columns that nobody reads cost nothing, and a score does not change with what is not
//! read, nor with the order of tables and columns in the schema: they stand in the order in which the queries name them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use twinql_sql::columns::Reads;
use twinql_sql::tree::{Node, NodeMut, Tree};
use twinql_sql::{ColumnId, ColumnRef, ForeignKey, Nulls, Parsed, Plan, Rel, Schema, Semantics, Table};
use twinql_suite::facts::Facts;

/// What a probe has to know of a query's text.
#[derive(Debug)]
pub struct Reading {
    /// Its constants and links, which guide how rows are made.
    facts: Facts,
    /// Its tables, in the order in which it names them.
    tables: Vec<usize>,
    /// Its columns, in the same way.
    columns: Vec<ColumnRef>,
    /// It has an ORDER BY. SQLite's answer may follow one that SQL gives no meaning, and that a rule has removed.
    pub(crate) sorts: bool,
}

impl Reading {
    /// Of a text and its plan, on which no rule has worked.
    pub fn of(schema: &Schema, text: &Parsed, plan: &Plan) -> Reading {
        let scanned = scanned(plan);
        let facts = Facts::of(schema, &text.query);
        let mut reading = Reading { facts, tables: Vec::new(), columns: Vec::new(), sorts: false };
        let mut known = BTreeSet::new();
        let mut name = |reading: &mut Reading, id: ColumnId| {
            if let Some(at) = scanned.get(&id)
                && known.insert(*at)
            {
                reading.columns.push(*at);
            }
        };
        plan.query.for_each_deep(|node| match node {
            Node::Expr(twinql_sql::Expr::Column(c)) => name(&mut reading, *c),
            Node::Query(query) => query.output.iter().for_each(|c| name(&mut reading, *c)),
            Node::Rel(Rel::Scan { table, .. }) if !reading.tables.contains(table) => {
                reading.tables.push(*table)
            }
            Node::Rel(Rel::Sort { keys, .. }) => reading.sorts |= !keys.is_empty(),
            _ => {}
        });
        reading
    }
}

/// The column of the schema that each id of a scan stands for.
fn scanned(plan: &Plan) -> HashMap<ColumnId, ColumnRef> {
    let mut all = HashMap::new();
    plan.query.for_each_deep(|node| {
        if let Node::Rel(Rel::Scan { table, columns }) = node {
            all.extend(columns.iter().map(|&(id, column)| (id, ColumnRef { table: *table, column })));
        }
    });
    all
}

/// A part of a schema, and where its columns stand in the whole.
#[derive(Debug)]
pub(crate) struct Reduced {
    /// The tables and columns that are read, in the order in which the queries name them.
    pub(crate) schema: Schema,
    /// The number of each table that is kept, by the one that it has in the whole schema.
    tables: HashMap<usize, usize>,
    /// The same for columns.
    columns: HashMap<ColumnRef, ColumnRef>,
}

impl Reduced {
    /// What two trees read of a schema, and what binds it: keys, CHECKs, and foreign keys between the tables.
    ///
    /// A table that is not read is left out with the keys that refer to it: whatever rows are made, it can have the rows that
    /// they refer to.
    pub(crate) fn of(schema: &Schema, sides: [(&Plan, &Reading); 2]) -> Reduced {
        let mut order: Vec<usize> = Vec::new();
        let mut columns: Vec<ColumnRef> = Vec::new();
        for (_, reading) in sides {
            order.extend(&reading.tables);
            columns.extend(&reading.columns);
        }
        // What rules have added is in no text: by name.
        let mut added: Vec<(&str, ColumnRef)> = Vec::new();
        let name = |at: ColumnRef| schema.column(at).map_or("", |c| c.name.as_str());
        for (plan, _) in sides {
            let read = plan.query.reads();
            for (id, at) in scanned(plan) {
                order.push(at.table);
                if read.contains(&id) {
                    added.push((name(at), at));
                }
            }
        }
        unique(&mut order);
        for &t in &order {
            let Some(table) = schema.tables.get(t) else { continue };
            let own = |column: usize| (name(ColumnRef { table: t, column }), ColumnRef { table: t, column });
            // CHECKs and generated columns may name any column of the table, so all are kept.
            let bound = !table.checks.is_empty() || table.columns.iter().any(|c| c.generated.is_some());
            if bound {
                added.extend((0..table.columns.len()).map(own));
            }
            added
                .extend(std::iter::once(&table.primary_key).chain(&table.unique).flatten().copied().map(own));
            for key in table.foreign_keys.iter().filter(|key| order.contains(&key.target)) {
                added.extend(key.columns.iter().copied().map(own));
                added.extend(key.target_columns.iter().map(|&column| {
                    let at = ColumnRef { table: key.target, column };
                    (name(at), at)
                }));
            }
        }
        added.sort_unstable();
        columns.extend(added.into_iter().map(|(_, at)| at));
        unique(&mut columns);
        // Rows of a table of which nothing is named are counted all the same.
        for &t in &order {
            if !columns.iter().any(|c| c.table == t) {
                let first = schema.tables.get(t).and_then(|table| {
                    (0..table.columns.len()).min_by_key(|&c| table.columns.get(c).map(|c| c.name.as_str()))
                });
                columns.extend(first.map(|column| ColumnRef { table: t, column }));
            }
        }
        Reduced::to(schema, &order, &columns)
    }

    /// The schema with these tables and columns in this order. A key of which a column is missing is left out: over the
    /// rest of its columns it would say more than the schema does.
    fn to(schema: &Schema, order: &[usize], columns: &[ColumnRef]) -> Reduced {
        let tables: HashMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let mut places: HashMap<ColumnRef, ColumnRef> = HashMap::new();
        let mut reduced: Vec<Table> = Vec::with_capacity(order.len());
        for (new, old) in order.iter().enumerate() {
            let Some(table) = schema.tables.get(*old) else { continue };
            let mut part =
                Table { name: table.name.clone(), schema: table.schema.clone(), ..Table::default() };
            for at in columns.iter().filter(|at| at.table == *old) {
                if let Some(column) = schema.column(*at) {
                    places.insert(*at, ColumnRef { table: new, column: part.columns.len() });
                    part.columns.push(column.clone());
                }
            }
            reduced.push(part);
        }
        let place = |table: usize, list: &[usize]| -> Option<Vec<usize>> {
            list.iter().map(|&column| places.get(&ColumnRef { table, column }).map(|at| at.column)).collect()
        };
        for (part, old) in reduced.iter_mut().zip(order) {
            let Some(table) = schema.tables.get(*old) else { continue };
            part.primary_key = place(*old, &table.primary_key).unwrap_or_default();
            part.unique = table.unique.iter().filter_map(|key| place(*old, key)).collect();
            part.checks.clone_from(&table.checks);
            let keys = table.foreign_keys.iter().filter_map(|key| {
                Some(ForeignKey {
                    columns: place(*old, &key.columns)?,
                    target: *tables.get(&key.target)?,
                    target_columns: place(key.target, &key.target_columns)?,
                })
            });
            part.foreign_keys = keys.collect();
            // Which key is found first says nothing.
            part.unique.sort_unstable();
            part.foreign_keys.sort_unstable_by(|a, b| (&a.columns, a.target).cmp(&(&b.columns, b.target)));
        }
        let schema = Schema {
            db_id: schema.db_id.clone(),
            tables: reduced,
            exact_names: schema.exact_names,
            views: schema.views.clone(),
            typing: schema.typing,
            notes: Vec::new(),
        };
        Reduced { schema, tables, columns: places }
    }

    /// A tree over the whole schema as one over this part.
    pub(crate) fn plan(&self, plan: &Plan) -> Plan {
        let mut plan = plan.clone();
        plan.query.map_up_deep(|node| {
            if let NodeMut::Rel(Rel::Scan { table, columns }) = node {
                let old = *table;
                let place = |(id, column): &(ColumnId, usize)| {
                    let at = self.columns.get(&ColumnRef { table: old, column: *column })?;
                    Some((*id, at.column))
                };
                *columns = columns.iter().filter_map(place).collect();
                *table = self.tables.get(&old).copied().unwrap_or(usize::MAX);
            }
        });
        plan
    }

    /// What guides how rows are made for a query.
    pub(crate) fn facts(&self, reading: &Reading) -> Facts {
        reading.facts.within(|table| self.tables.get(&table).copied(), |at| self.columns.get(&at).copied())
    }

    /// A semantics over the whole schema as one over this part: it may name columns.
    pub(crate) fn semantics<'s>(&self, semantics: &'s Semantics) -> Cow<'s, Semantics> {
        let Nulls::In(columns) = &semantics.nulls else { return Cow::Borrowed(semantics) };
        let own = columns.iter().filter_map(|at| self.columns.get(at).copied()).collect();
        Cow::Owned(Semantics { nulls: Nulls::In(own), ..semantics.clone() })
    }
}

/// Leaves the first of equal items.
fn unique<T: Copy + Ord>(list: &mut Vec<T>) {
    let mut seen = BTreeSet::new();
    list.retain(|item| seen.insert(*item));
}

#[cfg(test)]
mod tests {
    use twinql_sql::{parse, plan};

    use super::*;

    fn reduced(ddl: &str, gold: &str, pred: &str) -> Reduced {
        let schema = Schema::from_ddl("d", ddl).unwrap();
        let sides = [gold, pred].map(|sql| {
            let parsed = parse(sql).unwrap();
            let plan = plan(&schema, &parsed).unwrap();
            let reading = Reading::of(&schema, &parsed, &plan);
            (plan, reading)
        });
        Reduced::of(&schema, [(&sides[0].0, &sides[0].1), (&sides[1].0, &sides[1].1)])
    }

    #[test]
    fn what_is_not_read_is_left_out_and_keys_stay() {
        let ddl = "CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
            CREATE TABLE player (id INTEGER PRIMARY KEY, born DATE, club INTEGER REFERENCES club (id), name TEXT,
                coach INTEGER REFERENCES coach (id));
            CREATE TABLE coach (id INTEGER PRIMARY KEY);";
        let turned = "CREATE TABLE coach (id INTEGER PRIMARY KEY, pay REAL);
            CREATE TABLE player (name TEXT, club INTEGER REFERENCES club (id), id INTEGER PRIMARY KEY, born DATE);
            CREATE TABLE club (city TEXT, id INTEGER PRIMARY KEY, name TEXT);";
        let gold = "SELECT p.name FROM player p JOIN club c ON p.club = c.id WHERE c.name = 'a'";
        let pred = "SELECT name FROM player WHERE born > '2000-01-01'";
        let found = reduced(ddl, gold, pred);
        let names =
            |t: &Table| (t.name.clone(), t.columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>());
        let all: Vec<_> = found.schema.tables.iter().map(names).collect();
        let of = |table: &str, columns: &[&str]| {
            (table.to_owned(), columns.iter().map(|c| (*c).to_owned()).collect())
        };
        let mut sorted = all.clone();
        sorted.iter_mut().for_each(|(_, columns): &mut (String, Vec<String>)| columns.sort());
        sorted.sort();
        assert_eq!(sorted, [of("club", &["id", "name"]), of("player", &["born", "club", "id", "name"])]);
        let keys: usize = found.schema.tables.iter().map(|t| t.foreign_keys.len()).sum();
        assert_eq!(keys, 1);
        // Neither the order of tables and columns matters, nor what is not read.
        assert_eq!(reduced(turned, gold, pred).schema, found.schema);
    }
}
