//! Workers, as the process sees them that has them work.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::mem::{Discriminant, discriminant};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::de::DeserializeOwned;
use twinql_sql::{Schema, Semantics};

use super::wire::Request;
use super::{GREETING, LOST};
use crate::bird::{BirdConfig, Measures};
use crate::bout::{Side, Verdict as VerdictBy};
use crate::files::{FileConfig, FileReport, FileVerdict};
use crate::judge::{Expectation, JudgeConfig, Report, Verdict};
use crate::plausible::ExpectedConfig;
use crate::profile::Profile;
use crate::suite::{RunOptions, RunPair, RunVerdict, SchemaSuite, write_line};

/// A program that runs [`serve`](super::serve) on its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file to run.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// Workers that are started as they are needed, at most one for each calling thread.
#[derive(Debug)]
pub struct Crew {
    program: Program,
    patience: Duration,
    idle: Mutex<Vec<Worker>>,
}

impl Crew {
    /// A crew with nobody in it. `patience` is the wall time that a request may take at the
    /// very most, after which its worker is killed.
    pub fn new(program: Program, patience: Duration) -> Crew {
        Crew { program, patience, idle: Mutex::default() }
    }

    /// Judges a pair, with witnesses that are as plausible as databases like that of the profile say. The verdict is the
    /// one that a [`Judge`](crate::Judge) in this process has, unless the worker dies of it: a pair that kills a fresh
    /// worker is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub fn judge(
        &self,
        config: &JudgeConfig,
        schema: &Arc<Schema>,
        profile: Option<&Arc<Profile>>,
        gold: &str,
        pred: &str,
    ) -> io::Result<Report> {
        let answer = self.ask(&|worker| {
            let schema = worker.prepared(config, schema, profile)?;
            worker.process.ask(&Request::Pair { schema, gold: gold.to_owned(), pred: pred.to_owned() })
        })?;
        Ok(answer.unwrap_or_else(|| Report {
            verdict: Verdict::Timeout { side: Side::Pred },
            notes: vec![LOST.into()],
        }))
    }

    /// Counts the plausible databases on which a pair agrees, as a [`Judge`](crate::Judge) in this process does that
    /// follows the profile; a pair that kills a fresh worker is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub fn expected(
        &self,
        config: &JudgeConfig,
        expected: ExpectedConfig,
        schema: &Arc<Schema>,
        profile: Option<&Arc<Profile>>,
        gold: &str,
        pred: &str,
    ) -> io::Result<Expectation> {
        let answer = self.ask(&|worker| {
            let schema = worker.prepared(config, schema, profile)?;
            let (gold, pred) = (gold.to_owned(), pred.to_owned());
            worker.process.ask(&Request::Expected { schema, gold, pred, config: expected })
        })?;
        Ok(answer.unwrap_or(Expectation::None(Verdict::Timeout { side: Side::Pred })))
    }

    /// Executes a pair on files, as a [`FileJudge`](crate::FileJudge) in this process does;
    /// a pair that kills a fresh worker is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub fn execute(
        &self,
        config: &FileConfig,
        files: &[PathBuf],
        gold: &str,
        pred: &str,
    ) -> io::Result<FileReport> {
        let answer = self.ask(&|worker| {
            worker.set(&Request::Executing(Box::new(config.clone())))?;
            let (files, gold, pred) = (files.to_vec(), gold.to_owned(), pred.to_owned());
            worker.process.ask(&Request::Files { files, gold, pred })
        })?;
        Ok(answer.unwrap_or_else(|| FileReport {
            verdict: FileVerdict::Timeout {
                side: Side::Pred,
                file: files.first().cloned().unwrap_or_default(),
                message: LOST.into(),
            },
            notes: Vec::new(),
        }))
    }

    /// Measures a pair on a file, as a [`BirdJudge`](crate::bird::BirdJudge) in this process does; a pair that kills
    /// a fresh worker is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub fn measure(
        &self,
        config: BirdConfig,
        file: &Path,
        gold: &str,
        pred: &str,
    ) -> io::Result<Result<Measures, FileVerdict>> {
        let answer = self.ask(&|worker| {
            worker.set(&Request::Measuring(config))?;
            let (file, gold, pred) = (file.to_owned(), gold.to_owned(), pred.to_owned());
            worker.process.ask(&Request::Measure { file, gold, pred })
        })?;
        Ok(answer.unwrap_or_else(|| {
            Err(FileVerdict::Timeout { side: Side::Pred, file: file.to_owned(), message: LOST.into() })
        }))
    }

    /// Runs pairs over one schema on its databases: a verdict for each. Pairs whose worker
    /// dies are run once more, each alone; one that kills its worker again is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub(crate) fn run(
        &self,
        suite: &SchemaSuite,
        semantics: &Semantics,
        pairs: &[&RunPair],
        options: RunOptions,
    ) -> io::Result<Vec<RunVerdict>> {
        if let Some(verdicts) = self.run_together(suite, semantics, pairs, options)? {
            return Ok(verdicts);
        }
        let alone = |pair: &&RunPair| -> io::Result<RunVerdict> {
            let verdict = self
                .run_together(suite, semantics, std::slice::from_ref(pair), options)?
                .and_then(|v| v.into_iter().next());
            Ok(verdict.unwrap_or_else(|| RunVerdict::from(VerdictBy::Timeout { side: Side::Pred })))
        };
        pairs.iter().map(alone).collect()
    }

    fn run_together(
        &self,
        suite: &SchemaSuite,
        semantics: &Semantics,
        pairs: &[&RunPair],
        options: RunOptions,
    ) -> io::Result<Option<Vec<RunVerdict>>> {
        let text = |p: &&RunPair| (p.gold.to_string(), p.pred.to_string());
        let answer: Option<Vec<RunVerdict>> = self.ask(&|worker| {
            worker.supply(suite)?;
            worker.process.ask(&Request::Piece {
                semantics: semantics.clone(),
                options,
                pairs: pairs.iter().map(text).collect(),
            })
        })?;
        Ok(answer.filter(|verdicts| verdicts.len() == pairs.len()))
    }

    /// Has a worker do something; none if a fresh one dies of it.
    ///
    /// # Errors
    /// No process can be started, or it ends before it works.
    fn ask<R>(&self, work: &dyn Fn(&mut Worker) -> io::Result<R>) -> io::Result<Option<R>> {
        // One that has done other work may die of what this left behind.
        for fresh in [false, true] {
            let idle = if fresh { None } else { self.take() };
            let used = idle.is_some();
            let mut worker = match idle {
                Some(worker) => worker,
                None => Worker::start(&self.program, self.patience)?,
            };
            if let Ok(answer) = work(&mut worker) {
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                return Ok(Some(answer));
            }
            if !used {
                if !worker.process.greets() {
                    return Err(io::Error::other("it ended, or is no worker, before any work was done"));
                }
                break;
            }
        }
        Ok(None)
    }

    fn take(&self) -> Option<Worker> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// Schemas that a worker is told of before it is told to forget them all: pairs may each bring
