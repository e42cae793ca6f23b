//! Queries and DDL of other dialects mean what they mean there, in SQLite's terms.

use twinql_sql::schema::Typing;
use twinql_sql::{
    Affinity, Dialect, Plan, Schema, Semantics, SqlError, TypeClass, normalize, parse_in, plan, print,
    translate,
};

use Dialect::{Generic, Mysql, Postgres, Sqlite};

const DDL: &str =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER NOT NULL, r REAL, d DATE);
    CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id), a TEXT);";

fn schema() -> Schema {
    Schema::from_ddl("d", DDL).unwrap()
}

fn planned(sql: &str, dialect: Dialect) -> Result<Plan, SqlError> {
    plan(&schema(), &parse_in(sql, dialect)?)
}

fn canonical(sql: &str, dialect: Dialect) -> twinql_sql::Query {
    let plan = planned(sql, dialect).unwrap_or_else(|e| panic!("{dialect}: {sql}: {e}"));
    let strict = Semantics::preset("strict").unwrap();
    normalize(&schema(), plan, &strict).plan.query
}

/// The first is the second, which is SQLite's.
#[test]
fn common_names() {
    let table: &[(&[Dialect], &str, &str)] = &[
        (&[Postgres, Mysql, Generic], "SELECT CHAR_LENGTH(a) FROM t", "SELECT LENGTH(a) FROM t"),
        (&[Mysql], "SELECT LENGTH(a) FROM t", "SELECT OCTET_LENGTH(a) FROM t"),
        (&[Postgres, Mysql, Generic], "SELECT SUBSTRING(a FROM 2 FOR 3) FROM t", "SELECT SUBSTR(a, 2, 3) FROM t"),
        (
            &[Postgres, Mysql, Generic],
            "SELECT EXTRACT(YEAR FROM d) FROM t",
            "SELECT CAST(strftime('%Y', d) AS INTEGER) FROM t",
        ),
        (&[Mysql, Generic], "SELECT YEAR(d) FROM t", "SELECT CAST(strftime('%Y', d) AS INTEGER) FROM t"),
        (&[Postgres], "SELECT date_part('month', d) FROM t", "SELECT CAST(strftime('%m', d) AS INTEGER) FROM t"),
        (&[Postgres], "SELECT STRPOS(a, 'x') FROM t", "SELECT INSTR(a, 'x') FROM t"),
        (&[Postgres, Generic], "SELECT POSITION('x' IN a) FROM t", "SELECT INSTR(a, 'x') FROM t"),
        (&[Mysql], "SELECT POSITION('X' IN a) FROM t", "SELECT INSTR(LOWER(a), 'x') FROM t"),
        (&[Mysql], "SELECT LOCATE('x', a) FROM t", "SELECT INSTR(LOWER(a), 'x') FROM t"),
        (&[Mysql], "SELECT CONCAT(a, 'x', b) FROM t", "SELECT a || 'x' || b FROM t"),
        (&[Postgres, Generic], "SELECT a || b FROM t", "SELECT a || b FROM t"),
        (&[Mysql], "SELECT n = 1 || n = 2 FROM t", "SELECT n = 1 OR n = 2 FROM t"),
        (&[Mysql], "SELECT n = 1 && r = 2 FROM t", "SELECT n = 1 AND r = 2 FROM t"),
        (&[Postgres, Mysql, Generic], "SELECT NOW() FROM t", "SELECT CURRENT_TIMESTAMP FROM t"),
        (&[Mysql], "SELECT IF(n > 1, a, b) FROM t", "SELECT IIF(n > 1, a, b) FROM t"),
        (&[Generic], "SELECT NVL(a, b) FROM t", "SELECT COALESCE(a, b) FROM t"),
        (&[Postgres], "SELECT string_agg(a, ',') FROM t", "SELECT GROUP_CONCAT(a) FROM t"),
        (&[Postgres], "SELECT string_agg(DISTINCT a, ',') FROM t", "SELECT pg_string_agg_distinct(a, ',') FROM t"),
        (&[Postgres, Generic], "SELECT id FROM t WHERE a ILIKE 'x%y'", "SELECT id FROM t WHERE a LIKE 'x%y'"),
        (&[Postgres, Generic], "SELECT id FROM t WHERE a LIKE 'x%_[*'", "SELECT id FROM t WHERE a GLOB 'x*?[[][*]'"),
        (&[Postgres], "SELECT id FROM t WHERE a LIKE 'x\\%%'", "SELECT id FROM t WHERE a GLOB 'x%*'"),
        (&[Mysql], "SELECT id FROM t WHERE a LIKE 'x%'", "SELECT id FROM t WHERE a LIKE 'x%'"),
        (&[Postgres], "SELECT n::text, r::integer FROM t", "SELECT CAST(n AS TEXT), CAST(pg_round_even(r) AS INTEGER) FROM t"),
        (&[Postgres], "SELECT d::date FROM t", "SELECT date(d) FROM t"),
        (&[Mysql], "SELECT id FROM t LIMIT 2, 3", "SELECT id FROM t LIMIT 3 OFFSET 2"),
        (&[Postgres, Generic], "SELECT id FROM t FETCH FIRST 3 ROWS ONLY", "SELECT id FROM t LIMIT 3"),
        (&[Mysql], "SELECT `a` FROM `t` WHERE b = \"X\"", "SELECT a FROM t WHERE LOWER(b) = 'x'"),
        (&[Postgres, Generic], "SELECT \"a\" FROM \"t\"", "SELECT a FROM t"),
        (&[Postgres, Mysql], "SELECT id FROM t WHERE n = TRUE", "SELECT id FROM t WHERE n = 1"),
        (&[Postgres, Mysql, Generic], "SELECT id FROM t WHERE d > DATE '2014-01-01'", "SELECT id FROM t WHERE d > '2014-01-01'"),
        (&[Postgres], "SELECT n / 2 FROM t", "SELECT n / 2 FROM t"),
        (&[Postgres], "SELECT n / r FROM t", "SELECT CAST(n AS REAL) / r FROM t"),
        (&[Mysql], "SELECT n / 2 FROM t", "SELECT CAST(n AS REAL) / 2 FROM t"),
        (&[Mysql], "SELECT n DIV 2 FROM t", "SELECT n / 2 FROM t"),
        (&[Postgres], "SELECT id FROM t ORDER BY a", "SELECT id FROM t ORDER BY a NULLS LAST"),
        (&[Mysql], "SELECT id FROM t ORDER BY a", "SELECT id FROM t ORDER BY LOWER(a)"),
        (
            &[Postgres],
            "SELECT DISTINCT ON (a) a, n FROM t ORDER BY a, n DESC",
            "SELECT a, n FROM (SELECT a, n, ROW_NUMBER() OVER (PARTITION BY a ORDER BY a NULLS LAST, n DESC NULLS FIRST) AS k
             FROM t) WHERE k = 1 ORDER BY a NULLS LAST, n DESC NULLS FIRST",
        ),
        (
            &[Generic],
            "SELECT a, n FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY n) = 1",
            "SELECT a, n FROM (SELECT a, n, ROW_NUMBER() OVER (PARTITION BY a ORDER BY n) AS k FROM t) WHERE k = 1",
        ),
        (
            &[Postgres, Generic],
            "SELECT a FROM t UNION SELECT b FROM t INTERSECT SELECT a FROM u",
            "SELECT a FROM t UNION SELECT * FROM (SELECT b FROM t INTERSECT SELECT a FROM u)",
        ),
        (&[Mysql], "SELECT DATE_FORMAT(d, '%Y-%m') FROM t", "SELECT strftime('%Y-%m', d) FROM t"),
        (&[Postgres], "SELECT TO_CHAR(d, 'YYYY-MM') FROM t", "SELECT strftime('%Y-%m', d) FROM t"),
    ];
    for (dialects, theirs, ours) in table {
        for dialect in *dialects {
            assert_eq!(canonical(theirs, *dialect), canonical(ours, Sqlite), "{dialect}: {theirs}");
        }
    }
}

