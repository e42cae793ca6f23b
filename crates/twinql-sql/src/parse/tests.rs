use super::*;

/// The text after the repairs and what was repaired.
fn repaired(sql: &str) -> (String, Vec<String>) {
    let parsed = parse(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let repairs = parsed.repairs.iter().map(ToString::to_string).collect();
    (parsed.sql, repairs)
}

#[test]
fn sqlite_forms_need_no_repair() {
    for sql in [
        "SELECT a FROM t",
        "SELECT a FROM t;",
        " ; SELECT a FROM t ;;  ",
        "SELECT a\r\nFROM t -- the end\r\n",
        "\u{feff}SELECT 'é', \"naïve\" FROM t",
        "SELECT a IS b, a IS NOT b, a ISNULL, a NOTNULL, a NOT NULL FROM t",
        "SELECT a FROM t WHERE a NOT GLOB 'x*' AND b NOT IN t",
        "SELECT a << 2 | b >> 1 FROM t",
        "SELECT a FROM t LIMIT 3, 5",
        "SELECT a FROM t WHERE a == 1 AND b IN ()",
        "VALUES (1, 2), (3, 4)",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "SELECT a FROM t CROSS JOIN u ON t.a = u.a",
        "SELECT 'a\\'",
    ] {
        assert_eq!(repaired(sql).1, Vec::<String>::new(), "{sql}");
    }
}

#[test]
fn repairs_are_made_and_reported() {
    let table = [
        (
            "SELECT a FROM t WHERE a > = 3 AND b ! = 2 OR c < > 1",
            "SELECT a FROM t WHERE a >= 3 AND b != 2 OR c <> 1",
            "joined the operator >= at line 1, column 25; joined the operator != at line 1, \
             column 37; joined the operator <> at line 1, column 48",
        ),
        (
            "SELECT a FROM t WHERE a = 'O\\'Brien' AND b = 'x'",
            "SELECT a FROM t WHERE a = 'O''Brien' AND b = 'x'",
            "wrote \\' as '' at line 1, column 29",
        ),
        (
            "SELECT a FROM t /* Answer the following: it's */ SELECT b FROM t",
            "SELECT a FROM t ",
            "cut \"/* Answer the following: it's */ SELECT \" at line 1, column 17",
        ),
        (
            "SELECT a FROM t; this gives all of it",
            "SELECT a FROM t",
            "cut \"; this gives all of it\" at line 1, column 16",
        ),
        (
            "SELECT a FROM t LIMIT 1 \n\n Question: how many?",
            "SELECT a FROM t LIMIT 1 \n\n ",
            "cut \"Question: how many?\" at line 3, column 2",
        ),
        ("```sql\nSELECT a FROM t\n```", "\nSELECT a FROM t\n", "removed the code fence around the query"),
        (
            "Use this query:\n```sql\nSELECT a FROM t;\n```\nIt has all.",
            "\nSELECT a FROM t;\n",
            "left out \"Use this query:\" before the query",
        ),
        ("SQL: SELECT a FROM t", " SELECT a FROM t", "left out \"SQL:\" before the query"),
        (
            "SELECT a FROM t INDEXED BY i WHERE a = 1",
            "SELECT a FROM t  WHERE a = 1",
            "left out INDEXED BY at line 1, column 17",
        ),
        ("SELECT a FROM t NOT INDEXED", "SELECT a FROM t ", "left out NOT INDEXED at line 1, column 17"),
        (
            "WITH x AS NOT MATERIALIZED (SELECT 1) SELECT * FROM x WHERE 1 > = 0",
            "WITH x AS  (SELECT 1) SELECT * FROM x WHERE 1 >= 0",
            "left out NOT MATERIALIZED at line 1, column 11; joined the operator >= at line 1, \
             column 63",
        ),
        (
            "SELECT 'é' FROM t WHERE a > = 1 # note",
            "SELECT 'é' FROM t WHERE a >= 1 ",
            "joined the operator >= at line 1, column 27; cut \"# note\" at line 1, column 33",
        ),
    ];
    for (input, output, report) in table {
        let (sql, repairs) = repaired(input);
        assert_eq!((sql.as_str(), repairs.join("; ").as_str()), (output, report));
    }
}

#[test]
fn what_is_not_one_query_is_refused() {
    let table = [
        ("", "an empty text"),
        ("  ;\n", "an empty text"),
        ("-- empty prediction", "an empty text"),
        ("DELETE FROM t", "DELETE"),
        ("drop table t; SELECT 1", "DROP"),
        ("SELECT 1; DROP TABLE t", "a second statement, DROP"),
        ("SELECT 1; SELECT 2", "a second statement, SELECT"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "a statement that writes"),
        ("PRAGMA table_info(t)", "PRAGMA"),
    ];
    for (sql, expected) in table {
        let found = expected.to_owned();
        assert_eq!(parse(sql), Err(SqlError::NotAQuery { found }), "{sql}");
    }
}

#[test]
fn what_is_not_sql_is_refused_with_its_place() {
    for sql in ["I do not know", "SELECT", "SELECT FROM WHERE", "SELECT 'a", "(", ")"] {
        let error = parse(sql).unwrap_err();
        assert!(matches!(error, SqlError::Parse { .. }), "{sql}: {error:?}");
    }
    // No half of a query is taken for the whole.
    for sql in [
        "SELECT a FROM t WHERE b ≥ 3",
        "SELECT a FROM t WHERE b ＝ 3",
        "SELECT a FROM t RETURNING b",
        "SELECT a FROM t INTO OUTFILE 'x'",
        "SELECT a FROM t WITH UR",
        "SELECT a FROM t /* all */ WHERE b >",
        "SELECT a FROM t -- all\n WHERE b >",
        "SELECT a FROM t WHERE b = 1 -- one\n -- two\n /* three */ AND",
        "SELECT a FROM t /* all */, ",
        "SELECT a FROM t WHERE b = 1 c JOIN u",
        "SELECT a FROM t u v WHERE b = 1",
        "SELECT a FROM t ORDER BY a,",
        "SELECT COUNT(*) FILTER ( FROM t",
        "SELECT COUNT(*) FILTER (b > 1) FROM t",
        "SELECT a, SUM(b) filter\n( , c FROM t",
        "SELECT COUNT(*) FILTER (",
        "SELECT COUNT(*) FILTER AS n FROM t",
        "SELECT 1 FROM t GROUP BY a HAVING COUNT(*) FILTER > 1",
    ] {
        let error = parse(sql).unwrap_err();
        assert!(matches!(error, SqlError::Parse { .. }), "{sql}: {error:?}");
    }
    // A name is none the worse for being FILTER.
    for sql in [
        "WITH filter (a) AS (SELECT 1) SELECT a FROM filter",
        "SELECT COUNT(*) FILTER FROM t",
        "SELECT 1 FROM (SELECT 1) filter JOIN t ON 1",
    ] {
        assert!(parse(sql).is_ok(), "{sql}");
    }
    let error = parse("SELECT a FROM t WHERE GROUP BY a").unwrap_err();
    assert!(error.to_string().contains("Line: 1, Column: "), "{error}");
    let error = parse("SELECT a\0 FROM t").unwrap_err();
    assert_eq!(error.to_string(), "cannot parse: a NUL byte at offset 8");
}

#[test]
fn hostile_text_is_refused_in_bounds() {
    let deep = |open: &str, middle: &str, close: &str, n: usize| {
        format!("SELECT {}{middle}{}", open.repeat(n), close.repeat(n))
    };
    for sql in [
        "x".repeat(MAX_BYTES + 1),
        deep("(", "1", ")", 5_000),
        deep("(", "1", ")", 101),
        deep("(SELECT ", "1", ")", 101),
        deep("NOT ", "1", "", 1_500),
        deep("- ", "1", "", 1_500),
        deep("1 + ", "1", "", 10_000),
        deep("CASE WHEN 1 THEN ", "1", " END", 1_000),
        deep("f(", "1", ")", 99),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(1_000)),
    ] {
        let short: String = sql.chars().take(40).collect();
        let error = parse(&sql).unwrap_err();
        assert!(matches!(error, SqlError::TooLarge { .. }), "{short}: {error}");
    }
    // Forms that a parser with backtracking may take exponential time over.
    for sql in [
        deep("1 IN (", "1", ")", 40),
        deep("1 IN ((", "1", "))", 40),
        format!("SELECT 1 FROM {}t{}", "(".repeat(45), ")".repeat(45)),
        format!("SELECT 1 FROM {}t", "(".repeat(45)),
        format!("SELECT {}", "(".repeat(90)),
    ] {
        let _ = parse(&sql);
    }
    for sql in [
        deep("1 + ", "1", "", 1_900),
        deep("1 OR ", "1", "", 1_900),
        format!("SELECT 1 IN (1{})", ", 1".repeat(5_000)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(400)),
    ] {
        parse(&sql).unwrap();
    }
}

