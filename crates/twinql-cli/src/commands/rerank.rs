//! `twinql rerank`: the best of several candidates for each question, without a database and without a gold.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};
use twinql::Network;
use twinql::files::Inputs;
use twinql::input::{SetItem, SetItems};
use twinql::rerank::{Method, Ranking, Reranker, Set, SetStatus, Utility};

use super::records::{indented, write_document};
use crate::args::Format;
use crate::args::rerank::Rerank;
use crate::input;
use crate::output::{Console, Sink, Waiting};

/// Sets that are read and ranked together, which bounds memory.
const BLOCK: usize = 256;

/// The wire type of rankings, one JSON object for each set.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(crate) struct RankRecord {
    id: Value,
    /// `ok`, `unread`, `empty`, or `set_error` for a line that is no set.
    status: &'static str,
    /// The place of the candidate that was chosen, from 0.
    chosen: Option<usize>,
    /// Its text.
    sql: Option<String>,
    /// For each candidate its expected agreement or its share of votes, null where it is no query over the schema.
    scores: Vec<Option<f64>>,
    /// The classes of candidates that answer the same.
    clusters: Vec<Vec<usize>>,
    /// By the place of a candidate, why it is no query over the schema.
    errors: BTreeMap<usize, String>,
    /// Why the line is no set.
    error: Option<String>,
}

/// What the sets were like.
#[derive(Debug, Default, Serialize)]
struct Counts {
    /// Sets of which a candidate was chosen by its agreement with the others.
    ok: usize,
    /// Sets of which no candidate is a query over the schema.
    unread: usize,
    /// Sets without candidates.
    empty: usize,
    /// Lines that are no set.
    set_error: usize,
    /// All candidates, those that are no query too.
    candidates: usize,
    /// Candidates that are no query over their schema.
    bad_candidates: usize,
    /// Classes of candidates that answer the same.
    clusters: usize,
    /// Sets in which another than the first candidate was chosen.
    not_the_first: usize,
}

impl Counts {
    fn sets(&self) -> usize {
        self.ok + self.unread + self.empty + self.set_error
    }

    fn add(&mut self, record: &RankRecord) {
        match record.status {
            "ok" => self.ok += 1,
            "unread" => self.unread += 1,
            "empty" => self.empty += 1,
            _ => self.set_error += 1,
        }
        self.candidates += record.scores.len();
        self.bad_candidates += record.errors.len();
        self.clusters += record.clusters.len();
        self.not_the_first += usize::from(record.chosen.is_some_and(|place| place > 0));
    }

    /// One line for people. Statuses that no set has are left out but `ok`, whose 0 says something.
    fn line(&self) -> String {
        let named =
            [("ok", self.ok), ("unread", self.unread), ("empty", self.empty), ("set_error", self.set_error)];
        let told = named.into_iter().filter(|(name, n)| *n > 0 || *name == "ok");
        let of_statuses: Vec<String> = told.map(|(name, n)| format!("{name} {n}")).collect();
        format!(
            "{} sets: {}; {} candidates in {} clusters, {} of them no query; another than the first chosen in {}",
            self.sets(),
            of_statuses.join(", "),
            self.candidates,
            self.clusters,
            self.bad_candidates,
            self.not_the_first
        )
    }
}

