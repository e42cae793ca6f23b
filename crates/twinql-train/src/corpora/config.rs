//! The configuration file of a training or pretraining run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twinql_corpus::configuration::{self, folder_of};
use twinql_corpus::paths::{misplaced, named_in};
use twinql_files::Inputs;
use twinql_gmn::{GmnConfig, GraphConfig, Network};
use twinql_graph::vocabulary;
use twinql_sql::Dialect;

use super::data::Data;
use super::labelled::How;
use crate::config::{Compute, Precision, TrainConfig};
use crate::error::TrainError;
use crate::pretrain_config::PretrainConfig;

type Result<T, E = TrainError> = std::result::Result<T, E>;

/// The keys that hold paths, as [`RunConfig::paths`] gives them.
const PATHS: &[&str] = &["run", "data.corpora.pairs", "data.corpora.schemas", "train.init", "train.teachers"];

/// A run's configuration file.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The run's folder.
    #[serde(default)]
    pub run: Option<PathBuf>,
    /// What it learns from.
    #[serde(default)]
    pub data: Data,
    /// What graphs are made of.
    #[serde(default)]
    pub graph: GraphConfig,
    /// Shape of the network.
    #[serde(default)]
    pub model: GmnConfig,
    /// How weights are found without labels.
    #[serde(default)]
    pub pretrain: PretrainConfig,
    /// How it is trained.
    #[serde(default)]
    pub train: TrainConfig,
}

/// What takes the place of values of the file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The pairs of the only corpus.
    pub pairs: Option<PathBuf>,
    /// The schemas of the only corpus.
    pub schemas: Option<PathBuf>,
    /// `data.dialect`.
    pub dialect: Option<Dialect>,
    /// `data.max_pairs`.
    pub max_pairs: Option<usize>,
    /// `run`.
    pub run: Option<PathBuf>,
    /// `train.seed`.
    pub seed: Option<u64>,
    /// `train.compute`, by name.
    pub device: Option<String>,
    /// `train.precision`, by name.
    pub precision: Option<String>,
}

impl RunConfig {
    /// The file's configuration with what `over` overrides, checked, and the run's folder.
    ///
    /// # Errors
    /// See [`TrainError`].
    pub fn read(path: &Path, over: &Overrides) -> Result<(RunConfig, PathBuf)> {
        let mut config = RunConfig::load(path)?;
        let run = config.finish(folder_of(path), over).map_err(|e| e.in_file(path))?;
        Ok((config, run))
    }

    /// The file's configuration, laid over those that it extends.
    fn load(path: &Path) -> Result<RunConfig> {
        Ok(configuration::read(path, PATHS)?)
    }

