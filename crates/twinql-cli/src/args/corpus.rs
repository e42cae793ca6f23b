//! Arguments of `twinql corpus`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use twinql::suite::plausible::Kept;

use super::shared::{DialectFlag, FormatFlag};

#[derive(Debug, Subcommand)]
pub(crate) enum Corpus {
    /// Make labelled pairs from gold queries, predictions, neighbours and rewrites
    Build(CorpusBuild),
    /// The same pairs with the labels of other semantics
    Relabel(CorpusRelabel),
    /// How easily databases that come by chance tell pairs apart, for a graded training target
    Grade(CorpusGrade),
    /// How many plausible databases call two queries the same, to train for the question `plausible`
    Share(CorpusShare),
    /// What a data set is made of: questions, queries, templates, keywords; pairs by label
    Stats(CorpusStats),
    /// Parts of a data set that have no question, query template or database in common
    Split(CorpusSplit),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  twinql corpus build --config configs/corpus-bundled.toml --out corpus.jsonl.gz")]
pub(crate) struct CorpusBuild {
    /// Which files to read and what to make of them (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// The pair file to write; gzip if it ends in .gz
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What the labels mean; overrides semantics
    #[arg(long, value_name = "PRESET")]
    pub(crate) semantics: Option<String>,
    #[command(flatten)]
    pub(crate) dialect: DialectFlag,
    /// Use at most this many gold queries
    #[arg(long, value_name = "N")]
    pub(crate) max_gold: Option<usize>,
    /// Only the databases of the K-th of N parts, chosen by their names: parts can be built side by side [default: all]
    #[arg(long, value_name = "K/N", value_parser = part)]
    pub(crate) part: Option<(u64, u64)>,
    /// Only the databases of one part of the split, such as those to calibrate with [default: all]
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) only: Option<Role>,
}

/// As `split` of a pair says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// What networks learn from
    Train,
    /// What epochs, calibrations and thresholds are chosen on
    Valid,
    /// What only figures come from
    Test,
}

/// What pairs are read from and written to.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// The pair file, each pair with its label
    #[arg(value_name = "FILE")]
    pub(crate) pairs: PathBuf,
    /// Schemas: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH")]
    pub(crate) schemas: PathBuf,
    /// The pair file to write; gzip if it ends in .gz
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

/// Of which golds.
#[derive(Debug, Default, Args)]
pub(crate) struct PartFlag {
    /// Only pairs of the K-th of N equal parts of the gold queries [default: all]
    #[arg(long, value_name = "K/N", value_parser = part)]
    pub(crate) golds: Option<(u64, u64)>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  twinql corpus relabel corpus.jsonl.gz --schemas tables.json --semantics default --out default.jsonl.gz

Each pair says the semantics of its label. Labels that hold under both semantics whatever the pair are kept; the suite judges the others.")]
pub(crate) struct CorpusRelabel {
    #[command(flatten)]
    pub(crate) files: Files,
    /// What the new labels mean
    #[arg(long, value_name = "PRESET")]
    pub(crate) semantics: String,
    #[command(flatten)]
    pub(crate) part: PartFlag,
    /// Databases that two queries have to agree on to be labelled 1
    #[arg(long, value_name = "N", default_value_t = 80)]
    pub(crate) databases: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  twinql corpus grade corpus.jsonl.gz --schemas tables.json --semantics no-fk --out graded.jsonl.gz

Each pair with label 0 gets a field `ease`, from 0 to 1: of the databases with random rows on which a
query answers with anything, the share on which the two differ. `train` reads it if its configuration
says ease_margin.")]
pub(crate) struct CorpusGrade {
    #[command(flatten)]
    pub(crate) files: Files,
    /// How answers are compared
    #[arg(long, value_name = "PRESET")]
    pub(crate) semantics: String,
    /// Databases that each pair runs on
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) databases: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  twinql corpus share corpus.jsonl.gz --schemas tables.json --semantics bird --out shared.jsonl.gz

Each pair gets a field `share`: the probability that execution on a database as people have them calls the two the same, by the share of plausible databases on which they agree (expected-ex). Pairs whose gold answers on none are left out. `train` reads it where [[data.corpora]] says question = \"plausible\".")]
pub(crate) struct CorpusShare {
    #[command(flatten)]
    pub(crate) files: Files,
    /// How answers are compared
    #[arg(long, value_name = "PRESET")]
    pub(crate) semantics: String,
    /// Plausible databases that the gold is to answer on
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) databases: u64,
    /// Regularities that hold in all of these databases, with commas between them (docs/plausible.md lists them)
    #[arg(long, value_name = "NAMES", default_value_t, hide_default_value = true)]
    pub(crate) keep: Kept,
    #[command(flatten)]
    pub(crate) part: PartFlag,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql corpus stats corpus.jsonl.gz --format json
  twinql corpus stats dev_gold.sql --schemas tables.json
  twinql corpus stats dev.json

FILE is a pair file, a list or lines of questions with their queries as Spider and BIRD have them (.json, .jsonl), or gold queries, `SQL<TAB>db_id` a line; each may end in .gz. docs/data-sets.md says what is counted.")]
pub(crate) struct CorpusStats {
    /// Pairs, questions with their queries, or gold queries
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Count these schemas too: a tables.json, a .sql file of CREATE TABLE statements, a .sqlite file, or a folder of them
    #[arg(long, value_name = "PATH")]
    pub(crate) schemas: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatFlag,
}

/// What stays together in a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitBy {
    /// Rows that ask the same question
    Question,
    /// Rows whose gold queries are the same but for values
    Template,
    /// Rows over the same database
    Database,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  twinql corpus split gold.sql --by database --shares 0.9,0.1 --out train.sql,test.sql --seed 1
  twinql corpus split pairs.jsonl --by template --shares 0.8,0.1,0.1 --out a.jsonl,b.jsonl,c.jsonl

Rows are written as they were read, and in their order. No question, template or database is ever in two parts, so that shares are met as far as groups allow; the sizes are said. --seed draws which groups go where.")]
pub(crate) struct CorpusSplit {
    /// Pairs, questions with their queries, or gold queries
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What stays together
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) by: SplitBy,
    /// How much of the rows each part gets; adds up to 1
    #[arg(long, value_name = "X,Y,…", value_delimiter = ',', required = true)]
    pub(crate) shares: Vec<f64>,
    /// A file for each part, all of which are written or none; gzip where a name ends in .gz
    #[arg(long, value_name = "FILES", value_delimiter = ',', required = true)]
    pub(crate) out: Vec<PathBuf>,
}

/// `2/3`: the second of three parts.
fn part(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(format!("{text:?} is no part; give K/N with 1 <= K <= N, such as 1/2")),
    }
}
