//! Databricks, Redshift, Trino and ClickHouse: what their documentation says that expressions give, executed; pairs of queries that
//! say the same, and pairs that look like it and do not.

use twinql_sql::{Dialect, Schema};

use super::executed::{give, pairs};

#[test]
fn expressions_give_what_the_documentation_says() {
    give(
        Dialect::Databricks,
        &[
            ("concat('Spark', 'SQL')", "SparkSQL"),
            ("concat('Spark', NULL)", "NULL"),
            ("greatest(10, NULL, 2)", "10"),
            ("dayofweek('2009-07-30')", "5"),
            ("weekday('2009-07-30')", "3"),
            ("weekofyear('2008-02-20')", "8"),
            ("date_add('2016-07-30', 1)", "2016-07-31"),
            ("date_sub('2016-07-30', 1)", "2016-07-29"),
            ("add_months('2016-08-31', 1)", "2016-09-30"),
            ("datediff('2009-07-31', '2009-07-30')", "1"),
            ("datediff(MONTH, TIMESTAMP '2021-02-28 12:00:00', TIMESTAMP '2021-03-28 11:59:59')", "0"),
            ("dateadd(MONTH, -1, '2022-03-31 00:00:00')", "2022-02-28 00:00:00"),
            ("trunc('2019-08-04', 'week')", "2019-07-29"),
            ("date_trunc('HOUR', '2015-03-05T09:32:05.359')", "2015-03-05 09:00:00"),
            ("date_format('2016-04-08', 'y')", "2016"),
            ("date_format('2016-04-08 13:00:00', 'dd.MM.yyyy HH:mm')", "08.04.2016 13:00"),
            ("to_date('2016-12-31', 'yyyy-MM-dd')", "2016-12-31"),
            ("last_day('2009-01-12')", "2009-01-31"),
            (r"regexp_extract('100-200', '(\\d+)-(\\d+)', 1)", "100"),
            ("split('oneAtwoA', 'A')", r#"["one","two",""]"#),
            ("nvl2(NULL, 2, 1)", "1"),
            ("substring_index('www.apache.org', '.', 2)", "www.apache"),
            ("date_part(DAYOFWEEK_ISO, DATE '2024-05-19')", "7"),
            ("std(x) FROM VALUES (1), (3) AS t (x)", "1.4142135623730951"),
        ],
    );
    give(
        Dialect::Redshift,
        &[
            ("nvl2(NULL, 1, 2)", "2"),
            ("decode(1, 1, 'one', 'other')", "one"),
            ("charindex('fish', 'dogfish')", "4"),
            ("len('cafe')", "4"),
            ("split_part('abc$def$ghi', '$', 2)", "def"),
            ("dateadd(month, 18, '2008-02-28')", "2009-08-28 00:00:00"),
            ("datediff(qtr, '1998-07-01', '2008-04-25')", "39"),
            ("datediff(day, '2008-12-31', '2009-01-01')", "1"),
            ("last_day('2008-02-10'::date)", "2008-02-29"),
            ("7 / 2", "3"),
            ("log(100)", "2.0"),
        ],
    );
    give(
        Dialect::Trino,
        &[
            ("date_add('month', 1, DATE '2024-01-31')", "2024-02-29"),
            ("date_diff('day', DATE '2020-03-01', DATE '2020-03-02')", "1"),
            (
                "date_diff('second', TIMESTAMP '2020-03-01 00:00:00', TIMESTAMP '2020-03-02 00:00:00')",
                "86400",
            ),
            ("date_trunc('quarter', DATE '2001-08-22')", "2001-07-01"),
            ("day_of_week(DATE '2024-05-19')", "7"),
            ("EXTRACT(DOW FROM DATE '2024-05-19')", "7"),
            ("date_format(TIMESTAMP '2022-10-20 05:10:00', '%m-%d-%Y %H')", "10-20-2022 05"),
            ("date_parse('2022/10/20/05', '%Y/%m/%d/%H')", "2022-10-20 05:00:00"),
            ("from_unixtime(1.5)", "1970-01-01 00:00:01.5"),
            ("last_day_of_month(DATE '2023-02-01')", "2023-02-28"),
            ("regexp_extract('1a 2b 14m', '\\d+')", "1"),
            ("regexp_like('1a 2b 14m', '\\d+b')", "1"),
            ("split('a,b', ',')", r#"["a","b"]"#),
            ("greatest(1, NULL)", "NULL"),
            ("7 / 2", "3"),
            ("cardinality(ARRAY[1, 2])", "2"),
            ("count_if(x > 1) FROM (VALUES (1), (2)) AS t (x)", "1"),
        ],
    );
    give(
        Dialect::Clickhouse,
        &[
            ("toYear(toDate('2024-05-19'))", "2024"),
            ("toDayOfWeek(toDate('2024-05-19'))", "7"),
            ("toStartOfMonth(toDate('2024-05-19'))", "2024-05-01"),
            ("dateDiff('hour', toDate('2024-05-19'), toDate('2024-05-20'))", "24"),
            ("multiIf(1 > 2, 'a', 2 > 1, 'b', 'c')", "b"),
            ("lengthUTF8('héllo')", "5"),
            ("length('héllo')", "6"),
            ("match('hello', 'l+')", "1"),
            ("intDiv(7, 2)", "3"),
            ("7 / 2", "3.5"),
        ],
    );
}

#[test]
fn pairs_that_say_the_same_and_pairs_that_do_not() {
    let ddl =
        "CREATE TABLE road (id INT PRIMARY KEY, name STRING, lanes INT, opened DATE, stops ARRAY<STRING>);
        CREATE TABLE car (id INT PRIMARY KEY, road_id INT NOT NULL, speed INT)";
    let schema = Schema::from_ddl_in("roads", ddl, Dialect::Databricks).unwrap();
    pairs(
        Dialect::Databricks,
        &schema,
        &[
            (
                "SELECT r.name FROM road r LEFT SEMI JOIN car c ON c.road_id = r.id",
                "SELECT name FROM road WHERE id IN (SELECT road_id FROM car)",
                true,
            ),
            (
                "SELECT r.name FROM road r LEFT ANTI JOIN car c ON c.road_id = r.id",
                "SELECT name FROM road r WHERE NOT EXISTS (SELECT 1 FROM car c WHERE c.road_id = r.id)",
                true,
            ),
            (
                "SELECT id, s FROM road LATERAL VIEW explode(stops) x AS s",
                "SELECT id, s FROM road LATERAL VIEW posexplode(stops) x AS p, s",
                true,
            ),
            (
                "SELECT name, COUNT(*) FROM road GROUP BY ALL",
                "SELECT name, COUNT(*) FROM road GROUP BY name",
                true,
            ),
            ("SELECT lanes + 1 AS n, n + 1 FROM road", "SELECT lanes + 1, lanes + 1 + 1 FROM road", true),
            (
                "SELECT id, s FROM road LATERAL VIEW explode(stops) x AS s",
                "SELECT id, s FROM road LATERAL VIEW OUTER explode(stops) x AS s",
                false,
            ),
            (
                "SELECT datediff(MONTH, opened, current_date()) FROM road",
                "SELECT (year(current_date()) - year(opened)) * 12 + month(current_date()) - month(opened) FROM road",
                false,
            ),
            ("SELECT name RLIKE 'a' FROM road", "SELECT name RLIKE '^a$' FROM road", false),
            (
                "SELECT r.name FROM road r LEFT ANTI JOIN car c ON c.road_id = r.id",
                "SELECT r.name FROM road r LEFT SEMI JOIN car c ON c.road_id = r.id",
                false,
            ),
        ],
    );
    let schema = Schema::from_ddl_in(
        "roads",
        &ddl.replace("STRING>", "String)").replace("ARRAY<", "Array("),
        Dialect::Clickhouse,
    )
    .unwrap();
    pairs(
        Dialect::Clickhouse,
        &schema,
        &[
            (
                "SELECT id FROM car PREWHERE speed > 1 WHERE road_id = 1",
                "SELECT id FROM car WHERE speed > 1 AND road_id = 1",
                true,
            ),
            (
                "SELECT countIf(speed > 1) FROM car",
                "SELECT count(CASE WHEN speed > 1 THEN 1 END) FROM car",
                true,
            ),
            ("SELECT uniqExact(speed) FROM car", "SELECT uniq(speed) FROM car", false),
            ("SELECT intDiv(speed, 2) FROM car", "SELECT speed / 2 FROM car", false),
        ],
    );
}
