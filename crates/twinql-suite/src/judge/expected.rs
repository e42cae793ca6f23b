//! How likely execution on a real database would call the prediction right.

use twinql_sql::{Repair, Semantics};

use super::Judge;
use super::trial::{GOLD, PAIR};
use super::verdict::{Expectation, Verdict};
use crate::bout::{Outcome, Settling, Side, nonempty};
use crate::execute::{ExecError, trim};
use crate::plausible::{Expected, ExpectedConfig, Plausible};

/// How far apart two numbers may be, relative to the larger: the evaluators of Spider and BIRD compare them exactly, so that
/// a rounded number is another one.
fn tolerance(semantics: &Semantics) -> f64 {
    if semantics.ties_as_returned() { 0.0 } else { semantics.float_tolerance }
}

/// Whether evaluators run a text without this repair, and fail. Fences and spaces in operators they take away themselves.
fn hides_an_error(repair: &Repair) -> bool {
    matches!(repair, Repair::Cut { at: _, dropped: _ } | Repair::EscapedQuote { at: _ })
}

/// Databases without an answer of the gold from which on larger ones are made.
const PATIENCE: u64 = 6;

impl Judge {
    /// Runs the pair on [plausible](Plausible) databases and counts those on which both agree. Answers are compared
    /// as the semantics says and as they were returned, ties and all, as execution accuracy does; what the semantics
    /// assumes of databases does not matter here.
    ///
    /// A prediction that runs into a limit where the gold answers disagrees there.
    ///
    /// A prediction that SQLite refuses as it stands agrees nowhere, though it could be repaired: execution would fail.
    pub fn expected(&self, gold: &str, pred: &str, config: ExpectedConfig) -> Expectation {
        self.sandbox.after_timeouts(0);
        let counted = self.counted(gold, pred, config, &mut |_, _| ());
        let agree = |counted: Expected| if self.refuses(pred) { 0 } else { counted.agree };
        counted.map_or_else(Expectation::None, |e| Expectation::Counted(Expected { agree: agree(e), ..e }))
    }

    /// Whether SQLite refuses a text that has to be repaired to run.
    fn refuses(&self, sql: &str) -> bool {
        let sql = trim(sql);
        self.sandbox.prepare(sql).is_err()
            && twinql_sql::parse(sql).is_ok_and(|parsed| parsed.repairs.iter().any(hides_an_error))
    }

    /// Tells `each` database on which the gold answers by its number, and whether both agree there.
    pub(super) fn counted(
        &self,
        gold: &str,
        pred: &str,
        config: ExpectedConfig,
        each: &mut dyn FnMut(u64, bool),
    ) -> Result<Expected, Verdict> {
        let [gold, pred] = self.readied([gold, pred], &mut Vec::new())?;
        let (facts, tables) = self.read(&gold, &pred);
        let [of_gold, of_pred] = facts.map(Option::unwrap_or_default);
        let plausible = Plausible::following(
            &self.schema,
            &of_gold,
            &of_pred,
            &tables,
            self.config.seed,
            self.profile.clone(),
        )
        .keeping(self.config.kept);
        let mut shelf = self.shelf.borrow_mut();
        shelf.open(&of_gold, &of_pred, &tables);
        let trial = self.start(gold, pred, plausible.tables(), Settling::AsReturned);
        let mut trial = trial.map_err(|e| Verdict::failed(Side::Gold, e))?;
        trial.ring.compare_within(PAIR, tolerance(&self.config.semantics));
        let mut expected = Expected::default();
        let mut timeouts = 0;
        for index in 0..config.attempts() {
            if expected.of >= config.databases || expected.is_settled() {
                break;
            }
            if trial.exhausted() {
                return Err(Verdict::Timeout { side: trial.costlier() });
            }
            // A gold that hardly answers may ask for more rows than small tables have.
            let plenty = index >= PATIENCE && expected.of * 3 < index;
            let database = shelf.database(index, plenty, || plausible.database(index, plenty));
            expected.made += 1;
            self.sandbox.after_timeouts(timeouts);
            let outcome = trial.bout(&database);
            let says = trial.ring.answer(GOLD).is_ok_and(nonempty);
            if says {
                each(index, matches!(outcome, Outcome::Agree(_)));
            }
            match outcome {
                Outcome::Agree(_) => expected.agree += u64::from(says),
                Outcome::Differ => {}
                Outcome::Failed(_, ExecError::Limit(_)) => timeouts += 1,
                Outcome::Failed(side, error) => return Err(Verdict::failed(side, error)),
            }
            expected.of += u64::from(says);
        }
        if expected.of == 0 {
            return Err(match timeouts {
                0 => Verdict::Untested { databases: expected.made, reason: UNANSWERED.into() },
                _ => Verdict::Timeout { side: trial.costlier() },
            });
        }
        Ok(expected)
    }
}

