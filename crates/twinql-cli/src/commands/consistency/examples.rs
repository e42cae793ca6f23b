//! Inputs that tell most: what a system says before and after, as the paper's Figure 4.

use std::collections::BTreeSet;

use twinql::metrics::SUITE;
use twinql::{Engine, Work};
use twinql_perturb::RELATIONS;
use twinql_perturb::consistency::Call;
use twinql_report::{PairCard, Tone};

use super::inputs::{Compared, Outcome, Read, Side};
use crate::document::{Telling, cards as with_witnesses};

/// Examples of each relation: where the first metric says that predictions differ, and where it alone does.
const SHOWN: usize = 2;

/// Cards by relation. A witness is a database on which the two queries differ.
pub(super) fn cards(engine: &Engine, read: &Read, calls: &[Vec<Call>], seed: u64) -> Vec<PairCard> {
    let mut chosen: Vec<(&Compared, &Vec<Call>)> = Vec::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for relation in RELATIONS {
        let of: Vec<(&Compared, &Vec<Call>)> = read
            .compared
            .iter()
            .zip(calls)
            .filter(|(c, calls)| c.relation == relation.name && calls.first() == Some(&Call::Different))
            .collect();
        let alone = |calls: &[Call]| calls.iter().skip(1).any(|call| *call == Call::Same);
        for wanted in [false, true] {
            let mut of: Vec<_> = of.iter().filter(|(_, calls)| alone(calls) == wanted).collect();
            // Of one original one example is enough, here and under other relations.
            of.sort_by_key(|(c, _)| used.contains(&c.origin));
            let mut here = Vec::new();
            for (c, calls) in of {
                if here.len() < SHOWN && !here.contains(&c.origin) {
                    here.push(c.origin);
                    chosen.push((c, calls));
                }
            }
            used.extend(here);
        }
    }
    let telling: Vec<Telling> = chosen.iter().filter_map(|(c, calls)| tell(engine, read, c, calls)).collect();
    let semantics = engine.semantics_of(&SUITE);
    let mut made = with_witnesses(&telling, &semantics, seed);
    let mut questions = chosen.iter().filter(|(c, _)| matches!(c.outcome, Outcome::Pair(_)));
    for card in &mut made {
        if let Some((c, _)) = questions.next() {
            card.question = question(c);
        }
    }
    made.extend(chosen.iter().filter_map(|(c, _)| invalid(c)));
    made
}

/// The question, and what it was.
fn question(c: &Compared) -> String {
    match c.asked.is_empty() || c.asked == c.question {
        true => c.question.clone(),
        false => format!("{} (was: {})", c.question, c.asked),
    }
}

fn title(c: &Compared) -> String {
    format!("{}: input {}", c.relation, c.id)
}

/// What a reader has to know to follow the comparison: how the schema changed, and what was predicted over it, if
/// reading that back has changed it.
fn reason(c: &Compared, seen: Option<&str>) -> String {
    let mut parts = Vec::new();
    if !c.change.is_empty() {
        parts.push(format!("The transformed schema: {}.", c.change));
    }
    if seen.is_some_and(|text| text != c.transformed) {
        parts.push(format!("Predicted over it: {}", c.transformed));
    }
    parts.join(" ")
}

/// A pair of valid predictions with what each metric calls it. What is no query is told by another card.
fn tell(engine: &Engine, read: &Read, c: &Compared, calls: &[Call]) -> Option<Telling> {
    let Outcome::Pair(number) = c.outcome else { return None };
    let job = read.distinct.get(number)?;
    let Work::Pair { pred, .. } = &job.work else { return None };
    let badge = |(m, call): (&&'static twinql::Metric, &Call)| {
        let (value, tone) = match call {
            Call::Same => ("same", Tone::Same),
            Call::Different => ("different", Tone::Different),
            Call::Unknown => ("unknown", Tone::Neutral),
        };
        (m.name.to_owned(), value.to_owned(), tone)
    };
    let badges = engine.metrics().iter().zip(calls).map(badge).collect();
    Telling::of(job, title(c), badges, reason(c, Some(pred)))
}

/// A prediction that is no query over its schema has no witness.
fn invalid(c: &Compared) -> Option<PairCard> {
    let Outcome::OneInvalid(side) = c.outcome else { return None };
    let which = match side {
        Side::Original => "The prediction for the original",
        Side::Transformed => "The prediction for the transformed input",
    };
    let why = c.why.as_deref().unwrap_or("it cannot be read");
    Some(
        PairCard::new(title(c), &c.original, &c.transformed)
            .with_question(question(c))
            .with_badge("query", "one is none", Tone::Different)
            .with_reason(format!("{which} is no query over its schema: {why}. {}", reason(c, None))),
    )
}
