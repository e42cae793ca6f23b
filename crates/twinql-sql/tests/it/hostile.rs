//! Deep and huge text gets an answer or an error in bounded time and on an ordinary
//! thread's stack (2 MB), all the way: parse, plan, normalise, print, explain.

use std::fmt::Write as _;
use std::time::Instant;

use twinql_sql::{
    Canonical, Dialect, Schema, Semantics, SqlError, Stopped, explain, normalize, parse_in, plan, print,
};

fn schema() -> Schema {
    let ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
        CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id));";
    Schema::from_ddl("d", ddl).unwrap()
}

fn wrapped(open: &str, middle: &str, close: &str, n: usize) -> String {
    format!("SELECT {}{middle}{}", open.repeat(n), close.repeat(n))
}

fn chain(n: usize, separator: &str) -> String {
    let terms: Vec<String> = (0..n).map(|i| format!("a = {i}")).collect();
    format!("SELECT id FROM t WHERE {}", terms.join(separator))
}

/// Each WITH reads the one before it `times` times.
fn with(n: usize, times: usize) -> String {
    let mut sql = String::from("WITH w0 AS (SELECT id FROM t)");
    for i in 1..n {
        let from: Vec<String> = (0..times).map(|k| format!("w{} AS x{k}", i - 1)).collect();
        let _ = write!(sql, ", w{i} AS (SELECT x0.id FROM {})", from.join(", "));
    }
    let _ = write!(sql, " SELECT * FROM w{}", n - 1);
    sql
}

/// What has to be read or refused in bounded time and memory. One list, and so longer than functions should be: each line
/// is a case of its own.
fn inputs() -> Vec<(&'static str, String)> {
    let repeat = |head: &str, part: &str, n: usize| format!("{head}{}", part.repeat(n));
    let mut all = vec![
        ("parentheses, 100,000", wrapped("(", "1", ")", 100_000)),
        ("open parentheses, 60,000", "(".repeat(60_000)),
        ("a megabyte", format!("SELECT '{}'", "x".repeat(1 << 20))),
        ("UNION, 5,000 arms", repeat("SELECT id FROM t", " UNION SELECT id FROM t", 5_000)),
        ("UNION, 500 arms", repeat("SELECT id FROM t", " UNION SELECT id FROM t", 500)),
        ("IN, 100,000 items", format!("SELECT 1 FROM t WHERE a IN (1{})", ", 1".repeat(100_000))),
        (
            "IN, 10,000 items",
            format!(
                "SELECT 1 FROM t WHERE a IN ({})",
                (0..10_000).map(|i| i.to_string()).collect::<Vec<_>>().join(",")
            ),
        ),
        ("AND, 10,000 terms", chain(10_000, " AND ")),
        ("OR, 10,000 terms", chain(10_000, " OR ")),
        ("AND, 990 terms", chain(990, " AND ")),
        ("OR, 990 terms", chain(990, " OR ")),
        ("AND and OR in turn", chain(400, " AND a = 7 OR ")),
        ("+, 10,000 terms", repeat("SELECT a", " + a", 10_000)),
        ("+, 190 terms", repeat("SELECT a", " + a", 190)),
        ("||, 190 terms", repeat("SELECT b", " || b", 190)),
        ("joins, 500", repeat("SELECT 1 FROM t", " JOIN t AS x ON 1", 500)),
        ("cross joins, 120", (0..120).fold("SELECT 1 FROM t".into(), |s, i| format!("{s}, t AS x{i}"))),
        ("outer joins, 100", {
            let mut sql = String::from("SELECT x0.id FROM t AS x0");
            for i in 1..100 {
                let _ = write!(sql, " LEFT JOIN u AS x{i} ON x{i}.id = x{}.id", i - 1);
            }
            sql
        }),
        ("outputs, 20,000", repeat("SELECT a", ", a", 20_000)),
        ("stars, 5,000", repeat("SELECT t.*", ", t.*", 5_000) + " FROM t"),
        ("ORDER BY, 3,000 keys", repeat("SELECT a FROM t ORDER BY a", ", b", 3_000)),
        ("GROUP BY, 3,000 keys", repeat("SELECT a FROM t GROUP BY a", ", b", 3_000)),
        ("CASE, 900 branches", repeat("SELECT CASE", " WHEN a THEN 1", 900) + " END FROM t"),
        ("VALUES, 8,000 rows", repeat("VALUES (1)", ", (1)", 8_000)),
        ("WITH, 40 that double", with(40, 2)),
        ("WITH, 300 in a chain", with(300, 1)),
        ("WITH, 60 in a chain", with(60, 1)),
        ("aliases that double", {
            let mut sql = String::from("SELECT a AS c0");
            for i in 1..30 {
                let _ = write!(sql, ", c{0} + c{0} AS c{i}", i - 1);
            }
            sql + " FROM t"
        }),
        ("semicolons, 60,000", ";".repeat(60_000)),
        ("texts after the query", repeat("SELECT a FROM t", "; x -- y /* z */ > = 1", 1_500)),
        ("quotes, 30,000", repeat("SELECT ", "'a' \"", 12_000)),
        ("backslashes", repeat("SELECT '", "\\'", 20_000)),
        ("dots", repeat("SELECT a", ".a", 20_000)),
        ("brackets", repeat("SELECT a", "[1", 5_000)),
        ("casts", repeat("SELECT a", "::int", 5_000)),
        ("COLLATE", repeat("SELECT a", " COLLATE nocase", 1_500)),
        ("IS NULL", repeat("SELECT a", " IS NULL", 1_500)),
        ("BETWEEN", repeat("SELECT a", " BETWEEN 1 AND 2", 600)),
        ("a fence", repeat("```sql\nSELECT a FROM t", "```", 10_000)),
        (
            "recursion",
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r AS a, r AS b"
                .into(),
        ),
    ];
    for n in [10, 24, 40, 49, 99, 1_000] {
        all.push(("parentheses", wrapped("(", "1", ")", n)));
        all.push(("scalar subqueries", wrapped("(SELECT ", "1", ")", n)));
        all.push(("NOT", wrapped("NOT ", "a", "", n) + " FROM t"));
        all.push(("minus", wrapped("- ", "a", "", n) + " FROM t"));
        all.push(("CASE in CASE", wrapped("CASE WHEN a THEN ", "1", " END", n) + " FROM t"));
        all.push(("CASE in ELSE", wrapped("CASE WHEN a THEN 1 ELSE ", "1", " END", n) + " FROM t"));
        all.push(("functions", wrapped("coalesce(a, ", "1", ")", n) + " FROM t"));
        all.push(("IN in IN", wrapped("1 IN (", "1", ")", n)));
        all.push(("CAST", wrapped("CAST(", "1", " AS TEXT)", n)));
        all.push((
            "derived tables",
            format!(
                "SELECT * FROM {}t{}",
                "(SELECT * FROM ".repeat(n),
                (0..n).map(|i| format!(") AS x{i}")).collect::<String>()
            ),
        ));
        all.push((
            "EXISTS",
            format!(
                "SELECT 1 FROM t WHERE {}1{}",
                "EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id AND ".repeat(n),
                ")".repeat(n)
            ),
        ));
        all.push((
            "IN (SELECT)",
            format!(
                "SELECT 1 FROM t WHERE {}1{}",
                "a IN (SELECT t_id FROM u WHERE ".repeat(n),
                ")".repeat(n)
            ),
        ));
        all.push(("joins in parentheses", format!("SELECT 1 FROM {}t{}", "(".repeat(n), ")".repeat(n))));
        all.push((
            "UNION in UNION",
            format!("{}SELECT 1{}", "SELECT 1 UNION SELECT * FROM (".repeat(n), ")".repeat(n)),
        ));
    }
    all
}

