//! A report in each of its formats. The same figures give the same bytes.

mod html;
mod latex;
mod markdown;
mod text;

use crate::safe::Slugs;
use crate::{REPORT_FORMAT, Report};

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// For a terminal.
    Text,
    /// For a page of documentation or a comment on a change.
    Markdown,
    /// For a paper: tables as `booktabs` has them, charts as `pgfplots` draws them.
    Latex,
    /// One file to look at, with everything in it.
    Html,
    /// For programs, and to be rendered later.
    Json,
}

impl Format {
    /// All of them, with the ending of their files.
    pub const ALL: [(Format, &'static str); 5] = [
        (Format::Text, "txt"),
        (Format::Markdown, "md"),
        (Format::Latex, "tex"),
        (Format::Html, "html"),
        (Format::Json, "json"),
    ];

    /// The format of a file by the ending of its name, if it is one of ours.
    pub fn of_path(path: &std::path::Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?;
        Format::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(ending)).map(|(format, _)| *format)
    }
}

/// Why a stored report cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no report in JSON.
    Json(serde_json::Error),
    /// It was written by a later version, in this form.
    Format(u32),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Json(why) => write!(f, "this is no report: {why}"),
            ReadError::Format(format) => {
                write!(f, "the report has form {format}, and this version reads up to {REPORT_FORMAT}")
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Json(why) => Some(why),
            ReadError::Format(_) => None,
        }
    }
}

impl Report {
    /// The report in a format.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Text => self.text(),
            Format::Markdown => self.markdown(),
            Format::Latex => self.latex(),
            Format::Html => self.html(),
            Format::Json => self.json(),
        }
    }

    /// The report as JSON, with every point and every character.
    #[expect(clippy::expect_used, reason = "all keys are texts, and writing to memory does not fail")]
    pub fn json(&self) -> String {
        let mut out = serde_json::to_string(self).expect("a report is valid JSON");
        out.push('\n');
        out
    }

    /// A report that was stored as JSON.
    ///
    /// # Errors
    ///
    /// Where it is none, or one of a later form.
    pub fn from_json(json: &str) -> Result<Report, ReadError> {
        /// The part of a report that says whether the rest can be read.
        #[derive(serde::Deserialize)]
        struct Version {
            format: u32,
        }
        let Version { format } = serde_json::from_str(json).map_err(ReadError::Json)?;
        if format > REPORT_FORMAT {
            return Err(ReadError::Format(format));
        }
        serde_json::from_str(json).map_err(ReadError::Json)
    }

    /// Each chart as an SVG file: its name and what is in it.
    pub fn figures(&self) -> Vec<(String, String)> {
        let mut slugs = Slugs::default();
        self.charts().map(|chart| (format!("{}.svg", slugs.of(&chart.id)), chart.svg())).collect()
    }
}

/// Pieces of a text that alternate between words and code: what stands between two backticks is code. A
/// backtick without a second one is one of the words.
fn inline(text: &str) -> Vec<(bool, &str)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`')
        && let Some((code, after)) = after.split_once('`')
    {
        out.push((false, before));
        out.push((true, code));
        rest = after;
    }
    out.push((false, rest));
    out.retain(|(_, piece)| !piece.is_empty());
    out
}

/// Rows of a witness's table that are shown, and how many are not.
const MOST_ROWS: usize = 20;
/// Columns of a witness's table that are shown.
const MOST_COLUMNS: usize = 20;

/// A witness's table as it is shown: bounded, NULLs by name.
fn witness_rows(table: &crate::WitnessTable) -> (Vec<Vec<Option<String>>>, usize) {
    let cell = |cell: &Option<String>| cell.as_deref().map(crate::safe::name);
    let rows = table.rows.iter().take(MOST_ROWS);
    let shown = rows.map(|row| row.iter().take(MOST_COLUMNS).map(cell).collect()).collect();
    (shown, table.more.saturating_add(table.rows.len().saturating_sub(MOST_ROWS)))
}

/// What is said below a table that shows not all rows.
fn more_rows(more: usize) -> Option<String> {
    (more > 0).then(|| format!("… {} more rows", crate::number::shown(more as f64, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_hold_code() {
        assert_eq!(inline("a `b` c"), [(false, "a "), (true, "b"), (false, " c")]);
        assert_eq!(inline("a ` b"), [(false, "a ` b")]);
        assert_eq!(inline("`b``c"), [(true, "b"), (false, "`c")]);
        assert!(inline("").is_empty());
    }

    #[test]
    fn formats_follow_the_ending() {
        let of = |path: &str| Format::of_path(std::path::Path::new(path));
        assert_eq!(of("a/report.HTML"), Some(Format::Html));
        assert_eq!(of("report.tex"), Some(Format::Latex));
        assert_eq!(of("report"), None);
        assert_eq!(of("report.pdf"), None);
    }

    #[test]
    fn a_report_comes_back_from_json() {
        let report = Report::new("t", "").with_section(
            crate::Section::new("a", "A").with(
                crate::Table::new("", vec![crate::Column::number("x", 1)])
                    .with_row(vec![crate::Cell::number(0.1)]),
            ),
        );
        assert_eq!(Report::from_json(&report.json()).unwrap(), report);
        let later = report.json().replacen("\"format\":1", "\"format\":2", 1);
        assert!(matches!(Report::from_json(&later), Err(ReadError::Format(2))));
        assert!(matches!(Report::from_json("[]"), Err(ReadError::Json(_))));
    }
}
