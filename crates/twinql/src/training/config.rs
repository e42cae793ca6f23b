//! The configuration file of a training or pretraining run.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use twinql_corpus::paths::{beside, misplaced, named_in};
use twinql_files::Inputs;
use twinql_graph::vocabulary;
use twinql_model::{Compute, GmnConfig, GraphConfig, Precision, PretrainConfig, TrainConfig};
use twinql_sql::Dialect;

use super::TrainingError;
use super::data::Data;
use super::labelled::How;
use crate::input::configuration;

type Result<T, E = TrainingError> = std::result::Result<T, E>;

/// How many files may extend each other.
const MAX_BASES: usize = 8;

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
    /// See [`TrainingError`].
    pub fn read(path: &Path, over: &Overrides) -> Result<(RunConfig, PathBuf)> {
        let mut config = RunConfig::load(path)?;
        let run = config.finish(folder_of(path), over).map_err(|e| e.in_file(path))?;
        Ok((config, run))
    }

    /// The file's configuration, laid over those that it extends.
    fn load(path: &Path) -> Result<RunConfig> {
        let (text, own) = parse(path)?;
        let read = match own.contains_key("extends") {
            // From the text, so that errors name the line.
            false => toml::from_str(&text),
            true => table(path, MAX_BASES)?.try_into(),
        };
        let mut config: RunConfig = read.map_err(|e| TrainingError::from(e).in_file(path))?;
        if !own.contains_key("extends") {
            config.put_beside(folder_of(path))?;
        }
        Ok(config)
    }

    /// Fills environment variables in, and makes what the file names relative to its own folder.
    fn put_beside(&mut self, folder: &Path) -> Result<()> {
        for path in self.paths() {
            *path = beside(folder, expand(path)?);
        }
        Ok(())
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
                return Err(TrainingError::Invalid(said));
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
            return Err(TrainingError::NoPairs);
        }
        let Some(run) = over.run.clone().or(self.run.clone()) else {
            return Err(TrainingError::NoFolder);
        };
        self.run = Some(run.clone());
        self.model.words = vocabulary::WORD_COUNT;
        self.model.tags = vocabulary::TAG_COUNT;
        let train = &mut self.train;
        train.model = self.model.clone();
        train.graph = self.graph;
        train.vocabulary = vocabulary::hash();
        train.semantics = self.data.semantics();
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
        written.train.run_dir = None;
        for path in written.paths().filter(|path| path.is_relative()) {
            *path = named_in(folder, path);
        }
        Ok(toml::to_string_pretty(&written)?)
    }
}

/// A file's table, laid over that of the file it `extends` (a path relative to its own): tables
/// are merged, everything else is replaced.
fn table(path: &Path, bases: usize) -> Result<Table> {
    let (_, mut own) = parse(path)?;
    put_beside(&mut own, folder_of(path)).map_err(|e| e.in_file(path))?;
    let base = match own.remove("extends") {
        None => return Ok(own),
        Some(Value::String(base)) => path.parent().unwrap_or(Path::new("")).join(base),
        Some(other) => {
            return Err(TrainingError::Invalid(format!("extends = {other} is no path")).in_file(path));
        }
    };
    let Some(bases) = bases.checked_sub(1) else {
        return Err(TrainingError::Circle { path: path.to_owned(), most: MAX_BASES });
    };
    let mut merged = table(&base, bases)?;
    lay_over(&mut merged, own);
    Ok(merged)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// [`RunConfig::put_beside`] for a file that another one is laid over.
fn put_beside(table: &mut Table, folder: &Path) -> Result<()> {
    let mut found: Vec<&mut Value> = Vec::new();
    for (key, value) in table.iter_mut() {
        match (key.as_str(), value) {
            ("run", value) => found.push(value),
            ("data", Value::Table(data)) => {
                let corpora = data.get_mut("corpora").and_then(Value::as_array_mut);
                for corpus in corpora.into_iter().flatten().filter_map(Value::as_table_mut) {
                    let paths = corpus.iter_mut();
                    found.extend(
                        paths.filter(|(k, _)| matches!(k.as_str(), "pairs" | "schemas")).map(|(_, v)| v),
                    );
                }
            }
            ("train", Value::Table(train)) => {
                for (key, value) in train.iter_mut() {
                    match (key.as_str(), value) {
                        ("init", value) => found.push(value),
                        ("teachers", Value::Array(teachers)) => found.extend(teachers),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    for value in found {
        // What is no text is refused when the configuration is read.
        if let Value::String(path) = value {
            let put = beside(folder, expand(Path::new(path))?);
            *path = put.to_string_lossy().into_owned();
        }
    }
    Ok(())
}

fn parse(path: &Path) -> Result<(String, Table)> {
    let text = configuration(path)?;
    let table = toml::from_str(&text).map_err(|e| TrainingError::from(e).in_file(path))?;
    Ok((text, table))
}

fn lay_over(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(base)), Value::Table(over)) => lay_over(base, over),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Fills `${NAME}` in from the environment.
fn expand(path: &Path) -> Result<PathBuf> {
    match path.to_str() {
        Some(text) => Ok(twinql_corpus::build::expand(text)?.into()),
        None => Ok(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_is_laid_over_its_base() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "base.toml",
            "run = \"a\"\n[data]\nmax_pairs = 7\n[model]\nnode_dim = 8\ngraph_dim = 9\n[pretrain.augmentations]\nsubgraph = 0.2\n",
        );
        write("middle.toml", "extends = \"base.toml\"\n[model]\nnode_dim = 10\n");
        write("top.toml", "extends = \"middle.toml\"\nrun = \"b\"\n[graph]\nkind = \"ast\"\n");
        let config = RunConfig::load(&folder.path().join("top.toml")).unwrap();
        assert_eq!(config.run, Some(folder.path().join("b")));
        assert_eq!((config.model.node_dim, config.model.graph_dim), (10, 9));
        assert_eq!(config.graph.kind, twinql_model::GraphKind::Ast);
        assert_eq!(config.pretrain.augmentations.get("subgraph"), Some(&0.2));
        assert_eq!(config.pretrain.augmentations.len(), 1);
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
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/ablations");
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

    #[test]
    fn circles_and_odd_values_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        for (text, message) in [
            ("extends = \"a.toml\"", "files extend each other"),
            ("extends = 3", "is no path"),
            ("extends = \"missing.toml\"", "cannot read"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = RunConfig::load(&path).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
