#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use rand::SeedableRng as _;
use twinql_sql::{Semantics, canonicalize};
use twinql_suite::{Judge, JudgeConfig, Verdict};

use super::*;

fn schema() -> Schema {
    Schema::from_ddl(
        "shop",
        "CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, opened INTEGER, \"open hours\" REAL);
         CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL, name TEXT, age INTEGER, salary REAL,
           FOREIGN KEY (shop_id) REFERENCES shop(id));
         CREATE TABLE skill (staff_id INTEGER, skill TEXT, level number, PRIMARY KEY (staff_id, skill),
           FOREIGN KEY (staff_id) REFERENCES staff(staff_id));
         CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, day DATE, buyer TEXT);",
    )
    .unwrap()
}

/// Golds that between them meet the preconditions of every rule.
const GOLDS: &[&str] = &[
    "SELECT name FROM shop WHERE opened > 3 AND city = 'a'",
    "SELECT name, city FROM shop WHERE city = \"a\" OR city = 'b'",
    "SELECT name FROM staff WHERE age BETWEEN 20 AND 40 AND salary > 5",
    "SELECT name FROM staff WHERE age >= 20 AND age <= 40",
    "SELECT name FROM staff WHERE age IN (1, 2, 3)",
    "SELECT name FROM staff WHERE age NOT IN (1, 2) AND NOT name = 'a'",
    "SELECT name FROM staff WHERE (age = 1 OR age = 2) AND name = 'a'",
    "SELECT name FROM staff WHERE NOT (age > 1 AND salary < 3)",
    "SELECT name FROM staff WHERE age < 2 OR NOT (NOT salary < 3)",
    "SELECT IIF(age > 3, 'old', 'young') FROM staff",
    "SELECT CASE WHEN age > 3 THEN 'old' ELSE 'young' END FROM staff",
    "SELECT count(*) FROM staff",
    "SELECT count(1) FROM shop WHERE city = 'b'",
    "SELECT count(*) FROM shop WHERE city = 'b'",
    "SELECT count(staff_id) FROM staff WHERE age > 3",
    "SELECT count(DISTINCT staff_id) FROM staff",
    "SELECT count(DISTINCT city) FROM shop",
    "SELECT avg(age), max(age), min(salary) FROM staff",
    "SELECT sum(age) FROM staff",
    "SELECT max(age) FROM staff WHERE salary > 1",
    "SELECT name FROM staff ORDER BY age DESC LIMIT 1",
    "SELECT name FROM staff WHERE salary > 2 ORDER BY name",
    "SELECT name FROM skill JOIN staff ON skill.staff_id = staff.staff_id WHERE level > 3",
    "SELECT DISTINCT city FROM shop",
    "SELECT DISTINCT id, name FROM shop",
    "SELECT city FROM shop GROUP BY city",
    "SELECT city, count(*) FROM shop GROUP BY city",
    "SELECT city, count(*) FROM shop GROUP BY city HAVING count(*) > 1",
    "SELECT city, count(*) FROM shop WHERE city = 'a' GROUP BY city",
    "SELECT city, count(*) FROM shop GROUP BY city HAVING city = 'a' AND count(*) > 1",
    "SELECT id, name FROM shop WHERE opened IS NOT NULL",
    "SELECT T1.name FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T2.city = 'a'",
    "SELECT T1.name, T2.city FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T2.city = 'a' AND T1.age > 2",
    "SELECT DISTINCT T2.city FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T1.age > 30",
    "SELECT T1.name FROM staff AS T1, shop AS T2 WHERE T1.shop_id = T2.id",
    "SELECT T1.name FROM staff AS T1 JOIN skill AS T2 ON T1.staff_id = T2.staff_id WHERE T2.skill = 'a'",
    "SELECT age FROM staff",
    "SELECT name FROM shop WHERE id IN (SELECT shop_id FROM staff WHERE age > 3)",
    "SELECT name FROM shop WHERE id NOT IN (SELECT shop_id FROM staff WHERE age > 3)",
    "SELECT id FROM shop WHERE id NOT IN (SELECT shop_id FROM staff)",
    "SELECT id FROM shop WHERE id IN (SELECT shop_id FROM staff)",
    "SELECT DISTINCT city FROM shop WHERE opened > 1 AND city IN (SELECT name FROM staff)",
    "SELECT name FROM shop WHERE EXISTS (SELECT * FROM staff WHERE staff.shop_id = shop.id AND age > 3)",
    "SELECT shop_id FROM staff WHERE age > 3 INTERSECT SELECT shop_id FROM staff WHERE salary < 3",
    "SELECT id FROM shop EXCEPT SELECT shop_id FROM staff",
    "SELECT name FROM staff WHERE age > 3 UNION SELECT name FROM staff WHERE salary < 3",
    "SELECT DISTINCT name FROM staff WHERE age > 3 OR salary < 3",
    "SELECT name FROM staff WHERE age > (SELECT avg(age) FROM staff)",
    "SELECT * FROM staff WHERE shop_id = 3",
    "SELECT T1.name FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id",
    "SELECT name FROM staff WHERE name LIKE '%a%'",
    "SELECT name FROM staff WHERE age = (SELECT max(age) FROM staff)",
    "SELECT shop.id, count(*) FROM shop JOIN staff ON shop.id = staff.shop_id GROUP BY shop.id",
    "SELECT name FROM shop ORDER BY id",
    "SELECT name FROM shop ORDER BY id DESC LIMIT 1",
    "SELECT T1.age FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T2.id > 3",
    "SELECT buyer FROM sale WHERE STRFTIME('%Y', day) = '2010'",
    "SELECT buyer FROM sale WHERE SUBSTR(day, 1, 4) = '2010'",
    "SELECT buyer FROM sale WHERE STRFTIME('%Y', day) > '1991'",
    "SELECT name FROM shop WHERE city LIKE 'a%' AND city <> 'ab'",
    "SELECT CAST(salary AS REAL) / age FROM staff",
    "SELECT salary / age FROM staff",
    "SELECT ROUND(AVG(age), 2) FROM staff",
    "SELECT CAST(SUM(age) AS REAL) / COUNT(staff_id) FROM staff",
    "SELECT SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END) FROM staff",
    "SELECT name, age FROM staff",
    "SELECT age, name FROM staff ORDER BY age DESC LIMIT 1",
    "SELECT T1.name FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T2.city = 'a' ORDER BY T1.age LIMIT 1",
    "SELECT name, COUNT(*) FROM staff GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT name, COUNT(*) FROM staff GROUP BY staff_id",
    "SELECT name, age, MAX(salary) FROM staff GROUP BY name",
    "SELECT name FROM shop WHERE id = (SELECT MAX(shop_id) FROM staff WHERE age > 3)",
    "SELECT name FROM staff WHERE age > 3 UNION ALL SELECT name FROM shop",
    "SELECT T1.name FROM staff AS T1 LEFT JOIN shop AS T2 ON T1.shop_id = T2.id",
    "SELECT T1.shop_id FROM staff AS T1 JOIN shop AS T2 ON T1.shop_id = T2.id WHERE T2.city = 'a'",
];

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

