use std::sync::Arc;

use twinql_sql::{Dialect, Schema};

use super::*;
use crate::engine::Engine;
use crate::record::Status;

const DDL: &str = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), year INTEGER);";
const GOLD: &str = "SELECT name FROM singer WHERE age > 40";

fn schema() -> Arc<Schema> {
    Arc::new(Schema::from_ddl("concerts", DDL).unwrap())
}

/// What completions earn against [`GOLD`].
fn rewards(config: RewardConfig, completions: &[&str]) -> Vec<Reward> {
    let schema = schema();
    let samples: Vec<Sample> = completions.iter().map(|c| Sample::new(&schema, GOLD, *c)).collect();
    Rewarder::new(Engine::builder(), config).unwrap().rewards(&samples)
}

fn by(shaping: Shaping) -> RewardConfig {
    RewardConfig { shaping, ..RewardConfig::default() }
}

#[test]
fn every_shaping_over_every_kind_of_completion() {
    let completions = [
        // As the gold; proved.
        "```sql\nSELECT s.name FROM singer AS s WHERE 40 < s.age\n```",
        // A database tells it apart.
        "```sql\nSELECT name FROM singer WHERE age >= 40\n```",
        // Another number of columns: different by proof.
        "```sql\nSELECT name, age FROM singer WHERE age > 40\n```",
        // By chance.
        "```sql\nSELECT name FROM singer WHERE age > 40 AND random() % 1000 <> 7\n```",
        // No plan.
        "```sql\nSELECT nothing FROM singer\n```",
        "```sql\nDELETE FROM singer\n```",
        // No SQL.
        "```sql\nSELEC name FROM singer\n```",
        "No idea.",
        "```sql\nSELECT 1; SELECT 2\n```",
        "```sql\nSELECT name FROM singer",
        // Repaired it would be right.
        "```sql\nSELECT name FROM singer WHERE age > 40 ) as asked\n```",
    ];
    let (zero, one) = (Some(0.0), Some(1.0));
    let earned = |shaping| -> Vec<Option<f64>> {
        rewards(by(shaping), &completions).into_iter().map(|r| r.reward).collect()
    };
    let mut expected = vec![zero; completions.len()];
    expected[0] = one;
    assert_eq!(earned(Shaping::Probability), expected);
    let found = earned(Shaping::GmnScore);
    let (no_sql, no_plan) = (Some(NO_SQL), Some(NO_PLAN));
    assert_eq!(found[..4], [one, zero, zero, zero]);
    assert_eq!(found[4], no_plan);
    assert!(found[5] == no_plan || found[5] == no_sql);
    assert_eq!(found[6..], [no_sql; 5]);
    let found = earned(Shaping::Tiers);
    assert!(found[0] > Some(0.9) && found[1..].iter().all(|r| *r < Some(0.1)), "{found:?}");
    let found = earned(Shaping::ExpectedEx);
    assert!(found[0] == one && found[2..].iter().all(|r| *r < Some(0.6)), "{found:?}");
}

#[test]
fn expected_ex_pays_no_loose_ends_that_a_database_shows() {
    let completions = [
        // Which row is left is nobody's choice.
        "SELECT name FROM singer WHERE age > 40 LIMIT 1",
        // As many rows as the gold's, squared.
        "SELECT a.name FROM singer a, singer b WHERE a.age > 40 AND b.age > 40",
        // Which row is left is said: the share has the word.
        "SELECT name FROM singer WHERE age > 40 ORDER BY age DESC LIMIT 1",
        // A condition joins them.
        "SELECT a.name FROM singer a, singer b WHERE a.age > 40 AND b.id = a.id",
        // The first row of a subquery is what SQLite compares with.
        "SELECT name FROM singer WHERE age > 40 AND id > (SELECT singer_id FROM concert LIMIT 1)",
        // It cuts nothing off.
        "SELECT name FROM singer WHERE age > 40 LIMIT 100000",
    ];
    let known = |guard| -> Vec<Option<&str>> {
        let found = rewards(RewardConfig { guard, ..by(Shaping::ExpectedEx) }, &completions);
        found.iter().map(|r| r.certainty.as_ref().map(Certainty::name)).collect()
    };
    assert_eq!(known(GUARD_DATABASES), [Some("refuted"), Some("refuted"), None, None, None, None]);
    assert_eq!(known(0), [None; 6]);
    let found = rewards(by(Shaping::ExpectedEx), &completions);
    assert_eq!((found[0].reward, found[1].reward), (Some(0.0), Some(0.0)));
    assert_eq!(found[3].reward, Some(1.0));
    // A gold with the same loose end asks for no more.
    let schema = schema();
    let rewarder = Rewarder::new(Engine::builder(), by(Shaping::ExpectedEx)).unwrap();
    let found = rewarder.rewards(&[Sample::new(
        &schema,
        "SELECT name FROM singer LIMIT 1",
        "SELECT name FROM singer LIMIT 2",
    )]);
    assert!(found[0].certainty.is_none());
}

#[test]
fn what_is_known_is_told() {
    let found = rewards(
        RewardConfig::default(),
        &[
            "SELECT s.name FROM singer s WHERE s.age > 40",
            "SELECT name FROM singer WHERE age > 41",
            "SELECT 1, 2",
        ],
    );
    let names: Vec<_> = found.iter().map(|r| r.certainty.as_ref().unwrap().name()).collect();
    assert_eq!(names, ["proved_equal", "refuted", "proved_different"]);
    assert!(found.iter().all(|r| r.status == Status::Ok && r.error.is_none()));
    let refused = rewards(RewardConfig::default(), &["SELECT 1; SELECT 2"]);
    assert_eq!((refused[0].status, refused[0].extraction.name()), (Status::PredError, "several"));
    // Without the guard nothing is certain, and the network has the word.
    let alone = rewards(
        RewardConfig { guard: 0, ..RewardConfig::default() },
        &["SELECT name FROM singer WHERE age > 41"],
    );
    assert!(alone[0].certainty.is_none() && alone[0].reward > Some(0.0));
}

