//! What PostgreSQL and MySQL write and SQLite lacks: names with schemas, spans of time,
//! grouping sets, LATERAL, arrays, and errors that say whose a construct is.

use twinql_sql::prove::{Proof, prove};
use twinql_sql::{Dialect, Schema, Semantics, in_sqlite};

use Dialect::{Generic, Mysql, Postgres, Sqlite};

const DUMP: &str = "CREATE TABLE public.orders (id integer PRIMARY KEY, customer_id integer NOT NULL, placed_at timestamp without time zone NOT NULL,
        day date NOT NULL, total numeric(10,2) NOT NULL, tags text[] NOT NULL, doc jsonb NOT NULL, \"Mixed\" integer NOT NULL);
    CREATE TABLE public.customers (id integer PRIMARY KEY, country text NOT NULL, name text NOT NULL);
    CREATE TABLE hr.notes (id integer PRIMARY KEY, body text NOT NULL);
    CREATE TABLE billing.notes (id integer PRIMARY KEY, body text NOT NULL);";

fn schema(dialect: Dialect) -> Schema {
    Schema::from_ddl_in("shop", DUMP, dialect).unwrap()
}

fn sqlite(sql: &str, dialect: Dialect) -> String {
    in_sqlite(&schema(dialect), sql, dialect).unwrap_or_else(|e| panic!("{dialect}: {sql}: {e}"))
}

fn error(sql: &str, dialect: Dialect) -> String {
    match in_sqlite(&schema(dialect), sql, dialect) {
        Ok(text) => panic!("{dialect}: {sql} is read as {text}"),
        Err(error) => error.to_string(),
    }
}

fn is_equal(a: &str, b: &str, dialect: Dialect) -> bool {
    let strict = Semantics::preset("declared").unwrap();
    let (a, b) = (sqlite(a, dialect), sqlite(b, dialect));
    matches!(prove(&schema(dialect), &a, &b, &strict).unwrap(), Proof::Equal(_))
}

#[test]
fn names_mean_the_same_with_and_without_their_schema() {
    for (a, b) in [
        ("SELECT id FROM public.orders", "SELECT orders.id FROM orders"),
        ("SELECT public.orders.id FROM public.orders", "SELECT o.id FROM shop.public.orders AS o"),
        ("SELECT \"id\" FROM \"orders\"", "SELECT ID FROM ORDERS"),
        ("SELECT public.orders.* FROM public.orders", "SELECT * FROM orders"),
        (
            "SELECT \"Mixed\" AS \"A\" FROM orders ORDER BY \"A\"",
            "SELECT o.\"Mixed\" FROM orders o ORDER BY 1",
        ),
    ] {
        assert!(is_equal(a, b, Postgres), "{a} | {b}");
    }
    assert!(!is_equal("SELECT id FROM hr.notes", "SELECT id FROM billing.notes", Postgres));
    for (sql, says) in [
        ("SELECT mixed FROM orders", "which PostgreSQL finds only when it is quoted so"),
        ("SELECT \"ID\" FROM orders", "which PostgreSQL finds only when it is quoted so"),
        ("SELECT id FROM notes", "hr.notes and billing.notes"),
        ("SELECT id FROM sales.orders", "public.orders"),
        ("SELECT public.orders.id FROM orders AS o", "no column named \"public.orders.id\""),
    ] {
        let error = error(sql, Postgres);
        assert!(error.contains(says), "{sql}: {error}");
    }
}

#[test]
fn two_tables_of_one_name_are_two_tables_in_sqlite() {
    let sql = sqlite("SELECT h.body FROM hr.notes h JOIN billing.notes ON billing.notes.id = h.id", Generic);
    assert!(sql.contains("\"hr.notes\"") && sql.contains("\"billing.notes\""), "{sql}");
}

