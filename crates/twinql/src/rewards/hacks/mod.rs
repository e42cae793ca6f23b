//! Completions that would like to be rewarded and deserve nothing, to test rewards with: each kind is one unit.
//!
//! A policy does not see the gold, but over many steps it finds whatever a reward is blind for. So many of these are
//! made of the gold itself: if a query that holds the gold's every token and answers nothing earns no more than an
//! honest mistake, neither does what comes near it.

mod constants;
mod texts;
mod turned;

use std::sync::Arc;

use twinql_sql::{Schema, parse, plan};

/// What a degenerate completion is made of.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The schema of the gold.
    pub schema: &'a Arc<Schema>,
    /// The gold, one statement without `;`.
    pub gold: &'a str,
}

impl Target<'_> {
    /// The gold on one line.
    fn line(&self) -> String {
        self.gold.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The gold as a table.
    fn table(&self) -> String {
        format!("SELECT * FROM ({})", self.gold)
    }

    /// The name of the schema's first table, quoted.
    fn first_table(&self) -> String {
        let name = self.schema.tables.first().map_or("t", |table| table.name.as_str());
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    /// How many columns the gold answers.
    fn width(&self) -> usize {
        let planned = parse(self.gold).and_then(|parsed| plan(self.schema, &parsed));
        planned.map_or(1, |plan| plan.query.output.len().max(1))
    }

    /// This for each column of the gold, separated by commas.
    fn for_each_column(&self, value: &str) -> String {
        vec![value; self.width()].join(", ")
    }
}

/// A kind of degenerate completion.
#[derive(Clone, Copy)]
pub struct Hack {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Makes one for a gold.
    pub make: fn(&Target<'_>) -> String,
}

impl std::fmt::Debug for Hack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All kinds, by what they are made of.
pub static HACKS: [(&str, &[Hack]); 3] = [
    ("Texts that are no single query", texts::HACKS),
    ("Queries that ask nothing", constants::HACKS),
    ("The gold turned against itself", turned::HACKS),
];

/// All kinds, in order.
pub fn hacks() -> impl Iterator<Item = &'static Hack> {
    HACKS.iter().flat_map(|(_, list)| list.iter())
}

/// SQL as a model gives it.
fn block(sql: impl AsRef<str>) -> String {
    format!("```sql\n{}\n```", sql.as_ref())
}
