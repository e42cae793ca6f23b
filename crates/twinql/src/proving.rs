//! Proofs over batches of pairs.

use std::borrow::Borrow;

use rayon::prelude::*;
use serde_json::{Value as Json, json};
use twinql_sql::prove::{Certificate, Contained, Homomorphisms, ProveError, Rows};
use twinql_sql::{Proof, Semantics, prove};

use crate::job::Job;
use crate::vacuous;

/// Proves what can be proved of a batch: one result for each job that holds a pair, in
/// order. Runs on rayon's current pool. `each` is called once for each pair when it is done.
pub fn prove_all(
    jobs: &[Job],
    semantics: &Semantics,
    each: &(dyn Fn() + Sync),
) -> Vec<Option<Result<Proof, ProveError>>> {
    jobs.par_iter()
        .map(|job| {
            let (schema, gold, pred) = job.pair()?;
            let proof = prove(schema, gold, pred, semantics);
            each();
            Some(proof)
        })
        .collect()
}

/// What a proof says beside its verdict, as JSON: the wire form of details and of
/// `twinql prove`.
pub fn details(proof: &Proof) -> Json {
    let mut details = of_verdict(proof);
    if let (Some(by), Json::Object(map)) = (proof.vacuous(), &mut details) {
        map.insert("vacuous".into(), true.into());
        map.insert("vacuous_by".into(), vacuous::names(by));
    }
    details
}

fn of_verdict(proof: &Proof) -> Json {
    match proof {
        Proof::Equal(equal) => json!({
            "assumptions": equal.assumptions.iter().map(|a| a.name()).collect::<Vec<_>>(),
            "nulls_in": equal.nulls_in,
            "gold_rules": equal.gold_rules,
            "pred_rules": equal.pred_rules,
            "certificate": certificate(&equal.certificate),
        }),
        Proof::Different(difference) => json!({ "reason": difference.to_string() }),
        Proof::Unknown(unknown) => json!({
            "gold_only": unknown.gold_only,
            "pred_only": unknown.pred_only,
            "kinds": unknown.kinds.iter().map(|kind| kind.name).collect::<Vec<_>>(),
            "limits": unknown.limits,
            "contained": unknown.contained.as_ref().map(containment),
        }),
    }
}

fn certificate(certificate: &Certificate) -> Json {
    match certificate {
        Certificate::CanonicalForm { sql, order_relaxed } => json!({
            "kind": "canonical_form",
            "sql": sql,
            "order_relaxed": order_relaxed,
        }),
        Certificate::Homomorphisms(maps) => mappings(maps),
    }
}

/// That one query is contained in the other, as JSON.
pub(crate) fn containment(Contained { side, maps }: &Contained) -> Json {
    json!({ "side": side.to_string(), "certificate": mappings(maps) })
}

/// Mappings of rows, as JSON.
pub(crate) fn mappings(maps: &Homomorphisms) -> Json {
    json!({
            "kind": "homomorphisms",
            "rows": match maps.rows {
                Rows::Set => "set",
                Rows::Bag => "bag",
            },
            "gold": maps.gold.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "pred": maps.pred.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "summary": maps.summary,
            "maps": maps.maps.iter().map(|map| json!({
                "from": map.from.to_string(),
                "from_arm": map.from_arm,
                "to_arm": map.to_arm,
                "rows": maps.named(map).into_iter().collect::<Vec<_>>(),
                "conditions": map.conditions,
            })).collect::<Vec<_>>(),
    })
}

/// A proof for people, each line ended.
pub fn text(proof: &Proof, semantics: &Semantics) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    match proof {
        Proof::Equal(equal) => {
            line(format!("equal: the same answer on every database under {semantics} semantics"));
            line(format!("  needs: {}", listed(&equal.needs(), "nothing of the data")));
            line(format!("  gold rules: {}", listed(&equal.gold_rules, "none")));
            line(format!("  pred rules: {}", listed(&equal.pred_rules, "none")));
            match &equal.certificate {
                Certificate::CanonicalForm { sql, order_relaxed } => {
                    line(format!("  both are: {sql}"));
                    if *order_relaxed {
                        line("  the gold asks for less order than the prediction gives".into());
                    }
                }
                Certificate::Homomorphisms(maps) => {
                    for text in maps.to_string().lines() {
                        line(format!("  {text}"));
                    }
                }
            }
        }
        Proof::Different(difference) => line(format!("different: {difference}")),
        Proof::Unknown(unknown) => {
            line(format!("unknown: neither proved equal nor proved different under {semantics} semantics"));
            for (side, lines) in [("gold", &unknown.gold_only), ("pred", &unknown.pred_only)] {
                for l in lines {
                    line(format!("  only {side}: {l}"));
                }
            }
            for kind in &unknown.kinds {
                line(format!("  {}: {}", kind.name, kind.about));
            }
            if let Some(Contained { side, maps }) = &unknown.contained {
                line(format!(
                    "  contained: each row that the {side} query answers the other one answers too"
                ));
                for text in maps.to_string().lines() {
                    line(format!("    {text}"));
                }
            }
            for limit in &unknown.limits {
                line(format!("  limit: {limit}"));
            }
        }
    }
    if let Some(by) = proof.vacuous() {
        for sentence in vacuous::sentences(by, semantics) {
            line(format!("  {sentence}"));
        }
    }
    out
}

fn listed(items: &[impl Borrow<str>], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join(", ") }
}