/// their own.
const MOST_SCHEMAS: usize = 512;

/// A process and what it has been told last.
struct Worker {
    process: Process,
    /// Its settings as they were sent, by their kind.
    settings: HashMap<Discriminant<Request>, String>,
    /// The numbers of schemas, by address.
    schemas: HashMap<usize, usize>,
    /// Held, so that their addresses are not used again.
    kept: Vec<Arc<Schema>>,
    /// The profiles of schemas that it knows, by the schemas' numbers.
    profiles: HashMap<usize, Arc<Profile>>,
    /// The schema whose databases it holds, by `db_id`; those of one suite.
    databases: Option<String>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    fn start(program: &Program, patience: Duration) -> io::Result<Worker> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments);
        // Ctrl-C is for the process that asks: a worker that died of it would cost a pair.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(Worker {
            process: Process::start(command, patience)?,
            settings: HashMap::new(),
            schemas: HashMap::new(),
            kept: Vec::new(),
            profiles: HashMap::new(),
            databases: None,
        })
    }

    /// Tells the worker a setting of the pairs that follow, unless it was told the same last.
    fn set(&mut self, setting: &Request) -> io::Result<()> {
        let line = serde_json::to_string(setting)?;
        let known = self.settings.entry(discriminant(setting)).or_default();
        if *known != line {
            self.process.send_line(&line)?;
            *known = line;
        }
        Ok(())
    }

    /// The number of a schema that the worker knows now.
    fn introduced(&mut self, schema: &Arc<Schema>) -> io::Result<usize> {
        if self.schemas.len() >= MOST_SCHEMAS && !self.schemas.contains_key(&(Arc::as_ptr(schema) as usize)) {
            self.process.send(&Request::Forget)?;
            self.schemas.clear();
            self.kept.clear();
            self.profiles.clear();
        }
        let new = self.schemas.len();
        let id = *self.schemas.entry(Arc::as_ptr(schema) as usize).or_insert(new);
        if id == new {
            self.kept.push(Arc::clone(schema));
            self.process.send(&Request::Schema(id, Schema::clone(schema)))?;
        }
        Ok(id)
    }

    /// The number of a schema whose pairs the worker judges so, following the profile.
    fn prepared(
        &mut self,
        config: &JudgeConfig,
        schema: &Arc<Schema>,
        profile: Option<&Arc<Profile>>,
    ) -> io::Result<usize> {
        self.set(&Request::Judging(Box::new(config.clone())))?;
        let schema = self.introduced(schema)?;
        if let Some(profile) = profile
            && !self.profiles.get(&schema).is_some_and(|known| Arc::ptr_eq(known, profile))
        {
            self.process.send(&Request::Profile(schema, Box::new(Profile::clone(profile))))?;
            self.profiles.insert(schema, Arc::clone(profile));
        }
        Ok(schema)
    }

    /// Lets the worker hold the databases of this schema.
    fn supply(&mut self, suite: &SchemaSuite) -> io::Result<()> {
        let db_id = &suite.schema.db_id;
        if self.databases.as_ref() != Some(db_id) {
            // What is said of the golds is not needed to run others' predictions.
            let line = write_line(&suite.schema, &suite.databases, &[], suite.tried)?;
            self.process.send(&Request::Databases(line))?;
            self.databases = Some(db_id.clone());
        }
        Ok(())
    }
}

