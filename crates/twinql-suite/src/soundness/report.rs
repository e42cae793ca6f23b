//! What a check found, and the sums of many.

use serde::Serialize;
use twinql_sql::Value;

use crate::Database;

/// How often two queries were compared, and how they came to agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Databases on which both gave an answer.
    pub databases: u64,
    /// Those on which the left answer held more than NULL and 0.
    pub nonempty: u64,
    /// Databases on which the answers agree only by the rules for ties: both are possible
    /// answers of both queries.
    pub ties: u64,
    /// Databases on which samples of the possible answers decided.
    pub sampled: u64,
    /// Databases on which more answers are possible than were seen, and those seen do not overlap.
    pub undecided: u64,
    /// Databases on which the left query fails: an integer overflow, for instance.
    pub failed: u64,
    /// Databases on which either query passed the limits.
    pub limited: u64,
}

/// A database on which two queries disagree, and what they answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Witness {
    /// The number of the database under the seed.
    pub index: u64,
    #[serde(skip)]
    pub(super) database: Database,
    /// CREATE and INSERT statements that make it.
    pub statements: String,
    /// The left answer.
    pub left: Vec<Vec<Value>>,
    /// The right answer.
    pub right: Vec<Vec<Value>>,
    /// Why there is no right answer.
    pub error: Option<String>,
}

/// A disagreement: a bug of the planner, the printer or a rule, or a documented limit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Disagreement {
    /// The schema.
    pub db_id: String,
    /// The semantics' name.
    pub semantics: String,
    /// The query, or the gold.
    pub left: String,
    /// Its printed canonical form, or the prediction.
    pub right: String,
    /// For a pair: the canonical form of both.
    pub form: Option<String>,
    /// The rules that were applied.
    pub rules: Vec<String>,
    /// The rules without any one of which the disagreement vanishes; `plan` where the plan
    /// disagrees before any rule.
    pub blamed: Vec<String>,
    /// Where there is no witness: what is wrong.
    pub message: Option<String>,
    /// The database that shows it.
    pub witness: Option<Witness>,
}

/// What became of a query or a pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Fate {
    /// SQLite refuses a text.
    Refused(String),
    /// There is no plan.
    Unplanned(String),
    /// The canonical form cannot be printed as SQLite's SQL.
    Unprintable(String),
    /// The query asks for random numbers.
    Random,
    /// Both texts are the same.
    Identical,
    /// A pair whose canonical forms differ.
    Unproved,
    /// No database was made, or limits or failures left none on which both answer.
    #[default]
    Unanswered,
    /// No database tells the two apart.
    Agrees,
    /// A database tells them apart.
    Differs(Box<Disagreement>),
}

/// A query's or a pair's fate and counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    /// The counts.
    pub tally: Tally,
    /// The fate.
    pub fate: Fate,
}

impl From<Fate> for Checked {
    /// Of what did not run.
    fn from(fate: Fate) -> Checked {
        Checked { tally: Tally::default(), fate }
    }
}

/// Sums over many queries or pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Queries or pairs.
    pub checked: u64,
    /// Of these: SQLite refuses a text.
    pub refused: u64,
    /// There is no plan.
    pub unplanned: u64,
    /// The canonical form cannot be printed.
    pub unprintable: u64,
    /// They ask for random numbers.
    pub random: u64,
    /// The printed form is the query's own text, or the prediction the gold's.
    pub identical: u64,
    /// Pairs whose canonical forms differ.
    pub unproved: u64,
    /// There was no database on which both answer.
    pub unanswered: u64,
    /// They agree on all databases.
    pub agreed: u64,
    /// Of the agreeing ones: those with a non-empty answer on some database.
    pub answered: u64,
    /// Of the agreeing ones: those that passed the limits on some database.
    pub limited: u64,
    /// Of the agreeing ones: those that needed the rules for ties or samples on some database.
    pub open: u64,
    /// Of the agreeing ones: those that some database left undecided.
    pub undecided: u64,
    /// They disagree.
    pub differ: u64,
    /// Databases on which both gave an answer, over all queries or pairs.
    pub databases: u64,
    /// Those of them with a non-empty answer.
    pub nonempty: u64,
    /// Those of them left undecided.
    pub undecided_databases: u64,
}

impl Totals {
    /// Adds one query or pair.
    pub fn add(&mut self, checked: &Checked) {
        let Checked { tally, fate } = checked;
        self.checked += 1;
        self.databases += tally.databases;
        self.nonempty += tally.nonempty;
        self.undecided_databases += tally.undecided;
        *match fate {
            Fate::Refused(_) => &mut self.refused,
            Fate::Unplanned(_) => &mut self.unplanned,
            Fate::Unprintable(_) => &mut self.unprintable,
            Fate::Random => &mut self.random,
            Fate::Identical => &mut self.identical,
            Fate::Unproved => &mut self.unproved,
            Fate::Unanswered => &mut self.unanswered,
            Fate::Agrees => &mut self.agreed,
            Fate::Differs(_) => &mut self.differ,
        } += 1;
        if *fate == Fate::Agrees {
            self.answered += u64::from(tally.nonempty > 0);
            self.limited += u64::from(tally.limited > 0);
            self.open += u64::from(tally.ties + tally.sampled > 0);
            self.undecided += u64::from(tally.undecided > 0);
        }
    }

    /// Adds other sums.
    pub fn merge(&mut self, other: &Totals) {
        for (mine, theirs) in self.fields().into_iter().zip(other.clone().fields()) {
            *mine += *theirs;
        }
    }

    fn fields(&mut self) -> [&mut u64; 17] {
        [
            &mut self.checked,
            &mut self.refused,
            &mut self.unplanned,
            &mut self.unprintable,
            &mut self.random,
            &mut self.identical,
            &mut self.unproved,
            &mut self.unanswered,
            &mut self.agreed,
            &mut self.answered,
            &mut self.limited,
            &mut self.open,
            &mut self.undecided,
            &mut self.differ,
            &mut self.databases,
            &mut self.nonempty,
            &mut self.undecided_databases,
        ]
    }
}
