//! No clause that the parser reads is passed over: two queries that differ in one have
//! different forms, or the clause is refused by name and place.

use twinql_sql::{Dialect, Query, Schema, Semantics, SqlError, normalize, parse_in, plan};

use Dialect::{Generic, Mysql, Postgres, Sqlite};

const DDL: &str =
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, n INTEGER NOT NULL, r REAL, d DATE);
    CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id), a TEXT);";

fn form(sql: &str, dialect: Dialect) -> Result<Query, SqlError> {
    let schema = Schema::from_ddl("d", DDL).unwrap();
    let plan = plan(&schema, &parse_in(sql, dialect)?)?;
    Ok(normalize(&schema, plan, &Semantics::preset("default").unwrap()).plan.query)
}

fn known(sql: &str, dialect: Dialect) -> Query {
    form(sql, dialect).unwrap_or_else(|e| panic!("{dialect}: {sql}: {e}"))
}

fn refused(sql: &str, dialect: Dialect) -> String {
    match form(sql, dialect) {
        Ok(_) => "it has a plan".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_not_understood_is_refused_by_name_and_place() {
    let mut wrong = Vec::new();
    for (dialect, sql, expected) in [
        (Generic, "SELECT CEIL(r, 2) FROM t", "ceil to the scale 2 at line 1"),
        (Sqlite, "SELECT id FROM t TABLESAMPLE (10)", "TABLESAMPLE at line 1"),
        (Postgres, "SELECT id FROM t TABLESAMPLE SYSTEM (10)", "TABLESAMPLE at line 1"),
        (Postgres, "SELECT id FROM t TABLESAMPLE BERNOULLI (5) REPEATABLE (3)", "TABLESAMPLE at line 1"),
        (Generic, "SELECT id FROM t TABLESAMPLE (10 ROWS)", "TABLESAMPLE at line 1"),
        (Generic, "SELECT x.id FROM (SELECT id FROM t) AS x TABLESAMPLE (10)", "TABLESAMPLE"),
        (Mysql, "SELECT id FROM t PARTITION (p0)", "PARTITION of a table at line 1"),
        (Postgres, "SELECT rank(3) WITHIN GROUP (ORDER BY n) FROM t", "WITHIN GROUP of rank() at line 1"),
        (Postgres, "SELECT upper(a ORDER BY b) FROM t", "ORDER BY with the scalar function upper()"),
        (Postgres, "SELECT array_agg(a ORDER BY b) OVER () FROM t", "ORDER BY among the arguments"),
        (Generic, "SELECT first_value(a IGNORE NULLS) OVER (ORDER BY n) FROM t", "IGNORE NULLS at line 1"),
        (Generic, "SELECT first_value(a) IGNORE NULLS OVER (ORDER BY n) FROM t", "IGNORE NULLS at line 1"),
        (Generic, "SELECT floor(d TO DAY) FROM t", "floor TO DAY at line 1"),
        (Generic, "SELECT ceil(d TO HOUR) FROM t", "ceil TO HOUR at line 1"),
        (Generic, "SELECT id FROM t ORDER BY n WITH FILL FROM 1 TO 9", "WITH FILL at line 1"),
        (Generic, "SELECT id FROM t ORDER BY n WITH FILL INTERPOLATE (a AS b)", "INTERPOLATE"),
        (Generic, "SELECT * ILIKE '%d%' FROM t", "ILIKE behind * at line 1"),
        (Generic, "SELECT id FROM t LIMIT 3 FETCH FIRST 5 ROWS ONLY", "both LIMIT and FETCH"),
        (Generic, "SELECT id FROM t SETTINGS max_threads = 1", "SETTINGS"),
        (Generic, "SELECT id FROM t FORMAT JSON", "FORMAT"),
        (Generic, "FROM t", "FROM without SELECT"),
        (Generic, "SELECT f(x => 1) FROM t", "the named argument x => 1"),
        (Generic, "SELECT quantile(0.5)(n) FROM t", "parameters before the arguments"),
        (Postgres, "SELECT INTERVAL '1' DAY TO SECOND FROM t", "an INTERVAL of several fields"),
        (Postgres, "SELECT id FROM t FOR UPDATE", "FOR"),
        (Postgres, "SELECT id FROM generate_series(1, 3) WITH ORDINALITY AS g(x)", "WITH ORDINALITY"),
        (Generic, "SELECT id FROM t WITH (READPAST)", "the hint WITH (READPAST)"),
        (Generic, "SELECT CAST(a AS DATE FORMAT 'YYYY') FROM t", "FORMAT in a cast"),
        (Generic, "SELECT other.t.* FROM t", "no table named \"other.t\""),
        (Generic, "SELECT a FROM t UNION ALL BY NAME SELECT a FROM u", "BY NAME"),
    ] {
        let found = refused(sql, dialect);
        if !found.contains(expected) {
            wrong.push(format!("{dialect}: {sql}\n  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_changes_the_answer_changes_the_form() {
    for (dialect, one, other) in [
        (
            Postgres,
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM t",
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r) FROM t",
        ),
        (
            Postgres,
            "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n) FROM t",
            "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n DESC) FROM t",
        ),
        (Generic, "SELECT * FROM t", "SELECT * EXCLUDE (r) FROM t"),
        (Generic, "SELECT * EXCLUDE (n) FROM t", "SELECT * EXCLUDE (r) FROM t"),
        (Generic, "SELECT * FROM t", "SELECT * EXCEPT (r) FROM t"),
        (Generic, "SELECT * FROM t", "SELECT * REPLACE (n + 1 AS n) FROM t"),
        (
            Generic,
            "SELECT x.a FROM (SELECT * FROM t) AS x",
            "SELECT x.a FROM (SELECT * EXCLUDE (a) RENAME (b AS a) FROM t) AS x",
        ),
        (Postgres, "SELECT CAST(a AS VARCHAR(2)) FROM t", "SELECT CAST(a AS VARCHAR(5)) FROM t"),
        (Postgres, "SELECT a::varchar(2) FROM t", "SELECT a::varchar FROM t"),
        (Postgres, "SELECT a::char FROM t", "SELECT a::varchar FROM t"),
        (Mysql, "SELECT CAST(a AS CHAR(2)) FROM t", "SELECT CAST(a AS CHAR(5)) FROM t"),
        (Postgres, "SELECT CAST(r AS NUMERIC(10,1)) FROM t", "SELECT CAST(r AS NUMERIC(10,3)) FROM t"),
        (Mysql, "SELECT CAST(r AS DECIMAL) FROM t", "SELECT CAST(r AS DECIMAL(10,2)) FROM t"),
        (Mysql, "SELECT CAST(n AS SIGNED) FROM t", "SELECT CAST(n AS UNSIGNED) FROM t"),
        (Postgres, "SELECT CAST(n AS BOOLEAN) FROM t", "SELECT CAST(n AS INTEGER) FROM t"),
        (Postgres, "SELECT CAST(a AS JSON) FROM t", "SELECT CAST(a AS UUID) FROM t"),
        (Postgres, "SELECT a::timestamp(0) FROM t", "SELECT a::timestamp FROM t"),
        (Postgres, "SELECT a::timestamp FROM t", "SELECT a::timestamptz FROM t"),
        (Postgres, "SELECT '{\"a\": 1}'::jsonb FROM t", "SELECT '{\"a\": 1}'::json FROM t"),
        (Postgres, "SELECT '2020-01-01'::jsonb FROM t", "SELECT '2020-01-01' FROM t"),
        (Postgres, "SELECT id FROM t WHERE a = 'x'::uuid", "SELECT id FROM t WHERE a = 'x'"),
        (Generic, "SELECT TRY_CAST(a AS INTEGER) FROM t", "SELECT CAST(a AS INTEGER) FROM t"),
        (Postgres, "SELECT DATE '2020-01-01'", "SELECT TIMESTAMP '2020-01-01'"),
        (Postgres, "SELECT SUBSTRING(a FOR 3) FROM t", "SELECT SUBSTRING(a FROM 3) FROM t"),
        (
            Postgres,
            "WITH RECURSIVE t AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM t WHERE id < 5) SELECT id FROM t",
            "WITH t AS (SELECT 1 AS id UNION ALL SELECT id + 1 FROM t WHERE id < 5) SELECT id FROM t",
        ),
    ] {
        assert_ne!(known(one, dialect), known(other, dialect), "{dialect}: {one} | {other}");
    }
}

#[test]
fn what_has_no_influence_does_not_change_the_form() {
    for (dialect, one, other) in [
        // SQLite looks at the affinity of a type alone.
        (Sqlite, "SELECT CAST(a AS VARCHAR(2)) FROM t", "SELECT CAST(a AS VARCHAR(5)) FROM t"),
        (Sqlite, "SELECT CAST(r AS NUMERIC(10,1)) FROM t", "SELECT CAST(r AS NUMERIC(10,3)) FROM t"),
        (Generic, "SELECT * EXCLUDE (id, a, b, r, d) FROM t", "SELECT n FROM t"),
        (Generic, "SELECT * EXCEPT (id, a, b, r, d) REPLACE (n + 1 AS n) FROM t", "SELECT n + 1 FROM t"),
        (Generic, "SELECT t.* EXCLUDE id FROM t", "SELECT a, b, n, r, d FROM t"),
        (Generic, "SELECT id FROM t WITH (NOLOCK)", "SELECT id FROM t"),
        (Generic, "FROM t SELECT id", "SELECT id FROM t"),
        (Mysql, "SELECT SQL_NO_CACHE id FROM t USE INDEX (i)", "SELECT id FROM t"),
        (Postgres, "SELECT SUBSTRING(a FOR 3) FROM t", "SELECT SUBSTRING(a, 1, 3) FROM t"),
        (Postgres, "SELECT a::varchar(2) FROM t", "SELECT SUBSTR(a::text, 1, 2) FROM t"),
        (Postgres, "SELECT r::numeric(10,2) FROM t", "SELECT ROUND(r::numeric, 2) FROM t"),
        (
            Generic,
            "SELECT lag(n) RESPECT NULLS OVER (ORDER BY id) FROM t",
            "SELECT lag(n) OVER (ORDER BY id) FROM t",
        ),
        (Postgres, "SELECT sum(n ORDER BY id) FROM t", "SELECT sum(n) FROM t"),
        (Postgres, "SELECT id FROM t WHERE d > DATE '2020-01-01'", "SELECT id FROM t WHERE d > '2020-01-01'"),
    ] {
        assert_eq!(known(one, dialect), known(other, dialect), "{dialect}: {one} | {other}");
    }
}

/// A common table expression that nothing reads has names too, of which only SQLite asks none.
#[test]
fn names_in_an_expression_that_nothing_reads() {
    let sql = "WITH w AS (SELECT nope FROM t) SELECT id FROM t";
    for dialect in [Postgres, Mysql, Generic] {
        let found = refused(sql, dialect);
        assert!(found.contains("no column named \"nope\""), "{dialect}: {found}");
    }
    assert_eq!(known(sql, Sqlite), known("SELECT id FROM t", Sqlite));
    assert_eq!(
        known("WITH w AS (SELECT a FROM t) SELECT id FROM t", Postgres),
        known("SELECT id FROM t", Postgres)
    );
}

/// Names for columns behind a table's alias.
#[test]
fn names_of_columns_behind_an_alias() {
    for dialect in [Postgres, Generic] {
        for (theirs, ours) in [
            ("SELECT x FROM t o(x)", "SELECT id FROM t"),
            ("SELECT o.x, o.n FROM t AS o(x, y)", "SELECT id, n FROM t"),
            ("SELECT x FROM (SELECT n, a FROM t) AS o(x)", "SELECT n FROM t"),
        ] {
            assert_eq!(known(theirs, dialect), known(ours, dialect), "{dialect}: {theirs}");
        }
        let many = refused("SELECT 1 FROM u o(a, b, c, d)", dialect);
        assert!(many.contains("table o has 3 columns, 4 names given"), "{many}");
        let gone = refused("SELECT id FROM t o(x)", dialect);
        assert!(gone.contains("no column named \"id\""), "{gone}");
    }
    for dialect in [Sqlite, Mysql] {
        assert_eq!(
            known("SELECT x FROM (SELECT n FROM t) AS o(x)", dialect),
            known("SELECT n FROM t", dialect)
        );
        let found = refused("SELECT x FROM t o(x)", dialect);
        let expected = "names of columns behind the alias o at line 1";
        assert!(found.contains(expected), "{dialect}: {found}");
        let few = refused("SELECT x FROM (SELECT n, a FROM t) AS o(x)", dialect);
        assert!(few.contains("table o has 2 columns, 1 names given"), "{dialect}: {few}");
    }
}

/// EXCLUDE in a window frame.
#[test]
fn what_a_frame_excludes() {
    let window = |rest: &str| {
        format!(
            "SELECT id, sum(n) FILTER (WHERE n > (1)) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING{rest}), \
             count(*) OVER (ORDER BY n) FROM t"
        )
    };
    for dialect in [Sqlite, Postgres, Generic] {
        let plain = known(&window(""), dialect);
        assert_eq!(plain, known(&window(" EXCLUDE NO OTHERS"), dialect));
        let forms =
            [" EXCLUDE TIES", " EXCLUDE GROUP", " EXCLUDE CURRENT ROW"].map(|e| known(&window(e), dialect));
        assert!(!forms.contains(&plain), "{dialect}");
        assert!(forms[0] != forms[1] && forms[1] != forms[2] && forms[0] != forms[2], "{dialect}");
        // In the WINDOW clause, and with the default frame written out.
        assert_eq!(
            known(
                "SELECT sum(n) OVER w FROM t WINDOW w AS (ORDER BY n RANGE UNBOUNDED PRECEDING EXCLUDE TIES)",
                dialect
            ),
            known(
                "SELECT sum(n) OVER (ORDER BY n RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t",
                dialect
            )
        );
    }
    // Of two windows, the one that says it.
    assert_ne!(
        known(
            "SELECT sum(n) OVER (ORDER BY n ROWS 1 PRECEDING EXCLUDE TIES), sum(n) OVER (ORDER BY n ROWS 1 PRECEDING) FROM t",
            Sqlite
        ),
        known(
            "SELECT sum(n) OVER (ORDER BY n ROWS 1 PRECEDING EXCLUDE TIES), sum(n) OVER (ORDER BY n ROWS 1 PRECEDING EXCLUDE TIES) FROM t",
            Sqlite
        ),
    );
    assert!(refused(&window(" EXCLUDE TIES"), Mysql).contains("cannot parse"));
    assert!(refused("SELECT n EXCLUDE TIES FROM t", Sqlite).contains("cannot parse"));
    // The printed plan says it too.
    let schema = Schema::from_ddl("d", DDL).unwrap();
    let plan = plan(&schema, &parse_in(&window(" EXCLUDE TIES"), Sqlite).unwrap()).unwrap();
    let printed = twinql_sql::print::to_sql(&schema, &plan).unwrap();
    assert!(printed.contains("EXCLUDE TIES"), "{printed}");
}

/// CASE nested 50 deep, in THEN and in ELSE, has a plan and a canonical form; deeper text is
/// an error, never a crash.
#[test]
fn case_nested_fifty_deep_has_a_form() {
    let nested = |open: &str, n: usize| format!("SELECT {}n{} FROM t", open.repeat(n), " END".repeat(n));
    for open in ["CASE WHEN n > 1 THEN ", "CASE WHEN n > 1 THEN 0 ELSE ", "CASE n WHEN 1 THEN "] {
        for n in 1..=50 {
            for dialect in Dialect::ALL {
                let form = form(&nested(open, n), dialect);
                assert!(form.is_ok(), "{dialect}: {n} deep: {form:?}");
            }
        }
        let deep = refused(&nested(open, 1_000), Sqlite);
        assert!(deep.contains("too large"), "{deep}");
    }
}
