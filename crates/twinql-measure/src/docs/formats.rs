//! docs/formats: the JSON schema of each format, made of the types that are read and written.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use twinql::Record;
use twinql::corpus::pairs::Pair;
use twinql::suite::profile;
use twinql::suite::suite::schemas_of_lines;
use twinql_report::Report;

use super::Page;
use super::tables::{table, written_from};

/// The schemas, and the page that lists them.
pub(super) fn pages() -> Result<Vec<Page>, Box<dyn std::error::Error>> {
    let written = || SchemaSettings::draft2020_12().for_serialize().into_generator();
    let [header, line] = schemas_of_lines();
    let mut formats: Vec<(&str, &str, Schema)> = vec![
        ("pair", "a line of a pair file or of a corpus", schemars::schema_for!(Pair)),
        ("score", "a line of `score`", written().into_root_schema_for::<Record>()),
    ];
    formats.extend(twinql_cli::formats());
    formats.extend([
        ("suite-header", "the first line of a suite file, unpacked", header),
        ("suite-schema", "each further line of a suite file", line),
        ("profile", "a profile of a database", profile::json_schema()),
        ("report", "a report that ends in `.json`", written().into_root_schema_for::<Report>()),
    ]);
    let rows = formats
        .iter()
        .map(|(name, about, _)| [format!("[{name}](../formats/{name}.schema.json)"), (*about).to_owned()]);
    let text = format!(
        "# File formats\n\n{}\nA JSON Schema for each format that programs read or write.\n\n{}",
        written_from("the types of the formats"),
        table(["format", "what it is"], rows)
    );
    let mut pages = vec![Page { path: "docs/reference/formats.md".into(), text }];
    for (name, _, schema) in formats {
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        pages.push(Page { path: format!("docs/formats/{name}.schema.json"), text });
    }
    Ok(pages)
}
