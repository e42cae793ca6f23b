//! The proof tier: what can be said of two queries on *every* database, for certain.
//!
//! [`prove`] answers with a [`Proof`]: `Equal` with a certificate and the assumptions it
//! needs, `Different` with an argument that names a database which tells the two apart, or
//! `Unknown` with what still differs. It never guesses.
//!
//! Equal is concluded in three ways, cheapest first: the canonical forms are equal; they
//! are equal once the prediction is ordered no more than the gold asks for; or the rows of
//! each of two conjunctive queries can be mapped into the other's (the tableau test of the
//! homomorphism theorem, Chandra & Merlin 1977).

mod assumptions;
mod conjunctive;
mod containment;
mod differences;
mod distinguish;
mod homomorphism;
mod implication;
mod order;
mod scope;
mod tableau;

use serde::{Deserialize, Serialize};

use crate::error::SqlError;
use crate::explain;
use crate::explain::kinds::{Kind, kinds};
use crate::normalize::{Canonical, normalize};
use crate::parse::parse;
use crate::plan::{Plan, plan};
use crate::print;
use crate::schema::Schema;
use crate::semantics::Semantics;

pub use crate::assumption::Assumption;
pub use conjunctive::conjunctive;
pub use containment::{Conjunctive, Contained, Homomorphisms, Mapping, Rows, TableauText};
pub use distinguish::Difference;

/// One of the two queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The reference.
    Gold,
    /// What is compared with it.
    Pred,
}

impl Side {
    /// An error of this side's query, where it says which flag names a dialect: this side's flag.
    pub fn flagged(self, message: &str) -> String {
        message.replace("--dialect says", &format!("--{self}-dialect says"))
    }

    /// The other one.
    pub(crate) fn other(self) -> Side {
        self.pick(Side::Pred, Side::Gold)
    }

    /// What belongs to this side of what belongs to each.
    pub(crate) fn pick<T>(self, gold: T, pred: T) -> T {
        match self {
            Side::Gold => gold,
            Side::Pred => pred,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.pick("gold", "pred"))
    }
}

/// Why there is nothing to prove: a side is no query over the schema, or not supported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{side}: {}", .side.flagged(&.error.to_string()))]
pub struct ProveError {
    /// Which side.
    pub side: Side,
    /// What is wrong with it.
    #[source]
    pub error: SqlError,
}

/// What is certain of a pair.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// The same answer on every database that meets the assumptions.
    Equal(Equal),
    /// A database that meets the semantics tells the two apart.
    Different(Difference),
    /// Neither is proved.
    Unknown(Unknown),
}

/// A proof of equality.
#[derive(Debug, Clone, PartialEq)]
pub struct Equal {
    /// Rules that changed the gold, in the order of their first use.
    pub gold_rules: Vec<&'static str>,
    /// Rules that changed the prediction.
    pub pred_rules: Vec<&'static str>,
    /// What the proof needs of databases: the semantics assumes all of it, and without any
    /// one of them this method proves nothing.
    pub assumptions: Vec<Assumption>,
    /// Columns that may hold NULL all the same, since the gold asks for them: `table.column`.
    pub nulls_in: Vec<String>,
    /// What a reader can check.
    pub certificate: Certificate,
    /// Assumptions that empty a part of either query, and that the proof does without.
    pub vacuous: Vacuous,
}

impl Equal {
    /// What the proof needs of databases, a clause each.
    pub fn needs(&self) -> Vec<String> {
        let clause = |a: &Assumption| match a {
            Assumption::NoNulls if !self.nulls_in.is_empty() => {
                format!("{a} but those the gold asks for: {}", self.nulls_in.join(", "))
            }
            _ => a.to_string(),
        };
        self.assumptions.iter().map(clause).collect()
    }
}

/// Assumptions of the semantics that [`Canonical::vacuous`] names, for either query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vacuous {
    /// Those that empty a part of the gold.
    pub gold: Vec<Assumption>,
    /// Those that empty a part of the prediction.
    pub pred: Vec<Assumption>,
}

impl Vacuous {
    fn of(gold: &Canonical, pred: &Canonical) -> Vacuous {
        Vacuous { gold: gold.vacuous.clone(), pred: pred.vacuous.clone() }
    }

    /// True if no assumption empties a part of either query.
    pub fn is_none(&self) -> bool {
        self.gold.is_empty() && self.pred.is_empty()
    }

    /// The assumptions by side, where there are any.
    pub fn sides(&self) -> impl Iterator<Item = (Side, &[Assumption])> {
        let sides = [(Side::Gold, &self.gold), (Side::Pred, &self.pred)];
        sides.into_iter().filter(|(_, list)| !list.is_empty()).map(|(side, list)| (side, list.as_slice()))
    }
}

/// Why two queries are equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Certificate {
    /// The rules bring both to the same canonical form.
    CanonicalForm {
        /// That form, as SQL (as a tree where SQLite has no words for it).
        sql: String,
        /// The prediction's order was reduced to what the gold asks for: the gold has no
        /// outermost ORDER BY, or fewer sort keys, so that the order says nothing there.
        order_relaxed: bool,
    },
    /// The rows of each query's tableau are mapped into the other's.
    Homomorphisms(Box<Homomorphisms>),
}

