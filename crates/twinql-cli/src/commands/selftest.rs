//! `twinql selftest`: scores stored with the checkpoint, computed again on this machine.
//!
//! The same weights can score differently on another processor, in another build, or after a
//! change of rules that nobody meant to matter. Rounding stays far below the tolerance.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use twinql::embedded::{BUILT_IN, BuiltIn};
use twinql::metrics::METRICS;
use twinql::{Engine, Job, Network, Schema, Semantics, Work};

use crate::args::typed;
use crate::input;
use crate::output::{Console, Sink, write_file};

/// The first line of the file of stored scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: u32,
    /// First digits of the hash of the checkpoint that the scores are of.
    checkpoint: String,
    /// How far a score may lie from the stored one.
    tolerance: f64,
}

/// A pair with its stored scores: every other line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    id: String,
    semantics: String,
    schema: String,
    gold: String,
    pred: String,
    /// Score by metric.
    scores: Map<String, Value>,
}

/// The layout of files of stored scores. Another one is refused, not guessed at.
const FORMAT: u32 = 1;
/// Databases of the suite: enough for verdicts on stored pairs, few enough to take no time.
const DATABASES: usize = 30;

/// Computes stored scores anew and compares them: those built in with their checkpoints, or those of a file. `--record`
/// stores what is found instead, with the checkpoint's hash, so that scores of one are not compared with another's.
pub(crate) fn run(typed: &typed::Selftest, console: Console) -> Result<bool> {
    let named = typed.checkpoint.as_deref();
    let Some(path) = &typed.stored else {
        let mut well = true;
        for which in built_in(named)? {
            let network = Network::built_in(which)?;
            well &= compare(&network, which.selftest).with_context(|| which.origin())?;
        }
        return Ok(well);
    };
    let text = input::configuration(path)?;
    let network = Network::chosen(named)?;
    if !typed.record {
        return compare(&network, &text);
    }
    let (head, mut stored) = parse(&text)?;
    let found = scores(&stored, &network)?;
    for (pair, found) in stored.iter_mut().zip(found) {
        pair.scores = found;
    }
    let head = Head { checkpoint: network.hash().to_owned(), ..head };
    write_file(path, print(&head, &stored)?.as_bytes())?;
    console.say(format!("stored the scores of {} pairs in {}", stored.len(), path.display()));
    Ok(true)
}

/// The built-in checkpoints to test: the one of this name, or all that there are.
fn built_in(name: Option<&Path>) -> Result<Vec<&'static BuiltIn>> {
    let Some(name) = name else {
        let there: Vec<&BuiltIn> = BUILT_IN.iter().filter(|b| b.checkpoint().is_some()).collect();
        if there.is_empty() {
            bail!("the program was built from a checkout without checkpoints");
        }
        return Ok(there);
    };
    match name.to_str().and_then(BuiltIn::find) {
        Some(which) => Ok(vec![which]),
        None => bail!("{} is not built in; give its stored scores too, with --stored FILE", name.display()),
    }
}

/// Computes the stored scores again and reports those that differ.
fn compare(network: &Network, stored: &str) -> Result<bool> {
    let (head, stored) = parse(stored)?;
    if network.hash() != head.checkpoint {
        bail!(
            "the stored scores are those of checkpoint {}, this one is {}; store its own with --stored FILE --record",
            head.checkpoint,
            network.hash()
        );
    }
    let found = scores(&stored, network)?;
    report(&head, &stored, &found)
}

/// Reads stored scores: a line about the file, then a line for each pair.
fn parse(text: &str) -> Result<(Head, Vec<Stored>)> {
    let mut lines = text.lines();
    let Some(first) = lines.next() else {
        bail!("no scores are stored: the program was built from a checkout without them");
    };
    let head: Head = serde_json::from_str(first).context("line 1 of the stored scores")?;
    if head.format != FORMAT {
        bail!("the stored scores have format {}, this program reads {FORMAT}", head.format);
    }
    let stored = lines
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).with_context(|| format!("line {} of the stored scores", i + 2))
        })
        .collect::<Result<_>>()?;
    Ok((head, stored))
}

/// The same back as text. Fields keep their order, so that a record that changes nothing gives the same bytes.
fn print(head: &Head, stored: &[Stored]) -> Result<String> {
    let mut text = serde_json::to_string(head)? + "\n";
    for pair in stored {
        text += &serde_json::to_string(pair)?;
        text.push('\n');
    }
    Ok(text)
}

/// All metrics of each pair under its own semantics.
fn scores(stored: &[Stored], network: &Network) -> Result<Vec<Map<String, Value>>> {
    // What runs on the users' databases depends on these.
    let metrics = METRICS.iter().copied().filter(|m| m.missing(Some(network), false).is_none());
    let mut out = Vec::with_capacity(stored.len());
    for pair in stored {
        let place = || format!("stored pair {}", pair.id);
        let semantics: Semantics = pair.semantics.parse().with_context(place)?;
        let schema = Schema::from_ddl(&pair.id, &pair.schema).with_context(place)?;
        let engine = Engine::builder()
            .metrics(metrics.clone())
            .network(network.clone())
            .semantics(semantics)
            .databases(DATABASES)
            .build()?;
        let job = Job::new(
            pair.id.clone().into(),
            Work::Pair { schema: Arc::new(schema), gold: pair.gold.clone(), pred: pair.pred.clone() },
        );
        out.extend(engine.score(&[job]).into_iter().map(|record| record.scores));
    }
    Ok(out)
}

/// Compares score by score, and says which are off and by how much.
fn report(head: &Head, stored: &[Stored], found: &[Map<String, Value>]) -> Result<bool> {
    let mut sink = Sink::new(None)?;
    let (mut compared, mut wrong, mut most) = (0usize, 0usize, 0.0f64);
    for (pair, found) in stored.iter().zip(found) {
        for (metric, expected) in &pair.scores {
            let number = |value: Option<&Value>| value.and_then(Value::as_f64).unwrap_or(f64::NAN);
            let (expected, got) = (number(Some(expected)), number(found.get(metric)));
            let off = (expected - got).abs();
            compared += 1;
            most = most.max(off);
            // What is no number is wrong too.
            if off.is_nan() || off > head.tolerance {
                wrong += 1;
                sink.line(&format!(
                    "{} {metric} ({}): stored {expected}, here {got}",
                    pair.id, pair.semantics
                ))?;
            }
        }
    }
    sink.line(&format!(
        "{} scores of {} pairs with checkpoint {}: {} (largest difference {most:.1e}, tolerance {:.0e})",
        compared,
        stored.len(),
        head.checkpoint,
        if wrong == 0 { "all as stored".to_owned() } else { format!("{wrong} differ") },
        head.tolerance
    ))?;
    sink.finish()?;
    Ok(wrong == 0)
}
