//! A comparison as a report with pictures.

use twinql::metrics::{ALL, Standing};
use twinql_report::{
    Axis, BarGroup, BarSeries, Bars, Better, Cell, Chart, Column, Dot, Estimate, Grid, PairCard, Pairs,
    Point, Report, Scatter, Section, Table, Tile, Win,
};

use super::Found;
use super::tables::NULL_HYPOTHESIS;

/// A p below it counts as significant in pictures.
const ALPHA: f64 = 0.05;
/// Errors of each system that are shown.
const ERRORS: usize = 10;
/// Systems whose accuracies by class are drawn; more bars could not be told apart.
const DRAWN: usize = 6;

impl Found {
    /// The whole report, with predictions on which a metric and the reference disagree, and for each system the places of
    /// its errors among those that are shown.
    pub(super) fn report(&self, cards: Vec<PairCard>, errors: &[Vec<usize>], shown: &[PairCard]) -> Report {
        let reference = &self.comparison.reference;
        let systems = self.entries.systems.len();
        let mut report = Report::new(
            format!("{systems} {} compared", if systems == 1 { "system" } else { "systems" }),
            format!("{} gold queries; the reference is {reference}", self.entries.hardness.len()),
        );
        for measure in &self.measures {
            report = report.with_fact(format!("signature of {}", measure.metric), &measure.signature);
        }
        for (system, counts) in self.entries.systems.iter().zip(&self.counts) {
            report = report.with_fact(&system.name, format!("{}: {counts}", system.file));
        }
        report = report.with_section(self.accuracies()).with_section(self.classes());
        if systems > 1 {
            report = report.with_section(self.contests());
        }
        if !self.comparison.disagreements.is_empty() {
            report = report.with_section(self.metrics());
        }
        if !cards.is_empty() {
            let caption = format!(
                "Predictions on which a metric and {reference} disagree, those first that most systems gave."
            );
            let pairs = Pairs { caption, cards, folded: false };
            report = report.with_section(Section::new("pairs", "Telling disagreements").with(pairs));
        }
        match self.errors(errors, shown) {
            Some(section) => report.with_section(section),
            None => report,
        }
    }

    /// For each system, the best first, the errors that tell most and that a database shows; none without any.
    fn errors(&self, errors: &[Vec<usize>], shown: &[PairCard]) -> Option<Section> {
        let reference = &self.comparison.reference;
        let mut any = false;
        let mut section = Section::new("errors", "Telling errors").with(format!(
            "Predictions that {reference} calls wrong and that a database tells from the gold: of each system the \
             {ERRORS} that the other metrics like best, by their mean score."
        ));
        for standing in self.ranked() {
            let at = self.entries.systems.iter().position(|system| system.name == standing.system);
            let places = at.and_then(|at| errors.get(at)).into_iter().flatten();
            let cards = places.filter_map(|place| shown.get(*place)).filter(|card| shows(card));
            let cards: Vec<PairCard> = cards.take(ERRORS).cloned().collect();
            if !cards.is_empty() {
                let caption = standing.system.clone();
                section = section.with(Pairs { caption, cards, folded: true });
                any = true;
            }
        }
        any.then_some(section)
    }

    /// The standings of one system, in the order of the metrics.
    fn of_system<'s>(&'s self, system: &'s str) -> impl Iterator<Item = &'s Standing> {
        self.comparison.standings.iter().filter(move |s| s.system == system)
    }