/// What is left where nothing was proved.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Operators of the canonical form that only the gold has, a line each; the first six.
    pub gold_only: Vec<String>,
    /// The same of the prediction.
    pub pred_only: Vec<String>,
    /// In what the two are not alike.
    pub kinds: Vec<&'static Kind>,
    /// One query is shown to be contained in the other.
    pub contained: Option<Contained>,
    /// Limits that ended the work, each with its value; empty where none did.
    pub limits: Vec<String>,
    /// Assumptions that empty a part of either query: nothing is proved by them.
    pub vacuous: Vacuous,
}

impl Proof {
    /// Assumptions that empty a part of either query; none where nobody looked, since the two
    /// are proved different.
    pub fn vacuous(&self) -> Option<&Vacuous> {
        match self {
            Proof::Equal(equal) => Some(&equal.vacuous),
            Proof::Unknown(unknown) => Some(&unknown.vacuous),
            Proof::Different(_) => None,
        }
        .filter(|vacuous| !vacuous.is_none())
    }

    /// The verdict's name in files: `equal`, `different` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Proof::Equal(_) => "equal",
            Proof::Different(_) => "different",
            Proof::Unknown(_) => "unknown",
        }
    }

    /// The value of the metric `proof`: 1 proved equal, 0 proved different, 0.5 unknown.
    pub fn score(&self) -> f64 {
        match self {
            Proof::Equal(_) => 1.0,
            Proof::Different(_) => 0.0,
            Proof::Unknown(_) => 0.5,
        }
    }
}

/// Proves what can be proved of two queries under `semantics`, the first of them being the gold.
///
/// ```
/// use twinql_sql::{Schema, Semantics, prove, Proof};
///
/// let schema = Schema::from_ddl("town", "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")?;
/// let semantics = Semantics::default();
/// let proof = prove(&schema, "SELECT COUNT(*) FROM pet", "SELECT COUNT(DISTINCT id) FROM pet", &semantics)?;
/// let Proof::Equal(equal) = proof else { panic!("not proved") };
/// assert_eq!(equal.assumptions.iter().map(|a| a.name()).collect::<Vec<_>>(), ["keys"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A side cannot be parsed or planned over the schema.
pub fn prove(schema: &Schema, gold: &str, pred: &str, semantics: &Semantics) -> Result<Proof, ProveError> {
    let (gold, pred) = conjunctive::both_planned(schema, gold, pred)?;
    Ok(prove_plans(schema, &gold, &pred, semantics))
}

fn is_unsupported(error: &SqlError) -> bool {
    matches!(error, SqlError::Unsupported { .. } | SqlError::TooLarge { .. })
}

/// [`prove`] for queries that are planned already.
pub fn prove_plans(schema: &Schema, gold: &Plan, pred: &Plan, semantics: &Semantics) -> Proof {
    let semantics = &*semantics.for_gold(schema, gold);
    let is_open = gold.is_open() || pred.is_open();
    if !is_open && let Some(difference) = distinguish::distinguish(schema, gold, pred, semantics) {
        return Proof::Different(difference);
    }
    let attempt = Attempt::new(schema, gold, pred, semantics);
    let vacuous = Vacuous::of(&attempt.gold, &attempt.pred);
    let Some(certificate) = attempt.certificate else {
        let (gold_only, pred_only) = differences::differences(schema, &attempt.gold.plan, &attempt.pred.plan);
        let kinds = kinds(schema, &attempt.gold.plan, &attempt.pred.plan);
        let (contained, limits) = (attempt.contained, attempt.limits);
        return Proof::Unknown(Unknown { gold_only, pred_only, kinds, contained, limits, vacuous });
    };
    // The least demanding proof is the one to report: its rules, its certificate.
    let needed = assumptions::narrowed(semantics, &mut |weaker| {
        Attempt::new(schema, gold, pred, weaker).certificate.is_some()
    });
    let least = Attempt::new(schema, gold, pred, &needed.semantics);
    let nulls_in = needed.semantics.nulls.asked().map(|at| schema.name_of(at)).collect();
    Proof::Equal(Equal {
        nulls_in,
        gold_rules: least.gold.applied,
        pred_rules: least.pred.applied,
        assumptions: needed.assumptions,
        certificate: least.certificate.unwrap_or(certificate),
        vacuous,
    })
}

/// One try to prove equality under one semantics.
struct Attempt {
    gold: Canonical,
    pred: Canonical,
    certificate: Option<Certificate>,
    contained: Option<Contained>,
    limits: Vec<String>,
}

