//! Inconsistency rates as a report with pictures.

use twinql_perturb::consistency::{Rate, Rates};
use twinql_perturb::relation;
use twinql_report::{
    Axis, BarGroup, BarSeries, Bars, Better, Cell, Chart, Column, Estimate, PairCard, Pairs, Report, Section,
    Table, Tile,
};

use super::Found;
use super::inputs::Read;

/// The average of the paper's five systems (Table 6), in percent, by abbreviation.
const PAPER: &[(&str, f64)] = &[
    ("PI", 5.3),
    ("PR", 7.4),
    ("PS", 4.6),
    ("SS", 23.3),
    ("NO", 3.4),
    ("FL", 5.1),
    ("OK", 4.3),
    ("TS", 1.1),
    ("CS", 0.7),
    ("CRm", 1.8),
    ("CRn", 1.1),
    ("CI", 1.2),
];

/// The whole report.
pub(super) fn report(found: &Found, read: &Read, fluency: Option<Section>, cards: Vec<PairCard>) -> Report {
    let mut report = Report::new(
        "Consistency under transformed inputs",
        format!("{} transformed inputs with both predictions, of {}", read.compared.len(), read.inputs),
    );
    for subject in &found.subjects {
        report = report.with_fact(format!("signature of {}", subject.metric), &subject.signature);
    }
    report = report.with_fact("distinct pairs", format!("{}: {}", read.distinct.len(), found.counts));
    for (what, ids) in read.lacking() {
        report = report.with_fact(what, ids.len().to_string());
    }
    report = report.with_section(by_relation(found, read)).with_section(by_hardness(found));
    if !found.alarms.is_empty() {
        report = report.with_section(false_alarms(found));
    }
    if let Some(section) = fluency {
        report = report.with_section(section);
    }
    if !cards.is_empty() {
        let caption = "Above what the system predicts for the original, below what it predicts for the \
                       transformed input, read through the transformation."
            .to_owned();
        report = report.with_section(Section::new("examples", "Examples").with(Pairs {
            caption,
            cards,
            folded: false,
        }));
    }
    report
}

/// A rate with its interval, in per cent.
fn cell(rate: &Rate) -> Cell {
    match (rate.rate, rate.low, rate.high) {
        (Some(rate), Some(low), Some(high)) => Cell::interval(rate * 100.0, low * 100.0, high * 100.0),
        (rate, _, _) => Cell::of(rate.map(|r| r * 100.0), "nothing judged"),
    }
}

/// The rate of one relation. By name, for a metric may lack a relation that another has.
fn group<'r>(rates: &'r Rates, name: &str) -> Option<&'r Rate> {
    rates.by_relation.iter().find(|g| g.group == name)
}

/// The rate for each relation and for all inputs, beside the mean that the paper reports for the same relation. Where
/// the paper has no such relation the cell says so: an empty one would read as a rate of none.
fn by_relation(found: &Found, read: &Read) -> Section {
    let groups: Vec<&str> = found
        .rates
        .first()
        .map(|r| r.by_relation.iter().map(|g| g.group.as_str()).collect())
        .unwrap_or_default();
    let mut columns = vec![Column::text("relation"), Column::number("inputs", 0)];
    columns.extend(found.rates.iter().map(|r| Column::number(&r.name, 1).unit("%").better(Better::Lower)));
    columns.push(Column::number("paper", 1).unit("%"));
    let mut table = Table::new("Inconsistency rate by relation (MT-TEQL, Table 6)", columns);
    for name in &groups {
        let of: Vec<&Rate> = found.rates.iter().filter_map(|r| group(r, name)).collect();
        let inputs = of.first().map_or(0, |r| r.judged + r.unknown);
        let mut row: Vec<Cell> = vec![(*name).into(), Cell::count(inputs)];
        row.extend(of.iter().map(|r| cell(r)));
        let short = relation(name).map_or("", |r| r.short);
        let paper = PAPER.iter().find(|(s, _)| *s == short).map(|(_, rate)| *rate);
        row.push(Cell::of(paper, "not in it"));
        table = table.with_row(row);
    }
    let mut row: Vec<Cell> = vec!["all".into(), Cell::count(read.compared.len())];
    row.extend(found.rates.iter().map(|r| cell(&r.all)));
    row.push(Cell::number(2.9));
    let table = table
        .with_emphasis(row)
        .with_note(format!(
            "{:.0} % intervals by bootstrap over originals, since inputs of one original go together.",
            found.how.level * 100.0
        ))
        .with_note("paper: the mean of its five systems by exact set match.");
    let bars = Bars {
        value: Axis::from_zero("inconsistency rate"),
        groups: groups
            .iter()
            .map(|name| BarGroup {
                name: relation(name).map_or(*name, |r| r.short).to_owned(),
                note: String::new(),
            })
            .collect(),
        series: found
            .rates
            .iter()
            .map(|r| BarSeries {
                name: r.name.clone(),
                values: groups.iter().map(|name| estimate(group(r, name)?)).collect(),
            })
            .collect(),
        reference: None,
        level: Some(found.how.level),
    };
    let tiles: Vec<Tile> = found
        .rates
        .iter()
        .filter_map(|r| {
            let share = format!("{:.1} %", r.all.rate? * 100.0);
            Some(Tile::new(
                format!("inconsistent by {}", r.name),
                share,
                format!("of {} inputs", r.all.judged),
            ))
        })
        .collect();
    Section::new("relations", "By relation").with(tiles).with(table).with(Chart::new(
        "relations-bars",
        "Inconsistency rate by relation",
        bars.into(),
    ))
}

fn estimate(rate: &Rate) -> Option<Estimate> {
    Some(Estimate::between(rate.rate?, rate.low?, rate.high?))
}

/// The paper's Table 7 for these systems. All inputs of a gold share its class.
fn by_hardness(found: &Found) -> Section {
    let mut columns = vec![Column::text("metric")];
    columns.extend(["easy", "medium", "hard", "extra", "all"].map(|h| Column::number(h, 1).unit("%")));
    let mut table = Table::new("Inconsistency rate by hardness of the gold (MT-TEQL, Table 7)", columns);
    for rates in &found.rates {
        let mut row: Vec<Cell> = vec![rates.name.as_str().into()];
        row.extend(rates.by_hardness.iter().chain([&rates.all]).map(cell));
        table = table.with_row(row);
    }
    Section::new("hardness", "By hardness").with(table)
}

/// A table for each metric that compares texts, by relation. `open` are those of which neither a proof nor the suite
/// knows.
fn false_alarms(found: &Found) -> Section {
    let mut section = Section::new("alarms", "False alarms");
    for (metric, groups) in &found.alarms {
        let mut columns = vec![Column::text("relation")];
        let names = ["different", "proved the same", "suite finds none", "witness", "open"];
        columns.extend(names.map(|name| Column::number(name, 0)));
        let caption = format!(
            "Where {metric} says that predictions differ: what is proved to answer the same, where the suite finds \
             no database on which the answers differ, and where it has one"
        );
        let mut table = Table::new(caption, columns);
        for a in groups {
            let mut row: Vec<Cell> = vec![a.group.as_str().into()];
            let counts = [a.different, a.proved_same, a.suite_same, a.witnessed, a.open];
            row.extend(counts.map(Cell::count));
            table = if a.group == "all" { table.with_emphasis(row) } else { table.with_row(row) };
        }
        section = section.with(table);
    }
    section
}