    /// A row for each system, the best by the reference first, with intervals. The bars show the reference alone: bars
    /// of all metrics side by side could not be read.
    fn accuracies(&self) -> Section {
        let ranked = self.ranked();
        let reference = &self.comparison.reference;
        let mut columns = vec![Column::text("system")];
        for measure in &self.measures {
            columns.push(Column::number(&measure.metric, 3).better(Better::Higher));
        }
        let caption = "The share of golds that a metric calls answered rightly, at its threshold; a prediction \
                       that cannot be scored counts as wrong";
        let mut table = Table::new(caption, columns);
        for best in &ranked {
            let mut cells: Vec<Cell> = vec![best.system.as_str().into()];
            cells.extend(self.of_system(&best.system).map(|s| Cell::interval(s.accuracy, s.low, s.high)));
            table = table.with_row(cells);
        }
        let table = table.with_note(format!("{:.0} % intervals (Wilson).", self.how.level * 100.0));
        let bars = Bars {
            value: Axis::from_zero(format!("accuracy by {reference}")),
            groups: ranked.iter().map(|s| BarGroup { name: s.system.clone(), note: String::new() }).collect(),
            series: vec![BarSeries {
                name: reference.clone(),
                values: ranked.iter().map(|s| Some(Estimate::between(s.accuracy, s.low, s.high))).collect(),
            }],
            reference: None,
            level: Some(self.how.level),
        };
        let mut section = Section::new("accuracy", "Accuracy");
        if let (Some(first), Some(last)) = (ranked.first(), ranked.last()) {
            let share = |s: &Standing| format!("{:.1} %", s.accuracy * 100.0);
            let interval =
                |s: &Standing| format!("{:.1} to {:.1} % by {reference}", s.low * 100.0, s.high * 100.0);
            let mut tiles = vec![Tile::new(format!("best: {}", first.system), share(first), interval(first))];
            if ranked.len() > 1 {
                tiles.push(Tile::new(format!("last: {}", last.system), share(last), interval(last)));
            }
            section = section.with(tiles);
        }
        section.with(table).with(Chart::new("accuracy-bars", format!("Accuracy by {reference}"), bars.into()))
    }

    /// Accuracy by hardness for each system. The groups of the chart say how many golds they have, since some classes
    /// are small.
    fn classes(&self) -> Section {
        let ranked = self.ranked();
        let classes = &self.comparison.classes;
        let sizes: Vec<usize> = twinql::metrics::Hardness::ALL
            .iter()
            .map(|class| self.entries.hardness.iter().filter(|h| **h == Some(*class)).count())
            .collect();
        let mut columns = vec![Column::text("system")];
        columns.extend(classes.iter().map(|class| Column::number(class.clone(), 3).better(Better::Higher)));
        let caption = format!("Accuracy by {} in Spider's classes of hardness", self.comparison.reference);
        let mut table = Table::new(caption, columns);
        for standing in &ranked {
            let mut cells: Vec<Cell> = vec![standing.system.as_str().into()];
            cells.extend(standing.by_class.iter().map(|share| Cell::of(*share, "no golds")));
            table = table.with_row(cells);
        }
        let series = ranked.iter().take(DRAWN).map(|standing| BarSeries {
            name: standing.system.clone(),
            values: standing.by_class.iter().map(|share| share.map(Estimate::new)).collect(),
        });
        let groups = classes.iter().zip(sizes);
        let bars = Bars {
            value: Axis::share("accuracy"),
            groups: groups
                .map(|(name, n)| BarGroup { name: name.clone(), note: format!("{n} golds") })
                .collect(),
            series: series.collect(),
            reference: None,
            level: None,
        };
        let mut chart = Chart::new("hardness-bars", "Accuracy by hardness", bars.into());
        if ranked.len() > DRAWN {
            chart = chart.with_caption(format!("The best {DRAWN} of {} systems.", ranked.len()));
        }
        Section::new("hardness", "By hardness").with(table).with(chart)
    }

    /// Which differences between systems are more than chance, as a matrix: with many systems a list could not be read.
    fn contests(&self) -> Section {
        let ranked = self.ranked();
        let names: Vec<String> = ranked.iter().map(|s| s.system.clone()).collect();
        let find = |row: &str, column: &str| -> Option<Win> {
            self.comparison.contests.iter().filter(|c| c.metric == self.comparison.reference).find_map(|c| {
                let sign = match (c.first == row && c.second == column, c.first == column && c.second == row)
                {
                    (true, _) => 1.0,
                    (_, true) => -1.0,
                    _ => return None,
                };
                // No difference has no sign.
                Some(Win { value: sign * c.difference * 100.0 + 0.0, p: Some(c.p_adjusted) })
            })
        };
        let cells = names.iter().map(|row| names.iter().map(|column| find(row, column)).collect()).collect();
        let grid = Grid {
            meaning: format!(
                "points of accuracy by {} that the row is ahead of the column",
                self.comparison.reference
            ),
            names,
            cells,
            even: 0.0,
            alpha: ALPHA,
        };
        let chart = Chart::new("win-grid", "Who beats whom", grid.into()).with_caption(format!(
            "p by approximate randomisation, adjusted for all contests (Holm). Null hypothesis: {NULL_HYPOTHESIS}."
        ));
        Section::new("contests", "Contests").with(chart)
    }

