//! Samples of the possible answers of two queries on one database.

use std::collections::{BTreeMap, BTreeSet};

use twinql_sql::Value;

use super::rearranged;
use crate::compare::Mode;
use crate::database::{Database, Row};
use crate::execute::{Answer, ExecError, Loader, Prepared};

/// Arrangements of the rows, and runs with ties broken by chance on each, that are tried first
/// and where these do not settle it.
const STAGES: [(u64, u64); 2] = [(4, 5), (24, 5)];
/// Those that confirm a difference: an answer with one chance in fifty may well be missing
/// from the first samples of one query and be the habit of the other.
const CONFIRM: (u64, u64) = (200, 3);
/// Those that have to do where thousands of queries are compared, none of which is worth more: a
/// rare answer may be missed.
const BRIEF: [(u64, u64); 2] = [(4, 4), (10, 4)];
/// An answer seen more often than this is no accident.
const OFTEN: usize = 7;

/// How many samples are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// A few: while a suite is distilled.
    Brief,
    /// Many, and more to confirm a difference: for verdicts.
    Full,
}

/// What samples may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) effort: Effort,
    /// Steps of SQLite's machine, after which no further arrangement is tried.
    pub(super) steps: u64,
}

/// What the samples say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampled {
    /// The possible answers that were seen are the same, or overlap where not all were seen.
    Same,
    /// One query often gives an answer, or mostly gives answers, that the other, all of whose answers were
    /// seen, never gives.
    Different,
    /// More answers are possible than were seen, and those seen do not overlap.
    Undecided,
}

/// Loads the database in its arrangement of this number, 0 being as it is.
fn arrange(loader: &mut Loader<'_>, database: &Database, round: u64) -> Result<(), ExecError> {
    match round {
        0 => loader.load(database),
        _ => loader.load(&rearranged(database, round)),
    }
}

/// A query, and the same with what it leaves open decided by chance.
pub(super) struct Opened<'s, 'a> {
    pub(super) plain: &'s mut Prepared<'a>,
    /// Each of its answers is possible.
    pub(super) possible: Option<&'s mut Prepared<'a>>,
    /// Each possible answer is one of its answers.
    pub(super) all: Option<&'s mut Prepared<'a>>,
}

/// Which column of the right answer is which of the left one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Alignment<'o> {
    /// Column `i` of the left answer is this column of the right one.
    Known(&'o [usize]),
    /// Not known yet: rows are compared as bags of values.
    Unknown,
}

/// An answer as text: numbers to six digits, rows in order or sorted.
type Form = Vec<String>;

/// The answers that were seen of a query, and how often.
#[derive(Default)]
struct Seen {
    answers: Counts,
    /// Where answers are too many: the rows that were seen in any of them.
    rows: Counts,
}

#[derive(Default)]
struct Counts {
    possible: BTreeMap<Form, usize>,
    /// Those, and answers that may not be possible.
    all: BTreeMap<Form, usize>,
}

impl Seen {
    fn note(&mut self, form: Form, possible: bool, parts: bool) {
        if parts {
            // The number of rows is a part too.
            self.rows.note(vec![form.len().to_string()], possible);
            let mut last: Option<&String> = None;
            for row in &form {
                if last != Some(row) {
                    self.rows.note(vec![String::new(), row.clone()], possible);
                }
                last = Some(row);
            }
        }
        self.answers.note(form, possible);
    }

    fn exceeds(&self, other: &Seen) -> bool {
        self.answers.exceeds(&other.answers) || self.rows.exceeds(&other.rows)
    }
}

impl Counts {
    fn note(&mut self, form: Form, possible: bool) {
        if possible {
            *self.possible.entry(form.clone()).or_default() += 1;
        }
        *self.all.entry(form).or_default() += 1;
    }

    /// True if an answer that was not seen is unlikely to be possible: none was seen only
    /// once or twice (Good and Turing's estimate of what is missing).
    fn saturated(&self) -> bool {
        self.all.values().all(|n| *n > 2)
    }

    /// True if this query gives answers that the other one does not: one of them often, or, where each
    /// is another (`random()`), in most of its samples.
    fn exceeds(&self, other: &Counts) -> bool {
        if !other.saturated() {
            return false;
        }
        let beyond = self.possible.iter().filter(|(a, _)| !other.all.contains_key(*a));
        let counts: Vec<usize> = beyond.map(|(_, n)| *n).collect();
        let all: usize = self.possible.values().sum();
        let stray: usize = counts.iter().sum();
        counts.iter().any(|n| *n > OFTEN) || (stray > OFTEN && 2 * stray > all)
    }

