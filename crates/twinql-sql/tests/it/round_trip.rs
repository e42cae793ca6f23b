//! A plan printed as SQL must answer as the query it was made from does: the planner and
//! the printer checked against SQLite on real queries and databases. Needs `TWINQL_DATA`.

use crate::common::real;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use twinql_sql::print::to_sql;
use twinql_sql::{Schema, parse, plan};

/// The rows of a query, sorted; at most `limit` of them.
fn rows(connection: &Connection, sql: &str, limit: usize) -> Result<Vec<String>, String> {
    let mut statement = connection.prepare(sql).map_err(|e| e.to_string())?;
    let width = statement.column_count();
    let mut rows = statement.query([]).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(|e| e.to_string())? {
        if found.len() == limit {
            return Err("too many rows".into());
        }
        let cells: Vec<String> = (0..width)
            .map(|i| match row.get::<_, Value>(i).unwrap() {
                Value::Real(x) => format!("Real({:.6e})", x),
                other => format!("{other:?}"),
            })
            .collect();
        found.push(cells.join("|"));
    }
    found.sort();
    Ok(found)
}

/// Interrupts what takes more than some 2 million steps of SQLite's machine.
fn limit_work(connection: &mut Connection) {
    connection.progress_handler(2_000_000, Some(|| true)).unwrap();
}

#[test]
fn plans_answer_as_their_queries_do() {
    let Some(data) = real::data() else { return };
    let every = real::number("TWINQL_SAMPLE", 61);
    let gold = real::gold(&data.join("spider/dev_gold.sql"));
    let mut lines: Vec<real::Line> = gold.iter().step_by(every.min(5)).cloned().collect();
    let predicted = real::folder(&data.join("predictions/spider_dev"), &gold);
    lines.extend(predicted.into_iter().step_by(every));
    lines.sort();
    lines.dedup();

    let (mut compared, mut differ, mut refused) = (0, Vec::new(), Vec::new());
    let mut open: Option<(String, Schema, Vec<Connection>)> = None;
    for (db, sql) in &lines {
        if open.as_ref().is_none_or(|(name, ..)| name != db) {
            let mut paths = real::files(&data.join("suites/spider_dev_20").join(db), "sqlite");
            paths.truncate(3);
            let schema = Schema::from_sqlite(&paths[0]).unwrap();
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
            let connections = paths
                .iter()
                .map(|p| {
                    let mut connection = Connection::open_with_flags(p, flags).unwrap();
                    limit_work(&mut connection);
                    connection
                })
                .collect();
            open = Some((db.clone(), schema, connections));
        }
        let (_, schema, connections) = open.as_ref().unwrap();
        if connections[0].prepare(sql).is_err() {
            continue;
        }
        let Ok(planned) = parse(sql).and_then(|parsed| plan(schema, &parsed)) else {
            continue;
        };
        let printed = to_sql(schema, &planned).unwrap();
        for connection in connections {
            let Ok(expected) = rows(connection, sql, 5_000) else {
                continue;
            };
            match rows(connection, &printed, 5_000) {
                Ok(found) if found == expected => compared += 1,
                Ok(_) => {
                    compared += 1;
                    differ.push(format!("{db}: {sql}\n      {printed}"));
                    break;
                }
                Err(why) if why.contains("interrupt") => {}
                Err(why) => {
                    refused.push(format!("{db}: {why}: {sql}\n      {printed}"));
                    break;
                }
            }
        }
    }
    eprintln!(
        "{} queries, {compared} answers compared, {} differ, {} printed texts refused",
        lines.len(),
        differ.len(),
        refused.len()
    );
    for line in differ.iter().chain(&refused).take(60) {
        eprintln!("  {line}");
    }
    assert!(compared > 0);
    // What differs are ties: LIMIT over equal keys, and bare columns.
    assert!(100 * (differ.len() + refused.len()) <= 3 * lines.len());
}

const MUSIC: &str = "
    CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INT);
    CREATE TABLE concert (id INTEGER PRIMARY KEY, venue TEXT, singer_id INT REFERENCES singer (id));
    INSERT INTO singer VALUES (1, 'Ann', 'fr', 30), (2, 'bob', 'de', NULL), (3, 'Cy', NULL, 25),
        (4, 'dan', 'fr', 25), (5, 'Eve', 'it', 41);
    INSERT INTO concert VALUES (1, 'hall', 1), (2, 'Barn', 1), (4, NULL, 3), (7, 'fr', NULL),
        (9, 'hall', 4);";

