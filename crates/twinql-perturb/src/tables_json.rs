//! A schema as an entry of a `tables.json`, the form that Text-to-SQL systems read.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value as Json, json};
use twinql_corpus::io::read_bytes;
use twinql_corpus::schemas::parts;
use twinql_sql::{Schema, Table, TypeClass};

use crate::PerturbError;
use crate::mapping::Mapping;

/// What people call tables and columns: `table_names` and `column_names` of a `tables.json`, by database and the
/// names in the schema. What has no such name is called by the words of its own.
#[derive(Debug, Clone, Default)]
pub struct Natural(HashMap<(String, String), String>);

impl Natural {
    /// Those of a `tables.json`; none where the file is something else.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Natural, PerturbError> {
        let json = path.to_string_lossy().to_ascii_lowercase();
        if path.is_dir() || !(json.ends_with(".json") || json.ends_with(".json.gz")) {
            return Ok(Natural::default());
        }
        let mut found = HashMap::new();
        // What is wrong with the file is said by whoever reads the schemas.
        let databases: Vec<Json> = serde_json::from_slice(&read_bytes(path)?).unwrap_or_default();
        for database in &databases {
            natural_of(database, &mut found);
        }
        Ok(Natural(found))
    }

    fn table(&self, db_id: &str, table: &str) -> String {
        self.of(db_id, table.to_ascii_lowercase()).unwrap_or_else(|| parts(table).join(" "))
    }

    fn column(&self, db_id: &str, table: &str, column: &str) -> String {
        let key = format!("{}\n{}", table.to_ascii_lowercase(), column.to_ascii_lowercase());
        self.of(db_id, key).unwrap_or_else(|| parts(column).join(" "))
    }

    fn of(&self, db_id: &str, key: String) -> Option<String> {
        self.0.get(&(db_id.to_owned(), key)).cloned()
    }
}

fn natural_of(database: &Json, found: &mut HashMap<(String, String), String>) -> Option<()> {
    let db_id = database.get("db_id")?.as_str()?;
    let list = |name: &str| database.get(name).and_then(Json::as_array);
    let tables = list("table_names_original")?;
    let lower = |json: &Json| json.as_str().map(str::to_ascii_lowercase);
    for (original, natural) in tables.iter().zip(list("table_names")?) {
        found.insert((db_id.to_owned(), lower(original)?), natural.as_str()?.to_owned());
    }
    for (original, natural) in list("column_names_original")?.iter().zip(list("column_names")?) {
        let Some(table) = original.get(0)?.as_u64().and_then(|t| tables.get(t as usize)) else { continue };
        let key = format!("{}\n{}", lower(table)?, lower(original.get(1)?)?);
        found.insert((db_id.to_owned(), key), natural.get(1)?.as_str()?.to_owned());
    }
    Some(())
}

/// The entry of a schema that comes from another through `mapping`.
pub fn entry(schema: &Schema, mapping: &Mapping, natural: &Natural) -> Json {
    let mut names = vec![json!([-1, "*"])];
    let mut originals = vec![json!([-1, "*"])];
    let mut types = vec!["text".to_owned()];
    // Where each table's columns start in the flat lists.
    let mut starts = Vec::new();
    for (i, table) in schema.tables.iter().enumerate() {
        starts.push(names.len());
        for column in &table.columns {
            names.push(json!([i, natural_column(mapping, natural, &table.name, &column.name)]));
            originals.push(json!([i, column.name]));
            types.push(word(&column.declared, column.class));
        }
    }
    let flat = |table: usize, column: usize| starts.get(table).map(|start| start + column);
    let mut foreign = Vec::new();
    let mut primary = Vec::new();
    for (i, table) in schema.tables.iter().enumerate() {
        for key in &table.foreign_keys {
            let ends = key.columns.iter().zip(&key.target_columns);
            foreign.extend(ends.filter_map(|(&a, &b)| Some(json!([flat(i, a)?, flat(key.target, b)?]))));
        }
        let key: Vec<usize> = key_columns(table).into_iter().filter_map(|c| flat(i, c)).collect();
        match key.as_slice() {
            [] => {}
            [one] => primary.push(json!(one)),
            several => primary.push(json!(several)),
        }
    }
    let tables: Vec<String> = schema.tables.iter().map(|t| natural.table(&mapping.db_id, &t.name)).collect();
    let table_originals: Vec<&str> = schema.tables.iter().map(|t| t.name.as_str()).collect();
    json!({
        "db_id": schema.db_id,
        "table_names": tables,
        "table_names_original": table_originals,
        "column_names": names,
        "column_names_original": originals,
        "column_types": types,
        "primary_keys": primary,
        "foreign_keys": foreign,
    })
}

fn natural_column(mapping: &Mapping, natural: &Natural, table: &str, column: &str) -> String {
    match mapping.table(table) {
        None => natural.column(&mapping.db_id, table, column),
        Some(mapped) => match mapped.columns.get(column) {
            Some(old) if old == column => natural.column(&mapping.db_id, &mapped.from, old),
            _ => parts(column).join(" "),
        },
    }
}

/// The primary key; where there is none, the lone column that Spider's files give as one although it is half of
/// a key: it is not null, and refers to another table.
fn key_columns(table: &Table) -> Vec<usize> {
    if !table.primary_key.is_empty() {
        return table.primary_key.clone();
    }
    let half = |c: &usize| table.columns.get(*c).is_some_and(|column| column.not_null);
    let mut lone = table.foreign_keys.iter().filter_map(|key| match key.columns.as_slice() {
        [column] => Some(*column),
        _ => None,
    });
    lone.find(half).into_iter().collect()
}

/// The declared type, or Spider's word for it.
fn word(declared: &str, class: TypeClass) -> String {
    if !declared.is_empty() {
        return declared.to_owned();
    }
    let word = match class {
        TypeClass::Integer | TypeClass::Number => "number",
        TypeClass::Text => "text",
        TypeClass::Boolean => "boolean",
        TypeClass::Time => "time",
        TypeClass::Other => "others",
    };
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use twinql_sql::schema::spider::read_tables_json;

    use super::*;

    const TABLES: &str = r#"[{"db_id":"d","table_names":["the singers","links"],"table_names_original":["Singer","Link"],
        "column_names":[[-1,"*"],[0,"singer number"],[0,"last name"],[1,"singer"],[1,"song"]],
        "column_names_original":[[-1,"*"],[0,"Singer_ID"],[0,"LName"],[1,"Singer_ID"],[1,"Song"]],
        "column_types":["text","number","text","number","text"],"primary_keys":[1,3],"foreign_keys":[[3,1]]}]"#;

    #[test]
    fn there_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tables.json");
        std::fs::write(&path, TABLES).unwrap();
        let schema = &read_tables_json(TABLES).unwrap()["d"];
        let natural = Natural::read(&path).unwrap();
        let entry = entry(schema, &Mapping::same("d"), &natural);
        assert_eq!(entry, serde_json::from_str::<Vec<Json>>(TABLES).unwrap()[0]);
        assert_eq!(read_tables_json(&format!("[{entry}]")).unwrap()["d"], *schema);
    }

    #[test]
    fn without_natural_names() {
        let schema =
            Schema::from_ddl("x", "CREATE TABLE bandMember (bandId INT, b INT, PRIMARY KEY (bandId, b))")
                .unwrap();
        let entry = entry(&schema, &Mapping::same("x"), &Natural::default());
        assert_eq!(entry["column_names"][1], json!([0, "band id"]));
        assert_eq!(entry["table_names"], json!(["band member"]));
        assert_eq!(entry["primary_keys"], json!([[1, 2]]));
    }
}
