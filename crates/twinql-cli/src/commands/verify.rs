//! `twinql verify`: are the steps of proofs right? They are executed; the rules that took them are not asked.

use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use twinql::files::Lines;
use twinql::judging::judge_all;
use twinql::sql::RULES;
use twinql::sql::prove::Equal;
use twinql::sql::semantics::UnknownSemantics;
use twinql::steps::{OTHERS, Step, steps};
use twinql::suite::{JudgeConfig, Report, Verdict};
use twinql::{Dialects, Job, Schema, Semantics, Work};

use super::witness::WitnessRecord;
use super::worker;
use crate::args::verify::Verify;
use crate::input;
use crate::output::Console;

/// A proof of equality as a walk from the gold to the prediction.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Walk {
    db_id: String,
    /// The preset of the semantics under which each step holds.
    semantics: String,
    /// The gold, and each query after it with what makes it equal to the one before.
    steps: Vec<Step>,
}

impl Walk {
    /// The walk of a pair that is proved equal.
    pub(crate) fn of(job: &Job, semantics: &Semantics, equal: &Equal) -> Option<Walk> {
        let (schema, gold, pred) = job.pair()?;
        let steps = steps(schema, gold, pred, semantics, equal);
        Some(Walk { db_id: schema.db_id.clone(), semantics: semantics.to_string(), steps })
    }

    /// A line for each query, behind the rule that leads to it.
    pub(crate) fn text(&self) -> String {
        let width = self.steps.iter().map(|step| step.by.len()).max().unwrap_or(0);
        self.steps.iter().map(|Step { by, sql }| format!("  {by:width$}  {sql}\n")).collect()
    }

    /// What is wrong with the walk that no database shows: nothing to execute, a rule that there is not, or that needs more than the semantics.
    fn fault(&self, semantics: &Semantics) -> Option<String> {
        if self.steps.len() < 2 {
            return Some("it has no step".to_owned());
        }
        let names = self.steps.iter().skip(1).flat_map(|step| step.by.split(", "));
        names.filter(|name| !OTHERS.contains(name)).find_map(|name| {
            match RULES.iter().find(|rule| rule.name == name) {
                None => Some(format!("there is no rule {name:?}")),
                Some(rule) if !rule.needs.hold_under(semantics) => {
                    Some(format!("{name} needs more than {semantics} semantics assumes"))
                }
                Some(_) => None,
            }
        })
    }
}

/// A line of a file of proofs, as far as it is read.
#[derive(Deserialize)]
struct Line {
    id: Json,
    walk: Option<Walk>,
}

/// A proof with what it is over.
struct Proved {
    id: String,
    walk: Walk,
    schema: Arc<Schema>,
    semantics: Semantics,
}

/// What was found.
#[derive(Default)]
struct Counts {
    walks: usize,
    steps: usize,
    untested: usize,
    refused: usize,
    /// Lines that are no proofs, and proofs over schemas or under semantics that are not there.
    unread: usize,
}

/// Checks each walk of the file, and names those that do not hold.
pub(crate) fn run(typed: &Verify, seed: Option<u64>, console: Console) -> Result<bool> {
    let dialect = typed.schemas.dialects.dialect;
    let schemas = input::schemas(Some(&typed.schemas.schemas), Dialects::new(dialect, None, None))?;
    let (judge, workers) = worker::judge(&typed.run, Semantics::default(), Some(typed.databases), seed)?;
    let (mut counts, mut out) = (Counts::default(), std::io::stdout().lock());
    let bar = console.bar(None, "verifying");
    for line in Lines::open(&typed.proofs)?.filled() {
        let line = line?;
        let read = || -> Result<Option<Proved>, String> {
            let Line { id, walk } =
                serde_json::from_str(line.text()?).map_err(|e| format!("no proof: {e}"))?;
            let Some(walk) = walk else { return Ok(None) };
            let schema = schemas.get(&walk.db_id)?;
            let semantics = walk.semantics.parse().map_err(|e: UnknownSemantics| e.to_string())?;
            Ok(Some(Proved { id: input::id_text(&id), walk, schema, semantics }))
        };
        let Proved { id, walk, schema, semantics } = match read() {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(why) => {
                counts.unread += 1;
                console.warn(format!("{}, line {}: {why}", typed.proofs.display(), line.number));
                continue;
            }
        };
        let fault = walk.fault(&semantics);
        let config = JudgeConfig { semantics, ..judge.clone() };
        let checked = walk.checked(&schema, |jobs| judge_all(jobs, &config, &workers, &|| bar.inc(1)));
        counts.walks += 1;
        counts.steps += walk.steps.len().saturating_sub(1);
        counts.untested += checked.untested;
        if let Some(why) = fault.or(checked.refused) {
            counts.refused += 1;
            writeln!(out, "{id}: refused: {why}")?;
        }
    }
    bar.finish_and_clear();
    let Counts { walks, steps, untested, refused, unread } = counts;
    if walks + unread == 0 {
        bail!("{} has no steps; `twinql prove --steps` writes them", typed.proofs.display());
    }
    writeln!(
        out,
        "{walks} proofs of {steps} steps: {refused} refused; {untested} steps that no database tests; {unread} proofs not read"
    )?;
    Ok(refused + unread == 0)
}

/// What execution says of a walk.
#[derive(Default)]
struct Checked {
    untested: usize,
    /// The first wrong step, with a witness.
    refused: Option<String>,
}

impl Walk {
    /// Each query beside the next, on databases.
    fn checked(&self, schema: &Arc<Schema>, judge: impl FnOnce(&[Job]) -> Vec<Option<Report>>) -> Checked {
        let pair = |pair: &[Step]| match pair {
            [before, after] => {
                let (gold, pred) = (before.sql.clone(), after.sql.clone());
                let work = Work::Pair { schema: Arc::clone(schema), gold, pred };
                Some(Job::new(json!(after.by), work))
            }
            _ => None,
        };
        let jobs: Vec<Job> = self.steps.windows(2).filter_map(pair).collect();
        let mut checked = Checked::default();
        for (at, (job, report)) in jobs.iter().zip(judge(&jobs)).enumerate() {
            match report.map(|report| report.verdict) {
                Some(Verdict::Same { nonempty, .. }) if nonempty > 0 => {}
                Some(Verdict::Different { witness }) => {
                    let shown = WitnessRecord::of(job, *witness).map(|witness| witness.text);
                    let (at, by, shown) = (at + 1, input::id_text(&job.id), shown.unwrap_or_default());
                    checked.refused.get_or_insert(format!("step {at} ({by}) is wrong\n\n{shown}"));
                }
                _ => checked.untested += 1,
            }
        }
        checked
    }
}
