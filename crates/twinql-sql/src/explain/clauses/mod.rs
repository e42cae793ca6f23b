//! Which clause of a prediction is wrong.
//!
//! A clause is wrong where one repair shows it: with the gold's clause in the place of its own, the prediction has the gold's
//! canonical form. The repair is tried on both queries as they are written, and then on their canonical forms printed as
//! SQL, in which a prediction that is put in another way has the gold's shape. Where no clause alone makes the two equal, those
//! come first whose repair leaves least of the difference.

mod names;
mod registry;
mod settled;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// Nothing: this clause alone is wrong.
    Whole,
    /// Nothing, by the clauses of the canonical forms.
    WholeForm,
    /// So many lines of the canonical forms.
    Lines(usize),
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
    let bench = Bench { schema, semantics };
    let (Some(gold_form), Some(pred_form)) = (bench.form(gold.clone()), bench.form(pred.clone())) else {
        return Vec::new();
    };
    if gold_form.query == pred_form.query {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    // A clause of one dialect says something else in another.
    if gold.dialect == pred.dialect && gold.frames.is_empty() && pred.frames.is_empty() {
        pairs.push((Repair::Whole, Pair::new(gold.clone(), pred.clone())));
    }
    let printed = |form: &Plan| parse(&print::to_sql(schema, form).ok()?).ok();
    if let (Some(gold), Some(pred)) = (printed(&gold_form), printed(&pred_form)) {
        pairs.push((Repair::WholeForm, Pair::new(gold, pred)));
    }
    let before = unlike(schema, &gold_form, &pred_form);
    let of_clause = |clause: &'static Clause| {
        let tried = pairs.iter().filter_map(|(whole, pair)| {
            let left = pair.repaired(clause).into_iter().filter_map(|query| {
                let form = bench.form(query)?;
                Some(match form.query == gold_form.query {
                    true => *whole,
                    false => Repair::Lines(unlike(schema, &gold_form, &form)),
                })
            });
            let repair = left.min().filter(|repair| *repair < Repair::Lines(before))?;
            let [lacks, adds] = pair.texts(clause);
            Some(Suspect { clause, repair, lacks, adds })
        });
        tried.min_by_key(|suspect| suspect.repair)
    };
    let mut suspects: Vec<Suspect> = CLAUSES.into_iter().filter_map(of_clause).collect();
    suspects.sort_by_key(|suspect| suspect.repair);
    suspects
}

/// The clauses in which two queries are written differently, whatever they mean: names of tables and the place of a join's
/// condition make no difference.
pub fn written_differently(gold: &Parsed, pred: &Parsed) -> Vec<&'static Clause> {
    let pair = Pair::new(gold.clone(), pred.clone());
    CLAUSES.into_iter().filter(|clause| (clause.read)(&pair.gold) != (clause.read)(&pair.pred.query)).collect()
}

/// Where repairs are tried.
struct Bench<'a> {
    schema: &'a Schema,
    semantics: &'a Semantics,
}

impl Bench<'_> {
    /// The canonical form of a query, if it is one over the schema.
    fn form(&self, query: Parsed) -> Option<Plan> {
        Some(normalize(self.schema, plan(self.schema, &query).ok()?, self.semantics).plan)
    }
}

/// A gold and a prediction whose clauses can change places.
struct Pair {
    gold: Query,
    pred: Parsed,
}

impl Pair {
    fn new(mut gold: Parsed, mut pred: Parsed) -> Pair {
        settled::settle(&mut gold.query);
        settled::settle(&mut pred.query);
        names::align(&mut gold.query, &pred.query);
        Pair { gold: *gold.query, pred }
    }

    /// The prediction with the gold's clause.
    fn repaired(&self, clause: &Clause) -> Vec<Parsed> {
        if (clause.read)(&self.gold) == (clause.read)(&self.pred.query) {
            return Vec::new();
        }
        let put = (clause.put)(&self.pred.query, &self.gold).into_iter();
        put.map(|query| Parsed { query: Box::new(query), ..self.pred.clone() }).collect()
    }

    /// What the gold's clause has alone, and what the prediction's has alone.
    fn texts(&self, clause: &Clause) -> [Texts; 2] {
        let (mut gold, mut pred) = ((clause.read)(&self.gold), (clause.read)(&self.pred.query));
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
