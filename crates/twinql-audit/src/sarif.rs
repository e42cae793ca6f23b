//! SARIF 2.1.0, which code hosts show beside the lines of a file.

use serde_json::{Value, json};

use crate::check::Finding;
use crate::checks::CHECKS;
use crate::finding::Severity;

/// A finding, where its query stands.
#[derive(Debug, Clone)]
pub struct Located<'f> {
    /// The file of golds, as a relative or absolute path; none for a query of the command line.
    pub file: Option<String>,
    /// The line of the query in it, from 1.
    pub line: usize,
    /// The column at which the query's text begins in that line, from 1; none where places inside the text say nothing
    /// of the file (escaped in JSON).
    pub column: Option<usize>,
    /// The query's id.
    pub id: String,
    /// What was found.
    pub finding: &'f Finding,
}

/// The rules of a log: the registry of checks.
fn rules() -> Vec<Value> {
    let rule = |check: &crate::Check| {
        json!({
            "id": check.id,
            "shortDescription": { "text": check.summary },
            "fullDescription": { "text": check.why },
            "help": { "text": format!("{} Source: {}.", check.why, check.source) },
            "defaultConfiguration": { "level": check.severity.name() },
            "properties": {
                "finds": check.finds,
                "misses": check.misses,
            },
        })
    };
    CHECKS.iter().map(rule).collect()
}

/// One result.
pub fn result(located: &Located<'_>) -> Value {
    let finding = located.finding;
    let index = CHECKS.iter().position(|c| c == finding.check);
    let mut message = finding.reason.clone();
    if let Some(remedy) = &finding.remedy {
        message.push_str(&format!(" Remedy: {remedy}."));
    }
    let level = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let place = &finding.place;
    let region = match located.column {
        // The text is one line of the file, or several.
        Some(column) => {
            // Only in its first line does the text begin after something else of the file.
            let shift = |line: usize, c: usize| if line == 1 { c + column - 1 } else { c };
            json!({
                "startLine": located.line + place.line - 1,
                "startColumn": shift(place.line, place.column),
                "endLine": located.line + place.end_line - 1,
                "endColumn": shift(place.end_line, place.end_column),
            })
        }
        None => json!({ "startLine": located.line }),
    };
    let mut result = json!({
        "ruleId": finding.check.id,
        "level": level,
        "message": { "text": message },
        "properties": { "id": located.id },
    });
    if let (Some(index), Some(fields)) = (index, result.as_object_mut()) {
        fields.insert("ruleIndex".into(), json!(index));
    }
    if let (Some(file), Some(fields)) = (&located.file, result.as_object_mut()) {
        let location =
            json!([{ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } }]);
        fields.insert("locations".into(), location);
    }
    result
}

/// A path as a relative or absolute URI reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// A whole log of these results.
pub fn log(results: Vec<Value>, version: &str) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "twinql",
                "semanticVersion": version,
                "rules": rules(),
            } },
            // Columns are counted in characters; without this viewers would count UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}
