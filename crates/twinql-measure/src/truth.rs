//! Proofs against the truth, on real queries: predictions beside their golds, golds beside their neighbours and twists. No pair
//! that is proved equal may be told apart by a tiny database.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use twinql_suite::truth::{Finder, Hunt, Tally};
use twinql_suite::{Judge, JudgeConfig, Semantics};

use crate::soundness::lines::{Question, families};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "truth",
    about: "proofs, or the suite, against tiny databases, on real queries and what is made of them",
    usage: "[--of proofs|suite] [--data DIR] [--step N] [--offset N] [--databases N] [--neighbours N] [--across N] [--seed N] [--semantics S]",
    run,
};

/// Questions between two lines that say how far the work is.
const SAID_EVERY: usize = 500;

struct Options {
    data: PathBuf,
    step: usize,
    offset: usize,
    hunt: Hunt,
    /// One for all, or the presets in turn.
    semantics: Option<Semantics>,
    /// What the suite calls the same is tried, not what is proved.
    of_suite: bool,
}

fn options(args: &[String]) -> Result<Options, Box<dyn std::error::Error>> {
    let mut options = Options {
        data: std::env::var_os("TWINQL_DATA").map(PathBuf::from).unwrap_or_default(),
        step: 1,
        offset: 0,
        hunt: Hunt { seed: 8, neighbours: 24, across: 24, databases: 200 },
        semantics: None,
        of_suite: false,
    };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--of" => {
                options.of_suite = match value.as_str() {
                    "proofs" => false,
                    "suite" => true,
                    other => return Err(format!("--of {other} is not known: proofs, suite").into()),
                };
            }
            "--data" => options.data = PathBuf::from(value),
            "--step" => options.step = value.parse::<usize>()?.max(1),
            "--offset" => options.offset = value.parse()?,
            "--databases" => options.hunt.databases = value.parse()?,
            "--neighbours" => options.hunt.neighbours = value.parse()?,
            "--across" => options.hunt.across = value.parse()?,
            "--seed" => options.hunt.seed = value.parse()?,
            "--semantics" => options.semantics = Some(value.parse()?),
            other => return Err(format!("{other} is not known: {}", MEASUREMENT.usage).into()),
        }
    }
    Ok(options)
}

fn run(args: &[String]) -> Done {
    let options = options(args)?;
    if options.data.as_os_str().is_empty() {
        println!("skipped: give --data, or set TWINQL_DATA");
        return Ok(());
    }
    let mut seen = HashSet::new();
    let mut questions: Vec<Question> = Vec::new();
    for family in families(&options.data)? {
        let new = |q: &Question| seen.insert((q.schema.db_id.clone(), q.gold.clone(), q.preds.len()));
        questions.extend(family.questions.into_iter().filter(new));
    }
    let chosen: Vec<(usize, Question)> =
        questions.into_iter().enumerate().skip(options.offset).step_by(options.step).collect();
    let done = AtomicUsize::new(0);
    let tally = chosen
        .par_iter()
        .map(|(at, question)| {
            let tally = tally(*at / options.step, question, &options);
            // A run of hours that is ended early has said what it found.
            tally.wrong.iter().for_each(|wrong| eprintln!("{wrong}\n"));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(SAID_EVERY) {
                eprintln!("{done} of {} golds", chosen.len());
            }
            tally
        })
        .reduce(Tally::default, |mut all, one| {
            all.merge(one);
            all
        });
    for wrong in &tally.wrong {
        println!("{wrong}\n");
    }
    println!("{} golds; {tally}", chosen.len());
    // A suite may miss what differs; a proof may not.
    if tally.wrong.is_empty() || options.of_suite { Ok(()) } else { Err("a proof is wrong".into()) }
}

/// One gold with its predictions, each text once, and with what is made of it. A query that the sandbox refuses is left out.
fn tally(turn: usize, question: &Question, options: &Options) -> Tally {
    let presets = ["default", "declared", "no-fk", "strict", "bird", "spider"];
    let preset = || Semantics::preset(presets[turn % presets.len()]).unwrap_or_default();
    let semantics = options.semantics.clone().unwrap_or_else(preset);
    let mut tally = Tally::default();
    let Ok(finder) = Finder::new(&question.schema, &semantics) else { return tally };
    if options.of_suite {
        let config = JudgeConfig { semantics, seed: options.hunt.seed, ..JudgeConfig::default() };
        if let Ok(judge) = Judge::new(&question.schema, config) {
            let _ = finder.hunt_suite(&judge, &question.gold, &options.hunt, &mut tally);
        }
        return tally;
    }
    let preds: HashSet<&String> = question.preds.iter().collect();
    let mut preds: Vec<&String> = preds.into_iter().collect();
    preds.sort_unstable();
    for pred in preds {
        let _ = finder.pair(&question.gold, pred, &options.hunt, &mut tally);
    }
    let _ = finder.hunt(&question.gold, &options.hunt, &mut tally);
    tally
}