    /// Every path of the configuration.
    fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let corpora = self.data.corpora.iter_mut();
        let corpora = corpora.flat_map(|c| std::iter::once(&mut c.pairs).chain(&mut c.schemas));
        let checkpoints = self.train.init.iter_mut().chain(&mut self.train.teachers);
        corpora.chain(checkpoints).chain(&mut self.run)
    }

    /// Applies the flags, fills in what follows from the rest, and checks.
    fn finish(&mut self, folder: &Path, over: &Overrides) -> Result<PathBuf> {
        if over.pairs.is_some() || over.schemas.is_some() {
            self.data.replace(over.pairs.as_deref(), over.schemas.as_deref())?;
        } else {
            // The run's own folder need not be there.
            let run = self.run.take();
            if let Some(said) = self.paths().find_map(|path| misplaced(folder, path)) {
                return Err(TrainError::Invalid(said));
            }
            self.run = run;
        }
        let data = &mut self.data;
        if let Some(dialect) = over.dialect {
            data.dialect = dialect;
        }
        if let Some(most) = over.max_pairs {
            data.max_pairs = most;
        }
        if self.data.corpora.is_empty() {
            return Err(TrainError::NoPairs);
        }
        let Some(run) = over.run.clone().or(self.run.clone()) else {
            return Err(TrainError::NoFolder);
        };
        self.run = Some(run.clone());
        self.model.words = vocabulary::WORD_COUNT;
        self.model.tags = vocabulary::TAG_COUNT;
        let train = &mut self.train;
        train.network = Network {
            model: self.model.clone(),
            graph: self.graph,
            semantics: self.data.semantics(),
            vocabulary: vocabulary::hash(),
        };
        train.run_dir = Some(run.clone());
        if let Some(seed) = over.seed {
            train.seed = seed;
        }
        if let Some(device) = &over.device {
            train.compute = device.parse::<Compute>()?;
        }
        if let Some(precision) = &over.precision {
            train.precision = precision.parse::<Precision>()?;
        }
        train.validate()?;
        Ok(run)
    }

    /// The files that pairs and schemas come from, which no output may replace. The configuration
    /// itself may lie in the run's folder, where it is written again.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        for corpus in &self.data.corpora {
            inputs.add("pairs", &corpus.pairs);
            if let Some(schemas) = &corpus.schemas {
                inputs.add("schemas", schemas);
            }
        }
        inputs
    }

    /// How examples are made for the network.
    pub fn how(&self) -> How {
        How {
            graph: self.graph,
            encoding: self.model.encoding(),
            taught: true,
            training: self.train.epochs > 0,
            seed: self.train.seed,
        }
    }

    /// The file that is written beside the results, in `folder`: its paths are relative to it.
    ///
    /// # Errors
    /// A value has no form in TOML.
    pub fn to_toml(&self, folder: &Path) -> Result<String> {
        let mut written = self.clone();
        for path in written.paths().filter(|path| path.is_relative()) {
            *path = named_in(folder, path);
        }
        Ok(toml::to_string_pretty(&written)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_tables_say_does_not_stand_in_train() {
        for setting in ["model = { node_dim = 8 }", "graph = { kind = \"ast\" }", "run_dir = \"a\""] {
            let error = toml::from_str::<RunConfig>(&format!("[train]\n{setting}\n")).unwrap_err();
            assert!(error.to_string().contains("unknown field"), "{error}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("configs/deep")).unwrap();
        let base = "run = \"../out/base\"\n[[data.corpora]]\npairs = \"../data/a.jsonl\"\nschemas = \"s.sql\"\nsemantics = \"no-fk\"\n[train]\nteachers = [\"../out/t.safetensors\"]\n";
        std::fs::write(at("configs/base.toml"), base).unwrap();
        let top =
            "extends = \"../base.toml\"\nrun = \"../../out/top\"\n[train]\ninit = \"/x/i.safetensors\"\n";
        std::fs::write(at("configs/deep/top.toml"), top).unwrap();
        for (file, run) in [("configs/base.toml", "out/base"), ("configs/deep/top.toml", "out/top")] {
            let config = RunConfig::load(&at(file)).unwrap();
            assert_eq!(config.run, Some(at(run)));
            let corpus = &config.data.corpora[0];
            assert_eq!(corpus.pairs, at("data/a.jsonl"));
            assert_eq!(corpus.schemas, Some(at("configs/s.sql")));
            assert_eq!(config.train.teachers, [at("out/t.safetensors")]);
            // What is written beside the results says the same from there.
            std::fs::create_dir_all(at(run)).unwrap();
            let written = at(run).join("config.toml");
            let text = config.to_toml(&at(run)).unwrap();
            std::fs::write(&written, text).unwrap();
            let again = RunConfig::load(&written).unwrap();
            assert_eq!(again.run, Some(at(run)));
            assert_eq!(again.data.corpora[0].pairs, at("data/a.jsonl"));
            assert_eq!(again.train.init, config.train.init);
        }
    }

    #[test]
    fn the_ablations_differ_in_graphs_network_or_data() {
        if std::env::var_os("TWINQL_DATA").is_none() {
            println!("skipped: TWINQL_DATA is not set");
            return;
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/ablations");
        let mut seen: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let config = RunConfig::load(&path).unwrap();
            config.model.validate().unwrap();
            // Pretrained ones differ from others by what the script does.
            if !name.ends_with("pretrained") && name != "base" {
                let what = format!("{:?} {:?} {:?}", config.graph, config.model, config.data);
                assert!(!seen.contains(&what), "{name}");
                seen.push(what);
            }
        }
        assert_eq!(seen.len(), 9);
    }
}
