//! What a corpus is built from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twinql_sql::semantics::UnknownSemantics;
use twinql_sql::{Dialect, Semantics};

use crate::grammar::Style;
use crate::{CorpusError, configuration};

/// Databases that others evaluate on: Spider's 20 development databases and BIRD's 11.
/// Nothing over them is built into a corpus unless the configuration allows it.
pub const EVALUATION_DATABASES: [&str; 31] = [
    // Spider dev
    "battle_death",
    "car_1",
    "concert_singer",
    "course_teach",
    "cre_Doc_Template_Mgt",
    "dog_kennels",
    "employee_hire_evaluation",
    "flight_2",
    "museum_visit",
    "network_1",
    "orchestra",
    "pets_1",
    "poker_player",
    "real_estate_properties",
    "singer",
    "student_transcripts_tracking",
    "tvshow",
    "voter_1",
    "world_1",
    "wta_1",
    // BIRD dev
    "california_schools",
    "card_games",
    "codebase_community",
    "debit_card_specializing",
    "european_football_2",
    "financial",
    "formula_1",
    "student_club",
    "superhero",
    "thrombosis_prediction",
    "toxicology",
];

/// The keys that hold paths.
const PATHS: &[&str] = &[
    "out",
    "schemas",
    "gold.gold",
    "gold.predictions",
    "gold.beams",
    "pairs.path",
    "evaluation.path",
    "evaluation.schemas",
    "split.test_file",
];

/// A part of the split. A database belongs to one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Networks learn from it.
    Train,
    /// Epochs, calibrations and thresholds are chosen on it.
    Valid,
    /// Only figures come from it.
    Test,
}

twinql_sql::named!(Role: Train "train", Valid "valid", Test "test");

/// How a corpus is built; a TOML file, which may extend another ([`configuration`]). Paths are relative to the file's folder,
/// `${NAME}` stands for an environment variable, and `*` for any part of a file's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BuildConfig {
    /// The pair file to write (`.jsonl` or `.jsonl.gz`); statistics go beside it.
    pub out: PathBuf,
    /// The seed of every choice.
    pub seed: u64,
    /// The preset that the labels mean.
    pub semantics: String,
    /// Whose SQL the queries and the DDL are. The corpus is SQLite's.
    #[schemars(with = "String")]
    pub dialect: Dialect,
    /// Databases that a pair has to agree on to be labelled 1.
    pub databases: u64,
    /// A pair that agrees is labelled only if the gold answered with rows on this many
    /// databases: two empty answers say little.
    pub min_nonempty: u64,
    /// Schemas: tables.json, DDL, SQLite files or folders of them.
    pub schemas: Vec<String>,
    /// More databases to leave out.
    pub exclude_databases: Vec<String>,
    /// Evaluation sets: pairs that hold one of their queries, by canonical form, are left out,
    /// whatever their database.
    #[serde(skip_serializing)]
    pub evaluation: Vec<EvaluationSource>,
    /// Permit [`EVALUATION_DATABASES`]: for evaluation sets, never for training.
    pub allow_evaluation_databases: bool,
    /// At most this many golds, chosen by the seed; 0: all.
    pub max_golds: usize,
    /// `(k, n)`: only the databases of the k-th of n parts, from 1; none: all. What a gold gives does not depend on it, but for
    /// the numbers in `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<(u64, u64)>,
    /// Only the databases of one part of the split; none: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Role>,
    /// How many candidates each gold gets.
    pub sample: Sample,
    /// Which labelled candidates stay.
    pub select: Select,
    /// Which databases go to which part.
    pub split: Split,
    /// Gold files with predictions.
    pub gold: Vec<GoldSource>,
    /// Pair files.
    pub pairs: Vec<PairSource>,
    /// Golds that are sampled from a grammar ([`crate::grammar`]).
    pub grammar: Vec<GrammarSource>,
}

impl Default for BuildConfig {
    fn default() -> Self {
        BuildConfig {
            out: PathBuf::from("corpus.jsonl.gz"),
            seed: 8,
            semantics: "no-fk".into(),
            dialect: Dialect::Sqlite,
            databases: 100,
            min_nonempty: 3,
            schemas: Vec::new(),
            exclude_databases: Vec::new(),
            evaluation: Vec::new(),
            allow_evaluation_databases: false,
            max_golds: 0,
            part: None,
            only: None,
            sample: Sample::default(),
            select: Select::default(),
            split: Split::default(),
            gold: Vec::new(),
            pairs: Vec::new(),
            grammar: Vec::new(),
        }
    }
}

