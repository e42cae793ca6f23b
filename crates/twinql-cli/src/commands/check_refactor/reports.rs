//! Findings where people look: annotations, code scanning, summaries, test reports.
//!
//! Each kind is one function from findings to text, with the page that says what is read there.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::Result;
use serde_json::{Value as Json, json};
use twinql::files::{hex, sha256};

use super::finding::{ChangedRow, Finding, Outcome};
use crate::output::Sink;

/// A kind of report.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    text: fn(&[Finding], bool) -> String,
}

/// All kinds.
pub(crate) const KINDS: [Kind; 5] = [
    Kind { name: "github", about: "annotations in the log of a GitHub action", text: annotations },
    Kind { name: "gitlab", about: "GitLab's code quality", text: code_quality },
    Kind { name: "junit", about: "a test report, as Jenkins and GitLab read it", text: junit },
    Kind { name: "markdown", about: "a summary for a comment or a page", text: markdown },
    Kind { name: "sarif", about: "SARIF 2.1.0, for code scanning", text: sarif },
];

/// `KIND=FILE`, or `KIND` for the standard output.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    kind: &'static str,
    file: Option<PathBuf>,
}

impl FromStr for Report {
    type Err = String;

    fn from_str(typed: &str) -> Result<Report, String> {
        let (name, file) =
            typed.split_once('=').map_or((typed, None), |(name, file)| (name, Some(file.into())));
        let kind = KINDS.iter().find(|kind| kind.name == name);
        let names = || KINDS.map(|kind| kind.name).join(", ");
        let kind = kind.ok_or_else(|| format!("no report is called {name:?}; there are {}", names()))?.name;
        Ok(Report { kind, file })
    }
}

impl Report {
    /// Writes the findings; what is tested alone fails where `proved` asks for proofs.
    pub(super) fn write(&self, findings: &[Finding], proved: bool) -> Result<()> {
        for kind in KINDS.iter().filter(|kind| kind.name == self.kind) {
            let mut sink = Sink::new(self.file.as_deref())?;
            sink.write(&(kind.text)(findings, proved))?;
            sink.finish()?;
        }
        Ok(())
    }
}

/// How bad a finding is: nothing to say of what is the same.
fn level(finding: &Finding, proved: bool) -> Option<&'static str> {
    match () {
        () if finding.is_same(proved) => None,
        () if finding.is_different() => Some("error"),
        () => Some("warning"),
    }
}

/// Findings that say something, with their levels.
fn told(findings: &[Finding], proved: bool) -> impl Iterator<Item = (&Finding, &'static str)> {
    findings.iter().filter_map(move |finding| Some((finding, level(finding, proved)?)))
}

/// A finding in one text.
fn message(finding: &Finding, proved: bool) -> String {
    format!("{}: {}", finding.query, finding.says(proved))
}

/// <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>
fn annotations(findings: &[Finding], proved: bool) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let line = |(finding, level): (&Finding, &str)| {
        let (file, says) = (property(&finding.file), data(&message(finding, proved)));
        format!("::{level} file={file},line={},title=twinql check-refactor::{says}\n", finding.line)
    };
    told(findings, proved).map(line).collect()
}

/// <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>
fn code_quality(findings: &[Finding], proved: bool) -> String {
    let issue = |(finding, level): (&Finding, &str)| {
        let print = hex(sha256(format!("{}\n{}\n{level}", finding.file, finding.query).as_bytes()));
        json!({
            "description": message(finding, proved),
            "check_name": rule(finding),
            "fingerprint": print,
            "severity": if level == "error" { "major" } else { "minor" },
            "location": {"path": finding.file, "lines": {"begin": finding.line}},
        })
    };
    pretty(&told(findings, proved).map(issue).collect())
}

/// <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
fn sarif(findings: &[Finding], proved: bool) -> String {
    let result = |(finding, level): (&Finding, &str)| {
        json!({
            "ruleId": rule(finding),
            "level": level,
            "message": {"text": message(finding, proved)},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": finding.file.replace('\\', "/")},
                "region": {"startLine": finding.line},
            }}],
        })
    };
    let rules =
        [("different", "The query says something else"), ("undecided", "Nothing is known of the query")];
    let rule = |(id, says): (&str, &str)| json!({"id": id, "shortDescription": {"text": says}});
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "twinql",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.map(rule),
            }},
            "results": told(findings, proved).map(result).collect::<Vec<Json>>(),
        }],
    }))
}

fn rule(finding: &Finding) -> &'static str {
    if finding.is_different() { "different" } else { "undecided" }
}

fn pretty(json: &Json) -> String {
    format!("{json:#}\n")
}

