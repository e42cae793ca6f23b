//! Mutations of an AST in its JSON form: what is absent becomes present, what is empty gets
//! a member, flags are flipped, variants exchanged.
//!
//! The parser's serde form covers every field, and the deserializer knows every type: a
//! value that does not fit a place is refused, and the names of an enum's variants stand in
//! its error message. So nothing here lists the parser's types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use sqlparser::ast::Query;

/// Values seen at places, by the name of the field: what may stand where nothing stands.
#[derive(Default)]
pub struct Donors {
    by_field: BTreeMap<String, Vec<Value>>,
    /// The names of variants that fit a place, by the names of its field and variant.
    variants: BTreeMap<(String, String), Vec<String>>,
    /// What was found to fit where nothing stood, by the last names of the place.
    fitting: BTreeMap<String, Vec<Value>>,
}

/// Values kept for one field.
const KEPT: usize = 12;

impl Donors {
    /// Learns from the JSON form of a query.
    pub fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                for (field, inner) in map {
                    self.keep(field, inner);
                    self.learn(inner);
                }
            }
            Value::Array(list) => list.iter().for_each(|v| self.learn(v)),
            _ => {}
        }
    }

    fn keep(&mut self, field: &str, value: &Value) {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        let kept = self.by_field.entry(field.to_owned()).or_default();
        if !empty && kept.len() < KEPT && !kept.contains(value) {
            kept.push(value.clone());
        }
    }

    fn of(&self, field: &str) -> &[Value] {
        self.by_field.get(field).map_or(&[], Vec::as_slice)
    }
}

/// A place in a JSON tree.
pub type Path = Vec<Step>;

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into a field or variant.
    Field(String),
    /// Into a list.
    At(usize),
}

/// One mutation.
pub struct Mutation {
    pub path: Path,
    pub kind: Kind,
    pub old: Value,
    pub new: Value,
}

/// The variant that a value is, if it stands for one.
pub fn variant(value: &Value) -> &str {
    match value {
        Value::String(name) => name,
        Value::Object(map) => match (map.len(), map.keys().next()) {
            (1, Some(name)) => name,
            _ => "…",
        },
        _ => "…",
    }
}

/// What a mutation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Present,
    Filled,
    Flipped,
    Exchanged,
    Counted,
}

/// The names of the fields and variants down to a place, without spans.
pub fn names(path: &Path) -> Vec<&str> {
    path.iter()
        .filter_map(|step| match step {
            Step::Field(name) => Some(name.as_str()),
            Step::At(_) => None,
        })
        .collect()
}

fn get<'v>(value: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |v, step| match step {
        Step::Field(name) => v.get_mut(name.as_str()),
        Step::At(i) => v.get_mut(i),
    })
}

/// The tree with another value at a place, if that is an AST.
pub fn applied(tree: &mut Value, path: &Path, new: &Value) -> Result<Query, String> {
    let Some(place) = get(tree, path) else {
        return Err("no such place".into());
    };
    let old = std::mem::replace(place, new.clone());
    let made = twinql_clauses::of_json(tree);
    if let Some(place) = get(tree, path) {
        *place = old;
    }
    made
}

/// Shapes that are tried where no donor is known.
fn shapes() -> Vec<Value> {
    let ident = json!({"value": "x", "quote_style": null, "span": span()});
    let number = json!({"Value": {"value": {"Number": ["7", false]}, "span": span()}});
    let name = json!([{"Identifier": ident}]);
    vec![
        json!(true),
        json!(7),
        // A text, and the only character that the AST holds, a quote.
        json!("\""),
        ident.clone(),
        number.clone(),
        name.clone(),
        json!({"value": {"Number": ["7", false]}, "span": span()}),
        json!([]),
        json!({}),
        json!([number]),
        json!([ident]),
        json!([name]),
    ]
}

fn span() -> Value {
    json!({"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 2}})
}

/// Fields that say where something stands, and the tokens that carry such places.
fn is_place(field: &str) -> bool {
    field == "span" || field.ends_with("_token")
}

/// All mutations of a tree.
pub fn mutations(tree: &mut Value, donors: &mut Donors) -> Vec<Mutation> {
    let mut places = Vec::new();
    collect(tree, &mut Vec::new(), &mut places);
    let mut out = Vec::new();
    for (path, value) in places {
        at(tree, path, &value, donors, &mut out);
    }
    out
}

fn collect(value: &Value, path: &mut Path, into: &mut Vec<(Path, Value)>) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Number(_) => {
            into.push((path.clone(), value.clone()));
        }
        Value::Array(list) => {
            if list.is_empty() {
                into.push((path.clone(), value.clone()));
            }
            for (i, inner) in list.iter().enumerate() {
                path.push(Step::At(i));
                collect(inner, path, into);
                path.pop();
            }
        }
        Value::Object(map) => {
            if map.len() == 1 {
                into.push((path.clone(), value.clone()));
            }
            for (field, inner) in map {
                if is_place(field) {
                    continue;
                }
                path.push(Step::Field(field.clone()));
                collect(inner, path, into);
                path.pop();
            }
        }
    }
}