/// How many candidates of each kind a gold gets before labelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sample {
    /// Distinct real predictions.
    pub predictions: usize,
    /// Neighbours of the gold: one small change each.
    pub neighbours: usize,
    /// Rewrites of the gold by one rule.
    pub rewrites: usize,
    /// Rewrites of the gold by several rules.
    pub compositions: usize,
    /// How many rules these are at most; at least two.
    #[serde(skip_serializing_if = "is_three")]
    #[schemars(extend("default" = 3))]
    pub longest: usize,
    /// Rewrites of predictions.
    pub prediction_rewrites: usize,
    /// Neighbours of rewrites: wrong by one change, and far from the gold's text.
    pub rewrite_neighbours: usize,
    /// Kinds in which the gold is turned against itself ([`crate::turned`]): a random choice of those that are trained on.
    #[serde(skip_serializing_if = "is_none")]
    #[schemars(extend("default" = 0))]
    pub turned: usize,
    /// Pairs that come back over a changed schema ([`crate::schemas`]), beyond
    /// [`Select::per_gold`].
    pub schema_variants: usize,
    /// Which rewrites are drawn: those of this catalogue and of earlier ones
    /// ([`crate::rewrites::Rewrite::catalogue`]). A corpus stays what it was when rewrites are added.
    pub catalogue: u8,
}

/// A corpus that asks for none keeps the fingerprint that it had before there were any.
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// As [`is_none`].
fn is_three(count: &usize) -> bool {
    *count == 3
}

impl Default for Sample {
    fn default() -> Self {
        Sample {
            predictions: 12,
            neighbours: 5,
            rewrites: 4,
            compositions: 4,
            longest: 3,
            prediction_rewrites: 3,
            rewrite_neighbours: 4,
            turned: 0,
            schema_variants: 0,
            catalogue: 1,
        }
    }
}

/// Which labelled candidates of a gold stay.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    /// At most this many pairs for each gold.
    pub per_gold: usize,
    /// The share of label 1 that is aimed at; 0: keep all up to the cap.
    pub positive_share: f64,
    /// Keep at least this many of label 0, whatever the share.
    pub min_negatives: usize,
    /// Of the pairs with label 1, at most this share may be proved: equal in canonical form.
    /// They tell a network nothing, since it sees the canonical forms.
    pub proved_share: f64,
}

impl Default for Select {
    fn default() -> Self {
        Select { per_gold: 18, positive_share: 0.45, min_negatives: 3, proved_share: 0.3 }
    }
}

/// Which databases go to which part: a database is never in two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Split {
    /// The share of databases for validation, chosen by a hash of `db_id` and seed.
    pub valid_share: f64,
    /// Databases for validation by name; if there are any, the share is not used.
    pub valid_databases: Vec<String>,
    /// Databases for the part `test`.
    pub test_databases: Vec<String>,
    /// A file with more of them, one `db_id` a line; empty: none.
    pub test_file: String,
}

impl Default for Split {
    fn default() -> Self {
        Split {
            valid_share: 0.1,
            valid_databases: Vec::new(),
            test_databases: Vec::new(),
            test_file: String::new(),
        }
    }
}

/// A file of an evaluation set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluationSource {
    /// A pair file (`.jsonl`, `.jsonl.gz`), or a gold file: `SQL<TAB>db_id` a line.
    pub path: String,
    /// The schemas of queries that name a database.
    pub schemas: Vec<String>,
}

/// A gold file with predictions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GoldSource {
    /// The gold file: `SQL<TAB>db_id` a line.
    pub gold: String,
    /// Prediction files: one SQL a line, or BIRD's `.json`.
    pub predictions: Vec<String>,
    /// The predictions answer only the first lines of the gold file.
    pub first_lines: bool,
    /// Files of beams: `{"idx": line from 0, "beam": [SQL, …]}` a line.
    pub beams: Vec<String>,
}

