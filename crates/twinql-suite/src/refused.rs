//! What SQLite refuses has no form that is equal to a gold's: a form is all that says yes without looking at any row.

use twinql_sql::{Schema, Semantics, canonicalize, lacking, parse};

use crate::execute::{Limits, Sandbox};
use crate::testing::schema;

const GOLDS: [&str; 12] = [
    "SELECT COUNT(*) FROM singer",
    "SELECT name, AVG(age) FROM singer WHERE age > 20 AND country = 'France' GROUP BY name HAVING COUNT(*) > 2 ORDER BY name DESC",
    "SELECT s.name FROM singer AS s JOIN concert AS c ON s.id = c.singer_id WHERE c.year IN (2014, 2015) OR c.theme LIKE '%rock%' ORDER BY s.age LIMIT 3",
    "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert WHERE year BETWEEN 2000 AND 2010)",
    "SELECT country FROM singer WHERE age > 40 UNION SELECT country FROM singer WHERE age < 30",
    "SELECT DISTINCT country FROM singer WHERE EXISTS (SELECT 1 FROM concert WHERE singer_id = singer.id)",
    "WITH n AS (SELECT singer_id AS k, COUNT(*) AS c FROM concert GROUP BY singer_id) SELECT k FROM n WHERE c = (SELECT MAX(c) FROM n)",
    "SELECT name, RANK() OVER (PARTITION BY country ORDER BY age DESC) FROM singer",
    "SELECT COUNT(*) FILTER (WHERE age > 3), SUM(CASE WHEN country IS NOT NULL AND age < 9 THEN 1 ELSE 0 END) FROM singer",
    "SELECT CAST(COUNT(theme) AS REAL) * 100 / NULLIF(COUNT(*), 0) FROM concert WHERE theme IS NOT NULL",
    "SELECT k FROM (SELECT country AS k, MAX(age) AS n FROM singer GROUP BY country) AS d WHERE d.n > 4",
    "SELECT LOWER(name) || '-' || country, strftime('%Y', '2014-01-31') FROM singer LEFT JOIN concert ON singer.id = singer_id",
];

/// What is put before a word of a gold: SQLite's keywords, those of other dialects that the parser knows, signs.
const INSERTED: &str = "( ) , . ; * + - || ~ & [ ] 1 'x' \"x\" x ALL AND ANY ARRAY AS ASC AT BETWEEN BY CASE CAST CHECK COLLATE \
    CONNECT CROSS CUBE CURRENT DATE DEFAULT DESC DISTINCT ELSE END ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FETCH FILTER FINAL FIRST \
    FOR FROM FULL GLOBAL GROUP HAVING IF IGNORE ILIKE IN INDEXED INNER INTERVAL INTO IS ISNULL JOIN LAST LATERAL LEFT LIKE LIMIT \
    LOCK MAP MATERIALIZED MINUS NATURAL NEXT NO NOT NOTNULL NULL NULLS OF OFFSET ON ONLY OR ORDER OUTER OVER OVERLAPS PARTITION \
    PERCENT PIVOT PREWHERE PRIMARY PRIOR QUALIFY RANGE RECURSIVE REGEXP RESPECT RETURNING RIGHT ROLLUP ROW ROWS SAMPLE SELECT SETS \
    SETTINGS SHARE SIMILAR SKIP SOME START STRUCT TABLE TABLESAMPLE TEMPORARY THEN TIES TIME TIMESTAMP TO TOP TRUE UNION UNIQUE \
    UNNEST UNPIVOT UPDATE USING VALUES VIEW WHEN WHERE WINDOW WITH WITHIN WITHOUT ZONE";

/// The texts that are accepted as the gold in other words, and that SQLite does not compile.
fn accepted(schema: &Schema, sandbox: &Sandbox, gold: &str) -> Vec<String> {
    let semantics = Semantics::default();
    let form = canonicalize(schema, gold, &semantics).unwrap().plan.query;
    let words: Vec<&str> = gold.split(' ').collect();
    let mut found = Vec::new();
    let mut check = |words: &[&str]| {
        let text = words.join(" ");
        let same = parse(&text).is_ok_and(|parsed| parsed.repairs.is_empty() && lacking(&parsed).is_none())
            && canonicalize(schema, &text, &semantics).is_ok_and(|other| other.plan.query == form);
        if same && let Err(error) = sandbox.prepare(&text) {
            found.push(format!("{text}: {error}"));
        }
    };
    for at in 0..=words.len() {
        let (before, after) = words.split_at(at);
        for inserted in INSERTED.split_whitespace() {
            check(&[before, &[inserted], after].concat());
        }
        for to in at + 1..=words.len().min(at + 4) {
            check(&[before, &words[to..]].concat());
        }
    }
    found
}

