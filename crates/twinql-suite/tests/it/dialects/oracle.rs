//! Oracle: what its documentation says that expressions give, executed; ROWNUM, (+), CONNECT BY and windows with DISTINCT; pairs of
//! queries that say the same, and pairs that look like it and do not.

use twinql_sql::{Dialect, Schema, Value};
use twinql_suite::Database;

use super::executed::{give, pairs, rows};

const DDL: &str = "
    CREATE TABLE towers (tower_id NUMBER(10) NOT NULL PRIMARY KEY, tower VARCHAR2(40), town VARCHAR2(40), built DATE, height NUMBER(8, 2));
    CREATE TABLE bells (bell_id NUMBER(10) PRIMARY KEY, tower_id NUMBER(10), tone VARCHAR2(4));";

fn schema() -> Schema {
    Schema::from_ddl_in("city", DDL, Dialect::Oracle).unwrap()
}

/// Each pair is an expression and what the page of its function says that it gives.
#[test]
fn expressions_give_what_the_documentation_says() {
    give(
        Dialect::Oracle,
        &[
            ("NVL(NULL, 5) FROM DUAL", "5"),
            ("NVL2(NULL, 'a', 'b') FROM DUAL", "b"),
            ("REGEXP_SUBSTR('500 Oracle Parkway', '[0-9]+') FROM DUAL", "500"),
            ("REGEXP_COUNT('banana', 'an') FROM DUAL", "2"),
            ("NEXT_DAY(DATE '2009-10-15', 'TUESDAY') FROM DUAL", "2009-10-20"),
            ("LTRIM('<=====>', '<=') FROM DUAL", ">"),
            ("DATE '2024-01-31' + NUMTODSINTERVAL(2, 'DAY') FROM DUAL", "2024-02-02 00:00:00"),
            ("DECODE(2, 1, 'Southlake', 2, 'San Francisco', 'Non domestic') FROM DUAL", "San Francisco"),
            ("DECODE(NULL, NULL, 'none', 'some') FROM DUAL", "none"),
            ("DECODE(9, 1, 'a') FROM DUAL", "NULL"),
            ("GREATEST('HARRY', 'HARRIOT', 'HAROLD') FROM DUAL", "HARRY"),
            ("SUBSTR('ABCDEFG', 3, 4) FROM DUAL", "CDEF"),
            ("SUBSTR('ABCDEFG', -5, 4) FROM DUAL", "CDEF"),
            ("SUBSTR('ABCDEFG', 0, 2) FROM DUAL", "AB"),
            ("SUBSTR('ABC', -5) FROM DUAL", "NULL"),
            ("INSTR('CORPORATE FLOOR', 'OR', 3, 2) FROM DUAL", "14"),
            ("INSTR('CORPORATE FLOOR', 'OR', -3, 2) FROM DUAL", "2"),
            ("INITCAP('the soap') FROM DUAL", "The Soap"),
            ("LPAD('Page 1', 15, '*.') FROM DUAL", "*.*.*.*.*Page 1"),
            ("'a' || NULL || 'b' FROM DUAL", "ab"),
            ("CONCAT('a', '') FROM DUAL", "a"),
            ("LENGTH('') FROM DUAL", "NULL"),
            ("REPLACE('aba', 'a', '') FROM DUAL", "b"),
            ("REPLACE('aba', 'a', NULL) FROM DUAL", "b"),
            ("REPLACE('aba', '', 'x') FROM DUAL", "aba"),
            ("REPLACE('aa', 'a') FROM DUAL", "NULL"),
            ("TRIM(' ') FROM DUAL", "NULL"),
            ("SUBSTR('ab', 3) FROM DUAL", "NULL"),
            ("CASE WHEN '' IS NULL THEN 1 ELSE 0 END FROM DUAL", "1"),
            ("LENGTH('CANDIDE') FROM DUAL", "7"),
            ("CASE WHEN REGEXP_LIKE('Steven', '^Ste(v|ph)en$') THEN 1 ELSE 0 END FROM DUAL", "1"),
            ("CASE WHEN REGEXP_LIKE('STEVEN', '^ste', 'i') THEN 1 ELSE 0 END FROM DUAL", "1"),
            ("REGEXP_REPLACE('500   Oracle', '( ){2,}', ' ') FROM DUAL", "500 Oracle"),
            // Dates.
            ("TO_CHAR(TO_DATE('2024-05-17', 'YYYY-MM-DD'), 'MM/DD/YYYY') FROM DUAL", "05/17/2024"),
            ("TO_CHAR(DATE '2024-05-17', 'DD-MON-YYYY') FROM DUAL", "17-MAY-2024"),
            ("TO_DATE('17.05.2024', 'DD.MM.YYYY') FROM DUAL", "2024-05-17"),
            ("TRUNC(DATE '2024-05-17', 'MM') FROM DUAL", "2024-05-01"),
            ("TRUNC(DATE '2024-05-17', 'Q') FROM DUAL", "2024-04-01"),
            ("TRUNC(DATE '2024-05-17', 'YEAR') FROM DUAL", "2024-01-01"),
            ("TRUNC(DATE '2024-05-17', 'IW') FROM DUAL", "2024-05-13"),
            ("ADD_MONTHS(DATE '2024-01-31', 1) FROM DUAL", "2024-02-29"),
            // The last day stays the last day.
            ("ADD_MONTHS(DATE '2024-02-29', 1) FROM DUAL", "2024-03-31"),
            (
                "ROUND(MONTHS_BETWEEN(TO_DATE('02-02-1995', 'MM-DD-YYYY'), TO_DATE('01-01-1995', 'MM-DD-YYYY')), 8) FROM DUAL",
                "1.03225806",
            ),
            ("MONTHS_BETWEEN(DATE '2024-02-29', DATE '2024-01-31') FROM DUAL", "1.0"),
            ("LAST_DAY(DATE '2024-02-10') FROM DUAL", "2024-02-29"),
            ("DATE '2024-05-17' + 15 FROM DUAL", "2024-06-01"),
            ("DATE '2024-05-17' - 1 FROM DUAL", "2024-05-16"),
            ("DATE '2024-05-17' - DATE '2024-05-01' FROM DUAL", "16"),
            ("EXTRACT(YEAR FROM DATE '1998-03-07') FROM DUAL", "1998"),
            // Numbers.
            ("TRUNC(15.79, 1) FROM DUAL", "15.7"),
            ("TRUNC(15.79, -1) FROM DUAL", "10.0"),
            ("ROUND(15.193, 1) FROM DUAL", "15.2"),
            ("MOD(11, 4) FROM DUAL", "3"),
            ("7 / 2 FROM DUAL", "3.5"),
            ("TO_NUMBER('100.5') + 1 FROM DUAL", "101.5"),
            ("TO_CHAR(1234567.891, '9,999,999.99') FROM DUAL", " 1,234,567.89"),
            ("TO_CHAR(1234, '999,999') FROM DUAL", "   1,234"),
            ("TO_CHAR(-7, '999') FROM DUAL", "  -7"),
            ("TO_CHAR(0.5, '990.00') FROM DUAL", "   0.50"),
            ("TO_CHAR(12345, '999') FROM DUAL", "####"),
            ("TO_CHAR(1234, 'FM999,999') FROM DUAL", "1,234"),
            // Aggregates.
            ("MEDIAN(x) FROM (SELECT 1 AS x FROM DUAL UNION ALL SELECT 4 FROM DUAL)", "2.5"),
            (
                "LISTAGG(x, '; ') WITHIN GROUP (ORDER BY x DESC) FROM (SELECT 'a' AS x FROM DUAL UNION ALL SELECT 'b' FROM DUAL)",
                "b; a",
            ),
            (
                "LISTAGG(x) WITHIN GROUP (ORDER BY x) FROM (SELECT 'a' AS x FROM DUAL UNION ALL SELECT 'b' FROM DUAL)",
                "ab",
            ),
            ("SUM(LEVEL) FROM DUAL CONNECT BY LEVEL <= 4", "10"),
        ],
    );
}

