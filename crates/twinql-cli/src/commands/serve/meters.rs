//! What the server counts, in the text format that Prometheus reads.

use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use twinql::record::Record;

/// Labels of requests. Paths are the server's own, never a client's: each new one would be a new series.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    path: String,
    status: u16,
}

/// Labels of durations, without statuses, as a histogram is many series.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    path: String,
}

/// Labels of pairs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    status: Name,
}

/// A status by its name in files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name(&'static str);

impl EncodeLabelValue for Name {
    fn encode(
        &self,
        encoder: &mut prometheus_client::encoding::LabelValueEncoder<'_>,
    ) -> Result<(), std::fmt::Error> {
        self.0.encode(encoder)
    }
}

/// Seconds up to which requests are counted together.
const BOUNDS: [f64; 13] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0, 30.0];

/// All counts.
pub(super) struct Meters {
    /// Writes all of them.
    registry: Registry,
    /// Answered requests.
    requests: Family<Answered, Counter>,
    /// How long they took.
    seconds: Family<Of, Histogram>,
    /// Requests that are not answered yet.
    at_work: Gauge,
    /// Scored pairs.
    pairs: Family<Ended, Counter>,
}

/// A request that is not answered yet.
pub(super) struct AtWork(Gauge);

impl Drop for AtWork {
    /// Also where the client goes away and the answer is never made.
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Default for Meters {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("twinql");
        let requests = Family::default();
        let seconds = Family::new_with_constructor((|| Histogram::new(BOUNDS)) as fn() -> Histogram);
        let at_work = Gauge::default();
        let pairs = Family::default();
        registry.register("requests", "Requests by path and status", requests.clone());
        registry.register_with_unit(
            "request_duration",
            "From a request to its answer",
            Unit::Seconds,
            seconds.clone(),
        );
        registry.register("requests_at_work", "Requests that are not answered yet", at_work.clone());
        registry.register("pairs", "Scored pairs by status", pairs.clone());
        Meters { registry, requests, seconds, at_work, pairs }
    }
}

impl Meters {
    /// A request has come.
    pub(super) fn begins(&self) -> AtWork {
        self.at_work.inc();
        AtWork(self.at_work.clone())
    }

    /// A request was answered.
    pub(super) fn ended(&self, path: &str, status: u16, took: Duration) {
        self.requests.get_or_create(&Answered { path: path.to_owned(), status }).inc();
        self.seconds.get_or_create(&Of { path: path.to_owned() }).observe(took.as_secs_f64());
    }

    /// Pairs were scored.
    pub(super) fn scored(&self, records: &[Record]) {
        for record in records {
            self.pairs.get_or_create(&Ended { status: Name(record.status.name()) }).inc();
        }
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // A String takes whatever is written.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
