//! `twinql schema`: what was read of a schema, and what was not.
//!
//! Every judgement rests on the schema, and DDL says many things that are not understood or not enforced.
//! Here people see which: what is missing from the tables below, and why, stands in the notes.

use anyhow::{Result, bail};
use serde_json::{Value, json};
use twinql::sql::schema::{self, NoteKind, View};
use twinql::sql::{Column, ColumnId, Schema, Table, parse, plan};

use super::write_as;
use crate::args::typed::SchemaShow;
use crate::output::left_table;

/// Shows the schemas of a file, or one of them.
pub(crate) fn show(typed: &SchemaShow) -> Result<bool> {
    let set = schema::load_in(&typed.file, typed.dialect.dialect)?;
    let chosen: Vec<&Schema> =
        set.values().filter(|s| typed.db_id.as_ref().is_none_or(|id| *id == s.db_id)).collect();
    if let (Some(id), true) = (&typed.db_id, chosen.is_empty()) {
        let names: Vec<&str> = set.keys().take(12).map(String::as_str).collect();
        let more = if set.len() > names.len() { ", …" } else { "" };
        bail!("{} has no database {id:?}; it has {}{more}", typed.file.display(), names.join(", "));
    }
    let texts = || chosen.iter().map(|schema| text(schema)).collect::<Vec<_>>().join("\n");
    let objects: Vec<Value> = chosen.iter().map(|schema| object(schema)).collect();
    write_as(None, typed.format.format, texts, || json!(objects), &objects)?;
    Ok(true)
}

/// The names of some columns.
fn names(table: &Table, columns: &[usize]) -> Vec<String> {
    let columns = columns.iter().filter_map(|&c| table.columns.get(c));
    columns.map(|c| c.name.clone()).collect()
}

/// The columns of a view, and their kinds; empty where its query cannot be planned.
fn view_columns(schema: &Schema, name: &str) -> Vec<(String, String)> {
    let sql = format!("SELECT * FROM {}", schema::quote(name));
    let Some(plan) = parse(&sql).and_then(|p| plan(schema, &p)).ok() else {
        return Vec::new();
    };
    let listed = schema.view(name).map_or(&[][..], |v| v.columns.as_slice());
    let column = |(i, id): (usize, &ColumnId)| {
        let info = plan.columns.get(id.0 as usize)?;
        let name = listed.get(i).unwrap_or(&info.name).clone();
        Some((name, format!("{:?}", info.class).to_lowercase()))
    };
    plan.query.output.iter().enumerate().filter_map(column).collect()
}

/// A schema as JSON, with everything that `text` shows.
fn object(schema: &Schema) -> Value {
    let column = |c: &Column| {
        json!({
            "name": c.name, "type": c.declared, "holds": c.class, "affinity": c.affinity,
            "not_null": c.not_null, "values": c.values, "generated": c.generated,
        })
    };
    let table = |t: &Table| {
        let foreign = t.foreign_keys.iter().filter_map(|k| {
            let target = schema.tables.get(k.target)?;
            Some(json!({
                "columns": names(t, &k.columns), "table": target.name,
                "target_columns": names(target, &k.target_columns),
            }))
        });
        let checks = t.checks.iter();
        let checks = checks.map(|c| json!({"name": c.name, "condition": c.expr, "enforced": c.enforced}));
        json!({
            "name": t.name, "columns": t.columns.iter().map(column).collect::<Vec<_>>(),
            "primary_key": names(t, &t.primary_key), "unique": t.unique.iter().map(|u| names(t, u)).collect::<Vec<_>>(),
            "foreign_keys": foreign.collect::<Vec<_>>(), "checks": checks.collect::<Vec<_>>(),
        })
    };
    let view = |v: &View| {
        let columns = view_columns(schema, &v.name).into_iter();
        let columns: Vec<String> = columns.map(|(name, _)| name).collect();
        json!({"name": v.name, "columns": columns, "query": v.query})
    };
    json!({
        "db_id": schema.db_id, "types": schema.typing,
        "tables": schema.tables.iter().map(table).collect::<Vec<_>>(),
        "views": schema.views.iter().map(view).collect::<Vec<_>>(), "notes": schema.notes,
    })
}

/// Columns of text, aligned to the left behind an empty one.
fn aligned(rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.map(|row| [vec![String::new()], row].concat()).collect();
    left_table(&rows)
}

/// A schema for people: tables with their columns and keys, views, then the notes by kind.
fn text(schema: &Schema) -> String {
    let mut out =
        format!("database {}: {} tables, {} views\n", schema.db_id, schema.tables.len(), schema.views.len());
    for table in &schema.tables {
        out.push_str(&format!("\ntable {}\n", table.name));
        out.push_str(&aligned(table.columns.iter().enumerate().map(|(i, c)| row(table, i, c))));
        if table.primary_key.len() > 1 {
            out.push_str(&format!("  primary key ({})\n", names(table, &table.primary_key).join(", ")));
        }
        for unique in table.unique.iter().filter(|u| u.len() > 1) {
            out.push_str(&format!("  unique ({})\n", names(table, unique).join(", ")));
        }
        for key in &table.foreign_keys {
            if let Some(target) = schema.tables.get(key.target) {
                out.push_str(&format!(
                    "  ({}) refers to {} ({})\n",
                    names(table, &key.columns).join(", "),
                    target.name,
                    names(target, &key.target_columns).join(", ")
                ));
            }
        }
        for check in &table.checks {
            let kept = if check.enforced { "" } else { "  (not enforced)" };
            out.push_str(&format!("  check {}{kept}\n", check.expr));
        }
    }
    for view in &schema.views {
        out.push_str(&format!("\nview {}\n", view.name));
        let columns = view_columns(schema, &view.name).into_iter();
        out.push_str(&aligned(columns.map(|(name, kind)| vec![name, kind])));
        let query = view.query.split_whitespace().collect::<Vec<_>>().join(" ");
        out.push_str(&format!("  as {query}\n"));
    }
    // By what it costs: what is missing, what is there and not kept, what does not matter.
    for (kind, title) in [
        (NoteKind::NotRead, "not read"),
        (NoteKind::NotEnforced, "read, but not enforced in generated databases"),
        (NoteKind::Ignored, "ignored: nothing in it matters to a query"),
    ] {
        let notes: Vec<String> =
            schema.notes.iter().filter(|n| n.kind == kind).map(|n| format!("  {n}\n")).collect();
        if !notes.is_empty() {
            out.push_str(&format!("\n{title}\n{}", notes.concat()));
        }
    }
    out
}

/// A column with its type and what is said of it alone; keys of several columns have lines of their own.
fn row(table: &Table, position: usize, column: &Column) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    if table.primary_key == [position] {
        facts.push("primary key".into());
    } else if column.not_null {
        facts.push("not null".into());
    }
    if table.unique.iter().any(|u| *u == [position]) {
        facts.push("unique".into());
    }
    if !column.values.is_empty() {
        facts.push(format!("one of {}", column.values.join(", ")));
    }
    if let Some(expr) = &column.generated {
        facts.push(format!("computed as {expr}"));
    }
    vec![column.name.clone(), column.declared.clone(), facts.join("; ")]
}
