//! `twinql cluster`: the queries of a log in classes that answer the same.

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::{Value, json};
use twinql::cluster::{Cluster as Class, Clusterer, Query};
use twinql::files::Inputs;
use twinql::input::{GoldSource, open_golds};
use twinql::{Dialects, Network, Work};

use super::records::{indented, write_document};
use crate::args::Format;
use crate::args::cluster::Cluster;
use crate::input;
use crate::output::{Console, Sink, Waiting};

/// The wire type of classes, one JSON object for each.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ClusterRecord {
    /// How many queries are in it.
    size: usize,
    /// Their database.
    db_id: Option<String>,
    /// The text of the first.
    sql: String,
    /// The queries, in the order of the input.
    members: Vec<MemberRecord>,
    /// Why they are not queries over the schema; they are then the same by their text alone.
    error: Option<String>,
}

/// A query in its class.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MemberRecord {
    /// Its id, or its number from 0.
    id: Value,
    /// Why it is in this class: `first`, `form`, `proof` or `gmn`.
    by: &'static str,
}

/// A query with what its line says of it.
struct Line {
    id: Value,
    db_id: Option<String>,
}

/// What was read, and what came of it.
#[derive(Debug, Default, Serialize)]
struct Counts {
    queries: usize,
    /// Classes of queries over their schemas.
    classes: usize,
    /// Queries of the largest class.
    largest: usize,
    /// Queries that are none over their schema.
    unread: usize,
    /// Lines that hold no query over a schema.
    unusable: usize,
}

impl Counts {
    fn add(&mut self, class: &Class) {
        let size = class.members.len();
        match class.error {
            Some(_) => self.unread += size,
            None => {
                self.classes += 1;
                self.largest = self.largest.max(size);
            }
        }
    }

    /// One line for people.
    fn line(&self) -> String {
        let Counts { queries, classes, largest, unread, unusable } = self;
        format!(
            "{queries} queries in {classes} classes, {largest} in the largest; {unread} not read, {unusable} lines without a query"
        )
    }
}

/// Reads all queries, and writes their classes, the largest first.
pub(crate) fn run(typed: &Cluster, console: Console) -> Result<bool> {
    let config = typed.config()?;
    let dialect = typed.schemas.dialects.dialect;
    let mut inputs = Inputs::default().with([
        ("--queries", Some(typed.queries.as_path())),
        ("--schemas", typed.schemas.schemas.as_deref()),
        ("--checkpoint", typed.checkpoint.as_deref()),
    ]);
    if let Some(out) = &typed.out {
        inputs.output(out)?;
    }
    let network = typed.checkpoint.as_deref().map(|name| Network::chosen(Some(name))).transpose()?;
    let clusterer = Clusterer::new(network, config)?;
    let schemas = input::schemas(typed.schemas.schemas.as_deref(), Dialects::new(dialect, None, None))?;
    let source = GoldSource::Lines(typed.queries.clone());
    let mut counts = Counts::default();
    let (mut queries, mut about) = (Vec::new(), Vec::new());
    let golds = open_golds(&source, typed.db_id.as_deref(), schemas)?;
    let bar = console.bar(golds.count.map(|n| n as u64), "reading");
    for item in golds.items {
        let item = item?;
        bar.inc(1);
        match item.job.work {
            Work::Pair { schema, gold, pred: _ } => {
                queries.push(Query { schema, sql: gold });
                about.push(Line { id: item.job.id, db_id: item.about.db_id });
            }
            Work::Unusable { error, .. } => {
                counts.unusable += 1;
                console.warn(error);
            }
        }
    }
    bar.finish_and_clear();
    counts.queries = queries.len();
    if queries.is_empty() {
        bail!("{} holds no queries over a schema", typed.queries.display());
    }
    let bar = console.bar(None, "comparing");
    let classes = clusterer.cluster(&queries);
    bar.finish_and_clear();
    let mut sink = Sink::new(typed.out.as_deref())?;
    let mut waiting = Waiting::new()?;
    for class in classes {
        counts.add(&class);
        let Some(record) = record(class, &queries, &about) else { continue };
        match typed.format {
            Format::Jsonl => sink.line(&serde_json::to_string(&record)?)?,
            Format::Text => sink.line(&words(&record))?,
            Format::Json => waiting.add(&indented(&json!(record), None)?)?,
        }
    }
    let signature = clusterer.signature();
    if typed.format == Format::Json {
        let head = json!({"format": 1, "signature": signature, "counts": counts});
        write_document(&head, "classes", waiting, &mut sink)?;
    }
    sink.finish()?;
    console.say(counts.line());
    console.say(signature);
    Ok(true)
}

/// A class with the text of its first query.
fn record(class: Class, queries: &[Query], about: &[Line]) -> Option<ClusterRecord> {
    let first = class.members.first()?.place;
    let member = |m: &twinql::cluster::Member| {
        Some(MemberRecord { id: about.get(m.place)?.id.clone(), by: m.reason.name() })
    };
    Some(ClusterRecord {
        size: class.members.len(),
        db_id: about.get(first)?.db_id.clone(),
        sql: queries.get(first)?.sql.clone(),
        members: class.members.iter().filter_map(member).collect(),
        error: class.error,
    })
}

/// A line for people.
fn words(record: &ClusterRecord) -> String {
    let sql = record.sql.split_whitespace().collect::<Vec<_>>().join(" ");
    let ids: Vec<String> = record.members.iter().take(3).map(|m| input::id_text(&m.id)).collect();
    let more = if record.size > ids.len() { ", …" } else { "" };
    let error = record.error.as_ref().map_or_else(String::new, |error| format!(" (not read: {error})"));
    format!("{} ({}{more}): {sql}{error}", record.size, ids.join(", "))
}
