//! Real queries and pairs, where `TWINQL_DATA` says that they are.

use std::fs;
use std::path::{Path, PathBuf};

/// One query: the database and the SQL over it.
pub type Line = (String, String);

/// The folder of real data; says so where there is none.
pub fn data() -> Option<PathBuf> {
    let found = std::env::var_os("TWINQL_DATA").map(PathBuf::from);
    if found.is_none() {
        println!("skipped: TWINQL_DATA is not set");
    }
    found
}

/// The number that a variable of the environment says.
pub fn number(variable: &str, or: usize) -> usize {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(or)
}

/// `SQL<TAB>db_id` lines.
pub fn gold(path: &Path) -> Vec<Line> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .filter_map(|l| l.rsplit_once('\t'))
        .map(|(sql, db)| (db.trim().to_owned(), sql.to_owned()))
        .collect()
}

/// One SQL a line, aligned with a gold file.
pub fn predictions(path: &Path, gold: &[Line]) -> Vec<Line> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    text.lines()
        .zip(gold)
        .map(|(l, (db, _))| (db.clone(), l.split('\t').next().unwrap().to_owned()))
        .collect()
}

/// The predictions in all files of a folder, in the order of their names.
pub fn folder(path: &Path, gold: &[Line]) -> Vec<Line> {
    files(path, "txt").iter().flat_map(|f| predictions(f, gold)).collect()
}

/// The files of a folder with this extension, in the order of their names.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

/// The rows of a file with a JSON value a line.
pub fn rows(path: &Path) -> Vec<serde_json::Value> {
    fs::read_to_string(path).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The queries of such a file: those in one of its fields.
pub fn queries(path: &Path, field: &str) -> Vec<Line> {
    let of = |row: &serde_json::Value| {
        let text = |field: &str| row.get(field)?.as_str().map(str::to_owned);
        Some((text("db_id")?, text(field)?))
    };
    rows(path).iter().filter_map(of).collect()
}
