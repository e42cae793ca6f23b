//! Who may come in: so many requests are worked on at a time, so many wait, and more are sent away at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::Refused;

/// Counts places.
#[derive(Debug)]
pub(super) struct Gate {
    /// Places of requests that are worked on or wait.
    inside: Arc<Semaphore>,
    /// Places of those that are worked on.
    working: Arc<Semaphore>,
    /// The number of places at work.
    at_once: usize,
    /// How long a request may take, waiting included.
    limit: Duration,
}

/// A place at work. It is held by the work, not by who waits for it: what outlasts its request still takes a core.
pub(super) struct Place {
    _inside: OwnedSemaphorePermit,
    _working: OwnedSemaphorePermit,
}

impl Gate {
    /// A gate with so many places at work, and so many to wait at.
    pub(super) fn new(at_once: usize, waiting: usize, limit: Duration) -> Gate {
        // A semaphore has a largest size.
        let inside = at_once.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        Gate {
            inside: Arc::new(Semaphore::new(inside)),
            working: Arc::new(Semaphore::new(at_once)),
            at_once,
            limit,
        }
    }

    /// Requests that are worked on at a time.
    pub(super) fn at_once(&self) -> usize {
        self.at_once
    }

    /// How long a request may take.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// A place at work, once there is one.
    ///
    /// # Errors
    /// As many requests wait as may.
    pub(super) async fn enter(&self) -> Result<Place, Refused> {
        let inside = Arc::clone(&self.inside).try_acquire_owned().map_err(|_| Refused::overloaded())?;
        let working = Arc::clone(&self.working).acquire_owned().await.map_err(|_| Refused::closing())?;
        Ok(Place { _inside: inside, _working: working })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn one_works_one_waits_and_one_is_sent_away() {
        let gate = Arc::new(Gate::new(1, 1, Duration::from_secs(1)));
        let first = gate.enter().await.unwrap();
        let waiting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.enter().await.is_ok() }
        });
        tokio::task::yield_now().await;
        assert_eq!(gate.enter().await.err(), Some(Refused::overloaded()));
        drop(first);
        assert!(waiting.await.unwrap());
        assert!(gate.enter().await.is_ok());
    }
}
