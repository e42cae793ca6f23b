//! `twinql pretrain`.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use twinql::model::{StepReport, pretrain};
use twinql::signature::short_hash;

use super::examples::query_graphs;
use super::run_config::RunConfig;
use crate::args::train;
use crate::output::{Console, Sink, write_file};

pub(crate) fn run(typed: &train::Pretrain, seed: Option<u64>, console: Console) -> Result<bool> {
    let (mut config, run) = RunConfig::read(&typed.run, seed)?;
    if let Some(epochs) = typed.run.epochs {
        config.pretrain.epochs = epochs;
    }
    let graphs = query_graphs(&config.data, &config.graph, console)?;
    std::fs::create_dir_all(&run)
        .with_context(|| format!("cannot create the run folder {}", run.display()))?;
    write_file(&run.join("pretrain.toml"), config.to_toml()?.as_bytes())?;

    let mut bar: Option<ProgressBar> = None;
    let mut each = |report: &StepReport| {
        let total = report.steps * config.pretrain.epochs;
        let bar = bar.get_or_insert_with(|| console.bar(Some(total as u64), "pretraining"));
        bar.set_message(format!(
            "loss {:.4} {:.0} graphs/s",
            report.loss, report.pairs_per_second
        ));
        bar.inc(1);
    };
    let pretrained = pretrain(&config.train, &config.pretrain, &graphs, &mut each)?;
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }

    let mut lines = String::new();
    for epoch in &pretrained.history {
        console.say(format!(
            "epoch {:>3}  contrastive loss {:.4}  nearest to its partner {:.4}",
            epoch.epoch, epoch.loss, epoch.nearest
        ));
        lines.push_str(&serde_json::to_string(epoch)?);
        lines.push('\n');
    }
    write_file(&run.join("pretrain.jsonl"), lines.as_bytes())?;
    let bytes = pretrained.checkpoint.to_bytes()?;
    let path = run.join("pretrained.safetensors");
    write_file(&path, &bytes)?;

    let mut sink = Sink::new(None)?;
    sink.line(&format!("pretrained  {}", path.display()))?;
    sink.line(&format!(
        "graphs      {} distinct, {} of them used",
        graphs.len(),
        pretrained.graphs
    ))?;
    sink.line(&format!(
        "{}|weights:{}",
        pretrained.checkpoint.info.signature,
        short_hash(&bytes)
    ))?;
    sink.finish()?;
    Ok(true)
}
