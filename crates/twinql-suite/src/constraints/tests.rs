//! Every generated database keeps to the schema that it is made for, as SQLite says.

use rusqlite::{Connection, params_from_iter};
use sqlparser::ast::Query;
use twinql_sql::schema::quote;
use twinql_sql::{Dialect, Schema, Semantics, Value};

use crate::database::Database;
use crate::facts::Facts;
use crate::generate::Generator;
use crate::judge::{Judge, JudgeConfig, Verdict};

/// Schemas with many constraints, the dialect they are in, and queries whose constants break them.
const SCHEMAS: &[(&str, Dialect, &str, &[&str])] = &[
    (
        "ratings",
        Dialect::Sqlite,
        "CREATE TABLE person (id INTEGER PRIMARY KEY CHECK (id > 0), name VARCHAR(6) NOT NULL, active BOOLEAN, born DATE);
         CREATE TABLE rating (id INTEGER PRIMARY KEY, person_id INT NOT NULL REFERENCES person(id),
            stars INT NOT NULL CHECK (stars BETWEEN 1 AND 5), weight REAL CHECK (weight >= 0 AND weight < 1),
            kind TEXT CHECK (kind IN ('good', 'bad')), low INT, high INT, CHECK (low <= high), CHECK (length(kind) < 10));",
        &[
            "SELECT name FROM person JOIN rating ON person.id = person_id WHERE stars > 206 AND weight = 7 ORDER BY stars DESC LIMIT 3",
            "SELECT count(*) FROM rating WHERE kind = 'PAID' OR stars = -1 GROUP BY person_id HAVING count(*) > 3",
            "SELECT name FROM person WHERE active = 1 AND name = 'a name that is too long' AND id = -4",
            "SELECT max(high) FROM rating WHERE low > 12 AND high < 3 AND kind LIKE 'go%'",
        ],
    ),
    (
        "orders",
        Dialect::Postgres,
        "CREATE TYPE status AS ENUM ('new', 'paid', 'sent');
         CREATE DOMAIN cents AS numeric(8,2) CHECK (VALUE >= 0);
         CREATE TABLE customer (id serial PRIMARY KEY, code char(3) NOT NULL UNIQUE CHECK (code ~~ 'C%'), vip boolean DEFAULT false,
            since timestamp without time zone, opens time, CHECK (code = upper(code)));
         CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer NOT NULL REFERENCES customer(id), state status NOT NULL,
            price cents NOT NULL, n smallint NOT NULL CHECK (n > 0 AND n <= 5), total numeric(10,2) GENERATED ALWAYS AS (price * n) STORED,
            ordered date NOT NULL, sent date, CHECK (sent >= ordered), CHECK (state <> 'sent' OR sent IS NOT NULL),
            CONSTRAINT few CHECK (((state)::text = ANY ((ARRAY['new'::character varying, 'paid'::character varying, 'sent'::character varying])::text[]))));",
        &[
            "SELECT code FROM customer JOIN orders ON customer.id = customer_id WHERE state = 'PAID' AND vip = -1",
            "SELECT since FROM customer WHERE since = '2023-01-01x' OR since > '2023-01-01' OR opens < 'noon'",
            "SELECT sum(total) FROM orders WHERE n > 206 AND price = 3.14159 AND ordered > '2023-02-31' GROUP BY state",
            "SELECT id FROM orders WHERE total = 12.5 AND sent < ordered ORDER BY total DESC LIMIT 1",
        ],
    ),
    (
        "levels",
        Dialect::Mysql,
        "CREATE TABLE level (id int NOT NULL AUTO_INCREMENT, size enum('s','m','l') NOT NULL, flag tinyint(1) DEFAULT 0,
            share decimal(3,2) CHECK (share <= 1), parent_id int, year year, PRIMARY KEY (id), UNIQUE KEY u (size, year),
            CONSTRAINT p FOREIGN KEY (parent_id) REFERENCES level (id), CHECK (year >= 1990)) ENGINE=InnoDB;",
        &[
            "SELECT id FROM level WHERE size = 'xl' AND flag = 7 AND share > 2.5",
            "SELECT a.id FROM level a JOIN level b ON a.parent_id = b.id WHERE a.year = 1066 AND b.share = 0.333",
        ],
    ),
];

fn parsed(sql: &str) -> Query {
    *twinql_sql::parse(sql).unwrap().query
}

fn bound(value: &Value) -> rusqlite::types::Value {
    match value {
        Value::Null => rusqlite::types::Value::Null,
        Value::Integer(i) => rusqlite::types::Value::Integer(*i),
        Value::Real(r) => rusqlite::types::Value::Real(r.0),
        Value::Text(s) => rusqlite::types::Value::Text(s.clone()),
        Value::Blob(b) => rusqlite::types::Value::Blob(b.clone()),
    }
}

