//! `twinql prove`: equal or different on every database of a semantics, with what shows it.
//!
//! A proof needs no database. Where none is found, the judge looks for a counterexample, which is shown
//! beside the proof; that stays `unknown`. Proofs are counted against labels, since a proof that contradicts
//! one means that one of the two is wrong.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;
use serde_json::{Value as Json, json};
use twinql::judging::{self, Workers};
use twinql::record::{Status, StatusCounts};
use twinql::signature::{Signature, of_suite};
use twinql::sql::prove::ProveError;
use twinql::sql::{Proof, Semantics};
use twinql::suite::{JudgeConfig, Report, Verdict};
use twinql::{Dialects, Job, metrics, premises, proving, status};

use super::batch::{Batch, guard};
use super::says::{Decided, End, Says};
use super::stream::Window;
use super::verdicts::cell;
use super::verify::Walk;
use super::witness::WitnessRecord;
use super::worker;
use crate::args::prove::Prove;
use crate::args::{Format, Input, Output, Source};
use crate::input::{self, About, Item};
use crate::labels::Labels;
use crate::output::Console;

/// The wire type of proofs, one JSON object for each pair.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ProofRecord {
    id: Json,
    status: Status,
    /// `equal`, `different`, `unknown`, or null where a side has no plan.
    proof: Option<&'static str>,
    /// Rules, assumptions and certificate; the reason; or what still differs.
    details: Json,
    /// What a proof of equality uses of what the schema states: a least set, by name.
    premises: Vec<String>,
    /// With --steps: the walk of a proof of equality from the gold to the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    walk: Option<Walk>,
    /// Where nothing is proved: a database on which the answers differ, if the judge found one.
    witness: Option<WitnessRecord>,
    /// Where it found none: the databases that were tried.
    tested: Option<Tested>,
    error: Option<String>,
    /// The proof in words, where a single pair is asked for.
    #[serde(skip)]
    words: String,
}

/// Databases on which two queries agreed.
#[derive(Debug, Clone, Copy, Serialize, schemars::JsonSchema)]
pub(crate) struct Tested {
    databases: u64,
    /// On how many of them the gold's answer held more than NULL and 0.
    nonempty: u64,
}

/// The proof of a pair, where there is one.
pub(super) type Proved = Option<Result<Proof, ProveError>>;

/// Proves a chunk, and asks the judge about pairs whose proof leaves them `open`.
pub(super) fn found(
    chunk: &[Job],
    semantics: &Semantics,
    judge: Option<&(JudgeConfig, Workers)>,
    open: fn(&Proved) -> bool,
) -> Vec<(Proved, Option<Report>)> {
    let proofs = proving::prove_all(chunk, semantics, &|| ());
    // The judge gets only what is open; its reports come in the same order.
    let reports = judge.map(|(config, workers)| {
        let left = chunk.iter().zip(&proofs).filter(|(_, proof)| open(proof));
        let jobs: Vec<Job> = left.map(|(job, _)| job.clone()).collect();
        judging::judge_all(&jobs, config, workers, &|| ())
    });
    let mut reports = reports.into_iter().flatten();
    let with_report = |proof| {
        let report = if open(&proof) { reports.next().flatten() } else { None };
        (proof, report)
    };
    proofs.into_iter().map(with_report).collect()
}

/// What is counted over all pairs, in the report and in the document.
#[derive(Default, Serialize)]
struct Counts {
    /// Pairs that are proved equal under the semantics.
    equal: usize,
    /// Pairs of which every database that meets the semantics, or one that the proof names, tells the sides apart.
    different: usize,
    /// Pairs of which nothing is proved.
    unknown: usize,
    /// How many proofs of equality need each assumption.
    assumptions: BTreeMap<String, usize>,
    /// What labels say of the proofs, where pairs have labels.
    labelled: Labelled,
}

/// Proofs against labels.
#[derive(Default, Serialize)]
struct Labelled {
    /// Pairs with label 1, and how many of them are proved equal.
    positive: usize,
    positive_equal: usize,
    /// Pairs with label 0, and how many of them are proved different.
    negative: usize,
    negative_different: usize,
    /// Ids of pairs with label 0 that are proved equal.
    equal_against_label: Vec<Json>,
    /// Ids of pairs with label 1 that are proved different.
    different_against_label: Vec<Json>,
}

impl Labelled {
    /// A proof against a label is one of them being wrong: those are kept by their ids, for somebody to look at.
    fn add(&mut self, id: &Json, label: bool, proof: Option<&str>) {
        *(if label { &mut self.positive } else { &mut self.negative }) += 1;
        match (label, proof) {
            (true, Some("equal")) => self.positive_equal += 1,
            (false, Some("different")) => self.negative_different += 1,
            (false, Some("equal")) => self.equal_against_label.push(id.clone()),
            (true, Some("different")) => self.different_against_label.push(id.clone()),
            _ => {}
        }
    }