#[test]
fn nothing_that_sqlite_refuses_has_the_form_of_a_gold() {
    let schema = schema();
    let sandbox = Sandbox::new(&schema, Limits::default()).unwrap();
    // Signs stand apart, so that words are put between them too.
    let apart =
        |gold: &str| gold.replace('(', "( ").replace(')', " )").replace(',', " ,").replace('.', " . ");
    let found: Vec<String> =
        GOLDS.iter().flat_map(|gold| accepted(&schema, &sandbox, &apart(gold))).collect();
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

/// What other dialects have, or newer parsers.
const FOREIGN: [&str; 62] = [
    "SELECT SUBSTRING(name FROM 1 FOR 2) FROM singer",
    "SELECT SUBSTRING(name FROM 2) FROM singer",
    "SELECT POSITION('a' IN name) FROM singer",
    "SELECT EXTRACT(YEAR FROM theme) FROM concert",
    "SELECT TRIM(BOTH ' ' FROM name) FROM singer",
    "SELECT TRIM(LEADING FROM name) FROM singer",
    "SELECT OVERLAY(name PLACING 'x' FROM 1) FROM singer",
    "SELECT CEIL(age TO DAY) FROM singer",
    "SELECT name FROM singer WHERE name ILIKE 'a'",
    "SELECT name FROM singer WHERE name SIMILAR TO 'a'",
    "SELECT name FROM singer WHERE name RLIKE 'a'",
    "SELECT name FROM singer WHERE name ~ 'a'",
    "SELECT name FROM singer WHERE name LIKE ANY ('a')",
    "SELECT age::TEXT FROM singer",
    "SELECT TRY_CAST(age AS TEXT) FROM singer",
    "SELECT CONVERT(age, TEXT) FROM singer",
    "SELECT CAST(age AS TEXT FORMAT 'x') FROM singer",
    "SELECT ARRAY[1, 2]",
    "SELECT name[1] FROM singer",
    "SELECT theme AT TIME ZONE 'UTC' FROM concert",
    "SELECT age XOR 1 FROM singer",
    "SELECT age DIV 2 FROM singer",
    "SELECT age && 1 FROM singer",
    "SELECT age ^ 2 FROM singer",
    "SELECT name FROM singer WHERE age = ANY (SELECT year FROM concert)",
    "SELECT name FROM singer WHERE age > ALL (SELECT year FROM concert)",
    "SELECT name FROM singer WHERE age = SOME (SELECT year FROM concert)",
    "SELECT name FROM singer WHERE age IS UNKNOWN",
    "SELECT name FROM singer FETCH FIRST 3 ROWS ONLY",
    "SELECT TOP 3 name FROM singer",
    "SELECT name FROM singer LIMIT ALL",
    "SELECT name FROM singer OFFSET 2",
    "SELECT name FROM singer LIMIT 3 BY name",
    "SELECT name FROM singer FOR UPDATE",
    "SELECT DISTINCT ON (name) name FROM singer",
    "SELECT name FROM singer QUALIFY ROW_NUMBER() OVER (ORDER BY age) = 1",
    "SELECT country, COUNT(*) FROM singer GROUP BY ROLLUP (country)",
    "SELECT country, COUNT(*) FROM singer GROUP BY CUBE (country)",
    "SELECT country, COUNT(*) FROM singer GROUP BY GROUPING SETS ((country), ())",
    "SELECT country, COUNT(*) FROM singer GROUP BY country WITH ROLLUP",
    "SELECT country, COUNT(*) FROM singer GROUP BY ALL",
    "SELECT country FROM singer GROUP BY ()",
    "SELECT country FROM singer EXCEPT ALL SELECT country FROM singer",
    "SELECT country FROM singer INTERSECT ALL SELECT country FROM singer",
    "SELECT country FROM singer MINUS SELECT country FROM singer",
    "SELECT * EXCEPT (name) FROM singer",
    "SELECT * EXCLUDE (name) FROM singer",
    "SELECT s.* AS x FROM singer AS s",
    "SELECT name FROM singer AS s (a, b)",
    "SELECT a FROM (SELECT name FROM singer) AS s (a)",
    "SELECT name FROM singer TABLESAMPLE BERNOULLI (10)",
    "SELECT name FROM ONLY singer",
    "FROM singer SELECT name",
    "SELECT name, FROM singer",
    "(SELECT name FROM singer) UNION (SELECT name FROM singer)",
    "(SELECT name FROM singer)",
    "SELECT name FROM singer LEFT SEMI JOIN concert ON id = singer_id",
    "SELECT name FROM singer LEFT ANTI JOIN concert ON id = singer_id",
    "SELECT name FROM singer STRAIGHT_JOIN concert",
    "SELECT IF(age > 3, 1, 0) FROM singer ORDER BY ALL",
    "SELECT STRING_AGG(name, ',') WITHIN GROUP (ORDER BY age) FROM singer",
    "SELECT COUNT(DISTINCT name, age), YEAR('2014-01-31'), NOW(), CONCAT_WS(name) FROM singer",
];

#[test]
fn what_other_dialects_have_is_no_query_where_sqlite_refuses_it() {
    let schema = schema();
    let sandbox = Sandbox::new(&schema, Limits::default()).unwrap();
    let planned = |sql: &str| {
        parse(sql).is_ok_and(|parsed| parsed.repairs.is_empty() && lacking(&parsed).is_none())
            && canonicalize(&schema, sql, &Semantics::default()).is_ok()
    };
    let found: Vec<&str> =
        FOREIGN.into_iter().filter(|sql| sandbox.prepare(sql).is_err() && planned(sql)).collect();
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}