/// Puts the database into tables that are declared with all that the schema says, and compares
/// generated columns with what SQLite computes.
fn insert(schema: &Schema, database: &Database, semantics: &Semantics) -> Result<(), String> {
    let db = Connection::open_in_memory().unwrap();
    // Foreign keys are looked at when all rows are there.
    db.execute_batch("PRAGMA foreign_keys=OFF;").unwrap();
    db.execute_batch(&schema.to_ddl()).map_err(|e| e.to_string())?;
    for (index, table) in schema.tables.iter().enumerate() {
        let plain: Vec<usize> =
            (0..table.columns.len()).filter(|&c| table.columns[c].generated.is_none()).collect();
        let names: Vec<String> = plain.iter().map(|&c| quote(&table.columns[c].name)).collect();
        let marks = vec!["?"; plain.len()].join(", ");
        let name = quote(&table.name);
        let sql = format!("INSERT INTO {name} ({}) VALUES ({marks}) RETURNING *", names.join(", "));
        for row in database.rows(index) {
            let values = plain.iter().map(|&c| bound(&row[c]));
            let stored = db.query_row(&sql, params_from_iter(values), |found| {
                (0..row.len())
                    .map(|i| found.get::<_, rusqlite::types::Value>(i))
                    .collect::<Result<Vec<_>, _>>()
            });
            let stored = stored.map_err(|e| format!("{}: {row:?}: {e}", table.name))?;
            let given: Vec<rusqlite::types::Value> = row.iter().map(bound).collect();
            if stored != given {
                return Err(format!("{}: {given:?} is stored as {stored:?}", table.name));
            }
        }
    }
    let broken: i64 =
        db.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |r| r.get(0)).unwrap();
    if semantics.foreign_keys_hold && broken > 0 {
        return Err(format!("{broken} rows refer to nothing"));
    }
    Ok(())
}

#[test]
fn every_generated_database_keeps_to_its_declared_schema() {
    for &(name, dialect, ddl, queries) in SCHEMAS {
        let schema = Schema::from_ddl_in(name, ddl, dialect).unwrap();
        let open: Vec<String> = schema.notes.iter().map(ToString::to_string).collect();
        assert!(open.is_empty(), "{name}: {open:?}");
        let facts: Vec<Facts> = queries.iter().map(|q| Facts::of(&schema, &parsed(q))).collect();
        for preset in ["default", "no-fk", "declared"] {
            let semantics = Semantics::preset(preset).unwrap();
            for thorough in [false, true] {
                let mut generator = Generator::new(&schema, &semantics, &facts, &[], 8);
                if thorough {
                    generator = generator.thorough();
                }
                let mut made = 0;
                for index in 0..60 {
                    let Some(database) = generator.database(index) else {
                        continue;
                    };
                    made += 1;
                    database.check(&schema, &semantics).unwrap();
                    if let Err(why) = insert(&schema, &database, &semantics) {
                        panic!("{name}, {preset}, database {index}: {why}\n{}", database.to_sql(&schema));
                    }
                }
                assert!(made >= 50, "{name}, {preset}: only {made} of 60 databases could be made");
            }
        }
    }
}

#[test]
fn values_within_the_constraints_vary() {
    let (name, dialect, ddl, queries) = SCHEMAS[0];
    let schema = Schema::from_ddl_in(name, ddl, dialect).unwrap();
    let semantics = Semantics::default();
    let facts: Vec<Facts> = queries.iter().map(|q| Facts::of(&schema, &parsed(q))).collect();
    let generator = Generator::new(&schema, &semantics, &facts, &[], 8);
    let rating = schema.table_index("rating").unwrap();
    let mut stars = std::collections::BTreeSet::new();
    let mut kinds = std::collections::BTreeSet::new();
    let mut ordered = 0;
    for index in 0..30 {
        for row in generator.database(index).unwrap().rows(rating) {
            stars.insert(row[2].clone());
            kinds.insert(row[4].clone());
            ordered += usize::from(row[5] != row[6]);
        }
    }
    assert_eq!((stars.len(), kinds.len()), (5, 2), "{stars:?} {kinds:?}");
    assert!(ordered > 30, "low and high are nearly always alike");
}

