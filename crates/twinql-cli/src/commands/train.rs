//! `twinql train`: a network from a corpus of labelled pairs, as a configuration says.
//!
//! A run is a folder: the configuration as it was used, the machine it ran on, the weights after the best
//! epoch, and a picture of its course. The training itself is in `twinql_train`; here are its inputs, its
//! folder and what is shown on the way.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use twinql::files::Lock;
use twinql::gmn::{Cascade, CheckpointInfo, Quality};
use twinql::signature::{Signature, short_hash};
use twinql_report::{Axis, Chart, Curve, Curves, Reference};
use twinql_train::corpora::{RunConfig, examples};
use twinql_train::{EpochReport, Observer, StartReport, StepReport, TrainConfig, check_files, train};

use super::environment::Environment;
use crate::args::train as args;
use crate::interrupt;
use crate::output::{Console, Sink, write_file};

/// Reads the configuration, with the flags in place of what it says, encodes the pairs, trains, and writes
/// the run's folder.
pub(crate) fn run(typed: &args::Train, seed: Option<u64>, console: Console) -> Result<bool> {
    let (config, run) = configuration(typed, seed)?;
    // Two runs in one folder would mix their epochs.
    let _alone = Lock::folder(&run, "run folder (--run)")?;
    interrupt::hint("the same command with --resume goes on after the last whole epoch");
    let (train_set, valid_set) = examples(&config.data, &config.how(), &console.progress())?;
    // Before the first step: a run that breaks off says what it was.
    write_file(&run.join("config.toml"), config.to_toml(&run)?.as_bytes())?;

    let mut progress = Progress {
        console,
        folder: run.clone(),
        environment: Environment::new(format!("{:?}", config.train.compute).to_lowercase()),
        clock: Clock::new(config.train.max_minutes),
        rate: 0.0,
        bar: None,
        auc: None,
    };
    progress.write_environment();
    let trained = train(&config.train, &train_set, &valid_set, &mut progress)?;
    progress.close();

    let bytes = trained.checkpoint.to_bytes()?;
    let path = run.join("model.safetensors");
    write_file(&path, &bytes)?;
    let info = &trained.checkpoint.info;
    let picture = courses(&run, &trained.history, info.epoch).svg();
    write_file(&run.join("curves.svg"), picture.as_bytes())?;

    let signature = Signature {
        metric: "gmn".into(),
        checkpoint: short_hash(&bytes),
        dialects: config.data.dialect.into(),
        semantics: info.semantics.join("+"),
        threshold: f64::from(info.threshold),
        device: "cpu".into(),
        seed: info.seed,
        further: Vec::new(),
    };
    let mut sink = Sink::new(None)?;
    sink.line(&format!("checkpoint  {}", path.display()))?;
    sink.write(&figures(info))?;
    sink.line(&format!("epoch       {} of {} kept", info.epoch, trained.history.len()))?;
    sink.line(&signature.to_string())?;
    sink.finish()?;
    progress.environment.signature = Some(signature.to_string());
    progress.write_environment();
    Ok(true)
}

/// The configuration of a run and its folder. What can be refused is refused here: better than after the minutes
/// that pairs take to encode.
fn configuration(typed: &args::Train, seed: Option<u64>) -> Result<(RunConfig, PathBuf)> {
    let (mut config, run) = RunConfig::read(&typed.run.config, &typed.run.overrides(seed))?;
    let train_config = &mut config.train;
    train_config.resume = typed.run.resume;
    train_config.epochs = typed.run.epochs.unwrap_or(train_config.epochs);
    train_config.max_minutes = typed.max_minutes.unwrap_or(train_config.max_minutes);
    if let Some(init) = &typed.init {
        train_config.init = Some(init.clone());
    }
    train_config.validate()?;
    for (field, path) in train_config_inputs(train_config) {
        std::fs::File::open(path).with_context(|| {
            let path = path.display();
            format!("cannot read {path}, which {field} under [train] names; train that network first")
        })?;
    }
    check_files(&config.train)?;
    let mut inputs = config.inputs();
    for (field, path) in train_config_inputs(&config.train) {
        inputs.add(field, path);
    }
    inputs.output(&run.join("model.safetensors"))?;
    Ok((config, run))
}

