//! A witness for people: one text that is the pair, both answers, and SQL that SQLite loads.

use std::collections::HashMap;
use std::fmt::Write;

use twinql_files::{hex, sha256};
use twinql_sql::Value;
use twinql_suite::Witness;

/// Rows of an answer that are shown.
const MAX_ROWS: usize = 20;
/// Characters of a cell, and of a column's name, that are shown.
const MAX_CELL: usize = 40;

/// The witness of a pair as a file: the queries and their answers as comments, then the statements
/// that make the database.
pub fn file(gold: &str, pred: &str, witness: &Witness) -> String {
    marked(gold, pred, witness, |_, _, _| false)
}

/// The same with a `*` behind cells: `is_marked` tells of a side, 0 of the gold, of a row and of a column.
pub fn marked(
    gold: &str,
    pred: &str,
    witness: &Witness,
    is_marked: impl Fn(usize, usize, usize) -> bool,
) -> String {
    let mut out = String::from("-- The two queries answer differently on this database.\n");
    let sides = [
        ("gold", gold, &witness.gold_columns, witness.gold_width, &witness.gold_rows),
        ("prediction", pred, &witness.pred_columns, witness.pred_width, &witness.pred_rows),
    ];
    for (side, (name, sql, columns, width, rows)) in sides.into_iter().enumerate() {
        let _ = writeln!(out, "--\n-- {name}:");
        for line in sql.trim().split(['\n', '\r']) {
            let _ = writeln!(out, "{}", format!("--   {}", visible(line)).trim_end());
        }
        let _ = writeln!(
            out,
            "-- answers {} of {}{}",
            counted(rows.len(), "row"),
            counted(width, "column"),
            if rows.is_empty() { "" } else { ":" }
        );
        if !rows.is_empty() {
            for line in with_marks(columns, width, rows, |row, column| is_marked(side, row, column)) {
                let _ = writeln!(out, "{}", format!("--   {line}").trim_end());
            }
        }
    }
    if let Some(found) = &witness.plausibility {
        let _ = writeln!(out, "--\n-- {}", visible(&found.to_string()));
    }
    out.push('\n');
    out.push_str(&witness.statements);
    out
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Control characters would end a comment, or reach a terminal.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c if c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out
}

fn cut(text: String) -> String {
    if text.chars().count() <= MAX_CELL {
        return text;
    }
    text.chars().take(MAX_CELL - 1).chain(['…']).collect()
}

/// As a literal, so that 1 and '1', NULL and 'NULL' look different.
pub fn cell(value: &Value) -> String {
    cut(match value {
        Value::Null => "NULL".into(),
        Value::Integer(i) => i.to_string(),
        Value::Real(r) => format!("{:?}", r.0),
        Value::Text(text) => visible(&format!("'{}'", text.replace('\'', "''"))),
        Value::Blob(bytes) => {
            let hex = hex(bytes.get(..MAX_CELL).unwrap_or(bytes));
            format!("x'{hex}'")
        }
    })
}

/// The first rows of an answer as a table: numbers to the right, all else to the left.
pub fn answer(columns: &[String], width: usize, rows: &[Vec<Value>]) -> Vec<String> {
    with_marks(columns, width, rows, |_, _| false)
}

