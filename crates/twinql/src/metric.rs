//! What an entry of the list of metrics says, and how a metric is found in the list.

use std::fmt;

use twinql_gmn::Band;
use twinql_metrics::{Pair, Scored};
use twinql_sql::Schema;
use twinql_suite::bird::Measures;

use crate::batch::Batch;
use crate::contradictions::Refuter;
use crate::families::{files, texts};
use crate::metrics::METRICS;
use crate::network::Network;
use crate::record::Record;
use crate::runs::Runs;
use crate::setup::Setup;

/// A metric: its entry in the list, which is all that the rest of the program knows of it.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// How its scores are to be read.
    pub kind: ScoreKind,
    /// The score from which on it calls two queries the same. A checkpoint's own one takes its place where there is one.
    pub threshold: f64,
    /// One line: what it is.
    pub summary: &'static str,
    /// The publication it follows.
    pub source: &'static str,
    /// What it cannot be computed without.
    pub needs: &'static [Need],
    /// What it reads of the settings that not all metrics read.
    pub settings: &'static [Setting],
    /// What a pair costs.
    pub cost: Cost,
    /// What computes it.
    pub(crate) score: Score,
    /// What its figures depend on beyond what every signature has.
    pub(crate) signature: fn(&Setup) -> Vec<String>,
    /// Two pairs with what it scores them under the default settings: its test.
    pub examples: [Example; 2],
    /// What few metrics have.
    pub(crate) further: Further,
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.name == other.name
    }
}

/// How a metric's scores are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreKind {
    /// A number in [0, 1] that ranks pairs.
    Continuous,
    /// 0 or 1.
    Binary,
}

/// What a metric cannot be computed without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A network, whose calibrated probability the score is.
    Network,
    /// A network that was trained with tiers.
    Tiers,
    /// The suite's verdict on every pair, which other metrics of the same batch then share.
    Verdicts,
    /// The users' own databases.
    Databases,
}

/// What can be set that some metrics read and others do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The network.
    Checkpoint,
    /// What the network is asked.
    Question,
    /// Small databases beside the network.
    Probe,
    /// The suite's databases for a pair.
    Databases,
    /// Plausible databases for a pair.
    Plausible,
    /// Profiles that plausible databases follow.
    Profile,
    /// How strong predictions are.
    Assumed,
    /// The parameters of partial matching.
    Matching,
    /// Queries whose n-grams say nothing.
    CrystalbleuCorpus,
    /// What is left out of `esm+`.
    WithoutRules,
    /// The users' own databases.
    Db,
    /// What efficiency is measured in.
    Cost,
    /// GMNScore beside the score.
    Reward,
}

/// What a metric spends on a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// Pairs are scored many at a time.
    Low,
    /// A pair may take as long as many executions do, so that few are scored at a time.
    High,
}

/// A pair over [`EXAMPLE_SCHEMA`], and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// The reference.
    pub gold: &'static str,
    /// What is compared with it.
    pub pred: &'static str,
    /// The score under the default settings.
    pub score: f64,
}

impl Example {
    /// A pair with its score.
    pub(crate) const fn new(gold: &'static str, pred: &'static str, score: f64) -> Example {
        Example { gold, pred, score }
    }
}

/// The schema of all examples.
pub const EXAMPLE_SCHEMA: &str = "\
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER);
CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner (id), kind TEXT NOT NULL);";

/// A database of that schema, for metrics that execute on the users' own.
pub const EXAMPLE_ROWS: &str = "\
INSERT INTO owner VALUES (1, 'Ada', 36), (2, 'Ben', 30), (3, 'Ada', 52);
INSERT INTO pet VALUES (1, 1, 'cat'), (2, 1, 'dog'), (3, 2, 'cat');";

/// What computes a metric.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Score {
    /// The two texts alone, gold first, be they understood or not.
    Texts(fn(&Schema, &str, &str) -> Scored),
    /// The two queries alone, as they are written and planned.
    Pair(fn(&Setup, &Pair<'_>) -> Scored),
    /// What executions on the users' databases measure of both, as BIRD's scripts do.
    Measured(fn(&Measures, &Runs) -> Scored),
    /// All that is made of a batch.
    Batch(fn(&Setup, &Metric, &mut Batch<'_>, &mut [Record])),
}

/// What few metrics have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Further {
    /// The semantics that it always answers for, whatever is asked for.
    pub(crate) preset: Option<&'static str>,
    /// The score of a pair that it cannot read, of which others say nothing.
    pub(crate) unread: Option<f64>,
    /// Where a checkpoint says from which score on two queries are the same.
    pub(crate) boundary: Option<fn(&Setup) -> Option<Boundary>>,
    /// How it says that a pair is proved equal, which a database may refute.
    pub(crate) claim: Option<Claim>,
}

impl Further {
    /// None of it.
    pub(crate) const NONE: Further = Further { preset: None, unread: None, boundary: None, claim: None };
}

/// Where a learned metric divides pairs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Boundary {
    /// From it on two queries are the same.
    pub(crate) threshold: f32,
    /// Where it had better say nothing.
    pub(crate) band: Option<Band>,
}

/// A proof of equality that a metric relies on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    /// Whether a record says that the pair is proved equal.
    pub(crate) made: fn(&Setup, &Record) -> bool,
    /// What a database that refutes it leaves of the score, none for nothing; corrects the details.
    pub(crate) refuted: fn(&Setup, Refuter, &mut Record) -> Option<f64>,
}