/// Functions that SQLite has by the same name with another meaning, in SQLite's terms.
#[test]
fn functions_that_differ() {
    for (dialect, theirs, ours) in [
        (Postgres, "SELECT SUBSTRING(a, -2) FROM t", "SELECT SUBSTR(a, 1) FROM t"),
        (Postgres, "SELECT SUBSTRING(a, 0, 3) FROM t", "SELECT SUBSTR(a, 1, 2) FROM t"),
        (Mysql, "SELECT SUBSTRING(a, 0, 2) FROM t", "SELECT SUBSTR(a, 1, 0) FROM t"),
        (Mysql, "SELECT MID(a, 2, 2) FROM t", "SELECT SUBSTR(a, 2, 2) FROM t"),
        (
            Mysql,
            "SELECT SUBSTRING(a, INSTR(b, 'X') + 1) FROM t",
            "SELECT SUBSTR(a, INSTR(LOWER(b), 'x') + 1) FROM t",
        ),
        (Postgres, "SELECT LEFT(a, -1) FROM t", "SELECT SUBSTR(a, 1, LENGTH(a) - 1) FROM t"),
        (Postgres, "SELECT RIGHT(a, -1) FROM t", "SELECT SUBSTR(a, 2) FROM t"),
        (Mysql, "SELECT LEFT(a, -1), RIGHT(a, 2) FROM t", "SELECT SUBSTR(a, 1, -1), SUBSTR(a, -2) FROM t"),
        (Mysql, "SELECT LOG(n) FROM t", "SELECT LN(n) FROM t"),
        (Postgres, "SELECT LOG(n) FROM t", "SELECT LOG(n) FROM t"),
        (Postgres, "SELECT MOD(n, 3), n % 3 FROM t", "SELECT n % 3, n % 3 FROM t"),
        (Postgres, "SELECT r % 3 FROM t", "SELECT MOD(r, 3) FROM t"),
        (
            Postgres,
            "SELECT id FROM t WHERE d > DATE '2000-01-01' + 30",
            "SELECT id FROM t WHERE d > '2000-01-31'",
        ),
        (
            Postgres,
            "SELECT id FROM t WHERE d > '2020-01-01'::date - 7",
            "SELECT id FROM t WHERE d > '2019-12-25'",
        ),
        (Mysql, "SELECT id FROM t WHERE a = 0", "SELECT id FROM t WHERE CAST(a AS REAL) = 0"),
        (Mysql, "SELECT id FROM t WHERE n = '3'", "SELECT id FROM t WHERE n = 3"),
        (
            Mysql,
            "SELECT id FROM t WHERE DATE_FORMAT(d, '%Y') = 2020",
            "SELECT id FROM t WHERE CAST(strftime('%Y', d) AS REAL) = 2020",
        ),
        (Mysql, "SELECT id FROM t WHERE a LIKE BINARY 'x%'", "SELECT id FROM t WHERE a GLOB 'x*'"),
        (Mysql, "SELECT id FROM t WHERE a = _utf8 'x'", "SELECT id FROM t WHERE LOWER(a) = 'x'"),
        (Mysql, "SELECT id FROM t WHERE a IN ('X', 'y')", "SELECT id FROM t WHERE LOWER(a) IN ('x', 'y')"),
        (Mysql, "SELECT COUNT(DISTINCT a) FROM t", "SELECT COUNT(DISTINCT LOWER(a)) FROM t"),
        (Mysql, "SELECT COUNT(*) FROM t GROUP BY a", "SELECT COUNT(*) FROM t GROUP BY LOWER(a)"),
    ] {
        assert_eq!(canonical(theirs, dialect), canonical(ours, Sqlite), "{dialect}: {theirs}");
    }
    for (dialect, one, other) in [
        (Postgres, "SELECT SUBSTRING(a, -2) FROM t", "SELECT RIGHT(a, 2) FROM t"),
        (Mysql, "SELECT SUBSTRING(a, -2) FROM t", "SELECT RIGHT(a, 2) FROM t"),
        (Generic, "SELECT SUBSTRING(a, -2) FROM t", "SELECT RIGHT(a, 2) FROM t"),
        (Generic, "SELECT 1 / 2 * n FROM t", "SELECT 0 * n FROM t"),
        (Generic, "SELECT LOG(n) FROM t", "SELECT LOG10(n) FROM t"),
        (Mysql, "SELECT ROUND(n, -1) FROM t", "SELECT ROUND(n) FROM t"),
        (Mysql, "SELECT HEX(n) FROM t", "SELECT HEX(CAST(n AS CHAR)) FROM t"),
        (Mysql, "SELECT id FROM t WHERE a = 0", "SELECT id FROM t WHERE a = '0'"),
        (
            Mysql,
            "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP",
            "SELECT a, COUNT(*) FROM t GROUP BY a UNION ALL SELECT NULL, COUNT(*) FROM t",
        ),
        (
            Postgres,
            "SELECT string_agg(DISTINCT a, ',') FROM t",
            "SELECT string_agg(DISTINCT a, ',' ORDER BY a) FROM t",
        ),
        (
            Postgres,
            "SELECT string_agg(DISTINCT a, '; ') FROM t",
            "SELECT string_agg(DISTINCT a, '; ' ORDER BY a) FROM t",
        ),
    ] {
        assert_ne!(canonical(one, dialect), canonical(other, dialect), "{dialect}: {one} | {other}");
    }
    let error = planned("SELECT DATE '2000-01-01' + 30 FROM t", Mysql).unwrap_err().to_string();
    assert!(error.contains("INTERVAL"), "{error}");
}

