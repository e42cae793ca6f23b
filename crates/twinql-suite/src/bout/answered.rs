//! Whether databases say anything of a pair at all.
//!
//! A gold *answered* on a database if its answer there differs from its answer when every table is
//! empty; one that reads no table always answers. Where it never answered, agreement shows nothing:
//! whatever is never met agrees with it. Where its answer was one and the same on all databases, a
//! prediction that has this answer over empty tables too may be a constant, and agreement shows
//! nothing either. Such pairs are *untested*.

use crate::compare::{Columns, Mode, equal};
use crate::execute::Answer;

/// True if two answers are one, row for row in any order.
fn alike(a: &Answer, b: &Answer) -> bool {
    let mode = Mode { any_column_order: false, as_set: false, as_list: false, tolerance: 0.0 };
    equal(a, b, mode, &mut Columns::new(a.width, false))
}

/// What a gold has answered so far.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    /// It reads a table.
    reads: bool,
    /// Its answer when every table is empty; none where it fails there.
    nothing: Option<Answer>,
    /// Its first answer, until another one came.
    first: Option<Answer>,
    varied: bool,
    /// Databases that it gave an answer on.
    databases: u64,
    /// Of these, those on which it answered.
    count: u64,
}

impl Answered {
    /// A gold before its first database.
    pub(crate) fn new(reads: bool, nothing: Option<Answer>) -> Answered {
        Answered { reads, nothing, first: None, varied: false, databases: 0, count: 0 }
    }

    /// Takes note of the answer on one more database; true if the gold answered there.
    pub(crate) fn note(&mut self, answer: &Answer) -> bool {
        self.databases += 1;
        if !self.varied {
            match &self.first {
                None => self.first = Some(answer.clone()),
                Some(first) if alike(first, answer) => {}
                Some(_) => {
                    self.varied = true;
                    self.first = None;
                }
            }
        }
        let answered = self.on(answer);
        self.count += u64::from(answered);
        answered
    }

    /// True if this answer shows that the gold answered.
    pub(crate) fn on(&self, answer: &Answer) -> bool {
        !self.reads || self.nothing.as_ref().is_none_or(|nothing| !alike(nothing, answer))
    }

    /// True if agreement with this gold says something of any prediction.
    pub(crate) fn enough(&self) -> bool {
        !self.reads || self.varied
    }

    /// Why agreement with a prediction says nothing, if it does not; `nothing` gives the
    /// prediction's answer over empty tables.
    pub(crate) fn untested(&self, nothing: impl FnOnce() -> Option<Answer>) -> Option<String> {
        if self.enough() {
            return None;
        }
        let n = self.databases;
        if self.count == 0 {
            return Some(format!(
                "the gold never answered: on all {n} databases it gave what it gives over empty tables"
            ));
        }
        let first = self.first.as_ref()?;
        nothing().is_some_and(|own| alike(first, &own)).then(|| {
            format!(
                "the gold gave one and the same answer on all {n} databases, and the prediction gives it over empty tables too, as a constant does"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use twinql_sql::Value;

    use super::Answered;
    use crate::execute::Answer;

    fn one(value: i64) -> Answer {
        Answer { width: 1, rows: vec![vec![Value::Integer(value)]] }
    }

    #[test]
    fn a_gold_that_never_answered_tests_nothing() {
        let mut gold = Answered::new(true, Some(one(0)));
        assert!(!gold.note(&one(0)) && !gold.note(&one(0)));
        let why = gold.untested(|| None).unwrap_or_default();
        assert!(why.contains("never answered"), "{why}");
        assert!(gold.note(&one(2)));
        assert_eq!(gold.untested(|| Some(one(0))), None);
    }

    #[test]
    fn a_lone_answer_tests_no_constant() {
        let mut gold = Answered::new(true, Some(one(0)));
        assert!(gold.note(&one(1)) && gold.note(&one(1)));
        assert!(gold.untested(|| Some(one(1))).is_some());
        // This one reads the tables.
        assert_eq!(gold.untested(|| Some(one(0))), None);
    }

    #[test]
    fn a_gold_without_tables_always_answers() {
        let mut gold = Answered::new(false, Some(one(1)));
        assert!(gold.note(&one(1)));
        assert_eq!(gold.untested(|| Some(one(1))), None);
    }
}