#[test]
fn constructs_answer_as_in_sqlite() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(MUSIC).unwrap();
    let schema = Schema::from_ddl("music", MUSIC.split("INSERT").next().unwrap()).unwrap();
    for sql in [
        "SELECT id, concert.id, venue FROM singer NATURAL FULL JOIN concert",
        "SELECT * FROM singer RIGHT JOIN concert USING (id)",
        "SELECT id FROM singer JOIN concert USING (id) JOIN singer AS other USING (id)",
        "SELECT id FROM singer NATURAL JOIN concert AS c NATURAL JOIN singer AS other",
        "SELECT * FROM singer FULL JOIN concert USING (id) WHERE id > 1",
        "SELECT s.name, c.venue FROM singer s LEFT JOIN concert c ON s.id = c.singer_id AND c.venue = 'hall'",
        "SELECT a.name FROM singer a, concert c JOIN singer b ON a.id < b.id AND b.id = c.singer_id",
        "SELECT x.name FROM (singer x JOIN concert y ON x.id = y.singer_id) LEFT JOIN singer z ON z.age = x.age",
        "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)",
        "SELECT name FROM singer WHERE id IN ((SELECT singer_id FROM concert WHERE id > 3))",
        "SELECT name FROM singer WHERE (id, age) IN (SELECT singer_id, 30 FROM concert)",
        "SELECT name FROM singer s WHERE NOT EXISTS (SELECT * FROM concert WHERE singer_id = s.id)",
        "SELECT name, (SELECT count(*) FROM concert WHERE singer_id = s.id) AS n FROM singer s ORDER BY n, 1",
        "SELECT country, count(*), max(age), name FROM singer GROUP BY country",
        "SELECT country, count(*) AS n FROM singer GROUP BY 1 HAVING n > 1 OR min(age) IS NULL",
        "SELECT count(*) FILTER (WHERE age > 26), sum(DISTINCT age), avg(age), total(age), group_concat(country) FROM singer",
        "SELECT max(age), name FROM singer WHERE age < 41",
        "SELECT upper(substr(name, 1, 1)) AS i, count(*) FROM singer GROUP BY i ORDER BY i DESC",
        "SELECT (SELECT max(s.age) FROM concert) FROM singer s",
        "SELECT country, (SELECT count(*) FROM concert WHERE singer_id = s.id) FROM singer s GROUP BY country",
        "SELECT DISTINCT country FROM singer ORDER BY country DESC LIMIT 2",
        "SELECT name FROM singer ORDER BY name COLLATE NOCASE LIMIT 1, 2",
        "SELECT name FROM singer ORDER BY age IS NULL, age DESC, -id LIMIT 3",
        "SELECT id FROM singer UNION SELECT singer_id FROM concert INTERSECT SELECT 3 EXCEPT SELECT 9",
        "SELECT id FROM singer UNION ALL SELECT id FROM concert ORDER BY 1 DESC LIMIT 4",
        "SELECT name AS n FROM singer UNION SELECT venue FROM concert ORDER BY n LIMIT 3 OFFSET 1",
        "WITH x(a) AS (SELECT age FROM singer), y AS (SELECT a FROM x WHERE a > 20) SELECT p.a, q.a FROM y p JOIN y q ON p.a < q.a",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, i * i FROM n",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION SELECT (i * 2) % 7 FROM n LIMIT 10) SELECT count(*) FROM n",
        "SELECT name, rank() OVER (PARTITION BY country ORDER BY age DESC), lag(name) OVER (ORDER BY id) FROM singer",
        "SELECT country, sum(count(*)) OVER w FROM singer GROUP BY country WINDOW w AS (ORDER BY country ROWS 1 PRECEDING)",
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY country ORDER BY id) AS r FROM singer) WHERE r = 1",
        "SELECT CASE country WHEN 'fr' THEN 1 WHEN 'de' THEN 2 END, CASE WHEN age > 26 THEN 'o' ELSE 'y' END FROM singer",
        "SELECT CAST(age AS REAL) / 2, age / 2, age % 7, -age, ~age, age << 1, age || 'x' FROM singer",
        "SELECT age IS TRUE, age IS NOT FALSE, age IS NULL, age NOTNULL, age IS 25, age IS NOT 25 FROM singer",
        "SELECT name FROM singer WHERE name LIKE 'a%' OR name GLOB '[a-c]*' OR name LIKE '%\\_' ESCAPE '\\'",
        "SELECT name FROM singer WHERE age BETWEEN 25 AND 30 AND NOT country BETWEEN 'a' AND 'e'",
        "SELECT name FROM singer WHERE age = '25' OR country = \"fr\" OR \"Name\" = 'bob'",
        "SELECT coalesce(country, venue, 'x'), ifnull(age, 0), nullif(age, 25), iif(age > 26, 'a', 'b'), min(age, 27) FROM singer LEFT JOIN concert ON concert.id = singer.id",
        "SELECT a.age = 25 < 2, NOT a.age = 30 AND a.id > 1 OR 0 FROM singer a",
        "SELECT rowid, oid, x'41', 1e3, .5, 0x10, 9223372036854775808, -9223372036854775808 FROM concert",
        "VALUES (1, 'a'), (2, NULL)",
        "SELECT column2, count(*) FROM (VALUES (1, 'a'), (2, 'b'), (3, 'a')) GROUP BY column2",
        "SELECT 1 WHERE 0",
        "SELECT value FROM json_each('[1,2,3]') WHERE value > 1",
        "SELECT avg(n) FROM (SELECT count(*) AS n FROM concert GROUP BY singer_id)",
        "SELECT count(*), count(country), count(DISTINCT country) FROM singer WHERE 1 = 2",
        "SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer WHERE country IS NOT NULL)",
        "SELECT venue, singer_id FROM concert GROUP BY venue, singer_id HAVING count(*) = 1",
        "SELECT t.name, t.n FROM (SELECT name, length(name) AS n FROM singer ORDER BY n LIMIT 3) t",
        "SELECT sum(age) FROM singer HAVING count(*) > 3",
        "SELECT country FROM singer GROUP BY country ORDER BY sum(age) DESC, count(*)",
        "SELECT DISTINCT age, country FROM singer WHERE country IN ('fr', 'de') OR id IN ()",
    ] {
        let expected = rows(&connection, sql, 1_000).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let planned =
            parse(sql).and_then(|parsed| plan(&schema, &parsed)).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let printed = to_sql(&schema, &planned).unwrap();
        match rows(&connection, &printed, 1_000) {
            Ok(found) => assert_eq!(found, expected, "{sql}\n  {printed}"),
            Err(why) => panic!("{why}: {sql}\n  {printed}"),
        }
    }
}

