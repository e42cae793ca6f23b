//! What is empty only by an assumption of the semantics proves nothing.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use twinql_sql::prove::verify;
use twinql_sql::semantics::PRESETS;
use twinql_sql::{Assumption, Canonical, Proof, Schema, Semantics, canonicalize, prove};

const TABLE: &str = include_str!("../../../data/vacuous.tsv");
const DDL: &str = include_str!("../../../data/schemas/town_library.sql");

/// The presets' letters in the table.
const LETTERS: [char; 6] = ['d', 'n', 's', 'b', 'e', 't'];

fn schema() -> Schema {
    Schema::from_ddl("town_library", DDL).unwrap()
}

fn form(sql: &str, preset: &str) -> Canonical {
    canonicalize(&schema(), sql, &Semantics::preset(preset).unwrap()).unwrap()
}

/// The letters of the presets for which something holds, `-` for none.
fn letters(holds: impl Fn(&str) -> bool) -> String {
    let found: String = LETTERS.iter().zip(PRESETS).filter(|(_, p)| holds(p)).map(|(l, _)| *l).collect();
    if found.is_empty() { "-".into() } else { found }
}

#[test]
fn proofs_and_vacuous_forms_of_the_table() {
    let schema = schema();
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in TABLE.lines().filter(|l| !l.starts_with('#')) {
        let [name, equal, vacuous, _judged, gold, pred] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        lines += 1;
        let proved = letters(|preset| {
            let semantics = Semantics::preset(preset).unwrap();
            match prove(&schema, gold, pred, &semantics).unwrap() {
                Proof::Equal(found) => {
                    verify(&schema, gold, pred, &semantics, &found).unwrap();
                    true
                }
                _ => false,
            }
        });
        let empty = letters(|preset| [gold, pred].iter().any(|sql| !form(sql, preset).vacuous.is_empty()));
        if (proved.as_str(), empty.as_str()) != (equal, vacuous) {
            wrong.push(format!(
                "{name}: proved under {proved}, expected {equal}; vacuous under {empty}, expected {vacuous}\n  {gold}\n  {pred}"
            ));
        }
    }
    assert!(lines >= 60, "{lines}");
    assert!(wrong.is_empty(), "{} of {lines}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_assumptions_that_empty_a_query_are_named() {
    use Assumption::{ForeignKeys, Keys, NoEmptyTables, NoNulls, Typed};
    for (sql, assumptions) in [
        ("SELECT name FROM title WHERE genre IS NULL", vec![NoNulls]),
        ("SELECT name FROM title WHERE title_id IS NULL", vec![Keys, NoNulls]),
        ("SELECT days FROM loan WHERE member_id NOT IN (SELECT member_id FROM member)", vec![ForeignKeys]),
        ("SELECT title_id FROM title GROUP BY title_id HAVING COUNT(*) > 1", vec![Keys]),
        ("SELECT name FROM title WHERE NOT EXISTS (SELECT 1 FROM branch)", vec![NoEmptyTables]),
        ("SELECT name FROM title WHERE pages > 3 AND pages < 4", vec![Typed]),
        (
            "SELECT name FROM title WHERE genre IS NULL AND NOT EXISTS (SELECT 1 FROM branch)",
            vec![NoNulls, NoEmptyTables],
        ),
        ("SELECT name FROM title WHERE 1 = 0", vec![]),
        ("SELECT name FROM title WHERE genre IS NOT NULL", vec![]),
    ] {
        assert_eq!(form(sql, "default").vacuous, assumptions, "{sql}");
    }
}