#[test]
fn moments_are_compared_in_one_form() {
    for (written, read) in [
        ("placed_at <= '2024-01-31'", "t1.placed_at <= '2024-01-31 00:00:00'"),
        ("placed_at >= DATE '2024-01-31' + INTERVAL '1 month'", "t1.placed_at >= '2024-02-29 00:00:00'"),
        ("day >= '2024-01-31 00:00:00'", "t1.day >= '2024-01-31'"),
        ("day = ANY ('{2024-1-5}'::date[])", "t1.day IN ('2024-01-05')"),
        ("placed_at BETWEEN '2024-01-01' AND '2024-1-31 10:00'", "t1.placed_at <= '2024-01-31 10:00:00'"),
        ("placed_at > day", "t1.placed_at > pg_timestamp(t1.day)"),
        (
            "placed_at - now() > interval '2 hours'",
            "pg_interval_length(pg_subtract(t1.placed_at, CURRENT_TIMESTAMP)) > 7200",
        ),
        ("'2024-03-01'::date - '2024-02-01'::date = 29", "29 = 29"),
    ] {
        let sql = sqlite(&format!("SELECT id FROM orders WHERE {written}"), Postgres);
        assert!(sql.contains(read), "{written}: {sql}");
    }
    let sql = sqlite("SELECT id FROM orders WHERE day + INTERVAL 1 YEAR > '2024-05-01'", Mysql);
    assert!(sql.contains("my_date_add(t1.day, 12, 'month') > '2024-05-01'"), "{sql}");
    // MySQL computes with the digits of dates; those of a text are not known to be such.
    let sql = sqlite("SELECT day - placed_at FROM orders", Mysql);
    assert!(sql.contains("strftime('%Y%m%d', t1.day)") && sql.contains("'%Y%m%d%H%M%S'"), "{sql}");
    assert!(error("SELECT day - '2024-05-01' FROM orders", Mysql).contains("unsupported"));
}

#[test]
fn grouping_sets_are_unions() {
    for (sets, union) in [
        (
            "SELECT country, COUNT(*) FROM customers GROUP BY ROLLUP (country)",
            "SELECT country, COUNT(*) FROM customers GROUP BY country UNION ALL SELECT NULL, COUNT(*) FROM customers",
        ),
        (
            "SELECT country, name, COUNT(*) FROM customers GROUP BY GROUPING SETS ((country), (name))",
            "SELECT country, NULL, COUNT(*) FROM customers GROUP BY country UNION ALL SELECT NULL, name, COUNT(*) FROM customers GROUP BY name",
        ),
        (
            "SELECT country, GROUPING(country), SUM(id) FROM customers GROUP BY CUBE (1)",
            "SELECT country, 0, SUM(id) FROM customers GROUP BY country UNION ALL SELECT NULL, 1, SUM(id) FROM customers",
        ),
    ] {
        assert!(is_equal(sets, union, Postgres), "{sets}");
    }
    let (rollup, cube) = (
        "SELECT country, name, COUNT(*) FROM customers GROUP BY ROLLUP (country, name)",
        "SELECT country, name, COUNT(*) FROM customers GROUP BY CUBE (country, name)",
    );
    assert!(!is_equal(rollup, cube, Postgres));
    let ordered = sqlite(
        "SELECT country, COUNT(*) AS n FROM customers GROUP BY country WITH ROLLUP ORDER BY n DESC",
        Mysql,
    );
    assert!(ordered.contains("UNION ALL") && ordered.contains("ORDER BY"), "{ordered}");
    let beside = "SELECT country, RANK() OVER (ORDER BY COUNT(*)) FROM customers GROUP BY ROLLUP (country)";
    // The window stands above the union of the groupings.
    let above = "SELECT country, RANK() OVER (ORDER BY n) FROM (SELECT country, COUNT(*) AS n FROM customers GROUP BY country UNION ALL SELECT NULL, COUNT(*) FROM customers) x";
    assert!(is_equal(beside, above, Postgres));
}

#[test]
fn lateral_subqueries_are_lifted() {
    let top = "SELECT c.id, l.total FROM customers c CROSS JOIN LATERAL (SELECT o.total FROM orders o WHERE o.customer_id = c.id ORDER BY o.id LIMIT 1) l";
    let numbered = "SELECT c.id, o.total FROM customers c JOIN (SELECT customer_id, total, ROW_NUMBER() OVER (PARTITION BY customer_id ORDER BY id) AS n FROM orders) o ON o.customer_id = c.id AND o.n = 1";
    assert!(is_equal(top, numbered, Postgres));
    let count = sqlite(
        "SELECT c.id, l.n FROM customers c LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM orders o WHERE o.customer_id = c.id) l ON true",
        Postgres,
    );
    assert!(count.contains("LEFT JOIN") && count.contains("coalesce("), "{count}");
    let unequal = "SELECT c.id FROM customers c, LATERAL (SELECT o.id FROM orders o WHERE o.customer_id < c.id LIMIT 1) l";
    assert!(error(unequal, Postgres).contains("LATERAL subquery"));
}

