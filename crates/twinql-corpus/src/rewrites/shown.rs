//! What shows the rewrites: golds to which each of them applies, and what was counted of it.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use twinql_sql::Schema;

use super::{Rewrite, apply};

/// The schema of the golds.
pub const SHOP: &str = "\
CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, opened INTEGER, \"open hours\" REAL);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, shop_id INTEGER NOT NULL, name TEXT, age INTEGER, salary REAL,
  FOREIGN KEY (shop_id) REFERENCES shop(id));
CREATE TABLE skill (staff_id INTEGER, skill TEXT, level number, PRIMARY KEY (staff_id, skill),
  FOREIGN KEY (staff_id) REFERENCES staff(staff_id));
CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, day DATE, buyer TEXT);
";

/// Golds over [`SHOP`] that between them meet the preconditions of every rewrite.
pub const GOLDS: &[&str] = &[
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

/// What `cargo measure rewrites 10` counted.
const COUNTED: &str = include_str!("counted.tsv");

/// What was counted of a rewrite.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// Pairs that it made.
    pub pairs: usize,
    /// Those that the suite tells apart.
    pub apart: usize,
    /// The mean share of plausible databases on which they agree.
    pub share: Option<f64>,
}

/// What was counted of the rewrite of a name; none before it was counted.
pub fn counted(name: &str) -> Option<Counted> {
    let row = COUNTED.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'))?;
    let mut cells = row.split('\t');
    let mut number = || cells.next()?.parse().ok();
    let (pairs, apart) = (number()?, number()?);
    Some(Counted { pairs, apart, share: cells.next()?.parse().ok() })
}

/// The first gold that a rewrite changes, and what it makes of it.
pub fn example(rewrite: &Rewrite, schema: &Schema) -> Option<(&'static str, String)> {
    let rng = || ChaCha8Rng::seed_from_u64(1);
    GOLDS.iter().find_map(|gold| Some((*gold, apply(rewrite, schema, gold, &mut rng())?)))
}