/// Ranks each set and writes its record; what the sets were like comes at the end.
pub(crate) fn run(typed: &Rerank, console: Console) -> Result<bool> {
    let config = typed.config()?;
    if typed.checkpoint.is_some() && (config.method != Method::Mbr || config.utility != Utility::Gmn) {
        bail!("--checkpoint is for --method mbr with --metric gmn; nothing else asks a network");
    }
    let network = typed.checkpoint.as_deref().map(|name| Network::chosen(Some(name))).transpose()?;
    let mut inputs = Inputs::default().with([
        ("--sets", Some(typed.sets.as_path())),
        ("--schemas", typed.schemas.schemas.as_deref()),
        ("--gold", typed.gold.as_deref()),
        ("--checkpoint", typed.checkpoint.as_deref()),
    ]);
    if let Some(out) = &typed.out {
        inputs.output(out)?;
    }
    let reranker = Reranker::new(network, config)?;
    let schemas = input::schemas(typed.schemas.schemas.as_deref(), typed.schemas.dialects.get())?
        .unnamed(typed.db_id.as_deref());
    let mut items = SetItems::open(&typed.sets, schemas, typed.gold.as_deref())?;
    let mut sink = Sink::new(typed.out.as_deref())?;
    let mut waiting = Waiting::new()?;
    let mut counts = Counts::default();
    let bar = console.bar(None, "ranking");
    loop {
        let block: Vec<SetItem> = items.by_ref().take(BLOCK).collect::<Result<_, _>>()?;
        if block.is_empty() || sink.closed {
            break;
        }
        bar.inc(block.len() as u64);
        for record in ranked(&reranker, block) {
            counts.add(&record);
            match typed.format {
                Format::Jsonl => sink.line(&serde_json::to_string(&record)?)?,
                Format::Text => sink.line(&record.words())?,
                // A document says first what it counts.
                Format::Json => waiting.add(&indented(&json!(record), None)?)?,
            }
        }
        if typed.format == Format::Jsonl {
            sink.flush()?;
        }
    }
    bar.finish_and_clear();
    if counts.sets() == 0 {
        bail!("{} is empty: it holds no sets; give one JSON object a line", typed.sets.display());
    }
    let signature = reranker.signature();
    match typed.format {
        Format::Jsonl => {}
        Format::Text => sink.line(&format!("{}\n{signature}", counts.line()))?,
        Format::Json => {
            let head = json!({"format": 1, "signature": signature, "counts": counts});
            write_document(&head, "sets", waiting, &mut sink)?;
        }
    }
    sink.finish()?;
    if typed.format != Format::Text || typed.out.is_some() {
        console.say(counts.line());
        console.say(signature);
    }
    let bad = counts.sets() - counts.ok;
    if typed.strict && bad > 0 {
        console.warn(format!("--strict: {bad} of {} sets have no candidate that is a query", counts.sets()));
        return Ok(false);
    }
    Ok(true)
}

/// The records of a block, in order.
fn ranked(reranker: &Reranker, block: Vec<SetItem>) -> Vec<RankRecord> {
    let sets: Vec<Set> = block.iter().filter_map(|item| item.set.as_ref().ok().cloned()).collect();
    let mut rankings = reranker.rank_all(&sets).into_iter();
    let record = |SetItem { id, set }: SetItem| match set {
        Ok(set) => match rankings.next() {
            Some(ranking) => RankRecord::of(id, &set, ranking),
            None => RankRecord::error(id, "it was not ranked".into()),
        },
        Err(error) => RankRecord::error(id, error.to_string()),
    };
    block.into_iter().map(record).collect()
}

impl RankRecord {
    /// The ranking of a set, with the text of what was chosen: who reads it need not look the candidate up.
    fn of(id: Value, set: &Set, ranking: Ranking) -> RankRecord {
        let chosen = ranking.chosen;
        let errors = ranking.errors.into_iter().enumerate();
        RankRecord {
            id,
            status: match ranking.status {
                SetStatus::Ok => "ok",
                SetStatus::Unread => "unread",
                SetStatus::Empty => "empty",
            },
            chosen,
            sql: chosen.and_then(|place| Some(set.candidates.get(place)?.sql.clone())),
            scores: ranking.scores.into_iter().map(|score| score.map(rounded)).collect(),
            clusters: ranking.classes,
            errors: errors.filter_map(|(place, error)| Some((place, error?))).collect(),
            error: None,
        }
    }

    /// A line that is no set keeps its place among the records.
    fn error(id: Value, error: String) -> RankRecord {
        RankRecord { id, status: "set_error", error: Some(error), ..RankRecord::default() }
    }

    /// A line for people.
    fn words(&self) -> String {
        let id = input::id_text(&self.id);
        if let Some(error) = &self.error {
            return format!("{id}: {error}");
        }
        let (Some(place), Some(sql)) = (self.chosen, &self.sql) else {
            return format!("{id}: no candidates");
        };
        let score = match self.scores.get(place) {
            Some(Some(score)) => format!("score {score:.3}, {} clusters", self.clusters.len()),
            _ => "none is a query over the schema".to_owned(),
        };
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{id}: candidate {place} of {} ({score}): {sql}", self.scores.len())
    }
}

/// Six digits: what lies beyond is rounding of sums.
fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
