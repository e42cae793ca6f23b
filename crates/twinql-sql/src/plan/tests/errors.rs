use super::schema;
use crate::parse::parse;
use crate::plan::plan;

/// The error of a query.
fn error(sql: &str) -> String {
    match parse(sql).and_then(|parsed| plan(&schema(), &parsed)) {
        Ok(plan) => panic!("{sql} has a plan: {:?}", plan.query),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_sqlite_refuses_is_refused() {
    let table = [
        ("SELECT * FROM band", "no table named \"band\" at line 1, column 15"),
        ("SELECT height FROM singer", "no column named \"height\" in scope at line 1, column 8"),
        ("SELECT t.name FROM singer", "no column named \"t.name\" in scope"),
        ("SELECT singer.name FROM singer AS s", "no column named \"singer.name\" in scope"),
        ("SELECT `height` FROM singer", "no column named \"height\" in scope"),
        ("SELECT id FROM singer, concert", "column name \"id\" is ambiguous"),
        ("SELECT name FROM singer WHERE count(*) > 1", "misuse of an aggregate function"),
        ("SELECT max(count(*)) FROM singer", "misuse of an aggregate function"),
        ("SELECT name FROM singer ORDER BY count(*)", "misuse of an aggregate function"),
        ("SELECT count(*) AS n FROM singer WHERE n > 1", "misuse of an aggregate function"),
        (
            "SELECT count(*) FROM singer GROUP BY 1",
            "aggregate functions are not allowed in the GROUP BY clause",
        ),
        ("SELECT name FROM singer HAVING count(*) > 1", "HAVING clause on a non-aggregate query"),
        ("SELECT name FROM singer ORDER BY 2", "ORDER BY term 1 out of range"),
        ("SELECT name FROM singer GROUP BY 3", "GROUP BY term 1 out of range"),
        ("SELECT name FROM singer UNION SELECT id, name FROM singer", "have 1 and 2 columns"),
        ("SELECT name FROM singer UNION SELECT name FROM singer ORDER BY age", "does not match any column"),
        ("SELECT 1 WHERE 1 IN (SELECT id, age FROM singer)", "returns 2 column(s), 1 expected"),
        ("SELECT (SELECT id, age FROM singer)", "returns 2 columns, 1 expected"),
        ("SELECT 1 WHERE (1, 2) = 3", "a value of 2 column(s) meets one of 1"),
        ("SELECT *", "no tables specified"),
        ("SELECT t.* FROM singer", "no table named \"t\""),
        ("SELECT sum(id, age) FROM singer", "wrong number of arguments to function sum()"),
        ("SELECT sum(*) FROM singer", "wrong number of arguments to function sum()"),
        ("SELECT substr(name) FROM singer", "wrong number of arguments to function substr()"),
        ("SELECT count(DISTINCT id, age) FROM singer", "wrong number of arguments"),
        ("SELECT name FROM singer WHERE rank() OVER () = 1", "misuse of window function rank()"),
        ("SELECT sum(age) OVER w FROM singer", "no such window: w"),
        ("SELECT id FROM singer LIMIT age", "no column named \"age\" in scope"),
        ("SELECT 1 FROM singer JOIN concert USING (venue)", "cannot join using column venue"),
        ("WITH x AS (SELECT * FROM x) SELECT * FROM x", "circular reference: x"),
        ("WITH x(a, b) AS (SELECT 1) SELECT * FROM x", "1 values for 2 columns"),
        ("VALUES (1), (2, 3)", "all VALUES must have the same number of terms"),
        ("SELECT 1 FROM order", "\"order\" is a reserved word"),
        ("SELECT cast.id FROM singer AS cast", "CAST before a dot"),
        ("SELECT COUNT(ALL *) FROM singer", "* inside count()"),
        ("SELECT rank() FROM singer", "misuse of window function rank()"),
        ("SELECT rank(id) OVER () FROM singer", "wrong number of arguments to function rank()"),
        ("SELECT lower(name) OVER () FROM singer", "lower() may not be used as a window function"),
        ("SELECT lag() OVER () FROM singer", "wrong number of arguments to function lag()"),
        (
            "SELECT rank() FILTER (WHERE id > 1) OVER () FROM singer",
            "FILTER clause may only be used with aggregate",
        ),
        ("SELECT name COLLATE NOT NULL FROM singer", "\"NULL\" is a reserved word"),
        ("SELECT name INDEXED FROM singer", "INDEXED as an alias"),
        ("SELECT COUNT(*) ALL FROM singer", "\"ALL\" is a reserved word"),
        ("SELECT name NOT, age FROM singer", "\"NOT\" is a reserved word"),
        ("SELECT name AS when FROM singer", "\"when\" is a reserved word"),
        ("SELECT 1 FROM singer DISTINCT", "\"DISTINCT\" is a reserved word"),
        ("WITH values AS (SELECT 1) SELECT 2", "\"values\" is a reserved word"),
        ("SELECT 1 FROM db.singer", "no table named \"db.singer\""),
        ("SELECT x.singer.id FROM singer", "no table named \"x.singer\""),
        ("SELECT a.n FROM singer, (SELECT singer.id AS n) a", "no column named \"singer.id\""),
    ];
    for (sql, expected) in table {
        let found = error(sql);
        assert!(found.contains(expected), "{sql}\n  {found}");
    }
}

#[test]
fn what_is_not_known_is_named_with_its_place() {
    let table = [
        ("SELECT rowid FROM (SELECT 1) x", "no column named"),
        (
            "SELECT age FROM singer WHERE id = ?",
            "unsupported: parameter ? (a query is compared with its values: write the value in its place) at line 1, column 35",
        ),
    ];
    for (sql, expected) in table {
        let found = error(sql);
        assert!(found.contains(expected), "{sql}\n  {found}");
    }
}

#[test]
fn plans_are_bounded() {
    // Each expression uses the one before it twice: 2^40 scans.
    let mut sql = String::from("WITH c0 AS (SELECT id FROM singer)");
    for i in 1..40 {
        let before = i - 1;
        sql += &format!(", c{i} AS (SELECT a.id FROM c{before} a, c{before} b)");
    }
    sql += " SELECT * FROM c39";
    assert!(error(&sql).contains("too large"), "{}", error(&sql));
    // Each alias is the one before it twice.
    let mut sql = String::from("SELECT 1 WHERE 1");
    for _ in 0..35 {
        sql = format!("SELECT 1 WHERE ({}) BETWEEN 0 AND 1", sql);
    }
    let _ = parse(&sql).and_then(|parsed| plan(&schema(), &parsed));
    let chain = format!("SELECT 1{}", " + 1".repeat(1_000));
    assert!(error(&chain).contains("a chain of operators"));
    let long = format!("SELECT 1 FROM singer WHERE id = 0{}", " OR id = 1".repeat(900));
    assert!(parse(&long).and_then(|parsed| plan(&schema(), &parsed)).is_ok());
}

#[test]
fn broken_text_never_panics() {
    let sql = "WITH x(a) AS (SELECT age FROM singer WHERE name IN ('é', \"b\")) SELECT s.country, \
               count(DISTINCT a) AS n, rank() OVER (ORDER BY x'0f' || -1.5) FROM singer s LEFT JOIN \
               x ON s.age = a /* c */ GROUP BY 1 HAVING n > = 2 UNION VALUES (1, 2, 3) ORDER BY 1, n \
               DESC LIMIT 3, 4; -- end";
    let schema = schema();
    let chars: Vec<char> = sql.chars().collect();
    for from in 0..chars.len() {
        let tail: String = chars[from..].iter().collect();
        let head: String = chars[..from].iter().collect();
        let without: String = chars[..from].iter().chain(chars[from..].iter().skip(7)).collect();
        for text in [tail, head, without] {
            let _ = parse(&text).and_then(|parsed| plan(&schema, &parsed));
        }
    }
}
