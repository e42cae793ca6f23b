//! Threads that work while Python goes on, and what comes of panics and forks.
//!
//! Pools are made once for each number of threads and serve everybody who asks for it. A process that was forked has
//! none of its parent's threads, so that each pool notes the process it was made in; in another one a new pool takes
//! its place and the old one is left alone. Locks of this module are held only with Python's lock and never across
//! work, so that no fork meets a held one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{ArgumentError, InternalError};

/// Threads share a machine; this many are a mistake.
const MOST_THREADS: usize = 1024;
/// Queries and schemas are nested input: as deep as the program's own threads.
const STACK: usize = 32 << 20;
/// How often a waiting thread looks for signals: Ctrl-C is answered this soon.
const GLANCE: Duration = Duration::from_millis(40);

/// What belongs to one process. In a forked child it is neither used nor dropped: its threads are gone, and its
/// child processes are not the child's own.
pub(crate) struct OfProcess<T> {
    process: u32,
    /// Taken only when it is dropped.
    value: Option<T>,
}

impl<T> OfProcess<T> {
    /// Of the process that runs.
    pub(crate) fn new(value: T) -> OfProcess<T> {
        OfProcess { process: std::process::id(), value: Some(value) }
    }

    /// The value; none in another process than its own.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.process == std::process::id())
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.take());
        }
    }
}

/// A pool, and the number of threads that was asked for.
type Asked = (Option<usize>, OfProcess<Arc<ThreadPool>>);

static POOLS: Mutex<Vec<Asked>> = Mutex::new(Vec::new());

/// The pool of so many threads; without a number, of one for each core that this process may use.
///
/// # Errors
/// The number is none, or the system does not start that many.
pub(crate) fn pool(_: Python<'_>, threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    match threads {
        Some(0) => return Err(ArgumentError::new_err("threads must be at least 1")),
        Some(n) if n > MOST_THREADS => {
            return Err(ArgumentError::new_err(format!("threads={n}: must be at most {MOST_THREADS}")));
        }
        _ => {}
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pools.iter().find_map(|(n, pool)| if *n == threads { pool.get() } else { None });
    if let Some(pool) = known {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .stack_size(STACK)
        .thread_name(|n| format!("twinql-{n}"))
        .build()
        .map_err(|e| ArgumentError::new_err(format!("threads cannot be started: {e}")))?;
    let pool = Arc::new(pool);
    pools.retain(|(n, _)| *n != threads);
    pools.push((threads, OfProcess::new(Arc::clone(&pool))));
    Ok(pool)
}

/// What a panic said.
pub(crate) fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a bug of twinql, please report it with the input: {}", text.unwrap_or_default())
}

/// Calls `work`, and turns a panic into the text of an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves half done is dropped, or belongs to nobody else.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| said(&*panic))
}

/// Work that a pool does.
pub(crate) struct Ticket<T>(Mutex<Receiver<Result<T, String>>>);

impl<T: Send + 'static> Ticket<T> {
    /// Has `pool` do it.
    pub(crate) fn start(pool: &ThreadPool, work: impl FnOnce() -> T + Send + 'static) -> Ticket<T> {
        let (done, result) = sync_channel(1);
        pool.spawn(move || {
            // Nobody may be waiting any more.
            let _ = done.send(guarded(work));
        });
        Ticket(Mutex::new(result))
    }

    /// Waits for it without Python's lock. Signals are handled meanwhile: Ctrl-C leaves the work to itself.
    ///
    /// # Errors
    /// A signal's handler raised, or the work panicked.
    pub(crate) fn wait(&self, py: Python<'_>) -> PyResult<T> {
        let glance = || self.0.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(GLANCE);
        loop {
            match py.detach(glance) {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(panic)) => return Err(InternalError::new_err(panic)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(InternalError::new_err("a thread of twinql ended early"));
                }
            }
        }
    }
}

/// Does work of one call on a deep stack, without Python's lock.
///
/// # Errors
/// No thread can be started, or the work panicked.
pub(crate) fn deep<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|threads| {
            let thread =
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(threads, || guarded(work));
            let thread = thread.map_err(|e| format!("a thread cannot be started: {e}"))?;
            thread.join().unwrap_or_else(|panic| Err(said(&*panic)))
        })
    })
    .map_err(InternalError::new_err)
}