/// Why there is no share.
const UNANSWERED: &str = "the gold answered on no plausible database";

#[cfg(test)]
mod tests {
    use twinql_sql::{Schema, Semantics};

    use super::*;
    use crate::{JudgeConfig, testing};

    const HEROES: &str = "CREATE TABLE superpower (id INTEGER PRIMARY KEY, power_name TEXT);
        CREATE TABLE superhero (id INTEGER PRIMARY KEY, superhero_name TEXT, side TEXT, height_cm INTEGER, born DATE);
        CREATE TABLE hero_power (hero_id INTEGER REFERENCES superhero (id), power_id INTEGER REFERENCES superpower (id));";

    fn judge() -> Judge {
        keeping("")
    }

    /// A judge on whose plausible databases these regularities hold.
    fn keeping(names: &str) -> Judge {
        let schema = Schema::from_ddl("heroes", HEROES).unwrap();
        let (semantics, kept) = (Semantics::preset("bird").unwrap(), names.parse().unwrap());
        Judge::new(&schema, JudgeConfig { semantics, kept, ..JudgeConfig::default() }).unwrap()
    }

    /// The share of 40 databases on which two queries agree.
    fn share(gold: &str, pred: &str) -> f64 {
        share_by(&judge(), gold, pred)
    }

    fn share_by(judge: &Judge, gold: &str, pred: &str) -> f64 {
        match judge.expected(gold, pred, ExpectedConfig { databases: 40 }) {
            Expectation::Counted(expected) => expected.share().unwrap(),
            Expectation::None(verdict) => panic!("{verdict:?}"),
        }
    }

    #[test]
    fn what_differs_only_where_nobody_looks_is_likely_right() {
        // Two powers of one name.
        let gold = "SELECT COUNT(*) FROM hero_power h JOIN superpower p ON h.power_id = p.id WHERE p.power_name = 'Stealth'";
        let pred = "SELECT COUNT(*) FROM hero_power WHERE power_id = (SELECT id FROM superpower WHERE power_name = 'Stealth')";
        assert!(share(gold, pred) > 0.6);
        // A tie for the maximum.
        let gold = "SELECT superhero_name FROM superhero ORDER BY height_cm DESC LIMIT 1";
        let pred =
            "SELECT superhero_name FROM superhero WHERE height_cm = (SELECT MAX(height_cm) FROM superhero)";
        assert!(share(gold, pred) > 0.7);
        // A side in two spellings.
        let gold = "SELECT superhero_name FROM superhero WHERE side = 'good'";
        assert!(share(gold, "SELECT superhero_name FROM superhero WHERE LOWER(side) = 'good'") > 0.95);
        // The spelling is the gold's, whatever the prediction folds it to, or the prediction's where the gold folds.
        let (spelled, folded) = ("superhero_name = 'Batman'", "LOWER(superhero_name) = 'batman'");
        for [gold, pred] in
            [[spelled, folded], [folded, spelled], [spelled, "superhero_name = 'BATMAN' COLLATE NOCASE"]]
        {
            let of = |test| format!("SELECT height_cm FROM superhero WHERE {test}");
            assert!(share(&of(gold), &of(pred)) > 0.95, "{gold} / {pred}");
        }
        // Dates that are no dates.
        let gold = "SELECT id FROM superhero WHERE STRFTIME('%Y', born) = '1990'";
        assert!(share(gold, "SELECT id FROM superhero WHERE SUBSTR(born, 1, 4) = '1990'") > 0.95);
        let pred = "SELECT id FROM superhero WHERE born BETWEEN '1990-01-01' AND '1990-12-31'";
        assert!(share(gold, pred) > 0.95);
    }

