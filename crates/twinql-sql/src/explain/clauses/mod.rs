//! Which clause of a prediction is wrong.
//!
//! A clause is wrong where one repair shows it: with the gold's clause in the place of its own, the prediction has the gold's
//! canonical form. The repair is tried on both queries as they are written, and then on their canonical forms printed as
//! SQL, in which a prediction that is put in another way has the gold's shape. Where no clause alone makes the two equal, two
//! are tried together, and then those come first whose repair leaves least of the difference.

mod names;
mod registry;
mod settled;

use std::collections::BTreeMap;
use std::fmt;

use sqlparser::ast::Query;

use super::keyed_lines;
use crate::normalize::normalize;
use crate::parse::{Parsed, parse};
use crate::plan::{Plan, plan};
use crate::print;
use crate::schema::Schema;
use crate::semantics::Semantics;
pub use registry::CLAUSES;

/// The parts of a clause as texts.
type Texts = Vec<String>;

/// A clause of a query.
#[derive(Debug)]
pub struct Clause {
    /// What it is called.
    pub name: &'static str,
    /// What it says, for the middle of a sentence.
    pub about: &'static str,
    /// A gold and a prediction that differ in this clause alone.
    pub example: [&'static str; 2],
    /// What it consists of.
    read: fn(&Query) -> Texts,
    /// The first query with the clause of the second, in each way in which that can be meant; none where it cannot.
    put: fn(&Query, &Query) -> Vec<Query>,
}

impl PartialEq for Clause {
    fn eq(&self, other: &Clause) -> bool {
        self.name == other.name
    }
}

/// The clause of a name.
pub fn clause(name: &str) -> Option<&'static Clause> {
    CLAUSES.into_iter().find(|clause| clause.name == name)
}

/// A clause of a prediction that may be wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspect {
    /// The clause.
    pub clause: &'static Clause,
    /// How far it explains the difference.
    pub repair: Repair,
    /// What the gold's clause has and the prediction's lacks.
    pub lacks: Vec<String>,
    /// What the prediction's clause has and the gold's lacks.
    pub adds: Vec<String>,
}

/// What is left of the difference once a prediction has the gold's clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// Nothing: this clause alone is wrong.
    Whole,
    /// Nothing, by the clauses of the canonical forms.
    WholeForm,
    /// Nothing, together with another clause.
    Together,
    /// So many lines of the canonical forms.
    Lines(usize),
    /// The prediction is no query with this clause of the gold.
    Unfit,
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let about = self.clause.about;
        let mut letters = about.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        write!(f, "{first}{}", letters.as_str())?;
        let [lacks, adds] = [&self.lacks, &self.adds].map(|texts| texts.join(", "));
        match (lacks.is_empty(), adds.is_empty()) {
            (true, true) => f.write_str(" is not the gold's."),
            (false, true) => write!(f, " lacks: {lacks}."),
            (true, false) => write!(f, " has what the gold's has not: {adds}."),
            (false, false) => write!(f, " has: {adds}; the gold's has: {lacks}."),
        }
    }
}

/// The clauses of a prediction that may be wrong, the most likely one first; none where the canonical forms are equal.
///
/// `gold` and `pred` have to be queries over the schema; `semantics` is that for this gold.
pub fn suspects(schema: &Schema, gold: &Parsed, pred: &Parsed, semantics: &Semantics) -> Vec<Suspect> {
    Comparison::new(schema, gold, pred, semantics).map(|both| both.suspects()).unwrap_or_default()
}

/// The share of clauses that are right, of those that the gold or the prediction has: 1 exactly where the canonical forms
/// are equal. A clause is right if the gold keeps its canonical form with the prediction's clause in the place of its own.
/// Of the two ways in which the queries can be held side by side, as written and as their canonical forms print, the one
/// counts in which more is right.
///
/// `gold` and `pred` have to be queries over the schema; `semantics` is that for this gold.
pub fn share_right(schema: &Schema, gold: &Parsed, pred: &Parsed, semantics: &Semantics) -> f64 {
    Comparison::new(schema, gold, pred, semantics).map_or(0.0, |both| both.share_right())
}