    fn within(&self, other: &Counts) -> bool {
        self.possible.keys().all(|a| other.all.contains_key(a))
    }

    fn meets(&self, other: &Counts) -> bool {
        self.possible.keys().any(|a| other.all.contains_key(a))
    }
}

/// How answers become comparable texts.
#[derive(Clone, Copy)]
struct Shape<'o> {
    /// Which columns, in which order.
    order: &'o [usize],
    mode: Mode,
    /// The order of rows counts.
    ordered: bool,
    /// The order of columns does not.
    loose: bool,
    /// Rows are looked at one by one too.
    parts: bool,
}

impl<'o> Shape<'o> {
    /// Of answers whose columns are known.
    fn own(order: &'o [usize], mode: Mode, ordered: bool) -> Shape<'o> {
        Shape { order, mode, ordered, loose: false, parts: false }
    }
}

/// Runs a query on the loaded database and notes its answers.
fn look(
    query: &mut Opened<'_, '_>,
    seeds: std::ops::Range<u64>,
    shape: Shape<'_>,
    seen: &mut Seen,
) -> Result<(), ExecError> {
    let mut note = |answer: &Answer, possible: bool| {
        seen.note(form(answer, shape), possible, shape.parts);
    };
    note(&query.plain.run(seeds.start)?, true);
    for seed in seeds.clone() {
        if let Some(open) = &mut query.possible {
            note(&open.run(seed)?, true);
        }
    }
    for seed in seeds {
        if let Some(open) = &mut query.all {
            note(&open.run(seed)?, false);
        }
    }
    Ok(())
}

fn form(answer: &Answer, shape: Shape<'_>) -> Form {
    let text = |row: &Row| {
        let mut cells: Vec<String> = shape.order.iter().map(|&c| cell(row.get(c))).collect();
        if shape.loose {
            cells.sort_unstable();
        }
        cells.concat()
    };
    let mut rows: Form = answer.rows.iter().map(text).collect();
    if !shape.ordered {
        rows.sort_unstable();
        if shape.mode.as_set {
            rows.dedup();
        }
    }
    rows
}

fn cell(value: Option<&Value>) -> String {
    match value.unwrap_or(&Value::Null) {
        Value::Text(s) => format!("'{s}|"),
        Value::Null => "NULL|".into(),
        Value::Blob(b) => format!("{b:?}|"),
        Value::Integer(i) => format!("{i}|"),
        Value::Real(r) => real(r.0),
    }
}

/// A real, so that one that an integer equals is written as that integer.
fn real(r: f64) -> String {
    // Sums come out in other orders: 0.1 + 0.2, -0.0.
    const ROUNDING: f64 = 1e-9;
    // Above, not every integer is a real.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = r.round();
    if whole.abs() < EXACT && (r - whole).abs() <= ROUNDING * r.abs() {
        format!("{}|", whole as i64)
    } else {
        format!("{r:.5e}|")
    }
}

/// What is compared of the answers.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'o> {
    pub(super) mode: Mode,
    pub(super) alignment: Alignment<'o>,
    /// A row that one query often has and the other never tells them apart too.
    pub(super) parts: bool,
    pub(super) price: Price,
}

