//! Tiny databases: tables of at most a handful of rows, with values from one short list for each type.

use std::collections::HashSet;

use twinql_sql::temporal::Moment;
use twinql_sql::tree::{Node, Tree};
use twinql_sql::{Column, ColumnRef, Expr, Plan, Schema, Semantics, TypeClass, Value};

use crate::database::{Database, Row, parents_first, project, store};
use crate::dice::Dice;
use crate::generate::Generator;
use crate::generate::values::{Style, near_date};

/// Rows of a table, at most; the numbers at the end are rare.
const ROWS: [usize; 8] = [1, 1, 2, 2, 3, 3, 4, 5];

/// Times that a row is drawn again because its key is taken.
const DRAWS: usize = 6;

/// Whole numbers: of either sign, with the ends of Booleans.
const WHOLE: [i64; 6] = [0, 1, 2, 3, -1, 10];

/// Numbers with more digits than ROUND is asked for, halves, and whole ones as reals.
const FRACTIONS: [f64; 7] = [0.0, 1.0, 0.5, 2.0, 2.126, -1.5, 0.004];

/// Texts: empty, in either case, with blanks at the ends, numbers in several spellings.
const TEXTS: [&str; 12] = ["a", "A", "b", "ab", "", " ab", "ab ", "1", "01", "1.0", "2", "10"];

/// Days and moments: ends of months and years, the same day with a time.
const TIMES: [&str; 6] =
    ["2020-01-01", "2020-01-31", "2020-02-29", "2019-12-31", "2020-01-01 00:00:00", "2020-01-01 10:30:00"];

/// Values by kind: the lists above with the constants of the queries.
#[derive(Debug)]
pub(super) struct Pools {
    whole: Vec<Value>,
    numbers: Vec<Value>,
    texts: Vec<Value>,
    times: Vec<Value>,
}

impl Pools {
    pub(super) fn new<'p>(plans: impl Iterator<Item = &'p Plan>) -> Pools {
        let text = |t: &&str| Value::Text((*t).to_owned());
        let mut pools = Pools {
            whole: WHOLE.iter().map(|i| Value::Integer(*i)).collect(),
            numbers: FRACTIONS.iter().map(|r| Value::Real((*r).into())).collect(),
            texts: TEXTS.iter().map(text).collect(),
            times: TIMES.iter().map(text).collect(),
        };
        for plan in plans {
            plan.query.for_each_deep(|node| {
                if let Node::Expr(Expr::Literal(value)) = node {
                    pools.add(value);
                }
            });
        }
        pools.numbers.extend(pools.whole.clone());
        pools
    }

    /// A constant with its neighbours: one more and one less, the other case, a pattern as a text without wildcards.
    fn add(&mut self, value: &Value) {
        // Values have their column's type: a column of dates holds dates. A part of one is completed.
        if matches!(value, Value::Integer(_) | Value::Text(_)) {
            self.times.push(near_date(Style::Days, value, true, &mut Dice::new(0, 0)));
        }
        match value {
            Value::Integer(i) => {
                let near = [Some(*i), i.checked_add(1), i.checked_sub(1)];
                self.whole.extend(near.into_iter().flatten().map(Value::Integer));
                self.texts.push(Value::Text(i.to_string()));
            }
            Value::Real(r) => {
                self.numbers.extend([r.0, r.0 + 0.001, r.0 - 1.0].map(|r| Value::Real(r.into())));
            }
            Value::Text(t) if t.len() <= 64 => {
                let plain = t.replace(['%', '*'], "x").replace(['_', '?'], "y");
                let swapped: String =
                    t.chars()
                        .map(|c| {
                            if c.is_ascii_lowercase() {
                                c.to_ascii_uppercase()
                            } else {
                                c.to_ascii_lowercase()
                            }
                        })
                        .collect();
                self.texts.extend([t.clone(), plain, swapped].map(Value::Text));
                self.times.extend(Moment::parse(t).map(|_| value.clone()));
                let number = store(Value::Text(t.clone()), twinql_sql::Affinity::Numeric);
                if let Value::Integer(_) = number {
                    self.whole.push(number);
                }
            }
            _ => {}
        }
    }

    /// What columns of a type are filled from.
    fn of(&self, column: &Column) -> Vec<&Value> {
        match column.class {
            TypeClass::Integer => self.whole.iter().collect(),
            TypeClass::Boolean => self.whole.iter().take(2).collect(),
            TypeClass::Number => self.numbers.iter().collect(),
            TypeClass::Text => self.texts.iter().collect(),
            TypeClass::Time => self.times.iter().collect(),
            TypeClass::Other => self.whole.iter().chain(&self.texts).chain(&self.numbers).collect(),
        }
    }
}

