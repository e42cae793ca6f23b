//! Which clause of a prediction is wrong, as text and as JSON.

use serde_json::{Value as Json, json};
use twinql_sql::explain::clauses::{Repair, Suspect};

/// The clauses that may be wrong as JSON, the most likely one first: the wire form of `twinql explain`.
pub fn details(suspects: &[Suspect]) -> Json {
    let each = suspects.iter().map(|suspect| {
        json!({
            "clause": suspect.clause.name,
            "alone": is_alone(suspect),
            "lacks": suspect.lacks,
            "adds": suspect.adds,
            "sentence": suspect.to_string(),
        })
    });
    each.collect()
}

/// The same for people, each line ended; nothing where no clause is named.
pub fn text(suspects: &[Suspect]) -> String {
    let mut out = String::new();
    if !suspects.is_empty() {
        out.push_str("clauses that may be wrong, the most likely one first:\n");
    }
    for suspect in suspects {
        let repaired = match suspect.repair {
            Repair::Together => {
                " With the gold's in both of the first two clauses, the queries are the same."
            }
            _ if is_alone(suspect) => " With the gold's, both queries are the same.",
            _ => "",
        };
        out.push_str(&format!("  {}: {suspect}{repaired}\n", suspect.clause.name));
    }
    out
}

/// Whether nothing else is wrong.
fn is_alone(suspect: &Suspect) -> bool {
    matches!(suspect.repair, Repair::Whole | Repair::WholeForm)
}

#[cfg(test)]
mod tests {
    use twinql_sql::explain::clauses::suspects;
    use twinql_sql::{Schema, Semantics, parse};

    #[test]
    fn the_wrong_clause_is_named_in_a_sentence() {
        let schema =
            Schema::from_ddl("d", "CREATE TABLE concert (id INTEGER PRIMARY KEY, year INTEGER)").unwrap();
        let [gold, pred] = ["SELECT id FROM concert WHERE year = 2014", "SELECT id FROM concert AS c"]
            .map(|sql| parse(sql).unwrap());
        let found = suspects(&schema, &gold, &pred, &Semantics::default());
        assert_eq!(
            super::text(&found),
            "clauses that may be wrong, the most likely one first:\n  where: The condition on rows (WHERE) lacks: \
             year = 2014. With the gold's, both queries are the same.\n"
        );
        let wire = super::details(&found);
        assert_eq!(wire[0]["clause"], "where");
        assert_eq!(wire[0]["alone"], true);
        assert_eq!(wire[0]["lacks"], serde_json::json!(["year = 2014"]));
        assert_eq!(super::text(&[]), "");
    }
}