#[test]
fn strict_assumes_no_check_but_keeps_types() {
    let schema = Schema::from_ddl_in(
        "s",
        "CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n > 100), b boolean, v varchar(3))",
        Dialect::Postgres,
    )
    .unwrap();
    let strict = Semantics::preset("strict").unwrap();
    let facts = [Facts::of(&schema, &parsed("SELECT id FROM t WHERE n = 5 AND b = 3 AND v = 'abcdef'"))];
    let generator = Generator::new(&schema, &strict, &facts, &[], 8);
    let rows: Vec<_> =
        (0..40).filter_map(|i| generator.database(i)).flat_map(|d| d.rows(0).to_vec()).collect();
    assert!(rows.iter().any(|r| r[1] == Value::Integer(5)));
    for row in rows {
        assert!(matches!(row[2], Value::Null | Value::Integer(0 | 1)), "{row:?}");
        assert!(!matches!(&row[3], Value::Text(s) if s.chars().count() > 3), "{row:?}");
    }
}

#[test]
fn a_check_decides_a_verdict() {
    let ddl = "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT NOT NULL CHECK (n BETWEEN 1 AND 5))";
    let schema = Schema::from_ddl("s", ddl).unwrap();
    let judge = |semantics: &str| {
        let config =
            JudgeConfig { semantics: Semantics::preset(semantics).unwrap(), ..JudgeConfig::default() };
        let judge = Judge::new(&schema, config).unwrap();
        judge.judge("SELECT id FROM t WHERE n > 3", "SELECT id FROM t WHERE n > 3 AND n < 206")
    };
    assert!(matches!(judge("default"), Verdict::Same { .. }));
    assert!(matches!(judge("strict"), Verdict::Different { .. }));
}

#[test]
fn a_type_of_sqlite_gives_way_to_texts_that_a_query_asks_for() {
    let schema = Schema::from_ddl("s", "CREATE TABLE t (id INTEGER PRIMARY KEY, b BOOLEAN, d DATE)").unwrap();
    let semantics = Semantics::default();
    let facts = [Facts::of(&schema, &parsed("SELECT id FROM t WHERE b = 'T' AND d = '2020'"))];
    let generator = Generator::new(&schema, &semantics, &facts, &[], 8);
    let rows: Vec<_> =
        (0..40).filter_map(|i| generator.database(i)).flat_map(|d| d.rows(0).to_vec()).collect();
    assert!(rows.iter().any(|r| r[1] == Value::Text("T".into())));
    assert!(rows.iter().any(|r| r[2] == Value::Integer(2020)));
    assert!(rows.iter().all(|r| !matches!(r[1], Value::Integer(n) if n != 0 && n != 1)));
}

#[test]
fn a_schema_of_many_tables_is_made_as_far_as_it_is_read() {
    use std::fmt::Write;
    let mut ddl = String::from("CREATE VIEW v AS SELECT t7.id, x FROM t7 WHERE x > 3;\n");
    for i in 0..10_000 {
        writeln!(ddl, "CREATE TABLE t{i} (id INTEGER PRIMARY KEY, x INT, p INT REFERENCES t{}(id));", i / 2)
            .unwrap();
    }
    let schema = Schema::from_ddl("many", &ddl).unwrap();
    let judge = Judge::new(&schema, JudgeConfig::default()).unwrap();
    let same = judge.judge("SELECT id FROM v", "SELECT id FROM t7 WHERE NOT x <= 3");
    assert!(matches!(same, Verdict::Same { .. }), "{same:?}");
    match judge.judge("SELECT id FROM t9000 WHERE x > 3", "SELECT id FROM t9000 WHERE x > 4") {
        Verdict::Different { witness } => {
            assert!(!witness.statements.contains("\"t8999\""), "{}", witness.statements);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn views_are_made_in_the_sandbox_and_their_conditions_are_aimed_at() {
    let schema = Schema::from_ddl(
        "s",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, x INT, y TEXT);
         CREATE VIEW v (key, word) AS SELECT id, y FROM t WHERE x = 77123;
         CREATE VIEW w AS SELECT key FROM v WHERE word = 'rare word';",
    )
    .unwrap();
    let judge = Judge::new(&schema, JudgeConfig::default()).unwrap();
    let verdict = judge.judge("SELECT key FROM w", "SELECT id FROM t WHERE x = 77123 AND y = 'rare word'");
    match verdict {
        Verdict::Same { nonempty, .. } => assert!(nonempty > 20, "{nonempty}"),
        other => panic!("{other:?}"),
    }
    match judge.judge("SELECT key FROM w", "SELECT key FROM v") {
        Verdict::Different { witness } => {
            let db = Connection::open_in_memory().unwrap();
            db.execute_batch(&witness.statements).unwrap();
            db.prepare("SELECT key FROM w").unwrap();
        }
        other => panic!("{other:?}"),
    }
}
