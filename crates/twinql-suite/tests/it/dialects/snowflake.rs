//! Snowflake: what its documentation says that expressions give, executed; documents, series and windows beside grouping sets; pairs
//! of queries that say the same, and pairs that look like it and do not.

use twinql_sql::{Dialect, Schema, Value, in_sqlite};
use twinql_suite::Database;

use super::executed::{give, pairs, rows};

const DDL: &str = r#"
    CREATE TABLE ZOO.PUBLIC.ANIMALS ("id" NUMBER(38,0) PRIMARY KEY, "kind" VARCHAR, "born" DATE, "seen" TIMESTAMP_NTZ(9),
        "weight" FLOAT, "tags" VARIANT, "keepers" ARRAY, "stamp" NUMBER(38,0));
    CREATE TABLE ZOO.PUBLIC.VISITS ("animal" NUMBER(38,0) NOT NULL, "guests" NUMBER(38,0));"#;

fn schema() -> Schema {
    Schema::from_ddl_in("ZOO", DDL, Dialect::Snowflake).unwrap()
}

/// Each pair is an expression and what the page of its function says that it gives.
#[test]
fn expressions_give_what_the_documentation_says() {
    give(
        Dialect::Snowflake,
        &[
            // dateadd, datediff, date_trunc, date_part, last_day
            ("DATEADD(month, 1, '2023-01-31'::DATE)", "2023-02-28"),
            ("DATEADD(year, 2, TO_DATE('2013-05-08'))", "2015-05-08"),
            ("DATEADD(hour, 2, TO_DATE('2013-05-08'))", "2013-05-08 02:00:00"),
            ("DATEADD('mm', 1, DATE '2023-03-31')", "2023-04-30"),
            ("DATEDIFF(year, '2020-04-09 14:39:20'::TIMESTAMP, '2023-05-08 23:39:20'::TIMESTAMP)", "3"),
            ("DATEDIFF(hour, '2023-05-08T23:39:20.123-07:00'::TIMESTAMP, NULL)", "NULL"),
            ("DATEDIFF(month, '2021-01-31'::DATE, '2021-02-01'::DATE)", "1"),
            // Weeks begin on Monday: 2017-12-31 was a Sunday.
            ("DATEDIFF(week, DATE '2017-12-31', DATE '2018-01-01')", "1"),
            ("DATEDIFF(week, DATE '2017-12-30', DATE '2017-12-31')", "0"),
            ("DATE_TRUNC(month, DATE '2024-05-09')", "2024-05-01"),
            ("DATE_TRUNC('WEEK', TIMESTAMP_NTZ_FROM_PARTS(2024, 5, 9, 1, 2, 3))", "2024-05-06 00:00:00"),
            ("DATE_PART(dayofweekiso, DATE '2024-05-12')", "7"),
            ("DATE_PART(quarter, '2024-04-08'::DATE)", "2"),
            ("EXTRACT(dayofweek FROM DATE '2024-05-12')", "0"),
            ("DATE_PART(epoch_second, '1970-01-02'::TIMESTAMP)", "86400"),
            ("LAST_DAY(DATE '2024-02-10')", "2024-02-29"),
            ("LAST_DAY(DATE '2024-05-08', week)", "2024-05-12"),
            ("LAST_DAY(DATE '2024-05-08', 'year')", "2024-12-31"),
            ("WEEKISO(DATE '2016-01-03')", "53"),
            ("DAYNAME(DATE '2015-05-01')", "Fri"),
            ("MONTHNAME(DATE '2015-05-01')", "May"),
            ("DATE_FROM_PARTS(2010, 1, 100)", "2010-04-10"),
            ("DATE_FROM_PARTS(2010, 13, 1)", "2011-01-01"),
            // to_date, to_timestamp, to_char
            ("TO_DATE('2024.05.10', 'YYYY.MM.DD')", "2024-05-10"),
            ("TO_DATE('20240510', 'YYYYMMDD')", "2024-05-10"),
            ("TRY_TO_DATE('no date')", "NULL"),
            ("TO_TIMESTAMP(1549231123)", "2019-02-03 21:58:43"),
            ("TO_TIMESTAMP_NTZ(1549231123456, 3)", "2019-02-03 21:58:43.456"),
            ("TO_TIMESTAMP_NTZ(40 * 365.25 * 86400)", "2010-01-01 00:00:00"),
            ("TO_TIMESTAMP('04/05/2013 01:02:03', 'MM/DD/YYYY HH24:MI:SS')", "2013-04-05 01:02:03"),
            ("TO_CHAR('2013-04-05 01:02:03'::TIMESTAMP, 'mm/dd/yyyy, hh24:mi')", "04/05/2013, 01:02"),
            ("TO_VARCHAR('2013-04-05'::DATE, 'mon dd, yyyy')", "Apr 05, 2013"),
            // Numbers.
            ("TO_NUMBER('12.3456', 10, 1)", "12.3"),
            ("TRY_TO_NUMBER('x')", "NULL"),
            ("TRY_CAST('05-Mar-2016' AS INT)", "NULL"),
            ("TRY_CAST('1.5' AS INT)", "2"),
            ("DIV0(1, 0)", "0"),
            ("DIV0(1, 2)", "0.5"),
            ("LOG(2, 8)", "3.0"),
            ("1 / 2", "0.5"),
            // Choices.
            ("IFF(NULL, 'a', 'b')", "b"),
            ("DECODE(NULL, 1, 'one', NULL, 'none', 'other')", "none"),
            ("DECODE(2, 1, 'one')", "NULL"),
            ("NVL2(NULL, 1, 2)", "2"),
            ("ZEROIFNULL(NULL)", "0"),
            ("GREATEST(1, NULL)", "NULL"),
            ("EQUAL_NULL(NULL, NULL)", "1"),
            // Texts.
            ("CONCAT('a', NULL)", "NULL"),
            ("SPLIT_PART('11.22.33', '.', -1)", "33"),
            ("SPLIT_PART('11.22.33', '.', 0)", "11"),
            ("SPLIT('127.0.0.1', '.')[3]", "1"),
            ("ARRAY_SIZE(SPLIT('a,b', ','))", "2"),
            ("REGEXP_LIKE('nevermore', 'never')", "0"),
            ("REGEXP_LIKE('nevermore', 'never.*')", "1"),
            ("REGEXP_REPLACE('a1b22', '[0-9]+')", "ab"),
            (r"REGEXP_REPLACE('firstname last', '(.*) (.*)', '\\2, \\1')", "last, firstname"),
            (r"REGEXP_SUBSTR('the world of words', 'w\\w+', 1, 2)", "words"),
            (r"REGEXP_SUBSTR('import os', 'import\\s+(\\w+)', 1, 1, 'e')", "os"),
            ("REGEXP_COUNT('banana', 'an')", "2"),
            ("CONTAINS('coffee', 'ff')", "1"),
            ("STARTSWITH('coffee', 'ff')", "0"),
            ("LTRIM('0x0a', '0x')", "a"),
            // Documents.
            (r#"PARSE_JSON('{"a": {"b": [1, "x"]}}'):a.b[1]::STRING"#, "x"),
            (r#"GET(PARSE_JSON('{"a": 1}'), 'a')"#, "1"),
            ("TRY_PARSE_JSON('no json')", "NULL"),
            ("ARRAY_TO_STRING(ARRAY_CONSTRUCT(1, NULL, 3), '-')", "1--3"),
            ("ARRAY_CAT(ARRAY_CONSTRUCT(1), ARRAY_CONSTRUCT(2))", "[1,2]"),
            ("ARRAY_GENERATE_RANGE(2, 5)", "[2,3,4]"),
            ("LISTAGG(x) FROM (VALUES ('a'), ('b')) AS t (x)", "ab"),
            ("COUNT_IF(x > 1) FROM (VALUES (1), (2)) AS t (x)", "1"),
            ("MEDIAN(x) FROM (VALUES (1), (2)) AS t (x)", "1.5"),
            ("COUNT(DISTINCT x, y) FROM (VALUES (1, 2), (1, NULL), (1, 2)) AS t (x, y)", "1"),
            // Nothing is an empty text: listagg; a place of 0 is the first, no length is none: substr.
            ("LISTAGG(x, ',') FROM (VALUES (NULL)) AS t (x)", ""),
            (
                "ARRAY_TO_STRING(ARRAY_AGG(x) WITHIN GROUP (ORDER BY x), '-') FROM (VALUES ('b'), ('a')) AS t (x)",
                "a-b",
            ),
            ("SUBSTR('mystring', 0, 3)", "mys"),
            ("SUBSTR('mystring', POSITION('s', 'mystring'), -1)", ""),
            ("CONCAT_WS('-', 'a', 'b')", "a-b"),
            ("CONCAT_WS('-', 'a', NULL)", "NULL"),
            ("REGEXP_LIKE('Never', 'never', 'i')", "1"),
            ("REGEXP_SUBSTR_ALL('a1b22', '[0-9]+')", r#"["1","22"]"#),
            ("REGEXP_INSTR('nevermore', 'more')", "6"),
            ("EDITDISTANCE('kitten', 'sitting')", "3"),
            ("MD5('Snowflake')", "edf1439075a83a447fb8b630ddc9c8de"),
            ("SHA2('a')", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
            ("ADD_MONTHS('2016-02-29'::DATE, 1)", "2016-03-31"),
            ("MONTHS_BETWEEN('2019-02-28'::DATE, '2019-01-31'::DATE)", "1.0"),
            ("NEXT_DAY('2024-05-19'::DATE, 'Friday')", "2024-05-24"),
            ("NEXT_DAY('2024-05-17'::DATE, 'fr')", "2024-05-24"),
            ("PREVIOUS_DAY('2024-05-19'::DATE, 'Fri')", "2024-05-17"),
            ("PREVIOUS_DAY('2024-05-17'::DATE, 'fri')", "2024-05-10"),
            ("CONVERT_TIMEZONE('UTC', '2024-05-17 10:00:00'::TIMESTAMP)", "2024-05-17 10:00:00"),
            ("TO_CHAR(1234, '999,999')", "   1,234"),
            ("TO_CHAR(1234.5, 'FM999,990.00')", "1,234.50"),
            ("ARRAY_POSITION('b', ARRAY_CONSTRUCT('a', 'b'))", "1"),
            ("ARRAY_SLICE(ARRAY_CONSTRUCT(1, 2, 3, 4), 0, -1)", "[1,2,3]"),
            ("ARRAY_MAX(ARRAY_CONSTRUCT(1, 9, 3))", "9"),
            ("JSON_EXTRACT_PATH_TEXT('{\"a\": {\"b\": true}}', 'a.b')", "true"),
            ("MAX_BY(x, y) FROM (VALUES ('a', 1), ('b', 2), ('c', NULL)) AS t (x, y)", "b"),
            ("REGR_SLOPE(y, x) FROM (VALUES (2, 1), (4, 2)) AS t (y, x)", "2.0"),
            ("COVAR_POP(y, x) FROM (VALUES (2, 1), (4, 2)) AS t (y, x)", "0.5"),
            ("BITOR_AGG(x) FROM (VALUES (1), (4)) AS t (x)", "5"),
            ("WIDTH_BUCKET(5, 0, 10, 5)", "3"),
            ("ST_WITHIN(ST_POINT(1, 1), TO_GEOGRAPHY('POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))'))", "1"),
            (
                "ST_INTERSECTS(TO_GEOGRAPHY('LINESTRING(-1 1, 3 1)'), TO_GEOGRAPHY('POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))'))",
                "1",
            ),
            ("ROUND(ST_DISTANCE(TO_GEOGRAPHY('POINT(0 0)'), ST_MAKEPOINT(0, 1)))", "111195.0"),
            ("TRY_TO_GEOGRAPHY('nowhere')", "NULL"),
            ("STRTOK('a.b..c', '.', 3)", "c"),
            ("x LIKE ANY ('a%', 'b%') FROM (VALUES ('bc')) AS t (x)", "1"),
            (
                "LISTAGG(v, ',') WITHIN GROUP (ORDER BY i) FROM (SELECT i, LAST_VALUE(x) OVER (ORDER BY i) AS v FROM (VALUES (1, 'a'), (2, 'b')) AS t (i, x))",
                "b,b",
            ),
            (
                "LISTAGG(v, ',') WITHIN GROUP (ORDER BY i) FROM (SELECT i, LAG(x, 1, 'none') IGNORE NULLS OVER (ORDER BY i) AS v FROM (VALUES (1, 'a'), (2, NULL), (3, 'c')) AS t (i, x))",
                "none,a,a",
            ),
        ],
    );
}

fn database(schema: &Schema) -> Database {
    let text = |t: &str| Value::Text(t.to_owned());
    let animal = |id: i64, kind: &str, tags: &str, keepers: &str| {
        vec![
            Value::Integer(id),
            text(kind),
            text("2024-01-31"),
            text("2024-01-31 10:00:00"),
            Value::Real(1.5.into()),
            text(tags),
            text(keepers),
            Value::Integer(86_400_000_000),
        ]
    };
    let animals = vec![
        animal(1, "owl", r#"{"size": "small", "food": {"name": "mice"}}"#, r#"["Ann", "Bob"]"#),
        animal(2, "owl", r#"{"size": "big"}"#, "[]"),
        animal(3, "yak", "{}", r#"["Cid"]"#),
    ];
    let visits = [(1, 5), (1, 7), (3, 9)].map(|(a, g)| vec![Value::Integer(a), Value::Integer(g)]).to_vec();
    let mut tables = vec![Some(Vec::new()); schema.tables.len()];
    for (at, table) in schema.tables.iter().enumerate() {
        tables[at] = Some(if table.name.ends_with("ANIMALS") { animals.clone() } else { visits.clone() });
    }
    Database { tables }
}

#[test]
fn documents_series_and_windows() {
    let schema = schema();
    let database = database(&schema);
    for (sql, answer) in [
        (
            r#"SELECT "id", "tags":food.name::STRING FROM ANIMALS ORDER BY 1"#,
            &["1|mice", "2|NULL", "3|NULL"][..],
        ),
        (
            r#"SELECT a."id", k.value::STRING, k.index FROM ZOO.PUBLIC.ANIMALS a, LATERAL FLATTEN(input => a."keepers") k ORDER BY 1, 3"#,
            &["1|Ann|0", "1|Bob|1", "3|Cid|0"],
        ),
        (
            r#"SELECT "id", f.key FROM PUBLIC.ANIMALS, TABLE(FLATTEN("tags")) f WHERE f.index IS NULL ORDER BY 1, 2"#,
            &["1|food", "1|size", "2|size"],
        ),
        (
            r#"SELECT a."id", k.value FROM ANIMALS a, LATERAL FLATTEN(input => a."keepers", outer => TRUE) k ORDER BY 1, 2"#,
            &["1|Ann", "1|Bob", "2|NULL", "3|Cid"],
        ),
        (r#"SELECT f.key, f.value FROM ANIMALS, LATERAL FLATTEN("tags", path => 'food') f"#, &["name|mice"]),
        (
            r#"SELECT s.index, s.value FROM ANIMALS a, LATERAL SPLIT_TO_TABLE(a."kind", 'a') s WHERE a."id" = 3 ORDER BY 1"#,
            &["1|y", "2|k"],
        ),
        (
            "SELECT DATEADD(day, SEQ4(), DATE '2024-01-30') AS d FROM TABLE(GENERATOR(ROWCOUNT => 3)) ORDER BY d",
            &["2024-01-30", "2024-01-31", "2024-02-01"],
        ),
        (
            "SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) FROM TABLE(GENERATOR(ROWCOUNT => 2)) ORDER BY 1",
            &["1", "2"],
        ),
        (r#"SELECT TO_DATE(TO_TIMESTAMP_NTZ("stamp" / 1000000)) FROM ANIMALS LIMIT 1"#, &["1970-01-02"]),
        (r#"SELECT "id" + 1 AS n, n * 2 AS m, m + n FROM ANIMALS WHERE m > 6 ORDER BY n"#, &["4|8|12"]),
        (r#"SELECT "kind", COUNT(*) FROM ANIMALS GROUP BY ALL ORDER BY 1"#, &["owl|2", "yak|1"]),
        (
            r#"SELECT "guests", RATIO_TO_REPORT("guests") OVER (PARTITION BY "animal") FROM VISITS ORDER BY 1"#,
            &["5|0.4166666666666667", "7|0.5833333333333334", "9|1.0"],
        ),
        (
            r#"SELECT LISTAGG(DISTINCT "kind", '; ') WITHIN GROUP (ORDER BY "kind") FROM ANIMALS"#,
            &["owl; yak"],
        ),
        (
            r#"SELECT "animal", SUM("guests") AS s, RANK() OVER (PARTITION BY GROUPING("animal") ORDER BY SUM("guests") DESC) AS r
            FROM VISITS GROUP BY ROLLUP ("animal") ORDER BY s DESC"#,
            &["NULL|21|1", "1|12|1", "3|9|2"],
        ),
        (
            r#"SELECT "animal" AS a, SUM("guests") AS s FROM VISITS GROUP BY CUBE (a) QUALIFY ROW_NUMBER() OVER (ORDER BY s DESC) <= 2 ORDER BY s"#,
            &["1|12", "NULL|21"],
        ),
    ] {
        assert_eq!(rows(Dialect::Snowflake, &schema, &database, sql), answer, "{sql}");
    }
    // What is not known is refused, or is a function of no system.
    for sql in [
        r#"SELECT * FROM ANIMALS, LATERAL FLATTEN("tags") f"#,
        r#"SELECT f.seq FROM ANIMALS, LATERAL FLATTEN("tags") f"#,
        r#"SELECT f.value FROM ANIMALS, LATERAL FLATTEN("tags", recursive => TRUE) f"#,
        r#"SELECT "id" FROM OTHER.PUBLIC.ANIMALS"#,
    ] {
        assert!(in_sqlite(&schema, sql, Dialect::Snowflake).is_err(), "{sql}");
    }
    let opaque =
        in_sqlite(&schema, r#"SELECT ST_CENTROID("tags") FROM ANIMALS"#, Dialect::Snowflake).unwrap();
    assert!(opaque.contains("snowflake_st_centroid"), "{opaque}");
}

#[test]
fn pairs_that_say_the_same_and_pairs_that_do_not() {
    pairs(
        Dialect::Snowflake,
        &schema(),
        &[
            (
                r#"SELECT DATE_TRUNC('month', "seen") FROM ANIMALS"#,
                r#"SELECT DATE_TRUNC(MM, "seen") FROM ANIMALS"#,
                true,
            ),
            (
                r#"SELECT DATEDIFF(yy, "born", CURRENT_DATE) FROM ANIMALS"#,
                r#"SELECT YEAR(CURRENT_DATE) - YEAR("born") FROM ANIMALS"#,
                true,
            ),
            (
                r#"SELECT "kind" FROM ANIMALS WHERE CONTAINS("kind", 'a')"#,
                r#"SELECT "kind" FROM ANIMALS WHERE "kind" LIKE '%a%'"#,
                true,
            ),
            (
                r#"SELECT COUNT_IF("weight" > 2) FROM ANIMALS"#,
                r#"SELECT COUNT(CASE WHEN "weight" > 2 THEN 1 END) FROM ANIMALS"#,
                true,
            ),
            (r#"SELECT "tags":size FROM ANIMALS"#, r#"SELECT "tags"['size'] FROM ZOO.PUBLIC.ANIMALS"#, true),
            (
                r#"SELECT * EXCLUDE ("tags", "keepers", "stamp", "seen") FROM ANIMALS"#,
                r#"SELECT "id", "kind", "born", "weight" FROM ANIMALS"#,
                true,
            ),
            (
                r#"SELECT "id" FROM ANIMALS ORDER BY "weight""#,
                r#"SELECT "id" FROM ANIMALS ORDER BY "weight" NULLS LAST"#,
                true,
            ),
            (
                r#"SELECT "kind" AS k FROM ANIMALS QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY "id") = 1"#,
                r#"SELECT "kind" FROM (SELECT "kind", ROW_NUMBER() OVER (PARTITION BY "kind" ORDER BY "id") AS n FROM ANIMALS) WHERE n = 1"#,
                true,
            ),
            (r#"SELECT "tags":size FROM ANIMALS"#, r#"SELECT "tags":SIZE FROM ANIMALS"#, false),
            (
                r#"SELECT "weight" / "id" FROM ANIMALS"#,
                r#"SELECT FLOOR("weight" / "id") FROM ANIMALS"#,
                false,
            ),
            (
                r#"SELECT REGEXP_LIKE("kind", 'o') FROM ANIMALS"#,
                r#"SELECT "kind" LIKE '%o%' FROM ANIMALS"#,
                false,
            ),
            (
                r#"SELECT SUM(CASE WHEN "weight" > 2 THEN 1 END) FROM ANIMALS"#,
                r#"SELECT COUNT_IF("weight" > 2) FROM ANIMALS"#,
                false,
            ),
            (
                r#"SELECT k.value FROM ANIMALS a, LATERAL FLATTEN(input => a."keepers") k"#,
                r#"SELECT k.value FROM ANIMALS a, LATERAL FLATTEN(input => a."keepers", outer => TRUE) k"#,
                false,
            ),
            (
                r#"SELECT APPROX_COUNT_DISTINCT("kind") FROM ANIMALS"#,
                r#"SELECT COUNT(DISTINCT "kind") FROM ANIMALS"#,
                false,
            ),
            (
                r#"SELECT LAG("kind") IGNORE NULLS OVER (ORDER BY "id") FROM ANIMALS"#,
                r#"SELECT LAG("kind") OVER (ORDER BY "id") FROM ANIMALS"#,
                false,
            ),
            (
                r#"SELECT "animal", RANK() OVER (ORDER BY SUM("guests")) FROM VISITS GROUP BY ROLLUP ("animal")"#,
                r#"SELECT "animal", RANK() OVER (ORDER BY SUM("guests")) FROM VISITS GROUP BY "animal""#,
                false,
            ),
            (
                r#"SELECT DATEDIFF(month, "born", CURRENT_DATE) FROM ANIMALS"#,
                r#"SELECT DATEDIFF(month, CURRENT_DATE, "born") FROM ANIMALS"#,
                false,
            ),
        ],
    );
}
