//! SQL Server: what its documentation says that expressions give, executed; variables, TOP, APPLY and PIVOT; pairs of queries that
//! say the same, and pairs that look like it and do not.

use twinql_sql::{Dialect, Schema, Value, in_sqlite};
use twinql_suite::Database;

use super::executed::{give, pairs, rows};

const DDL: &str = "
    CREATE TABLE dbo.boats (
        boat_id INT NOT NULL PRIMARY KEY, boat NVARCHAR(40) NOT NULL, harbour NVARCHAR(40), built DATE, seen DATETIME,
        price DECIMAL(10, 2), crew INT);
    CREATE TABLE [dbo].[trips] (trip_id INT PRIMARY KEY, boat_id INT NOT NULL, miles INT, note VARCHAR(100));";

fn schema() -> Schema {
    Schema::from_ddl_in("fleet", DDL, Dialect::Tsql).unwrap()
}

/// Each pair is an expression and what the page of its function says that it gives.
#[test]
fn expressions_give_what_the_documentation_says() {
    give(
        Dialect::Tsql,
        &[
            // dateadd, datediff, datepart, datename, eomonth
            ("DATEADD(month, 1, '2024-08-31')", "2024-09-30 00:00:00"),
            ("DATEADD(mm, 1, CAST('2024-08-31' AS DATE))", "2024-09-30"),
            ("DATEADD(yyyy, 1, CAST('2024-02-29' AS DATE))", "2025-02-28"),
            ("DATEADD(qq, -1, CAST('2024-05-31' AS DATE))", "2024-02-29"),
            ("DATEADD(hh, 2, '2024-05-01 23:30:00')", "2024-05-02 01:30:00"),
            ("DATEADD(wk, 1, CAST('2024-05-01' AS DATE))", "2024-05-08"),
            ("DATEDIFF(year, '2005-12-31 23:59:59', '2006-01-01 00:00:00')", "1"),
            // json_value, json_query, isjson, quotename, str, translate
            ("JSON_VALUE('{\"a\": {\"b\": true}}', '$.a.b')", "true"),
            ("JSON_VALUE('{\"a\": {\"b\": 1}}', '$.a')", "NULL"),
            ("JSON_QUERY('{\"a\": {\"b\": 1}}', '$.a')", "{\"b\":1}"),
            ("JSON_QUERY('{\"a\": 1}', '$.a')", "NULL"),
            ("ISJSON('no')", "0"),
            // Blanks at the end do not count.
            ("IIF('a ' = 'A', 1, 0)", "1"),
            ("NULLIF('  ', '')", "NULL"),
            ("LEN('a ' + 'b ')", "3"),
            ("QUOTENAME('abc[]def')", "[abc[]]def]"),
            ("STR(123)", "       123"),
            ("TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()')", "2*(3+4)/(7-2)"),
            ("DATEDIFF(m, '2005-12-31 23:59:59', '2006-01-01 00:00:00')", "1"),
            ("DATEDIFF(dd, '2005-12-31 23:59:59', '2006-01-01 00:00:00')", "1"),
            // From Saturday to Sunday; weeks begin on Sunday.
            ("DATEDIFF(ww, '2005-12-31', '2006-01-01')", "1"),
            ("DATEDIFF(n, '2005-12-31 23:59:59', '2006-01-01 00:00:00')", "1"),
            ("DATEDIFF(day, '20240101', '20240131')", "30"),
            ("DATEPART(wk, '2007-04-21')", "16"),
            ("DATEPART(dw, '2007-04-21')", "7"),
            ("DATEPART(dy, '2007-10-30 12:15:32')", "303"),
            ("DATEPART(q, '2007-10-30 12:15:32')", "4"),
            ("DATEPART(iso_week, '2008-01-01')", "1"),
            ("DATEPART(year, 0)", "1900"),
            ("DATEPART(\"hour\", '2007-10-30 12:15:32')", "12"),
            ("DATENAME(month, '2007-10-30') + ' ' + DATENAME(year, '2007-10-30')", "October 2007"),
            ("DATENAME(weekday, '2007-10-30')", "Tuesday"),
            ("EOMONTH('2024-02-10')", "2024-02-29"),
            ("EOMONTH('2024-02-10', -1)", "2024-01-31"),
            ("DATEFROMPARTS(2010, 12, 31)", "2010-12-31"),
            ("DATEADD(month, DATEDIFF(month, 0, '2024-05-17'), 0)", "2024-05-01 00:00:00"),
            ("DATEADD(day, DATEDIFF(day, 0, '2024-05-17 11:00:00'), 0)", "2024-05-17 00:00:00"),
            ("YEAR('2024-05-17') * 100 + MONTH('2024-05-17')", "202405"),
            (
                "CAST(CAST('2024-05-17 18:00:00' AS DATETIME) AS FLOAT) - CAST(CAST('2024-05-17' AS DATETIME) AS FLOAT)",
                "0.75",
            ),
            // cast and convert
            ("CONVERT(VARCHAR(10), CAST('2024-05-01' AS DATETIME), 101)", "05/01/2024"),
            ("CONVERT(VARCHAR(7), CAST('2024-05-01 13:04:05' AS DATETIME), 120)", "2024-05"),
            ("CONVERT(CHAR(8), CAST('2024-05-01' AS DATE), 112)", "20240501"),
            ("CONVERT(VARCHAR, CAST('2024-05-01 13:04:05' AS DATETIME))", "May  1 2024  1:04PM"),
            ("CAST(CAST('2024-05-01 13:04:05' AS DATETIME) AS VARCHAR(11))", "May  1 2024"),
            ("CONVERT(VARCHAR(20), CAST('2024-05-01 13:04:05' AS DATETIME), 108)", "13:04:05"),
            ("CONVERT(VARCHAR, CAST('2024-05-01' AS DATE))", "2024-05-01"),
            ("CONVERT(DATE, '05/01/2024', 101)", "2024-05-01"),
            ("CONVERT(DATE, '01/05/2024', 103)", "2024-05-01"),
            ("CONVERT(INT, 10.6496)", "10"),
            ("CAST(-10.6496 AS INT)", "-10"),
            ("CAST(12345 AS VARCHAR(3))", "*"),
            ("CAST('abcdef' AS VARCHAR(3))", "abc"),
            ("CAST(10.3496847 AS MONEY)", "10.3497"),
            ("CAST(5 AS BIT)", "1"),
            ("TRY_CAST('test' AS FLOAT)", "NULL"),
            ("TRY_CONVERT(INT, '12')", "12"),
            ("ISNUMERIC('$1,200.50') + ISNUMERIC('abc') + ISNUMERIC(NULL)", "1"),
            ("7 / 2", "3"),
            ("7 / 2.0", "3.5"),
            // format
            ("FORMAT(CAST('2024-05-07' AS DATE), 'dd/MM/yyyy')", "07/05/2024"),
            ("FORMAT(CAST('2024-05-07 15:04:05' AS DATETIME), 'MMM d, yyyy h:mm tt')", "May 7, 2024 3:04 PM"),
            ("FORMAT(1234567.891, 'N2')", "1,234,567.89"),
            ("FORMAT(0.256, '0.0%')", "25.6%"),
            // texts
            ("LEN('abc  ')", "3"),
            ("LEFT('abcdefg', 2) + RIGHT('abcdefg', 2)", "abfg"),
            ("SUBSTRING('abcdef', 2, 3)", "bcd"),
            ("SUBSTRING('abcdef', 0, 3)", "ab"),
            ("CHARINDEX('BICYCLE', 'Reflectors are vital safety components of your bicycle.')", "48"),
            ("CHARINDEX('is', 'This is a string')", "3"),
            ("CHARINDEX('is', 'This is a string', 4)", "6"),
            ("CHARINDEX('', 'abc')", "0"),
            ("PATINDEX('%ter%', 'interesting data')", "3"),
            ("PATINDEX('%[^ 0-9A-Za-z]%', 'Please ensure the door is locked!')", "33"),
            ("STUFF('abcdef', 2, 3, 'ijklmn')", "aijklmnef"),
            ("STUFF('abcdef', 2, 3, NULL)", "aef"),
            ("STUFF('abc', 0, 1, 'x')", "NULL"),
            ("REPLACE('abcDEfghicde', 'cde', 'xxx')", "abxxxfghixxx"),
            ("CONCAT('Happy ', 'Birthday ', 11, '/', '25')", "Happy Birthday 11/25"),
            ("CONCAT('a', NULL, 'b')", "ab"),
            ("'a' + NULL", "NULL"),
            ("'The number is ' + CAST(5 AS VARCHAR(12))", "The number is 5"),
            ("1 + '2'", "3"),
            ("CONCAT_WS(',', 'a', NULL, 'b')", "a,b"),
            ("REVERSE('abc') + REPLICATE('x', 2) + SPACE(1) + CHAR(65)", "cbaxx A"),
            ("ASCII('A')", "65"),
            ("N'été'", "été"),
            // choices
            ("ISNULL(NULL, 5)", "5"),
            ("IIF(45 > 30, 'TRUE', 'FALSE')", "TRUE"),
            ("CHOOSE(3, 'Manager', 'Director', 'Developer', 'Tester')", "Developer"),
            ("CHOOSE(5, 'a', 'b')", "NULL"),
            ("GREATEST(1, NULL, 3)", "3"),
            // LIKE with classes; case is ignored.
            ("CASE WHEN 'Carsen' LIKE '[CK]ars[eo]n' THEN 1 ELSE 0 END", "1"),
            ("CASE WHEN 'de' LIKE 'd[^e]' THEN 1 ELSE 0 END", "0"),
            ("CASE WHEN '50%' LIKE '50[%]' THEN 1 ELSE 0 END", "1"),
            ("CASE WHEN 'straw' LIKE 'STR_W' THEN 1 ELSE 0 END", "1"),
            ("CASE WHEN 'abc' = 'ABC' THEN 1 ELSE 0 END", "1"),
            // numbers
            ("ROUND(748.58, -2)", "700.0"),
            ("ROUND(150.75, 0, 1)", "150.0"),
            ("POWER(2, 3)", "8"),
            ("SQUARE(3)", "9.0"),
            ("ROUND(LOG(10), 4)", "2.3026"),
            ("LOG(8, 2)", "3.0"),
            ("10 % 3", "1"),
            // aggregates
            ("AVG(x) FROM (VALUES (1), (2), (2)) v(x)", "1"),
            ("AVG(x * 1.0) FROM (VALUES (1), (2)) v(x)", "1.5"),
            ("STDEV(x) FROM (VALUES (2), (4)) v(x)", "1.4142135623730951"),
            ("VARP(x) FROM (VALUES (2), (4)) v(x)", "1.0"),
            ("COUNT_BIG(*) FROM (VALUES (2), (4)) v(x)", "2"),
            ("STRING_AGG(x, '-') WITHIN GROUP (ORDER BY x DESC) FROM (VALUES ('a'), ('b')) v(x)", "b-a"),
            ("COUNT(*) FROM STRING_SPLIT('a,b,c', ',')", "3"),
            ("COUNT(*) FROM STRING_SPLIT('', ',')", "1"),
        ],
    );
}

