//! What a schema states of its data, each statement by its name, and which of them a proof of equality uses.
//!
//! Rules do not say which key they went by. They need not: a statement is taken away, and the proof is tried again. What
//! is left at the end is a least set, from which the proof holds, and from no part of it.
//!
//! ```
//! use twinql::premises::used;
//! use twinql::{Schema, Semantics};
//!
//! let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER)";
//! let schema = Schema::from_ddl("concerts", ddl)?;
//! let declared = Semantics::preset("declared").unwrap_or_default();
//! let names = used(&schema, "SELECT DISTINCT id FROM singer", "SELECT id FROM singer", &declared);
//! assert_eq!(names, ["primary_key(singer.id)"]);
//! # Ok::<(), twinql::sql::SchemaError>(())
//! ```

use twinql_sql::{Proof, Schema, Semantics, prove};

/// A statement of a schema: where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Premise {
    NotNull(usize, usize),
    /// The values of an enumerated type, or that a CHECK lists.
    Values(usize, usize),
    Check(usize, usize),
    Reference(usize, usize),
    Unique(usize, usize),
    PrimaryKey(usize),
}

/// A name that no statement of a schema has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no schema states {name}; give a name as proofs do: unique(t.c), not_null(t.c), primary_key(t.c), references(t.c), values(t.c), check(t: …)"
)]
pub struct UnknownPremise {
    /// The name.
    pub name: String,
}

/// All statements of a schema: those that follow from others first, so that the others stay where either would do.
fn all(schema: &Schema) -> Vec<Premise> {
    let mut found: [Vec<Premise>; 6] = Default::default();
    let [not_null, values, checks, references, unique, primary_keys] = &mut found;
    for (t, table) in schema.tables.iter().enumerate() {
        for (c, column) in table.columns.iter().enumerate() {
            // A primary key says so of its columns itself.
            if column.not_null && !table.primary_key.contains(&c) {
                not_null.push(Premise::NotNull(t, c));
            }
            if !column.values.is_empty() {
                values.push(Premise::Values(t, c));
            }
        }
        checks.extend((0..table.checks.len()).map(|n| Premise::Check(t, n)));
        references.extend((0..table.foreign_keys.len()).map(|n| Premise::Reference(t, n)));
        unique.extend((0..table.unique.len()).map(|n| Premise::Unique(t, n)));
        if !table.primary_key.is_empty() {
            primary_keys.push(Premise::PrimaryKey(t));
        }
    }
    found.concat()
}

impl Premise {
    /// As dbt calls such tests, with the columns.
    fn name(self, schema: &Schema) -> String {
        let of = |what: &str, table: usize, columns: &[usize]| {
            let table = &schema.tables[table];
            let names: Vec<&str> = columns.iter().map(|&c| table.columns[c].name.as_str()).collect();
            format!("{what}({}.{})", table.name, names.join(", "))
        };
        match self {
            Premise::NotNull(t, c) => of("not_null", t, &[c]),
            Premise::Values(t, c) => of("values", t, &[c]),
            Premise::Check(t, n) => {
                let table = &schema.tables[t];
                format!("check({}: {})", table.name, table.checks[n].expr)
            }
            Premise::Reference(t, n) => of("references", t, &schema.tables[t].foreign_keys[n].columns),
            Premise::Unique(t, n) => of("unique", t, &schema.tables[t].unique[n]),
            Premise::PrimaryKey(t) => of("primary_key", t, &schema.tables[t].primary_key),
        }
    }
}

/// The schema without these statements.
fn lacking(schema: &Schema, gone: &[Premise]) -> Schema {
    /// What stands at the places that are not gone.
    fn rest<T: Clone>(all: &[T], is_gone: impl Fn(usize) -> bool) -> Vec<T> {
        all.iter().enumerate().filter(|(n, _)| !is_gone(*n)).map(|(_, one)| one.clone()).collect()
    }
    let mut out = schema.clone();
    for (t, table) in out.tables.iter_mut().enumerate() {
        let has = |premise: Premise| gone.contains(&premise);
        table.checks = rest(&table.checks, |n| has(Premise::Check(t, n)));
        table.foreign_keys = rest(&table.foreign_keys, |n| has(Premise::Reference(t, n)));
        table.unique = rest(&table.unique, |n| has(Premise::Unique(t, n)));
        let keyless = has(Premise::PrimaryKey(t));
        for (c, column) in table.columns.iter_mut().enumerate() {
            let undone = has(Premise::NotNull(t, c)) || keyless && table.primary_key.contains(&c);
            column.not_null &= !undone;
            if has(Premise::Values(t, c)) {
                column.values.clear();
            }
        }
        if keyless {
            table.primary_key.clear();
        }
    }
    out
}

