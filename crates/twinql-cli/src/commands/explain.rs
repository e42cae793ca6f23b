//! `twinql explain`: how two queries are read, what they become, and why they are called equal or not.
//!
//! For each side its plan as written and in canonical form, with the rules that led there; then the proof, or
//! what still differs and which clauses may be wrong; and where a network is at hand, which nodes of the two graphs it aligns. The network
//! is an extra: where it was not asked for and cannot be used, the rest is shown all the same.

use anyhow::{Context, Result};
use serde::Serialize;
use twinql::files::Inputs;
use twinql::graph::{QueryGraph, RelPmConfig, dot, relpm};
use twinql::input::{Guessing, Source};
use twinql::prepare::SideError;
use twinql::sql::explain::clauses::{Suspect, suspects};
use twinql::sql::explain::{Node, annotated, legend, outline, outlines_to_dot, tree};
use twinql::sql::prove::prove_plans;
use twinql::sql::{
    Dialect, Parsed, Plan, Proof, Schema, Semantics, Spans, normalize_with_spans, parse_in, plan_with_spans,
};
use twinql::{Dialects, Network, NetworkError, localising, proving};

use crate::args::{Format, typed};
use crate::commands::attention::{Summary, View};
use crate::input;
use crate::output::{Console, Sink, write_file};

/// Reads both queries, proves what can be proved, and shows it as text, as JSON or as a graph.
pub(crate) fn run(typed: &typed::Explain, console: Console) -> Result<bool> {
    let semantics = typed.semantics.get()?;
    if let Some(path) = &typed.attention {
        let mut inputs = Inputs::default().with([
            ("--schemas", Some(typed.input.schemas.as_path())),
            ("--checkpoint", typed.checkpoint.as_deref()),
        ]);
        inputs.output(path)?;
    }
    let source = Source::One { gold: typed.gold.clone(), pred: typed.pred.clone() };
    let dialects = input::settled(&typed.input.dialects, &[source], |ddl| {
        Ok(Guessing::new(Some(&typed.input.schemas), ddl, typed.db_id.as_deref()))
    })?;
    let schemas = input::schemas(Some(&typed.input.schemas), dialects)?;
    let schema = schemas.only(typed.db_id.as_deref())?;
    let mut sink = Sink::new(None)?;
    let pair = Explained::new(&schema, [&typed.gold, &typed.pred], dialects, &semantics)?;
    let Explained { gold, pred, semantics, nulls_in, proof, suspects } = &pair;
    // DOT text shows no alignment, and so needs no network.
    let view = match typed.dot && typed.attention.is_none() {
        true => None,
        false => view(typed, &schema, &pair, console)?,
    };
    if let (Some(path), Some(view)) = (&typed.attention, &view) {
        let text = serde_json::to_string_pretty(&view.document())?;
        write_file(path, format!("{text}\n").as_bytes())?;
    }
    if typed.dot {
        sink.write(&match typed.plan {
            true => outlines_to_dot(&[
                ("gold, as written", &gold.written),
                ("gold, canonical", &gold.canonical),
                ("prediction, as written", &pred.written),
                ("prediction, canonical", &pred.canonical),
            ]),
            false => dot::pair_to_dot(&gold.graph, &pred.graph),
        })?;
    } else if typed.format.format == Format::Text {
        for side in [gold, pred] {
            sink.write(&side.text(&schema, typed.plan))?;
            sink.line("")?;
        }
        if !nulls_in.is_empty() {
            sink.line(&format!("the gold asks for NULLs: they may stand in {}", nulls_in.join(", ")))?;
        }
        sink.write(&proving::text(proof, semantics))?;
        sink.write(&localising::text(suspects))?;
        if matches!(proof, Proof::Unknown(_)) {
            sink.line(&format!(
                "relpm {:.4}. `twinql judge` looks for a database that tells them apart.",
                relpm(&gold.graph, &pred.graph, &RelPmConfig::default())
            ))?;
        }
        let seen = view.as_ref().map(View::text).unwrap_or_default();
        sink.write(&seen)?;
        sink.write(&explained([gold, pred], proof, typed.plan, seen.contains("  ~  ")))?;
    } else {
        let network = view.as_ref().map(View::summary);
        sink.line(&serde_json::to_string_pretty(&pair.document(dialects, network))?)?;
    }
    sink.finish()?;
    Ok(true)
}

