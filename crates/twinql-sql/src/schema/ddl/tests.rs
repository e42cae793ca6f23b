use crate::dialects::Dialect;
use crate::schema::{Form, NoteKind, Schema, Table};
use crate::{parse, parse_in, plan};

fn pg(text: &str) -> Schema {
    Schema::from_ddl_in("d", text, Dialect::Postgres).unwrap()
}

fn notes(schema: &Schema, kind: NoteKind) -> Vec<String> {
    let of_kind = schema.notes.iter().filter(|n| n.kind == kind);
    of_kind.map(ToString::to_string).collect()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns.iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn a_statement_that_is_not_known_is_noted_with_its_line() {
    for (text, line, what) in [
        ("CREATE TABEL b (x INT);", 2, "CREATE TABEL b"),
        ("CREAT TABLE b (x INT);", 2, "CREAT TABLE b"),
        ("\nFROBNICATE b;", 3, "FROBNICATE b"),
        ("ALTER TABLE b ADD COLUMN y INT;", 2, "ALTER TABLE b"),
        ("ALTER TABLE a DROP COLUMN y;", 2, "DROP COLUMN y"),
        ("ALTER TABLE a RENAME COLUMN y TO z;", 2, "RENAME COLUMN y"),
        ("ALTER TABLE a FROBNICATE;", 2, "FROBNICATE"),
        ("CREATE UNIQUE INDEX u ON a (x) WHERE x > 1;", 2, "CREATE UNIQUE INDEX u"),
        ("CREATE UNIQUE INDEX u ON a (lower(x));", 2, "CREATE UNIQUE INDEX u"),
        ("CREATE TYPE point3 AS (x int, y int, z int);", 2, "CREATE TYPE point3"),
        ("CREATE TABLE b (x INT NOT NULL FROBNICATE);", 2, "FROBNICATE"),
        ("CREATE TABLE b (x INT REFERENCES nowhere);", 2, "FOREIGN KEY (x)"),
        ("CREATE TABLE b (x TEXT COLLATE klingon);", 2, "COLLATE klingon"),
        ("CREATE TABLE b (x INT, PRIMARY KEY (y));", 2, "CREATE TABLE"),
        ("CREATE VIEW v AS SELECT nothing FROM a;", 2, "CREATE VIEW v"),
        ("CREATE TABLE b AS SELECT nothing FROM a;", 2, "CREATE TABLE"),
        ("DROP TABLE b;", 2, "DROP TABLE b"),
        ("CREATE TABLE b (x INT, y TEXT DEFAULT 'abc);", 2, "a quote that is never closed"),
    ] {
        let schema = Schema::from_ddl("d", &format!("CREATE TABLE a (x INT);\n{text}")).unwrap();
        let found = schema
            .notes
            .iter()
            .any(|n| n.kind == NoteKind::NotRead && n.line == Some(line) && n.what.contains(what));
        assert!(found, "{text}: {:?}", schema.notes);
    }
}

#[test]
fn what_says_nothing_of_tables_is_listed_as_ignored() {
    let schema = pg("SET statement_timeout = 0; SELECT pg_catalog.set_config('search_path', '', false);
         CREATE TABLE a (x int NOT NULL); ALTER TABLE a OWNER TO me;
         CREATE SEQUENCE s START WITH 1; ALTER SEQUENCE s OWNED BY a.x;
         ALTER TABLE ONLY a ALTER COLUMN x SET DEFAULT nextval('s'::regclass);
         COMMENT ON TABLE a IS 'x; y'; GRANT ALL ON a TO you;
         COPY a (x) FROM stdin;\n1\nCREATE TABEL\n\\.\n
         CREATE INDEX i ON a (x);
         CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN; CREATE TABEL; END $$;
         CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f();");
    assert_eq!(notes(&schema, NoteKind::NotRead), Vec::<String>::new());
    assert!(notes(&schema, NoteKind::Ignored).len() >= 9, "{:?}", schema.notes);
    assert!(notes(&schema, NoteKind::NotEnforced)[0].contains("CREATE FUNCTION f"));
}

#[test]
fn alters_are_applied_in_order() {
    let s = Schema::from_ddl(
        "d",
        "CREATE TABLE a (id INTEGER, x INT, y INT CHECK (y > 0), CHECK (x < y));
         CREATE TABLE b (a_id INT REFERENCES a(id), v TEXT);
         ALTER TABLE a ADD COLUMN z TEXT NOT NULL;
         ALTER TABLE a RENAME COLUMN y TO yy;
         ALTER TABLE a ADD CONSTRAINT pk PRIMARY KEY (id);
         ALTER TABLE a RENAME TO aa;
         ALTER TABLE b DROP COLUMN v;
         ALTER TABLE b ADD w INT;
         ALTER TABLE aa ADD CONSTRAINT u UNIQUE (x);
         ALTER TABLE aa DROP CONSTRAINT u;
         ALTER TABLE aa RENAME COLUMN id TO key;
         CREATE TABLE gone (x INT); DROP TABLE gone; CREATE TABLE gone (y INT);",
    )
    .unwrap();
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    let a = s.table("aa").unwrap();
    assert_eq!(names(a), ["key", "x", "yy", "z"]);
    assert_eq!((a.primary_key.as_slice(), a.unique.len()), (&[0][..], 0));
    assert!(a.columns[3].not_null && a.columns[0].not_null);
    let checks: Vec<&str> = a.checks.iter().map(|c| c.expr.as_str()).collect();
    assert_eq!(checks, ["\"yy\" > 0", "\"x\" < \"yy\""]);
    assert_eq!(names(s.table("b").unwrap()), ["a_id", "w"]);
    assert_eq!(s.table("b").unwrap().foreign_keys[0].target_columns, [0]);
    assert_eq!(names(s.table("gone").unwrap()), ["y"]);
    assert!(s.table("a").is_none());
}

#[test]
fn alters_of_other_systems_are_applied() {
    let s = pg("CREATE TABLE public.a (id integer, v character varying(20), w integer NOT NULL);
         ALTER TABLE ONLY public.a ADD CONSTRAINT a_pkey PRIMARY KEY (id);
         ALTER TABLE ONLY public.a ADD CONSTRAINT a_v_key UNIQUE (v), ALTER COLUMN v SET NOT NULL;
         ALTER TABLE a ALTER COLUMN w DROP NOT NULL, ALTER COLUMN w TYPE numeric(6,2) USING w::numeric;
         ALTER TABLE IF EXISTS a ADD COLUMN IF NOT EXISTS t timestamp DEFAULT now() NOT NULL;");
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    let a = &s.tables[0];
    assert_eq!((a.primary_key.as_slice(), a.unique.as_slice()), (&[0][..], &[vec![1]][..]));
    assert!(a.columns[1].not_null && !a.columns[2].not_null && a.columns[3].not_null);
    assert_eq!(a.columns[2].limits(s.typing).digits, Some((4, 2)));
    assert_eq!(a.columns[3].limits(s.typing).form, Some(Form::Moment));
    let s = Schema::from_ddl_in(
        "d",
        "CREATE TABLE a (id int(11) NOT NULL, v varchar(20) COMMENT 'x', KEY k (v)) ENGINE=InnoDB;
         ALTER TABLE a ADD PRIMARY KEY (id), MODIFY id int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;
         ALTER TABLE a CHANGE v vv varchar(30) NOT NULL, ADD COLUMN f enum('x','y') FIRST, ADD UNIQUE KEY q (vv);
         RENAME TABLE a TO c;",
        Dialect::Mysql,
    )
    .unwrap();
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    let c = s.table("c").unwrap();
    assert_eq!(names(c), ["f", "id", "vv"]);
    assert_eq!((c.primary_key.as_slice(), c.unique.as_slice()), (&[1][..], &[vec![2]][..]));
    assert_eq!(c.columns[0].values, ["x", "y"]);
    assert_eq!(c.columns[2].limits(s.typing).max_chars, Some(30));
}

#[test]
fn checks_of_dumps_are_read_as_sqlite_has_them() {
    let s = pg(
        "CREATE TYPE public.mood AS ENUM ('sad', 'ok'); ALTER TYPE mood ADD VALUE 'happy';
         CREATE DOMAIN positive AS integer CONSTRAINT pos CHECK (VALUE > 0) NOT NULL;
         CREATE TABLE public.t (
           m public.mood DEFAULT 'sad'::public.mood NOT NULL,
           n positive,
           status character varying(10) DEFAULT 'new'::character varying,
           total numeric(10,2) GENERATED ALWAYS AS ((n * 2)) STORED,
           code text,
           CONSTRAINT c1 CHECK (((status)::text = ANY ((ARRAY['new'::character varying, 'paid'::character varying])::text[]))),
           CONSTRAINT c2 CHECK (((code ~~ 'A%'::text) AND (code IS NOT NULL))),
           CONSTRAINT c3 CHECK ((code ~ '^[A-Z]+$'::text)),
           CONSTRAINT c4 CHECK ((char_length(code) <= 5))
         );
         ALTER TYPE mood ADD VALUE 'angry' BEFORE 'ok';",
    );
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    let t = &s.tables[0];
    assert_eq!(t.columns[0].values, ["sad", "ok", "happy", "angry"]);
    assert_eq!(t.columns[1].declared, "integer");
    assert!(t.columns[1].not_null && t.columns[4].not_null);
    assert_eq!(t.columns[3].generated.as_deref(), Some("(\"n\" * 2)"));
    let enforced: Vec<(&str, bool)> = t.checks.iter().map(|c| (c.expr.as_str(), c.enforced)).collect();
    assert_eq!(
        enforced,
        [
            ("\"n\" > 0", true),
            ("((\"status\") IN ('new', 'paid'))", true),
            ("((glob('A*', \"code\")) AND (\"code\" IS NOT NULL))", true),
            ("(code ~ '^[A-Z]+$'::text)", false),
            ("(length(\"code\") <= 5)", true),
        ]
    );
    assert!(notes(&s, NoteKind::NotEnforced)[0].contains("CHECK"), "{:?}", s.notes);
    // What was read can be written as SQLite has it, and read again.
    let again = Schema::from_ddl("d", &s.to_ddl()).unwrap();
    assert_eq!(names(&again.tables[0]), names(t));
    assert_eq!(again.tables[0].checks.len(), 5, "{:?}", again.tables[0].checks);
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.execute_batch(&s.to_ddl()).unwrap();
}

#[test]
fn views_are_planned_as_their_queries() {
    let s = Schema::from_ddl(
        "d",
        "CREATE TABLE a (id INTEGER PRIMARY KEY, x INT, y TEXT);
         CREATE VIEW v AS SELECT id, x + 1 AS z FROM a WHERE y = 'q';
         CREATE VIEW w (p, q) AS SELECT id, z FROM v;
         CREATE VIEW r1 AS SELECT * FROM r2; CREATE VIEW r2 AS SELECT * FROM r1;",
    )
    .unwrap();
    let tree = |sql: &str| plan(&s, &parse(sql).unwrap());
    let inline = "SELECT p FROM (SELECT id AS p, z AS q FROM (SELECT id, x + 1 AS z FROM a WHERE y = 'q') v) w WHERE q > 3";
    assert_eq!(tree("SELECT p FROM w WHERE q > 3").unwrap().query, tree(inline).unwrap().query);
    assert!(tree("SELECT p FROM main.w").is_ok());
    // A view's query sees no WITH of the query around it, and an error inside names the view.
    assert!(tree("WITH a AS (SELECT 1) SELECT z FROM v").is_ok());
    let e = tree("SELECT * FROM r1").unwrap_err().to_string();
    assert!(e.contains("circularly defined"), "{e}");
    let e = tree("SELECT x FROM v").unwrap_err().to_string();
    assert!(e.contains('x'), "{e}");
    let circular = notes(&s, NoteKind::NotRead);
    assert_eq!(circular.len(), 2, "{circular:?}");
    assert!(circular[0].starts_with("line 4: CREATE VIEW r1"), "{}", circular[0]);
}

#[test]
fn views_of_other_dialects_are_kept_as_sqlite_has_them() {
    let s = pg(
        "CREATE TABLE public.a (id int PRIMARY KEY, d date, amount numeric);
         CREATE MATERIALIZED VIEW public.later AS SELECT total / 2 AS half FROM public.totals WITH NO DATA;
         CREATE VIEW public.totals AS SELECT a.id, sum(a.amount)::numeric AS total FROM public.a GROUP BY a.id;",
    );
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    assert_eq!(s.view("TOTALS").unwrap().columns, ["id", "total"]);
    let parsed = parse_in("SELECT half FROM later WHERE half > 3", Dialect::Postgres).unwrap();
    plan(&s, &parsed).unwrap();
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.execute_batch(&s.to_ddl()).unwrap();
    db.prepare("SELECT half FROM later").unwrap();
}

#[test]
fn a_table_made_by_a_query_has_its_columns() {
    let s = Schema::from_ddl(
        "d",
        "CREATE TABLE a (id INTEGER PRIMARY KEY, name VARCHAR(20));
         CREATE VIEW v AS SELECT name FROM a;
         CREATE TABLE b AS SELECT v.name, count(*) AS n, a.id, a.id FROM a JOIN v ON a.name = v.name GROUP BY 1;
         ALTER TABLE b ADD COLUMN extra INT;",
    )
    .unwrap();
    assert_eq!(notes(&s, NoteKind::NotRead), Vec::<String>::new());
    let b = s.table("b").unwrap();
    assert_eq!(names(b), ["name", "n", "id", "id:1", "extra"]);
    let declared: Vec<&str> = b.columns.iter().map(|c| c.declared.as_str()).collect();
    assert_eq!(declared, ["VARCHAR(20)", "INTEGER", "INTEGER", "INTEGER", "INT"]);
}

#[test]
fn a_table_that_cannot_be_read_costs_no_other() {
    let s = Schema::from_ddl("d", "CREATE TABLE a (x INT);\n\nCREATE TABLE b (x INT, X INT);").unwrap();
    assert_eq!(s.tables.len(), 1);
    let missed = notes(&s, NoteKind::NotRead);
    assert!(missed[0].starts_with("line 3: CREATE TABLE: the table is left out"), "{missed:?}");
}

#[test]
fn a_missing_semicolon_loses_no_table() {
    let s =
        Schema::from_ddl("d", "CREATE TABLE a (x INT)\nCREATE TABLE b (y INT)\nGO\nCREATE TABLE c (z INT)")
            .unwrap();
    assert_eq!(s.tables.len(), 3, "{:?}", s.notes);
}

#[test]
fn many_tables_are_read_in_linear_time() {
    use std::fmt::Write;
    let mut text = String::new();
    for i in 0..10_000 {
        writeln!(text, "CREATE TABLE t{i} (id INTEGER PRIMARY KEY, p INT REFERENCES t{}(id));", i / 2)
            .unwrap();
    }
    let schema = Schema::from_ddl("d", &text).unwrap();
    assert_eq!(schema.tables.len(), 10_000);
    assert!(schema.tables.iter().all(|t| t.foreign_keys.len() == 1));
}

#[test]
fn nothing_that_can_be_written_makes_the_reader_fail() {
    // Every prefix of a text, and every text without one of its tokens.
    let text = "CREATE TYPE m AS ENUM ('a'); CREATE DOMAIN d AS int CHECK (VALUE > 0);
        CREATE TABLE t (a m, b d DEFAULT 1, c varchar(3) GENERATED ALWAYS AS (b || 'x') STORED, PRIMARY KEY (a), UNIQUE (b, c), CHECK (b < 5));
        ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES t (b), DROP COLUMN c, RENAME TO u;
        CREATE VIEW v (x) AS SELECT a FROM u WITH CHECK OPTION; CREATE UNIQUE INDEX i ON u (a); DROP VIEW v;";
    for dialect in Dialect::ALL {
        for end in (0..text.len()).step_by(3) {
            let _ = Schema::from_ddl_in("d", &text[..end], dialect);
        }
        let words: Vec<&str> = text.split_inclusive([' ', '(', ')', ',', ';']).collect();
        for left_out in 0..words.len() {
            let mutated: String =
                words.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, w)| *w).collect();
            let _ = Schema::from_ddl_in("d", &mutated, dialect);
        }
    }
}

/// Odd texts that fuzzing found: what was read of them is printed, and read again as it was.
#[test]
fn what_is_printed_is_read_again() {
    for (text, dialect) in [
        ("CREATE TABLE t (a INT); CREATE VIEW v AS SELECT a FROM t WHERE a = 'x;", Dialect::Sqlite),
        ("CREATE TABLE t (a INT CHECK (a > $1));", Dialect::Postgres),
        ("CREATE TABLE t (a TEXT CHECK (a <> $$it's$$ AND a <> E'\\\\'));", Dialect::Postgres),
        ("CREATE TABLE t (a TEXT CHECK (a <> N'x'));", Dialect::Mysql),
    ] {
        let schema = Schema::from_ddl_in("d", text, dialect).unwrap();
        let printed = schema.to_ddl();
        let again = Schema::from_ddl("d", &printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert_eq!(again.to_ddl(), printed, "{text}");
    }
}
