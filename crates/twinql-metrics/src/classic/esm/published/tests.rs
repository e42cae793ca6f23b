use twinql_sql::Schema;

use super::{esm_plus_published, exact_set_match};

const DDL: &str = "
    CREATE TABLE stadium (id INTEGER PRIMARY KEY, name TEXT, city TEXT, seats INTEGER);
    CREATE TABLE concert (cid INTEGER PRIMARY KEY, stadium_id INTEGER NOT NULL REFERENCES stadium(id), year INTEGER);
    CREATE TABLE staff (sid INTEGER PRIMARY KEY, boss INTEGER NOT NULL REFERENCES staff(sid), role TEXT);
";

fn schema() -> Schema {
    twinql_sql::schema::read_ddl("stadium", DDL).unwrap()
}

#[test]
fn spiders_oddities() {
    let schema = schema();
    for (gold, pred, same) in [
        // Values, DISTINCT, how many rows LIMIT keeps and conditions of joins are not compared.
        ("SELECT name FROM stadium WHERE id = 3", "SELECT name FROM stadium WHERE id = 'x'", true),
        ("SELECT DISTINCT name FROM stadium", "SELECT name FROM stadium", true),
        ("SELECT count(DISTINCT name) FROM stadium", "SELECT count(name) FROM stadium", true),
        ("SELECT name FROM stadium LIMIT 1", "SELECT name FROM stadium LIMIT 3", true),
        ("SELECT name FROM stadium LIMIT 1", "SELECT name FROM stadium", false),
        (
            "SELECT T1.name FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id",
            "SELECT T2.name FROM concert AS T1 JOIN stadium AS T2 ON T1.cid = T2.seats",
            true,
        ),
        // A foreign key is its primary key where both tables are there.
        (
            "SELECT T1.id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id",
            "SELECT T2.stadium_id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id",
            true,
        ),
        ("SELECT count(*) FROM stadium", "SELECT count(*) FROM concert", false),
        // The last direction counts for all keys.
        (
            "SELECT name FROM stadium ORDER BY city DESC, name ASC",
            "SELECT name FROM stadium ORDER BY city, name",
            true,
        ),
        // In a subquery values are not compared either, but DISTINCT is; in FROM, both are.
        (
            "SELECT name FROM stadium WHERE id IN (SELECT stadium_id FROM concert WHERE year = 1)",
            "SELECT name FROM stadium WHERE id IN (SELECT stadium_id FROM concert WHERE year = 2)",
            true,
        ),
        (
            "SELECT name FROM stadium WHERE id IN (SELECT stadium_id FROM concert)",
            "SELECT name FROM stadium WHERE id IN (SELECT DISTINCT stadium_id FROM concert)",
            false,
        ),
        (
            "SELECT count(*) FROM (SELECT name FROM stadium WHERE id = 3)",
            "SELECT count(*) FROM (SELECT name FROM stadium WHERE id = 4)",
            false,
        ),
        // AND and OR are compared as sets.
        (
            "SELECT name FROM stadium WHERE id = 1 AND seats = 2 OR city = 'a'",
            "SELECT name FROM stadium WHERE id = 1 OR seats = 2 AND city = 'a'",
            true,
        ),
        // What stands behind OR is lost where a column is compared with a column.
        (
            "SELECT name FROM stadium WHERE name = city OR id = 1",
            "SELECT name FROM stadium WHERE name = city",
            true,
        ),
        // The tokeniser parts `*` from what it touches.
        ("SELECT seats*id FROM stadium", "SELECT seats * id FROM stadium", true),
        // What twinql refuses and the script reads: an aggregate in WHERE, an ambiguous column, ORDER BY before UNION.
        ("SELECT name FROM stadium WHERE count(*) > 1", "SELECT name FROM stadium WHERE count(*) > 2", true),
        (
            "SELECT T1.name FROM stadium AS T1 JOIN stadium AS T2 ON T1.id = T2.id",
            "SELECT name FROM stadium AS T1 JOIN stadium AS T2 ON T1.id = T2.id",
            true,
        ),
        (
            "SELECT name FROM stadium ORDER BY id UNION SELECT name FROM stadium",
            "SELECT name FROM stadium ORDER BY id UNION SELECT name FROM stadium",
            true,
        ),
    ] {
        assert_eq!(exact_set_match(&schema, gold, pred).score == 1.0, same, "{gold} / {pred}");
    }
}