/// The clauses in which two queries are written differently, whatever they mean: names of tables and the place of a join's
/// condition make no difference.
pub fn written_differently(gold: &Parsed, pred: &Parsed) -> Vec<&'static Clause> {
    let pair = Pair::new(gold.clone(), pred.clone());
    CLAUSES.into_iter().filter(|clause| !pair.reads_alike(clause)).collect()
}

/// Two queries that are held side by side.
struct Comparison<'a> {
    schema: &'a Schema,
    semantics: &'a Semantics,
    /// The canonical forms.
    gold: Plan,
    pred: Plan,
    /// The queries as written and as their canonical forms print, with what a repair of such a pair is called.
    pairs: Vec<(Repair, Pair)>,
}

impl Comparison<'_> {
    fn new<'a>(
        schema: &'a Schema,
        gold: &Parsed,
        pred: &Parsed,
        semantics: &'a Semantics,
    ) -> Option<Comparison<'a>> {
        let [gold_form, pred_form] = [gold, pred].map(|query| form(schema, query, semantics));
        let (gold_form, pred_form) = (gold_form?, pred_form?);
        let mut pairs = Vec::new();
        // A clause of one dialect says something else in another.
        if gold.dialect == pred.dialect && gold.frames.is_empty() && pred.frames.is_empty() {
            pairs.push((Repair::Whole, Pair::new(gold.clone(), pred.clone())));
        }
        let printed = |form: &Plan| parse(&print::to_sql(schema, form).ok()?).ok();
        if let (Some(gold), Some(pred)) = (printed(&gold_form), printed(&pred_form)) {
            pairs.push((Repair::WholeForm, Pair::new(gold, pred)));
        }
        Some(Comparison { schema, semantics, gold: gold_form, pred: pred_form, pairs })
    }

    fn suspects(&self) -> Vec<Suspect> {
        if self.gold.query == self.pred.query {
            return Vec::new();
        }
        let before = Repair::Lines(unlike(self.schema, &self.gold, &self.pred));
        let tried = CLAUSES.into_iter().filter_map(|clause| self.suspect(clause));
        let mut suspects: Vec<Suspect> = tried.collect();
        if suspects.iter().all(|suspect| suspect.repair > Repair::Together) {
            let together = self.together();
            for suspect in suspects.iter_mut().filter(|suspect| together.contains(&suspect.clause)) {
                suspect.repair = Repair::Together;
            }
        }
        // A repair that changes nothing for the better says something only where there is none that does.
        if suspects.iter().any(|suspect| suspect.repair < before) {
            suspects.retain(|suspect| suspect.repair < before);
        }
        suspects.sort_by_key(|suspect| suspect.repair);
        suspects
    }

    /// A clause in which the two differ, with the best that its repair does.
    fn suspect(&self, clause: &'static Clause) -> Option<Suspect> {
        let differing = self.pairs.iter().filter(|(_, pair)| !pair.reads_alike(clause));
        let tried = differing.map(|(whole, pair)| {
            let left = put(clause, &pair.pred, &pair.gold).into_iter().map(|query| self.left(&query, *whole));
            let repair = left.min().unwrap_or(Repair::Unfit);
            let [lacks, adds] = pair.texts(clause);
            Suspect { clause, repair, lacks, adds }
        });
        tried.min_by_key(|suspect| suspect.repair)
    }

    /// What is left of the difference in a repaired prediction.
    fn left(&self, query: &Parsed, whole: Repair) -> Repair {
        match form(self.schema, query, self.semantics) {
            Some(form) if form.query == self.gold.query => whole,
            Some(form) => Repair::Lines(unlike(self.schema, &self.gold, &form)),
            None => Repair::Unfit,
        }
    }

    /// Two clauses that are the whole difference together: the first such two.
    fn together(&self) -> Vec<&'static Clause> {
        let is_whole = |pair: &Pair, one: &Clause, two: &Clause| {
            let repaired = put(one, &pair.pred, &pair.gold).into_iter();
            repaired
                .flat_map(|query| put(two, &query, &pair.gold))
                .any(|query| self.left(&query, Repair::Whole) == Repair::Whole)
        };
        for (_, pair) in &self.pairs {
            let differing: Vec<&Clause> =
                CLAUSES.into_iter().filter(|clause| !pair.reads_alike(clause)).collect();
            for (n, one) in differing.iter().enumerate() {
                if let Some(two) = differing.iter().skip(n + 1).find(|two| is_whole(pair, one, two)) {
                    return vec![one, two];
                }
            }
        }
        Vec::new()
    }

    fn share_right(&self) -> f64 {
        if self.gold.query == self.pred.query {
            return 1.0;
        }
        let shares = self.pairs.iter().map(|(_, pair)| {
            let present: Vec<&Clause> = CLAUSES.into_iter().filter(|clause| pair.has(clause)).collect();
            let right = present.iter().filter(|clause| self.is_right(pair, clause)).count();
            // Each clause may be right by itself where all of them together are not.
            right.min(present.len().saturating_sub(1)) as f64 / present.len().max(1) as f64
        });
        shares.fold(0.0, f64::max)
    }

    /// Whether the gold keeps its canonical form with the prediction's clause.
    fn is_right(&self, pair: &Pair, clause: &Clause) -> bool {
        let keeps = |query: &Parsed| self.left(query, Repair::Whole) == Repair::Whole;
        pair.reads_alike(clause) || put(clause, &pair.gold, &pair.pred).iter().any(keeps)
    }
}

