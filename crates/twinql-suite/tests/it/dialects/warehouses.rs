//! Databricks, Redshift, Trino and ClickHouse: what their documentation says that expressions give, executed; pairs of queries that
//! say the same, and pairs that look like it and do not.

use twinql_sql::{Dialect, Schema};

use super::executed::{give, pairs};

#[test]
fn expressions_give_what_the_documentation_says() {
    give(
        Dialect::Databricks,
        &[
            ("7 div 2", "3"),
            ("-7 DIV 2 * 2", "-6"),
            ("concat(array(1), array(2))", "[1,2]"),
            ("array(1) || NULL", "NULL"),
            ("array_contains(array(1, NULL), 2)", "NULL"),
            ("array_contains(array(1, 2), 2)", "1"),
            ("array_contains(array(1, 2), 3)", "0"),
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
            ("next_day('2015-01-14', 'TU')", "2015-01-20"),
            ("months_between('1997-02-28 10:30:00', '1996-10-30')", "3.94959677"),
            ("date_from_unix_date(1)", "1970-01-02"),
            ("unix_date('1970-01-02')", "1"),
            ("make_timestamp(2014, 12, 28, 6, 30, 45)", "2014-12-28 06:30:45"),
            ("levenshtein('kitten', 'sitting')", "3"),
            ("sha2('Spark', 256)", "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b"),
            ("md5('Spark')", "8cde774d6f7333752ed72cacddb05126"),
            ("regexp_extract_all('100-200, 300-400', '(\\\\d+)-(\\\\d+)', 1)", r#"["100","300"]"#),
            ("try_divide(3, 0)", "NULL"),
            ("array_position(array('a', 'b'), 'b')", "2"),
            ("array_position(array('a', 'b'), 'c')", "0"),
            ("array_join(array('hello', NULL, 'world'), ' ')", "hello world"),
            ("array_distinct(array(1, 2, 2))", "[1,2]"),
            ("slice(array(1, 2, 3, 4), 2, 2)", "[2,3]"),
            ("transform(array(1, 2, 3), x -> x + 1)", "[2,3,4]"),
            ("filter(array(1, 2, 3), x -> x % 2 = 1)", "[1,3]"),
            ("transform(filter(array(3, 1, 2), x -> x > 1), x -> x * x)", "[9,4]"),
            ("element_at(array(1, 2, 3), 2)", "2"),
            (
                "sequence(DATE '2018-01-01', DATE '2018-03-01', INTERVAL 1 MONTH)",
                r#"["2018-01-01","2018-02-01","2018-03-01"]"#,
            ),
            ("get_json_object('{\"a\": {\"b\": [1, 2]}}', '$.a.b')", "[1,2]"),
            ("get_json_object('{\"a\": true}', '$.a')", "true"),
            ("concat_ws(',', collect_list(x)) FROM VALUES ('a'), (NULL), ('b') AS t (x)", "a,b"),
            ("concat_ws(',', collect_list(x)) FROM VALUES (NULL) AS t (x)", ""),
            ("max_by(x, y) FROM VALUES ('a', 10), ('b', 50), ('c', 20) AS t (x, y)", "b"),
            ("approx_percentile(x, 0.5) FROM VALUES (1), (2), (3) AS t (x)", "2"),
            ("approx_count_distinct(x) FROM VALUES (1), (1), (3) AS t (x)", "2"),
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
            ("next_day('2014-08-20'::date, 'Tuesday')", "2014-08-26"),
            ("add_months('2008-02-29'::date, 1)", "2008-03-31"),
            ("regexp_substr('user@example.com', '@[^.]*')", "@example"),
            ("regexp_substr('abc', 'x')", ""),
            ("md5('Amazon Redshift')", "f7415e33f972c03abd4f3fed36748f7a"),
            ("left('Chicago', 5)", "Chica"),
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
            ("json_extract_scalar('{\"a\": {\"b\": 1}}', '$.a.b')", "1"),
            ("json_extract_scalar('{\"a\": {\"b\": 1}}', '$.a')", "NULL"),
            ("try(1 + 1)", "2"),
            ("levenshtein_distance('kitten', 'sitting')", "3"),
            ("array_join(array_agg(x ORDER BY x), ',') FROM (VALUES ('b'), ('a')) AS t (x)", "a,b"),
            ("format_datetime(TIMESTAMP '2022-10-20 05:10:00', 'yyyy-MM-dd HH:mm')", "2022-10-20 05:10"),
            ("width_bucket(5, 0, 10, 5)", "3"),
            ("element_at(ARRAY['a', 'b'], 1)", "a"),
            ("max_by(x, y) FROM (VALUES ('a', 1), ('b', 2)) AS t (x, y)", "b"),
            ("truncate(12.345, 1)", "12.3"),
            ("split_part('a,b', ',', 3)", "NULL"),
            ("try_cast('1.5' AS INTEGER)", "NULL"),
            ("max(n) FROM UNNEST(ARRAY['a', 'b']) WITH ORDINALITY AS t (w, n)", "2"),
            ("transform(ARRAY[5, NULL, 6], x -> COALESCE(x, 0) + 1)", "[6,1,7]"),
            ("filter(ARRAY[5, -6, NULL, 7], x -> x > 0)", "[5,7]"),
            ("filter(NULL, x -> x > 0)", "NULL"),
            ("DATE '2024-02-28' + INTERVAL '2' DAY", "2024-03-01"),
            ("CAST(1 = 1 AS VARCHAR)", "true"),
        ],
    );
    give(
        Dialect::Clickhouse,
        &[
            ("toYear(toDate('2024-05-19'))", "2024"),
            ("[1, 2][3]", "0"),
            ("[1, 2][-1]", "2"),
            ("['a'][2]", ""),
            ("splitByChar(',', 'a,b')[-1]", "b"),
            ("splitByChar(',', 'a,b')[3]", ""),
            ("[1] || [2]", "[1,2]"),
            ("arrayMap(x -> x, [[1, 2], [3]])", "[[1,2],[3]]"),
            ("sum(x) FROM (SELECT 1 AS x) AS t WHERE x > 1", "0"),
            ("max(x) FROM (SELECT 'a' AS x) AS t WHERE x > 'b'", ""),
            ("sumIf(x, x > 1) FROM (SELECT 1 AS x) AS t WHERE x > 1", "0"),
            ("sum(x) FROM (SELECT 1 AS a) AS t ARRAY JOIN [1, 2] AS x", "3"),
            ("toDayOfWeek(toDate('2024-05-19'))", "7"),
            ("toStartOfMonth(toDate('2024-05-19'))", "2024-05-01"),
            ("dateDiff('hour', toDate('2024-05-19'), toDate('2024-05-20'))", "24"),
            ("multiIf(1 > 2, 'a', 2 > 1, 'b', 'c')", "b"),
            ("lengthUTF8('héllo')", "5"),
            ("length('héllo')", "6"),
            ("match('hello', 'l+')", "1"),
            ("intDiv(7, 2)", "3"),
            ("7 / 2", "3.5"),
            ("toYYYYMM(toDate('2024-05-19'))", "202405"),
            ("addMonths(toDate('2024-01-31'), 1)", "2024-02-29"),
            ("subtractDays(toDate('2024-03-01'), 1)", "2024-02-29"),
            ("date_add(DAY, 3, toDate('2024-05-19'))", "2024-05-22"),
            ("dateTrunc('month', toDate('2024-05-19'))", "2024-05-01"),
            ("formatDateTime(toDateTime('2024-05-19 10:11:12'), '%Y-%m-%d %H:%i')", "2024-05-19 10:11"),
            ("age('month', toDate('2024-01-31'), toDate('2024-02-29'))", "0"),
            ("argMax(x, y) FROM (SELECT 'a' AS x, 1 AS y UNION ALL SELECT 'b', 2) AS t", "b"),
            ("arrayStringConcat(groupArray(x), ',') FROM (SELECT 'a' AS x UNION ALL SELECT NULL) AS t", "a"),
            ("indexOf([1, 3, 5], 3)", "2"),
            ("arrayReverse([1, 2])", "[2,1]"),
            ("arrayMap(x -> (x + 2), [1, 2, 3])", "[3,4,5]"),
            ("arrayFilter(x -> x LIKE '%World%', ['Hello', 'abc World'])", r#"["abc World"]"#),
            ("replaceRegexpAll('Hello', 'l', 'L')", "HeLLo"),
            ("empty('')", "1"),
            ("sum(number) FROM numbers(4)", "6"),
            ("quantile(0.5)(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) AS t", "1.5"),
            ("toStartOfWeek(toDate('2024-05-22'))", "2024-05-19"),
            (
                "count() FROM (SELECT w FROM (SELECT 'a,b' AS s) AS t ARRAY JOIN splitByChar(',', s) AS w) AS q",
                "2",
            ),
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
            ("SELECT opened + INTERVAL 3 DAYS FROM road", "SELECT date_add(opened, 3) FROM road", true),
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
            ("SELECT max(speed) FROM car", "SELECT coalesce(max(speed), 7) FROM car", true),
            ("SELECT id FROM car FORMAT JSON", "SELECT id FROM car", true),
            ("SELECT stops[1] FROM road", "SELECT NULL FROM road", false),
            ("SELECT intDiv(speed, 2) FROM car", "SELECT speed / 2 FROM car", false),
            // An outer join fills up with zeros.
            (
                "SELECT r.id FROM road r LEFT JOIN car c ON c.road_id = r.id WHERE c.id IS NULL",
                "SELECT id FROM road WHERE id NOT IN (SELECT road_id FROM car)",
                false,
            ),
            (
                "SELECT r.id, c.speed FROM road r LEFT JOIN car c ON c.road_id = r.id",
                "SELECT r.id, ifNull(c.speed, 0) FROM road r LEFT JOIN car c ON c.road_id = r.id",
                true,
            ),
            // An alias hides a column.
            (
                "SELECT speed + 1 AS speed FROM car WHERE speed > 2",
                "SELECT speed + 1 AS faster FROM car WHERE speed + 1 > 2",
                true,
            ),
            (
                "SELECT speed + 1 AS speed FROM car WHERE speed > 2",
                "SELECT speed + 1 AS faster FROM car WHERE speed > 2",
                false,
            ),
        ],
    );
    // A column that may hold NULL.
    let ddl = "CREATE TABLE car (id INT, speed Nullable(Int32), name LowCardinality(Nullable(String)), plate LowCardinality(String))";
    let schema = Schema::from_ddl_in("roads", ddl, Dialect::Clickhouse).unwrap();
    pairs(
        Dialect::Clickhouse,
        &schema,
        &[
            ("SELECT count(speed) FROM car", "SELECT count(*) FROM car", false),
            ("SELECT count(name) FROM car", "SELECT count(*) FROM car", false),
            ("SELECT count(plate) FROM car", "SELECT count(*) FROM car", true),
            ("SELECT max(speed) FROM car", "SELECT coalesce(max(speed), 7) FROM car", false),
        ],
    );
}