/// What came out on the validation pairs: of the network, of the tiers, and of each question and semantics that it
/// answers for.
fn figures(info: &CheckpointInfo) -> String {
    let quality = |of: &Quality, threshold: f32| {
        format!(
            "{} pairs, AUC {:.4}, accuracy {:.4} at {threshold:.2}, ECE {:.4}",
            of.pairs, of.auc, of.accuracy, of.ece
        )
    };
    let mut out = format!(
        "validation  {}, log loss {:.4} (chosen and calibrated on these pairs: optimistic)\n",
        quality(&info.validation, info.threshold),
        info.validation.log_loss
    );
    if let Some(band) = &info.band {
        out.push_str(&format!(
            "band        {:.2}-{:.2}: outside, {:.2} of the pairs that reach the network are decided with accuracy {:.4}\n",
            band.low, band.high, band.coverage, band.accuracy
        ));
    }
    for (name, cascade) in [("two-tier", Cascade::Proof), ("three-tier", Cascade::ProofAndSuite)] {
        if let Some(tiers) = &info.tiers {
            let tier = tiers.tier(cascade);
            out.push_str(&format!("{name:<11} {}\n", quality(&tier.validation, tier.threshold)));
        }
    }
    // Without others the reading of all is what stands above.
    for reading in info.readings.iter().filter(|_| info.readings.len() > 1) {
        let (name, semantics) = (reading.question.name(), reading.semantics.as_deref().unwrap_or("all"));
        let quality = quality(&reading.validation, reading.threshold);
        out.push_str(&format!("{name:<11} {semantics}: {quality}\n"));
    }
    out
}

/// Loss and validation AUC after each epoch, from 0 on, where a small change looks small; with the epoch whose weights were kept.
fn courses(run: &Path, history: &[EpochReport], kept: usize) -> Chart {
    let curve = |name, value: fn(&EpochReport) -> f64| Curve {
        dots: true,
        ..Curve::new(name, history.iter().map(|epoch| (epoch.epoch as f64, value(epoch))))
    };
    let mut auc = curve("validation AUC", |epoch| epoch.valid_auc);
    if let Some(epoch) = history.iter().find(|epoch| epoch.epoch == kept) {
        let note = format!("epoch {kept} kept: {:.4}", epoch.valid_auc);
        auc = auc.with_mark(kept as f64, epoch.valid_auc, note);
    }
    let curves = Curves {
        x: Axis::of("epoch"),
        y: Axis::from_zero("loss, AUC"),
        square: false,
        reference: Reference::Nothing,
        curves: vec![curve("training loss", |epoch| epoch.loss), auc],
        level: None,
    };
    Chart::new("curves", run.display().to_string(), curves.into())
}

/// The networks that a training reads.
fn train_config_inputs(config: &TrainConfig) -> impl Iterator<Item = (&'static str, &Path)> {
    let init = config.init.iter().map(|path| ("init", path.as_path()));
    init.chain(config.teachers.iter().map(|path| ("teachers", path.as_path())))
}

/// How far a run is, and how long it may still take.
struct Clock {
    /// When this process began: a resumed run gets its time anew.
    began: Instant,
    /// Seconds that the run may take at most.
    limit: f64,
    epochs: usize,
    /// Whole epochs that were done before this process began.
    before: usize,
}

impl Clock {
    /// A clock that starts now; 0 minutes are no limit.
    fn new(max_minutes: f64) -> Clock {
        Clock {
            began: Instant::now(),
            limit: if max_minutes > 0.0 { max_minutes * 60.0 } else { f64::INFINITY },
            epochs: 0,
            before: 0,
        }
    }