/// The same text means something else.
#[test]
fn differences_are_not_lost() {
    for (dialect, sql) in [
        (Postgres, "SELECT id FROM t WHERE a LIKE 'x%'"),
        (Generic, "SELECT id FROM t WHERE a LIKE b"),
        (Mysql, "SELECT n / 2 FROM t"),
        (Mysql, "SELECT a || b FROM t"),
        (Mysql, "SELECT LENGTH(a) FROM t"),
        (Mysql, "SELECT CONCAT(a, b) FROM t"),
        (Postgres, "SELECT id FROM t ORDER BY a"),
        (Postgres, "SELECT a FROM t UNION SELECT b FROM t INTERSECT SELECT a FROM u"),
        (Postgres, "SELECT CAST(d AS DATE) FROM t"),
    ] {
        assert_ne!(canonical(sql, dialect), canonical(sql, Sqlite), "{dialect}: {sql}");
    }
    // A name in double quotes that no column has is a string in SQLite alone.
    let sql = "SELECT id FROM t WHERE a = \"x\"";
    assert!(planned(sql, Sqlite).is_ok() && planned(sql, Mysql).is_ok());
    for dialect in [Postgres, Generic] {
        let error = planned(sql, dialect).unwrap_err();
        assert!(matches!(error, SqlError::UnknownColumn { .. }), "{error}");
    }
}