/// A pair file whose labels are not taken, unless they are to be trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PairSource {
    /// The pair file.
    pub path: String,
    /// A field with a list of more predictions, or empty.
    pub beam_field: String,
    /// Put the gold's constants where the beam has the word `value` (SPLASH).
    pub plug_values: bool,
    /// Keep the file's labels where it has them, and do not judge.
    pub trust_labels: bool,
}

/// Golds that are sampled from a grammar, over each schema of [`BuildConfig::schemas`] that is
/// named here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GrammarSource {
    /// `db_id`s, or `*` for every database that is neither excluded nor in the part `test`.
    pub schemas: Vec<String>,
    /// Queries for each of them.
    pub queries: usize,
    /// Whose queries: those of `golds`, or of language `models`.
    #[serde(skip_serializing_if = "Style::is_usual")]
    pub style: Style,
}

impl BuildConfig {
    /// Reads a configuration file, laid over those that it extends ([`configuration`]).
    ///
    /// # Errors
    /// Not TOML, an unknown key, a variable that is not set, a value that cannot work.
    pub fn read(path: &Path) -> Result<BuildConfig, CorpusError> {
        let config: BuildConfig = configuration::read(path, PATHS)?;
        config.check().map_err(|e| configuration::wrong(path, e))?;
        Ok(config)
    }

    /// Every path that is read, patterns among them.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        let gold = self.gold.iter();
        let gold = gold.flat_map(|g| std::iter::once(&g.gold).chain(&g.predictions).chain(&g.beams));
        let evaluation = self.evaluation.iter();
        let evaluation = evaluation.flat_map(|e| std::iter::once(&e.path).chain(&e.schemas));
        self.schemas
            .iter()
            .chain(gold)
            .chain(self.pairs.iter().map(|p| &p.path))
            .chain(evaluation)
            .chain([&self.split.test_file])
            .map(String::as_str)
    }

    /// Checks what no file is needed for.
    ///
    /// # Errors
    /// The first value that cannot work, with its name.
    pub fn check(&self) -> Result<(), CorpusError> {
        let fail = |message: String| Err(CorpusError::Config(message));
        if self.schemas.is_empty() {
            return fail("`schemas` is empty; name a tables.json or a folder of .sql files".into());
        }
        if self.gold.is_empty() && self.pairs.is_empty() && self.grammar.is_empty() {
            return fail("no [[gold]], no [[pairs]] and no [[grammar]]; name at least one source".into());
        }
        for source in &self.grammar {
            if source.schemas.is_empty() || source.queries == 0 {
                return fail(
                    "[[grammar]] needs `schemas`, a list of db_ids or [\"*\"], and `queries`, 1 or more"
                        .into(),
                );
            }
        }
        let last = crate::rewrites::CATALOGUES;
        if self.sample.catalogue == 0 || self.sample.catalogue > last {
            let given = self.sample.catalogue;
            return fail(format!(
                "`sample.catalogue` is {given}; the catalogues of rewrites are numbered from 1 to {last}"
            ));
        }
        self.semantics()?;
        for (name, share) in [
            ("select.positive_share", self.select.positive_share),
            ("split.valid_share", self.split.valid_share),
        ] {
            if !(0.0..1.0).contains(&share) {
                return fail(format!("`{name}` is {share}; give a share from 0 to below 1"));
            }
        }
        let proved = self.select.proved_share;
        if !(0.0..=1.0).contains(&proved) {
            return fail(format!("`select.proved_share` is {proved}; give a share from 0 to 1"));
        }
        if self.databases == 0 || self.select.per_gold == 0 {
            return fail("`databases` and `select.per_gold` must be 1 or more".into());
        }
        Ok(())
    }

    /// The semantics that the labels mean.
    ///
    /// # Errors
    /// Not a preset's name.
    pub fn semantics(&self) -> Result<Semantics, CorpusError> {
        self.semantics.parse().map_err(|e: UnknownSemantics| CorpusError::Config(e.to_string()))
    }

    /// Why nothing over this database may be built, if it may not.
    pub fn excluded(&self, db_id: &str) -> bool {
        let listed = |name: &str| name.eq_ignore_ascii_case(db_id);
        (!self.allow_evaluation_databases && EVALUATION_DATABASES.iter().any(|n| listed(n)))
            || self.exclude_databases.iter().any(|n| listed(n))
    }
}