    /// Seconds left if all epochs are run, after `done` epochs (with fractions) of the whole run.
    fn left(&self, done: f64) -> Option<f64> {
        let seconds = self.began.elapsed().as_secs_f64();
        let own = done - self.before as f64;
        let rest = self.epochs as f64 - done;
        (own > 0.0).then(|| (seconds / own * rest).min(self.limit - seconds).max(0.0))
    }
}

/// `40 s`, `12 min`, `2 h 5 min`.
fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A bar for each epoch on a terminal, a line for each epoch everywhere.
struct Progress {
    console: Console,
    /// The run's folder.
    folder: PathBuf,
    /// The machine and the program, written beside the checkpoint, for bytes depend on them.
    environment: Environment,
    /// For what is left of the run.
    clock: Clock,
    /// Pairs a second of the epoch so far.
    rate: f64,
    /// Of the epoch that runs.
    bar: Option<ProgressBar>,
    /// Of the last epoch, since the one that runs has none yet.
    auc: Option<f64>,
}

impl Progress {
    /// Takes the epoch's bar away before a line is said, which would stand in it.
    fn close(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// The run does not depend on it: a failure is a warning.
    fn write_environment(&self) {
        let text = serde_json::to_string_pretty(&self.environment).unwrap_or_default();
        let path = self.folder.join("environment.json");
        if let Err(error) = write_file(&path, format!("{text}\n").as_bytes()) {
            self.console.warn(format!("{error:#}"));
        }
    }
}

impl Observer for Progress {
    fn start(&mut self, report: &StartReport) {
        let resumed = match report.resumed_after {
            0 => String::new(),
            epoch => format!(", resumed after epoch {epoch}"),
        };
        self.clock = Clock {
            epochs: report.epochs,
            before: report.resumed_after,
            ..Clock::new(self.clock.limit / 60.0)
        };
        self.environment.resumed_after = report.resumed_after;
        self.write_environment();
        self.console.say(format!(
            "training {} parameters on {} pairs ({} more have equal canonical forms), {} steps an epoch{resumed}",
            report.parameters, report.train_pairs, report.identical, report.steps
        ));
        if let Some(rehearsal) = &report.rehearsal {
            let memory = rehearsal.memory.map_or_else(String::new, |bytes| {
                format!("; with its largest batch the run takes {} MB of memory", bytes >> 20)
            });
            let epoch = duration(rehearsal.epoch.as_secs_f64());
            self.console.say(format!("an epoch takes some {epoch}, validation aside{memory}"));
        }
        if let Some((count, first)) = &report.unusable {
            self.console.warn(format!("{count} pairs cannot be read by the network; the first: {first}"));
        }
    }

    fn step(&mut self, report: &StepReport) {
        self.rate = report.pairs_per_second;
        let console = self.console;
        let new = || console.bar(Some(report.steps as u64), &format!("epoch {}", report.epoch));
        let bar = self.bar.get_or_insert_with(new);
        let auc = self.auc.map_or_else(String::new, |a| format!(" valid AUC {a:.4}"));
        let done = (report.epoch - 1) as f64 + report.step as f64 / report.steps.max(1) as f64;
        let left = self.clock.left(done).map_or_else(String::new, duration);
        let (loss, rate) = (report.loss, self.rate);
        bar.set_message(format!("loss {loss:.4}{auc} {rate:.0} pairs/s, {left} left"));
        bar.set_position(report.step as u64);
    }

    fn epoch(&mut self, report: &EpochReport, seconds: f64) {
        self.close();
        self.auc = Some(report.valid_auc);
        let left = match self.clock.left(report.epoch as f64) {
            Some(left) if report.epoch < self.clock.epochs => format!(", at most {} left", duration(left)),
            _ => String::new(),
        };
        self.console.say(format!(
            "epoch {:>3}  loss {:.4}  valid AUC {:.4}{}  {seconds:.1} s  {:.0} pairs/s{left}",
            report.epoch,
            report.loss,
            report.valid_auc,
            if report.best { " *" } else { "" },
            self.rate,
        ));
    }
}