/// <https://github.com/testmoapp/junitxml>: what is not decided is skipped.
fn junit(findings: &[Finding], proved: bool) -> String {
    let of = |level: &str| told(findings, proved).filter(|(_, l)| *l == level).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"twinql check-refactor\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        findings.len(),
        of("error"),
        of("warning")
    );
    for finding in findings {
        let _ =
            write!(out, "<testcase classname=\"{}\" name=\"{}\"", xml(&finding.file), xml(&finding.query));
        let says = xml(&finding.says(proved));
        let _ = match level(finding, proved) {
            None => writeln!(out, "/>"),
            Some("error") => writeln!(out, "><failure message=\"{says}\"/></testcase>"),
            Some(_) => writeln!(out, "><skipped message=\"{says}\"/></testcase>"),
        };
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// Text in XML; control characters, which XML has no words for, are left out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A table of all findings, then what shows each difference.
fn markdown(findings: &[Finding], proved: bool) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', "<br>");
    let failed = told(findings, proved).count();
    let mut out = format!(
        "### Does the changed SQL still say the same?\n\n{} of {} queries do.\n\n| query | file | |\n|---|---|---|\n",
        findings.len() - failed,
        findings.len()
    );
    for finding in findings {
        let sign = match finding.outcome {
            _ if finding.is_same(proved) => "✅",
            Outcome::NotDecided | Outcome::NotCompared => "❔",
            _ => "❌",
        };
        let (query, file, says) = (cell(&finding.query), cell(&finding.file), cell(&finding.says(proved)));
        let _ = writeln!(out, "| {query} | `{file}` | {sign} {says} |");
    }
    for (finding, witness) in findings.iter().filter_map(|f| Some((f, f.witness.as_ref()?))) {
        // No fence of the text ends this one.
        let fence = "`".repeat(3.max(longest_run(&witness.text, '`') + 1));
        let _ = write!(
            out,
            "\n<details><summary>{}: a database that shows it</summary>\n\n{}{fence}sql\n{}\n{fence}\n\n</details>\n",
            xml(&finding.query),
            changed_rows(&finding.changed_rows),
            witness.text.trim_end()
        );
    }
    out
}

/// A table of rows that differ in some cells, which are bold, the old above the new.
fn changed_rows(rows: &[ChangedRow]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let code = |text: &str| format!("<code>{}</code>", xml(text).replace('|', "&#124;"));
    let names = first.cells.iter().map(|(name, _)| code(name));
    let mut out = line([String::new()].into_iter().chain(names).collect());
    out.push_str(&format!("|{}\n", "---|".repeat(first.cells.len() + 1)));
    for row in rows {
        for (side, name) in ["old", "new"].into_iter().enumerate() {
            let cell = |(_, values): &(String, [String; 2])| match values {
                [was, is] if was != is => format!("**{}**", code(&values[side])),
                _ => code(&values[side]),
            };
            out.push_str(&line([name.to_owned()].into_iter().chain(row.cells.iter().map(cell)).collect()));
        }
    }
    out.push('\n');
    out
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(|run| run.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> Vec<Finding> {
        let of = |query: &str, outcome| Finding {
            outcome,
            line: 3,
            ..Finding::not_compared("models/a,b.sql", query, "1 < 2 | \"x\"\n100 %".to_owned())
        };
        vec![of("a", Outcome::Proved), of("b", Outcome::Different), of("c", Outcome::NotDecided)]
    }

    fn text(name: &str) -> String {
        (KINDS.iter().find(|kind| kind.name == name).unwrap().text)(&findings(), false)
    }

    #[test]
    fn annotations_escape_what_ends_them() {
        let lines: Vec<String> = text("github").lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("::error file=models/a%2Cb.sql,line=3,title="), "{lines:?}");
        assert!(
            lines[0].contains("1 < 2 | \"x\"%0A100 %25") && lines[1].starts_with("::warning "),
            "{lines:?}"
        );
    }

    #[test]
    fn documents_have_what_their_readers_need() {
        let read: Json = serde_json::from_str(&text("sarif")).unwrap();
        let results = read["runs"][0]["results"].as_array().unwrap();
        assert_eq!((read["version"].as_str(), results.len()), (Some("2.1.0"), 2));
        assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
        let read: Json = serde_json::from_str(&text("gitlab")).unwrap();
        for issue in read.as_array().unwrap() {
            for field in ["description", "check_name", "fingerprint", "severity"] {
                assert!(issue[field].is_string(), "{issue}");
            }
            assert!(issue["location"]["path"].is_string() && issue["location"]["lines"]["begin"].is_u64());
        }
    }

    #[test]
    fn texts_keep_to_their_grammar() {
        let junit = text("junit");
        assert!(junit.contains("tests=\"3\" failures=\"1\" skipped=\"1\""), "{junit}");
        assert!(junit.contains("1 &lt; 2 | &quot;x&quot;&#10;100 %"), "{junit}");
        let markdown = text("markdown");
        assert!(
            markdown.contains("1 of 3 queries") && markdown.contains("1 < 2 \\| \"x\"<br>100 %"),
            "{markdown}"
        );
        assert!("none=x".parse::<Report>().unwrap_err().contains("sarif"));
    }
}