/// A running worker and the thread that ends it when it takes too long.
struct Process {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// A request has begun (true) or is done.
    watch: Option<Sender<bool>>,
    watcher: Option<JoinHandle<()>>,
    /// Whether it said what a worker says first; none before that was read.
    greeted: Option<bool>,
}

impl Process {
    fn start(mut command: Command, patience: Duration) -> io::Result<Process> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("a worker has no pipes"))?;
        let child = Arc::new(Mutex::new(child));
        let (watch, events) = channel();
        let watched = Arc::clone(&child);
        let watcher = std::thread::spawn(move || watch_over(&watched, &events, patience));
        Ok(Process {
            child,
            input: Some(input),
            output: BufReader::new(output),
            watch: Some(watch),
            watcher: Some(watcher),
            greeted: None,
        })
    }

    fn send(&mut self, request: &Request) -> io::Result<()> {
        self.send_line(&serde_json::to_string(request)?)
    }

    fn send_line(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(|| io::Error::other("the worker is closed"))?;
        input.write_all(&[line.as_bytes(), b"\n"].concat())?;
        input.flush()
    }

    fn ask<R: DeserializeOwned>(&mut self, request: &Request) -> io::Result<R> {
        self.signal(true);
        let answer = self.send(request).and_then(|()| {
            if !self.greets() {
                return Err(io::Error::other("no worker"));
            }
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            Ok(serde_json::from_str(&line)?)
        });
        self.signal(false);
        answer
    }

    /// True if its first line is a worker's.
    fn greets(&mut self) -> bool {
        if self.greeted.is_none() {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).is_ok();
            let greeting = serde_json::from_str::<String>(&line).is_ok_and(|said| said == GREETING);
            self.greeted = Some(read && greeting);
        }
        self.greeted == Some(true)
    }

    fn signal(&self, begun: bool) {
        if let Some(watch) = &self.watch {
            // The watcher ends after it has killed the worker.
            let _ = watch.send(begun);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A worker ends with its input. One that does not read any more is killed.
        self.watch = None;
        self.input = None;
        if let Ok(mut child) = self.child.lock() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
    }
}

fn watch_over(child: &Mutex<Child>, events: &Receiver<bool>, patience: Duration) {
    while let Ok(begun) = events.recv() {
        if !begun {
            continue;
        }
        match events.recv_timeout(patience) {
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return;
            }
        }
    }
}