#[test]
fn operators_bind_as_in_sqlite() {
    let table = [
        ("a = b < c", "a = (b < c)"),
        ("a < b = c", "(a < b) = c"),
        ("a IS b < c", "a IS NOT DISTINCT FROM (b < c)"),
        ("a = b IS c", "(a = b) IS NOT DISTINCT FROM c"),
        ("a LIKE b = c", "(a LIKE b) = c"),
        ("a + b || c", "a + (b || c)"),
        ("a & b + c", "a & (b + c)"),
        ("a | b & c", "(a | b) & c"),
        ("NOT a = b", "NOT (a = b)"),
        ("a AND b OR c", "(a AND b) OR c"),
        ("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"),
        ("NOT a IN (1) AND b", "(NOT (a IN (1))) AND b"),
        ("a << b + c", "a << (b + c)"),
    ];
    let body = |text: &str| {
        let sql = format!("SELECT {text} FROM t").replace(" IS NOT DISTINCT FROM ", " IS ");
        without_parentheses(&parse(&sql).unwrap())
    };
    for (text, explicit) in table {
        assert_eq!(body(text), body(explicit), "{text}");
    }
}

/// The AST's debug text with parentheses and places taken out.
fn without_parentheses(parsed: &Parsed) -> String {
    use sqlparser::ast::{Expr, VisitorMut};
    use std::ops::ControlFlow;
    struct Strip;
    impl VisitorMut for Strip {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            while let Expr::Nested(inner) = expr {
                *expr = (**inner).clone();
            }
            ControlFlow::Continue(())
        }
    }
    let mut query = parsed.query.clone();
    let _ = crate::syntax::change(&mut *query, &mut Strip);
    let text = format!("{query:?}");
    // Places differ; everything else must not.
    text.split("Span(").map(|part| part.split_once("))").map_or(part, |(_, rest)| rest)).collect()
}

#[test]
fn set_operators_are_of_one_level() {
    let display = |sql: &str| {
        fn tree(body: &SetExpr) -> String {
            match body {
                SetExpr::SetOperation { left, op, right, .. } => {
                    format!("({} {op} {})", tree(left), tree(right))
                }
                SetExpr::Query(query) => format!("[{}]", tree(&query.body)),
                other => other.to_string().replace("SELECT ", ""),
            }
        }
        tree(&parse(sql).unwrap().query.body)
    };
    let table = [
        ("SELECT a UNION SELECT b INTERSECT SELECT c", "((a UNION b) INTERSECT c)"),
        (
            "SELECT a INTERSECT SELECT b UNION SELECT c EXCEPT SELECT d INTERSECT SELECT e",
            "((((a INTERSECT b) UNION c) EXCEPT d) INTERSECT e)",
        ),
        ("SELECT a UNION (SELECT b INTERSECT SELECT c)", "(a UNION [(b INTERSECT c)])"),
        ("SELECT * FROM (SELECT a UNION SELECT b INTERSECT SELECT c)", "* FROM (a UNION b INTERSECT c)"),
    ];
    for (sql, expected) in table {
        assert_eq!(display(sql), expected);
    }
}
