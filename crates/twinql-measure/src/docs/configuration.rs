//! docs/reference/configuration.md: every key of the configuration files, from the types that read them.

use serde_json::{Map, Value};
use twinql::corpus::build::BuildConfig;
use twinql_train::corpora::RunConfig;

use super::Page;
use super::tables::{code, table, written_from};

/// The page.
pub(super) fn page() -> Result<Page, Box<dyn std::error::Error>> {
    let files = [
        (
            "Training and pretraining",
            "of `twinql train` and `twinql pretrain`",
            schemars::schema_for!(RunConfig),
        ),
        ("Corpora", "of `twinql corpus build`", schemars::schema_for!(BuildConfig)),
    ];
    let mut text = format!("# Configuration files\n\n{}\n", written_from("the types that read them"));
    text += "Every key with its type and its default. Unknown keys are refused.\n";
    for (title, of, schema) in files {
        let schema = serde_json::to_value(schema)?;
        text += &format!("\n## {title}\n\nThe TOML file {of}.\n");
        let mut section = Section { text: &mut text, root: &schema };
        section.write(&schema, "");
    }
    Ok(Page { path: "docs/reference/configuration.md".into(), text })
}

/// Writes the tables of one file.
struct Section<'s> {
    text: &'s mut String,
    /// The whole schema, to which references lead.
    root: &'s Value,
}

impl<'s> Section<'s> {
    /// The keys of a table of the file, and below them those of the tables in it.
    fn write(&mut self, schema: &'s Value, path: &str) {
        let keys = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut rows = Vec::new();
        let mut below = Vec::new();
        for (key, value) in keys {
            let inner = self.inner(value);
            let listed = inner.get("items").map(|items| self.inner(items));
            let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let kind = match (is_table(inner), listed.filter(|items| is_table(items))) {
                (true, _) => {
                    below.push((inner, place.clone(), format!("[{place}]")));
                    format!("the table `[{place}]`")
                }
                (false, Some(items)) => {
                    below.push((items, place.clone(), format!("[[{place}]]")));
                    format!("tables `[[{place}]]`")
                }
                (false, None) => self.kind(inner),
            };
            let default = if kind.contains('[') { String::new() } else { default_of(value) };
            rows.push([code(key), kind, default, words(value, inner)]);
        }
        *self.text += &format!("\n{}", table(["key", "type", "default", "what it is"], rows));
        for (inner, place, heading) in below {
            *self.text += &format!("\n### `{heading}`\n");
            self.write(inner, &place);
        }
    }

    /// What a value's schema is about: references are followed, and what may be left out is what it is otherwise.
    fn inner(&self, schema: &'s Value) -> &'s Value {
        if let Some(at) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(at.trim_start_matches('#'));
            return target.map_or(schema, |target| self.inner(target));
        }
        let choices = schema.get("anyOf").and_then(Value::as_array);
        match choices.and_then(|all| all.iter().find(|one| one.get("type") != Some(&"null".into()))) {
            Some(one) => self.inner(one),
            None => schema,
        }
    }

    /// The type in words.
    fn kind(&self, schema: &'s Value) -> String {
        let choices = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let single = choices.filter_map(|one| one.get("const"));
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<String> =
            single.chain(listed).filter_map(Value::as_str).map(|one| code(&format!("{one:?}"))).collect();
        if !values.is_empty() {
            return values.join(", ");
        }
        let named = match schema.get("type") {
            Some(Value::Array(several)) => {
                several.iter().find_map(|one| one.as_str().filter(|t| *t != "null"))
            }
            other => other.and_then(Value::as_str),
        };
        match named {
            Some("array") => match schema.get("items") {
                Some(items) => format!("list: {}", self.kind(self.inner(items))),
                None => "list".into(),
            },
            Some("object") => match schema.get("additionalProperties").filter(|more| more.is_object()) {
                Some(more) => format!("by name: {}", self.kind(self.inner(more))),
                None => "table".into(),
            },
            Some(other) => other.into(),
            None => "any".into(),
        }
    }
}

fn is_table(schema: &Value) -> bool {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|keys: &Map<String, Value>| !keys.is_empty())
}

/// A default as the file would have it.
fn default_of(schema: &Value) -> String {
    match schema.get("default") {
        None | Some(Value::Null) => String::new(),
        // A number of 32 bits as it was written.
        Some(Value::Number(n)) => match n.as_f64() {
            Some(x) if n.is_f64() && f64::from(x as f32) == x => code(&(x as f32).to_string()),
            _ => code(&n.to_string()),
        },
        Some(Value::Object(map)) if map.is_empty() => code("{}"),
        Some(value) => code(&value.to_string()),
    }
}

/// The doc line of a key, or of its type; links of the API documentation are code.
fn words(key: &Value, kind: &Value) -> String {
    let said = key.get("description").or_else(|| kind.get("description"));
    let text = said.and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, linked)) = rest.split_once("[`") {
        let Some((name, after)) = linked.split_once("`]") else { break };
        let path = name.rsplit("::").next().unwrap_or(name);
        out += &format!("{before}`{path}`");
        rest = match after.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, after)) => after,
            None => after,
        };
    }
    (out + rest).replace('|', "\\|")
}