/// What is planned of another dialect prints as SQL that SQLite runs.
#[test]
fn printed_for_sqlite() {
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.execute_batch(DDL).unwrap();
    db.execute_batch(
        "INSERT INTO t VALUES (1, 'ax', NULL, 3, 1.5, '2014-05-06'), (2, 'AX', 'b', 4, 2.0, '2013-01-02'), (3, 'ax', 'c', 5, 2.0, NULL)",
    )
    .unwrap();
    let ask = |sql: &str, dialect: Dialect| {
        let printed = print::to_sql(&schema(), &planned(sql, dialect).unwrap()).unwrap();
        let mut statement = db.prepare(&printed).unwrap_or_else(|e| panic!("{printed}: {e}"));
        let rows = statement.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        rows.map(|v| match v.unwrap() {
            rusqlite::types::Value::Integer(i) => i.to_string(),
            rusqlite::types::Value::Real(r) => format!("{r:?}"),
            rusqlite::types::Value::Text(t) => t,
            _ => "NULL".into(),
        })
        .collect::<Vec<_>>()
        .join(" ")
    };
    for (dialect, sql, answer) in [
        (Postgres, "SELECT COUNT(*) FROM t WHERE a LIKE 'a%'", "2"),
        (Postgres, "SELECT COUNT(*) FROM t WHERE a LIKE b || '%'", "0"),
        (Generic, "SELECT COUNT(*) FROM t WHERE a LIKE a", "3"),
        (Mysql, "SELECT COUNT(*) FROM t WHERE a LIKE 'a%'", "3"),
        (Mysql, "SELECT n / 2 FROM t ORDER BY id", "1.5 2.0 2.5"),
        (Mysql, "SELECT 7 DIV 2", "3"),
        (Postgres, "SELECT b FROM t ORDER BY b DESC LIMIT 1", "NULL"),
        (Postgres, "SELECT string_agg(a, '-' ORDER BY n DESC) FROM t", "ax-AX-ax"),
        (Postgres, "SELECT DISTINCT ON (a) n FROM t ORDER BY a, n DESC", "4 5"),
        (Postgres, "SELECT EXTRACT(YEAR FROM d) FROM t WHERE id = 1", "2014"),
        (Mysql, "SELECT DATEDIFF(d, '2014-05-01') FROM t WHERE id = 1", "5"),
        (Mysql, "SELECT RIGHT(a, 1) FROM t WHERE id = 1", "x"),
        (Generic, "SELECT a FROM t INTERSECT ALL SELECT a FROM t", "AX ax ax"),
        (Generic, "SELECT a FROM t EXCEPT ALL SELECT 'ax'", "AX ax"),
        // A constant below an outer join is NULL where the join finds nothing.
        (Generic, "SELECT COUNT(x.i) FROM t LEFT JOIN (SELECT id, 1 AS i FROM t) x ON x.id = -1", "0"),
        (
            Generic,
            "SELECT COUNT(x.i) + COUNT(y.j) FROM (SELECT id, 1 AS i FROM t) x FULL JOIN (SELECT id, 2 AS j FROM t) y ON x.id = -1",
            "6",
        ),
    ] {
        let mut found: Vec<String> = ask(sql, dialect).split(' ').map(str::to_owned).collect();
        if !sql.contains("ORDER BY") {
            found.sort();
        }
        assert_eq!(found.join(" "), answer, "{dialect}: {sql}");
    }
    // A function of the sandbox's, as SQLite's own takes one argument with DISTINCT.
    let distinct = planned("SELECT string_agg(DISTINCT a, '-') FROM t", Postgres).unwrap();
    assert_eq!(
        print::to_sql(&schema(), &distinct).unwrap(),
        "SELECT pg_string_agg_distinct(t1.a, '-') FROM t AS t1"
    );
}

