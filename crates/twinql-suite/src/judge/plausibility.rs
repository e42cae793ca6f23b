//! How plausible it is that two queries differ as a witness shows, and what makes the witness odd.

use super::Judge;
use super::trial::{GOLD, PAIR, PRED, Trial};
use super::verdict::{Plausibility, Reason, Verdict};
use crate::bout::{Outcome, nonempty};
use crate::database::Database;
use crate::facts::Facts;
use crate::plausible::{Expected, ExpectedConfig, Kept, Plausible, REGULARITIES, keeps, oddities};

/// Reasons that are given.
const REASONS: usize = 3;

/// The chance from which on it is no accident that a regularity is missing wherever the answers differ.
const CHANCE: f64 = 0.01;

impl Judge {
    /// Counts the plausible databases on which two queries differ that a witness tells apart.
    pub(super) fn count(&self, gold: &str, pred: &str, found: &mut Plausibility) {
        let config = ExpectedConfig { databases: self.config.plausible };
        let mut agreed = Vec::new();
        match self.counted(gold, pred, config, &mut |index, agrees| agreed.push((index, agrees))) {
            Ok(Expected { agree, of, made: _ }) => {
                found.differ = of.saturating_sub(agree);
                found.databases = of;
            }
            Err(verdict) => found.untested = Some(why(verdict)),
        }
        found.only_without = missing_where_they_differ(self.config.seed, self.config.kept, &agreed);
        // What differs on most of them needs no odd witness.
        if found.differ * 2 > found.databases {
            found.because.clear();
        }
    }

    /// What is odd about the witness of a trial: without it the gold finds something and the answers agree. Where no
    /// oddity explains the difference, that the gold `finds_nothing` there: such databases are not counted.
    pub(super) fn reasons(
        &self,
        trial: &mut Trial<'_>,
        database: &Database,
        finds_nothing: bool,
    ) -> Vec<Reason> {
        let texts = [GOLD, PRED].map(|query| trial.ring.party(query).sql().to_owned());
        let read = |sql: &String| twinql_sql::parse(sql).ok().map(|p| Facts::of(&self.schema, &p.query));
        let [gold, pred] = texts.each_ref().map(|sql| read(sql).unwrap_or_default());
        let present: Vec<usize> = (0..database.tables.len())
            .filter(|&t| database.tables.get(t).is_some_and(Option::is_some))
            .collect();
        let filled =
            Plausible::new(&self.schema, &gold, &pred, &present, self.config.seed).database(0, false);
        let mut reasons: Vec<Reason> = Vec::new();
        for oddity in oddities(&self.schema, [&gold, &pred], database, filled) {
            if reasons.len() == REASONS || trial.exhausted() {
                break;
            }
            if reasons.iter().any(|r| r.says == oddity.says) {
                continue;
            }
            trial.ring.forget_columns(PAIR);
            let agree = matches!(trial.bout(&oddity.without), Outcome::Agree(_));
            // Two queries that find nothing agree, whatever tells them apart.
            if agree && trial.ring.answer(GOLD).is_ok_and(nonempty) {
                reasons.push(Reason { regularity: oddity.kind.to_owned(), says: oddity.says });
            }
        }
        if reasons.is_empty() && finds_nothing {
            reasons.push(Reason { regularity: "an-answer".into(), says: "the gold finds nothing".into() });
        }
        reasons
    }
}

/// Why nothing was counted.
fn why(verdict: Verdict) -> String {
    match verdict {
        Verdict::Untested { reason, .. } => reason,
        Verdict::GoldError { message }
        | Verdict::PredError { message }
        | Verdict::MachineError { message } => message,
        Verdict::Timeout { side } => format!("the {side} ran into a limit"),
        Verdict::Same { .. } | Verdict::Different { .. } => String::new(),
    }
}