/// The signature of a metric whose figures depend on nothing further.
pub(crate) fn nothing(_: &Setup) -> Vec<String> {
    Vec::new()
}

/// The score of what is open: proved neither equal nor different.
pub(crate) const UNKNOWN: f64 = 0.5;

impl Metric {
    /// Whether it cannot be computed without this.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether it reads this setting.
    pub fn reads(&self, setting: Setting) -> bool {
        self.settings.contains(&setting)
    }

    /// Whether its score is the calibrated probability of a network.
    pub fn is_learned(&self) -> bool {
        self.needs(Need::Network)
    }

    /// Whether it executes on the users' own databases.
    pub fn executes(&self) -> bool {
        self.needs(Need::Databases)
    }

    /// Whether it compares what is written, without any database or proof.
    pub fn compares_texts(&self) -> bool {
        matches!(self.score, Score::Texts(_) | Score::Pair(_))
    }

    /// What it lacks where there is no other network than this, and databases only if `databases` says so.
    pub fn missing(&self, network: Option<&Network>, databases: bool) -> Option<Need> {
        let info = network.map(|network| network.scorer().info());
        let is_met = |need: &Need| match need {
            Need::Network => network.is_some(),
            Need::Tiers => info.is_some_and(|info| info.tiers.is_some()),
            Need::Databases => databases,
            Need::Verdicts => true,
        };
        self.needs.iter().copied().find(|need| !is_met(need))
    }

    /// The semantics that it always answers for, if it has one of its own.
    pub fn preset(&self) -> Option<&'static str> {
        self.further.preset
    }

    /// Where a checkpoint divides its pairs; none where nothing does but its own threshold.
    pub(crate) fn boundary(&self, setup: &Setup) -> Option<Boundary> {
        self.further.boundary.and_then(|boundary| boundary(setup))
    }

    /// Scores a batch.
    pub(crate) fn compute(&self, setup: &Setup, batch: &mut Batch<'_>, records: &mut [Record]) {
        match self.score {
            Score::Texts(score) => texts::written(self, score, batch.jobs, records),
            Score::Pair(score) => texts::score(setup, self, score, batch, records),
            Score::Measured(score) => files::measured(setup, self, score, batch, records),
            Score::Batch(score) => score(setup, self, batch, records),
        }
    }
}

/// The metric with this name.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().copied().find(|m| m.name == name)
}

/// A name that no metric has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric {0:?}; the metrics are {names}", names = names())]
pub struct UnknownMetric(pub String);

/// The metrics of these names, each once, in the order in which they are first named.
///
/// # Errors
/// A name that no metric has.
pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Vec<&'static Metric>, UnknownMetric> {
    let mut found: Vec<&'static Metric> = Vec::new();
    for name in names {
        let metric = metric(name).ok_or_else(|| UnknownMetric(name.to_owned()))?;
        if !found.contains(&metric) {
            found.push(metric);
        }
    }
    Ok(found)
}

/// The names of all metrics, for people.
pub fn names() -> String {
    METRICS.iter().map(|m| m.name).collect::<Vec<_>>().join(", ")
}

/// A setting that is given, and that no metric asked for reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadSetting {
    given: String,
    readers: Vec<&'static str>,
}

impl std::error::Error for UnreadSetting {}

impl fmt::Display for UnreadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is read only by ", self.given)?;
        match self.readers.as_slice() {
            [first @ .., last] if !first.is_empty() => {
                write!(f, "{} and {last}; ask for one of these metrics too", first.join(", "))
            }
            readers => write!(f, "{}; ask for this metric too", readers.join("")),
        }
    }
}

/// Checks that each setting that is given is read by one of the metrics asked for. A setting goes with what the user calls it.
///
/// # Errors
/// The first that none reads.
pub fn check_read<'g>(
    metrics: &[&Metric],
    given: impl IntoIterator<Item = (Setting, &'g str)>,
) -> Result<(), UnreadSetting> {
    for (setting, given) in given {
        if !metrics.iter().any(|metric| metric.reads(setting)) {
            let readers = METRICS.iter().filter(|m| m.reads(setting)).map(|m| m.name).collect();
            return Err(UnreadSetting { given: given.to_owned(), readers });
        }
    }
    Ok(())
}
