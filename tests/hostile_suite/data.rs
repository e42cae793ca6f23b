//! What a theme's file holds: pairs of queries, and runs of the program.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// One file of `tests/hostile/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Theme {
    /// What the theme is about.
    pub(crate) about: String,
    /// DDL by the name that pairs give.
    #[serde(default)]
    pub(crate) schemas: BTreeMap<String, Text>,
    /// Files that lie in the folder of every run.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Text>,
    #[serde(default, rename = "pair")]
    pub(crate) pairs: Vec<Pair>,
    #[serde(default, rename = "run")]
    pub(crate) runs: Vec<Run>,
}

/// Text or bytes, written out or described.
#[derive(Deserialize, Clone)]
#[serde(untagged)]
pub(crate) enum Text {
    Plain(String),
    Repeat(Repeat),
    Bytes { hex: String },
    Parts(Vec<Text>),
}

/// `repeat` `times` times; `{i}` in it is the number from 0, `{j}` the number before.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    repeat: String,
    times: usize,
    #[serde(default)]
    between: String,
}

impl Text {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Text::Plain(text) => text.clone().into_bytes(),
            Text::Repeat(r) => {
                let one = |i: usize| {
                    let before = i.saturating_sub(1).to_string();
                    r.repeat.replace("{i}", &i.to_string()).replace("{j}", &before)
                };
                let all: Vec<String> = (0..r.times).map(one).collect();
                all.join(&r.between).into_bytes()
            }
            Text::Bytes { hex } => {
                let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
                let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
                digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
            }
            Text::Parts(parts) => parts.iter().flat_map(Text::bytes).collect(),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }
}

/// What is true of a pair, whatever the program says.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Truth {
    /// On every database that meets the assumptions and the schema. It can be read and is read.
    Same,
    /// On some database they differ: no proof of equality, no verdict `same`, no equal forms.
    Different,
    /// They differ, on databases so rare that no verdict of so many databases has to find one:
    /// no proof of equality and no equal forms.
    RarelyDifferent,
    /// Equal only because an assumption of the semantics makes both empty: neither.
    Vacuous,
    /// The prediction is no query that may run: it has no verdict, and no score above 0.
    Refused,
    /// It depends on what nobody can know; only a well-formed record is asked for.
    Open,
}

/// A gold and one or several predictions over a schema.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) schema: String,
    #[serde(default = "sqlite")]
    pub(crate) dialect: String,
    #[serde(default = "default_semantics")]
    pub(crate) semantics: String,
    pub(crate) gold: Text,
    pub(crate) pred: Option<Text>,
    #[serde(default)]
    pub(crate) preds: Vec<Text>,
    pub(crate) truth: Truth,
    /// Verdicts of `judge` that are right.
    pub(crate) judge: Option<Vec<String>>,
    /// What `prove` may say.
    pub(crate) prove: Option<Vec<String>>,
    /// Statuses that are right, in every command.
    pub(crate) status: Option<Vec<String>>,
    /// What a status other than `ok` has to name (one of these, in any case).
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// That it fails is seen only when it runs, which `prove` does not.
    #[serde(default)]
    pub(crate) at_run_time: bool,
    /// The least score of `gmn`.
    pub(crate) gmn: Option<f64>,
    /// What the notes of `judge` have to say.
    pub(crate) note: Option<String>,
}

fn sqlite() -> String {
    "sqlite".into()
}

fn default_semantics() -> String {
    "default".into()
}

/// One run of the program in a folder of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
    pub(crate) exit: Vec<i32>,
    #[serde(default)]
    pub(crate) stdin: Option<Text>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Text>,
    /// SQLite files, by the statements that make them.
    #[serde(default)]
    pub(crate) sqlite: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) make: Vec<Make>,
    /// Runs of the program before this one; each must end with 0.
    #[serde(default)]
    pub(crate) before: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) stdout: Vec<String>,
    #[serde(default)]
    pub(crate) stderr: Vec<String>,
    /// What neither stream may say.
    #[serde(default)]
    pub(crate) silent: Vec<String>,
    /// Paths that the run may make or change, by how they begin.
    #[serde(default)]
    pub(crate) writes: Vec<String>,
    /// Files that must be there afterwards, with a part of what they hold.
    #[serde(default)]
    pub(crate) holds: BTreeMap<String, String>,
    /// Folders that must hold so many files.
    #[serde(default)]
    pub(crate) count: BTreeMap<String, usize>,
    /// The lines of stdout as JSON, each at least what is given.
    #[serde(default)]
    pub(crate) records: Vec<String>,
    /// Runs once for each of so many copies of a file, in each of which another bit is turned.
    #[serde(default)]
    pub(crate) flip: Option<Flip>,
    /// The system lets the program have this much address space, in MiB.
    pub(crate) memory: Option<u64>,
    /// More limits of the system, as `ulimit` takes them.
    pub(crate) ulimit: Option<String>,
    /// Ended with SIGINT after so many milliseconds.
    pub(crate) interrupt: Option<u64>,
}

/// Something else than a file of text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
pub(crate) enum Make {
    Folder {
        path: String,
    },
    /// A symbolic link.
    Link {
        path: String,
        to: String,
    },
    /// A second name of a file.
    HardLink {
        path: String,
        to: String,
    },
    /// A pipe with a name, which `cat` reads.
    Fifo {
        path: String,
    },
    /// A device of our own: of the memory devices, 3 is what `/dev/null` is, 7 `/dev/full`. The
    /// run is left out where the system does not let us make one.
    Device {
        path: String,
        minor: u8,
    },
    /// Copies a file of the repository.
    Copy {
        path: String,
        from: String,
    },
}

/// Bits to turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flip {
    pub(crate) file: String,
    pub(crate) times: usize,
}

/// A theme; `HOSTILE_CASE` leaves only cases whose name holds it, to look at one.
pub(crate) fn load(theme: &str) -> Theme {
    let path = folder().join(format!("{theme}.toml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut theme: Theme = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if let Ok(part) = std::env::var("HOSTILE_CASE") {
        theme.pairs.retain(|p| p.name.contains(&part));
        theme.runs.retain(|r| r.name.contains(&part));
    }
    theme
}

pub(crate) fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile")
}
