use std::collections::BTreeMap;

use rand::SeedableRng as _;
use twinql_sql::{Semantics, canonicalize};
use twinql_suite::{Judge, JudgeConfig, Verdict};

use super::shown::GOLDS;
use super::*;

fn schema() -> Schema {
    Schema::from_ddl("shop", shown::SHOP).unwrap()
}

/// Every rule applies somewhere, what it makes is SQL that SQLite takes, and what a sound
/// rule makes is never told apart from the original.
#[test]
fn rules_apply_and_sound_ones_keep_the_answer() {
    let schema = schema();
    let config = JudgeConfig { semantics: "no-fk".parse().unwrap(), databases: 40, ..JudgeConfig::default() };
    let judge = Judge::new(&schema, config).unwrap();
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for rule in all() {
        applied.entry(rule.name).or_default();
        for gold in GOLDS {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let Some(sql) = apply(rule, &schema, gold, &mut rng) else {
                continue;
            };
            *applied.entry(rule.name).or_default() += 1;
            match judge.judge(gold, &sql) {
                Verdict::Same { .. } => {}
                Verdict::Different { .. } if rule.kind != Claim::Sound => {}
                other => {
                    let short: String = format!("{other:?}").chars().take(300).collect();
                    wrong.push(format!("{}\n  {gold}\n  {sql}\n  {short}", rule.name));
                }
            }
        }
    }
    let never: Vec<&str> = applied.iter().filter(|(_, n)| **n == 0).map(|(n, _)| *n).collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(never.is_empty(), "never applied: {never:?}");
}

/// Which normalisation rules some rewrite makes work for: they change the rewritten query and not
/// the original (the rewrite forwards), or the other way round (backwards). Those that none does
/// are listed in the datasheet.
#[test]
fn the_datasheet_lists_the_rules_that_no_rewrite_exercises() {
    let schema = schema();
    let presets: [Semantics; 2] = ["default", "no-fk"].map(|name| name.parse().unwrap());
    let applied = |sql: &str, semantics: &Semantics| -> HashSet<&'static str> {
        let canonical = canonicalize(&schema, sql, semantics);
        canonical.map_or_else(|_| HashSet::new(), |c| c.applied.into_iter().collect())
    };
    let mut exercised: HashSet<&str> = HashSet::new();
    let mut by_first: HashSet<&str> = HashSet::new();
    for semantics in &presets {
        for gold in GOLDS {
            let before = applied(gold, semantics);
            for rule in all() {
                let mut rng = ChaCha8Rng::seed_from_u64(1);
                if let Some(sql) = apply(rule, &schema, gold, &mut rng) {
                    let after = applied(&sql, semantics);
                    exercised.extend(before.symmetric_difference(&after));
                    if rule.catalogue == 1 {
                        by_first.extend(before.symmetric_difference(&after));
                    }
                }
            }
        }
    }
    let missing: Vec<String> = twinql_sql::RULES
        .iter()
        .filter(|r| !exercised.contains(r.name))
        .map(|r| format!("`{}`", r.name))
        .collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/datasheet.md");
    let text = std::fs::read_to_string(path).unwrap();
    let all = twinql_sql::RULES.len();
    let first = all - by_first.len();
    let listed = format!(
        "{} of {all} rules ({first} with the first catalogue alone): {}.",
        missing.len(),
        missing.join(", ")
    );
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(one_line.contains(&listed), "docs/datasheet.md must say: {listed}");
}

#[test]
fn classes_are_as_counted() {
    for rewrite in all() {
        let counted = shown::counted(rewrite.name);
        let counted = counted.unwrap_or_else(|| {
            panic!("counted.tsv has no {}; run `cargo measure rewrites 10`", rewrite.name)
        });
        let shown::Counted { pairs, apart, share } = counted;
        let fits = match rewrite.kind {
            Claim::Sound => apart == 0,
            Claim::Plausible => share.is_none_or(|share| share >= 0.5),
            Claim::LookAlike => share.is_some_and(|share| share < 0.5),
        };
        assert!(fits, "{} is not {}: {apart} of {pairs}, {share:?}", rewrite.name, rewrite.kind.name());
    }
}

#[test]
fn names_are_unique_and_sampling_is_deterministic() {
    let names: Vec<&str> = all().map(|r| r.name).collect();
    let distinct: HashSet<&&str> = names.iter().collect();
    assert_eq!(names.len(), distinct.len());
    let draw = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        GOLDS.iter().flat_map(|g| sample(&schema(), g, CATALOGUES, 3, 3, &mut rng)).collect::<Vec<_>>()
    };
    let drawn = draw(3);
    assert_eq!(drawn, draw(3));
    assert!(drawn.len() > GOLDS.len() * 2, "{}", drawn.len());
    assert!(drawn.iter().all(|r| r.rules.len() >= 2));
}

#[test]
fn hostile_text_is_left_alone() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let deep = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    for sql in [
        "",
        "DELETE FROM shop",
        "SELECT 1; SELECT 2",
        "SELECT",
        "\0",
        &deep,
        "SELECT 'é' FROM shop WHERE \"ü\" = 1",
    ] {
        sample(&schema(), sql, CATALOGUES, 4, 3, &mut rng);
    }
}
