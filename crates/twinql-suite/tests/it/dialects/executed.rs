//! What the tests of a dialect share: expressions executed in the sandbox, and pairs that are proved or not.

use twinql_sql::prove::{Proof, prove};
use twinql_sql::{Dialect, Schema, Semantics, Value, in_sqlite};
use twinql_suite::{Database, Sandbox};

fn text(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(n) => n.to_string(),
        Value::Real(r) => format!("{:?}", r.0),
        Value::Text(text) => text.clone(),
        Value::Blob(_) => "a blob".into(),
    }
}

/// The rows of a query over the database, as texts.
pub(super) fn rows(dialect: Dialect, schema: &Schema, database: &Database, sql: &str) -> Vec<String> {
    let translated = in_sqlite(schema, sql, dialect).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let sandbox = Sandbox::new(schema, Default::default()).unwrap();
    let all: Vec<usize> = (0..schema.tables.len()).collect();
    sandbox.loader(&all).unwrap().load(database).unwrap();
    let mut query = sandbox.prepare(&translated).unwrap_or_else(|e| panic!("{translated}: {e}"));
    let answer = query.run(0).unwrap_or_else(|e| panic!("{translated}: {e}"));
    answer.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>().join("|")).collect()
}

/// That each expression, which may have a FROM of its own, gives what stands beside it; all that do not are listed.
pub(super) fn give(dialect: Dialect, expressions: &[(&str, &str)]) {
    let schema = Schema::from_ddl_in("none", "CREATE TABLE t (id INT)", dialect).unwrap();
    let database = Database { tables: vec![Some(Vec::new()); schema.tables.len()] };
    let mut wrong = Vec::new();
    for (expression, answer) in expressions {
        let sql = format!("SELECT {expression}");
        let given = std::panic::catch_unwind(|| rows(dialect, &schema, &database, &sql));
        if given.as_ref().ok() != Some(&vec![(*answer).to_owned()]) {
            wrong.push(format!(
                "{expression}: {given:?}, not {answer}, by {:?}",
                in_sqlite(&schema, &sql, dialect)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// That the pairs are proved to say the same, or are not; all that fall out otherwise are listed.
pub(super) fn pairs(dialect: Dialect, schema: &Schema, pairs: &[(&str, &str, bool)]) {
    let semantics = Semantics::preset("declared").unwrap();
    let mut wrong = Vec::new();
    for (a, b, alike) in pairs {
        let texts =
            [a, b].map(|sql| in_sqlite(schema, sql, dialect).unwrap_or_else(|e| panic!("{sql}: {e}")));
        let proved = prove(schema, &texts[0], &texts[1], &semantics);
        if matches!(proved, Ok(Proof::Equal(_))) != *alike {
            wrong.push(format!("{a} | {b}: {texts:?}: {proved:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