#[test]
fn ddl_by_dialect() {
    let read = |ddl: &str, dialect: Dialect| Schema::from_ddl_in("d", ddl, dialect).unwrap();
    let schema = read(
        "CREATE TYPE mood AS ENUM ('a', 'b');
         CREATE FUNCTION f() RETURNS void AS $$ BEGIN; CREATE TABLE not_one (x int); END $$ LANGUAGE sql;
         CREATE TABLE x (id serial PRIMARY KEY, m mood, at timestamp with time zone, tags text[3], p point, v numeric(10,2));",
        Postgres,
    );
    let of = |s: &Schema, name: &str| {
        let table = &s.tables[0];
        let column = &table.columns[table.column_index(name).unwrap()];
        (column.affinity, column.class)
    };
    assert_eq!(schema.tables.len(), 1);
    assert_eq!(of(&schema, "m"), (Affinity::Text, TypeClass::Text));
    assert_eq!(of(&schema, "id"), (Affinity::Integer, TypeClass::Integer));
    assert_eq!(of(&schema, "at"), (Affinity::Text, TypeClass::Time));
    assert_eq!(of(&schema, "p"), (Affinity::Blob, TypeClass::Other));
    assert_eq!(of(&schema, "v"), (Affinity::Numeric, TypeClass::Number));
    let again = Schema::from_ddl("d", &schema.to_ddl()).unwrap();
    for (a, b) in schema.tables[0].columns.iter().zip(&again.tables[0].columns) {
        assert_eq!((&a.name, a.affinity), (&b.name, b.affinity));
    }
    let schema = read(
        "CREATE TABLE `x` (`id` int(11) NOT NULL AUTO_INCREMENT, `ok` tinyint(1) DEFAULT '0', s varchar(9) COMMENT 'it\\'s; ok',
         t varchar(3) DEFAULT \"a;b\", PRIMARY KEY (`id`), KEY `s` (`s`)) ENGINE=InnoDB COMMENT=\"it's\"; # the end",
        Mysql,
    );
    assert_eq!(schema.tables[0].columns.len(), 4);
    assert_eq!(of(&schema, "ok"), (Affinity::Integer, TypeClass::Boolean));
}