/// The schema without the statements of these names; those that it does not have are handed back.
pub fn without<'n>(schema: &Schema, names: &'n [String]) -> (Schema, Vec<&'n String>) {
    let known = all(schema);
    let named = |name: &&String| known.iter().any(|premise| premise.name(schema) == name.trim());
    let unknown = names.iter().filter(|name| !named(name)).collect();
    let gone: Vec<Premise> = known
        .iter()
        .copied()
        .filter(|premise| names.iter().any(|name| premise.name(schema) == name.trim()))
        .collect();
    (lacking(schema, &gone), unknown)
}

/// The table of which a statement of this name is made; none of what is no such name.
pub fn table(name: &str) -> Option<&str> {
    let (_, inside) = name.strip_suffix(')')?.split_once('(')?;
    Some(inside.split_once(['.', ':'])?.0)
}

/// The names of the statements of the schema from which the two queries are proved equal: a least set. Empty where they
/// are not proved equal, or are so whatever the schema states.
pub fn used(schema: &Schema, gold: &str, pred: &str, semantics: &Semantics) -> Vec<String> {
    let holds = |schema: &Schema| matches!(prove(schema, gold, pred, semantics), Ok(Proof::Equal(_)));
    if !holds(schema) {
        return Vec::new();
    }
    let mut search = Search { schema, holds: &holds, gone: Vec::new(), needed: Vec::new() };
    search.thin(&all(schema));
    search.needed.into_iter().map(|premise| premise.name(schema)).collect()
}

/// Takes away what is not needed, in halves: most of a schema says nothing of a pair.
struct Search<'s> {
    schema: &'s Schema,
    holds: &'s dyn Fn(&Schema) -> bool,
    gone: Vec<Premise>,
    needed: Vec<Premise>,
}

impl Search<'_> {
    fn thin(&mut self, part: &[Premise]) {
        if part.is_empty() {
            return;
        }
        let less: Vec<Premise> = self.gone.iter().chain(part).copied().collect();
        if (self.holds)(&lacking(self.schema, &less)) {
            self.gone = less;
        } else if let [one] = part {
            self.needed.push(*one);
        } else {
            let (first, second) = part.split_at(part.len() / 2);
            self.thin(first);
            self.thin(second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DDL: &str = "CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, age INTEGER CHECK (age > 0));
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer(id), total REAL);";

    fn schema() -> Schema {
        Schema::from_ddl("shop", DDL).unwrap()
    }

    fn names(gold: &str, pred: &str) -> Vec<String> {
        used(&schema(), gold, pred, &Semantics::preset("declared").unwrap())
    }

    #[test]
    fn a_proof_names_what_it_uses_of_the_schema() {
        let joined = "SELECT o.total FROM orders o JOIN customer c ON o.customer_id = c.id";
        let used = names(joined, "SELECT total FROM orders");
        let expected =
            ["not_null(orders.customer_id)", "references(orders.customer_id)", "primary_key(customer.id)"];
        assert_eq!(used, expected);
        assert_eq!(
            used.iter().filter_map(|name| table(name)).collect::<Vec<_>>(),
            ["orders", "orders", "customer"]
        );
        assert_eq!((table("check(orders: total > 0)"), table("keys hold")), (Some("orders"), None));
        assert_eq!(
            names("SELECT DISTINCT email FROM customer", "SELECT email FROM customer"),
            // Without the second, several customers may have none.
            ["not_null(customer.email)", "unique(customer.email)"]
        );
        assert_eq!(names("SELECT age FROM customer WHERE 1 = 1", "SELECT age FROM customer"), [""; 0]);
        assert_eq!(names("SELECT age FROM customer", "SELECT id FROM customer"), [""; 0]);
    }

    /// From what is named the proof holds, and without any one of it no more.
    #[test]
    fn without_a_premise_the_proof_is_gone() {
        let (gold, pred) = ("SELECT COUNT(email) FROM customer", "SELECT COUNT(*) FROM customer");
        let declared = Semantics::preset("declared").unwrap();
        let names = names(gold, pred);
        assert_eq!(names, ["not_null(customer.email)"]);
        let (lacking, unknown) = without(&schema(), &names);
        assert!(unknown.is_empty());
        assert!(!matches!(prove(&lacking, gold, pred, &declared), Ok(Proof::Equal(_))));
        let wrong = ["unique(customer.age)".to_owned()];
        assert_eq!(without(&schema(), &wrong), (schema(), vec![&wrong[0]]));
    }
}