    /// In wild databases too, which hold next to none of the others.
    #[test]
    fn what_is_kept_holds_in_each_database() {
        let by_name = "SELECT COUNT(*) FROM hero_power h JOIN superpower p ON h.power_id = p.id WHERE p.power_name = 'Stealth'";
        let looked_up = "SELECT COUNT(*) FROM hero_power WHERE power_id = (SELECT id FROM superpower WHERE power_name = 'Stealth')";
        let first = "SELECT superhero_name FROM superhero ORDER BY height_cm DESC LIMIT 1";
        let greatest =
            "SELECT superhero_name FROM superhero WHERE height_cm = (SELECT MAX(height_cm) FROM superhero)";
        let clear = "clear-extremes,narrow-extremes";
        for (name, gold, pred) in [("unique-names", by_name, looked_up), (clear, first, greatest)] {
            assert!(share(gold, pred) < 1.0, "{name}");
            assert_eq!(share_by(&keeping(name), gold, pred), 1.0, "{name}");
        }
    }

    #[test]
    fn what_differs_on_real_rows_is_likely_wrong() {
        let gold = "SELECT superhero_name FROM superhero WHERE side = 'good'";
        for pred in [
            "SELECT superhero_name FROM superhero",
            "SELECT superhero_name FROM superhero WHERE side = 'Good'",
            "SELECT superhero_name FROM superhero WHERE side <> 'good'",
            "SELECT id FROM superhero WHERE side = 'good'",
            "SELECT 1",
        ] {
            assert!(share(gold, pred) < 0.2, "{pred}");
        }
    }

    #[test]
    fn nulls_that_the_gold_asks_for_are_there() {
        let gold = "SELECT id FROM superhero WHERE side IS NULL";
        let pred = "SELECT id FROM superhero WHERE side IS NULL AND height_cm > 180";
        assert!(share(gold, pred) < 0.7);
        assert!(share(gold, "SELECT superhero_name FROM superhero WHERE side IS NULL") < 0.05);
    }

    #[test]
    fn the_same_seed_gives_the_same_share() {
        let (gold, pred) =
            ("SELECT AVG(height_cm) FROM superhero", "SELECT SUM(height_cm) * 1.0 / COUNT(*) FROM superhero");
        let config = ExpectedConfig::default();
        assert_eq!(judge().expected(gold, pred, config), judge().expected(gold, pred, config));
    }

    /// A table without a foreign key has rows that another one lacks, where the gold asks for them.
    #[test]
    fn what_another_table_lacks_is_there() {
        let ddl = "CREATE TABLE visit (id INTEGER PRIMARY KEY, code INTEGER, name TEXT);
            CREATE TABLE drug (code INTEGER PRIMARY KEY, label TEXT);
            CREATE TABLE dose (id INTEGER PRIMARY KEY, code INTEGER, amount REAL);";
        let judge = Judge::new(&Schema::from_ddl("ward", ddl).unwrap(), JudgeConfig::default()).unwrap();
        for gold in [
            "SELECT name FROM visit WHERE code NOT IN (SELECT code FROM drug)",
            "SELECT name FROM visit WHERE code NOT IN (SELECT code FROM dose)",
            "SELECT label FROM drug WHERE code NOT IN (SELECT code FROM dose)",
            "SELECT code FROM visit EXCEPT SELECT code FROM drug",
        ] {
            assert_eq!(share_by(&judge, gold, gold), 1.0, "{gold}");
        }
    }

    #[test]
    fn what_cannot_be_counted_says_why() {
        let judge = Judge::new(&testing::schema(), JudgeConfig::default()).unwrap();
        let config = ExpectedConfig::default();
        let gold = "SELECT name FROM singer";
        let none = |gold: &str, pred: &str| match judge.expected(gold, pred, config) {
            Expectation::None(verdict) => verdict,
            Expectation::Counted(expected) => panic!("{expected:?}"),
        };
        assert!(matches!(none(gold, "SELECT nothing FROM nowhere"), Verdict::PredError { .. }));
        assert!(matches!(none("SELECT", gold), Verdict::GoldError { .. }));
        assert!(matches!(none(gold, "DROP TABLE singer"), Verdict::PredError { .. }));
        assert!(matches!(none("SELECT name FROM singer WHERE 1 = 0", gold), Verdict::Untested { .. }));
    }
}
