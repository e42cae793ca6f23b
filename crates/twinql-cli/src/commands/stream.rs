//! Pairs through a window: read, worked on in parallel, and handed on in their order as they come.
//! What is in memory at a time does not depend on how many pairs there are.
//!
//! Three parts run at once. A thread reads items; another cuts them into blocks and gives them to the pool;
//! the calling thread puts results back into order and hands them on. A block is begun only if fewer than
//! [`Window::ahead`] wait to be handed on, so that one slow pair holds the others back and not the memory.
//! Whoever stops, at an error or since nobody reads any more, tells the others by a flag, and gives no more slots.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel};
use std::time::Duration;

use anyhow::{Context as _, Result};
use twinql::Job;
use twinql::judging::Workers;

use crate::input::{About, Item, Items, Pairs};
use crate::output::Console;

/// How many pairs are worked on together, and how many such blocks at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Pairs of the largest block. What they share is computed once in it.
    pub(super) block: usize,
    /// Blocks between the one that is handed on next and the last one that is begun.
    pub(super) ahead: usize,
}

impl Window {
    /// For work that gains from many pairs at once: graphs of equal queries, batches of a network.
    pub(super) const BATCHES: Window = Window { block: 2048, ahead: 2 };
    /// For pairs of which each may take long.
    pub(super) const SMALL_BATCHES: Window = Window { block: 64, ahead: 16 };
    /// For pairs that have nothing in common: as few as handing them on costs little.
    pub(super) const PAIRS: Window = Window { block: 16, ahead: 64 };

    /// For pairs that the suite judges: a process keeps what it has made for a schema, a thread does so for a block.
    pub(super) fn of(workers: &Workers) -> Window {
        match workers {
            Workers::Processes(_) => Window::PAIRS,
            Workers::Threads => Window::SMALL_BATCHES,
        }
    }
}

/// The first block, so that results appear soon; the next ones are twice as large each.
const FIRST_BLOCK: usize = 128;
/// Items that are read ahead of the blocks.
const READ_AHEAD: usize = 1024;
/// How long a block waits for more items of a slow source.
const LINGER: Duration = Duration::from_millis(20);
/// How often a slow source is left to see whether to go on.
const GLANCE: Duration = Duration::from_millis(100);
/// Stack of the thread that reads: schemas are nested input.
const STACK: usize = 32 << 20;

/// Gives a result for each job of a block.
pub(super) type Work<'f, R> = dyn Fn(&[Job]) -> Vec<R> + Sync + 'f;
/// The same, by what else is known of each job too.
pub(super) type WorkAbout<'f, R> = dyn Fn(&[Job], &[About]) -> Vec<R> + Sync + 'f;
/// Takes a pair and its result; or nothing, where no more results wait: what there is may be shown.
/// Says whether to go on.
pub(super) type Take<'f, R> = dyn FnMut(Option<(Job, About, R)>) -> Result<bool> + 'f;

/// Items that belong together.
#[derive(Default)]
struct Block {
    /// What is worked on.
    jobs: Vec<Job>,
    /// What else is known of each job, in the same order.
    about: Vec<About>,
}

/// What became of a block: its number, itself, and its results or the panic that ended it.
type Done<R> = (usize, Block, std::thread::Result<Vec<R>>);

/// Works on all pairs; results come in the order of the pairs.
pub(super) fn stream<R: Send>(
    pairs: Pairs,
    window: Window,
    doing: &'static str,
    console: Console,
    work: &Work<'_, R>,
    take: &mut Take<'_, R>,
) -> Result<()> {
    stream_about(pairs, window, doing, console, &|jobs, _| work(jobs), take)
}

