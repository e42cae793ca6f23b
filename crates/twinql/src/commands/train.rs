//! `twinql train`.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use twinql::model::{Cascade, EpochReport, Observer, StartReport, StepReport, train};
use twinql::signature::{Signature, short_hash};

use super::examples::examples;
use super::run_config::RunConfig;
use crate::args::train as args;
use crate::output::{Console, Sink, write_file};
use crate::plot::{Course, courses_svg};

pub(crate) fn run(typed: &args::Train, seed: Option<u64>, console: Console) -> Result<bool> {
    let (mut config, run) = RunConfig::read(&typed.run, seed)?;
    let train_config = &mut config.train;
    train_config.resume = typed.resume;
    if let Some(epochs) = typed.run.epochs {
        train_config.epochs = epochs;
    }
    if let Some(minutes) = typed.max_minutes {
        train_config.max_minutes = minutes;
    }
    if let Some(init) = &typed.init {
        train_config.init = Some(init.clone());
    }
    train_config.validate()?;
    let (train_set, valid_set) = examples(&config.data, &config.how(), console)?;
    std::fs::create_dir_all(&run)
        .with_context(|| format!("cannot create the run folder {}", run.display()))?;
    write_file(&run.join("config.toml"), config.to_toml()?.as_bytes())?;

    let mut progress = Progress {
        console,
        bar: None,
        auc: None,
    };
    let trained = train(&config.train, &train_set, &valid_set, &mut progress)?;
    progress.close();

    let bytes = trained.checkpoint.to_bytes()?;
    let path = run.join("model.safetensors");
    write_file(&path, &bytes)?;

    let course = |value: fn(&EpochReport) -> f64| trained.history.iter().map(value).collect();
    let courses = [
        Course {
            name: "training loss",
            values: course(|epoch| epoch.loss),
        },
        Course {
            name: "validation AUC",
            values: course(|epoch| epoch.valid_auc),
        },
    ];
    let title = run.display().to_string();
    write_file(&run.join("curves.svg"), courses_svg(&title, &courses).as_bytes())?;

    let info = &trained.checkpoint.info;
    let quality = &info.validation;
    let mut sink = Sink::new(None)?;
    sink.line(&format!("checkpoint  {}", path.display()))?;
    sink.line(&format!(
        "validation  {} pairs, AUC {:.4}, accuracy {:.4} at {:.2}, ECE {:.4}, log loss {:.4} (chosen and calibrated on these pairs: optimistic)",
        quality.pairs, quality.auc, quality.accuracy, info.threshold, quality.ece, quality.log_loss
    ))?;
    for (name, cascade) in [
        ("two-tier", Cascade::Proof),
        ("three-tier", Cascade::ProofAndSuite),
    ] {
        if let Some(tiers) = &info.tiers {
            let tier = tiers.tier(cascade);
            let quality = &tier.validation;
            sink.line(&format!(
                "{name:<11} {} pairs, AUC {:.4}, accuracy {:.4} at {:.2}, ECE {:.4}",
                quality.pairs, quality.auc, quality.accuracy, tier.threshold, quality.ece
            ))?;
        }
    }
    sink.line(&format!(
        "epoch       {} of {} kept",
        info.epoch,
        trained.history.len()
    ))?;
    let signature = Signature {
        metric: "gmn".into(),
        checkpoint: short_hash(&bytes),
        dialect: config.data.dialect,
        semantics: info.semantics.join("+"),
        threshold: f64::from(info.threshold),
        device: "cpu".into(),
        seed: info.seed,
    };
    sink.line(&signature.to_string())?;
    sink.finish()?;
    Ok(true)
}

/// A bar for each epoch on a terminal, a line for each epoch everywhere.
struct Progress {
    console: Console,
    bar: Option<ProgressBar>,
    auc: Option<f64>,
}

impl Progress {
    fn close(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn start(&mut self, report: &StartReport) {
        let resumed = match report.resumed_after {
            0 => String::new(),
            epoch => format!(", resumed after epoch {epoch}"),
        };
        self.console.say(format!(
            "training {} parameters on {} pairs ({} more have equal canonical forms), {} steps an epoch{resumed}",
            report.parameters, report.train_pairs, report.identical, report.steps
        ));
        if let Some((count, first)) = &report.unusable {
            self.console.warn(format!(
                "{count} pairs cannot be read by the network; the first: {first}"
            ));
        }
    }

    fn step(&mut self, report: &StepReport) {
        if self.bar.is_none() {
            self.bar = Some(
                self.console
                    .bar(Some(report.steps as u64), &format!("epoch {}", report.epoch)),
            );
        }
        if let Some(bar) = &self.bar {
            let auc = self
                .auc
                .map_or_else(String::new, |a| format!(" valid AUC {a:.4}"));
            bar.set_message(format!(
                "loss {:.4}{auc} {:.0} pairs/s",
                report.loss, report.pairs_per_second
            ));
            bar.set_position(report.step as u64);
        }
    }

    fn epoch(&mut self, report: &EpochReport, seconds: f64) {
        self.close();
        self.auc = Some(report.valid_auc);
        self.console.say(format!(
            "epoch {:>3}  loss {:.4}  valid AUC {:.4}{}  {seconds:.1} s",
            report.epoch,
            report.loss,
            report.valid_auc,
            if report.best { " *" } else { "" },
        ));
    }
}