/// The canonical form of a query, if it is one over the schema.
fn form(schema: &Schema, query: &Parsed, semantics: &Semantics) -> Option<Plan> {
    Some(normalize(schema, plan(schema, query).ok()?, semantics).plan)
}

/// A gold and a prediction whose clauses can change places.
struct Pair {
    gold: Parsed,
    pred: Parsed,
}

impl Pair {
    fn new(mut gold: Parsed, mut pred: Parsed) -> Pair {
        settled::settle(&mut gold.query);
        settled::settle(&mut pred.query);
        names::align(&mut gold.query, &pred.query);
        Pair { gold, pred }
    }

    /// Whether one of the two has the clause.
    fn has(&self, clause: &Clause) -> bool {
        [&self.gold, &self.pred].iter().any(|side| !(clause.read)(&side.query).is_empty())
    }

    fn reads_alike(&self, clause: &Clause) -> bool {
        (clause.read)(&self.gold.query) == (clause.read)(&self.pred.query)
    }

    /// What the gold's clause has alone, and what the prediction's has alone.
    fn texts(&self, clause: &Clause) -> [Texts; 2] {
        let (mut gold, mut pred) = ((clause.read)(&self.gold.query), (clause.read)(&self.pred.query));
        gold.retain(|text| match pred.iter().position(|own| own == text) {
            Some(at) => {
                pred.remove(at);
                false
            }
            None => true,
        });
        [gold, pred]
    }
}

/// The first query with the clause of the second, in each way in which that can be meant.
fn put(clause: &Clause, to: &Parsed, from: &Parsed) -> Vec<Parsed> {
    let queries = (clause.put)(&to.query, &from.query).into_iter();
    queries.map(|query| Parsed { query: Box::new(query), ..to.clone() }).collect()
}

/// How many lines one of two canonical forms has and the other has not.
fn unlike(schema: &Schema, one: &Plan, two: &Plan) -> usize {
    let mut left: BTreeMap<String, isize> = BTreeMap::new();
    for (plan, n) in [(one, 1), (two, -1)] {
        for (_, key) in keyed_lines(schema, plan) {
            *left.entry(key).or_default() += n;
        }
    }
    left.values().map(|n| n.unsigned_abs()).sum()
}