/// The same, where the work sees what is known of each job.
pub(super) fn stream_about<R: Send>(
    pairs: Pairs,
    window: Window,
    doing: &'static str,
    console: Console,
    work: &WorkAbout<'_, R>,
    take: &mut Take<'_, R>,
) -> Result<()> {
    let bar = console.bar(pairs.count.map(|n| n as u64), doing);
    let stop = AtomicBool::new(false);
    // A block may be begun for each that has been handed on, and some ahead of them.
    let (give, slots) = channel();
    for _ in 0..window.ahead {
        give.send(())?;
    }
    let (done, results) = channel::<Done<R>>();
    // It may wait for input that never comes: nobody waits for it.
    let source = read(pairs.items)?;
    let outcome = std::thread::scope(|threads| {
        let (stop, bar) = (&stop, &bar);
        let dispatcher = threads.spawn(move || {
            dispatch(&source, window, &slots, stop, &done, &|block| {
                let results = work(&block.jobs, &block.about);
                bar.inc(block.jobs.len() as u64);
                results
            })
        });
        let taken = hand_on(&results, give, stop, take);
        // After an error there may be blocks that nobody takes.
        stop.store(true, Ordering::Relaxed);
        let read = dispatcher.join().unwrap_or_else(|panic| resume_unwind(panic));
        taken.and(read)
    });
    bar.finish_and_clear();
    outcome
}

