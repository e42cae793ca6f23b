//! The groups that pairs are reported by.

use rayon::prelude::*;
use twinql::gmn::GraphConfig;
use twinql::input::About;
use twinql::metrics::{hardness, keywords};
use twinql::prepare::Graphs;
use twinql::{Engine, Job};

use super::seen::Group;
use crate::args::GroupBy;

/// The groups of a block's jobs that follow from their queries: hardness, keywords and forms. A pair whose gold
/// cannot be read is in the group `(none)`.
pub(super) fn of_queries(by: &[GroupBy], jobs: &[Job], engine: &Engine) -> Vec<Vec<Group>> {
    let mut groups: Vec<Vec<Group>> = jobs.par_iter().map(|job| of_gold(by, job)).collect();
    if by.contains(&GroupBy::Form) {
        for (of_job, equal) in groups.iter_mut().zip(equal_forms(jobs, engine)) {
            of_job.push(match equal {
                Some(false) => group(GroupBy::Form, 0, "forms differ"),
                Some(true) => group(GroupBy::Form, 1, "forms equal"),
                None => nowhere(GroupBy::Form),
            });
        }
    }
    groups
}

/// The groups that a pair's line tells.
pub(super) fn of_line<'a>(by: &'a [GroupBy], about: &'a About) -> impl Iterator<Item = Group> + 'a {
    let named = |by: GroupBy, name: &Option<String>| match name {
        Some(name) => group(by, 0, name),
        None => nowhere(by),
    };
    by.iter().filter_map(move |by| match by {
        GroupBy::Source => Some(named(*by, &about.source)),
        GroupBy::DbId => Some(named(*by, &about.db_id)),
        GroupBy::Hardness | GroupBy::Keyword | GroupBy::Form => None,
    })
}

fn group(by: GroupBy, place: usize, name: impl Into<String>) -> Group {
    Group { by, place, name: name.into() }
}

fn nowhere(by: GroupBy) -> Group {
    group(by, usize::MAX, "(none)")
}

/// Spider's hardness of the gold, and the keywords in it.
fn of_gold(by: &[GroupBy], job: &Job) -> Vec<Group> {
    if !by.contains(&GroupBy::Hardness) && !by.contains(&GroupBy::Keyword) {
        return Vec::new();
    }
    let parsed = job.pair().and_then(|(_, gold, _)| twinql::sql::parse(gold).ok());
    let query = parsed.map(|parsed| parsed.query);
    let mut groups = Vec::new();
    if by.contains(&GroupBy::Hardness) {
        let class = query.as_deref().map(hardness);
        let of_class = class.map(|class| group(GroupBy::Hardness, class as usize, class.to_string()));
        groups.push(of_class.unwrap_or_else(|| nowhere(GroupBy::Hardness)));
    }
    if by.contains(&GroupBy::Keyword) {
        let found = query.iter().flat_map(|query| keywords(query).iter().collect::<Vec<_>>());
        let before = groups.len();
        groups.extend(found.map(|keyword| group(GroupBy::Keyword, keyword as usize, keyword.name())));
        if groups.len() == before {
            groups.push(nowhere(GroupBy::Keyword));
        }
    }
    groups
}

/// Whether the canonical forms of both sides are equal under the semantics that the first metric
/// answers for; none where a side has no form.
fn equal_forms(jobs: &[Job], engine: &Engine) -> Vec<Option<bool>> {
    let Some(metric) = engine.metrics().first() else {
        return Vec::new();
    };
    let pairs = || jobs.iter().map(Job::pair);
    let semantics = engine.semantics_of(metric);
    let graphs = Graphs::build(pairs().flatten(), &semantics, &GraphConfig::default(), &|| ());
    pairs()
        .map(|pair| {
            let (schema, gold, pred) = pair?;
            let graphs = graphs.pair(schema, gold, pred);
            let (gold, pred) = graphs.both()?;
            Some(gold.fingerprint() == pred.fingerprint())
        })
        .collect()
}
