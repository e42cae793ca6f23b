//! `twinql perturb`, as typed.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use twinql_perturb::augment::{Rates, Sampling};
use twinql_perturb::{RELATIONS, Relation, relation};

use super::shared::{DialectFlag, Format, NeededSchemaFlags};

/// Questions and schemas said in another way.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql perturb --questions dev.json --schemas tables.json --out transformed.jsonl
  twinql perturb --questions dev.json --schemas tables.json --out few.jsonl --relation PI,CRn --sample 200
  twinql perturb --questions dev.json --schemas tables.json --out few.jsonl --sample 50 --db database --db-out database_new
  twinql perturb --questions train.json --schemas tables.json --out more.json --tables more_tables.json \\
    --augment adaptive --size 7000 --rates consistency.json

Relations are those of MT-TEQL: prefix-insertion (PI), prefix-removal (PR), prefix-substitution (PS),
synonym-substitution (SS), normalization (NO), flattening (FL), opaque-key (OK), table-shuffle (TS),
column-shuffle (CS), column-removal (CRm), column-renaming (CRn), column-insertion (CI).

A line of the result is a JSON object: id, origin (the question's place from 0), relation, question, gold, label
(kept or judged), db_id, schema (DDL), tables (an entry of a tables.json), mapping (how the schema relates to the
original). With a name that ends in .json it is Spider's list of question, query and db_id instead.")]
pub(crate) struct Perturb {
    /// Questions: a JSON list as Spider's dev.json, or JSON lines, with question, query (or gold) and db_id
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(crate) questions: PathBuf,
    #[command(flatten)]
    pub(crate) input: NeededSchemaFlags<DialectFlag>,
    /// Relations by name or abbreviation, separated by commas [default: all twelve]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    relation: Vec<String>,
    /// Results of a relation for a question, at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
    /// Results of a relation, at most, drawn by the seed
    #[arg(long, value_name = "N", conflicts_with = "augment")]
    pub(crate) sample: Option<usize>,
    /// Draw training data of --size: random, stratified (as many of each relation), or adaptive (by --rates)
    #[arg(long, value_enum, value_name = "HOW", requires = "size")]
    augment: Option<How>,
    /// Transformed inputs to draw
    #[arg(long, value_name = "N", requires = "augment")]
    pub(crate) size: Option<usize>,
    /// Inconsistency rates for adaptive sampling: what `twinql consistency --format json` writes, or a JSON object of
    /// relations and rates
    #[arg(long, value_name = "FILE", requires = "augment")]
    pub(crate) rates: Option<PathBuf>,
    /// Put the originals before the transformed inputs
    #[arg(long)]
    pub(crate) originals: bool,
    /// Say how fluent the questions are, before and after
    #[arg(long)]
    pub(crate) fluency: bool,
    /// Fluency by another language model: JSON lines with id and score; an original's id is its place from 0
    #[arg(long, value_name = "FILE", requires = "fluency")]
    pub(crate) fluency_scores: Option<PathBuf>,
    /// Databases whose rows are moved: a folder with DB/DB.sqlite for each
    #[arg(long, value_name = "FOLDER", requires = "db_out", help_heading = "Input")]
    pub(crate) db: Option<PathBuf>,
    /// Write a SQLite file for each transformed schema into this folder, as NEW/NEW.sqlite
    #[arg(long, value_name = "FOLDER", requires = "db", help_heading = "Output")]
    pub(crate) db_out: Option<PathBuf>,
    /// The transformed test set: .jsonl, or .json for Spider's form; .gz is written too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) out: PathBuf,
    /// Write all schemas of the result as one tables.json
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) tables: Option<PathBuf>,
    /// How counts are written, on stdout
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,
}

/// How training data is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum How {
    /// All alike
    Random,
    /// As many of each relation
    Stratified,
    /// By inconsistency rates
    Adaptive,
}

impl Perturb {
    /// The relations that are asked for, each once, in the order of the registry.
    pub(crate) fn relations(&self) -> Result<Vec<&'static Relation>> {
        let mut asked = Vec::new();
        for name in self.relation.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            match relation(name) {
                Some(relation) => asked.push(relation.name),
                None => {
                    let known: Vec<&str> = RELATIONS.iter().map(|r| r.name).collect();
                    bail!("--relation: no relation is called {name:?}; there are {}", known.join(", "));
                }
            }
        }
        Ok(RELATIONS.iter().filter(|r| asked.is_empty() || asked.contains(&r.name)).collect())
    }

    /// How training data is drawn, if any is.
    pub(crate) fn sampling(&self) -> Result<Option<Sampling>> {
        match (self.augment, &self.rates) {
            (Some(How::Adaptive), None) => bail!(
                "--augment adaptive needs --rates: the inconsistency rates that `twinql consistency --format json` writes"
            ),
            (Some(How::Adaptive), Some(path)) => Ok(Some(Sampling::Adaptive(Rates::read(path)?))),
            (Some(_), Some(_)) => bail!("--rates is for --augment adaptive alone"),
            (Some(How::Random), None) => Ok(Some(Sampling::Random)),
            (Some(How::Stratified), None) => Ok(Some(Sampling::Stratified)),
            (None, _) => Ok(None),
        }
    }
}
