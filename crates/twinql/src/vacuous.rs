//! Pairs of which a side has no rows, or one value, by an assumption of the semantics alone: what
//! is said of them.

use serde_json::{Value as Json, json};
use twinql_sql::prove::{Side, Vacuous};
use twinql_sql::{Assumption, Nulls, Semantics};

use crate::metric::Metric;
use crate::prepare::PairGraphs;
use crate::record::Record;

/// Presets that make fewer assumptions than others, in the order in which they are recommended.
const WIDER: [&str; 3] = ["no-fk", "declared", "strict"];

/// The names of the assumptions, by side, for details.
pub fn names(vacuous: &Vacuous) -> Json {
    let list = |of: &[Assumption]| of.iter().map(|a| a.name()).collect::<Vec<_>>();
    json!({ "gold": list(&vacuous.gold), "pred": list(&vacuous.pred) })
}

/// Marks pairs of which an assumption of the semantics empties a part.
pub(crate) fn mark(metric: &Metric, graphs: &[Option<PairGraphs>], records: &mut [Record]) {
    for (pair, record) in graphs.iter().zip(records) {
        if let Some(pair) = pair
            && !pair.vacuous.is_none()
        {
            record.set_detail(metric.name, "vacuous", true);
            record.set_detail(metric.name, "vacuous_by", names(&pair.vacuous));
        }
    }
}

/// What [`names`] wrote.
pub fn from_names(details: &Json) -> Vacuous {
    let list = |side: &str| {
        let names = details.get(side).and_then(Json::as_array);
        let names = names.into_iter().flatten().filter_map(Json::as_str);
        let find = |name: &str| Assumption::ALL.into_iter().find(|a| a.name() == name);
        names.filter_map(find).collect()
    };
    Vacuous { gold: list("gold"), pred: list("pred") }
}

/// A sentence for each side that is vacuous.
pub fn sentences(vacuous: &Vacuous, semantics: &Semantics) -> Vec<String> {
    vacuous
        .sides()
        .map(|(side, by)| {
            let side = match side {
                Side::Gold => "the gold",
                Side::Pred => "the prediction",
            };
            sentence(side, by, semantics)
        })
        .collect()
}

/// What a query asks for in vain, and where it would not: `side` names it.
pub fn sentence(side: &str, by: &[Assumption], semantics: &Semantics) -> String {
    let asked = by.iter().map(|a| match (a, &semantics.nulls) {
        (Assumption::NoNulls, Nulls::Asked | Nulls::In(_)) => {
            "NULLs beyond those that the gold's text asks for"
        }
        _ => a.rules_out(),
    });
    let asked: Vec<&str> = asked.collect();
    let wider = WIDER
        .into_iter()
        .find(|name| Semantics::preset(name).is_some_and(|preset| !by.iter().any(|a| a.made_by(&preset))));
    let hint = wider.map_or_else(String::new, |name| format!("; --semantics {name} has them"));
    format!(
        "vacuous: {side}, or a part of it, is empty or constant under {semantics}: it asks for {}, which this semantics does not have{hint}. Nothing is called the same by that",
        asked.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let vacuous = Vacuous { gold: vec![Assumption::NoNulls, Assumption::Typed], pred: Vec::new() };
        assert_eq!(from_names(&names(&vacuous)), vacuous);
    }

    #[test]
    fn the_sentence_names_what_is_asked_for_and_who_has_it() {
        let default = Semantics::default();
        for (by, asked, hint) in [
            (
                vec![Assumption::NoNulls],
                "NULLs beyond those that the gold's text asks for, which",
                Some("declared"),
            ),
            (vec![Assumption::ForeignKeys], "rows that refer to nothing", Some("no-fk")),
            (
                vec![Assumption::Keys, Assumption::NoNulls],
                "a key that repeats or is NULL and NULLs beyond",
                Some("strict"),
            ),
            (vec![Assumption::Typed], "of their column's type", None),
        ] {
            let said = sentence("the gold", &by, &default);
            assert!(said.starts_with("vacuous: the gold") && said.contains(asked), "{said}");
            match hint {
                Some(name) => assert!(said.contains(&format!("--semantics {name} has them")), "{said}"),
                None => assert!(!said.contains("--semantics"), "{said}"),
            }
        }
    }
}
