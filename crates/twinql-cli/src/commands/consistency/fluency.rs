//! How fluent questions are before and after, as the paper's Figure 3.

use std::collections::BTreeMap;

use twinql_perturb::RELATIONS;
use twinql_perturb::fluency::Fluency;
use twinql_report::{Axis, Cell, Chart, Column, Curve, Curves, Reference, Section, Table};

use super::inputs::{Compared, Read};

/// Points of a curve.
const POINTS: usize = 100;

/// Scores of originals, each once, and of what became of them.
struct Scores {
    /// Sorted; what many inputs come of counts once.
    originals: Vec<f64>,
    /// Sorted; each input counts.
    transformed: Vec<f64>,
}

impl Scores {
    fn of<'c>(fluency: &Fluency, inputs: impl Iterator<Item = &'c Compared>) -> Scores {
        let mut originals = BTreeMap::new();
        let mut transformed = Vec::new();
        for c in inputs {
            originals.entry(c.origin).or_insert_with(|| fluency.of(&c.origin.to_string(), &c.asked));
            transformed.extend(fluency.of(&c.id, &c.question));
        }
        let mut originals: Vec<f64> = originals.into_values().flatten().collect();
        originals.sort_by(f64::total_cmp);
        transformed.sort_by(f64::total_cmp);
        Scores { originals, transformed }
    }
}

/// The section, where the question of any input changed.
pub(super) fn section(fluency: &Fluency, read: &Read) -> Option<Section> {
    let changed = |c: &&Compared| !c.asked.is_empty() && c.asked != c.question;
    let all = Scores::of(fluency, read.compared.iter().filter(changed));
    if all.originals.is_empty() || all.transformed.is_empty() {
        return None;
    }
    let columns = vec![
        Column::text("relation"),
        Column::number("originals", 0),
        Column::number("mean", 3),
        Column::number("transformed", 0),
        Column::number("mean", 3),
    ];
    let mut table = Table::new("Fluency of questions, 1 / (1 + H), where their words changed", columns);
    for relation in RELATIONS {
        let of = read.compared.iter().filter(changed).filter(|c| c.relation == relation.name);
        let scores = Scores::of(fluency, of);
        if !scores.transformed.is_empty() {
            table = table.with_row(row(relation.name, &scores));
        }
    }
    let table = table
        .with_emphasis(row("all", &all))
        .with_note("H is the mean negative log-probability of a word; see docs/consistency.md.");
    let curves = Curves {
        x: Axis::of("fluency"),
        y: Axis::share("share of questions that are less fluent"),
        square: false,
        reference: Reference::Nothing,
        curves: vec![curve("originals", &all.originals), curve("transformed", &all.transformed)],
        level: None,
    };
    let chart = Chart::new("fluency-curves", "Cumulative fluency (MT-TEQL, Figure 3)", curves.into());
    Some(Section::new("fluency", "Fluency").with(table).with(chart))
}

fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

/// A relation's row. Means are of different numbers of questions, so both numbers stand beside them.
fn row(name: &str, scores: &Scores) -> Vec<Cell> {
    vec![
        name.into(),
        Cell::count(scores.originals.len()),
        Cell::of(mean(&scores.originals), "no scores"),
        Cell::count(scores.transformed.len()),
        Cell::of(mean(&scores.transformed), "no scores"),
    ]
}

/// The cumulative distribution of sorted values.
fn curve(name: &str, values: &[f64]) -> Curve {
    let last = values.len().saturating_sub(1);
    let points = (0..=POINTS).filter_map(|i| {
        let share = i as f64 / POINTS as f64;
        let at = (share * last as f64).round() as usize;
        Some((*values.get(at)?, share))
    });
    Curve::new(name, points)
}