    /// The counts in words, and the ids against the labels; nothing without labels.
    fn lines(&self) -> Vec<String> {
        if self.positive + self.negative == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "of {} pairs with label 1, {} are proved equal; of {} with label 0, {} are proved different",
            self.positive, self.positive_equal, self.negative, self.negative_different
        )];
        let against = [("equal", &self.equal_against_label), ("different", &self.different_against_label)];
        lines.extend(against.map(|(what, ids)| {
            let ids: Vec<String> = ids.iter().map(input::id_text).collect();
            let list = if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
            format!("proved {what} against the label: {list}")
        }));
        lines
    }
}

impl Counts {
    /// Counts a record, by its fields: this run's, or those of a line that an earlier one has left.
    fn add(&mut self, id: &Json, label: Option<bool>, proof: Option<&str>, details: &Json) {
        match proof {
            Some("equal") => {
                self.equal += 1;
                for assumption in needs(details) {
                    *self.assumptions.entry(assumption.to_owned()).or_default() += 1;
                }
            }
            Some("different") => self.different += 1,
            Some(_) => self.unknown += 1,
            None => {}
        }
        if let Some(label) = label {
            self.labelled.add(id, label, proof);
        }
    }

    /// The counts in words; `told_apart`: how many of the unknown ones a database tells apart, where the
    /// judge was asked.
    fn lines(&self, total: usize, told_apart: Option<usize>) -> Vec<String> {
        let mut lines = vec![format!(
            "equal {}, different {}, unknown {}, of all {total} pairs",
            self.equal, self.different, self.unknown
        )];
        if let Some(told_apart) = told_apart.filter(|_| self.unknown > 0) {
            lines.push(format!("of the {} unknown, a database tells {told_apart} apart", self.unknown));
        }
        let needs: Vec<String> = self.assumptions.iter().map(|(a, n)| format!("{a} {n}")).collect();
        if !needs.is_empty() {
            lines.push(format!("proofs of equality that need: {}", needs.join(", ")));
        }
        lines.extend(self.labelled.lines());
        lines
    }
}

/// Proves each pair as its line is read, has the judge look for a counterexample where nothing is proved, and
/// writes its record; what proofs need and how they agree with labels comes at the end.
pub(crate) fn run(mut typed: Prove, seed: Option<u64>, console: Console) -> Result<bool> {
    // `twinql prove GOLD PRED` is short for --gold-sql and --pred-sql.
    if let [gold, pred] = typed.queries.as_slice() {
        typed.input.gold_sql = Some(gold.clone());
        typed.input.pred_sql = Some(pred.clone());
    }
    let input = Input::new(typed.input)?;
    let output = Output::of_pairs(typed.output, &input.source)?;
    let semantics = typed.semantics.get()?;
    let judge = match typed.no_witness {
        true => None,
        false => Some(worker::judge(&typed.run, semantics.clone(), Some(typed.databases), seed)?),
    };
    let schemas = input::schemas(input.schemas.as_deref(), input.dialects)?.without(&typed.without)?;
    let labels = typed.labels.labels.as_deref();
    guard(&input, &output, [("--labels", labels)])?;
    let labels = match &input.source {
        Source::Pairs(pairs) => Labels::of(labels, pairs)?,
        _ => labels.map(Labels::read).transpose()?,
    };
    let asked = judge.as_ref().map(|(config, _)| json!([of_suite(config), config.seed]));
    let batch = Batch {
        names: ["prove", "proving", "proved"],
        settings: json!({"echo": typed.batch.echo, "judge": asked, "without": typed.without, "steps": typed.steps}),
        signatures: signature(&semantics, input.dialects).into(),
        window: judge.as_ref().map_or(Window::PAIRS, |(_, workers)| Window::of(workers)),
        input: &input,
        output: &output,
        schemas,
        flags: Some(&typed.batch),
        runs: false,
        several_golds: false,
        always_said: false,
        console,
    };
    let words = output.format == Format::Text && matches!(input.source, Source::One { .. });
    let work = |jobs: &[Job]| {
        let unknown = |proof: &Proved| matches!(proof, Some(Ok(Proof::Unknown(_))));
        let record = |(job, (proof, report)): (&Job, (Proved, Option<Report>))| {
            let mut record = record(job, proof.as_ref(), report, &semantics);
            if let (true, Some(Ok(Proof::Equal(equal)))) = (typed.steps, &proof) {
                record.walk = Walk::of(job, &semantics, equal);
            }
            if words {
                record.words = one(&record, proof.as_ref(), &semantics);
            }
            record
        };
        jobs.iter().zip(found(jobs, &semantics, judge.as_ref(), unknown)).map(record).collect()
    };
    let told_apart = judge.is_some().then_some(0);
    batch.run(&work, Proofs { counts: Counts::default(), told_apart, labels, console })
}

/// What is proved so far.
struct Proofs {
    counts: Counts,
    /// How many of the unknown ones a database tells apart, where the judge is asked.
    told_apart: Option<usize>,
    /// They say at the end which of them no pair has used.
    labels: Option<Labels>,
    console: Console,
}

impl Proofs {
    /// The label of a pair, in the file of labels or its own.
    fn label(&mut self, job: &Job, about: &About) -> Option<bool> {
        match &mut self.labels {
            Some(labels) => labels.of_pair(&about.id_text(&job.id), about.label),
            None => about.label,
        }
    }

