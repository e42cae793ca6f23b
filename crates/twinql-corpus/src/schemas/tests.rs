use std::collections::BTreeMap;

use rand::SeedableRng as _;
use twinql_suite::{Judge, JudgeConfig};

use super::*;

fn schema() -> Schema {
    Schema::from_ddl(
        "shop",
        "CREATE TABLE town (code TEXT PRIMARY KEY, inhabitants INTEGER, region TEXT);
         CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, opened INTEGER, \"open hours\" REAL,
           phone TEXT, town_code TEXT REFERENCES town(code));
         CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL, name TEXT, age INTEGER, salary REAL,
           FOREIGN KEY (shop_id) REFERENCES shop(id));
         CREATE TABLE skill (staff_id INTEGER, skill TEXT, level INTEGER, PRIMARY KEY (staff_id, skill),
           FOREIGN KEY (staff_id) REFERENCES staff(staff_id));",
    )
    .unwrap()
}

/// Gold and prediction; between them they meet the preconditions of every change.
const PAIRS: &[(&str, &str)] = &[
    ("SELECT name FROM shop WHERE opened > 3", "SELECT T1.name FROM shop AS T1 WHERE NOT T1.opened <= 3"),
    ("SELECT name FROM shop WHERE opened > 3", "SELECT name FROM shop WHERE opened >= 3"),
    ("SELECT count(*) FROM staff WHERE age > 30", "SELECT sum(age > 30) FROM staff"),
    ("SELECT max(age) FROM staff", "SELECT age FROM staff ORDER BY age DESC LIMIT 1"),
    ("SELECT max(age) FROM staff", "SELECT min(age) FROM staff"),
    (
        "SELECT shop.name FROM shop JOIN staff ON shop.id = staff.shop_id WHERE staff.age > 20",
        "SELECT name FROM shop WHERE id IN (SELECT shop_id FROM staff WHERE age > 20)",
    ),
    (
        "SELECT T2.name AS owner FROM shop AS T1 JOIN staff AS T2 ON T1.id = T2.shop_id WHERE T1.city = \"a\" ORDER BY owner",
        "SELECT staff.name FROM staff, shop WHERE shop_id = id AND city = 'a' ORDER BY staff.name",
    ),
    ("SELECT count(*) FROM staff JOIN shop ON staff.shop_id = shop.id", "SELECT count(*) FROM staff"),
    ("SELECT DISTINCT staff_id FROM staff", "SELECT staff_id FROM staff"),
    ("SELECT DISTINCT name FROM staff", "SELECT name FROM staff"),
    (
        "WITH old AS (SELECT shop_id, avg(salary) AS pay FROM staff GROUP BY shop_id) SELECT pay FROM old WHERE pay > 2",
        "SELECT avg(salary) FROM staff GROUP BY shop_id HAVING avg(salary) > 2",
    ),
    (
        "SELECT id FROM shop EXCEPT SELECT shop_id FROM staff",
        "SELECT id FROM shop WHERE NOT EXISTS (SELECT * FROM staff WHERE shop_id = id)",
    ),
    (
        "SELECT name FROM staff JOIN skill USING (staff_id) WHERE level = 1",
        "SELECT name FROM staff WHERE staff_id IN (SELECT staff_id FROM skill WHERE level = 1)",
    ),
    ("SELECT * FROM staff WHERE staff_id = 3", "SELECT * FROM staff WHERE 3 IN (staff_id)"),
    ("SELECT \"open hours\" FROM shop", "SELECT `open hours` FROM shop WHERE 1"),
];

fn label(schema: &Schema, gold: &str, pred: &str) -> Option<u8> {
    let config = JudgeConfig {
        semantics: "no-fk".parse().unwrap(),
        databases: 40,
        shrink: false,
        ..JudgeConfig::default()
    };
    Judge::new(schema, config).unwrap().judge(gold, pred).label()
}

