//! Pairs of queries that show something, as a disagreement between a metric and a label.

use serde::{Deserialize, Serialize};

/// Some pairs under one heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Pairs {
    /// What they have in common; may be empty.
    pub caption: String,
    /// From the most telling one on.
    pub cards: Vec<PairCard>,
    /// Where it can be, only the caption is shown until the reader asks for more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
}

/// A gold query and a prediction, and what is to be seen in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PairCard {
    /// Which pair it is.
    pub title: String,
    /// What was asked in words; may be empty.
    pub question: String,
    /// Label, scores, verdicts.
    pub badges: Vec<Badge>,
    /// The gold query.
    pub gold: String,
    /// The predicted query.
    pub pred: String,
    /// Why it is shown; may be empty.
    pub reason: String,
    /// A database that shows the difference.
    pub witness: Option<Witness>,
}

/// A named value with a tone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Badge {
    /// As `label` or a metric.
    pub name: String,
    /// As `different` or a score.
    pub value: String,
    /// How it is coloured; the value alone says all.
    pub tone: Tone,
}

/// What a badge says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// The queries answer the same.
    Same,
    /// The queries answer differently.
    Different,
    /// Neither.
    Neutral,
}

/// A small database and what the queries answer on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Witness {
    /// What is to be seen in it; may be empty.
    pub note: String,
    /// Tables of the database, then the answers.
    pub tables: Vec<WitnessTable>,
}

/// A table of a witness, or an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WitnessTable {
    /// As `singer` or `gold answers`.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its rows; none is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Rows that are left out.
    pub more: usize,
}

impl PairCard {
    /// A pair without badges, reason and witness.
    pub fn new(title: impl Into<String>, gold: impl Into<String>, pred: impl Into<String>) -> PairCard {
        PairCard {
            title: title.into(),
            question: String::new(),
            badges: Vec::new(),
            gold: gold.into(),
            pred: pred.into(),
            reason: String::new(),
            witness: None,
        }
    }

    /// The pair with a further badge.
    #[must_use]
    pub fn with_badge(mut self, name: impl Into<String>, value: impl Into<String>, tone: Tone) -> PairCard {
        self.badges.push(Badge { name: name.into(), value: value.into(), tone });
        self
    }

    /// The pair with what was asked.
    #[must_use]
    pub fn with_question(mut self, question: impl Into<String>) -> PairCard {
        self.question = question.into();
        self
    }

    /// The pair with why it is shown.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> PairCard {
        self.reason = reason.into();
        self
    }

    /// The pair with a database that shows the difference.
    #[must_use]
    pub fn with_witness(mut self, witness: Witness) -> PairCard {
        self.witness = Some(witness);
        self
    }
}
