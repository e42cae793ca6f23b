//! Findings as JSON.

use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::Job;
use twinql::audit::{Finding, Shows, Status, Witness};

use super::Done;
use crate::commands::verdicts::plain;
use crate::input::About;

/// The wire type of an audit, one JSON object for each gold.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct AuditRecord {
    id: Json,
    db_id: Option<String>,
    /// The line of the gold in its file, or its entry's number in a JSON document.
    line: u64,
    /// `audited`, `refused`, `not_understood`, or `unusable` where the line holds no gold over a schema.
    status: &'static str,
    /// The text that places refer to.
    sql: Option<String>,
    findings: Vec<Json>,
    error: Option<String>,
}

impl AuditRecord {
    pub(super) fn new(job: &Job, about: &About, done: &Done) -> AuditRecord {
        let (status, sql, findings, error) = match done {
            Err(error) => ("unusable", None, Vec::new(), Some(error.clone())),
            Ok(audit) => {
                let error = match &audit.status {
                    Status::NotUnderstood(why) => Some(why.clone()),
                    Status::Audited | Status::Refused => None,
                };
                let findings = audit.findings.iter().map(finding).collect();
                (audit.status.name(), Some(audit.text.clone()), findings, error)
            }
        };
        AuditRecord {
            id: job.id.clone(),
            db_id: about.db_id.clone(),
            line: about.print,
            status,
            sql,
            findings,
            error,
        }
    }
}

fn finding(finding: &Finding) -> Json {
    let place = &finding.place;
    let assumes: Vec<&str> = finding.assumes.iter().map(|a| a.name()).collect();
    json!({
        "check": finding.check.id,
        "severity": finding.severity,
        "start": place.bytes.start,
        "end": place.bytes.end,
        "line": place.line,
        "column": place.column,
        "reason": finding.reason,
        "remedy": finding.remedy,
        "mended": finding.mended,
        "assumes": assumes,
        "witness": finding.witness.as_ref().map(witness),
    })
}

fn witness(witness: &Witness) -> Json {
    let rows = |i: usize| -> Vec<Vec<Json>> {
        let rows = witness.answers.get(i).into_iter().flatten();
        rows.map(|row| row.iter().cloned().map(plain).collect()).collect()
    };
    let (shows, second) = match &witness.shows {
        Shows::TwoAnswers => ("two_answers", None),
        Shows::Mended(sql) => ("mended", Some(sql)),
        Shows::OtherGold(sql) => ("other_gold", Some(sql)),
    };
    json!({
        "shows": shows,
        "other_sql": second,
        "sql": witness.statements,
        "columns": witness.columns,
        "answers": [rows(0), rows(1)],
    })
}
