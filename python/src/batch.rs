//! Pairs through a pool, block by block: what of them is in memory at a time is bounded but for the results.
//!
//! While the pool works on blocks, Python's thread takes the next pairs and hands results on. Between blocks and while
//! it waits it looks for signals, so that Ctrl-C ends a call within moments. A block that panics is done again pair by
//! pair: the pair whose fault it is says so, and no other is lost.

use std::collections::VecDeque;
use std::sync::Arc;

use pyo3::prelude::*;
use rayon::ThreadPool;
use twinql::Job;

use crate::pairs::{Extra, Pairs, Read};
use crate::runtime::{Ticket, guarded};

/// How many pairs are worked on together, and how many such blocks at a time.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    block: usize,
    ahead: usize,
}

impl Window {
    /// For work that gains from many pairs at once: graphs of equal queries, batches of a network.
    pub(crate) const BATCHES: Window = Window { block: 2048, ahead: 2 };
    /// For pairs of which each may take long.
    pub(crate) const SMALL_BATCHES: Window = Window { block: 64, ahead: 8 };
}

/// The first block, so that progress shows soon; the next ones are twice as large each.
const FIRST_BLOCK: usize = 128;

/// Does something with jobs: a result for each, in order.
type Work<T> = dyn Fn(&[Job]) -> Vec<T> + Send + Sync;
/// The result of a job of which the work panicked, and with which words.
type Failed<T> = dyn Fn(&Job, String) -> T + Send + Sync;

/// What is done with pairs.
pub(crate) struct Task<T> {
    pub(crate) work: Box<Work<T>>,
    pub(crate) failed: Box<Failed<T>>,
    pub(crate) window: Window,
}

impl<T> Task<T> {
    /// The results of a block, whatever happens.
    pub(crate) fn run(&self, jobs: &[Job]) -> Vec<T> {
        let complete = |results: &Vec<T>| results.len() == jobs.len();
        if let Some(results) = guarded(|| (self.work)(jobs)).ok().filter(complete) {
            return results;
        }
        let alone = |job: &Job| {
            let result = guarded(|| (self.work)(std::slice::from_ref(job)).pop());
            match result {
                Ok(Some(result)) => result,
                Ok(None) => (self.failed)(job, "a bug of twinql: no result".into()),
                Err(panic) => (self.failed)(job, panic),
            }
        };
        jobs.iter().map(alone).collect()
    }
}

/// Shows how far a call has come.
pub(crate) struct Bar<'py>(Option<Bound<'py, PyAny>>);

impl<'py> Bar<'py> {
    /// The bar that an argument `progress` asks for; none where it is false, or where there is no tqdm.
    pub(crate) fn new(
        progress: Option<&Bound<'py, PyAny>>,
        count: Option<usize>,
        doing: &str,
    ) -> PyResult<Bar<'py>> {
        let Some(progress) = progress else { return Ok(Bar(None)) };
        let bar =
            progress.py().import("twinql._progress")?.getattr("bar")?.call1((progress, count, doing))?;
        Ok(Bar((!bar.is_none()).then_some(bar)))
    }

    fn add(&self, n: usize) -> PyResult<()> {
        match &self.0 {
            Some(bar) => bar.call_method1("update", (n,)).map(drop),
            None => Ok(()),
        }
    }

    fn close(&self) -> PyResult<()> {
        match &self.0 {
            Some(bar) => bar.call_method0("close").map(drop),
            None => Ok(()),
        }
    }
}

/// Takes a pair and its result.
pub(crate) type Take<'f, T> = dyn FnMut(Job, Extra, T) -> PyResult<()> + 'f;

/// Works on all pairs; results come in the order of the pairs.
///
/// # Errors
/// The input ends with one, a signal's handler raised, or `take` did.
pub(crate) fn stream<T: Send + 'static>(
    py: Python<'_>,
    pool: &ThreadPool,
    mut pairs: Pairs,
    task: &Arc<Task<T>>,
    bar: &Bar<'_>,
    take: &mut Take<'_, T>,
) -> PyResult<()> {
    let outcome = run(py, pool, &mut pairs, task, bar, take);
    outcome.and(bar.close())
}

fn run<T: Send + 'static>(
    py: Python<'_>,
    pool: &ThreadPool,
    pairs: &mut Pairs,
    task: &Arc<Task<T>>,
    bar: &Bar<'_>,
    take: &mut Take<'_, T>,
) -> PyResult<()> {
    let window = task.window;
    let mut size = FIRST_BLOCK.min(window.block);
    let mut running: VecDeque<Ticket<(Read, Vec<T>)>> = VecDeque::new();
    let mut more = true;
    while more || !running.is_empty() {
        while more && running.len() < window.ahead {
            let Some(block) = pairs.next_block(py, pool, size)? else {
                more = false;
                break;
            };
            size = (size * 2).min(window.block);
            let (reader, task) = (pairs.reader(&block), Arc::clone(task));
            running.push_back(Ticket::start(pool, move || {
                let read = reader.read(block);
                let results = task.run(&read.0);
                (read, results)
            }));
            py.check_signals()?;
        }
        let Some(next) = running.pop_front() else { break };
        let (read, results) = next.wait(py)?;
        pairs.remember(py, &read);
        let done = results.len();
        let (jobs, extras) = read;
        for ((job, extra), result) in jobs.into_iter().zip(extras).zip(results) {
            take(job, extra, result)?;
        }
        bar.add(done)?;
    }
    Ok(())
}