/// The whole way of a text.
fn answer(schema: &Schema, sql: &str, dialect: Dialect) -> Result<Canonical, SqlError> {
    let plan = plan(schema, &parse_in(sql, dialect)?)?;
    let _ = print::to_sql(schema, &plan);
    let canonical = normalize(schema, plan, &Semantics::default());
    let _ = print::to_sql(schema, &canonical.plan);
    explain::tree(schema, &canonical.plan);
    assert_eq!(canonical.complete, canonical.stopped.is_none());
    Ok(canonical)
}

#[test]
fn deep_and_huge_texts_have_an_answer_or_an_error() {
    let schema = schema();
    let mut answered = 0;
    for (name, sql) in inputs() {
        for dialect in Dialect::ALL {
            if std::env::var_os("TWINQL_TRACE").is_some() {
                eprintln!("{name}, {dialect}, {} bytes", sql.len());
            }
            let start = Instant::now();
            // Behind the parser all dialects are one.
            let result = match dialect {
                Dialect::Sqlite => answer(&schema, &sql, dialect).map(|c| c.stopped),
                other => parse_in(&sql, other).map(|_| None),
            };
            answered += usize::from(result.is_ok());
            let time = start.elapsed().as_millis();
            if time > 100 {
                eprintln!("{name} ({} bytes), {dialect}: {time} ms, {:?}", sql.len(), result);
            }
        }
    }
    // Bounds that refuse everything would be no answer either.
    assert!(answered > 150, "{answered}");
}

#[test]
fn what_is_too_large_says_so() {
    let schema = schema();
    let table = [
        (wrapped("(", "1", ")", 100_000), "bytes"),
        (wrapped("(", "1", ")", 1_000), "the nesting of parentheses"),
        (format!("SELECT '{}'", "x".repeat(1 << 20)), "bytes"),
        (
            format!("SELECT id FROM t{}", " UNION SELECT id FROM t".repeat(1_000)),
            "the number of set operators is 1000, the limit is 500",
        ),
        (chain(3_000, " AND "), "the number of operators"),
        (with(40, 2), "the number of nodes of the plan"),
    ];
    for (sql, expected) in table {
        let error = answer(&schema, &sql, Dialect::Sqlite).unwrap_err();
        assert!(matches!(error, SqlError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn what_stopped_a_normalisation_is_said() {
    let schema = schema();
    let of = |sql: &str| answer(&schema, sql, Dialect::Sqlite).unwrap().stopped;
    assert_eq!(of("SELECT a FROM t"), None);
    assert_eq!(of(&format!("SELECT a{} FROM t", " + a".repeat(190))), Some(Stopped::TooDeep));
    let wide = format!("SELECT 1 FROM t WHERE a IN ({}a)", "a, ".repeat(20_000));
    assert!(matches!(of(&wide), Some(Stopped::TooLarge { nodes: 20_001.. })));
    let alike = "SELECT 1 FROM t AS a, t AS b, t AS c, t AS d, t AS e, t AS f WHERE a.a < b.a AND b.a < c.a AND c.a < d.a";
    let why = of(alike);
    assert!(why.is_none() || why == Some(Stopped::LookAlikes), "{why:?}");
    let text = Stopped::Passes { rule: "a-rule" }.to_string();
    assert_eq!(text, "after 24 passes the rule a-rule still changed something");
}