/// What `cargo measure rewrites 10` counted: how many pairs, how many of them the suite tells apart, and the mean share of
/// plausible databases on which they agree.
const COUNTED: &str = include_str!("counted.tsv");

/// One row of it, by the rewrite's name.
fn counted(name: &str) -> (usize, usize, Option<f64>) {
    let row = COUNTED.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    let row = row.unwrap_or_else(|| panic!("counted.tsv has no {name}; run `cargo measure rewrites 10`"));
    let cells: Vec<&str> = row.split('\t').collect();
    let [pairs, apart, share] = cells[..] else { panic!("{name}: {row:?} has not three numbers") };
    (pairs.parse().unwrap(), apart.parse().unwrap(), share.parse().ok())
}

#[test]
fn classes_are_as_counted() {
    for rewrite in all() {
        let (pairs, apart, share) = counted(rewrite.name);
        let fits = match rewrite.kind {
            Claim::Sound => apart == 0,
            Claim::Plausible => share.is_none_or(|share| share >= 0.5),
            Claim::LookAlike => share.is_some_and(|share| share < 0.5),
        };
        assert!(fits, "{} is not {}: {apart} of {pairs}, {share:?}", rewrite.name, rewrite.kind.name());
    }
}

/// The page, written out: each rewrite with its law, its class, what was counted, and the first gold that it changes.
fn document() -> String {
    let schema = schema();
    let mut page = include_str!("document.md").to_owned();
    for kind in [Claim::Sound, Claim::Plausible, Claim::LookAlike] {
        let number = all().filter(|rewrite| rewrite.kind == kind).count();
        page = page.replace(&format!("{{{}}}", kind.name()), &number.to_string());
    }
    for (family, rewrites) in FAMILIES {
        page += &format!("\n## {family}\n");
        for rewrite in rewrites {
            let (pairs, apart, share) = counted(rewrite.name);
            let share = share.filter(|_| apart > 0).map_or(String::new(), |s| format!(", share {s:.2}"));
            let rng = || ChaCha8Rng::seed_from_u64(1);
            let made = GOLDS.iter().find_map(|gold| Some((gold, apply(rewrite, &schema, gold, &mut rng())?)));
            let (gold, sql) = made.unwrap();
            let (name, kind) = (rewrite.name, rewrite.kind.name());
            let law = rewrite.law.replace('*', "\\*").replace('<', "\\<");
            page += &format!("\n**`{name}`**, {kind}: {apart} of {pairs} told apart{share}. {law}.\n");
            page += &format!("\n```sql\n{gold};\n{sql};\n```\n");
        }
    }
    page
}

/// After a change of a rewrite run `TWINQL_WRITE_DOCS=1 cargo test -p twinql-corpus --lib rewrites::`.
#[test]
fn the_page_lists_all() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rewrites.md");
    let page = document();
    if std::env::var_os("TWINQL_WRITE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == page, "docs/rewrites.md is stale");
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
