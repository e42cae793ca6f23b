//! What is found of one query, as a record and in words.

use serde::Serialize;
use twinql::premises;
use twinql::suite::Witness;
use twinql::witness::cell;
use twinql_refactor::{Layout, Project, Renamed};

use super::super::witness::WitnessRecord;

/// What is found of one query.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Finding {
    pub(super) file: String,
    /// The view that it makes, or its place among the file's queries, from 1.
    pub(super) query: String,
    /// The first line of the new file that has changed, from 1.
    pub(super) line: usize,
    /// Of the rows, columns by position.
    pub(super) outcome: Outcome,
    /// Of `proved`, what the data have to keep to; of others, why.
    pub(super) because: Vec<String>,
    /// Of `different`, what alone differs as far as tested, such as `duplicates`.
    pub(super) but_for: Option<&'static str>,
    /// What became of the columns, where they are not what they were.
    pub(super) columns: Option<Columns>,
    /// Tables that no schema declares: their columns are those that the queries name.
    pub(super) from_use: Vec<String>,
    pub(super) witness: Option<WitnessRecord>,
    /// The rows of the witness that are the same but for some cells.
    #[serde(skip)]
    pub(super) changed_rows: Vec<ChangedRow>,
}

/// A row that two answers have but for some cells.
#[derive(Debug)]
pub(super) struct ChangedRow {
    /// The name of each column, its old and its new value.
    pub(super) cells: Vec<(String, [String; 2])>,
}

/// Cells that differ between two answers.
pub(super) struct Cells {
    /// What all columns are called.
    pub(super) names: Vec<String>,
    /// Those that differ.
    pub(super) columns: Vec<usize>,
    /// The old and the new place of each row.
    pub(super) rows: Vec<[usize; 2]>,
}

impl Cells {
    /// Whether a cell is among them: of a side, a row and a column.
    pub(super) fn has(&self, side: usize, row: usize, column: usize) -> bool {
        self.columns.contains(&column) && self.rows.iter().any(|places| places.get(side) == Some(&row))
    }

    /// The rows, with their values as they are shown.
    pub(super) fn rows(&self, witness: &Witness) -> Vec<ChangedRow> {
        let row = |[old, new]: &[usize; 2]| {
            let (was, is) = (witness.gold_rows.get(*old)?, witness.pred_rows.get(*new)?);
            let cells = self.names.iter().zip(was.iter().zip(is));
            let cells = cells.map(|(name, (was, is))| (name.clone(), [cell(was), cell(is)])).collect();
            Some(ChangedRow { cells })
        };
        self.rows.iter().filter_map(row).collect()
    }
}

/// What became of one query. Only the first is certain; of the others the witness or the reason says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// The same on every database that meets the assumptions.
    Proved,
    /// No database that was made for it shows a difference.
    Tested,
    /// A database shows a difference.
    Different,
    /// Nothing is proved, and no database that was made tests it.
    NotDecided,
    /// It cannot be read, or has no counterpart.
    NotCompared,
}

/// Columns by their names, in lower case.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(super) struct Columns {
    /// The rows of these columns together are the same.
    pub(super) same: Vec<String>,
    /// That is proved; else no database shows a difference.
    pub(super) same_is_proved: bool,
    pub(super) changed: Vec<String>,
    pub(super) added: Vec<String>,
    pub(super) dropped: Vec<String>,
    pub(super) renamed: Vec<Renamed>,
    /// In another order than before.
    pub(super) moved: Vec<String>,
}

impl Columns {
    /// What names and places say.
    pub(super) fn of(layout: &Layout) -> Columns {
        Columns {
            added: layout.added.clone(),
            dropped: layout.dropped.clone(),
            renamed: layout.renamed.clone(),
            moved: layout.moved(),
            ..Columns::default()
        }
    }

    /// Whether names or their order are others: nothing for the rows, and much for who reads them.
    pub(super) fn has_new_names(&self) -> bool {
        !self.renamed.is_empty() || !self.moved.is_empty()
    }