fn at(tree: &mut Value, path: Path, value: &Value, donors: &mut Donors, out: &mut Vec<Mutation>) {
    let field = names(&path).last().map(|s| (*s).to_owned()).unwrap_or_default();
    let mut push = |kind, new| {
        out.push(Mutation { path: path.clone(), kind, old: value.clone(), new });
    };
    match value {
        Value::Null => {
            for v in fitting(tree, &path, &field, false, donors) {
                push(Kind::Present, v);
            }
        }
        Value::Array(_) => {
            for v in fitting(tree, &path, &field, true, donors) {
                push(Kind::Filled, v);
            }
        }
        Value::Bool(b) => push(Kind::Flipped, json!(!b)),
        Value::Number(n) => {
            if let Some(n) = n.as_i64() {
                push(Kind::Counted, json!(n + 1));
            }
        }
        Value::String(variant) => {
            for other in variants(tree, &path, &field, variant, donors) {
                if other != *variant {
                    push(Kind::Exchanged, Value::String(other));
                }
            }
        }
        Value::Object(map) => {
            let Some((variant, inner)) = map.iter().next() else {
                return;
            };
            for other in variants(tree, &path, &field, variant, donors) {
                if other == *variant {
                    continue;
                }
                // The same content, that of a donor, or none.
                let mut contents = vec![inner.clone()];
                contents.extend(donors.of(&other).iter().take(1).cloned());
                let mut made: Vec<Value> = contents
                    .into_iter()
                    .map(|c| Value::Object(Map::from_iter([(other.clone(), c)])))
                    .collect();
                made.push(Value::String(other.clone()));
                if let Some(new) = made.into_iter().find(|v| applied(tree, &path, v).is_ok()) {
                    push(Kind::Exchanged, new);
                }
            }
        }
    }
}

/// Up to two values that may stand at a place where nothing stands.
fn fitting(tree: &mut Value, path: &Path, field: &str, is_list: bool, donors: &mut Donors) -> Vec<Value> {
    let names = names(path);
    let last = names.get(names.len().saturating_sub(3)..).unwrap_or_default();
    let key = format!("{}{}", last.join("."), if is_list { "[]" } else { "" });
    if let Some(known) = donors.fitting.get(&key) {
        return known.clone();
    }
    let mut fits = |v: &Value| applied(tree, path, v).is_ok();
    let present = |v: &Value| !v.is_null() && v.as_array().is_none_or(|l| !l.is_empty());
    let mut found: Vec<Value> = donors
        .of(field)
        .iter()
        .filter(|v| present(v) && (!is_list || v.is_array()) && fits(v))
        .take(2)
        .cloned()
        .collect();
    if found.is_empty() {
        let mut tried = shapes();
        if is_list {
            tried = tried.into_iter().map(|v| json!([v])).collect();
        }
        found.extend(tried.into_iter().filter(|v| fits(v)).take(1));
    }
    if found.is_empty() && !is_list {
        let names = variants(tree, path, field, "", donors);
        let named = names.into_iter().map(Value::String);
        found.extend(named.filter(|v| applied(tree, path, v).is_ok()).take(2));
    }
    if !found.is_empty() {
        donors.fitting.insert(key, found.clone());
    }
    found
}

/// The variants that may stand at a place, from the deserializer's complaint about a name
/// that none has; none where no enum stands.
fn variants(tree: &mut Value, path: &Path, field: &str, variant: &str, donors: &mut Donors) -> Vec<String> {
    const NO_VARIANT: &str = "no such variant";
    let key = (field.to_owned(), variant.to_owned());
    if let Some(known) = donors.variants.get(&key) {
        return known.clone();
    }
    let message = match applied(tree, path, &json!(NO_VARIANT)) {
        Ok(_) => String::new(),
        Err(message) => message,
    };
    let names: BTreeSet<String> = match message.strip_prefix(&format!("unknown variant `{NO_VARIANT}`")) {
        Some(rest) => rest.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        None => BTreeSet::new(),
    };
    let names: Vec<String> = names.into_iter().collect();
    // A field's name may serve several types: only what was found is remembered, and only
    // together with the variant that stood there.
    if !names.is_empty() && !variant.is_empty() {
        donors.variants.insert(key, names.clone());
    }
    names
}
