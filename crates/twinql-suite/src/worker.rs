//! Judging in another process, so that whatever a text does to it costs one pair.
//!
//! What a thread can hold back, the sandbox holds back: steps, rows, bytes, SQLite's memory.
//! A thread cannot be ended while it is inside one long call, cannot be bounded in the memory
//! that parsing takes, and takes the whole process along if its stack runs out. A worker is
//! a process that judges one pair after another, one JSON object a line on its standard
//! input and output. If it dies or goes beyond its time, the pair it was at has the verdict
//! `timeout`, and a new one goes on with the next pair.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use twinql_sql::{Schema, Value};

use crate::judge::{Judge, JudgeConfig, Report, Side, Verdict, Witness};

/// What a worker is told.
#[derive(Debug, Serialize, Deserialize)]
enum Request {
    /// First of all: how to judge.
    Config(JudgeConfig),
    /// The schema of the pairs that name this number.
    Schema(usize, Schema),
    /// Judge this.
    Pair {
        schema: usize,
        gold: String,
        pred: String,
    },
}

/// What a worker answers to a pair.
#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    verdict: WireVerdict,
    notes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
enum WireVerdict {
    /// Every verdict without values.
    Plain(Verdict),
    Different {
        index: u64,
        statements: String,
        gold: (usize, Vec<Vec<WireValue>>),
        pred: (usize, Vec<Vec<WireValue>>),
    },
}

/// JSON has no infinite numbers.
#[derive(Debug, Serialize, Deserialize)]
enum WireValue {
    N,
    I(i64),
    /// The bits of a real.
    R(u64),
    T(String),
    B(Vec<u8>),
}

impl From<Value> for WireValue {
    fn from(value: Value) -> WireValue {
        match value {
            Value::Null => WireValue::N,
            Value::Integer(i) => WireValue::I(i),
            Value::Real(r) => WireValue::R(r.0.to_bits()),
            Value::Text(s) => WireValue::T(s),
            Value::Blob(b) => WireValue::B(b),
        }
    }
}

impl From<WireValue> for Value {
    fn from(value: WireValue) -> Value {
        match value {
            WireValue::N => Value::Null,
            WireValue::I(i) => Value::Integer(i),
            WireValue::R(bits) => Value::Real(f64::from_bits(bits).into()),
            WireValue::T(s) => Value::Text(s),
            WireValue::B(b) => Value::Blob(b),
        }
    }
}

fn convert<A, B: From<A>>(rows: Vec<Vec<A>>) -> Vec<Vec<B>> {
    rows.into_iter()
        .map(|row| row.into_iter().map(B::from).collect())
        .collect()
}

impl From<Report> for Reply {
    fn from(report: Report) -> Reply {
        let verdict = match report.verdict {
            Verdict::Different { witness: w } => WireVerdict::Different {
                index: w.index,
                statements: w.statements,
                gold: (w.gold_width, convert(w.gold_rows)),
                pred: (w.pred_width, convert(w.pred_rows)),
            },
            other => WireVerdict::Plain(other),
        };
        Reply {
            verdict,
            notes: report.notes,
        }
    }
}

impl From<Reply> for Report {
    fn from(reply: Reply) -> Report {
        let verdict = match reply.verdict {
            WireVerdict::Plain(verdict) => verdict,
            WireVerdict::Different {
                index,
                statements,
                gold,
                pred,
            } => Verdict::Different {
                witness: Box::new(Witness {
                    index,
                    statements,
                    gold_width: gold.0,
                    pred_width: pred.0,
                    gold_rows: convert(gold.1),
                    pred_rows: convert(pred.1),
                }),
            },
        };
        Report {
            verdict,
            notes: reply.notes,
        }
    }
}

