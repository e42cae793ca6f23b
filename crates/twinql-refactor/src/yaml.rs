//! YAML as JSON: what a project says of its tables.

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::Value as Json;

use crate::tree::Tree;

/// The first document of a text; null of an empty one.
///
/// # Errors
/// The text is no YAML.
pub(crate) fn parse(text: &str) -> Result<Json, String> {
    let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
    Ok(documents.first().map_or(Json::Null, json))
}

/// What a project says of itself; null where it says nothing that can be read.
pub(crate) fn settings(tree: &Tree) -> Json {
    let text = ["dbt_project.yml", "dbt_project.yaml"].iter().find_map(|name| tree.get(*name));
    text.and_then(|text| parse(text).ok()).unwrap_or_default()
}

fn json(yaml: &Yaml<'_>) -> Json {
    match yaml {
        Yaml::Value(scalar) => of_scalar(scalar),
        Yaml::Sequence(all) => all.iter().map(json).collect(),
        Yaml::Mapping(map) => {
            Json::Object(map.iter().map(|(key, value)| (text(&json(key)), json(value))).collect())
        }
        Yaml::Representation(text, ..) => Json::from(text.as_ref()),
        Yaml::Tagged(_, inner) => json(inner),
        Yaml::Alias(_) | Yaml::BadValue => Json::Null,
    }
}

fn of_scalar(scalar: &Scalar<'_>) -> Json {
    match scalar {
        Scalar::Null => Json::Null,
        Scalar::Boolean(b) => Json::from(*b),
        Scalar::Integer(n) => Json::from(*n),
        Scalar::FloatingPoint(n) => Json::from(n.0),
        Scalar::String(s) => Json::from(s.as_ref()),
    }
}

/// A scalar as it would be written.
pub(crate) fn text(json: &Json) -> String {
    match json {
        Json::String(s) => s.clone(),
        other => other.to_string(),
    }
}

/// The elements of a field that is a list; none of what is no list.
pub(crate) fn list<'j>(json: &'j Json, field: &str) -> impl Iterator<Item = &'j Json> {
    json.get(field).and_then(Json::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_is_json() {
        let read = parse(
            "version: 2\nmodels:\n  - name: a\n    tests: [unique, {accepted_values: {values: ['x', 1]}}]\n",
        )
        .unwrap();
        assert_eq!(
            read,
            serde_json::json!({"version": 2, "models": [{"name": "a", "tests": ["unique", {"accepted_values": {"values": ["x", 1]}}]}]})
        );
        assert_eq!(parse("").unwrap(), Json::Null);
        assert!(parse("a: [").is_err());
    }
}