    /// `added vat; renamed total to sum; the same (proved): id, total`.
    fn words(&self) -> String {
        let list = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
        };
        let renamed: Vec<String> = self.renamed.iter().map(|r| format!("{} to {}", r.old, r.new)).collect();
        let same = if self.same_is_proved { "the same (proved):" } else { "the same as far as tested:" };
        let all = [
            list("changed", &self.changed),
            list("added", &self.added),
            list("dropped", &self.dropped),
            list("renamed", &renamed),
            list("moved", &self.moved),
            list(same, &self.same),
        ];
        all.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

impl Finding {
    /// Of what has no answer.
    pub(super) fn not_compared(file: &str, query: &str, why: String) -> Finding {
        Finding {
            file: file.to_owned(),
            query: query.to_owned(),
            line: 1,
            outcome: Outcome::NotCompared,
            because: vec![why],
            but_for: None,
            columns: None,
            from_use: Vec::new(),
            witness: None,
            changed_rows: Vec::new(),
        }
    }

    /// The same with the files that state what a proof uses.
    pub(super) fn with_origins(mut self, project: &Project) -> Finding {
        for because in &mut self.because {
            if let Some(file) = premises::table(because).and_then(|table| project.said_in(table)) {
                because.push_str(&format!(" from {file}"));
            }
        }
        self
    }

    fn has_new_names(&self) -> bool {
        self.columns.as_ref().is_some_and(Columns::has_new_names)
    }

    /// Whether readers of the query get something else.
    pub(super) fn is_different(&self) -> bool {
        self.outcome == Outcome::Different || self.has_new_names()
    }

    /// Whether it is shown to be the same; `proved` asks for a proof.
    pub(super) fn is_same(&self, proved: bool) -> bool {
        let shown = match self.outcome {
            Outcome::Proved => true,
            Outcome::Tested => !proved,
            Outcome::Different | Outcome::NotDecided | Outcome::NotCompared => false,
        };
        shown && !self.is_different()
    }

    /// One line without the place.
    pub(super) fn says(&self, must_be_proved: bool) -> String {
        let because = self.because.join(if self.outcome == Outcome::Proved { ", " } else { "; " });
        let mut out = match self.outcome {
            Outcome::Proved | Outcome::Tested if self.has_new_names() => {
                "NOT the same: the rows are, the columns have other names".to_owned()
            }
            Outcome::Proved if because.is_empty() => "the same: proved".to_owned(),
            Outcome::Proved => format!("the same: proved, given {because}"),
            Outcome::Tested if must_be_proved => format!("not proved: {because}"),
            Outcome::Tested => format!("the same as far as tested: {because}"),
            Outcome::Different => {
                let but_for =
                    self.but_for.map(|what| format!(" (the same but for {what})")).unwrap_or_default();
                let because = if because.is_empty() { because } else { format!(": {because}") };
                format!("NOT the same{but_for}{because}")
            }
            Outcome::NotDecided => format!("not decided: {because}"),
            Outcome::NotCompared => format!("not compared: {because}"),
        };
        if let Some(columns) = self.columns.as_ref().map(Columns::words).filter(|words| !words.is_empty()) {
            out.push_str(&format!("\n  columns: {columns}"));
        }
        if !self.from_use.is_empty() {
            out.push_str(&format!(
                "\n  not in the schema, columns as they are used: {}",
                self.from_use.join(", ")
            ));
        }
        out
    }
}

/// Findings for people: a line each, then what shows a difference.
pub(super) fn text(findings: &[Finding], must_be_proved: bool) -> String {
    let mut out = String::new();
    for finding in findings {
        out.push_str(&format!("{} ({}): {}\n", finding.file, finding.query, finding.says(must_be_proved)));
        if let Some(witness) = &finding.witness {
            out.push('\n');
            out.push_str(&witness.text);
            out.push('\n');
        }
    }
    out
}
