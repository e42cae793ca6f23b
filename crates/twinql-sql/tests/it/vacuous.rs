//! What is empty only by an assumption of the semantics proves nothing.

use twinql_sql::prove::verify;
use twinql_sql::semantics::PRESETS;
use twinql_sql::{Assumption, Canonical, Proof, Schema, Semantics, canonicalize, prove};

const TABLE: &str = include_str!("../../../../data/vacuous.tsv");
const DDL: &str = include_str!("../../../../data/schemas/town_library.sql");

/// The presets' letters in the table.
const LETTERS: [char; 6] = ['d', 'n', 's', 'b', 'e', 't'];

fn schema() -> Schema {
    Schema::from_ddl("town_library", DDL).unwrap()
}

/// The canonical form of a query in a pair with this gold.
fn form_beside(gold: &str, sql: &str, preset: &str) -> Canonical {
    let (schema, semantics) = (schema(), Semantics::preset(preset).unwrap());
    canonicalize(&schema, sql, &semantics.for_gold_text(&schema, gold)).unwrap()
}

/// The canonical form of a gold.
fn form(sql: &str, preset: &str) -> Canonical {
    form_beside(sql, sql, preset)
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
        let empty = letters(|preset| {
            [gold, pred].iter().any(|sql| !form_beside(gold, sql, preset).vacuous.is_empty())
        });
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
        ("SELECT name FROM title WHERE genre IS NULL", vec![]),
        ("SELECT COUNT(*) - COUNT(genre) FROM title", vec![NoNulls]),
        ("SELECT name FROM title WHERE title_id IS NULL", vec![Keys, NoNulls]),
        ("SELECT days FROM loan WHERE member_id NOT IN (SELECT member_id FROM member)", vec![ForeignKeys]),
        ("SELECT title_id FROM title GROUP BY title_id HAVING COUNT(*) > 1", vec![Keys]),
        ("SELECT name FROM title WHERE NOT EXISTS (SELECT 1 FROM branch)", vec![NoEmptyTables]),
        ("SELECT name FROM title WHERE pages > 3 AND pages < 4", vec![Typed]),
        (
            "SELECT name FROM title WHERE genre IS NULL AND NOT EXISTS (SELECT 1 FROM branch)",
            vec![NoEmptyTables],
        ),
        (
            "SELECT COUNT(*) - COUNT(genre) FROM title WHERE NOT EXISTS (SELECT 1 FROM branch)",
            vec![NoNulls, NoEmptyTables],
        ),
        ("SELECT name FROM title WHERE 1 = 0", vec![]),
        ("SELECT name FROM title WHERE genre IS NOT NULL", vec![]),
    ] {
        assert_eq!(form(sql, "default").vacuous, assumptions, "{sql}");
    }
    // A prediction may not ask for NULLs that its gold does not ask for.
    let (gold, pred) =
        ("SELECT name FROM title WHERE genre IS NULL", "SELECT name FROM title WHERE published_year IS NULL");
    assert_eq!(form_beside(gold, gold, "default").vacuous, vec![]);
    assert_eq!(form_beside(gold, pred, "default").vacuous, vec![NoNulls]);
}

#[test]
fn a_proof_says_which_columns_may_hold_nulls() {
    let schema = schema();
    let gold = "SELECT name FROM title WHERE genre IS NULL AND author = 'x'";
    let pred = "SELECT name FROM title WHERE author = 'x' AND genre IS NULL AND (published_year IS NOT NULL OR published_year > 3)";
    let semantics = Semantics::default();
    let Proof::Equal(mut found) = prove(&schema, gold, pred, &semantics).unwrap() else { panic!() };
    assert_eq!(found.needs(), ["no column holds NULL but those the gold asks for: title.genre"]);
    verify(&schema, gold, pred, &semantics, &found).unwrap();
    found.nulls_in.clear();
    assert!(verify(&schema, gold, pred, &semantics, &found).is_err());
    // The other way round published_year is asked for, and may be NULL.
    assert!(!matches!(prove(&schema, pred, gold, &semantics).unwrap(), Proof::Equal(_)));
}