#[test]
fn arrays_series_and_documents() {
    for (a, b) in [
        ("SELECT id FROM orders WHERE id = ANY (ARRAY[1, 2])", "SELECT id FROM orders WHERE id IN (1, 2)"),
        (
            "SELECT id FROM orders WHERE id <> ALL ('{1,2}'::int[])",
            "SELECT id FROM orders WHERE id NOT IN (1, 2)",
        ),
        ("SELECT s.n FROM generate_series(1, 3) AS s(n)", "SELECT n FROM (VALUES (1), (2), (3)) AS v(n)"),
        ("SELECT n FROM generate_series(1, 3) AS n", "SELECT generate_series(1, 3)"),
    ] {
        assert!(is_equal(a, b, Postgres), "{a} | {b}");
    }
    for (sql, holds) in [
        ("SELECT id FROM orders WHERE 'x' = ANY (tags)", "json_each(pg_array_of(t1.tags))"),
        ("SELECT unnest(tags) AS tag FROM orders", "json_each(pg_array_of("),
        ("SELECT doc->>'a' FROM orders WHERE doc @> '{\"a\": 1}'", "pg_json_contains(t1.doc"),
        ("SELECT id FROM orders WHERE tags @> ARRAY['x']", "pg_array_contains(t1.tags, pg_array('x'))"),
        ("SELECT * FROM generate_series(1, (SELECT MAX(id) FROM orders))", "WITH RECURSIVE"),
    ] {
        let text = sqlite(sql, Postgres);
        assert!(text.contains(holds), "{sql}: {text}");
    }
}

#[test]
fn what_another_dialect_writes_is_said_to_be_its() {
    for (dialect, sql, whose) in [
        (Generic, "SELECT DATE_TRUNC(day, MONTH) FROM orders", "BigQuery"),
        (Generic, "SELECT DATEADD(month, 1, placed_at) FROM orders", "SQL Server"),
        (Postgres, "SELECT TIMESTAMPDIFF(HOUR, placed_at, placed_at) FROM orders", "--dialect mysql"),
    ] {
        let error = error(sql, dialect);
        assert!(error.contains(whose), "{dialect}: {sql}: {error}");
    }
    // SQLite's texts are executed as they are; what reads them says it too.
    let bigquery = twinql_sql::parse("SELECT DATE_TRUNC(day, MONTH) FROM orders").unwrap();
    let error = twinql_sql::plan(&schema(Sqlite), &bigquery).unwrap_err();
    assert!(error.to_string().contains("BigQuery"), "{error}");
    // A column of that name is a column.
    assert!(in_sqlite(&schema(Postgres), "SELECT age(day, day), day FROM orders", Postgres).is_ok());
}

/// Blanks at the end of a constant do not count beside CHAR(n); those beside VARCHAR do.
#[test]
fn characters_are_padded() {
    let ddl = "CREATE TABLE t (id INT PRIMARY KEY, code CHAR(5), name VARCHAR(20))";
    for dialect in [Postgres, Dialect::Redshift, Dialect::Oracle] {
        let schema = Schema::from_ddl_in("t", ddl, dialect).unwrap();
        let sql = "SELECT id FROM t WHERE code = 'a ' AND name = 'b ' AND code IN ('c ', 'd')";
        let text = in_sqlite(&schema, sql, dialect).unwrap();
        assert!(text.contains("code = 'a'") && text.contains("name = 'b '"), "{text}");
        assert!(text.contains("IN ('c', 'd')"), "{text}");
    }
}

