//! What a pair is judged by, and what is said of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use twinql_sql::{Semantics, Value};

use crate::bout::Side;
use crate::execute::{ExecError, Limits};
use crate::plausible::{Expected, Kept};

/// How a pair is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeConfig {
    /// What "the same answer" means.
    pub semantics: Semantics,
    /// The seed of all databases.
    pub seed: u64,
    /// How many databases a pair has to agree on.
    pub databases: u64,
    /// Bounds on each execution.
    pub limits: Limits,
    /// Drop rows from a witness, simplify its values, and declare its keys, as long as the answers
    /// still differ.
    pub shrink: bool,
    /// Say which joins and branches no database came to, where none tells the two apart.
    pub coverage: bool,
    /// Over how many plausible databases a witness is said to be plausible or not; 0 leaves that out.
    pub plausible: u64,
    /// Regularities that hold in all plausible databases over which a share is counted.
    pub kept: Kept,
}

impl Default for JudgeConfig {
    fn default() -> Self {
        JudgeConfig {
            semantics: Semantics::default(),
            seed: 8,
            databases: 100,
            limits: Limits::default(),
            shrink: false,
            coverage: false,
            plausible: 0,
            kept: Kept::default(),
        }
    }
}

/// What is said of a pair that is judged.
pub type Verdict = crate::bout::Verdict<Box<Witness>>;

/// A database on which the two queries differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The number of the database under the seed.
    pub index: u64,
    /// CREATE and INSERT statements that make it.
    pub statements: String,
    /// The gold's answer.
    #[serde(with = "crate::worker::rows")]
    pub gold_rows: Vec<Vec<Value>>,
    /// The prediction's answer.
    #[serde(with = "crate::worker::rows")]
    pub pred_rows: Vec<Vec<Value>>,
    /// Number of columns of the gold's answer.
    pub gold_width: usize,
    /// Number of columns of the prediction's answer.
    pub pred_width: usize,
    /// What SQLite calls the columns of the gold's answer.
    #[serde(default)]
    pub gold_columns: Vec<String>,
    /// What SQLite calls the columns of the prediction's answer.
    #[serde(default)]
    pub pred_columns: Vec<String>,
    /// How plausible it is that they differ, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plausibility: Option<Plausibility>,
}

/// On how many plausible databases two queries differ, and why they differ on a witness.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Plausibility {
    /// Plausible databases on which the gold answers and the prediction differs.
    pub differ: u64,
    /// Plausible databases on which the gold answers. Fewer than were asked for where the share was settled.
    pub databases: u64,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested: Option<String>,
    /// Regularities of which each is missing in all databases on which they differ, and hardly by chance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_without: Vec<String>,
    /// What is odd about the witness: without it the answers on the witness agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
}

/// An oddity of a witness without which the answers agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Reason {
    /// The regularity that the witness breaks (`docs/plausible.md` lists them).
    pub regularity: String,
    /// How, with the names of tables and columns.
    pub says: String,
}

impl fmt::Display for Plausibility {
    /// `differs on 3 of 64 plausible databases, all without unique-names; here because two rows of power have one name`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.untested, self.differ, self.databases) {
            (Some(reason), _, _) => write!(f, "no plausible database tests it ({reason})")?,
            (None, 0, all) => write!(f, "differs on none of {all} plausible databases")?,
            (None, some, all) if some == all => write!(f, "differs on all of {all} plausible databases")?,
            (None, some, all) => write!(f, "differs on {some} of {all} plausible databases")?,
        }
        if !self.only_without.is_empty() {
            write!(f, ", all without {}", self.only_without.join(" or "))?;
        }
        let mut before = "; here because";
        for reason in &self.because {
            write!(f, "{before} {}", reason.says)?;
            before = ", or";
        }
        Ok(())
    }
}

/// What plausible databases say of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// Both ran, and the gold answered.
    Counted(Expected),
    /// There is nothing to count, for the reason that the verdict names: never `Same` or `Different`.
    None(Verdict),
}

/// A verdict and what was done to the texts to get there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// Repairs, fixed moments, and what no database came to, `gold:` or `pred:` in front.
    pub notes: Vec<String>,
}

impl Report {
    /// A verdict on texts to which nothing was done.
    pub(crate) fn plain(verdict: Verdict) -> Report {
        Report { verdict, notes: Vec::new() }
    }

    /// The report on any pair of a schema that SQLite cannot create.
    pub fn schema_error(error: &ExecError) -> Report {
        Report::plain(Verdict::failed(Side::Gold, format!("the schema cannot be built in SQLite: {error}")))
    }

    /// The report on any pair of a schema that its database's profile contradicts.
    pub fn profile_error(error: &str) -> Report {
        Report::plain(Verdict::failed(Side::Gold, format!("the profile contradicts the schema: {error}")))
    }
}