    /// How far each metric goes with the reference: whether it ranks the systems alike, which needs two systems, and on
    /// what share of golds it errs to either side.
    fn metrics(&self) -> Section {
        let reference = &self.comparison.reference;
        let mut section = Section::new("metrics", format!("Metrics against {reference}"));
        let classes: Vec<&str> =
            std::iter::once(ALL).chain(self.comparison.classes.iter().map(String::as_str)).collect();
        let others: Vec<&str> =
            self.measures.iter().map(|m| m.metric.as_str()).filter(|name| name != reference).collect();
        if self.entries.systems.len() > 1 {
            let mut columns = vec![Column::text("metric"), Column::text("systems ranked by")];
            columns.extend(classes.iter().map(|class| Column::number(*class, 3).better(Better::Higher)));
            let caption = format!("Kendall's tau-b of how a metric and {reference} rank the systems");
            let mut table = Table::new(caption, columns);
            for name in &others {
                let of = || self.comparison.rankings.iter().filter(|r| r.metric == *name);
                let mut row: Vec<Cell> = vec![(*name).into(), "accuracy".into()];
                row.extend(of().map(|r| Cell::of(r.tau, "constant")));
                table = table.with_row(row);
                if of().any(|r| r.tau_of_means.is_some()) {
                    let mut row: Vec<Cell> = vec![(*name).into(), "mean score".into()];
                    row.extend(of().map(|r| Cell::of(r.tau_of_means, "constant")));
                    table = table.with_row(row);
                }
            }
            section = section.with(table);
            for name in &others {
                section = section.with(self.scatter(name));
            }
        }
        let spread = |name: &str| [format!("{name}, mean"), format!("{name}, s.d."), format!("{name}, max")];
        let mut columns = vec![Column::text("metric"), Column::text("class")];
        for name in spread("false positives").into_iter().chain(spread("false negatives")) {
            columns.push(Column::number(name, 1).unit("%"));
        }
        let caption =
            format!("Where a metric disagrees with {reference}: shares of all golds, over the systems");
        let mut table = Table::new(caption, columns);
        for d in &self.comparison.disagreements {
            let mut row: Vec<Cell> = vec![d.metric.as_str().into(), d.class.as_str().into()];
            for spread in [d.false_positives, d.false_negatives] {
                row.extend([spread.mean, spread.deviation, spread.max].map(|x| Cell::number(x * 100.0)));
            }
            table = table.with_row(row);
        }
        section.with(table)
    }

    /// Systems by their accuracy under the reference and under a metric.
    fn scatter(&self, metric: &str) -> Chart {
        let reference = &self.comparison.reference;
        let accuracy = |system: &str, metric: &str| {
            self.of_system(system).find(|s| s.metric == metric).map_or(f64::NAN, |s| s.accuracy)
        };
        let dots = self.entries.systems.iter().map(|system| Dot {
            name: system.name.clone(),
            at: Point { x: accuracy(&system.name, reference), y: accuracy(&system.name, metric) },
            series: 0,
        });
        let scatter = Scatter {
            x: Axis::of(format!("accuracy by {reference}")),
            y: Axis::of(format!("accuracy by {metric}")),
            diagonal: Some("equal".into()),
            series: vec![metric.to_owned()],
            dots: dots.collect(),
        };
        let id: String = metric.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        Chart::new(format!("scatter-{id}"), format!("{metric} against {reference}"), scatter.into())
    }
}

/// Whether a pair has a database on which the answers are seen to differ: a text and a number may look alike, and so may
/// answers of which another one is allowed.
fn shows(card: &PairCard) -> bool {
    let tables = card.witness.as_ref().map_or(&[][..], |witness| &witness.tables);
    matches!(tables, [.., gold, pred] if gold.rows != pred.rows || gold.more != pred.more)
}