#[test]
fn a_text_of_a_decimal_has_the_digits_of_its_type() {
    for (written, read) in [
        ("(total * 1.50)::text", "printf('%.4f', t1.total * 1.5)"),
        ("(id * 1.5)::text", "printf('%.1f', t1.id * 1.5)"),
        ("1.50::text", "'1.50'"),
        ("-0.10 || ''", "'-0.10'"),
        ("'1.50'::numeric::text", "printf('%.2f', CAST('1.50' AS NUMERIC))"),
        ("EXTRACT(YEAR FROM day)::text", "CAST(CAST(strftime('%Y', t1.day) AS INTEGER) AS TEXT)"),
        ("(total / 1.50)::text", "postgres_text(t1.total / 1.5, random())"),
        ("COALESCE(total, 0)::text", "postgres_text("),
        ("-(placed_at - day)", "pg_scale(pg_subtract("),
        ("EXTRACT(DAY FROM placed_at - LAG(placed_at) OVER (ORDER BY id))", "pg_extract('day', pg_subtract("),
        (
            "(day, day) OVERLAPS (placed_at, INTERVAL '1 day')",
            "pg_overlaps(t1.day, t1.day, t1.placed_at, pg_add(",
        ),
        ("day::char(2) = 'a '", "cast_as(t1.day, 'CHAR(2)') = 'a'"),
    ] {
        let sql = sqlite(&format!("SELECT {written} FROM orders"), Postgres);
        assert!(sql.contains(read), "{written}: {sql}");
    }
    let pair =
        ["1.5", "1.50"].map(|n| format!("SELECT (total * {n})::varchar, (total / {n})::varchar FROM orders"));
    assert!(!is_equal(&pair[0], &pair[1], Dialect::Redshift));
    for (a, b) in [
        ("(total * 1.5)::text", "(total * 1.50)::text"),
        ("(total / 1.5)::text", "(total / 1.50)::text"),
        ("ROUND(AVG(EXTRACT(YEAR FROM day)))", "ROUND(AVG(DATE_PART('year', day)))"),
        ("ROUND(AVG(EXTRACT(YEAR FROM day)) OVER ())", "ROUND(AVG(DATE_PART('year', day)) OVER ())"),
        (
            "ROUND(AVG(DATE_PART('year', day))), ROUND(AVG(EXTRACT(YEAR FROM day)))",
            "ROUND(AVG(DATE_PART('year', day))), ROUND(AVG(DATE_PART('year', day)))",
        ),
        ("AVG(EXTRACT(YEAR FROM day))::text", "AVG(DATE_PART('year', day))::text"),
        ("FORMAT('%s', MAX(total * 2.0))", "FORMAT('%s', MAX(total * 2))"),
        ("JSON_BUILD_OBJECT('a', MAX(total * 2.0))", "JSON_BUILD_OBJECT('a', MAX(total * 2))"),
        ("JSON_BUILD_OBJECT('a', TRUE)", "JSON_BUILD_OBJECT('a', 1)"),
        ("JSON_BUILD_OBJECT('a', MIN(id))", "JSONB_BUILD_OBJECT('a', MIN(id))"),
    ] {
        let query = |e| format!("SELECT {e} FROM orders");
        assert!(!is_equal(&query(a), &query(b), Postgres), "{a} | {b}");
        assert!(is_equal(&query(a), &query(a), Postgres), "{a}");
    }
}

#[test]
fn rows_of_postgres_arrays_and_documents() {
    for (a, b) in [
        (
            "SELECT e FROM orders, jsonb_array_elements_text(doc) AS e",
            "SELECT e.value FROM orders, jsonb_array_elements_text(doc) AS e",
        ),
        (
            "SELECT x->>'k' FROM orders, jsonb_array_elements(doc) AS x",
            "SELECT y.v->>'k' FROM orders, jsonb_array_elements(doc) AS y(v)",
        ),
        ("SELECT jsonb_object_keys(doc) FROM orders", "SELECT k FROM orders, jsonb_object_keys(doc) AS k"),
        (
            "SELECT e.key FROM orders, jsonb_each(doc) e",
            "SELECT k FROM orders, jsonb_each_text(doc) AS e (k, v)",
        ),
        (
            "SELECT unnest(ARRAY[1, 2]), unnest(ARRAY[3]) FROM orders",
            "SELECT a, b FROM orders, unnest(ARRAY[1, 2], ARRAY[3]) AS t (a, b)",
        ),
        (
            "SELECT x FROM orders CROSS JOIN LATERAL unnest(tags) WITH ORDINALITY AS t (x, n) WHERE n = 1",
            "SELECT x FROM orders, unnest(tags) WITH ORDINALITY AS t (x, n) WHERE n = 1",
        ),
        (
            "SELECT ARRAY(SELECT id FROM orders ORDER BY id)",
            "SELECT ARRAY(SELECT o.id FROM orders o ORDER BY o.id)",
        ),
    ] {
        assert!(is_equal(a, b, Postgres), "{a} | {b}");
    }
    for (a, b) in [
        (
            "SELECT regexp_split_to_table(name, '.') FROM customers",
            "SELECT string_to_table(name, '.') FROM customers",
        ),
        ("SELECT value FROM orders, jsonb_each(doc)", "SELECT value FROM orders, jsonb_each_text(doc)"),
        (
            "SELECT unnest(ARRAY[1, 2]), unnest(tags) FROM orders",
            "SELECT a, b FROM orders, unnest(ARRAY[1, 2]) a, unnest(tags) b",
        ),
    ] {
        assert!(!is_equal(a, b, Postgres), "{a} | {b}");
    }
}