impl Attempt {
    fn new(schema: &Schema, gold: &Plan, pred: &Plan, semantics: &Semantics) -> Attempt {
        let plans = (gold, pred);
        let gold = normalize(schema, gold.clone(), semantics);
        let mut attempt = Attempt {
            pred: normalize(schema, pred.clone(), semantics),
            gold,
            certificate: None,
            contained: None,
            limits: Vec::new(),
        };
        // Which of equal texts an answer gives is open: what two queries make of that the rules cannot say.
        let is_open = plans.0.is_open() || plans.1.is_open();
        if !is_open || plans.0.query == plans.1.query {
            attempt.certificate =
                attempt.equal_forms(schema, semantics, pred).or_else(|| attempt.mapped(schema, semantics));
        }
        if attempt.certificate.is_none() {
            for (side, form) in [(Side::Gold, &attempt.gold), (Side::Pred, &attempt.pred)] {
                if let Some(why) = &form.stopped {
                    attempt.limits.push(format!("normalising the {side} query: {why}"));
                }
            }
        }
        attempt
    }

    fn equal_forms(&mut self, schema: &Schema, semantics: &Semantics, pred: &Plan) -> Option<Certificate> {
        let form = |plan: &Plan, order_relaxed| Certificate::CanonicalForm {
            sql: form_text(schema, plan),
            order_relaxed,
        };
        if self.gold.plan.query == self.pred.plan.query {
            return Some(form(&self.gold.plan, false));
        }
        if self.gold.has_unknown_rows() || self.pred.has_unknown_rows() {
            return None;
        }
        let relaxed = order::relaxed(schema, semantics, &self.gold, &self.pred, pred)?;
        self.pred = relaxed;
        Some(form(&self.gold.plan, true))
    }

    fn mapped(&mut self, schema: &Schema, semantics: &Semantics) -> Option<Certificate> {
        // Which rows there are is not known.
        if self.gold.has_unknown_rows() || self.pred.has_unknown_rows() {
            return None;
        }
        let semantics = assumed_by_both(semantics, &self.gold, &self.pred);
        match containment::contained(schema, &semantics, &self.gold.plan, &self.pred.plan) {
            Conjunctive::Equal(found) => Some(Certificate::Homomorphisms(found)),
            Conjunctive::NoMapping(contained) => {
                self.contained = contained;
                None
            }
            Conjunctive::NotConjunctive(_) => None,
            Conjunctive::Limit(limit) => {
                self.limits.push(limit);
                None
            }
        }
    }
}

/// The semantics less the assumptions that empty a part of either query: from them, the
/// conditions of the other could be concluded as well as anything else.
fn assumed_by_both(semantics: &Semantics, gold: &Canonical, pred: &Canonical) -> Semantics {
    let left_out = gold.vacuous.iter().chain(&pred.vacuous);
    left_out.fold(semantics.clone(), |s, a| if a.made_by(&s) { a.without(&s) } else { s })
}

/// A canonical form as SQL, or as a tree where SQLite has no words for it.
fn form_text(schema: &Schema, plan: &Plan) -> String {
    print::to_sql(schema, plan).unwrap_or_else(|_| explain::tree(schema, plan))
}

/// Why a proof of equality does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A query cannot be read.
    #[error(transparent)]
    Query(#[from] SqlError),
    /// What the proof says, of its assumptions or in its certificate, is not so.
    #[error("{0}")]
    Refuted(String),
}

/// Checks a proof of equality: reads both queries again under no more than the assumptions
/// that it names, and holds the certificate against the result. Nothing of the search is
/// used.
///
/// # Errors
/// What does not hold.
pub fn verify(
    schema: &Schema,
    gold: &str,
    pred: &str,
    semantics: &Semantics,
    proof: &Equal,
) -> Result<(), VerifyError> {
    let refuted = |why: &str| Err(VerifyError::Refuted(why.to_owned()));
    let planned = |sql: &str| parse(sql).and_then(|p| plan(schema, &p));
    let (gold, planned_pred) = (planned(gold)?, planned(pred)?);
    let semantics = semantics.for_gold(schema, &gold);
    let semantics = assumptions::only(&semantics, &proof.assumptions).map_err(VerifyError::Refuted)?;
    if !semantics.nulls.asked().map(|at| schema.name_of(at)).eq(proof.nulls_in.iter().cloned()) {
        return refuted("the gold asks for other NULLs");
    }
    let gold = normalize(schema, gold, &semantics);
    let pred = normalize(schema, planned_pred.clone(), &semantics);
    match &proof.certificate {
        Certificate::CanonicalForm { sql, order_relaxed } => {
            let equal = if *order_relaxed {
                order::relaxed(schema, &semantics, &gold, &pred, &planned_pred).is_some()
            } else {
                gold.plan.query == pred.plan.query
            };
            if !equal {
                return refuted("the canonical forms differ");
            }
            if form_text(schema, &gold.plan) != *sql {
                return refuted("the canonical form is another one");
            }
            Ok(())
        }
        Certificate::Homomorphisms(maps) => {
            let semantics = assumed_by_both(&semantics, &gold, &pred);
            containment::verify(schema, &semantics, (&gold.plan, &pred.plan), maps)
                .map_err(VerifyError::Refuted)
        }
    }
}
