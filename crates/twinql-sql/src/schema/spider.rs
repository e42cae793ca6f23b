//! `tables.json` of Spider, its descendants and BIRD.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::error::{SchemaError, SchemaErrorKind as E};
use super::{Column, ForeignKey, Note, NoteKind, Schema, SchemaSet, Table, Typing};
use crate::dialects::Dialect;

/// The schemas of a `tables.json`, in file order.
///
/// Spider's file cannot express composite primary keys: a lone key column that is also a
/// foreign key is probably half of one. Such a column becomes NOT NULL, and its table gets
/// no primary key. BIRD writes composite keys as lists; in a file that holds such a list
/// every key is taken at its word.
///
/// Types: `number`, `text`, `time`, `boolean` and `others` (Spider) or declared types
/// (BIRD) become the declared type, so `number` has NUMERIC affinity, and so has `time`,
/// as Spider's own databases declare DATETIME.
///
/// # Errors
/// Not this JSON, an index that points at nothing, a database, table or column defined
/// twice, a table without columns. A broken foreign key and a missing type are left out and
/// noted in [`Schema::notes`].
pub fn read_tables_json(text: &str) -> Result<SchemaSet, SchemaError> {
    let file = "tables.json";
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(SchemaError::new(file, "", E::Empty));
    }
    let json: Json = serde_json::from_str(text)
        .map_err(|e| SchemaError::new(file, format!("line {}", e.line()), E::Json(e.to_string())))?;
    let Json::Array(databases) = json else {
        let message = "the outermost value is not a list of databases".to_owned();
        return Err(SchemaError::new(file, "", E::Json(message)));
    };
    if databases.is_empty() {
        let message = "the list of databases is empty; give at least one".to_owned();
        return Err(SchemaError::new(file, "", E::Json(message)));
    }
    let composite = databases.iter().any(|d| {
        d.get("primary_keys").and_then(Json::as_array).is_some_and(|keys| keys.iter().any(Json::is_array))
    });
    let mut set = SchemaSet::new();
    for (i, database) in databases.iter().enumerate() {
        let place = match database.get("db_id").and_then(Json::as_str) {
            Some(id) => format!("database {id:?}"),
            None => format!("database number {}", i + 1),
        };
        let schema = database_schema(database, composite)
            .map_err(|kind| SchemaError::new(file, place.clone(), kind))?;
        if set.contains_key(&schema.db_id) {
            let kind = E::Duplicate { what: "database", name: schema.db_id };
            return Err(SchemaError::new(file, place, kind));
        }
        set.insert(schema.db_id.clone(), schema);
    }
    Ok(set)
}

fn field<'j>(database: &'j Json, name: &str) -> Result<&'j Vec<Json>, E> {
    database
        .get(name)
        .and_then(Json::as_array)
        .ok_or_else(|| E::Json(format!("the list {name:?} is missing")))
}

fn database_schema(database: &Json, composite: bool) -> Result<Schema, E> {
    let db_id =
        database.get("db_id").and_then(Json::as_str).ok_or_else(|| E::Json("\"db_id\" is missing".into()))?;
    let mut tables: Vec<Table> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut notes = Vec::new();
    for name in field(database, "table_names_original")? {
        let name = name.as_str().ok_or_else(|| E::Json("a table name is not a string".into()))?;
        if !known.insert(name.to_ascii_lowercase()) {
            return Err(E::Duplicate { what: "table", name: name.into() });
        }
        tables.push(Table { name: name.to_owned(), ..Table::default() });
    }
    // Position of each entry of the flat column list: (table, column), None for `*`.
    let mut places: Vec<Option<(usize, usize)>> = Vec::new();
    let types = field(database, "column_types")?;
    let columns = field(database, "column_names_original")?;
    if types.len() != columns.len() {
        notes.push(Note::at(
            "column_types",
            format!("{} types for {} columns", types.len(), columns.len()),
            if types.len() < columns.len() {
                "the last columns have no type: they may hold anything"
            } else {
                "the types behind the last column are left out"
            },
        ));
    }
    for (i, entry) in columns.iter().enumerate() {
        let pair = entry.as_array().map(Vec::as_slice).unwrap_or_default();
        let [table, name] = pair else {
            return Err(E::Json(format!("column {i} is not [table, name]")));
        };
        let (Some(index), Some(name)) = (table.as_i64(), name.as_str()) else {
            return Err(E::Json(format!("column {i} is not [number, string]")));
        };
        if index < 0 {
            places.push(None);
            continue;
        }
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        let Some(owner) = tables.get_mut(position) else {
            return Err(E::BadIndex { what: "column_names_original", index });
        };
        if owner.column_index(name).is_some() {
            return Err(E::Duplicate { what: "column", name: format!("{}.{name}", owner.name) });
        }
        // `column_types` is as long as the list of columns; Spider's own `*` has a type too.
        let declared = types.get(i).and_then(Json::as_str).unwrap_or_default();
        if let Some(other) = types.get(i).filter(|t| !t.is_string()) {
            let place = format!("column_types, entry {}", i + 1);
            notes.push(Note::at(
                place,
                other.to_string(),
                "a type is a string; the column may hold anything",
            ));
        }
        places.push(Some((position, owner.columns.len())));
        owner.columns.push(Column::new(name, declared, Dialect::Sqlite));
    }
    if let Some(empty) = tables.iter().find(|t| t.columns.is_empty()) {
        return Err(E::NoColumns(empty.name.clone()));
    }
    foreign_keys(database, &mut tables, &places, &mut notes)?;
    primary_keys(database, &mut tables, &places, composite)?;
    leave_out_internal(&mut tables, &mut notes);
    Ok(Schema {
        db_id: db_id.to_owned(),
        tables,
        views: Vec::new(),
        typing: Typing::Loose,
        exact_names: false,
        notes,
    })
}