/// The regularities of which each is missing in all databases on which the answers differ, of each database with its
/// number and whether they agree there, if that is less likely by chance than [`CHANCE`]: at most two of them.
fn missing_where_they_differ(seed: u64, kept: Kept, agreed: &[(u64, bool)]) -> Vec<String> {
    let differing: Vec<u64> = agreed.iter().filter(|(_, agrees)| !agrees).map(|(index, _)| *index).collect();
    if differing.is_empty() || differing.len() == agreed.len() {
        return Vec::new();
    }
    let mut found: Vec<(f64, &str)> = Vec::new();
    for entry in &REGULARITIES {
        let lacks = |index: u64| !keeps(seed, index, kept, entry.regularity);
        if !differing.iter().all(|&index| lacks(index)) {
            continue;
        }
        // That all of them are among those without it, if they were drawn from all without looking (Fisher).
        let without = agreed.iter().filter(|(index, _)| lacks(*index)).count();
        let drawn = (0..differing.len()).map(|i| (without - i) as f64 / (agreed.len() - i) as f64);
        let chance: f64 = drawn.product();
        if chance < CHANCE {
            found.push((chance, entry.name));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().take(2).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use twinql_sql::{Schema, Semantics};

    use super::*;
    use crate::{JudgeConfig, Witness};

    const HEROES: &str = "CREATE TABLE power (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE hero (id INTEGER PRIMARY KEY, name TEXT, height INTEGER, born DATE,
            power_id INTEGER REFERENCES power (id), home INTEGER REFERENCES team (id), away INTEGER REFERENCES team (id));";

    fn witness(gold: &str, pred: &str, semantics: &str) -> Witness {
        let schema = Schema::from_ddl("heroes", HEROES).unwrap();
        let semantics = Semantics::preset(semantics).unwrap();
        let config = JudgeConfig { semantics, plausible: 64, shrink: true, ..JudgeConfig::default() };
        match Judge::new(&schema, config).unwrap().judge(gold, pred) {
            Verdict::Different { witness } => *witness,
            verdict => panic!("{verdict:?}"),
        }
    }

    /// Each pair differs on odd databases alone, of the kind that is named.
    #[test]
    fn witnesses_say_what_is_odd_about_them() {
        for (gold, pred, semantics, regularity, says) in [
            (
                "SELECT h.name FROM hero h JOIN power p ON h.power_id = p.id WHERE p.name = 'Stealth'",
                "SELECT name FROM hero WHERE power_id = (SELECT id FROM power WHERE name = 'Stealth')",
                "bird",
                "unique-names",
                "two rows of power have one name",
            ),
            (
                "SELECT id FROM hero ORDER BY height DESC LIMIT 1",
                "SELECT id FROM hero WHERE height = (SELECT MAX(height) FROM hero)",
                "default",
                "clear-extremes",
                "two rows of hero tie in height",
            ),
            (
                "SELECT COUNT(*) FROM hero WHERE height > 180",
                "SELECT SUM(height > 180) FROM hero",
                "strict",
                "rows",
                "hero has no rows",
            ),
            (
                "SELECT id FROM hero WHERE name = 'Batman'",
                "SELECT id FROM hero WHERE LOWER(name) = 'batman'",
                "default",
                "one-spelling",
                "hero.name is spelled in two ways",
            ),
            (
                "SELECT id FROM hero ORDER BY height",
                "SELECT id FROM hero WHERE height IS NOT NULL ORDER BY height",
                "strict",
                "few-nulls",
                "a row of hero has no height",
            ),
            (
                "SELECT COUNT(*) FROM hero WHERE EXISTS (SELECT 1 FROM power)",
                "SELECT COUNT(power_id) FROM hero WHERE EXISTS (SELECT 1 FROM power)",
                "strict",
                "complete-references",
                "a row of hero has no power_id",
            ),
            (
                "SELECT h.id FROM hero h WHERE EXISTS (SELECT 1 FROM team) AND h.home <> h.away",
                "SELECT h.id FROM hero h WHERE EXISTS (SELECT 1 FROM team)",
                "default",
                "distinct-twins",
                "home and away of a row of hero are the same row of team",
            ),
            (
                "SELECT MIN(born) FROM hero WHERE name = 'Batman'",
                "SELECT born FROM hero WHERE name = 'Batman' ORDER BY born LIMIT 1",
                "default",
                "an-answer",
                "the gold finds nothing",
            ),
        ] {
            let witness = witness(gold, pred, semantics);
            let found = witness.plausibility.unwrap();
            let named = |r: &Reason| r.regularity == regularity && r.says == says;
            assert!(found.because.iter().any(named), "{gold} / {pred}: {found:?}\n{}", witness.statements);
            assert!(found.differ * 2 <= found.databases, "{found}");
        }
    }

    /// Without its zero the gold finds nothing, and neither does the prediction: that explains no difference.
    #[test]
    fn what_is_taken_away_from_both_is_no_reason() {
        let schema = Schema::from_ddl("heroes", HEROES).unwrap();
        let config = JudgeConfig { plausible: 64, shrink: true, ..JudgeConfig::default() };
        let judge = Judge::new(&schema, config).unwrap();
        let texts = ["SELECT name FROM hero WHERE height = 0", "SELECT id FROM hero WHERE height = 0"];
        let [gold, pred] = judge.readied(texts, &mut Vec::new()).unwrap();
        let Verdict::Different { witness } = judge.trial(gold, pred, &mut Vec::new()).unwrap() else {
            panic!("they differ");
        };
        assert_eq!(witness.plausibility.unwrap().because, []);
    }

    #[test]
    fn what_differs_everywhere_needs_no_reason() {
        let found = witness("SELECT name FROM hero", "SELECT id FROM hero", "default").plausibility.unwrap();
        assert_eq!(found.differ, found.databases);
        assert!(found.because.is_empty() && found.to_string().starts_with("differs on all of"), "{found}");
    }

    #[test]
    fn names_what_is_missing_wherever_they_differ() {
        let kept = Kept::default();
        let missing = |index| !keeps(8, index, kept, REGULARITIES[0].regularity);
        let agreed: Vec<(u64, bool)> = (0..64).map(|index| (index, !missing(index))).collect();
        assert_eq!(missing_where_they_differ(8, kept, &agreed), [REGULARITIES[0].name]);
        // One more elsewhere, or none at all.
        let other = agreed.iter().position(|(_, agrees)| *agrees).unwrap();
        let mut more = agreed.clone();
        more[other].1 = false;
        assert!(missing_where_they_differ(8, kept, &more).is_empty());
        let none: Vec<(u64, bool)> = (0..64).map(|index| (index, true)).collect();
        assert!(missing_where_they_differ(8, kept, &none).is_empty());
    }
}
