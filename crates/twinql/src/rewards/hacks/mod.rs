//! Completions that would like to be rewarded and deserve nothing, to test rewards with: each kind is one unit.
//!
//! A policy does not see the gold, but over many steps it finds whatever a reward is blind for. So many of these are
//! made of the gold itself: if a query that holds the gold's every token and answers nothing earns no more than an
//! honest mistake, neither does what comes near it.

mod constants;
mod texts;
mod turned;

use std::sync::Arc;

use twinql_corpus::turned as turned_golds;
use twinql_sql::Schema;

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
        self.turned().written("{line}")
    }

    /// The gold as what is turned against itself.
    fn turned(&self) -> turned_golds::Target<'_> {
        turned_golds::Target { schema: self.schema, gold: self.gold }
    }
}

/// A kind of degenerate completion.
#[derive(Clone, Copy)]
pub struct Hack {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    make: Make,
}

/// How a completion is made.
#[derive(Clone, Copy)]
enum Make {
    /// By a function of its own.
    Own(fn(&Target<'_>) -> String),
    /// A block of SQL, as [`turned_golds::Target::written`] says.
    Sql(&'static str),
    /// By the kind of this name in [`twinql_corpus::turned`].
    Turned(&'static str),
}

impl Hack {
    /// One for a gold; an empty block where the kind does not apply.
    pub fn make(&self, target: &Target<'_>) -> String {
        match self.make {
            Make::Own(make) => make(target),
            Make::Sql(template) => block(target.turned().written(template)),
            Make::Turned(kind) => {
                let found = turned_golds::TURNED.iter().find(|turned| turned.name == kind);
                block(found.and_then(|turned| turned.make(&target.turned())).unwrap_or_default())
            }
        }
    }
}

const fn hack(name: &'static str, summary: &'static str, make: fn(&Target<'_>) -> String) -> Hack {
    Hack { name, summary, make: Make::Own(make) }
}

const fn sql(name: &'static str, summary: &'static str, template: &'static str) -> Hack {
    Hack { name, summary, make: Make::Sql(template) }
}

const fn turned(name: &'static str, summary: &'static str, kind: &'static str) -> Hack {
    Hack { name, summary, make: Make::Turned(kind) }
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
