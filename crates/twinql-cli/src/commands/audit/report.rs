//! An audit as a report: a table of checks, and the findings with what shows them.

use twinql::audit::{CHECKS, Finding};
use twinql_report::{
    Axis, BarGroup, BarSeries, Bars, Cell, Chart, Column, Estimate, Report, Section, Table, Tile,
};

use super::Tally;

/// Findings of one check that a report shows; the others are counted.
const SHOWN: usize = 25;
/// Characters of a query that are shown.
const LONGEST: usize = 400;

/// The findings of one check, the first ones whole.
struct OfCheck {
    id: &'static str,
    rows: Vec<Vec<Cell>>,
    more: usize,
}

/// What a report is made of, as audits come.
#[derive(Default)]
pub(super) struct Findings {
    checks: Vec<OfCheck>,
}

impl Findings {
    /// Notes a finding in the gold with this id.
    pub(super) fn add(&mut self, id: &str, db_id: &str, sql: &str, finding: &Finding) {
        let at = match self.checks.iter().position(|c| c.id == finding.check.id) {
            Some(at) => at,
            None => {
                self.checks.push(OfCheck { id: finding.check.id, rows: Vec::new(), more: 0 });
                self.checks.len() - 1
            }
        };
        let check = &mut self.checks[at];
        if check.rows.len() >= SHOWN {
            check.more += 1;
            return;
        }
        let mut reason = finding.reason.clone();
        if let Some(remedy) = &finding.remedy {
            reason.push(' ');
            reason.push_str(remedy);
        }
        let shown: String = sql.chars().take(LONGEST).collect();
        check.rows.push(vec![
            id.into(),
            db_id.into(),
            format!("line {}, column {}", finding.place.line, finding.place.column).into(),
            shown.into(),
            reason.into(),
            if finding.witness.is_some() { "yes" } else { "" }.into(),
        ]);
    }

    /// The report; `what` names the golds.
    pub(super) fn report(self, what: &str, tally: &Tally) -> Report {
        let flagged: usize = tally.flagged.values().sum();
        let mut report = Report::new("What is wrong with these golds", what)
            .with_fact("version", env!("CARGO_PKG_VERSION"));
        for (status, n) in &tally.statuses {
            report = report.with_fact(*status, n.to_string());
        }
        let tiles = vec![
            Tile::new("golds", tally.golds.to_string(), ""),
            Tile::new("with a finding", flagged.to_string(), share(flagged, tally.golds)),
        ];
        let columns = vec![
            Column::text("check"),
            Column::text("severity"),
            Column::number("findings", 0),
            Column::text("finds"),
        ];
        let mut table = Table::new("Findings by check", columns);
        let (mut groups, mut values) = (Vec::new(), Vec::new());
        for (check, severity, n) in tally.found() {
            let severity = severity.name();
            table =
                table.with_row(vec![check.id.into(), severity.into(), Cell::count(n), check.summary.into()]);
            groups.push(BarGroup { name: check.id.to_owned(), note: severity.to_owned() });
            values.push(Some(Estimate::new(n as f64)));
        }
        let mut section = Section::new("checks", "By check").with(tiles).with(table);
        if !groups.is_empty() {
            let bars = Bars {
                value: Axis::from_zero("findings"),
                groups,
                series: vec![BarSeries { name: "findings".into(), values }],
                reference: None,
                level: None,
            };
            section = section.with(Chart::new("findings", "Findings by check", bars.into()));
        }
        report = report.with_section(section);
        // In the order of the registry, whatever was found first.
        for check in CHECKS {
            let Some(found) = self.checks.iter().find(|c| c.id == check.id) else { continue };
            let columns = ["gold", "database", "place", "query", "why", "witness"].map(Column::text).to_vec();
            let mut table = Table::new(check.summary, columns);
            for row in &found.rows {
                table = table.with_row(row.clone());
            }
            if found.more > 0 {
                table = table.with_note(format!("{} more findings are in the other formats.", found.more));
            }
            report = report.with_section(Section::new(check.id, check.id).with(table));
        }
        report
    }
}

fn share(part: usize, whole: usize) -> String {
    format!("{:.1} % of them", 100.0 * part as f64 / whole.max(1) as f64)
}
