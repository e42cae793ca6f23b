//! Arguments of `train` and `pretrain`, as typed.

use std::path::PathBuf;

use clap::Args;
use twinql::sql::Dialect;
use twinql_train::corpora::Overrides;

use super::shared::DialectFlag;

/// What both share: a configuration, and what overrides it.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Data, model, pretraining and training (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Labelled pairs; overrides those of the only corpus
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// Schemas; overrides those of the only corpus
    #[arg(long, value_name = "PATH")]
    pub(crate) schemas: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dialect: DialectFlag,
    /// Use at most this many training pairs, the same ones whatever the seed; overrides
    /// data.max_pairs
    #[arg(long, value_name = "N")]
    pub(crate) max_pairs: Option<usize>,
    /// The run's folder; overrides run
    #[arg(long, value_name = "FOLDER")]
    pub(crate) run: Option<PathBuf>,
    /// Passes over the data at most; overrides train.epochs, or pretrain.epochs
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<usize>,
    /// What executes the steps: cpu (burn's steps written by hand, the fastest on CPUs), flex (burn on a CPU), wgpu,
    /// cuda; overrides train.compute
    #[arg(long, value_name = "NAME")]
    pub(crate) device: Option<String>,
    /// What wgpu and cuda compute with: f32, f16, bf16 (weights keep 32 bits); overrides train.precision
    #[arg(long, value_name = "NAME")]
    pub(crate) precision: Option<String>,
    /// Continue an interrupted run
    #[arg(long)]
    pub(crate) resume: bool,
}

impl Run {
    /// What takes the place of values of the configuration. SQLite's SQL is what is usual: the flag
    /// cannot ask for it against the file.
    pub(crate) fn overrides(&self, seed: Option<u64>) -> Overrides {
        let dialect = self.dialect.dialect;
        Overrides {
            pairs: self.pairs.clone(),
            schemas: self.schemas.clone(),
            dialect: (dialect != Dialect::Sqlite).then_some(dialect),
            max_pairs: self.max_pairs,
            run: self.run.clone(),
            seed,
            device: self.device.clone(),
            precision: self.precision.clone(),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql pretrain --config experiments/ablations/5-pretrained.toml --run out/pre
  twinql pretrain --config experiments/ablations/5-pretrained.toml --run out/pre --resume
  twinql train --config experiments/ablations/5-pretrained.toml --run out/run --init out/pre/pretrained.safetensors

Two augmented views of each query's graph should be closer to each other than to those of other
queries (GraphCL). Augmentations, with the share of a graph that each changes, and the rest are set under
[pretrain]. Writes RUN/pretrained.safetensors, for --init alone, and beside it the
configuration, pretrain.jsonl (one line an epoch) and the state that --resume continues from.")]
pub(crate) struct Pretrain {
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql train --config configs/train-quick.toml --pairs corpus.jsonl.gz --run out/run
  twinql train --config configs/train-quick.toml --run out/run --resume
  twinql train --config my.toml --run out/run --init out/pre/pretrained.safetensors
  twinql train --config my.toml --run out/calibrated --init model.safetensors --epochs 0

With --epochs 0 the weights of --init stay, and are calibrated on the validation pairs.

Writes RUN/model.safetensors, the checkpoint for --checkpoint, and beside it the configuration,
metrics.jsonl (one line an epoch), curves.svg and the state that --resume continues from.")]
pub(crate) struct Train {
    #[command(flatten)]
    pub(crate) run: Run,
    /// Start with the weights of a checkpoint of the same shape, such as a pretrained one;
    /// overrides train.init
    #[arg(long, value_name = "FILE")]
    pub(crate) init: Option<PathBuf>,
    /// Stop after this many minutes and keep the best epoch; overrides train.max_minutes
    #[arg(long, value_name = "M")]
    pub(crate) max_minutes: Option<f64>,
}