/// SQLite has no ALL and ANY; what is printed for them has their answers, NULLs included.
#[test]
fn quantified_comparisons_are_executed() {
    let schema = Schema::from_ddl("t", "CREATE TABLE a (x INTEGER); CREATE TABLE b (y INTEGER);").unwrap();
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.execute_batch(
        "CREATE TABLE a (x INTEGER); CREATE TABLE b (y INTEGER);
        INSERT INTO a VALUES (1), (2), (3), (NULL); INSERT INTO b VALUES (1), (2);",
    )
    .unwrap();
    for (sql, rows) in [
        ("SELECT x FROM a WHERE x > ALL (SELECT y FROM b)", 1),
        ("SELECT x FROM a WHERE x >= ANY (SELECT y FROM b)", 3),
        ("SELECT x FROM a WHERE NOT (x > ANY (SELECT y FROM b))", 1),
        ("SELECT x FROM a WHERE x > ALL (SELECT y FROM b WHERE y > 9)", 4),
        ("SELECT x FROM a WHERE x > ANY (SELECT y FROM b WHERE y > 9)", 0),
    ] {
        let plan = twinql_sql::plan(&schema, &twinql_sql::parse(sql).unwrap()).unwrap();
        let printed = twinql_sql::print::to_sql(&schema, &plan).unwrap();
        let count = format!("SELECT COUNT(*) FROM ({printed})");
        let found: i64 = db.query_row(&count, [], |r| r.get(0)).unwrap();
        assert_eq!(found, rows, "{sql}\n{printed}");
    }
}
