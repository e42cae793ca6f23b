//! Charts of any figures at all: lists of unequal length, no numbers, huge ones.

use proptest::collection::vec;
use proptest::num::f64::ANY;
use proptest::option;
use proptest::prelude::*;
use twinql_report::{
    Axis, BandPoint, BarGroup, BarSeries, Bars, BinSeries, Chart, Curve, Curves, Dot, Estimate, Grid,
    Histogram, Level, Mark, Plot, Point, Reference, Report, Scatter, Section, Win,
};

/// Numbers as they occur, and any others.
fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1.0, Just(0.0), Just(1.0), ANY]
}

fn axis() -> impl Strategy<Value = Axis> {
    (option::of(figure()), option::of(figure())).prop_map(|(low, high)| Axis {
        label: "axis".into(),
        low,
        high,
    })
}

fn point() -> impl Strategy<Value = Point> {
    (figure(), figure()).prop_map(|(x, y)| Point { x, y })
}

fn curves() -> impl Strategy<Value = Plot> {
    let band =
        vec((figure(), figure(), figure()).prop_map(|(x, low, high)| BandPoint { x, low, high }), 0..5);
    let curve = (vec(point(), 0..30), band, vec(point(), 0..3), any::<bool>(), any::<bool>());
    let curve = curve.prop_map(|(points, band, marks, dots, steps)| Curve {
        name: "curve".into(),
        note: String::new(),
        points,
        band,
        marks: marks.into_iter().map(|at| Mark { at, note: "mark".into() }).collect(),
        dots,
        steps,
    });
    let reference = prop_oneof![
        Just(Reference::Nothing),
        Just(Reference::Diagonal { name: "equal".into() }),
        figure().prop_map(|at| Reference::Level(Level { at, name: "level".into() })),
    ];
    (axis(), axis(), any::<bool>(), reference, vec(curve, 0..10), option::of(figure())).prop_map(
        |(x, y, square, reference, curves, level)| {
            Plot::Curves(Curves { x, y, square, reference, curves, level })
        },
    )
}

fn histogram() -> impl Strategy<Value = Plot> {
    let series = vec(any::<u64>(), 0..8).prop_map(|counts| BinSeries { name: "class".into(), counts });
    (axis(), vec(figure(), 0..8), vec(series, 0..10), option::of(figure())).prop_map(
        |(x, edges, series, at)| {
            let threshold = at.map(|at| Level { at, name: "threshold".into() });
            Plot::Histogram(Histogram { x, edges, series, threshold })
        },
    )
}

fn bars() -> impl Strategy<Value = Plot> {
    let estimate = (figure(), option::of(figure()), option::of(figure()));
    let estimate = estimate.prop_map(|(value, low, high)| Estimate { value, low, high });
    let series =
        vec(option::of(estimate), 0..6).prop_map(|values| BarSeries { name: "series".into(), values });
    (axis(), 0..6usize, vec(series, 0..14), option::of(figure())).prop_map(|(value, groups, series, at)| {
        let group = BarGroup { name: "group".into(), note: "n = 1".into() };
        let reference = at.map(|at| Level { at, name: "level".into() });
        Plot::Bars(Bars { value, groups: vec![group; groups], series, reference, level: at })
    })
}

fn scatter() -> impl Strategy<Value = Plot> {
    let dot = (point(), 0..12usize).prop_map(|(at, series)| Dot { name: "dot".into(), at, series });
    (axis(), axis(), vec(dot, 0..40), any::<bool>()).prop_map(|(x, y, dots, diagonal)| {
        let series = vec!["one".into(), "two".into()];
        Plot::Scatter(Scatter { x, y, diagonal: diagonal.then(|| "equal".into()), series, dots })
    })
}

fn grid() -> impl Strategy<Value = Plot> {
    let win = (figure(), option::of(figure())).prop_map(|(value, p)| Win { value, p });
    (0..30usize, vec(vec(option::of(win), 0..6), 0..6), figure(), figure()).prop_map(
        |(names, cells, even, alpha)| {
            let names = vec!["name".into(); names];
            Plot::Grid(Grid { meaning: "share".into(), names, cells, even, alpha })
        },
    )
}

/// Attributes that hold a number hold one that a browser can use.
fn check_numbers(svg: &roxmltree::Document<'_>) {
    for node in svg.descendants() {
        for name in ["x", "y", "width", "height", "cx", "cy", "r"] {
            if let Some(value) = node.attribute(name) {
                let number: f64 = value.parse().unwrap();
                assert!(number.abs() < 5_000.0, "{name}={value}");
                assert!(!["width", "height", "r"].contains(&name) || number >= 0.0, "{name}={value}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn charts_of_any_figures_are_whole(
        plot in prop_oneof![curves(), histogram(), bars(), scatter(), grid()],
    ) {
        let report = Report::new("r", "")
            .with_section(Section::new("s", "S").with(Chart::new("c", "Chart", plot)));
        let (_, picture) = &report.figures()[0];
        check_numbers(&roxmltree::Document::parse(picture).unwrap_or_else(|why| panic!("{why}\n{picture}")));
        for shown in [report.html(), report.latex(), report.text(), report.markdown()] {
            prop_assert!(!shown.contains("NaN") && !shown.contains("could not be drawn"), "{shown}");
        }
        let again = Report::from_json(&report.json()).unwrap();
        prop_assert_eq!(again.html(), report.html());
    }
}
