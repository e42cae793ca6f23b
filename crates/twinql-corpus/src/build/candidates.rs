//! The candidates of one gold, and which of them stay once they are labelled.

use std::collections::HashSet;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use twinql_sql::{Schema, Semantics, canonicalize};

use super::config::{Sample, Select};
use super::gather::Task;
use super::oracle::Oracle;
use super::stats::{Dropped, origin};
use super::text::normal;
use crate::{rewrites, turned};

/// A query to be labelled against the gold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) sql: String,
    pub(super) source: String,
    pub(super) label: Option<u8>,
    /// Its canonical form is the gold's.
    pub(super) proved: bool,
}

struct Proposed<'d> {
    list: Vec<Candidate>,
    seen: HashSet<String>,
    dropped: &'d mut Dropped,
}

impl Proposed<'_> {
    fn push(&mut self, sql: String, source: String, label: Option<u8>) -> bool {
        let new = self.seen.insert(normal(&sql)) || label.is_some();
        if new {
            self.list.push(Candidate { sql, source, label, proved: false });
        } else {
            self.dropped.repeated += 1;
        }
        new
    }
}

/// Neighbours asked for, for each one wanted: the rest is thrown away to spread the
/// choice over kinds of change.
const NEIGHBOUR_SURPLUS: usize = 8;

/// Real predictions, neighbours, rewrites, and mixtures of these: rewritten predictions, neighbours of
/// rewrites. Trusted predictions are all there; of the others a random choice, as many as the configuration
/// asks for.
pub(super) fn propose(
    sample: &Sample,
    oracle: &dyn Oracle,
    schema: &Schema,
    task: &Task,
    rng: &mut ChaCha8Rng,
    dropped: &mut Dropped,
) -> Vec<Candidate> {
    let mut out = Proposed { list: Vec::new(), seen: HashSet::from([normal(&task.gold)]), dropped };
    let (trusted, mut real): (Vec<_>, Vec<_>) = task.real.iter().cloned().partition(|r| r.label.is_some());
    real.shuffle(rng);
    if real.len() > sample.predictions {
        out.dropped.not_sampled += real.len() - sample.predictions;
        real.truncate(sample.predictions);
    }
    for r in trusted.into_iter().chain(real.iter().cloned()) {
        out.push(r.sql, r.source, r.label);
    }
    for (sql, mutation) in neighbours(oracle, schema, &task.gold, sample.neighbours, rng) {
        out.push(sql, format!("neighbour:{mutation}"), None);
    }
    let mut rewritten = Vec::new();
    for (count, longest) in [(sample.rewrites, 1), (sample.compositions, sample.longest.max(2))] {
        for r in rewrites::sample(schema, &task.gold, sample.catalogue, count, longest, rng) {
            let source = format!("rewrite:{}", r.rules.join("+"));
            if out.push(r.sql.clone(), source.clone(), None) {
                rewritten.push((r.sql, source));
            }
        }
    }
    for r in real.iter().take(sample.prediction_rewrites) {
        let longest = rng.random_range(1..=2);
        for w in rewrites::sample(schema, &r.sql, sample.catalogue, 1, longest, rng) {
            out.push(w.sql, format!("{}>rewrite:{}", r.source, w.rules.join("+")), None);
        }
    }
    if sample.turned > 0 {
        let (mut kinds, _) = turned::parts();
        kinds.shuffle(rng);
        let gold = turned::Target { schema, gold: &task.gold };
        let made = kinds.iter().filter_map(|kind| Some((kind.make(&gold)?, kind.name)));
        for (sql, name) in made.take(sample.turned) {
            out.push(sql, format!("turned:{name}"), None);
        }
    }
    rewritten.shuffle(rng);
    for (sql, source) in rewritten.iter().take(sample.rewrite_neighbours) {
        for (sql, mutation) in neighbours(oracle, schema, sql, 1, rng) {
            out.push(sql, format!("{source}>neighbour:{mutation}"), None);
        }
    }
    out.list
}