fn city() -> Database {
    let text = |t: &str| Value::Text(t.into());
    let tower = |id: i64, name: &str, town: &str, height: i64| {
        vec![Value::Integer(id), text(name), text(town), text("1450-06-01"), Value::Integer(height)]
    };
    let bell = |id: i64, tower: i64, tone: &str| vec![Value::Integer(id), Value::Integer(tower), text(tone)];
    Database {
        tables: vec![
            Some(vec![tower(1, "Red", "Ulm", 50), tower(2, "New", "Ulm", 70), tower(3, "Old", "Bern", 70)]),
            Some(vec![bell(1, 1, "a"), bell(2, 1, "a"), bell(3, 1, "c"), bell(4, 2, "e")]),
        ],
    }
}

/// Constructs that SQLite lacks, over a few rows.
#[test]
fn constructs_give_their_rows() {
    let schema = schema();
    for (sql, wanted) in [
        ("SELECT * FROM (SELECT tower FROM towers ORDER BY tower) WHERE ROWNUM <= 2", vec!["New", "Old"]),
        ("SELECT COUNT(*) FROM (SELECT tower FROM towers WHERE ROWNUM < 3)", vec!["2"]),
        ("SELECT tower FROM towers ORDER BY tower_id DESC FETCH FIRST 1 ROW ONLY", vec!["Old"]),
        ("SELECT tower FROM towers ORDER BY height DESC FETCH FIRST 1 ROWS WITH TIES", vec!["New", "Old"]),
        (
            "SELECT t.tower, b.tone FROM towers t, bells b WHERE t.tower_id = b.tower_id (+) AND t.tower_id > 1 ORDER BY 1",
            vec!["New|e", "Old|NULL"],
        ),
        (
            "SELECT t.tower FROM towers t, bells b WHERE b.tower_id(+) = t.tower_id AND b.tone(+) = 'c' AND b.bell_id IS NULL ORDER BY 1",
            vec!["New", "Old"],
        ),
        ("SELECT LEVEL * 2 FROM DUAL CONNECT BY LEVEL <= 3", vec!["2", "4", "6"]),
        ("SELECT town FROM towers MINUS SELECT town FROM towers WHERE tower = 'Old'", vec!["Ulm"]),
        (
            "SELECT DISTINCT tower_id, COUNT(DISTINCT tone) OVER (PARTITION BY tower_id) FROM bells ORDER BY tower_id",
            vec!["1|2", "2|1"],
        ),
        ("SELECT DISTINCT SUM(DISTINCT height) OVER () FROM towers", vec!["120"]),
    ] {
        assert_eq!(rows(Dialect::Oracle, &schema, &city(), sql), wanted, "{sql}");
    }
}

