//! How easily databases that aim at nothing tell two queries apart: a few wrong queries differ from
//! the right one almost everywhere, others on hardly any database that comes by chance.

use twinql_sql::{Nulls, Semantics};

use super::Judge;
use super::trial::GOLD;
use crate::bout::{Outcome, Settling, nonempty};
use crate::execute::ExecError;
use crate::facts::Facts;
use crate::generate::Generator;
use crate::text::ready;

/// On how many [plain](Generator::plain) databases two queries differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ease {
    /// Databases on which they differ.
    pub apart: u64,
    /// Databases on which one of them had an answer with more than NULL or 0 in it, or they differ.
    pub of: u64,
}

impl Ease {
    /// The share of databases that tell the two apart, from 0 to 1; `None` where no database
    /// says anything.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.apart as f64 / self.of as f64)
    }
}

impl Judge {
    /// Runs the pair on plain databases, as many as agreement takes. What
    /// the queries leave open counts as a difference where it shows. Foreign keys hold, no value is NULL but where the
    /// gold asks for it, and no table is empty, whatever the judge's semantics says, which says how answers are
    /// compared.
    /// `None` where a query does not run.
    pub fn ease(&self, gold: &str, pred: &str) -> Option<Ease> {
        self.sandbox.after_timeouts(0);
        self.sandbox.forget_made_up();
        let gold = ready(&self.sandbox, gold).ok()?;
        let pred = ready(&self.sandbox, pred).ok()?;
        let assumed = Semantics {
            foreign_keys_hold: true,
            keys_hold: true,
            nulls: Nulls::Asked,
            empty_tables: false,
            typed: true,
            ..self.config.semantics.clone()
        };
        let assumed = assumed.for_gold_text(&self.schema, &gold.sql);
        let (facts, tables) = self.read(&gold, &pred);
        let facts: Vec<Facts> = facts.into_iter().flatten().collect();
        let generator = Generator::new(&self.schema, &assumed, &facts, &tables, self.config.seed).plain();
        let mut trial = self.start(gold, pred, generator.tables(), Settling::BySortKeys).ok()?;
        let mut ease = Ease { apart: 0, of: 0 };
        for index in 0..self.config.databases {
            let Some(database) = generator.database(index) else {
                continue;
            };
            match trial.bout(&database) {
                Outcome::Agree(_) => ease.of += u64::from(trial.ring.answer(GOLD).is_ok_and(nonempty)),
                Outcome::Differ => {
                    ease.apart += 1;
                    ease.of += 1;
                }
                // A query too long for the limits says nothing here.
                Outcome::Failed(_, ExecError::Limit(_)) => {}
                Outcome::Failed(_, _) => return None,
            }
        }
        Some(ease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgeConfig, testing};

    fn ease_of(gold: &str, pred: &str) -> f64 {
        let schema = testing::schema();
        let judge = Judge::new(&schema, JudgeConfig::default()).unwrap();
        judge.ease(gold, pred).unwrap().share().unwrap()
    }

    #[test]
    fn what_differs_anywhere_is_easier_than_what_takes_a_coincidence() {
        let other_column = ease_of("SELECT name FROM singer", "SELECT country FROM singer");
        let duplicates = ease_of("SELECT name FROM singer", "SELECT DISTINCT name FROM singer");
        let largest = "SELECT name FROM singer ORDER BY age DESC LIMIT 1";
        let ties = ease_of(largest, "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)");
        assert!(other_column > 0.95, "{other_column}");
        assert!(duplicates > 0.0 && duplicates < 0.7, "{duplicates}");
        assert!(ties < 0.5, "{ties}");
    }

    #[test]
    fn foreign_keys_hold_on_plain_databases_whatever_is_asked() {
        let schema = testing::schema();
        let gold = "SELECT theme FROM concert";
        let pred = "SELECT c.theme FROM concert AS c JOIN singer AS s ON c.singer_id = s.id";
        let semantics = Semantics::preset("no-fk").unwrap();
        let judge = Judge::new(&schema, JudgeConfig { semantics, ..JudgeConfig::default() }).unwrap();
        assert_eq!(judge.judge(gold, pred).label(), Some(0));
        let ease = judge.ease(gold, pred).unwrap();
        assert_eq!((ease.apart, ease.of), (0, 100));
    }

    #[test]
    fn no_rows_say_nothing_and_broken_queries_have_no_ease() {
        let schema = testing::schema();
        let judge = Judge::new(&schema, JudgeConfig::default()).unwrap();
        let never = "SELECT name FROM singer WHERE 1 = 0";
        let ease = judge.ease(never, "SELECT name FROM singer WHERE 1 = 2").unwrap();
        assert_eq!(ease.share(), None);
        assert_eq!(judge.ease("SELECT name FROM singer", "SELECT nothing FROM nowhere"), None);
    }
}