fn fleet() -> Database {
    let boat = |id: i64, name: &str, harbour: &str, crew: i64| {
        let text = |t: &str| Value::Text(t.into());
        vec![
            Value::Integer(id),
            text(name),
            text(harbour),
            text("2001-02-03"),
            text("2024-05-17 10:00:00"),
            Value::Real(10.5.into()),
            Value::Integer(crew),
        ]
    };
    let trip = |id: i64, boat: i64, miles: i64| {
        vec![Value::Integer(id), Value::Integer(boat), Value::Integer(miles), Value::Null]
    };
    Database {
        tables: vec![
            Some(vec![boat(1, "Ann", "Kiel", 3), boat(2, "Bea", "kiel", 3), boat(3, "Cid", "Ulm", 1)]),
            Some(vec![trip(1, 1, 10), trip(2, 1, 30), trip(3, 2, 20)]),
        ],
    }
}

/// Constructs that SQLite lacks, over a few rows.
#[test]
fn constructs_give_their_rows() {
    let schema = schema();
    for (sql, wanted) in [
        ("SELECT TOP 2 boat FROM boats ORDER BY boat_id DESC", vec!["Cid", "Bea"]),
        ("SELECT TOP (1) WITH TIES boat FROM boats ORDER BY crew DESC", vec!["Ann", "Bea"]),
        ("SELECT TOP 50 PERCENT boat FROM boats ORDER BY boat_id", vec!["Ann", "Bea"]),
        ("SELECT boat FROM boats ORDER BY boat_id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY", vec!["Bea"]),
        (
            "DECLARE @h NVARCHAR(20) = 'KIEL', @n INT; SET @n = 1\nSELECT COUNT(*) FROM boats WHERE harbour = @h AND boat_id > @n",
            vec!["1"],
        ),
        // A text without a length has one character.
        (
            "DECLARE @b VARCHAR = 'Ann'; SELECT COUNT(*) FROM boats WHERE boat = @b OR boat LIKE @b + '%'",
            vec!["1"],
        ),
        (
            "SELECT b.boat, t.miles FROM boats b CROSS APPLY (SELECT TOP 1 miles FROM trips t WHERE t.boat_id = b.boat_id ORDER BY miles DESC) t ORDER BY b.boat_id",
            vec!["Ann|30", "Bea|20"],
        ),
        (
            "SELECT b.boat, t.miles FROM boats AS b OUTER APPLY (SELECT TOP 1 miles FROM trips AS t WHERE t.boat_id = b.boat_id ORDER BY miles) AS t ORDER BY b.boat_id",
            vec!["Ann|10", "Bea|20", "Cid|NULL"],
        ),
        (
            "SELECT x.n FROM boats b CROSS APPLY (SELECT b.crew * 10 + b.boat_id AS n) x ORDER BY x.n",
            vec!["13", "31", "32"],
        ),
        (
            "SELECT t.trip_id, x.n FROM trips t CROSS APPLY (SELECT b.crew + t.miles AS n FROM boats b WHERE b.boat_id = t.boat_id) x ORDER BY 1",
            vec!["1|13", "2|33", "3|23"],
        ),
        (
            "SELECT v.k, v.n FROM trips t CROSS APPLY (VALUES ('boat', t.boat_id), ('miles', t.miles)) v (k, n) WHERE t.trip_id = 3 ORDER BY v.k",
            vec!["boat|2", "miles|20"],
        ),
        (
            "SELECT [1], [2], [9] FROM (SELECT boat_id, miles FROM trips) AS s PIVOT (SUM(miles) FOR boat_id IN ([1], [2], [9])) AS p",
            vec!["40|20|NULL"],
        ),
        (
            "SELECT boat_id, kind, n FROM (SELECT boat_id, trip_id, miles FROM trips) s UNPIVOT (n FOR kind IN (trip_id, miles)) u WHERE boat_id = 2 ORDER BY kind",
            vec!["2|miles|20", "2|trip_id|3"],
        ),
        (
            "SELECT town = harbour, n = COUNT(*) FROM [boats] WITH (NOLOCK) GROUP BY harbour ORDER BY n",
            vec!["Ulm|1", "Kiel|2"],
        ),
        (
            "SELECT b.boat FROM dbo.boats b JOIN fleet.dbo.trips t ON t.boat_id = b.boat_id WHERE t.miles = '20' OPTION (RECOMPILE)",
            vec!["Bea"],
        ),
        // Hints behind a table's name.
        (
            "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT COUNT(*) FROM r OPTION (MAXRECURSION 10)",
            vec!["5"],
        ),
        ("SELECT COUNT(*), COUNT(DISTINCT harbour + ' ') FROM boats WHERE harbour <> 'ULM  '", vec!["2|1"]),
        (
            "SELECT STUFF((SELECT ', ' + boat FROM boats ORDER BY boat_id DESC FOR XML PATH('')), 1, 2, '')",
            vec!["Cid, Bea, Ann"],
        ),
        (
            "SELECT (SELECT '<' + boat AS [text()] FROM boats WHERE boat_id = 1 FOR XML PATH('')), (SELECT '<' + boat FROM boats WHERE boat_id = 1 FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)')",
            vec!["&lt;Ann|<Ann"],
        ),
        (
            "SELECT DISTINCT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY miles) OVER (PARTITION BY boat_id) FROM trips WHERE boat_id = 1",
            vec!["20.0"],
        ),
    ] {
        assert_eq!(rows(Dialect::Tsql, &schema, &fleet(), sql), wanted, "{sql}");
    }
}