fn place(value: &Json, places: &[Option<(usize, usize)>], what: &'static str) -> Result<(usize, usize), E> {
    let index =
        value.as_i64().ok_or_else(|| E::Json(format!("{what} holds {value}, which is not a number")))?;
    usize::try_from(index)
        .ok()
        .and_then(|i| places.get(i).copied().flatten())
        .ok_or(E::BadIndex { what, index })
}

fn foreign_keys(
    database: &Json,
    tables: &mut [Table],
    places: &[Option<(usize, usize)>],
    notes: &mut Vec<Note>,
) -> Result<(), E> {
    for (i, pair) in field(database, "foreign_keys")?.iter().enumerate() {
        let mut left_out = |why: String| {
            notes.push(Note::at(format!("foreign_keys, entry {}", i + 1), pair.to_string(), why));
        };
        let ends = match pair.as_array().map(Vec::as_slice) {
            Some([from, to]) => place(from, places, "foreign_keys")
                .and_then(|from| place(to, places, "foreign_keys").map(|to| (from, to))),
            _ => return Err(E::Json(format!("foreign key {pair} is not [from, to]"))),
        };
        match ends {
            Ok(((table, column), (target, target_column))) => {
                let key = ForeignKey { columns: vec![column], target, target_columns: vec![target_column] };
                if table == target && column == target_column {
                    left_out("a column that refers to itself says nothing".to_owned());
                } else if !tables[table].foreign_keys.contains(&key) {
                    tables[table].foreign_keys.push(key);
                }
            }
            Err(why) => left_out(format!("the foreign key is ignored: {why}")),
        }
    }
    Ok(())
}

fn primary_keys(
    database: &Json,
    tables: &mut [Table],
    places: &[Option<(usize, usize)>],
    composite: bool,
) -> Result<(), E> {
    // Lone numbers of one table are gathered: a file without lists may still name two.
    let mut keys: Vec<Vec<usize>> = vec![Vec::new(); tables.len()];
    for key in field(database, "primary_keys")? {
        let columns = match key {
            Json::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in columns {
            let (table, column) = place(value, places, "primary_keys")?;
            if !keys[table].contains(&column) {
                keys[table].push(column);
            }
        }
    }
    for (table, key) in tables.iter_mut().zip(keys) {
        for &column in &key {
            table.columns[column].not_null = true;
        }
        let half = |c: &usize| table.foreign_keys.iter().any(|f| f.columns == [*c]);
        let probably_half = !composite && matches!(key.as_slice(), [c] if half(c));
        if !probably_half {
            table.primary_key = key;
        }
    }
    Ok(())
}

/// Removes SQLite's own tables (some files list `sqlite_sequence`): nobody may create them.
fn leave_out_internal(tables: &mut Vec<Table>, notes: &mut Vec<Note>) {
    let internal = |t: &Table| t.name.to_ascii_lowercase().starts_with("sqlite_");
    while let Some(gone) = tables.iter().position(internal) {
        let table = tables.remove(gone);
        notes.push(Note {
            kind: NoteKind::Ignored,
            ..Note::at("table_names_original", table.name, "a table of SQLite's own")
        });
        for table in tables.iter_mut() {
            table.foreign_keys.retain(|f| f.target != gone);
            for key in &mut table.foreign_keys {
                key.target -= usize::from(key.target > gone);
            }
        }
    }
}