/// The life of a worker: answers requests until `input` ends. `before_pair` is called before
/// each pair, to renew limits that the operating system holds.
///
/// # Errors
/// A request that cannot be read, an answer that cannot be written.
pub fn serve(input: impl BufRead, mut output: impl Write, mut before_pair: impl FnMut()) -> io::Result<()> {
    let mut config = JudgeConfig::default();
    let mut schemas: HashMap<usize, Schema> = HashMap::new();
    // Judges of the schemas that were used last.
    let mut judges: HashMap<usize, Judge> = HashMap::new();
    for line in input.lines() {
        match serde_json::from_str(&line?)? {
            Request::Config(c) => config = c,
            Request::Schema(id, schema) => {
                schemas.insert(id, schema);
            }
            Request::Pair {
                schema: id,
                gold,
                pred,
            } => {
                before_pair();
                if judges.len() >= KEPT_JUDGES && !judges.contains_key(&id) {
                    judges.clear();
                }
                let judge = match judges.entry(id) {
                    std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
                    std::collections::hash_map::Entry::Vacant(entry) => {
                        let schema = schemas
                            .get(&id)
                            .ok_or_else(|| io::Error::other("a pair of an unknown schema"))?;
                        Judge::new(schema, config.clone()).map(|j| entry.insert(j))
                    }
                };
                let report = match judge {
                    Ok(judge) => judge.report(&gold, &pred),
                    Err(error) => Report::schema_error(&error),
                };
                serde_json::to_writer(&mut output, &Reply::from(report))?;
                output.write_all(b"\n")?;
                output.flush()?;
            }
        }
    }
    Ok(())
}

/// Judges that a worker keeps ready.
const KEPT_JUDGES: usize = 64;

/// A program that runs [`serve`] on its standard input and output.
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
    config: JudgeConfig,
    patience: Duration,
    idle: Mutex<Vec<Worker>>,
}

impl Crew {
    /// A crew with nobody in it. `patience` is the wall time that a pair may take at the
    /// very most, after which its worker is killed.
    pub fn new(program: Program, config: JudgeConfig, patience: Duration) -> Crew {
        Crew {
            program,
            config,
            patience,
            idle: Mutex::default(),
        }
    }

    /// How pairs are judged.
    pub fn config(&self) -> &JudgeConfig {
        &self.config
    }

    /// Judges a pair. The verdict is the one that a [`Judge`] in this process has, unless the
    /// worker dies of it: a pair that kills a fresh worker is a `timeout`.
    ///
    /// # Errors
    /// No process can be started.
    pub fn report(&self, schema: &Arc<Schema>, gold: &str, pred: &str) -> io::Result<Report> {
        // One that has judged other pairs may die of what these left behind.
        for fresh in [false, true] {
            let idle = if fresh { None } else { self.take() };
            let used = idle.is_some();
            let mut worker = match idle {
                Some(worker) => worker,
                None => Worker::start(&self.program, &self.config, self.patience)?,
            };
            if let Ok(report) = worker.ask(schema, gold, pred) {
                self.idle
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(worker);
                return Ok(report);
            }
            if !used {
                break;
            }
        }
        Ok(Report {
            verdict: Verdict::Timeout { side: Side::Pred },
            notes: vec!["the process that judged this pair died or was stopped".into()],
        })
    }

    fn take(&self) -> Option<Worker> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// A process and the schemas that it knows, by address.
struct Worker {
    process: Process,
    schemas: HashMap<usize, usize>,
    /// Held, so that their addresses are not used again.
    kept: Vec<Arc<Schema>>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    fn start(program: &Program, config: &JudgeConfig, patience: Duration) -> io::Result<Worker> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments);
        let mut process = Process::start(command, patience)?;
        process.send(&Request::Config(config.clone()))?;
        Ok(Worker {
            process,
            schemas: HashMap::new(),
            kept: Vec::new(),
        })
    }

    fn ask(&mut self, schema: &Arc<Schema>, gold: &str, pred: &str) -> io::Result<Report> {
        let new = self.schemas.len();
        let id = *self.schemas.entry(Arc::as_ptr(schema) as usize).or_insert(new);
        if id == new {
            self.kept.push(Arc::clone(schema));
            self.process.send(&Request::Schema(id, Schema::clone(schema)))?;
        }
        self.process.ask(&Request::Pair {
            schema: id,
            gold: gold.to_owned(),
            pred: pred.to_owned(),
        })
    }
}

/// A running worker and the thread that ends it when it takes too long.
struct Process {
    child: Arc<Mutex<Child>>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// A pair has begun (true) or is done.
    watch: Option<Sender<bool>>,
    watcher: Option<JoinHandle<()>>,
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
        })
    }

    fn send(&mut self, request: &Request) -> io::Result<()> {
        let input = self
            .input
            .as_mut()
            .ok_or_else(|| io::Error::other("the worker is closed"))?;
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        input.write_all(&line)?;
        input.flush()
    }

    fn ask(&mut self, request: &Request) -> io::Result<Report> {
        self.signal(true);
        let reply = self.send(request).and_then(|()| {
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            Ok(Report::from(serde_json::from_str::<Reply>(&line)?))
        });
        self.signal(false);
        reply
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
