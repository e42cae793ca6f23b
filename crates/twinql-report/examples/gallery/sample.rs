//! A report with every kind of block. The scores are drawn by a small generator; nothing here was measured.

use twinql_report::{
    Axis, BarGroup, BarSeries, Bars, Better, BinSeries, Cell, Chart, Column, Curve, Curves, Dot, Estimate,
    Grid, Histogram, Level, PairCard, Pairs, Point, Report, Scatter, Section, Table, Tile, Tone, Win,
    Witness, WitnessTable,
};

/// A linear congruential generator (Knuth's MMIX constants): the same figures everywhere.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Scores of a metric with labels: the noisier, the worse it tells them apart.
fn scored(seed: u64, noisy: f64) -> Vec<(f64, bool)> {
    let mut draws = Draws(seed);
    let mut one = || {
        let label = draws.next() < 0.55;
        let noise = draws.next() + draws.next() + draws.next() - 1.5;
        let logit = 2.2 * (if label { 1.0 } else { -1.0 } + noisy * noise);
        (1.0 / (1.0 + (-logit).exp()), label)
    };
    let mut all: Vec<(f64, bool)> = (0..1_600).map(|_| one()).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

/// How many of either class there are.
fn classes(scored: &[(f64, bool)]) -> (f64, f64) {
    let positives = scored.iter().filter(|(_, label)| *label).count() as f64;
    (positives, scored.len() as f64 - positives)
}

/// The ROC curve, its area, and its point at a threshold of 0.5.
fn roc(scored: &[(f64, bool)]) -> (Vec<(f64, f64)>, f64, (f64, f64)) {
    let (positives, negatives) = classes(scored);
    let (mut tp, mut fp, mut area) = (0.0, 0.0, 0.0);
    let mut points = vec![(0.0, 0.0)];
    let mut at = (0.0, 0.0);
    for (score, label) in scored {
        if *label {
            tp += 1.0;
        } else {
            fp += 1.0;
            area += tp / positives / negatives;
        }
        points.push((fp / negatives, tp / positives));
        if *score >= 0.5 {
            at = (fp / negatives, tp / positives);
        }
    }
    (points, area, at)
}

/// Precision by recall.
fn precision_recall(scored: &[(f64, bool)]) -> Vec<(f64, f64)> {
    let (positives, _) = classes(scored);
    let mut tp = 0.0;
    let all = scored.iter().enumerate().map(|(i, (_, label))| {
        tp += f64::from(u8::from(*label));
        (tp / positives, tp / (i + 1) as f64)
    });
    all.skip(4).collect()
}

/// Mean score and share of positives by tenth, with a rough interval.
fn reliability(scored: &[(f64, bool)]) -> Vec<(f64, f64, f64)> {
    let bin = |n: usize| scored.iter().filter(move |(s, _)| (s * 10.0).floor().min(9.0) == n as f64);
    let bins = (0..10).filter(|n| bin(*n).count() > 5);
    bins.map(|n| {
        let count = bin(n).count() as f64;
        let mean = bin(n).map(|(s, _)| s).sum::<f64>() / count;
        let share = bin(n).filter(|(_, label)| *label).count() as f64 / count;
        (mean, share, 1.96 * (share * (1.0 - share) / count).sqrt() + 0.01)
    })
    .collect()
}

/// Counts by twentieth.
fn counts(scored: &[(f64, bool)], wanted: bool) -> Vec<u64> {
    let mut out = vec![0; 20];
    for (score, _) in scored.iter().filter(|(_, label)| *label == wanted) {
        out[((score * 20.0).floor() as usize).min(19)] += 1;
    }
    out
}

const METRICS: [(&str, u64, f64); 3] = [("gmn", 3, 1.7), ("relpm", 17, 2.4), ("bleu", 29, 4.2)];

/// The metrics with their scores.
fn metrics() -> Vec<(&'static str, Vec<(f64, bool)>)> {
    METRICS.iter().map(|(name, seed, sharp)| (*name, scored(*seed, *sharp))).collect()
}

/// The whole report.
pub(crate) fn report() -> Report {
    Report::new(
        "How well metrics agree with labels",
        "An example report: all figures, queries and systems on this page are made up.",
    )
    .with_fact("signature", "twinql:0.1.0|metric:gmn|ckpt:9f2c41d07a55|sql:sqlparser-0.63|dialect:sqlite|semantics:no-fk|threshold:0.50|device:cpu|dtype:f32|seed:8")
    .with_fact("pairs", "1,600 read, 1,592 scored, 5 not parsed, 3 timed out")
    .with_fact("resamples", "1,000, seed 8")
    .with_section(overview())
    .with_section(curves())
    .with_section(groups())
    .with_section(systems())
    .with_section(disagreements())
    .with_section(training())
}

fn overview() -> Section {
    let table = Table::new(
        "Agreement with labels over all pairs",
        vec![
            Column::text("metric"),
            Column::text("semantics"),
            Column::number("pairs", 0),
            Column::number("AUC", 3).better(Better::Higher),
            Column::number("τ-b", 3).better(Better::Higher),
            Column::number("accuracy", 1).unit("%").better(Better::Higher),
            Column::number("ECE", 3).better(Better::Lower),
            Column::number("time", 2).unit("ms a pair").better(Better::Lower),
        ],
    )
    .with_emphasis(vec![
        "gmn".into(),
        "no-fk".into(),
        Cell::count(1_592),
        Cell::interval(0.953, 0.943, 0.962),
        Cell::number(0.741),
        Cell::number(90.6),
        Cell::number(0.021),
        Cell::number(0.41),
    ])
    .with_row(vec![
        "relpm".into(),
        "no-fk".into(),
        Cell::count(1_592),
        Cell::interval(0.882, 0.866, 0.897),
        Cell::number(0.702),
        Cell::number(87.2),
        Cell::missing("no probability"),
        Cell::number(0.08),
    ])
    .with_row(vec![
        "bleu".into(),
        "none".into(),
        Cell::count(1_600),
        Cell::interval(0.749, 0.725, 0.772),
        Cell::number(0.512),
        Cell::number(71.9),
        Cell::missing("no probability"),
        Cell::number(0.02),
    ])
    .with_note("Intervals hold 95 % of 1,000 resamples of the pairs. `gmn` decides at 0.50; nothing was chosen on these pairs.");
    Section::new("overview", "Overview")
        .with(vec![
            Tile::new("AUC of gmn", "0.953", "0.943 to 0.962"),
            Tile::new("Accuracy", "90.6 %", "at threshold 0.50"),
            Tile::new("Calibration error", "0.021", "15 bins"),
            Tile::new("Pairs", "1,592", "of 1,600 scored"),
        ])
        .with("A metric is good if it scores equivalent pairs above different ones. The area under its ROC curve (AUC) is the probability that it does so for one pair of each kind.\n\nUnder `no-fk`, foreign keys are not assumed to hold.")
        .with(table)
}

fn curves() -> Section {
    let metrics = metrics();
    let roc_curves = metrics.iter().map(|(name, scored)| {
        let (points, area, at) = roc(scored);
        let said =
            format!("decides at 0.50: true positive rate {:.3}, false positive rate {:.3}", at.1, at.0);
        let band = (0..=50).map(|i| {
            let x = f64::from(i) / 50.0;
            let y = points.iter().rev().find(|p| p.0 <= x).map_or(0.0, |p| p.1);
            let half = 0.012 + 0.05 * (y * (1.0 - y));
            (x, (y - half).max(0.0), (y + half).min(1.0))
        });
        let band: Vec<_> = band.collect();
        Curve::new(*name, points)
            .with_note(format!("AUC {area:.3} ({:.3} to {:.3})", area - 0.01, area + 0.009))
            .with_band(band)
            .with_mark(at.0, at.1, said)
    });
    let pr = metrics.iter().map(|(name, scored)| Curve::new(*name, precision_recall(scored)));
    let reliable = metrics.iter().take(2).map(|(name, scored)| {
        let bins = reliability(scored);
        let band: Vec<_> =
            bins.iter().map(|(x, y, half)| (*x, (y - half).max(0.0), (y + half).min(1.0))).collect();
        Curve::new(*name, bins.iter().map(|(x, y, _)| (*x, *y))).with_note("ECE 0.021").with_band(band)
    });
    let gmn = &metrics[0].1;
    let histogram = Histogram {
        x: Axis::share("score of gmn"),
        edges: (0..=20).map(|i| f64::from(i) / 20.0).collect(),
        series: vec![
            BinSeries { name: "label 1: equivalent".into(), counts: counts(gmn, true) },
            BinSeries { name: "label 0: different".into(), counts: counts(gmn, false) },
        ],
        threshold: Some(Level { at: 0.5, name: "threshold".into() }),
    };
    Section::new("curves", "Curves")
        .with(
            Chart::new("roc", "ROC curves", Curves::roc(roc_curves.collect(), Some(0.95)).into())
                .with_caption("The nearer a curve comes to the upper left corner, the better. Rings show where decisions are made."),
        )
        .with(Chart::new(
            "precision-recall",
            "Precision and recall",
            Curves::precision_recall(pr.collect(), 0.55, None).into(),
        ))
        .with(
            Chart::new(
                "reliability",
                "Reliability",
                Curves::reliability(reliable.collect(), Some(0.95)).into(),
            )
            .with_caption("On the dashed line, a probability of 0.8 means that 8 of 10 such pairs are equivalent."),
        )
        .with(Chart::new("scores", "Scores by label", histogram.into()))
}

fn groups() -> Section {
    let estimates = |values: &[(f64, f64)]| {
        values.iter().map(|(v, half)| Some(Estimate::between(*v, v - half, (v + half).min(1.0)))).collect()
    };
    let group = |name: &str, pairs: &str| BarGroup { name: name.into(), note: format!("n = {pairs}") };
    let hardness = Bars {
        value: Axis::share("AUC"),
        groups: vec![
            group("easy", "412"),
            group("medium", "655"),
            group("hard", "331"),
            group("extra hard", "194"),
        ],
        series: vec![
            BarSeries {
                name: "gmn".into(),
                values: estimates(&[(0.981, 0.01), (0.968, 0.011), (0.941, 0.02), (0.902, 0.035)]),
            },
            BarSeries {
                name: "relpm".into(),
                values: estimates(&[(0.972, 0.012), (0.949, 0.014), (0.905, 0.026), (0.841, 0.046)]),
            },
            BarSeries {
                name: "bleu".into(),
                values: estimates(&[(0.871, 0.03), (0.82, 0.03), (0.78, 0.04), (0.71, 0.06)]),
            },
        ],
        reference: Some(Level { at: 0.5, name: "chance".into() }),
        level: Some(0.95),
    };
    let mut by_keyword = BarSeries {
        name: "gmn".into(),
        values: estimates(&[(0.93, 0.02), (0.955, 0.015), (0.92, 0.025), (0.89, 0.04), (0.87, 0.05)]),
    };
    by_keyword.values.push(None);
    let keyword = Bars {
        value: Axis::share("accuracy of gmn at 0.50"),
        groups: vec![
            group("JOIN", "702"),
            group("GROUP BY", "488"),
            group("ORDER BY … LIMIT", "301"),
            group("EXCEPT, INTERSECT, UNION", "88"),
            group("nested in FROM", "41"),
            group("window functions", "2"),
        ],
        series: vec![by_keyword],
        reference: None,
        level: Some(0.95),
    };
    Section::new("groups", "By hardness and keyword")
        .with(Chart::new("hardness", "AUC by hardness of the gold query", hardness.into()))
        .with(
            Chart::new("keywords", "Accuracy by keyword of the gold query", keyword.into())
                .with_caption("With `n/a`, all pairs of a group have one label."),
        )
}

fn systems() -> Section {
    let mut draws = Draws(77);
    let names = [
        "alpha-7b",
        "alpha-70b",
        "bravo",
        "charlie-sql",
        "delta",
        "echo-nano",
        "foxtrot",
        "golf-xl",
        "hotel",
    ];
    let dots = names.iter().enumerate().map(|(i, name)| {
        let suite = 0.42 + 0.05 * i as f64 + 0.02 * draws.next();
        let metric = suite + 0.05 * (draws.next() - 0.35);
        Dot { name: (*name).into(), at: Point { x: suite, y: metric }, series: usize::from(i % 3 == 1) }
    });
    let scatter = Scatter {
        x: Axis::of("test-suite accuracy"),
        y: Axis::of("mean score of gmn"),
        diagonal: Some("equal".into()),
        series: vec!["open weights".into(), "closed weights".into()],
        dots: dots.collect(),
    };
    let compared = ["alpha-7b", "alpha-70b", "bravo", "charlie-sql", "delta"];
    let cells = (0..5).map(|row| {
        let cell = |column: usize| {
            let ahead = row as f64 - column as f64;
            let p = if ahead.abs() > 2.5 { 0.0003 } else { 0.4 / (1.0 + 6.0 * ahead.abs()) };
            (row != column).then_some(Win { value: 0.5 + 0.055 * ahead, p: Some(p) })
        };
        (0..5).map(cell).collect()
    });
    let grid = Grid {
        meaning: "the share of questions on which the row's score is higher, ties halved".into(),
        names: compared.map(String::from).into(),
        cells: cells.collect(),
        even: 0.5,
        alpha: 0.05,
    };
    Section::new("systems", "Systems")
        .with(
            Chart::new("scatter", "Metric against suite accuracy", scatter.into())
                .with_caption("Above the dashed line, the metric is kinder than the suite."),
        )
        .with(
            Chart::new("wins", "Who beats whom", grid.into())
                .with_caption("Paired bootstrap over questions; columns are numbered as the rows."),
        )
}

fn disagreements() -> Section {
    let text = |cells: &[&str]| -> Vec<Option<String>> {
        cells.iter().map(|cell| (*cell != "NULL").then(|| (*cell).to_owned())).collect()
    };
    let witness = Witness {
        note: "Two singers share the highest age.".into(),
        tables: vec![
            WitnessTable {
                name: "singer".into(),
                columns: ["id", "name", "age", "country"].map(String::from).into(),
                rows: vec![
                    text(&["1", "Ana", "52", "France"]),
                    text(&["2", "Bo", "52", "NULL"]),
                    text(&["3", "Cy", "31", "France"]),
                ],
                more: 0,
            },
            WitnessTable {
                name: "gold answers".into(),
                columns: vec!["name".into()],
                rows: vec![text(&["Ana"]), text(&["Bo"])],
                more: 0,
            },
            WitnessTable {
                name: "prediction answers".into(),
                columns: vec!["name".into()],
                rows: vec![text(&["Ana"])],
                more: 0,
            },
        ],
    };
    let ties = PairCard::new(
        "concert_singer, pair 217",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
        "SELECT name FROM singer ORDER BY age DESC LIMIT 1",
    )
    .with_question("What is the name of the oldest singer?")
    .with_badge("label", "same", Tone::Same)
    .with_badge("gmn", "0.18", Tone::Different)
    .with_badge("suite", "different", Tone::Different)
    .with_badge("hardness", "medium", Tone::Neutral)
    .with_reason("With ties for the highest age, the gold query answers all of them and the prediction one. The label was given without ties in mind.")
    .with_witness(witness);
    let join = PairCard::new(
        "student_club, pair 41",
        "SELECT T2.event_name, COUNT(*) FROM attendance AS T1 JOIN event AS T2 ON T1.link_to_event = T2.event_id WHERE T2.type = 'Meeting' AND T2.event_date >= '2020-01-01' GROUP BY T2.event_id HAVING COUNT(*) > 10 -- meetings only",
        "SELECT event.event_name, COUNT(attendance.link_to_member) FROM event LEFT JOIN attendance ON event.event_id = attendance.link_to_event WHERE event.type = 'meeting' GROUP BY event.event_name HAVING COUNT(*) >= 10",
    )
    .with_badge("label", "different", Tone::Different)
    .with_badge("gmn", "0.83", Tone::Same)
    .with_badge("suite", "different", Tone::Different)
    .with_reason("The texts compared differ in case, a date is missing, and `>=` stands for `>`. The metric took `'meeting'` and `'Meeting'` for one value.");
    let hostile = PairCard::new(
        "hostile input <script>alert(1)</script>, pair 903",
        "SELECT COUNT(*) FROM accounts",
        "SELECT '</code></pre><script>document.title='owned'</script><img src=x onerror=alert(1)>', \"\u{202e}resu\u{202c}\" FROM accounts\u{0} -- \u{200b}",
    )
    .with_badge("status", "unsupported", Tone::Neutral)
    .with_reason("Whatever a prediction holds is shown, and none of it acts.");
    Section::new("disagreements", "Disagreements").with(Pairs {
        caption: "The pairs on which metric and label are farthest apart. What only one of the queries has is marked.".into(),
        cards: vec![ties, join, hostile],
        folded: false,
    })
}

fn training() -> Section {
    let losses = (1..=20).map(|epoch| (f64::from(epoch), 0.08 + 0.55 * (-f64::from(epoch) / 5.0).exp()));
    let held_out = (1..=20).map(|epoch| {
        let epoch = f64::from(epoch);
        (epoch, 0.13 + 0.5 * (-epoch / 4.0).exp() + 0.0005 * epoch * epoch)
    });
    let loss = Curves {
        x: Axis::of("epoch"),
        y: Axis::from_zero("loss"),
        square: false,
        reference: twinql_report::Reference::Nothing,
        curves: vec![
            Curve { dots: true, ..Curve::new("training", losses) },
            Curve { dots: true, ..Curve::new("held out", held_out) }.with_mark(
                12.0,
                0.227,
                "epoch 12 kept: 0.227",
            ),
        ],
        level: None,
    };
    Section::new("training", "Training").with(Chart::new("loss", "Loss by epoch", loss.into()))
}
