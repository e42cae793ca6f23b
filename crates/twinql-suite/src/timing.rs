//! How long an execution has taken.

use std::time::{Duration, Instant};

/// When an execution began, on the clock of its thread's CPU time where the system has one: other
/// programs on a busy machine do not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    wall: Instant,
    cpu: Option<Duration>,
}

impl Moment {
    pub(crate) fn now() -> Moment {
        Moment { wall: Instant::now(), cpu: cpu() }
    }

    /// The time since then, on the same thread.
    pub(crate) fn elapsed(&self) -> Duration {
        match self.cpu.zip(cpu()) {
            Some((then, now)) => now.saturating_sub(then),
            None => self.wall.elapsed(),
        }
    }
}

#[cfg(unix)]
fn cpu() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanos = u64::try_from(time.tv_nsec).ok()?;
    Some(Duration::from_secs(seconds) + Duration::from_nanos(nanos))
}

#[cfg(not(unix))]
fn cpu() -> Option<Duration> {
    None
}
