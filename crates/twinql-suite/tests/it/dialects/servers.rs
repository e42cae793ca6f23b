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
    ("ROUND(AVG(x)) FROM (VALUES (2), (3)) AS v (x)", "3.0"),
    ("ROUND(AVG(x::float8)) FROM (VALUES (2), (3)) AS v (x)", "2.0"),
    ("ROUND(DATE_PART('minute', TIMESTAMP '2024-01-01 10:05:00') / 2)", "2.0"),
    ("ROUND(EXTRACT(MINUTE FROM TIMESTAMP '2024-01-01 10:05:00') / 2)", "3.0"),
    ("SUM(x::bigint) / 2 FROM (VALUES (2), (3)) AS v (x)", "2.5"),
    ("ROUND(5, 2)::text", "5.00"),
    ("(x * 1.50)::text FROM (VALUES (2), (3)) AS v (x) WHERE x = 3", "4.50"),
    ("(-(TIMESTAMP '2020-01-03' - TIMESTAMP '2020-01-01 10:00'))::text", "-1 days -14:00:00"),
    ("(2::float8)::text || (5::float8 / 2)::text", "22.5"),
    ("COUNT(*) FROM jsonb_array_elements_text('[1, true]') AS e WHERE e IN ('1', 'true')", "2"),
    ("STRING_AGG(DISTINCT x, ',') FROM (VALUES ('b'), ('a'), ('b')) AS v (x)", "a,b"),
    ("COUNT(b) FROM (SELECT UNNEST(ARRAY[1, 2, 3]) AS a, UNNEST(ARRAY[4]) AS b) AS q", "1"),
    ("SUM(a * b) FROM UNNEST(ARRAY[1, 2], ARRAY[3, 4]) AS t (a, b)", "11"),
    ("ARRAY[1, 2] || 3 || ARRAY[4]", "[1,2,3,4]"),
    ("ARRAY_PREPEND(0, ARRAY_CAT(ARRAY[1], NULL::int[]))", "[0,1]"),
    ("ARRAY(SELECT x FROM (VALUES (2), (1)) AS v (x) ORDER BY x)", "[1,2]"),
    ("CARDINALITY(ARRAY(SELECT 1 WHERE FALSE))", "0"),
    ("(REGEXP_MATCH('ab12cd34', '([a-z]+)([0-9]+)'))[2]", "12"),
    ("REGEXP_MATCH('ab', '[0-9]')", "NULL"),
    ("STRING_AGG(m[1], ',') FROM REGEXP_MATCHES('ab12cd34', '[0-9]+', 'g') AS x (m)", "12,34"),
    ("REGEXP_SPLIT_TO_ARRAY('a1b22c', '[0-9]+')", "[\"a\",\"b\",\"c\"]"),
    ("COUNT(*) FROM REGEXP_SPLIT_TO_TABLE('a1b22c', '[0-9]+') AS t", "3"),
    ("TO_NUMBER('-1,234.5', '9,999.9')", "-1234.5"),
    (
        "DATE_BIN('15 minutes', TIMESTAMP '2020-02-11 15:44:17', TIMESTAMP '2001-01-01')",
        "2020-02-11 15:30:00",
    ),
    ("DATE_BIN('15 minutes', TIMESTAMP '2000-01-01 00:01', TIMESTAMP '2001-01-01')", "2000-01-01 00:00:00"),
    ("JUSTIFY_INTERVAL(INTERVAL '1 mon -1 hour')", "29 days 23:00:00"),
    ("JUSTIFY_INTERVAL(INTERVAL '-1 mon 40 days 30 hours')", "11 days 06:00:00"),
    ("JUSTIFY_HOURS(INTERVAL '3 days -30 hours')", "1 day 18:00:00"),
    ("JUSTIFY_DAYS(INTERVAL '2 mons -35 days')", "25 days"),
    ("JSONB_BUILD_OBJECT('bb', 1.5, 'a', TRUE, 'c', NULL)", "{\"a\": true, \"c\": null, \"bb\": 1.5}"),
    ("JSON_AGG(x)->>1 FROM (VALUES (1), (2)) AS v (x) WHERE x > 0", "2"),
    ("JSON_AGG(x) FROM (VALUES (1)) AS v (x) WHERE x > 1", "NULL"),
    ("JSONB_OBJECT_AGG(k, v) FROM (VALUES ('a', 1)) AS x (k, v)", "{\"a\": 1}"),
    ("value FROM jsonb_each_text('{\"a\": true}') AS e", "true"),
    ("(DATE '2020-01-01', DATE '2020-02-01') OVERLAPS (DATE '2020-02-01', DATE '2020-03-01')", "0"),
    ("(DATE '2020-01-01', DATE '2020-01-01') OVERLAPS (DATE '2020-01-01', INTERVAL '1 day')", "1"),
    ("(DATE '2020-01-01', NULL) OVERLAPS (DATE '2020-01-01', DATE '2020-03-01')", "NULL"),
    ("(NULL, DATE '2020-01-05') OVERLAPS (DATE '2020-01-01', DATE '2020-03-01')", "1"),
    ("'ab' LIKE ANY (ARRAY['x%', 'a%'])", "1"),
    ("'ab' NOT LIKE ALL (ARRAY['x%', 'a%'])", "0"),
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
    ("TO_CHAR(485, '999')", " 485"),
    ("TO_CHAR(-485, '9,999')", "  -485"),
    ("TO_CHAR(12345, '9,999.99')", " #,###.##"),
    ("TO_CHAR(1234.5, '$9,999.99')", "$ 1,234.50"),
    ("TO_CHAR(1234567.891, 'FM999,999,990.00')", "1,234,567.89"),
    ("TO_CHAR(12, 'FM99.99')", "12."),
    ("TO_CHAR(0, 'FM9.99')", "0."),
    ("TO_CHAR(0.5, '9.99')", "  .50"),
    ("TO_CHAR(5, 'FM000')", "005"),
    ("TO_CHAR(12.3, 'FM999.0%')", "12.3%"),
    ("TO_CHAR(0.005, 'FM0.00')", "0.01"),
    ("MAKE_INTERVAL(days => 3, hours => 5)", "3 days 05:00:00"),
    ("DATE '2024-01-31' + MAKE_INTERVAL(months => 1)", "2024-02-29 00:00:00"),
    ("MAKE_INTERVAL(1, 2, 3)", "1 year 2 mons 21 days"),
    ("QUOTE_LITERAL('a''b')", "'a''b'"),
    ("SUBSTRING('foobar' FROM 'o(.)b')", "o"),
    ("SUBSTRING('foobar' FROM 'o+')", "oo"),
    ("WIDTH_BUCKET(5.35, 0.024, 10.06, 5)", "3"),
    ("MD5('a')", "0cc175b9c0f1b6a831c399e269772661"),
    ("ARRAY_TO_STRING(ARRAY_AGG(x), ',') FROM (VALUES (NULL::text)) AS v (x)", ""),
    ("ARRAY_TO_STRING(ARRAY_AGG(x), ',') FROM (SELECT 'a' AS x WHERE FALSE) AS v", "NULL"),
    ("ARRAY_TO_STRING(ARRAY_AGG(x ORDER BY x DESC), '-') FROM (VALUES ('a'), ('b')) AS v (x)", "b-a"),
    ("COUNT(k) FROM (SELECT GENERATE_SERIES(MIN(x), MAX(x)) AS k FROM (VALUES (2), (5)) AS v (x)) AS q", "4"),
    (
        "MAX(k) FROM (SELECT GENERATE_SERIES('2024-01-01', '2024-03-01', '1 month')::date AS k) AS q",
        "2024-03-01",
    ),
    ("REGR_R2(y, x) FROM (VALUES (1, 2), (1, 3)) AS v (y, x)", "1.0"),
    ("(ARRAY[4, 5, 6])[2:3]", "[5,6]"),
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
    ("PERIOD_ADD(200801, 2)", "200803"),
    ("PERIOD_ADD(200801, -1)", "200712"),
    ("EXTRACT(YEAR_MONTH FROM '2024-05-06')", "202405"),
    ("EXTRACT(DAY_SECOND FROM '2024-05-06 07:08:09')", "6070809"),
    ("TIME_TO_SEC('01:30:05')", "5405"),
    ("TIME_TO_SEC('1:27.452')", "5220.452"),
    ("TIME_TO_SEC('2024-01-01 10:00:01')", "36001"),
    ("TIME_TO_SEC('25:61:00')", "NULL"),
    ("SEC_TO_TIME(-3661)", "-01:01:01"),
    ("SEC_TO_TIME(360000000)", "838:59:59"),
    ("MAKETIME(-1, 15, 30)", "-01:15:30"),
    ("TIMEDIFF('2024-01-02 10:00:00', '2024-01-01 09:30:00')", "24:30:00"),
    ("TIMEDIFF('09:00:00', '10:30:00')", "-01:30:00"),
    ("ADDTIME('2024-01-01 23:00:00', '02:00:00')", "2024-01-02 01:00:00"),
    ("SUBTIME('10:00:00', '11:30:00')", "-01:30:00"),
    ("YEARWEEK('2024-01-01')", "202353"),
    ("YEARWEEK('2024-12-30', 1)", "202501"),
    ("WEEK('2018-12-31', 1)", "53"),
    ("WEEK('2021-01-02', 1)", "0"),
    ("TO_SECONDS('2009-11-29 13:43:32')", "63426721412"),
    ("!1", "0"),
    ("!0 = 1", "1"),
    ("INSERT('Quadratic', 3, 4, 'What')", "QuWhattic"),
    ("INSERT('Quadratic', -1, 4, 'What')", "Quadratic"),
    ("REGEXP_INSTR('xaB', 'b')", "3"),
    ("FROM_UNIXTIME(0, '%Y %m')", "1970 01"),
    ("7 MOD 4", "3"),
    ("1 OR 1 XOR 1", "1"),
    ("1 = 2 XOR 1 = 2 OR 0 XOR 1 AND 1", "1"),
    ("3 ^ 2 * 2", "2"),
    ("1 | 2 & 3 << 1", "3"),
    ("1 << 1 + 1", "4"),
    ("TIMESTAMP '2024-01-01 00:00:00' + INTERVAL '1:30' HOUR_MINUTE", "2024-01-01 01:30:00"),
    ("TIMESTAMP '2024-01-01 00:00:00' - INTERVAL '1-2' YEAR_MONTH", "2022-11-01 00:00:00"),
    ("DATE_ADD('2024-01-01 00:00:00', INTERVAL '-1:30' HOUR_MINUTE)", "2023-12-31 22:30:00"),
    ("DATE_ADD('2024-01-01 00:00:00', INTERVAL '1 2:3:4' DAY_SECOND)", "2024-01-02 02:03:04"),
    ("DATE_ADD('2024-01-01 00:00:00', INTERVAL '1.5' MINUTE_SECOND)", "2024-01-01 00:01:05"),
    ("TIMESTAMP '2024-01-01 00:00:00' + INTERVAL 130 HOUR_MINUTE", "2024-01-01 02:10:00"),
    ("JSON_OBJECT('a', 1, 'b', JSON_ARRAY(1, NULL, 'x'))", "{\"a\": 1, \"b\": [1, null, \"x\"]}"),
    ("JSON_ARRAYAGG(x) FROM (SELECT 1 AS x UNION ALL SELECT NULL) AS t", "[1, null]"),
    ("JSON_ARRAYAGG(x) FROM (SELECT 1 AS x WHERE FALSE) AS t", "NULL"),
    ("JSON_OBJECTAGG(x, 2) FROM (SELECT 'a' AS x) AS t", "{\"a\": 2}"),
    ("JSON_LENGTH('[1, 2, 3]')", "3"),
    ("JSON_LENGTH('\"a\"')", "1"),
    ("JSON_LENGTH('{\"a\": [1, 2]}', '$.a')", "2"),
    ("BIN(-1)", "1111111111111111111111111111111111111111111111111111111111111111"),
    ("OCT('x')", "0"),
    ("CONV('ff', 16, 10)", "255"),
    ("CONV(10, 10, 1)", "NULL"),
    ("BIN('')", "NULL"),
    ("TIME_FORMAT('10:05:03', '%H:%i')", "10:05"),
    ("TIMESTAMP(DATE '2024-01-31', '10:00:00')", "2024-01-31 10:00:00"),
    ("DATE(CONCAT(2024, '-', 3, '-01'))", "2024-03-01"),
    ("CAST(CONCAT(2024, '-', 3, '-01') AS DATE)", "2024-03-01"),
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
        ("SELECT (price > 1.9)::text FROM item", ["false", "true", "NULL"]),
        ("SELECT (price > 1.9) || '!' FROM item", ["false!", "true!", "NULL"]),
        ("SELECT CONCAT(price > 1.9, '!') FROM item", ["f!", "t!", "!"]),
    ] {
        assert_eq!(rows(Dialect::Postgres, &schema, &database, sql), answer, "{sql}");
    }
}