/// Pairs that are alike, and pairs that look alike.
#[test]
fn pairs_are_told_apart() {
    pairs(
        Dialect::Tsql,
        &schema(),
        &[
            (
                "SELECT TOP 3 boat FROM boats ORDER BY boat_id",
                "SELECT boat FROM boats ORDER BY boat_id OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY",
                true,
            ),
            (
                "SELECT TOP 3 boat FROM boats ORDER BY crew",
                "SELECT TOP 3 WITH TIES boat FROM boats ORDER BY crew",
                false,
            ),
            (
                "SELECT TOP 10 boat FROM boats ORDER BY boat_id",
                "SELECT TOP 10 PERCENT boat FROM boats ORDER BY boat_id",
                false,
            ),
            (
                "SELECT boat FROM boats WHERE harbour = 'Kiel '",
                "SELECT boat FROM boats WHERE RTRIM(harbour) = 'KIEL'",
                true,
            ),
            (
                "SELECT boat FROM boats WHERE harbour = 'Kiel'",
                "SELECT boat FROM boats WHERE harbour LIKE 'Kiel'",
                false,
            ),
            ("SELECT n = COUNT(*) FROM boats", "SELECT COUNT(*) AS n FROM boats", true),
            (
                "SELECT boat FROM boats WHERE built >= '20240131'",
                "SELECT boat FROM boats WHERE built >= '2024-01-31'",
                true,
            ),
            (
                "SELECT harbour, crew, COUNT(*) FROM boats GROUP BY GROUPING SETS (harbour, crew)",
                "SELECT harbour, NULL, COUNT(*) FROM boats GROUP BY harbour UNION ALL SELECT NULL, crew, COUNT(*) FROM boats GROUP BY crew",
                true,
            ),
            // A text is cut to the column's length.
            (
                "SELECT ISNULL(harbour, 'somewhere that nobody wrote down, on some coast') FROM boats",
                "SELECT COALESCE(harbour, 'somewhere that nobody wrote down, on some coast') FROM boats",
                false,
            ),
            ("SELECT ISNULL(harbour, 'x') FROM boats", "SELECT COALESCE(harbour, 'x') FROM boats", true),
            (
                "SELECT boat FROM boats WHERE harbour = 'kiel'",
                "SELECT boat FROM boats WHERE LOWER(harbour) = 'KIEL'",
                true,
            ),
            (
                "SELECT CONVERT(VARCHAR(7), built, 120) FROM boats",
                "SELECT FORMAT(built, 'yyyy-MM') FROM boats",
                true,
            ),
            (
                "SELECT CONVERT(VARCHAR(7), built, 120) FROM boats",
                "SELECT CONVERT(VARCHAR(7), built, 102) FROM boats",
                false,
            ),
            ("SELECT YEAR(built) FROM boats", "SELECT DATEPART(yy, built) FROM boats", true),
            ("SELECT DATEPART(m, built) FROM boats", "SELECT DATEPART(n, seen) FROM boats", false),
            (
                "SELECT DATEADD(month, 1, built) FROM boats",
                "SELECT DATEADD(day, 30, built) FROM boats",
                false,
            ),
            (
                "SELECT DATEDIFF(year, built, seen) FROM boats",
                "SELECT YEAR(seen) - YEAR(built) FROM boats",
                true,
            ),
            (
                "SELECT DATEDIFF(month, built, seen) FROM boats",
                "SELECT DATEDIFF(day, built, seen) / 30 FROM boats",
                false,
            ),
            ("SELECT crew / 2 FROM boats", "SELECT crew / 2.0 FROM boats", false),
            ("SELECT boat + '' FROM boats", "SELECT CONCAT(harbour, '') FROM boats", false),
            ("SELECT ISNULL(crew, 0) FROM boats", "SELECT COALESCE(crew, 0) FROM boats", true),
            (
                "SELECT IIF(crew > 1, 'a', 'b') FROM boats",
                "SELECT CASE WHEN crew > 1 THEN 'a' ELSE 'b' END FROM boats",
                true,
            ),
            ("SELECT AVG(crew) FROM boats", "SELECT AVG(CAST(crew AS FLOAT)) FROM boats", false),
            ("SELECT STDEV(crew) FROM boats", "SELECT STDEVP(crew) FROM boats", false),
            (
                "DECLARE @n INT = 5; SELECT boat FROM boats WHERE crew > @n",
                "SELECT boat FROM boats WHERE crew > 5",
                true,
            ),
            (
                "DECLARE @n INT = 5; SELECT boat FROM boats WHERE crew > @n",
                "SELECT boat FROM boats WHERE crew >= 5",
                false,
            ),
            (
                "SELECT boat FROM boats WHERE boat LIKE '[A]%'",
                "SELECT boat FROM boats WHERE boat LIKE '[^A]%'",
                false,
            ),
            (
                "SELECT b.boat FROM boats b CROSS APPLY (SELECT miles FROM trips t WHERE t.boat_id = b.boat_id) x",
                "SELECT b.boat FROM boats b JOIN trips t ON t.boat_id = b.boat_id",
                true,
            ),
            (
                "SELECT x.n FROM boats b CROSS APPLY (SELECT b.crew + 1 AS n) x WHERE x.n > 2",
                "SELECT crew + 1 FROM boats WHERE crew + 1 > 2",
                true,
            ),
            (
                "SELECT x.n FROM boats b CROSS APPLY (VALUES (b.crew), (b.boat_id)) x (n)",
                "SELECT crew FROM boats",
                false,
            ),
            (
                "SELECT b.boat FROM boats b CROSS APPLY (SELECT miles FROM trips t WHERE t.boat_id = b.boat_id) x",
                "SELECT b.boat FROM boats b OUTER APPLY (SELECT miles FROM trips t WHERE t.boat_id = b.boat_id) x",
                false,
            ),
        ],
    );
}

/// What has no words in the sandbox stays a call of no system.
#[test]
fn what_is_not_known_stays_opaque() {
    let schema = schema();
    for (sql, call) in [
        ("SELECT CHECKSUM(boat) FROM boats", "tsql_checksum("),
        ("SELECT CAST(price AS VARCHAR(20)) FROM boats", "tsql_convert("),
        ("SELECT FORMAT(built, 'D') FROM boats", "tsql_format("),
        ("SELECT DATEPART(ns, seen) FROM boats", "extract_ns("),
    ] {
        let text = in_sqlite(&schema, sql, Dialect::Tsql).unwrap();
        assert!(text.contains(call), "{text}");
    }
}