/// Reads items in a thread of its own.
fn read(items: Items) -> Result<Receiver<Result<Item>>> {
    let (to, from) = sync_channel(READ_AHEAD);
    let reader = move || {
        for item in items {
            // After an error the source is in no known state.
            let last = item.is_err();
            if to.send(item.map_err(Into::into)).is_err() || last {
                break;
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(reader)
        .context("no thread can be started to read the input")?;
    Ok(from)
}

/// Begins blocks as slots become free, until the input ends.
fn dispatch<R: Send>(
    source: &Receiver<Result<Item>>,
    window: Window,
    slots: &Receiver<()>,
    stop: &AtomicBool,
    done: &Sender<Done<R>>,
    work: &(dyn Fn(&Block) -> Vec<R> + Sync),
) -> Result<()> {
    let mut size = FIRST_BLOCK.min(window.block);
    rayon::in_place_scope(|scope| {
        for number in 0.. {
            if slots.recv().is_err() || stop.load(Ordering::Relaxed) {
                break;
            }
            let (block, end) = next_block(source, size, stop);
            size = (size * 2).min(window.block);
            if !block.jobs.is_empty() {
                let done = done.clone();
                scope.spawn(move |_| {
                    let results = match stop.load(Ordering::Relaxed) {
                        true => Ok(Vec::new()),
                        false => catch_unwind(AssertUnwindSafe(|| work(&block))),
                    };
                    // Nobody listens after an error.
                    let _ = done.send((number, block, results));
                });
            }
            // The blocks that are begun are worked on all the same.
            match end {
                None => {}
                Some(result) => return result,
            }
        }
        Ok(())
    })
}

/// At most `size` items; with what ends the input, if it ends here.
fn next_block(
    source: &Receiver<Result<Item>>,
    size: usize,
    stop: &AtomicBool,
) -> (Block, Option<Result<()>>) {
    let mut block = Block::default();
    while block.jobs.len() < size {
        // A block with items in it does not wait long: someone may type them one by one.
        let wait = if block.jobs.is_empty() { GLANCE } else { LINGER };
        match source.recv_timeout(wait) {
            Ok(Ok(item)) => {
                block.jobs.push(item.job);
                block.about.push(item.about);
            }
            Ok(Err(error)) => return (block, Some(Err(error))),
            Err(RecvTimeoutError::Disconnected) => return (block, Some(Ok(()))),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => return (block, Some(Ok(()))),
            Err(RecvTimeoutError::Timeout) if block.jobs.is_empty() => {}
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    (block, None)
}

/// Hands results on in order.
fn hand_on<R>(
    results: &Receiver<Done<R>>,
    slots: Sender<()>,
    stop: &AtomicBool,
    take: &mut Take<'_, R>,
) -> Result<()> {
    let mut waiting: BTreeMap<usize, (Block, std::thread::Result<Vec<R>>)> = BTreeMap::new();
    let mut next = 0;
    let mut go_on = true;
    loop {
        let done = match results.try_recv() {
            Err(TryRecvError::Empty) => {
                go_on = go_on && take(None)?;
                stop.fetch_or(!go_on, Ordering::Relaxed);
                results.recv().ok()
            }
            done => done.ok(),
        };
        let Some((number, block, result)) = done else { break };
        waiting.insert(number, (block, result));
        while let Some((block, result)) = waiting.remove(&next) {
            next += 1;
            // All blocks may have begun.
            let _ = slots.send(());
            let results = result.unwrap_or_else(|panic| {
                stop.store(true, Ordering::Relaxed);
                resume_unwind(panic)
            });
            for ((job, about), result) in block.jobs.into_iter().zip(block.about).zip(results) {
                if !go_on {
                    break;
                }
                go_on = take(Some((job, about, result)))?;
            }
            stop.fetch_or(!go_on, Ordering::Relaxed);
        }
    }
    if go_on {
        take(None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use serde_json::Value;
    use std::sync::atomic::AtomicUsize;
    use twinql::Work as Kind;
    use twinql::input::InputError;
    use twinql::record::Status;

    const QUIET: Console = Console { quiet: true };

    fn item(number: usize) -> Item {
        Item {
            job: Job::new(
                Value::from(number),
                Kind::Unusable { status: Status::GoldError, error: String::new(), alike: false },
            ),
            about: About::default(),
        }
    }

    fn pairs(items: impl Iterator<Item = Result<Item, InputError>> + Send + 'static) -> Pairs {
        Pairs::of(Box::new(items), None)
    }

    fn number(job: &Job) -> usize {
        job.id.as_u64().unwrap() as usize
    }

    #[test]
    fn results_come_in_order_and_the_window_is_bounded() {
        let window = Window { block: 4, ahead: 8 };
        let (read, taken) = (std::sync::Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        let counter = std::sync::Arc::clone(&read);
        let source = (0..5000).map(move |n| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(item(n))
        });
        let work = |jobs: &[Job]| {
            // Not faster for those that come first.
            if number(&jobs[0]).is_multiple_of(3) {
                std::thread::sleep(Duration::from_millis(1));
            }
            jobs.iter().map(|job| number(job) * 2).collect()
        };
        let mut all = Vec::new();
        stream(pairs(source), window, "testing", QUIET, &work, &mut |done| {
            if let Some((job, _, result)) = done {
                assert_eq!(number(&job) * 2, result);
                all.push(result / 2);
                let taken = taken.fetch_add(1, Ordering::Relaxed);
                let between = read.load(Ordering::Relaxed) - taken;
                assert!(between <= READ_AHEAD + 4 * 10, "{between} are in memory");
            }
            Ok(true)
        })
        .unwrap();
        assert!(all.iter().copied().eq(0..5000));
    }

    #[test]
    fn an_error_of_either_end_comes_through() {
        let work = |jobs: &[Job]| jobs.iter().map(number).collect::<Vec<_>>();
        let broken =
            (0..300).map(|n| if n == 299 { Err(InputError::Database("torn".into())) } else { Ok(item(n)) });
        let mut seen = 0;
        let error = stream(pairs(broken), Window::PAIRS, "testing", QUIET, &work, &mut |done| {
            seen += usize::from(done.is_some());
            Ok(true)
        });
        assert_eq!((error.unwrap_err().to_string().as_str(), seen), ("torn", 299));
        for endless in [true, false] {
            let last = if endless { usize::MAX } else { 200 };
            let source = (0..last).map(|n| Ok(item(n)));
            let error =
                stream(
                    pairs(source),
                    Window::SMALL_BATCHES,
                    "testing",
                    QUIET,
                    &work,
                    &mut |done| match done {
                        Some((job, ..)) if number(&job) == 150 => bail!("full"),
                        _ => Ok(true),
                    },
                );
            assert_eq!(error.unwrap_err().to_string(), "full");
        }
    }

    #[test]
    fn it_ends_when_nobody_reads_any_more() {
        let work = |jobs: &[Job]| jobs.iter().map(number).collect::<Vec<_>>();
        let mut seen = 0;
        let endless = (0..).map(|n| Ok(item(n)));
        stream(pairs(endless), Window::PAIRS, "testing", QUIET, &work, &mut |done| {
            seen += usize::from(done.is_some());
            Ok(seen < 100)
        })
        .unwrap();
        assert_eq!(seen, 100);
    }

    #[test]
    #[should_panic(expected = "a pair too many")]
    fn a_panic_is_not_waited_for() {
        let work = |jobs: &[Job]| {
            if jobs.iter().any(|job| number(job) == 500) {
                panic!("a pair too many");
            }
            jobs.iter().map(number).collect::<Vec<_>>()
        };
        let source = (0..100_000).map(|n| Ok(item(n)));
        let _ = stream(pairs(source), Window::PAIRS, "testing", QUIET, &work, &mut |_| Ok(true));
    }
}
