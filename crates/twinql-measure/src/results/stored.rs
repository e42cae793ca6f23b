//! A stored output: a table as TSV, below lines that say what it is and what made it.
//!
//! ```text
//! # title: Published labels
//! # command: twinql evaluate …
//! # commit: 558b108
//! # date: 2026-11-28
//! metric<TAB>AUC
//! gmn<TAB>0.987
//! ```

use std::fmt::Write as _;
use std::path::Path;

use twinql_files::write_whole;

use crate::Done;

/// A table and where it comes from.
pub(super) struct Stored {
    pub(super) title: String,
    pub(super) made: Made,
    /// What a reader has to know besides.
    pub(super) note: Option<String>,
    /// The first row holds the names of the columns.
    pub(super) rows: Vec<Vec<String>>,
}

/// Where a table comes from.
pub(super) enum Made {
    /// Commands, run at a commit on a day.
    By { commands: Vec<String>, commit: String, date: String },
    /// A publication.
    Published(String),
}

impl Stored {
    pub(super) fn read(path: &Path) -> Result<Stored, Box<dyn std::error::Error>> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Stored::parse(&text).map_err(|e| format!("{}: {e}", path.display()).into())
    }

    fn parse(text: &str) -> Result<Stored, String> {
        let (head, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("# "));
        let said = |key: &str| -> Vec<String> {
            let value = |line: &&str| {
                line.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix(": ").map(str::to_owned)
            };
            head.iter().filter_map(value).collect()
        };
        let one = |key: &str| said(key).pop().ok_or_else(|| format!("it has no line `# {key}: …`"));
        let made = match (said("source").pop(), said("command")) {
            (Some(source), _) => Made::Published(source),
            (None, commands) if commands.is_empty() => {
                return Err("it has neither a command nor a source".into());
            }
            (None, commands) => Made::By { commands, commit: one("commit")?, date: one("date")? },
        };
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.split('\t').map(str::to_owned).collect()).collect();
        let width = rows.first().map_or(0, Vec::len);
        match rows.iter().find(|row| row.len() != width) {
            Some(row) => Err(format!("{width} columns are named, and a row has {}: {row:?}", row.len())),
            None => Ok(Stored { title: one("title")?, made, note: said("note").pop(), rows }),
        }
    }

    pub(super) fn write(&self, path: &Path) -> Done {
        let mut text = format!("# title: {}\n", self.title);
        if let Some(note) = &self.note {
            writeln!(text, "# note: {note}")?;
        }
        match &self.made {
            Made::Published(source) => writeln!(text, "# source: {source}")?,
            Made::By { commands, commit, date } => {
                for command in commands {
                    writeln!(text, "# command: {command}")?;
                }
                writeln!(text, "# commit: {commit}\n# date: {date}")?;
            }
        }
        for row in &self.rows {
            writeln!(text, "{}", row.join("\t"))?;
        }
        Ok(write_whole(path, |out| out.write_all(text.as_bytes()))?)
    }

    /// The rows as Markdown.
    pub(super) fn table(&self) -> String {
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            out += &format!("| {} |\n", row.join(" | "));
            if at == 0 {
                out += &format!("|{}\n", "---|".repeat(row.len()));
            }
        }
        out
    }
}
