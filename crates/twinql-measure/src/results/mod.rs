//! docs/results.md: every figure of the documentation, in one place, from stored outputs.
//!
//! A stored output is a file of `docs/results/`, `SUBJECT.NAME.tsv`: a table, with the commands that made it, the commit and
//! the date. Other pages link to the page that is written from them, so that a figure stands once.

mod record;
mod stored;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::page::{Page, root};
use crate::{Done, Measurement};
use stored::{Made, Stored};

/// The program.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "results",
    about: "writes docs/results.md from the outputs stored in docs/results; --record makes one of these again",
    usage: "[--record SUBJECT.NAME]",
    run,
};

/// A section of the page.
struct Subject {
    /// What the names of its files begin with.
    name: &'static str,
    heading: &'static str,
    /// What the figures are of.
    about: &'static str,
}

/// The sections, in their order. Other pages link to them by their headings.
const SUBJECTS: &[Subject] = &[
    Subject {
        name: "spider-pair-dev",
        heading: "Spider-pair dev",
        about: "The 1,644 human-labelled pairs of the FuncEvalGMN paper, over 20 databases that no network was trained on. \
            *Published* labels are the paper's. *Adjudicated* labels correct 63 of them that proved wrong when read. \
            Intervals are 95 % bootstrap intervals.",
    },
    Subject {
        name: "spider-dk-pair-dev",
        heading: "Spider-DK-pair dev",
        about: "The paper's second human-labelled set, 1,877 pairs. It was run for this table, and neither read nor used to \
            choose anything.",
    },
    Subject {
        name: "wikisql-pair-dev",
        heading: "WikiSQL-pair dev",
        about: "The paper's third human-labelled set, 823 pairs, run in the same way.",
    },
    Subject {
        name: "bird_ex_dev",
        heading: "bird_ex_dev",
        about: "5,534 predictions of some 30 systems of 2025 over five databases of BIRD's development set. The label says \
            what execution on the real database says, compared as BIRD's evaluator does.",
    },
    Subject {
        name: "bundled-pairs",
        heading: "Bundled pairs",
        about: "The 297 hand-written pairs of `data/pairs.jsonl`: near misses and hard rewrites by design.",
    },
    Subject {
        name: "provers",
        heading: "Provers",
        about: "What [`prove`](proofs.md) decides, and pairs of the provers' benchmarks.",
    },
    Subject {
        name: "rules",
        heading: "Rules",
        about: "What rests on each [normalisation rule](rules.md): it is switched off, and the queries that it changes are \
            normalised again. A form that stays the same is reached by other rules too.",
    },
    Subject {
        name: "dialects",
        heading: "Dialects",
        about: "Real queries of other systems ([how](dialects.md)). None of them was used to train a network.",
    },
    Subject {
        name: "refactoring",
        heading: "Refactoring",
        about: "Edits of SQL files that people committed, most of dbt models ([how](refactoring.md)). *Decided* is proved or \
            shown on a database; another program's word for it is its own. 25 of the edits were labelled by reading, and \
            chosen to be hard: they are cases, not a sample.",
    },
    Subject {
        name: "soundness",
        heading: "Soundness",
        about: "Queries executed before and after normalisation on random databases ([how](soundness.md)).",
    },
    Subject { name: "speed", heading: "Speed", about: "On two cores, the program's start included." },
    Subject {
        name: "consistency",
        heading: "Consistency",
        about: "Transformed inputs, and how much metrics move when a schema is written differently ([how](consistency.md)).",
    },
    Subject {
        name: "reranking",
        heading: "Reranking",
        about: "How often the chosen candidate is right, in percent, with 95 % intervals ([how](reranking.md)).",
    },
    Subject {
        name: "rewards",
        heading: "Rewards",
        about: "Degenerate completions that earn more than an honest mistake for the same gold ([how](rewards.md)).",
    },
    Subject {
        name: "comparing",
        heading: "Comparing",
        about: "How metrics rank 21 submissions of 2020 to Spider's leaderboard ([how](comparing.md)).",
    },
];

const HEAD: &str = "# Results

<!-- Written by `cargo measure results` from the files of docs/results. -->

Each table names the commands that made it, the commit and the date. `cargo measure results --record NAME` runs these
commands again and stores what they say. `$TWINQL_DATA` is a folder with the data that [training](training.md#data) names.
";

fn run(args: &[String]) -> Done {
    match args {
        [] => {}
        [flag, name] if flag == "--record" => {
            let path = folder().join(format!("{name}.tsv"));
            record::again(&mut Stored::read(&path)?)?.write(&path)?;
        }
        _ => return Err("unknown arguments".into()),
    }
    page()?.write()?;
    Ok(())
}

fn folder() -> PathBuf {
    root().join("docs/results")
}

/// The page, from what is stored.
pub(crate) fn page() -> Result<Page, Box<dyn std::error::Error>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    let mut text = HEAD.to_owned();
    for subject in SUBJECTS {
        // GitHub keeps an underscore in the name of a heading; links with a hyphen find it as well.
        if subject.name.contains('_') {
            write!(text, "\n<a id=\"{}\"></a>\n", subject.name.replace('_', "-"))?;
        }
        write!(text, "\n## {}\n\n{}\n", subject.heading, subject.about)?;
        for path in files.iter().filter(|path| subject_of(path) == subject.name) {
            section(&mut text, path)?;
        }
    }
    if let Some(lost) = files.iter().find(|path| SUBJECTS.iter().all(|s| s.name != subject_of(path))) {
        return Err(format!("{}: no subject has this name", lost.display()).into());
    }
    Ok(Page { path: "docs/results.md".into(), text })
}

/// The subject that a file's name begins with.
fn subject_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

/// One stored output: its table, and what made it.
fn section(text: &mut String, path: &Path) -> Done {
    let stored = Stored::read(path)?;
    write!(text, "\n### {}\n\n{}", stored.title, stored.table())?;
    if let Some(note) = &stored.note {
        write!(text, "\n{note}\n")?;
    }
    match &stored.made {
        Made::Published(source) => write!(text, "\nFrom {source}.\n")?,
        Made::By { commands, commit, date } => {
            write!(text, "\n{date}, at {commit}:\n\n```sh\n{}\n```\n", commands.join("\n"))?;
        }
    }
    Ok(())
}