/// `count` neighbours, one kind of change after the other.
fn neighbours(
    oracle: &dyn Oracle,
    schema: &Schema,
    sql: &str,
    count: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<(String, String)> {
    if count == 0 {
        return Vec::new();
    }
    let seed = rng.random();
    let mut all = oracle.neighbours(schema, sql, seed, count * NEIGHBOUR_SURPLUS);
    all.shuffle(rng);
    in_turns(all, |(_, mutation)| mutation.clone(), count)
}

/// The first `count` of `items`, taken from each kind in turn.
pub(super) fn in_turns<T>(items: Vec<T>, kind: impl Fn(&T) -> String, count: usize) -> Vec<T> {
    let mut kinds: indexmap::IndexMap<String, std::collections::VecDeque<T>> = indexmap::IndexMap::new();
    for item in items {
        kinds.entry(kind(&item)).or_default().push_back(item);
    }
    let mut out = Vec::new();
    while out.len() < count && kinds.values().any(|k| !k.is_empty()) {
        for queue in kinds.values_mut() {
            if out.len() < count {
                out.extend(queue.pop_front());
            }
        }
    }
    out
}

/// Marks the candidates whose canonical form is the gold's, and drops those whose form an
/// earlier candidate has, but for the gold's own: what looks different to a reader of text is
/// often the same tree. Candidates without a plan stay.
pub(super) fn prove(
    schema: &Schema,
    semantics: &Semantics,
    gold: &str,
    candidates: Vec<Candidate>,
    dropped: &mut Dropped,
) -> Vec<Candidate> {
    let semantics = semantics.for_gold_text(schema, gold);
    let form = |sql: &str| canonicalize(schema, sql, &semantics).ok().map(|c| c.plan.query);
    let gold = form(gold);
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(candidates.len());
    for mut candidate in candidates {
        let form = form(&candidate.sql);
        candidate.proved = form.is_some() && form == gold;
        let new = match form {
            Some(form) if !candidate.proved => seen.insert(form),
            _ => true,
        };
        if new || candidate.label.is_some() {
            kept.push(candidate);
        } else {
            dropped.repeated += 1;
        }
    }
    kept
}

/// How many proved pairs a gold's `room` has at most, on average.
fn most_proved(select: &Select, room: usize) -> f64 {
    (room as f64) * select.positive_share.max(0.5) * select.proved_share
}

/// Leaves no more proved candidates than [`select`] could keep, a random choice: databases agree on all of them, so that to
/// judge one costs as much as many that differ. Trusted ones stay.
pub(super) fn thin(
    limits: &Select,
    candidates: Vec<Candidate>,
    rng: &mut ChaCha8Rng,
    dropped: &mut Dropped,
) -> Vec<Candidate> {
    let spare = candidates.iter().enumerate().filter(|(_, c)| c.proved && c.label.is_none());
    let mut proved: Vec<usize> = spare.map(|(i, _)| i).collect();
    proved.shuffle(rng);
    let surplus: HashSet<usize> =
        proved.into_iter().skip(most_proved(limits, limits.per_gold).ceil() as usize).collect();
    dropped.not_selected += surplus.len();
    let kept = candidates.into_iter().enumerate().filter(|(i, _)| !surplus.contains(i));
    kept.map(|(_, candidate)| candidate).collect()
}

/// Keeps at most `per_gold`, aiming at the share of label 1; within a label the kinds of
/// origin take turns, real predictions first, and proved pairs come after the others and in
/// their share. Trusted labels always stay.
pub(super) fn select(
    select: &Select,
    labelled: Vec<(Candidate, u8)>,
    rng: &mut ChaCha8Rng,
) -> Vec<(Candidate, u8)> {
    let (mut kept, rest): (Vec<_>, Vec<_>) = labelled.into_iter().partition(|(c, _)| c.label.is_some());
    let (same, mut different): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, l)| *l == 1);
    let (mut proved, mut unproved): (Vec<_>, Vec<_>) = same.into_iter().partition(|(c, _)| c.proved);
    // How many of each label fit. Where too few are the same, there are fewer different ones too, so that the
    // share holds, but never less than `min_negatives`.
    let share = select.positive_share;
    let room = select.per_gold.saturating_sub(kept.len());
    // Of a share that comes to less than one pair, some golds have one.
    let most_proved = most_proved(select, room);
    let most_proved = most_proved as usize + usize::from(rng.random_bool(most_proved.fract()));
    let (most_same, most_different) = if share > 0.0 {
        let most_same = ((room as f64) * share).round() as usize;
        let same_count = (unproved.len() + most_proved.min(proved.len())).min(most_same);
        let balanced = ((same_count as f64) * (1.0 - share) / share).round() as usize;
        (most_same, balanced.max(select.min_negatives).min(room - same_count))
    } else {
        (room, room)
    };
    let most_unproved = most_same.min(unproved.len());
    let most_proved = most_proved.min(most_same - most_unproved);
    for (list, most) in
        [(&mut unproved, most_unproved), (&mut proved, most_proved), (&mut different, most_different)]
    {
        list.shuffle(rng);
        // The sort is stable: random within a kind, real predictions before the others.
        list.sort_by_key(|(c, _)| origin(&c.source) != "prediction");
        let taken = in_turns(
            std::mem::take(list),
            |(c, _)| origin(&c.source).to_owned(),
            most.min(select.per_gold.saturating_sub(kept.len())),
        );
        kept.extend(taken);
    }
    kept
}
