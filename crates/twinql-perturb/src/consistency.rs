//! Inconsistency rates: how often a system says something else on a transformed input (MT-TEQL, 4.2, equation 3).

use std::collections::BTreeMap;

use serde::Serialize;
use twinql_metrics::{Hardness, Resampling, Undefined, bootstrap};

use crate::registry::RELATIONS;

/// What a metric says of two predictions for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    /// They say the same.
    Same,
    /// They do not.
    Different,
    /// It does not say.
    Unknown,
}

/// One transformed input that both predictions are there for.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The original question's place in its file.
    pub origin: usize,
    /// The relation's name.
    pub relation: &'static str,
    /// Spider's class of the gold; none where it cannot be read.
    pub hardness: Option<Hardness>,
    /// What each metric says.
    pub calls: Vec<Call>,
}

/// The inconsistency rate of a group of inputs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rate {
    /// A relation, a class of hardness, or `all`.
    pub group: String,
    /// Inputs that the metric judged.
    pub judged: usize,
    /// Those of them that are inconsistent.
    pub inconsistent: usize,
    /// Inputs that it says nothing of.
    pub unknown: usize,
    /// Originals that the inputs come from.
    pub origins: usize,
    /// The share of the judged; none without any.
    pub rate: Option<f64>,
    /// The lower end of its interval: bootstrap over originals, since inputs of one original go together.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The rates of one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rates {
    /// The metric.
    pub name: String,
    /// All inputs.
    pub all: Rate,
    /// By relation, in the order of the registry; relations without inputs are left out.
    pub by_relation: Vec<Rate>,
    /// By hardness, from easy to extra.
    pub by_hardness: Vec<Rate>,
}

/// The rates of the metric at this place in [`Judged::calls`].
pub fn rates(name: &str, judged: &[Judged], metric: usize, how: &Resampling) -> Rates {
    let of = |group: &str, belongs: &dyn Fn(&Judged) -> bool| {
        rate(group, judged.iter().filter(|j| belongs(j)), metric, how)
    };
    let by_relation = RELATIONS.iter().map(|r| of(r.name, &|j| j.relation == r.name));
    let by_hardness = Hardness::ALL.iter().map(|h| of(h.name(), &|j| j.hardness == Some(*h)));
    let known = |rate: &Rate| rate.judged + rate.unknown > 0;
    Rates {
        name: name.to_owned(),
        all: of("all", &|_| true),
        by_relation: by_relation.filter(known).collect(),
        by_hardness: by_hardness.collect(),
    }
}

fn rate<'j>(group: &str, inputs: impl Iterator<Item = &'j Judged>, metric: usize, how: &Resampling) -> Rate {
    // Of each original: inconsistent inputs, and judged ones.
    let mut origins: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut unknown = 0;
    for input in inputs {
        let of_origin = origins.entry(input.origin).or_default();
        match input.calls.get(metric) {
            Some(Call::Same) => of_origin.1 += 1,
            Some(Call::Different) => {
                of_origin.0 += 1;
                of_origin.1 += 1;
            }
            Some(Call::Unknown) | None => unknown += 1,
        }
    }
    let clusters: Vec<(usize, usize)> = origins.values().copied().collect();
    let share = |items: &[usize]| -> Result<f64, Undefined> {
        let (mut bad, mut all) = (0, 0);
        for (b, n) in items.iter().filter_map(|&i| clusters.get(i)) {
            bad += b;
            all += n;
        }
        if all == 0 { Err(Undefined::TooFew { needed: 1, found: 0 }) } else { Ok(bad as f64 / all as f64) }
    };
    let interval = bootstrap(clusters.len(), how, share).ok();
    Rate {
        group: group.to_owned(),
        judged: clusters.iter().map(|(_, n)| n).sum(),
        inconsistent: clusters.iter().map(|(bad, _)| bad).sum(),
        unknown,
        origins: clusters.len(),
        rate: interval.map(|i| i.estimate),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
    }
}

/// Where a metric that compares texts says that predictions differ, and others know better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alarms {
    /// A relation, or `all`.
    pub group: String,
    /// Inputs that the metric calls inconsistent.
    pub different: usize,
    /// Of these, proved to answer the same: false alarms.
    pub proved_same: usize,
    /// Not proved, and the suite finds no database on which they differ: probably false alarms.
    pub suite_same: usize,
    /// The suite has a database on which they differ.
    pub witnessed: usize,
    /// Nothing is known.
    pub open: usize,
}