#[test]
fn what_spider_cannot_read() {
    let schema = schema();
    for sql in [
        "SELECT s.name FROM stadium s",
        "SELECT T1.name FROM stadium AS T1 LEFT JOIN concert AS T2 ON T1.id = T2.stadium_id",
        "SELECT T1.name FROM stadium AS T1 JOIN concert AS T2 ON T1.id=T2.stadium_id",
        "SELECT name FROM stadium, concert",
        "SELECT name FROM stadium WHERE id IN (1, 2)",
        "SELECT name FROM stadium WHERE id IS NOT NULL",
        "SELECT name FROM stadium WHERE (id = 1 OR id = 2)",
        "SELECT name AS n FROM stadium",
        "SELECT name FROM stadium WHERE id <> 1",
        "SELECT a + b + c FROM stadium",
        "SELECT CASE WHEN id = 1 THEN 2 END FROM stadium",
        "WITH x AS (SELECT name FROM stadium) SELECT name FROM x",
        "SELECT name FROM stadium UNION ALL SELECT name FROM stadium",
        "SELECT name FROM stadium WHERE name = 'it''s'",
        "",
        "SELECT",
        "((((((",
    ] {
        let scored = exact_set_match(&schema, sql, sql);
        assert_eq!(scored.score, 0.0, "{sql}");
        assert!(scored.details.contains_key("unread"), "{sql}");
    }
}

/// What the script gets wrong, and `esm+` does not repeat.
#[test]
fn faults_of_the_esm_plus_script() {
    let schema = schema();
    for (gold, pred, same) in [
        (
            "SELECT name FROM stadium WHERE id = (SELECT min(id) FROM stadium)",
            "SELECT name FROM stadium WHERE id = (SELECT max(id) FROM stadium)",
            true,
        ),
        (
            "SELECT T1.id FROM stadium AS T1 LEFT JOIN concert AS T2 ON T1.id = T2.stadium_id",
            "SELECT stadium_id FROM concert",
            true,
        ),
        (
            "SELECT year FROM concert WHERE stadium_id = (SELECT id FROM stadium WHERE city = 'a')",
            "SELECT T1.year FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.id WHERE T2.city = 'a'",
            true,
        ),
        ("SELECT name FROM stadium WHERE id IN (1,2)", "SELECT name FROM stadium WHERE id IN (1,2)", false),
        (
            "SELECT name FROM stadium WHERE id IN (1, 2)",
            "SELECT name FROM stadium WHERE id = 1 OR id = 2",
            true,
        ),
        // A join of a table with itself only looks its key up, whatever of it is used.
        (
            "SELECT T2.role FROM staff AS T1 JOIN staff AS T2 ON T1.boss = T2.sid",
            "SELECT role FROM staff",
            true,
        ),
        // Of two columns in joins one is rewritten, that of the later class: of `stadium_id` and `id` neither is.
        (
            "SELECT T1.name, T1.seats - T1.id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id AND T1.seats = T2.year",
            "SELECT T1.name, T2.year - T1.id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id AND T1.seats = T2.year",
            true,
        ),
        (
            "SELECT T1.name, T1.seats - T1.id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id AND T1.seats = T2.year",
            "SELECT T1.name, T1.seats - T2.stadium_id FROM stadium AS T1 JOIN concert AS T2 ON T1.id = T2.stadium_id AND T1.seats = T2.year",
            false,
        ),
        // An alias may be another table's name.
        ("SELECT year FROM concert stadium", "SELECT stadium.year FROM concert stadium", true),
        // Unlike Spider's it compares these.
        ("SELECT name FROM stadium LIMIT 1", "SELECT name FROM stadium LIMIT 3", false),
        ("SELECT DISTINCT name FROM stadium", "SELECT name FROM stadium", false),
        ("SELECT name FROM stadium WHERE id = 3", "SELECT name FROM stadium WHERE id = 4", false),
        ("SELECT s.name FROM stadium s", "SELECT name FROM stadium", true),
    ] {
        assert_eq!(esm_plus_published(&schema, gold, pred).score == 1.0, same, "{gold} / {pred}");
    }
}

#[test]
fn nothing_makes_it_panic() {
    let schema = schema();
    let nested =
        |n: usize| format!("{}1{}", "SELECT name FROM stadium WHERE id IN (".repeat(n), ")".repeat(n));
    let texts = [
        nested(500),
        "SELECT name FROM stadium UNION ".repeat(300),
        "limit".to_owned(),
        "as as as".to_owned(),
        "SELECT name AS".to_owned(),
        "SELECT * FROM stadium INTERSECT SELECT * FROM stadium".to_owned(),
        "SELECT DISTINCT * FROM stadium".to_owned(),
        "SELECT name FROM stadium WHERE id BETWEEN 1".to_owned(),
        "SELECT name FROM stadium WHERE id = 1 AND".to_owned(),
        "SELECT T1.name FROM stadium AS T1 JOIN stadium AS T2 ON T1.id = 5".to_owned(),
        "from from ( ( select".to_owned(),
        "\u{1} ' \" é 😀".to_owned(),
    ];
    for gold in &texts {
        for pred in &texts {
            for score in [exact_set_match, esm_plus_published] {
                let score = score(&schema, gold, pred).score;
                assert!(score == 0.0 || score == 1.0);
            }
        }
    }
}