impl<'o> Comparison<'o> {
    /// Of whole answers, at any price; column `i` of the left answer is column `order[i]` of the right one.
    pub(super) fn known(mode: Mode, order: &'o [usize]) -> Comparison<'o> {
        let price = Price { effort: Effort::Full, steps: u64::MAX };
        Comparison { mode, alignment: Alignment::Known(order), parts: false, price }
    }
}

/// Samples the possible answers of both queries. Leaves a rearranged database behind.
pub(super) fn sample(
    loader: &mut Loader<'_>,
    database: &Database,
    left: &mut Opened<'_, '_>,
    right: &mut Opened<'_, '_>,
    comparison: Comparison<'_>,
) -> Result<Sampled, ExecError> {
    // Ties of a list are many; where too many are possible, at least its rows are compared.
    if comparison.mode.as_list {
        match sample_as(loader, database, left, right, (comparison, true))? {
            Sampled::Undecided => {}
            found => return Ok(found),
        }
    }
    sample_as(loader, database, left, right, (comparison, false))
}

/// The same where the right query has no order and so claims that any order of the left one's
/// rows is right: the rows are compared, and no two of them may always stand in one order.
pub(super) fn sample_rows(
    loader: &mut Loader<'_>,
    database: &Database,
    left: &mut Opened<'_, '_>,
    right: &mut Opened<'_, '_>,
    comparison: Comparison<'_>,
) -> Result<Sampled, ExecError> {
    if settled(loader, database, left, comparison.mode)? {
        return Ok(Sampled::Different);
    }
    sample_as(loader, database, left, right, (comparison, false))
}

/// Rows of an answer whose order is looked at.
const MAX_ORDERED: usize = 40;
/// Answers that hold two rows in the same order, from which on that is no accident.
const ALWAYS: usize = 16;

/// True if two rows of the query's answers always stand in the same order, however ties are broken.
fn settled(
    loader: &mut Loader<'_>,
    database: &Database,
    query: &mut Opened<'_, '_>,
    mode: Mode,
) -> Result<bool, ExecError> {
    let own: Vec<usize> = (0..query.plain.width()).collect();
    let mut stood: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (arrangements, runs) in STAGES {
        for round in 0..arrangements {
            arrange(loader, database, round)?;
            for seed in round * runs..(round + 1) * runs {
                let answer = match &mut query.possible {
                    Some(open) => open.run(seed)?,
                    None => query.plain.run(seed)?,
                };
                let mut rows: Vec<String> = Vec::new();
                for row in form(&answer, Shape::own(&own, mode, true)) {
                    if rows.len() < MAX_ORDERED && !rows.contains(&row) {
                        rows.push(row);
                    }
                }
                for (at, first) in rows.iter().enumerate() {
                    for second in rows.iter().skip(at + 1) {
                        *stood.entry((first.clone(), second.clone())).or_default() += 1;
                    }
                }
            }
        }
        let fixed = stood.iter().any(|((first, second), n)| {
            *n >= ALWAYS && !stood.contains_key(&(second.clone(), first.clone()))
        });
        // A few runs may give one order by chance.
        if !fixed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Samples both queries in stages, each with more arrangements and runs: cheap ones settle most pairs, and
/// the last confirms a difference before it is believed. The order of rows counts if they are `ordered`.
fn sample_as(
    loader: &mut Loader<'_>,
    database: &Database,
    left: &mut Opened<'_, '_>,
    right: &mut Opened<'_, '_>,
    (comparison, ordered): (Comparison<'_>, bool),
) -> Result<Sampled, ExecError> {
    let (mut ours, mut theirs) = (Seen::default(), Seen::default());
    let own: Vec<usize> = (0..left.plain.width()).collect();
    let (order, loose) = match comparison.alignment {
        Alignment::Known(order) => (order, false),
        Alignment::Unknown => (own.as_slice(), true),
    };
    let shape =
        |order| Shape { loose, parts: comparison.parts, ..Shape::own(order, comparison.mode, ordered) };
    let began = left.plain.spent();
    let (stages, confirm) = match comparison.price.effort {
        Effort::Brief => (BRIEF, None),
        Effort::Full => (STAGES, Some(CONFIRM)),
    };
    'stages: for (arrangements, runs) in stages.into_iter().chain(confirm) {
        if (arrangements, runs) == CONFIRM && !(ours.exceeds(&theirs) || theirs.exceeds(&ours)) {
            break;
        }
        for round in 0..arrangements {
            // What was seen until now has to do.
            if left.plain.spent() - began >= comparison.price.steps {
                break 'stages;
            }
            arrange(loader, database, round)?;
            // No two runs of either query have the same seed.
            let first = (arrangements * 1_000 + round) * 20;
            look(left, first..first + runs, shape(&own), &mut ours)?;
            look(right, first + 10_000_000..first + 10_000_000 + runs, shape(order), &mut theirs)?;
        }
        if ours.answers.within(&theirs.answers) && theirs.answers.within(&ours.answers) {
            return Ok(Sampled::Same);
        }
    }
    if ours.exceeds(&theirs) || theirs.exceeds(&ours) {
        return Ok(Sampled::Different);
    }
    let (ours, theirs) = (&ours.answers, &theirs.answers);
    Ok(if ours.meets(theirs) || theirs.meets(ours) { Sampled::Same } else { Sampled::Undecided })
}

/// True if a query gives the same rows however the tables' rows are stored. Leaves a
/// rearranged database behind.
pub(super) fn stable(
    loader: &mut Loader<'_>,
    database: &Database,
    query: &mut Prepared<'_>,
    mode: Mode,
) -> Result<bool, ExecError> {
    let own: Vec<usize> = (0..query.width()).collect();
    let mut seen = BTreeSet::new();
    for round in 0..8 {
        arrange(loader, database, round)?;
        seen.insert(form(&query.run(0)?, Shape::own(&own, mode, false)));
    }
    Ok(seen.len() == 1)
}
