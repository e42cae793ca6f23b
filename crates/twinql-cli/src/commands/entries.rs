//! What systems answer: files of predictions, and the distinct pairs in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use twinql::files::Inputs;
use twinql::input::{Guessing, Item, Pairs, Schemas, Source, open};
use twinql::metrics::Hardness;
use twinql::suite::suite::plugs;
use twinql::{Dialects, Job, Work};

use crate::args::shared::SystemsFlags;
use crate::commands::hardness_of;
use crate::input;
use crate::output::Console;

/// A system.
pub(crate) struct System {
    pub(crate) name: String,
    pub(crate) file: String,
    /// For each gold the distinct pairs that stand for its prediction, by number: the prediction as it is,
    /// then with values of the gold.
    pub(crate) answers: Vec<Vec<usize>>,
}

impl System {
    /// For each gold the pair of the prediction as it stands, by number.
    pub(crate) fn first_answers(&self) -> impl Iterator<Item = Option<usize>> {
        self.answers.iter().map(|candidates| candidates.first().copied())
    }
}

/// All systems, and the pairs that are distinct among their answers.
#[derive(Default)]
pub(crate) struct Entries {
    pub(crate) systems: Vec<System>,
    /// Spider's class of each gold; none for one that cannot be read.
    pub(crate) hardness: Vec<Option<Hardness>>,
    /// The interaction of each gold; empty where golds are questions of their own.
    pub(crate) interactions: Vec<usize>,
    /// Each pair of a gold and a prediction once, for systems often predict the same.
    distinct: Vec<Job>,
}

/// What systems are read from.
pub(crate) struct Named<'f> {
    flags: &'f SystemsFlags,
    /// Their names and files.
    pub(crate) systems: Vec<(String, PathBuf)>,
}

impl<'f> Named<'f> {
    /// Those of flags.
    pub(crate) fn of(flags: &'f SystemsFlags) -> Result<Named<'f>> {
        Ok(Named { flags, systems: named(&flags.pred)? })
    }

    /// The golds.
    pub(crate) fn gold(&self) -> &'f Path {
        &self.flags.gold.gold
    }

    /// The schemas.
    pub(crate) fn schemas(&self) -> &'f Path {
        &self.flags.input.schemas
    }

    /// All files, and those of other flags.
    pub(crate) fn inputs<'p>(
        &self,
        further: impl IntoIterator<Item = (&'p str, Option<&'p Path>)>,
    ) -> Inputs {
        Inputs::default()
            .with([("--gold", Some(self.gold())), ("--schemas", Some(self.schemas()))])
            .with(further)
            .with(self.systems.iter().map(|(_, path)| ("--pred", Some(path.as_path()))))
    }

    /// Whose SQL it is.
    pub(crate) fn dialects(&self) -> Result<Dialects> {
        let source = |(_, pred): &(String, PathBuf)| Source::Lines {
            gold: self.gold().to_owned(),
            pred: pred.clone(),
        };
        let sources: Vec<Source> = self.systems.iter().map(source).collect();
        let guessing = |ddl| Ok(Guessing::new(Some(self.schemas()), ddl, None));
        input::settled(&self.flags.input.dialects, &sources, guessing)
    }
}

/// Names and files of systems: `NAME=FILE`, or a file that gives its name.
fn named(typed: &[String]) -> Result<Vec<(String, PathBuf)>> {
    let mut systems: Vec<(String, PathBuf)> = Vec::new();
    for text in typed {
        let whole = Path::new(text);
        let (name, path) = match text.split_once('=') {
            // A file may have the sign in its name.
            Some((name, file)) if !whole.exists() && !name.is_empty() => {
                (name.to_owned(), PathBuf::from(file))
            }
            _ => (input::stem(whole), whole.to_owned()),
        };
        if systems.iter().any(|(other, _)| *other == name) {
            bail!(
                "--pred: two systems are called {name:?}; give one another name: --pred NAME={}",
                path.display()
            );
        }
        systems.push((name, path));
    }
    Ok(systems)
}

/// The golds with the predictions of one system.
pub(crate) fn pairs(gold: &Path, pred: &Path, schemas: &Schemas) -> Result<Pairs> {
    let source = Source::Lines { gold: gold.to_owned(), pred: pred.to_owned() };
    Ok(open(&source, None, schemas.clone(), false)?)
}

impl Entries {
    /// Reads all files; `plugging` is the number of texts that are tried for a prediction.
    pub(crate) fn read(
        gold: &Path,
        systems: Vec<(String, PathBuf)>,
        schemas: &Schemas,
        plugging: Option<usize>,
        console: Console,
    ) -> Result<Entries> {
        let mut entries = Entries::default();
        let mut known: HashMap<(usize, String), usize> = HashMap::new();
        for (name, file) in systems {
            let mut answers = Vec::new();
            let pairs = pairs(gold, &file, schemas)?;
            input::say(&pairs, console);
            for (at, item) in pairs.items.enumerate() {
                let Item { job, about } = item?;
                // A prediction that is no text at all leaves no pair, and with it no gold to look at.
                match entries.hardness.get_mut(at) {
                    Some(known) => *known = known.or_else(|| class(&job)),
                    None => {
                        entries.hardness.push(class(&job));
                        entries.interactions.extend(about.interaction);
                    }
                }
                answers.push(entries.candidates(at, job, plugging, &mut known));
            }
            entries.systems.push(System { name, file: file.display().to_string(), answers });
        }
        Ok(entries)
    }

    /// The numbers of the pairs that stand for an answer; new ones are added.
    fn candidates(
        &mut self,
        gold_number: usize,
        job: Job,
        plugging: Option<usize>,
        known: &mut HashMap<(usize, String), usize>,
    ) -> Vec<usize> {
        let Work::Pair { schema, gold, pred } = &job.work else {
            self.distinct.push(job);
            return vec![self.distinct.len() - 1];
        };
        // The prediction as it stands is the first, whatever else is tried.
        let mut texts = vec![pred.clone()];
        if let Some(most) = plugging {
            texts.extend(plugs(schema, gold, pred).into_iter().filter(|text| text != pred));
            texts.truncate(most.max(1));
        }
        let mut numbers = Vec::with_capacity(texts.len());
        for text in texts {
            let distinct = &mut self.distinct;
            numbers.push(*known.entry((gold_number, text)).or_insert_with_key(|(_, text)| {
                let work = Work::Pair { schema: schema.clone(), gold: gold.clone(), pred: text.clone() };
                distinct.push(Job::new(job.id.clone(), work));
                distinct.len() - 1
            }));
        }
        numbers
    }

    /// A distinct pair by its number.
    pub(crate) fn pair(&self, number: usize) -> Option<&Job> {
        self.distinct.get(number)
    }

    /// The distinct pairs.
    pub(crate) fn distinct(&self) -> Vec<Job> {
        self.distinct.clone()
    }
}

/// Spider's hardness of the gold.
fn class(job: &Job) -> Option<Hardness> {
    job.pair().and_then(|(_, gold, _)| hardness_of(gold))
}
