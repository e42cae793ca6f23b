//! Findings over a gold file, and a sample of them to be read, at most SAMPLE of each check: how the precision in
//! `docs/audit.md` was measured.
//!
//! `cargo run --release -p twinql-audit --example sample -- GOLD.sql TABLES [SAMPLE] [SEED] [no-witness] [ID]`

use std::collections::BTreeMap;

use twinql_audit::{Auditor, Config, Severity};
use twinql_corpus::spider::read_gold;
use twinql_suite::Dice;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let arg = |i: usize, default: &str| args.get(i).cloned().unwrap_or_else(|| default.to_owned());
    let schemas = twinql_sql::schema::load(std::path::Path::new(&arg(2, "")))?;
    let (sample, seed): (usize, u64) = (arg(3, "100").parse()?, arg(4, "1").parse()?);
    let config =
        Config { severity: Severity::Note, witness: arg(5, "") != "no-witness", ..Config::default() };
    let only = arg(6, "");
    let mut auditors: BTreeMap<String, Auditor> = BTreeMap::new();
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut flagged = 0;
    for gold in read_gold(arg(1, ""))? {
        let Some(schema) = schemas.get(&gold.db_id) else { continue };
        let auditor = match auditors.entry(gold.db_id.clone()) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => new.insert(Auditor::new(schema, &config)?),
        };
        let audit = auditor.audit(&gold.sql);
        *statuses.entry(audit.status.name().to_owned()).or_default() += 1;
        if let twinql_audit::Status::NotUnderstood(why) = &audit.status {
            eprintln!("not understood, line {}: {why}", gold.line);
        }
        flagged += usize::from(audit.findings.iter().any(|f| f.severity > Severity::Note));
        for finding in &audit.findings {
            let count = counts.entry((finding.severity.name(), finding.check.id)).or_default();
            count.0 += 1;
            count.1 += usize::from(finding.witness.is_some());
            if only.is_empty() && finding.severity > Severity::Note || finding.check.id == only {
                let at = audit.text.get(finding.place.bytes.clone()).unwrap_or("");
                let line = format!(
                    "{} {} {} line {} [{}]\n  {}\n  at: {at}\n  {}{}",
                    finding.severity,
                    finding.check.id,
                    gold.db_id,
                    gold.line,
                    if finding.witness.is_some() { "witness" } else { "" },
                    audit.text.trim(),
                    finding.reason,
                    finding.remedy.as_ref().map_or_else(String::new, |r| format!(" → {r}")),
                );
                lines.push((finding.check.id, line));
            }
        }
    }
    Dice::new(seed, 0).shuffle(&mut lines);
    // At most so many of each check: the rare ones are read too.
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for (check, line) in &lines {
        let count = shown.entry(check).or_default();
        *count += 1;
        if *count <= sample {
            println!("{line}\n");
        }
    }
    eprintln!("{statuses:?}; golds with an error or a warning: {flagged}");
    for ((severity, check), (count, witnesses)) in counts {
        eprintln!("{severity:8} {check:28} {count:6} {witnesses:6}");
    }
    Ok(())
}