/// The pair as the network reads it; none where no network is built in. One that was not asked
/// for and cannot be used costs a warning.
fn view(typed: &typed::Explain, schema: &Schema, pair: &Explained, console: Console) -> Result<Option<View>> {
    let asked = typed.checkpoint.is_some() || typed.attention.is_some();
    let seen = match Network::chosen(typed.checkpoint.as_deref()) {
        Err(NetworkError::NotBuiltIn(_)) if !asked => return Ok(None),
        Err(error) => Err(error.into()),
        Ok(network) => pair.view(schema, &network),
    };
    match seen {
        Ok(view) => Ok(Some(view)),
        Err(error) if asked => Err(error),
        Err(error) => {
            console.warn(format!("no alignment: {error:#}"));
            Ok(None)
        }
    }
}

/// What the symbols above mean, those that occur alone.
fn explained(sides: [&ReadQuery; 2], proof: &Proof, plans: bool, network: bool) -> String {
    let mut entries: Vec<(&str, &str)> = Vec::new();
    let mut outlines: Vec<&[Node]> = Vec::new();
    for side in sides {
        outlines.push(&side.canonical);
        outlines.extend(plans.then_some(side.written.as_slice()));
    }
    if plans {
        entries.push((
            "g0, G0, p0, P0",
            "operators: g of the gold as written, G of its canonical form; p, P of the prediction",
        ));
        entries.push(("@ 1:8-1:12", "where in the query it stands: line and column"));
    }
    entries.extend(legend(&outlines));
    if matches!(proof, Proof::Unknown(_)) {
        entries.push(("only gold, only pred", "an operator of one canonical form that the other lacks"));
    }
    if network {
        entries.push((
            "p3 … ~ g5 … 0.56",
            "a node of the prediction's graph, the gold's that it attends to most, and how much; --dot draws both",
        ));
    }
    let width = entries.iter().map(|(symbol, _)| symbol.chars().count()).max().unwrap_or(0);
    let mut out = String::from("\nlegend\n");
    for (symbol, meaning) in entries {
        let pad = " ".repeat(width - symbol.chars().count());
        out.push_str(&format!("  {symbol}{pad}  {meaning}\n"));
    }
    out
}

/// What `--format json` holds of a pair, for other doors than the command line.
///
/// # Errors
/// A query that is none over the schema, with its side.
#[cfg(feature = "serve")]
pub(crate) fn document(
    schema: &Schema,
    queries: [&str; 2],
    dialects: Dialects,
    semantics: &Semantics,
    network: Option<&Network>,
) -> Result<serde_json::Value> {
    let pair = Explained::new(schema, queries, dialects, semantics)?;
    // What the network cannot read is explained without it.
    let view = network.and_then(|network| pair.view(schema, network).ok());
    Ok(serde_json::to_value(pair.document(dialects, view.as_ref().map(View::summary)))?)
}

/// Both queries as they are read, and what is proved of them.
struct Explained {
    gold: ReadQuery,
    pred: ReadQuery,
    /// For this gold.
    semantics: Semantics,
    /// Columns that may hold NULL because the gold asks for it.
    nulls_in: Vec<String>,
    proof: Proof,
    /// The clauses of the prediction that may be wrong, where it is not proved equal.
    suspects: Vec<Suspect>,
}

impl Explained {
    /// Reads both queries, and proves what can be proved.
    ///
    /// # Errors
    /// A query that is none over the schema, with its side.
    fn new(
        schema: &Schema,
        [gold, pred]: [&str; 2],
        dialects: Dialects,
        semantics: &Semantics,
    ) -> Result<Explained> {
        let planned = |sql: &str, dialect: Dialect| -> Result<Written, SideError> {
            let parsed = parse_in(sql, dialect)?;
            let (plan, spans) = plan_with_spans(schema, &parsed)?;
            Ok((parsed, plan, spans))
        };
        let written = |name, sql, dialect| planned(sql, dialect).with_context(|| format!("the {name} query"));
        let gold = written("gold", gold, dialects.gold)?;
        let pred = written("pred", pred, dialects.pred)?;
        let semantics = semantics.for_gold(schema, &gold.1).into_owned();
        let proof = prove_plans(schema, &gold.1, &pred.1, &semantics);
        let suspects = match &proof {
            Proof::Equal(_) => Vec::new(),
            _ => suspects(schema, &gold.0, &pred.0, &semantics),
        };
        let read = |name: &'static str, letters: [char; 2], written: Written| {
            side(schema, name, letters, written, &semantics).with_context(|| format!("the {name} query"))
        };
        let gold = read("gold", ['g', 'G'], gold)?;
        let pred = read("pred", ['p', 'P'], pred)?;
        let nulls_in = semantics.nulls.asked().map(|at| schema.name_of(at)).collect();
        Ok(Explained { gold, pred, semantics, nulls_in, proof, suspects })
    }

    /// The pair as a network reads it.
    fn view(&self, schema: &Schema, network: &Network) -> Result<View> {
        let sides = [&self.gold, &self.pred].map(|side| (side.sql.as_str(), &side.plan, &side.spans));
        View::new(network, schema, sides, &self.semantics)
    }

    /// The pair for programs, as both queries were written and as they are compared.
    fn document(&self, dialects: Dialects, network: Option<Summary>) -> Document<'_> {
        Document {
            format: 1,
            dialect: dialects.schema,
            gold_dialect: (dialects.gold != dialects.schema).then_some(dialects.gold),
            pred_dialect: (dialects.pred != dialects.schema).then_some(dialects.pred),
            semantics: &self.semantics.name,
            nulls_in: &self.nulls_in,
            verdict: self.proof.name(),
            proof: proving::details(&self.proof),
            clauses: localising::details(&self.suspects),
            gold: &self.gold,
            pred: &self.pred,
            network,
        }
    }
}