#[test]
fn a_gold_that_cannot_be_used_is_nobodys_fault() {
    let schema = schema();
    let rewarder = Rewarder::new(Engine::builder(), RewardConfig::default()).unwrap();
    for gold in ["SELEC", "SELECT nothing FROM singer"] {
        let found = rewarder.rewards(&[Sample::new(&schema, gold, "SELECT name FROM singer")]);
        assert_eq!((found[0].reward, found[0].status), (None, Status::GoldError), "{gold}");
    }
    // That there is no answer is known without the gold.
    let found = rewarder.rewards(&[Sample::new(&schema, "SELEC", "")]);
    assert_eq!(found[0].reward, Some(0.0));
    assert!(rewarder.rewards(&[]).is_empty());
}

#[test]
fn parts_are_told_apart_and_added_up() {
    let config = RewardConfig {
        partial: 0.25,
        steps: 0.5,
        clauses: 0.5,
        format: Some(FormatPart { format: Format::named("sql-block").unwrap(), weight: 0.125 }),
        ..RewardConfig::default()
    };
    let found = rewards(
        config,
        &[
            "```sql\nSELECT name FROM singer WHERE age > 40\n```",
            "```sql\nSELECT name FROM singer WHERE age > 41\n```",
            "SELECT name FROM singer WHERE age > 41",
            // Hollow: nothing for its tree.
            "```sql\nSELECT name FROM singer WHERE age > 40 AND 1 = 0\n```",
            "```sql\nSELECT 'x'\n```",
            "```sql\nSELEC\n```",
        ],
    );
    assert_eq!(found[0].reward, Some(1.125));
    let Parts { answer, partial, steps, clauses, format } = found[1].parts;
    assert_eq!((answer, format), (Some(0.0), Some(1.0)));
    let (partial, steps) = (partial.unwrap(), steps.unwrap());
    assert!(partial > 0.0 && partial < 1.0 && steps > 0.0 && steps < 1.0);
    let sum = 0.25 * partial;
    let sum = sum + 0.5 * steps * (1.0 - sum);
    // SELECT and FROM are right, WHERE is not.
    assert_eq!(clauses, Some(2.0 / 3.0));
    let sum = sum + 0.5 * (2.0 / 3.0) * (1.0 - sum) + 0.125;
    assert!((found[1].reward.unwrap() - sum).abs() < 1e-12, "{found:?}");
    assert!((found[1].reward.unwrap() - found[2].reward.unwrap() - 0.125).abs() < 1e-12);
    for hollow in &found[3..5] {
        let Parts { partial, steps, clauses, .. } = hollow.parts;
        assert_eq!([partial, steps, clauses], [Some(0.0); 3], "{hollow:?}");
    }
    assert_eq!(found[5].reward, Some(0.125));
    assert!(found[0].steps.as_ref().is_some_and(|s| s.pred.len() == 1));
}

#[test]
fn settings_replace_what_the_shaping_says() {
    let config = RewardConfig { no_sql: Some(-2.0), no_plan: Some(-1.5), ..RewardConfig::default() };
    let found = rewards(config, &["", "SELECT nothing FROM singer", "SELECT name FROM singer"]);
    assert_eq!(found.iter().map(|r| r.reward).collect::<Vec<_>>(), [Some(-2.0), Some(-1.5), Some(0.0)]);
}

#[test]
fn rewards_depend_on_the_sample_alone() {
    let completions: Vec<String> =
        (30..60).map(|age| format!("SELECT name FROM singer WHERE age > {age}")).collect();
    let all: Vec<&str> = completions.iter().map(String::as_str).collect();
    let together = rewards(RewardConfig::default(), &all);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(pool.install(|| rewards(RewardConfig::default(), &all)), together);
    for (completion, reward) in all.iter().zip(&together).step_by(7) {
        assert_eq!(&rewards(RewardConfig::default(), &[completion])[0], reward);
    }
}

#[test]
fn other_dialects_are_translated() {
    let config = RewardConfig { dialects: Dialect::Postgres.into(), ..RewardConfig::default() };
    let found = rewards(
        config,
        &["SELECT name FROM singer WHERE age::integer > 40", "SELECT name FROM singer WHERE"],
    );
    assert!(found[0].reward > Some(0.5), "{found:?}");
    assert_eq!(found[1].reward, Some(0.0));
}

#[test]
fn the_signature_names_what_rewards_depend_on() {
    let config = RewardConfig {
        partial: 0.2,
        format: Some(FormatPart { format: Format::ALL[0], weight: 0.1 }),
        ..by(Shaping::GmnScore)
    };
    let signature = Rewarder::new(Engine::builder(), config).unwrap().signature();
    assert!(signature.contains("|metric:gmn|"), "{signature}");
    assert!(
        signature.ends_with("|reward:gmn-score|guard:16|partial:0.2|format:sql-block:0.1"),
        "{signature}"
    );
}

#[test]
fn every_shaping_has_a_name_of_its_own() {
    for shaping in Shaping::ALL {
        assert_eq!(Shaping::named(shaping.name()), Some(shaping));
    }
}