/// A tiny database over the generator's tables; none where a table that must have a row can get none.
pub(super) fn database(
    schema: &Schema,
    semantics: &Semantics,
    generator: &Generator<'_>,
    pools: &Pools,
    (seed, index): (u64, u64),
) -> Option<Database> {
    let mut dice = Dice::new(seed, index);
    let targets = |t: usize| schema.tables[t].foreign_keys.iter().map(|f| f.target).collect();
    let mut database = Database { tables: vec![None; schema.tables.len()] };
    for table in parents_first(generator.tables(), targets) {
        let rows = rows(schema, semantics, pools, &database, table, &mut dice);
        if rows.is_empty() && !semantics.empty_tables {
            return None;
        }
        database.tables[table] = Some(rows);
    }
    Some(database)
}

fn rows(
    schema: &Schema,
    semantics: &Semantics,
    pools: &Pools,
    database: &Database,
    table: usize,
    dice: &mut Dice,
) -> Vec<Row> {
    let definition = &schema.tables[table];
    let count = match semantics.empty_tables && dice.chance(0.15) {
        true => 0,
        false => dice.pick(&ROWS).copied().unwrap_or(1),
    };
    // Few values for each column, so that rows agree in some and differ in others.
    let values: Vec<Vec<Value>> = definition
        .columns
        .iter()
        .map(|column| {
            let pool = pools.of(column);
            let some = 1 + dice.below(4);
            let drawn = (0..some).filter_map(|_| dice.pick(&pool).map(|v| (*v).clone()));
            drawn.map(|v| store(v, column.affinity)).collect()
        })
        .collect();
    let keys: Vec<Vec<usize>> = match semantics.keys_hold {
        true => std::iter::once(&definition.primary_key).chain(&definition.unique).cloned().collect(),
        false => Vec::new(),
    };
    let mut taken: HashSet<(usize, Row)> = HashSet::new();
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..count {
        for _ in 0..DRAWS {
            let row = row(schema, semantics, pools, (database, &rows), table, (&values, dice));
            let own: Vec<(usize, Row)> = keys
                .iter()
                .enumerate()
                .map(|(at, key)| (at, project(&row, key)))
                .filter(|(_, key)| !key.is_empty() && !key.contains(&Value::Null))
                .collect();
            if own.iter().all(|key| !taken.contains(key)) {
                taken.extend(own);
                rows.push(row);
                break;
            }
        }
    }
    rows
}

/// One row: values of the columns' lists, NULLs where they may be, and references to rows that there are.
fn row(
    schema: &Schema,
    semantics: &Semantics,
    pools: &Pools,
    (database, before): (&Database, &[Row]),
    table: usize,
    (values, dice): (&[Vec<Value>], &mut Dice),
) -> Row {
    let definition = &schema.tables[table];
    let mut row: Row = Vec::with_capacity(definition.columns.len());
    for (at, column) in definition.columns.iter().enumerate() {
        let nullable = semantics.may_be_null(ColumnRef { table, column: at }, column);
        let value = match nullable && dice.chance(0.25) {
            true => Value::Null,
            // A key needs as many values as there are rows.
            false if dice.chance(0.3) => {
                let fresh = dice.pick(&pools.of(column)).map(|v| (*v).clone());
                store(fresh.unwrap_or(Value::Null), column.affinity)
            }
            false => dice.pick(&values[at]).cloned().unwrap_or(Value::Null),
        };
        row.push(value);
    }
    for key in &definition.foreign_keys {
        let held = semantics.foreign_keys_hold || dice.chance(0.6);
        let parents = if key.target == table { before } else { database.rows(key.target) };
        let null = key.columns.iter().any(|c| row.get(*c) == Some(&Value::Null));
        if let Some(parent) = dice.pick(parents).filter(|_| held && !null) {
            for (own, theirs) in key.columns.iter().zip(&key.target_columns) {
                if let (Some(cell), Some(value)) = (row.get_mut(*own), parent.get(*theirs)) {
                    *cell = value.clone();
                }
            }
        } else if key.target == table && held && !null {
            // The first row of a table that refers to itself refers to itself.
            for (own, theirs) in key.columns.iter().zip(&key.target_columns) {
                if let Some(value) = row.get(*theirs).cloned() {
                    row[*own] = value;
                }
            }
        }
    }
    row
}
