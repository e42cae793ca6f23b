//! Charts as figures: what they show, not how they are drawn.

use serde::{Deserialize, Serialize};

use super::finite;

/// A picture of figures with a title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Chart {
    /// Names its file and leads links to it.
    pub id: String,
    /// Stands above it.
    pub title: String,
    /// How to read it, or what is to be seen; may be empty.
    pub caption: String,
    /// What is drawn.
    pub plot: Plot,
}

/// The kinds of charts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Plot {
    /// Lines: ROC, precision and recall, reliability, the course of a training run.
    Curves(Curves),
    /// How often each range of values occurs, for each of some classes.
    Histogram(Histogram),
    /// One value with its interval for each group and series.
    Bars(Bars),
    /// One point for each of some things, by two figures.
    Scatter(Scatter),
    /// How often the thing of each row beats that of each column.
    Grid(Grid),
}

/// What an axis shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// Where it begins; none: where the figures do, rounded.
    pub low: Option<f64>,
    /// Where it ends; none: where the figures do, rounded.
    pub high: Option<f64>,
}

/// Lines in one pair of axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Curves {
    /// From left to right.
    pub x: Axis,
    /// From the bottom up.
    pub y: Axis,
    /// Both axes have the same length.
    pub square: bool,
    /// What the curves are compared with.
    pub reference: Reference,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
    /// Coverage of the bands, between 0 and 1, where there are any.
    pub level: Option<f64>,
}

/// A line that curves are compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reference {
    /// None.
    Nothing,
    /// From the lower left to the upper right: both quantities are equal.
    Diagonal {
        /// As `chance`.
        name: String,
    },
    /// The same height everywhere.
    Level(Level),
}

/// A value with a name, as a threshold or what chance gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Level {
    /// Where.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub at: f64,
    /// What.
    pub name: String,
}

/// A line with what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Curve {
    /// Shown in the legend.
    pub name: String,
    /// Shown after the name, as the area under it; may be empty.
    pub note: String,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
    /// Where it runs with some confidence; may be empty.
    pub band: Vec<BandPoint>,
    /// Points that matter, as the one at a threshold.
    pub marks: Vec<Mark>,
    /// Every point is shown as a dot.
    pub dots: bool,
    /// Between two points the later one's height holds, as between precisions; otherwise a straight line.
    pub steps: bool,
}

/// A place in a chart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Point {
    /// From left to right.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub x: f64,
    /// From the bottom up.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub y: f64,
}

/// Where a band lies at one place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BandPoint {
    /// The place.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub x: f64,
    /// Its lower end.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// Its upper end.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}

/// A point of a curve that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Mark {
    /// Where it is.
    pub at: Point,
    /// What it is, shown in the legend.
    pub note: String,
}

/// Counts of values by range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Histogram {
    /// The values.
    pub x: Axis,
    /// Ends of the ranges, ascending: one more than there are counts.
    #[serde(with = "finite::list")]
    #[schemars(with = "Vec<Option<f64>>")]
    pub edges: Vec<f64>,
    /// One panel each, in shares of the series, so that classes of unequal size can be compared.
    pub series: Vec<BinSeries>,
    /// Where decisions are made.
    pub threshold: Option<Level>,
}

/// The counts of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BinSeries {
    /// The class.
    pub name: String,
    /// One for each range.
    pub counts: Vec<u64>,
}

/// Values by group and series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Bars {
    /// The values.
    pub value: Axis,
    /// From top to bottom.
    pub groups: Vec<BarGroup>,
    /// Within each group, from top to bottom.
    pub series: Vec<BarSeries>,
    /// What the bars are compared with.
    pub reference: Option<Level>,
    /// Coverage of the intervals, between 0 and 1, where there are any.
    pub level: Option<f64>,
}

/// A group of bars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BarGroup {
    /// As `extra hard`.
    pub name: String,
    /// As how many pairs are in it; may be empty.
    pub note: String,
}

/// The values of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BarSeries {
    /// Shown in the legend.
    pub name: String,
    /// One for each group; none where it is not defined.
    pub values: Vec<Option<Estimate>>,
}

/// A figure that may have an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Estimate {
    /// The figure.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub value: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
}

/// Named points by two figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Scatter {
    /// From left to right.
    pub x: Axis,
    /// From the bottom up.
    pub y: Axis,
    /// Where both figures are equal; its name, if it is to be drawn.
    pub diagonal: Option<String>,
    /// Kinds of points; a single one needs no name.
    pub series: Vec<String>,
    /// The points.
    pub dots: Vec<Dot>,
}

/// A named point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Dot {
    /// Shown beside it where there is room, and in the table of figures.
    pub name: String,
    /// Where it is.
    pub at: Point,
    /// Its number among the series.
    pub series: usize,
}

