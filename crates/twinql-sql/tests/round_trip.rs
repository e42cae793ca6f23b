//! A plan printed as SQL must answer as the query it was made from does: the planner and
//! the printer checked against SQLite on real queries and databases. Needs `TWINQL_DATA`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::PathBuf;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use twinql_sql::print::to_sql;
use twinql_sql::{Schema, parse, plan};

/// The rows of a query, sorted; at most `limit` of them.
fn rows(connection: &Connection, sql: &str, limit: usize) -> Result<Vec<String>, String> {
    let mut statement = connection.prepare(sql).map_err(|e| e.to_string())?;
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(|e| e.to_string())? {
        if found.len() == limit {
            return Err("too many rows".into());
        }
        let cells: Vec<String> = (0..width)
            .map(|i| match row.get::<_, Value>(i).unwrap() {
                Value::Real(x) => format!("Real({:.6e})", x),
                other => format!("{other:?}"),
            })
            .collect();
        found.push(cells.join("|"));
    }
    found.sort();
    Ok(found)
}

/// Interrupts what takes more than some 2 million steps of SQLite's machine.
fn limit_work(connection: &mut Connection) {
    connection.progress_handler(2_000_000, Some(|| true)).unwrap();
}

#[test]
fn plans_answer_as_their_queries_do() {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return;
    };
    let every: usize = std::env::var("TWINQL_SAMPLE").map_or(61, |n| n.parse().unwrap());
    let gold = fs::read_to_string(data.join("spider/dev_gold.sql")).unwrap();
    let gold: Vec<(&str, &str)> = gold.lines().filter_map(|l| l.rsplit_once('\t')).collect();
    let mut files: Vec<PathBuf> = fs::read_dir(data.join("predictions/spider_dev"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let mut lines: Vec<(String, String)> = gold
        .iter()
        .step_by(every.min(5))
        .map(|(sql, db)| (db.trim().to_owned(), (*sql).to_owned()))
        .collect();
    let predicted = files.iter().flat_map(|f| {
        let text = String::from_utf8_lossy(&fs::read(f).unwrap()).into_owned();
        let texts: Vec<String> = text.lines().map(str::to_owned).collect();
        texts.into_iter().zip(&gold).map(|(l, (_, db))| {
            let sql = l.split('\t').next().unwrap().to_owned();
            (db.trim().to_owned(), sql)
        })
    });
    lines.extend(predicted.step_by(every));
    lines.sort();
    lines.dedup();

    let (mut compared, mut differ, mut refused) = (0, Vec::new(), Vec::new());
    let mut open: Option<(String, Schema, Vec<Connection>)> = None;
    for (db, sql) in &lines {
        if open.as_ref().is_none_or(|(name, ..)| name != db) {
            let folder = data.join("suites/spider_dev_20").join(db);
            let mut paths: Vec<PathBuf> = fs::read_dir(folder)
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.extension().is_some_and(|e| e == "sqlite"))
                .collect();
            paths.sort();
            paths.truncate(3);
            let schema = Schema::from_sqlite(&paths[0]).unwrap();
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
            let connections = paths
                .iter()
                .map(|p| {
                    let mut connection = Connection::open_with_flags(p, flags).unwrap();
                    limit_work(&mut connection);
                    connection
                })
                .collect();
            open = Some((db.clone(), schema, connections));
        }
        let (_, schema, connections) = open.as_ref().unwrap();
        if connections[0].prepare(sql).is_err() {
            continue;
        }
        let Ok(planned) = parse(sql).and_then(|parsed| plan(schema, &parsed)) else {
            continue;
        };
        let printed = to_sql(schema, &planned);
        for connection in connections {
            let Ok(expected) = rows(connection, sql, 5_000) else {
                continue;
            };
            match rows(connection, &printed, 5_000) {
                Ok(found) if found == expected => compared += 1,
                Ok(_) => {
                    compared += 1;
                    differ.push(format!("{db}: {sql}\n      {printed}"));
                    break;
                }
                Err(why) if why.contains("interrupt") => {}
                Err(why) => {
                    refused.push(format!("{db}: {why}: {sql}\n      {printed}"));
                    break;
                }
            }
        }
    }
    eprintln!(
        "{} queries, {compared} answers compared, {} differ, {} printed texts refused",
        lines.len(),
        differ.len(),
        refused.len()
    );
    for line in differ.iter().chain(&refused).take(60) {
        eprintln!("  {line}");
    }
    assert!(compared > 0);
    // What differs are ties: LIMIT over equal keys, and bare columns.
    assert!(100 * (differ.len() + refused.len()) <= 3 * lines.len());
}
