//! `twinql pretrain`: the network's encoder from queries without labels, by contrast of two views of a graph
//! (GraphCL; You and others, NeurIPS 2020).
//!
//! What comes out begins a training, by `--init` or in its configuration.

use anyhow::Result;
use indicatif::ProgressBar;
use twinql::files::Lock;
use twinql::signature::short_hash;
use twinql_train::corpora::{RunConfig, query_graphs};
use twinql_train::{PretrainEpoch, PretrainObserver, StepReport, pretrain};

use crate::args::train;
use crate::interrupt;
use crate::output::{Console, Sink, write_file};

/// Reads the configuration as `twinql train` does, pretrains on the distinct graphs of its queries, and
/// writes the weights into the run's folder.
pub(crate) fn run(typed: &train::Pretrain, seed: Option<u64>, console: Console) -> Result<bool> {
    let (mut config, run) = RunConfig::read(&typed.run.config, &typed.run.overrides(seed))?;
    config.train.resume = typed.run.resume;
    if let Some(epochs) = typed.run.epochs {
        config.pretrain.epochs = epochs;
    }
    config.inputs().output(&run.join("pretrained.safetensors"))?;
    // Two runs in one folder would mix their epochs.
    let _alone = Lock::folder(&run, "run folder (--run)")?;
    interrupt::hint("the same command with --resume goes on after the last whole epoch");
    let graphs = query_graphs(&config.data, &config.graph, &console.progress())?;
    write_file(&run.join("pretrain.toml"), config.to_toml(&run)?.as_bytes())?;

    let mut progress = Progress { console, epochs: config.pretrain.epochs, before: 0, bar: None };
    let pretrained = pretrain(&config.train, &config.pretrain, &graphs, &mut progress)?;
    if let Some(bar) = progress.bar {
        bar.finish_and_clear();
    }
    let bytes = pretrained.checkpoint.to_bytes()?;
    let path = run.join("pretrained.safetensors");
    write_file(&path, &bytes)?;

    let mut sink = Sink::new(None)?;
    sink.line(&format!("pretrained  {}", path.display()))?;
    sink.line(&format!("graphs      {} distinct, {} of them used", graphs.len(), pretrained.graphs))?;
    sink.line(&format!("{}|weights:{}", pretrained.checkpoint.info.signature, short_hash(&bytes)))?;
    sink.finish()?;
    Ok(true)
}

/// A bar on a terminal, a line for each epoch everywhere.
struct Progress {
    console: Console,
    epochs: usize,
    /// Whole epochs that were done before this process began.
    before: usize,
    bar: Option<ProgressBar>,
}

impl PretrainObserver for Progress {
    fn start(&mut self, resumed_after: usize) {
        self.before = resumed_after;
        if resumed_after > 0 {
            self.console.say(format!("resumed after epoch {resumed_after}"));
        }
    }

    fn step(&mut self, report: &StepReport) {
        let total = report.steps * self.epochs.saturating_sub(self.before);
        let console = self.console;
        let bar = self.bar.get_or_insert_with(|| console.bar(Some(total as u64), "pretraining"));
        bar.set_message(format!("loss {:.4} {:.0} graphs/s", report.loss, report.pairs_per_second));
        bar.inc(1);
    }

    fn epoch(&mut self, report: &PretrainEpoch) {
        let line = format!(
            "epoch {:>3}  contrastive loss {:.4}  nearest to its partner {:.4}",
            report.epoch, report.loss, report.nearest
        );
        let console = self.console;
        match &self.bar {
            Some(bar) => bar.suspend(|| console.say(line)),
            None => console.say(line),
        }
    }
}