/// The alarms of the metric at `metric`, seen by a proof and by the suite where these are there.
pub fn alarms(judged: &[Judged], metric: usize, proof: Option<usize>, suite: Option<usize>) -> Vec<Alarms> {
    let says = |j: &Judged, at: Option<usize>, call: Call| at.and_then(|at| j.calls.get(at)) == Some(&call);
    let of = |group: &str, belongs: &dyn Fn(&Judged) -> bool| {
        let mut found = Alarms {
            group: group.to_owned(),
            different: 0,
            proved_same: 0,
            suite_same: 0,
            witnessed: 0,
            open: 0,
        };
        for j in judged.iter().filter(|j| belongs(j) && j.calls.get(metric) == Some(&Call::Different)) {
            found.different += 1;
            let place = if says(j, proof, Call::Same) {
                &mut found.proved_same
            } else if says(j, suite, Call::Same) {
                &mut found.suite_same
            } else if says(j, suite, Call::Different) {
                &mut found.witnessed
            } else {
                &mut found.open
            };
            *place += 1;
        }
        found
    };
    let mut all = vec![of("all", &|_| true)];
    all.extend(RELATIONS.iter().map(|r| of(r.name, &|j| j.relation == r.name)).filter(|a| a.different > 0));
    all
}

/// Texts that say the same query to the letter, but for spaces and a semicolon at the end.
pub fn same_text(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.trim().trim_end_matches(';').split_whitespace().map(str::to_owned).collect()
    };
    words(a) == words(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(origin: usize, relation: &'static str, calls: &[Call]) -> Judged {
        Judged { origin, relation, hardness: Some(Hardness::Easy), calls: calls.to_vec() }
    }

    use Call::{Different, Same, Unknown};

    #[test]
    fn rates_by_group() {
        let judged = [
            input(0, "prefix-insertion", &[Same]),
            input(0, "prefix-insertion", &[Different]),
            input(1, "prefix-insertion", &[Same]),
            input(1, "flattening", &[Unknown]),
            input(2, "prefix-insertion", &[Same]),
        ];
        let rates = rates("esm", &judged, 0, &Resampling::default());
        assert_eq!(
            (rates.all.judged, rates.all.inconsistent, rates.all.unknown, rates.all.origins),
            (4, 1, 1, 3)
        );
        assert_eq!(rates.all.rate, Some(0.25));
        // Resamples without original 0 have none, those of it alone have a half.
        assert!(
            rates.all.low == Some(0.0) && rates.all.high.unwrap() <= 0.5 && rates.all.high.unwrap() > 0.25
        );
        let groups: Vec<(&str, Option<f64>)> =
            rates.by_relation.iter().map(|r| (r.group.as_str(), r.rate)).collect();
        assert_eq!(groups, [("prefix-insertion", Some(0.25)), ("flattening", None)]);
        assert_eq!(rates.by_hardness[0].rate, Some(0.25));
        assert_eq!(rates.by_hardness[3].rate, None);
    }

    #[test]
    fn false_alarms() {
        let judged = [
            input(0, "flattening", &[Different, Same, Same]),
            input(0, "flattening", &[Different, Different, Same]),
            input(1, "flattening", &[Different, Different, Different]),
            input(1, "flattening", &[Different, Unknown, Unknown]),
            input(2, "flattening", &[Same, Same, Same]),
        ];
        let found = alarms(&judged, 0, Some(1), Some(2));
        assert_eq!(found.len(), 2);
        let all = &found[0];
        assert_eq!(
            (all.different, all.proved_same, all.suite_same, all.witnessed, all.open),
            (4, 1, 1, 1, 1)
        );
        let alone = alarms(&judged, 0, None, None);
        assert_eq!(alone[0].open, 4);
    }

    #[test]
    fn texts() {
        assert!(same_text("SELECT  a\nFROM t;", "SELECT a FROM t"));
        assert!(!same_text("SELECT a FROM t", "SELECT A FROM t"));
    }
}