/// Who beats whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Grid {
    /// What a cell's value means, as `the share of questions on which the row is better`.
    pub meaning: String,
    /// The things compared: rows and columns alike.
    pub names: Vec<String>,
    /// A row of cells for each name; none where nothing is compared.
    pub cells: Vec<Vec<Option<Win>>>,
    /// The value at which neither wins.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub even: f64,
    /// Where a p-value below it counts as significant.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub alpha: f64,
}

/// A comparison of two things.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Win {
    /// How the row fares against the column.
    #[serde(with = "finite")]
    #[schemars(with = "Option<f64>")]
    pub value: f64,
    /// How likely chance alone gives such a difference.
    pub p: Option<f64>,
}

impl Axis {
    /// An axis that runs over what is measured.
    pub fn of(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), low: None, high: None }
    }

    /// An axis from 0 to 1.
    pub fn share(label: impl Into<String>) -> Axis {
        Axis::between(label, 0.0, 1.0)
    }

    /// An axis with both ends.
    pub fn between(label: impl Into<String>, low: f64, high: f64) -> Axis {
        Axis { label: label.into(), low: Some(low), high: Some(high) }
    }

    /// An axis from 0 to what is measured.
    pub fn from_zero(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), low: Some(0.0), high: None }
    }
}

impl Chart {
    /// A chart without a caption.
    pub fn new(id: impl Into<String>, title: impl Into<String>, plot: Plot) -> Chart {
        Chart { id: id.into(), title: title.into(), caption: String::new(), plot }
    }

    /// The chart with how to read it.
    #[must_use]
    pub fn with_caption(mut self, caption: impl Into<String>) -> Chart {
        self.caption = caption.into();
        self
    }
}

impl Curves {
    /// True against false positive rates, with the diagonal of a metric that guesses.
    pub fn roc(curves: Vec<Curve>, level: Option<f64>) -> Curves {
        Curves {
            x: Axis::share("false positive rate"),
            y: Axis::share("true positive rate"),
            square: true,
            reference: Reference::Diagonal { name: "chance".into() },
            curves,
            level,
        }
    }

    /// Precision against recall; a metric that guesses has the share of positives as its precision.
    pub fn precision_recall(curves: Vec<Curve>, positives: f64, level: Option<f64>) -> Curves {
        Curves {
            x: Axis::share("recall"),
            y: Axis::share("precision"),
            square: true,
            reference: Reference::Level(Level { at: positives, name: "chance (share of positives)".into() }),
            curves: curves.into_iter().map(|curve| Curve { steps: true, ..curve }).collect(),
            level,
        }
    }

    /// Observed shares against predicted probabilities: on the diagonal a probability means what it says.
    pub fn reliability(curves: Vec<Curve>, level: Option<f64>) -> Curves {
        Curves {
            x: Axis::share("predicted probability"),
            y: Axis::share("observed share of equivalent pairs"),
            square: true,
            reference: Reference::Diagonal { name: "calibrated".into() },
            curves: curves.into_iter().map(|curve| Curve { dots: true, ..curve }).collect(),
            level,
        }
    }
}

impl Curve {
    /// A line without band and marks.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
        Curve {
            name: name.into(),
            note: String::new(),
            points: points.into_iter().map(|(x, y)| Point { x, y }).collect(),
            band: Vec::new(),
            marks: Vec::new(),
            dots: false,
            steps: false,
        }
    }

    /// The line with something said of it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Curve {
        self.note = note.into();
        self
    }

    /// The line with a band of `(x, low, high)`.
    #[must_use]
    pub fn with_band(mut self, band: impl IntoIterator<Item = (f64, f64, f64)>) -> Curve {
        self.band = band.into_iter().map(|(x, low, high)| BandPoint { x, low, high }).collect();
        self
    }

    /// The line with a point that matters.
    #[must_use]
    pub fn with_mark(mut self, x: f64, y: f64, note: impl Into<String>) -> Curve {
        self.marks.push(Mark { at: Point { x, y }, note: note.into() });
        self
    }
}

impl Estimate {
    /// A figure without an interval.
    pub fn new(value: f64) -> Estimate {
        Estimate { value, low: None, high: None }
    }

    /// A figure with an interval.
    pub fn between(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low: Some(low), high: Some(high) }
    }

    /// Both ends of the interval, where they can be drawn.
    pub(crate) fn interval(&self) -> Option<(f64, f64)> {
        self.low.zip(self.high).filter(|(low, high)| low.is_finite() && high.is_finite())
    }
}

impl Point {
    /// Both coordinates are numbers that can be drawn.
    pub(crate) fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

holds!(Plot: Curves, Histogram, Bars, Scatter, Grid);
