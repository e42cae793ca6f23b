//! Values of columns whose declared type says what is inside them: STRUCT and ARRAY.
//!
//! A document holds the fields that the queries name in a path, and all of a STRUCT of few; an array has none to three elements. Leaves are of their type: constants of the queries that fit it, else small values.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};
use twinql_sql::schema::Nested;
use twinql_sql::{Dialect, TypeClass, Value};

use super::structured::{steps, written};
use crate::dice::Dice;

/// Fields that a document holds in all.
const MAX_FIELDS: usize = 60;
/// Fields of a STRUCT that are all written, whatever the queries read.
const FEW_FIELDS: usize = 6;

/// What documents are made of.
struct Maker<'a> {
    /// The names in the paths of the queries, in lower case.
    named: HashSet<String>,
    texts: Vec<&'a str>,
    days: Vec<&'a str>,
    numbers: Vec<&'a Value>,
    /// Fields so far, of one document.
    fields: usize,
}

/// Values of such a type for one database, with the constants that the column is compared with and all of the queries.
pub(super) fn values(declared: &str, compared: &[Value], all: &[&Value], dice: &mut Dice) -> Vec<Value> {
    let nested = Nested::of_declared(declared);
    let mut maker =
        Maker { named: HashSet::new(), texts: Vec::new(), days: Vec::new(), numbers: Vec::new(), fields: 0 };
    for constant in compared.iter().chain(all.iter().copied()) {
        match constant {
            Value::Text(path) if path.starts_with('$') => {
                maker.named.extend(steps(path).iter().map(|s| s.to_ascii_lowercase()));
            }
            Value::Text(text) if is_day(text) => maker.days.push(text),
            Value::Text(text) if text.len() < 60 && !text.contains('%') => maker.texts.push(text),
            number @ (Value::Integer(_) | Value::Real(_)) => maker.numbers.push(number),
            _ => {}
        }
    }
    (0..8)
        .map(|_| {
            maker.fields = 0;
            written(&maker.value(&nested, dice))
        })
        .collect()
}

/// Whether a text begins as a date does.
fn is_day(text: &str) -> bool {
    let shape = |(i, b): (usize, u8)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() };
    text.len() >= 10 && text.bytes().take(10).enumerate().all(shape)
}

impl Maker<'_> {
    /// Whether a path names the field, or one inside it.
    fn is_read(&self, name: &str, nested: &Nested) -> bool {
        self.named.contains(&name.to_ascii_lowercase())
            || match nested {
                Nested::Struct(fields) => fields.iter().any(|(name, field)| self.is_read(name, field)),
                Nested::Array(element) => self.is_read("", element),
                Nested::Plain(_) | Nested::Any => false,
            }
    }

    fn value(&mut self, nested: &Nested, dice: &mut Dice) -> Json {
        match nested {
            Nested::Plain(declared) => self.leaf(declared, dice),
            Nested::Struct(fields) => {
                let few = fields.len() <= FEW_FIELDS;
                let read: Vec<&(String, Nested)> =
                    fields.iter().filter(|(name, field)| few || self.is_read(name, field)).collect();
                let wanted = if read.is_empty() { fields.iter().take(FEW_FIELDS).collect() } else { read };
                let mut members = Map::new();
                for (name, field) in wanted {
                    self.fields += 1;
                    // A field that is missing is NULL, an array is not.
                    let is_array = matches!(field, Nested::Array(_));
                    if !is_array && (self.fields > MAX_FIELDS || dice.chance(0.15)) {
                        continue;
                    }
                    let value = self.value(field, dice);
                    members.insert(name.clone(), value);
                }
                Json::Object(members)
            }
            Nested::Array(element) => {
                let count = if self.fields > MAX_FIELDS { 0 } else { dice.below(4) };
                Json::Array((0..count).map(|_| self.value(element, dice)).collect())
            }
            Nested::Any => Json::Object(Map::from_iter([("a".to_owned(), Json::from(1))])),
        }
    }

    fn leaf(&self, declared: &str, dice: &mut Dice) -> Json {
        let constant = dice.chance(0.6);
        match TypeClass::of_declared_in(declared, Dialect::Bigquery) {
            TypeClass::Boolean => Json::from(dice.chance(0.5)),
            TypeClass::Integer | TypeClass::Number => match dice.pick(&self.numbers) {
                Some(Value::Integer(n)) if constant => Json::from(n.saturating_add(dice.below(3) as i64 - 1)),
                Some(Value::Real(r)) if constant => Json::from(r.0),
                _ => Json::from(dice.below(4) as i64 + 1),
            },
            TypeClass::Time => match dice.pick(&self.days) {
                Some(day) if constant => Json::from(*day),
                _ => Json::from(["2024-01-01", "2024-01-02", "2023-12-31"][dice.below(3)]),
            },
            TypeClass::Text | TypeClass::Other => match dice.pick(&self.texts) {
                Some(text) if constant => Json::from(*text),
                _ => Json::from(["a", "b", "7"][dice.below(3)]),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_the_fields_that_paths_name() {
        let declared = "ARRAY<STRUCT<page STRUCT<path STRING, a INT64, b INT64, c INT64, d INT64, e INT64, \
                        title STRING>, n INT64>>";
        let constants = [Value::Text("$.page.path".into()), Value::Text("/home".into()), Value::Integer(40)];
        let all: Vec<&Value> = constants.iter().collect();
        let mut dice = Dice::new(7, 0);
        let made = values(declared, &[], &all, &mut dice);
        let texts: Vec<String> = made
            .into_iter()
            .map(|v| match v {
                Value::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(texts.iter().any(|t| t.contains(r#""path":"/home""#)), "{texts:?}");
        assert!(!texts.iter().any(|t| t.contains("title")), "{texts:?}");
        assert!(texts.iter().any(|t| t == "[]") || texts.iter().any(|t| t.matches("page").count() > 1));
    }
}
