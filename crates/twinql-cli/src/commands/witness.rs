//! Witnesses in records and in files, for `twinql judge` and `twinql prove`.

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value as Json;
use twinql::Job;
use twinql::files::Inputs;
use twinql::suite::engines::{Engine, Said};
use twinql::suite::{Database, Plausibility, Semantics, Witness};
use twinql::witness::{FileNames, marked};

use super::verdicts::rows;
use crate::input;
use crate::output::write_file;

/// A database on which the answers differ, and the answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct WitnessRecord {
    /// Statements that make the database.
    sql: String,
    gold_columns: usize,
    gold_rows: Vec<Vec<Json>>,
    pred_columns: usize,
    pred_rows: Vec<Vec<Json>>,
    /// What the columns of the answers are called.
    gold_names: Vec<String>,
    pred_names: Vec<String>,
    /// How plausible it is, and why it is odd.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plausibility: Option<Plausibility>,
    /// What the user's own system says, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<EngineRecord>,
    /// Where it was written.
    pub(super) file: Option<String>,
    /// All of it for people.
    #[serde(skip)]
    pub(super) text: String,
}

impl WitnessRecord {
    /// The witness of a pair; none of a job that holds no pair.
    pub(super) fn of(job: &Job, witness: Witness) -> Option<WitnessRecord> {
        WitnessRecord::marked(job, witness, |_, _, _| false)
    }

    /// The same with a mark behind cells in its text.
    pub(super) fn marked(
        job: &Job,
        witness: Witness,
        is_marked: impl Fn(usize, usize, usize) -> bool,
    ) -> Option<WitnessRecord> {
        let (_, gold, pred) = job.pair()?;
        let text = marked(gold, pred, &witness, is_marked);
        Some(WitnessRecord {
            sql: witness.statements,
            gold_columns: witness.gold_width,
            gold_rows: rows(witness.gold_rows),
            pred_columns: witness.pred_width,
            pred_rows: rows(witness.pred_rows),
            gold_names: witness.gold_columns,
            pred_names: witness.pred_columns,
            plausibility: witness.plausibility,
            engine: None,
            file: None,
            text,
        })
    }
}

/// What the user's own system answers on the witness.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct EngineRecord {
    /// The system.
    system: &'static str,
    /// Its answers differ as well; null where it gave none.
    differ: Option<bool>,
    gold_rows: Vec<Vec<Option<String>>>,
    pred_rows: Vec<Vec<Option<String>>>,
    /// Why it gave no answer.
    error: Option<String>,
}

impl EngineRecord {
    /// The engine asked about a pair's witness, with the queries as they were written.
    pub(super) fn of(
        engine: &Engine,
        job: &Job,
        (gold, pred): (&str, &str),
        statements: &str,
        semantics: &Semantics,
    ) -> Option<EngineRecord> {
        let (schema, ..) = job.pair()?;
        let said = Database::of_statements(schema, statements)
            .and_then(|database| engine.bout(schema, &database, (gold, pred), semantics));
        let system = engine.name();
        Some(match said {
            Ok(Said { gold, pred, differ }) => {
                EngineRecord { system, differ: Some(differ), gold_rows: gold, pred_rows: pred, error: None }
            }
            Err(error) => EngineRecord {
                system,
                differ: None,
                gold_rows: Vec::new(),
                pred_rows: Vec::new(),
                error: Some(error.to_string()),
            },
        })
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        let system = self.system;
        match (self.differ, &self.error) {
            (Some(true), _) => format!("{system}: the answers differ there as well"),
            (Some(false), _) => format!("{system}: the answers are the same there; please report this pair"),
            (None, Some(error)) => format!("{system}: {error}"),
            (None, None) => format!("{system}: not asked"),
        }
    }

    /// Whether the engine found the two to be the same.
    pub(super) fn disagrees(&self) -> bool {
        self.differ == Some(false)
    }
}

impl WitnessRecord {
    /// The statements that make the database.
    pub(super) fn statements(&self) -> &str {
        &self.sql
    }
}

/// The folder that `--witness-dir` names.
pub(super) struct WitnessFolder {
    folder: PathBuf,
    names: FileNames,
    inputs: Inputs,
}

impl WitnessFolder {
    /// `inputs` is what the command reads, of which no witness takes the place.
    pub(super) fn new(folder: PathBuf, inputs: Inputs) -> WitnessFolder {
        WitnessFolder { folder, names: FileNames::default(), inputs }
    }

    /// Notes a witness that an earlier run has written.
    pub(super) fn written(&mut self, id: &Json) {
        self.names.name(&input::id_text(id));
    }

    /// Writes a pair's witness, and notes in its record where.
    pub(super) fn write(&mut self, id: &Json, witness: &mut WitnessRecord) -> Result<()> {
        let name = self.names.name(&input::id_text(id));
        let path = self.folder.join(format!("{name}.sql"));
        self.inputs.check(&path)?;
        write_file(&path, witness.text.as_bytes())?;
        witness.file = Some(path.display().to_string());
        Ok(())
    }
}
