//! What a check is, what it finds, and where it puts that.

use std::ops::Range;

use twinql_sql::Assumption;

use crate::finding::{Severity, Witness};
use crate::gold::Gold;
use crate::text::{Place, Text};

/// How a check looks at a query.
#[derive(Clone, Copy)]
pub(crate) enum Apply {
    /// The query has to be understood.
    Plan(fn(&Gold<'_>, &mut Sink<'_>)),
    /// The same, and its question has to be known.
    Question(fn(&Gold<'_>, &mut Sink<'_>)),
    /// What SQLite says of it is looked at before.
    Refusal,
    /// It is found by running the query.
    Execution,
}

/// One check.
#[derive(Clone, Copy)]
pub struct Check {
    /// Its name, in kebab case.
    pub id: &'static str,
    /// How bad what it finds is, at worst.
    pub severity: Severity,
    /// What it finds, in a line.
    pub summary: &'static str,
    /// Why that is wrong, in one sentence.
    pub why: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The answer is not determined: two orders of the same rows may show it.
    pub undetermined: bool,
    /// Queries over [`SHOP`](crate::checks::SHOP) in which it finds something; [`Asked::of_example`] reads them.
    ///
    /// [`Asked::of_example`]: crate::Asked::of_example
    pub finds: &'static [&'static str],
    /// Queries that look like these, in which it must find nothing.
    pub misses: &'static [&'static str],
    pub(crate) apply: Apply,
}

impl Check {
    /// Whether it says nothing of a query whose question is not known.
    pub fn reads_question(&self) -> bool {
        matches!(self.apply, Apply::Question(_))
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for Check {
    fn eq(&self, other: &Check) -> bool {
        self.id == other.id
    }
}

/// Something that is wrong, or most likely is.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The check that found it.
    pub check: &'static Check,
    /// How bad it is; never worse than the check says.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// Why, in one sentence.
    pub reason: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The query as it was most likely meant, where that is clear.
    pub mended: Option<String>,
    /// What the semantics takes for granted without which it would be no finding.
    pub assumes: Vec<Assumption>,
    /// What shows it.
    pub witness: Option<Witness>,
}

/// Takes what a check finds.
pub(crate) struct Sink<'s> {
    /// The check whose findings these are; it gives them their severity.
    check: &'static Check,
    /// The text that places are of.
    text: &'s Text,
    /// Findings of all checks of one query, each added behind those before.
    found: &'s mut Vec<Finding>,
}

impl<'s> Sink<'s> {
    pub(crate) fn new(check: &'static Check, text: &'s Text, found: &'s mut Vec<Finding>) -> Sink<'s> {
        Sink { check, text, found }
    }

    /// A finding at a place, or of the whole query where it has none; more may be said of it.
    pub(crate) fn add(&mut self, at: impl Into<Option<Range<usize>>>, reason: impl Into<String>) -> Said<'_> {
        let at = at.into().unwrap_or_else(|| self.text.whole());
        self.found.push(Finding {
            check: self.check,
            severity: self.check.severity,
            place: self.text.place(at),
            reason: reason.into(),
            remedy: None,
            mended: None,
            assumes: Vec::new(),
            witness: None,
        });
        Said(self.found.last_mut())
    }
}

/// A finding that was just added.
pub(crate) struct Said<'f>(Option<&'f mut Finding>);

impl Said<'_> {
    /// Changes the finding, of which there always is one: an option only so that nothing can panic.
    fn set(mut self, change: impl FnOnce(&mut Finding)) -> Self {
        if let Some(finding) = &mut self.0 {
            change(finding);
        }
        self
    }

    /// What to do about it.
    pub(crate) fn remedy(self, remedy: impl Into<String>) -> Self {
        self.set(|f| f.remedy = Some(remedy.into()))
    }

    /// The query as it was most likely meant.
    pub(crate) fn mended(self, sql: Option<String>) -> Self {
        self.set(|f| f.mended = sql)
    }

    /// What shows it.
    pub(crate) fn witness(self, witness: Witness) -> Self {
        self.set(|f| f.witness = Some(witness))
    }

    /// It is a finding by these assumptions only.
    pub(crate) fn assumes(self, assumptions: &[Assumption]) -> Self {
        self.set(|f| f.assumes.extend(assumptions))
    }

    /// It is less bad than the check says.
    pub(crate) fn only(self, severity: Severity) -> Self {
        self.set(|f| f.severity = f.severity.min(severity))
    }
}