    /// Counts a witness.
    fn shown(&mut self, witness: bool) {
        self.told_apart = self.told_apart.map(|n| n + usize::from(witness));
    }
}

impl Says for Proofs {
    type Record = ProofRecord;

    fn add(&mut self, job: &Job, about: &About, record: &mut ProofRecord) -> Result<Status> {
        let label = self.label(job, about);
        self.counts.add(&job.id, label, record.proof, &record.details);
        self.shown(record.witness.is_some());
        Ok(record.status)
    }

    fn again(&mut self, item: &Item, line: &Json) -> Result<()> {
        let label = self.label(&item.job, &item.about);
        self.counts.add(&line["id"], label, line["proof"].as_str(), &line["details"]);
        self.shown(!line["witness"].is_null());
        Ok(())
    }

    /// A proof decides, and where there is none, a counterexample.
    fn decided(&self, record: &ProofRecord) -> Vec<Decided> {
        let decision = match (record.proof, record.status) {
            (Some("equal"), _) => "same",
            (Some("different"), _) | (None, Status::PredError) => "different",
            _ if record.witness.is_some() => "different",
            _ => "abstained",
        };
        vec![Decided { metric: "proof", decision, threshold: threshold() }]
    }

    fn words(&self, record: &ProofRecord) -> String {
        record.words.clone()
    }

    /// The last cell names the assumptions that a proof needs.
    fn cells(&self, record: &ProofRecord) -> Vec<(&'static str, String)> {
        let needs: Vec<&str> = needs(&record.details).collect();
        vec![cell("proof", record.proof), ("needs", needs.join(" "))]
    }

    fn end(&self, statuses: &StatusCounts) -> Result<End> {
        self.labels.as_ref().map_or(Ok(()), |labels| labels.say(self.console))?;
        let Proofs { counts, told_apart, .. } = self;
        let share = counts.equal as f64 / statuses.total().max(1) as f64;
        Ok(End {
            document: json!({"counts": counts, "unknown_told_apart": told_apart.unwrap_or(0)}),
            lines: counts.lines(statuses.total(), *told_apart),
            checked: ("the share of pairs proved equal".into(), share),
            in_part: 0,
        })
    }
}

/// Proofs score 0, 1 or nothing; the threshold is the metric's.
fn threshold() -> f64 {
    metrics::metric("proof").map_or(1.0, |m| m.threshold)
}

/// What the proofs depend on.
fn signature(semantics: &Semantics, dialects: Dialects) -> String {
    // Nothing is random.
    Signature::without_network("proof", dialects, semantics, threshold(), 0, Vec::new()).to_string()
}

/// The record of a pair: of its own error, of its proof, or of the side that has no plan.
fn record(
    job: &Job,
    proof: Option<&Result<Proof, ProveError>>,
    report: Option<Report>,
    semantics: &Semantics,
) -> ProofRecord {
    let (status, error) = status::of_input(job);
    let mut out = ProofRecord {
        id: job.id.clone(),
        status,
        proof: None,
        details: Json::Null,
        premises: Vec::new(),
        walk: None,
        witness: None,
        tested: None,
        error,
        words: String::new(),
    };
    match report.map(|r| r.verdict) {
        Some(Verdict::Different { witness }) => out.witness = WitnessRecord::of(job, *witness),
        Some(Verdict::Same { databases, nonempty }) => out.tested = Some(Tested { databases, nonempty }),
        _ => {}
    }
    match proof {
        Some(Ok(proof)) => {
            out.proof = Some(proof.name());
            out.details = proving::details(proof);
            if let (Proof::Equal(_), Some((schema, gold, pred))) = (proof, job.pair()) {
                out.premises = premises::used(schema, gold, pred, semantics);
            }
        }
        Some(Err(error)) => {
            out.status = status::of_proof(error);
            out.error = Some(error.to_string());
        }
        None => {}
    }
    out
}

/// A single pair for people: the proof in words, or what the judge found instead.
fn one(record: &ProofRecord, proof: Option<&Result<Proof, ProveError>>, semantics: &Semantics) -> String {
    let mut out = match (proof, &record.error) {
        (Some(Ok(proof)), _) => proving::text(proof, semantics),
        (_, Some(error)) => format!("{}: {error}\n", record.status),
        _ => String::new(),
    };
    if !record.premises.is_empty() {
        out.push_str(&format!("  the schema states: {}\n", record.premises.join(", ")));
    }
    if let Some(walk) = &record.walk {
        out.push_str(&walk.text());
    }
    if let Some(witness) = &record.witness {
        out.push_str(&format!(
            "but not equal: a database that meets {semantics} semantics tells them apart\n\n{}\n",
            witness.text
        ));
    }
    if let Some(Tested { databases, nonempty }) = record.tested {
        out.push_str(&format!(
            "no database of {databases} tells them apart ({nonempty} gave a non-empty answer)\n"
        ));
    }
    out
}

/// The assumptions that a proof needs, by its details.
fn needs(details: &Json) -> impl Iterator<Item = &str> {
    let needs = details.get("assumptions").and_then(Json::as_array);
    needs.into_iter().flatten().filter_map(Json::as_str)
}