/// Pairs that are alike, and pairs that look alike.
#[test]
fn pairs_are_told_apart() {
    pairs(
        Dialect::Oracle,
        &schema(),
        &[
            (
                "SELECT t.tower, b.tone FROM towers t, bells b WHERE t.tower_id = b.tower_id(+)",
                "SELECT t.tower, b.tone FROM towers t LEFT JOIN bells b ON t.tower_id = b.tower_id",
                true,
            ),
            (
                "SELECT t.tower, b.tone FROM towers t, bells b WHERE t.tower_id = b.tower_id(+)",
                "SELECT t.tower, b.tone FROM towers t, bells b WHERE t.tower_id(+) = b.tower_id",
                false,
            ),
            (
                "SELECT t.tower FROM towers t, bells b WHERE t.tower_id = b.tower_id(+) AND b.tone(+) = 'c'",
                "SELECT t.tower FROM towers t, bells b WHERE t.tower_id = b.tower_id(+) AND b.tone = 'c'",
                false,
            ),
            (
                "SELECT * FROM (SELECT tower FROM towers ORDER BY tower_id) WHERE ROWNUM <= 5",
                "SELECT tower FROM towers ORDER BY tower_id FETCH FIRST 5 ROWS ONLY",
                true,
            ),
            ("SELECT NVL(tower, 'x') FROM towers", "SELECT COALESCE(tower, 'x') FROM towers", true),
            // A DATE has a time of day.
            (
                "SELECT tower FROM towers WHERE built = DATE '1450-06-01'",
                "SELECT tower FROM towers WHERE TRUNC(built) = DATE '1450-06-01'",
                false,
            ),
            (
                "SELECT tower_id, what FROM (SELECT tower_id, height, built FROM towers) UNPIVOT (n FOR what IN (height)) WHERE what = 'HEIGHT'",
                "SELECT tower_id, 'HEIGHT' FROM towers WHERE height IS NOT NULL",
                true,
            ),
            ("SELECT NVL2(tower, 1, 2) FROM towers", "SELECT NVL2(tower, 2, 1) FROM towers", false),
            (
                "SELECT DECODE(town, 'Ulm', 1, 2) FROM towers",
                "SELECT CASE WHEN town = 'Ulm' THEN 1 ELSE 2 END FROM towers",
                true,
            ),
            (
                "SELECT town FROM towers MINUS SELECT tower FROM towers",
                "SELECT town FROM towers EXCEPT SELECT tower FROM towers",
                true,
            ),
            ("SELECT ADD_MONTHS(built, 1) FROM towers", "SELECT built + 30 FROM towers", false),
            (
                "SELECT COUNT(DISTINCT tone) OVER (PARTITION BY tower_id) FROM bells",
                "SELECT COUNT(tone) OVER (PARTITION BY tower_id) FROM bells",
                false,
            ),
            ("SELECT tower FROM towers WHERE town = ''", "SELECT tower FROM towers WHERE town = NULL", true),
            ("SELECT TO_CHAR(built, 'YYYY') FROM towers", "SELECT TO_CHAR(built, 'YY') FROM towers", false),
        ],
    );
}
