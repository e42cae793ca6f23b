//! Inconsistency rates as text tables.

use twinql_perturb::consistency::Rate;
use twinql_perturb::relation;

use super::Found;
use super::inputs::Read;
use crate::output::table;

/// `4.2` or `n/a`, in percent.
fn percent(rate: Option<f64>) -> String {
    rate.map_or_else(|| "n/a".into(), |r| format!("{:.1}", r * 100.0))
}

fn interval(rate: &Rate) -> String {
    match (rate.low, rate.high) {
        (Some(low), Some(high)) => format!("{:.1}-{:.1}", low * 100.0, high * 100.0),
        _ => String::new(),
    }
}

/// All tables, and what they are over.
pub(super) fn text(found: &Found, read: &Read) -> String {
    let mut out = format!(
        "{} of {} transformed inputs compared; both predictions the same text in {}; {} distinct pairs judged\n",
        read.compared.len(),
        read.inputs,
        read.same_text(),
        read.distinct.len()
    );
    for (what, ids) in read.lacking().into_iter().filter(|(_, ids)| !ids.is_empty()) {
        out.push_str(&format!("{what}: {}\n", ids.len()));
    }
    out.push_str(&format!(
        "\nInconsistency rate in % ({:.0} % intervals by bootstrap over originals)\n",
        found.how.level * 100.0
    ));
    let mut head = vec!["relation".to_owned(), String::new(), "inputs".to_owned()];
    for rates in &found.rates {
        head.extend([rates.name.clone(), String::new()]);
    }
    let mut rows = vec![head];
    let first = found.rates.first();
    let groups: Vec<&str> =
        first.map(|r| r.by_relation.iter().map(|g| g.group.as_str()).collect()).unwrap_or_default();
    for group in groups {
        let short = relation(group).map_or("", |r| r.short);
        let mut row = vec![group.to_owned(), short.to_owned()];
        let of: Vec<&Rate> =
            found.rates.iter().filter_map(|r| r.by_relation.iter().find(|g| g.group == group)).collect();
        row.push(of.first().map_or(0, |r| r.judged + r.unknown).to_string());
        row.extend(of.iter().flat_map(|r| [percent(r.rate), interval(r)]));
        rows.push(row);
    }
    let mut row = vec!["all".to_owned(), String::new(), read.compared.len().to_string()];
    row.extend(found.rates.iter().flat_map(|r| [percent(r.all.rate), interval(&r.all)]));
    rows.push(row);
    out.push_str(&table(&rows));
    out.push_str("\nBy hardness of the gold, in %\n");
    let mut rows = vec![["metric", "easy", "medium", "hard", "extra", "all"].map(String::from).to_vec()];
    for rates in &found.rates {
        let mut row = vec![rates.name.clone()];
        row.extend(rates.by_hardness.iter().chain([&rates.all]).map(|r| percent(r.rate)));
        rows.push(row);
    }
    out.push_str(&table(&rows));
    for (metric, groups) in &found.alarms {
        out.push_str(&format!("\nWhere {metric} says that predictions differ\n"));
        let head = ["", "different", "proved the same", "suite finds none", "witness", "open"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for a in groups {
            let mut row = vec![a.group.clone()];
            row.extend(
                [a.different, a.proved_same, a.suite_same, a.witnessed, a.open].map(|n| n.to_string()),
            );
            rows.push(row);
        }
        out.push_str(&table(&rows));
    }
    let unknown: Vec<String> = found
        .rates
        .iter()
        .filter(|r| r.all.unknown > 0)
        .map(|r| format!("{} says nothing of {}", r.name, r.all.unknown))
        .collect();
    if !unknown.is_empty() {
        out.push_str(&format!("\nnot in the rates: {}\n", unknown.join(", ")));
    }
    out.push_str(&format!("\npairs: {}\n", found.counts));
    found.subjects.iter().fold(out, |out, subject| out + &subject.signature + "\n")
}
