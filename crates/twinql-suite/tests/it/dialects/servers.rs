//! Expressions of PostgreSQL and MySQL with what PostgreSQL 15 and MariaDB 10.11 answered.

use twinql_sql::{Dialect, Schema, Value};
use twinql_suite::Database;

use super::executed::{give, rows};

const POSTGRES: &[(&str, &str)] = &[
    ("EXTRACT(YEAR FROM DATE '2025-03-01') / 2", "1012.5"),
    ("DATE_PART('year', DATE '2025-03-01') / 2", "1012.5"),
    ("EXTRACT(EPOCH FROM TIMESTAMP '2024-01-01 12:00:00') / 86400", "19723.5"),
    ("TO_CHAR(DATE '2025-03-01', 'YYYY')::int / 2", "1012"),
    ("ROUND(2.5::float8)", "2.0"),
    ("ROUND(3.5::float8)", "4.0"),
    ("ROUND(2.5)", "3.0"),
    ("SUM(c) / 2 FROM (SELECT COUNT(*) AS c FROM (VALUES (1), (2), (3)) AS v (x)) AS q", "1.5"),
    ("SUM(x) / 2 FROM (VALUES (1), (2)) AS v (x)", "1"),
    ("SUM(x) OVER () / 2 FROM (VALUES (3)) AS v (x)", "1"),
    ("5 # 3", "6"),
    ("NULL # 3", "NULL"),
    ("ASCII('abc')", "97"),
    ("ASCII('')", "0"),
    ("STARTS_WITH('abc', 'ab')", "1"),
    ("STARTS_WITH('a', 'ab')", "0"),
    ("CBRT(27.0)", "3.0"),
    ("TO_DATE('05 Dec 2000', 'DD Mon YYYY')", "2000-12-05"),
    ("FLOOR(7 / 2) / 2", "1.5"),
    ("(STRING_TO_ARRAY('a,b', ','))[2]", "b"),
    ("(STRING_TO_ARRAY('a,b', ','))[3]", "NULL"),
    ("(ARRAY[4, 5])[1]", "4"),
    ("3 = ANY (SELECT x FROM (VALUES (1), (2)) AS v (x))", "0"),
    ("3 <> ALL (SELECT x FROM (VALUES (1), (NULL)) AS v (x))", "NULL"),
    ("SUM(x) FROM UNNEST(ARRAY[1, 2, 3]) AS x", "6"),
    ("m FROM (VALUES (1), (2)) AS t (n) CROSS JOIN LATERAL (SELECT n * 2 AS m) AS x WHERE n = 2", "4"),
    ("m FROM (VALUES (3)) AS t (n) LEFT JOIN LATERAL (SELECT n * 2 AS m) AS x ON TRUE", "6"),
    (
        "STRING_AGG(k || v, ',' ORDER BY k DESC) FROM (VALUES (1, 2)) AS t (a, b) CROSS JOIN LATERAL (VALUES ('a', a), ('b', b)) AS x (k, v)",
        "b2,a1",
    ),
];

const MYSQL: &[(&str, &str)] = &[
    ("FIELD('B', 'a', 'b')", "2"),
    ("FIELD(NULL, 'a')", "0"),
    ("ELT(2, 'x', 'y')", "y"),
    ("ELT(3, 'x', 'y')", "NULL"),
    ("STRCMP('a', 'B')", "-1"),
    ("STRCMP('a', 'A')", "0"),
    ("STRCMP(NULL, 'A')", "NULL"),
    ("TO_DAYS('1970-01-01')", "719528"),
    ("FROM_DAYS(738000)", "2020-07-29"),
    ("MAKEDATE(2024, 60)", "2024-02-29"),
    ("MAKEDATE(2024, 0)", "NULL"),
    ("PERIOD_DIFF(202402, 202310)", "4"),
    ("7 MOD 4", "3"),
    ("6 ^ 3", "5"),
    ("FORMAT(12.25, 1)", "12.3"),
    ("BINARY 'a' = 'A'", "0"),
    ("BINARY 'a' = 'a' AND 2 > 3", "0"),
    ("JSON_UNQUOTE(JSON_EXTRACT('{\"a\": \"x\"}', '$.a'))", "x"),
    ("ASCII('')", "0"),
    ("CONVERT('12', SIGNED) + 1", "13"),
    ("CONVERT('ab' USING utf8)", "ab"),
    (
        "DATE_ADD('0000-01-01 00:00:00', INTERVAL (TIMESTAMPDIFF(MONTH, '0000-01-01 00:00:00', '2024-05-17')) MONTH)",
        "2024-05-01 00:00:00",
    ),
    (
        "DATE_ADD('0000-01-01 00:00:00', INTERVAL (TIMESTAMPDIFF(QUARTER, '0000-01-01 00:00:00', '2024-05-17 10:00:00')) QUARTER)",
        "2024-04-01 00:00:00",
    ),
];

#[test]
fn expressions_of_postgresql() {
    give(Dialect::Postgres, POSTGRES);
}

#[test]
fn expressions_of_mysql() {
    give(Dialect::Mysql, MYSQL);
}

/// A decimal shows all digits of its scale where it becomes a text, and stays a number elsewhere.
#[test]
fn decimals_as_texts() {
    let schema =
        Schema::from_ddl_in("shop", "CREATE TABLE item (price NUMERIC(8, 2), n INT)", Dialect::Postgres)
            .unwrap();
    let row = |price| vec![price, Value::Integer(3)];
    let database = Database {
        tables: vec![Some(vec![row(Value::Real(1.5.into())), row(Value::Integer(2)), row(Value::Null)])],
    };
    for (sql, answer) in [
        ("SELECT price::text FROM item", ["1.50", "2.00", "NULL"]),
        ("SELECT price || '!' FROM item", ["1.50!", "2.00!", "NULL"]),
        ("SELECT CONCAT(price, '-', n) FROM item", ["1.50-3", "2.00-3", "-3"]),
        ("SELECT price + 1 FROM item", ["2.5", "3", "NULL"]),
    ] {
        assert_eq!(rows(Dialect::Postgres, &schema, &database, sql), answer, "{sql}");
    }
}