/// Every change applies somewhere, what it makes is executed, and those that keep the label do.
#[test]
fn changes_apply_and_keep_the_label_if_they_say_so() {
    let schema = schema();
    let mut applied: BTreeMap<&str, usize> = all().map(|c| (c.name, 0)).collect();
    let mut wrong = Vec::new();
    for &(gold, pred) in PAIRS {
        let before = label(&schema, gold, pred);
        assert!(before.is_some(), "{gold} | {pred}");
        let given = Given::new(&schema, gold, pred).unwrap();
        for (number, change) in all().enumerate() {
            let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
            let Some(new) = apply(change, &given, &mut rng) else {
                continue;
            };
            *applied.get_mut(change.name).unwrap() += 1;
            let (gold, pred) = (new.gold.to_string(), new.pred.to_string());
            let after = label(&new.schema, &gold, &pred);
            if after.is_none() || change.label == Label::Kept && after != before {
                let name = change.name;
                wrong.push(format!("{name}: {before:?} {after:?}\n{gold}\n{pred}\n{}", new.schema.to_ddl()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let never: Vec<_> = applied.iter().filter(|(_, n)| **n == 0).collect();
    assert!(never.is_empty(), "{never:?}");
}

fn changed(name: &str, gold: &str, pred: &str, seed: u64) -> Option<Given> {
    let given = Given::new(&schema(), gold, pred)?;
    let change = all().find(|c| c.name == name).unwrap();
    apply(change, &given, &mut ChaCha8Rng::seed_from_u64(seed))
}

#[test]
fn what_changes_do_not_touch() {
    let plain = "SELECT name FROM shop";
    for (name, gold) in [
        ("shuffle-columns", "SELECT * FROM shop"),
        ("insert-columns", "SELECT * FROM shop"),
        ("remove-columns", "SELECT shop.* FROM shop JOIN staff ON id = shop_id"),
        ("remove-columns", "SELECT name FROM shop NATURAL JOIN staff"),
        ("normalise-unused", "SELECT * FROM shop"),
        ("normalise-used", "WITH shop AS (SELECT 1 AS name) SELECT name FROM shop"),
        ("flatten-unused", "SELECT region FROM town JOIN shop ON code = town_code"),
        ("drop-primary-key", "SELECT 1"),
    ] {
        for seed in 0..5 {
            assert!(
                changed(name, gold, gold, seed).is_none_or(|new| {
                    // A common table expression hides the table: nothing to replace in it.
                    name == "normalise-used" && new.gold.to_string() == gold
                }),
                "{name}: {gold}"
            );
        }
    }
    // Columns that either query names stay, and so do those of keys.
    for seed in 0..20 {
        if let Some(new) = changed("remove-columns", plain, "SELECT city FROM shop", seed) {
            let shop = new.schema.table("shop").unwrap();
            assert!(["id", "name", "city", "town_code"].iter().all(|c| shop.column_index(c).is_some()));
        }
    }
    for text in ["SELECT rowid FROM shop", "SELECT nothing FROM shop", "DELETE FROM shop", "SELECT", ""] {
        assert!(Given::new(&schema(), text, plain).is_none());
        assert!(Given::new(&schema(), plain, text).is_none());
    }
    // A string in double quotes is no column here, and is not renamed as one.
    for seed in 0..20 {
        let gold = "SELECT inhabitants FROM town WHERE region = \"city\"";
        if let Some(new) = changed("rename-columns", gold, plain, seed) {
            assert!(new.gold.to_string().contains("\"city\""), "{}", new.gold);
        }
    }
}

#[test]
fn sampling_is_deterministic_and_mixes_changes() {
    let draw = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        PAIRS.iter().filter_map(|(gold, pred)| sample(&schema(), gold, pred, 3, &mut rng)).collect::<Vec<_>>()
    };
    let drawn = draw(5);
    assert_eq!(drawn, draw(5));
    assert_eq!(drawn.len(), PAIRS.len());
    let names: std::collections::HashSet<&str> = drawn.iter().flat_map(|c| c.changes.clone()).collect();
    assert!(names.len() > 5, "{names:?}");
    for made in drawn {
        let read = Schema::from_ddl("shop", &made.schema.to_ddl()).unwrap();
        assert_eq!(read, made.schema);
        let kept = |name: &&str| all().any(|c| c.name == *name && c.label == Label::Kept);
        assert_eq!(made.label == Label::Kept, made.changes.iter().all(kept));
    }
}

#[test]
fn the_registry_is_complete() {
    let names: std::collections::HashSet<&str> = all().map(|c| c.name).collect();
    assert_eq!(names.len(), all().count());
    for change in all() {
        for text in [change.origin, change.precondition, change.schema, change.queries] {
            assert!(!text.is_empty(), "{}", change.name);
        }
    }
}

/// Spider's schemas and golds, with changes that keep the label: all of them are executed.
#[test]
fn real_golds_keep_their_labels() {
    let Ok(data) = std::env::var("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return;
    };
    let folder = std::path::Path::new(&data).join("spider");
    let schemas = twinql_sql::schema::load(folder.join("tables.json")).unwrap();
    let golds = crate::spider::read_gold(folder.join("train_spider_gold.sql")).unwrap();
    let mut applied = 0;
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (number, gold) in golds.iter().enumerate().step_by(350) {
        let schema = &schemas[&gold.db_id];
        let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
        let rewritten = crate::rewrites::sample(schema, &gold.sql, 1, 1, 1, &mut rng);
        let pred = rewritten.first().map_or(gold.sql.as_str(), |r| r.sql.as_str());
        tried += 1;
        let Some(given) = Given::new(schema, &gold.sql, pred) else {
            continue;
        };
        let before = label(schema, &gold.sql, pred);
        for change in all().filter(|c| c.label == Label::Kept) {
            let Some(new) = apply(change, &given, &mut rng) else {
                continue;
            };
            applied += 1;
            let (gold, pred) = (new.gold.to_string(), new.pred.to_string());
            if label(&new.schema, &gold, &pred) != before {
                wrong.push(format!("{}\n{gold}\n{pred}", change.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(applied > tried, "{applied} of {tried}");
}