fn with_marks(
    columns: &[String],
    width: usize,
    rows: &[Vec<Value>],
    is_marked: impl Fn(usize, usize) -> bool,
) -> Vec<String> {
    let shown_cell = |row: usize, at: usize, value: &Value| {
        let mark = if is_marked(row, at) { " *" } else { "" };
        format!("{}{mark}", cell(value))
    };
    let shown = rows.get(..MAX_ROWS).unwrap_or(rows);
    let mut lines: Vec<Vec<String>> = vec![
        (0..width)
            .map(|i| columns.get(i).map_or_else(|| "?".to_owned(), |name| cut(visible(name))))
            .collect(),
    ];
    let line = |(at, row): (usize, &Vec<Value>)| {
        row.iter().enumerate().map(|(column, value)| shown_cell(at, column, value)).collect()
    };
    lines.extend(shown.iter().enumerate().map(line));
    let widths: Vec<usize> = (0..width)
        .map(|i| lines.iter().filter_map(|l| l.get(i)).map(|c| c.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let numeric: Vec<bool> = (0..width)
        .map(|i| {
            let number = |row: &Vec<Value>| matches!(row.get(i), Some(Value::Integer(_) | Value::Real(_)));
            shown.iter().any(number) && shown.iter().all(|r| number(r) || r.get(i) == Some(&Value::Null))
        })
        .collect();
    let mut out: Vec<String> = lines
        .iter()
        .map(|line| {
            let cells = line.iter().zip(&widths).zip(&numeric).map(|((cell, width), right)| {
                let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
                if *right { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
            });
            cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
        })
        .collect();
    let rule: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    out.insert(1, rule.join("-+-"));
    if let Some(more) = rows.len().checked_sub(MAX_ROWS).filter(|n| *n > 0) {
        out.push(format!("… and {}", counted(more, "more row")));
    }
    out
}

/// Characters of an id that a file's name keeps.
const MAX_NAME: usize = 80;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Names of files for ids: two ids never share one, on file systems that ignore case neither.
#[derive(Debug, Default)]
pub struct FileNames {
    /// How often each name has been given.
    given: HashMap<String, usize>,
}

impl FileNames {
    /// The name of the next file of this id, without an extension. An id of small letters, digits, `-`
    /// and `_` is its own name; any other is followed by a point and a hash. From the second file
    /// of an id on, a number follows.
    pub fn name(&mut self, id: &str) -> String {
        let name = own_name(id);
        let count = self.given.entry(name.clone()).or_insert(0);
        *count += 1;
        match *count {
            1 => name,
            // `+` stands in no name.
            n => format!("{name}+{n}"),
        }
    }
}

fn own_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let device = |name: &str| {
        DEVICES.contains(&name)
            || (name.len() == 4 && name.starts_with(['c', 'l']) && name[1..].starts_with(['o', 'p']))
    };
    if !id.is_empty() && id.len() <= MAX_NAME && id.chars().all(plain) && !device(id) {
        return id.to_owned();
    }
    let readable: String = id
        .chars()
        .take(MAX_NAME)
        .map(|c| {
            let c = c.to_ascii_lowercase();
            if plain(c) { c } else { '_' }
        })
        .collect();
    // A name that begins with a point is hidden.
    let readable = if readable.is_empty() { "_".into() } else { readable };
    let mut hash = hex(sha256(id));
    hash.truncate(12);
    format!("{readable}.{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_never_share_a_file() {
        let long = "x".repeat(300);
        let longer = "x".repeat(301);
        let ids = [
            "q-17",
            "a/b",
            "a_b",
            "A_B",
            "a b",
            "",
            "_",
            ".",
            "..",
            "../x",
            "con",
            "CON",
            "com1",
            "é",
            "É",
            &long,
            &longer,
            "a_b.c14cddc033f6",
            "q-17",
        ];
        let mut names = FileNames::default();
        let made: Vec<String> = ids.iter().map(|id| names.name(id)).collect();
        let mut distinct: Vec<String> = made.iter().map(|n| n.to_lowercase()).collect();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), ids.len(), "{made:?}");
        assert_eq!((made[0].as_str(), made[2].as_str(), made[18].as_str()), ("q-17", "a_b", "q-17+2"));
        for name in &made {
            assert!(name.len() < 200 && !name.starts_with('.') && !name.contains(['/', '\\']), "{name}");
            assert!(!DEVICES.contains(&name.as_str()) && name != "com1");
        }
        // The same whatever came before.
        assert_eq!(FileNames::default().name("a/b"), made[1]);
    }

    fn witness(gold_rows: Vec<Vec<Value>>) -> Witness {
        Witness {
            index: 0,
            statements: "CREATE TABLE \"t\" (\n  \"a\" TEXT\n);\n".into(),
            gold_rows,
            pred_rows: Vec::new(),
            gold_width: 2,
            pred_width: 1,
            gold_columns: vec!["name".into(), "count(*)".into()],
            pred_columns: vec!["a\nb".into()],
            plausibility: None,
        }
    }

    #[test]
    fn a_file_shows_both_answers() {
        let text = |s: &str| Value::Text(s.into());
        let rows = vec![
            vec![text("O'Hara"), Value::Integer(7)],
            vec![text("x\ny"), Value::Integer(12)],
            vec![Value::Null, Value::Null],
        ];
        let expected = "\
-- The two queries answer differently on this database.
--
-- gold:
--   SELECT a
--   FROM t -- all
-- answers 3 rows of 2 columns:
--   name      | count(*)
--   ----------+---------
--   'O''Hara' |        7
--   'x\\u{a}y' |       12
--   NULL      |     NULL
--
-- prediction:
--   SELECT 1
-- answers 0 rows of 1 column

CREATE TABLE \"t\" (
  \"a\" TEXT
);
";
        assert_eq!(file("SELECT a\nFROM t -- all\n", "SELECT 1", &witness(rows)), expected);
    }

    #[test]
    fn long_answers_are_cut_and_no_line_leaves_its_comment() {
        let rows: Vec<Vec<Value>> =
            (0..25).map(|i| vec![Value::Text("z;\u{2028}DROP".repeat(20)), Value::Integer(i)]).collect();
        let text = file("SELECT\r\u{0}1;\nDROP TABLE t", "SELECT 1", &witness(rows));
        assert!(text.contains("--   … and 5 more rows\n"), "{text}");
        let (comments, _) = text.split_once("\n\n").unwrap_or_default();
        assert!(comments.lines().all(|l| l.starts_with("--") && l.chars().count() < 70), "{comments}");
        assert!(!text.contains('\0') && !text.contains('\u{2028}'));
    }
}