/// Constructs that SQLite lacks, over three rows.
#[test]
fn constructs_of_servers() {
    let ddl = "CREATE TABLE item (n INT, d DATE)";
    let row = |n, day: &str| vec![Value::Integer(n), Value::Text(day.into())];
    let items = [row(1, "2024-01-01"), row(1, "2024-01-05"), row(3, "2024-02-01")];
    let database = Database { tables: vec![Some(items.into())] };
    for (dialect, sql, answer) in [
        // A second WHERE, which may name outputs.
        (Dialect::Mysql, "SELECT n, n * 2 AS twice FROM item HAVING twice > 4", &["3|6"][..]),
        (
            Dialect::Mysql,
            "SELECT GROUP_CONCAT(n, '/', d ORDER BY d SEPARATOR ';') FROM item",
            &["1/2024-01-01;1/2024-01-05;3/2024-02-01"],
        ),
        (
            Dialect::Mysql,
            "SELECT DISTINCT IFNULL(n, 'none') = '1' COLLATE utf8mb4_bin FROM item",
            &["1", "0"],
        ),
        (
            Dialect::Mysql,
            "SELECT EXTRACT(WEEK FROM d), TIMESTAMP(d), d + 1, TIMESTAMP(d) - 0 FROM item WHERE n = 3",
            &["4|2024-02-01 00:00:00|20240202|20240201000000"],
        ),
        (Dialect::Postgres, "SELECT n FROM item ORDER BY n FETCH FIRST 1 ROW WITH TIES", &["1", "1"]),
        (
            Dialect::Postgres,
            "SELECT SUM(n) OVER (ORDER BY d RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM item ORDER BY d",
            &["1", "2", "3"],
        ),
    ] {
        let schema = Schema::from_ddl_in("shop", ddl, dialect).unwrap();
        assert_eq!(rows(dialect, &schema, &database, sql), answer, "{sql}");
    }
}