/// The wire type of `--format json`.
#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    /// That of the DDL, and of a query of which nothing else is said.
    dialect: Dialect,
    #[serde(skip_serializing_if = "Option::is_none")]
    gold_dialect: Option<Dialect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pred_dialect: Option<Dialect>,
    semantics: &'a str,
    /// Columns that may hold NULL because the gold asks for it.
    nulls_in: &'a [String],
    /// `equal`, `different` or `unknown`, as `twinql prove` says.
    verdict: &'static str,
    /// What speaks for it.
    proof: serde_json::Value,
    /// The clauses of the prediction that may be wrong, the most likely one first.
    clauses: serde_json::Value,
    gold: &'a ReadQuery,
    pred: &'a ReadQuery,
    /// What the network says, and how it aligns the queries; null without a network.
    network: Option<Summary>,
}

/// A query as it is read, and as a [`Document`] holds it.
#[derive(Serialize)]
struct ReadQuery {
    #[serde(skip)]
    name: &'static str,
    /// The text that places refer to: the query after the repairs.
    sql: String,
    repairs: Vec<String>,
    written: Vec<Node>,
    canonical: Vec<Node>,
    rules: Vec<&'static str>,
    /// The limit that ended the normalisation early, if one did.
    stopped: Option<String>,
    /// Assumptions that empty a part of the query, and without which it was read.
    vacuous: Vec<&'static str>,
    #[serde(skip)]
    plan: Plan,
    /// Places of the plan as written.
    #[serde(skip)]
    spans: Spans,
    /// The plan in canonical form.
    #[serde(skip)]
    form: Plan,
    #[serde(skip)]
    graph: QueryGraph,
}

/// A query that is parsed and planned.
type Written = (Parsed, Plan, Spans);

/// Reads one query. `written` and `canonical` are the letters that number its nodes in the two plans.
fn side(
    schema: &Schema,
    name: &'static str,
    [written, canonical]: [char; 2],
    (parsed, plan, spans): Written,
    semantics: &Semantics,
) -> Result<ReadQuery> {
    let written = outline(schema, &plan, Some(&spans), written);
    let (form, canonical_spans) = normalize_with_spans(schema, plan.clone(), &spans, semantics);
    Ok(ReadQuery {
        name,
        repairs: parsed.repairs.iter().map(ToString::to_string).collect(),
        sql: parsed.sql,
        plan,
        written,
        canonical: outline(schema, &form.plan, Some(&canonical_spans), canonical),
        spans,
        graph: QueryGraph::lower(schema, &form.plan, semantics)?,
        rules: form.applied,
        stopped: form.stopped.map(|limit| limit.to_string()),
        vacuous: form.vacuous.iter().map(|a| a.name()).collect(),
        form: form.plan,
    })
}

impl ReadQuery {
    /// The canonical tree as text with the rules that led there; with `plans`, also the
    /// tree as written, and ids and places in both.
    fn text(&self, schema: &Schema, plans: bool) -> String {
        let mut text = format!("{}: {}\n", self.name, self.sql);
        for repair in &self.repairs {
            text.push_str(&format!("  repaired: {repair}\n"));
        }
        let mut block = |title: &str, tree: &str| {
            text.push_str(title);
            for line in tree.lines() {
                text.push_str(&format!("  {line}\n"));
            }
        };
        if plans {
            block("  as written\n", &annotated(&self.written));
            block("  canonical\n", &annotated(&self.canonical));
        } else {
            block("", &tree(schema, &self.form));
        }
        let rules = if self.rules.is_empty() { "none".to_owned() } else { self.rules.join(", ") };
        text.push_str(&format!("  rules applied: {rules}\n"));
        if let Some(why) = &self.stopped {
            text.push_str(&format!("  not brought to an end: {why}\n"));
        }
        text
    }
}