#[test]
fn names_of_dialects() {
    for dialect in Dialect::ALL {
        assert_eq!(dialect.to_string().parse(), Ok(dialect));
    }
    assert_eq!("PostgreSQL".parse(), Ok(Postgres));
    let error = "cobol".parse::<Dialect>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown dialect \"cobol\"; the dialects are sqlite, postgres, mysql, tsql, bigquery, snowflake, databricks, duckdb, redshift, \
         trino, oracle, clickhouse, generic"
    );
}

/// A moment is never before its own midnight, but for a date alone, which a column of loose types may hold.
#[test]
fn moments_and_their_midnights() {
    let mut schema = Schema::from_ddl_in("d", "CREATE TABLE t (at TIMESTAMP)", Postgres).unwrap();
    let sql = "SELECT at FROM t WHERE CAST(at AS DATE) > at";
    for (typing, applies) in [(Typing::Enforced, true), (Typing::Loose, false)] {
        schema.typing = typing;
        let plan = plan(&schema, &parse_in(sql, Postgres).unwrap()).unwrap();
        let applied = normalize(&schema, plan, &Semantics::default()).applied;
        assert_eq!(applied.contains(&"own-day"), applies, "{typing:?}");
    }
}

/// What PostgreSQL 15 said of each: a query that it refuses has a plan all the same, and the reason stands beside it.
#[test]
fn what_postgresql_refuses_is_noted() {
    let ddl = "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, n INT, d DATE, ok BOOLEAN, r DOUBLE PRECISION)";
    let schema = Schema::from_ddl_in("d", ddl, Postgres).unwrap();
    let refused =
        |sql: &str| translate(&schema, sql, Postgres).unwrap_or_else(|e| panic!("{sql}: {e}")).refused;
    for sql in [
        "SELECT YEAR(d) FROM t",
        "SELECT IFNULL(n, 0) FROM t",
        "SELECT name, COUNT(*) FROM t GROUP BY n",
        "SELECT AVG(name) FROM t",
        "SELECT SUM(n > 2) FROM t",
        "SELECT id FROM t WHERE name = 5",
        "SELECT id FROM t WHERE n IN (SELECT name FROM t)",
        "SELECT id FROM t WHERE ok = 2",
        "SELECT id FROM t WHERE d LIKE '2020%'",
        "SELECT ROUND(r, 2) FROM t",
        "SELECT ROUND(SUM(r), 2) FROM t",
        "SELECT EXTRACT(YEAR FROM name) FROM t",
        "SELECT n + 1 AS k FROM t WHERE k > 1",
        "SELECT n + 1 AS k FROM t GROUP BY k HAVING k > 1",
        "SELECT name - 1 FROM t",
        "SELECT a.id FROM t a JOIN t b ON a.id = c.id JOIN t c ON c.id = b.id",
        "SELECT id FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1",
        "SELECT id FROM t QUALIFY (RANK() OVER (ORDER BY id) <= 1)",
        "SELECT id FROM t QUALIFY (RANK() OVER (ORDER BY id) <= 1) ORDER BY id FETCH FIRST 1 ROW WITH TIES",
    ] {
        assert!(refused(sql).is_some(), "{sql} is taken");
    }
    for sql in [
        "SELECT name, COUNT(*) FROM t GROUP BY id",
        "SELECT id FROM t WHERE n = '5'",
        "SELECT id FROM t WHERE name = '5'",
        "SELECT AVG(n), SUM(r) FROM t",
        "SELECT n + 1 AS k FROM t GROUP BY k ORDER BY k",
        "SELECT EXTRACT(YEAR FROM d), COALESCE(n, 0) FROM t",
        "SELECT id FROM t WHERE ok = TRUE AND ok",
        "SELECT name || 1 FROM t",
        "SELECT id FROM t WHERE d > '2020-01-01' AND n > 1.5",
        "SELECT a.id FROM t a JOIN t b ON a.id = b.n WHERE EXISTS (SELECT 1 FROM t c WHERE c.n = a.id)",
        "SELECT MAX(ok::int), MIN(d) FROM t",
        "SELECT ROUND(r::numeric, 2) FROM t",
        "SELECT ROUND(AVG(n), 2) FROM t",
        "SELECT id FROM t ORDER BY n FETCH FIRST 1 ROW WITH TIES",
    ] {
        assert_eq!(refused(sql), None, "{sql}");
    }
}
