//! What a run will cost, found by steps that are thrown away.

use std::time::{Duration, Instant};

use crate::{
    adam::Stride,
    backend::{Backend, Lesson},
};

/// What an epoch will cost.
#[derive(Debug, Clone, Copy)]
pub struct Rehearsal {
    /// The steps of one epoch.
    pub epoch: Duration,
    /// Bytes that the process has had in memory at most, after the largest batch; none where the system does not say. A
    /// GPU's memory is not counted: a batch that is too large for it ends the run here.
    pub memory: Option<u64>,
}

/// Takes steps over the largest batch and over two of middle size, the second of which is timed. `batch` makes a lesson of a
/// batch, `sizes` says how large each is.
pub(crate) fn rehearse<B: Backend>(
    backend: &B,
    learner: &mut B::Learner,
    sizes: &[usize],
    stride: &Stride,
    batch: impl Fn(usize) -> Lesson,
) -> Option<Rehearsal> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&place| sizes.get(place));
    let (largest, middle) = (*order.last()?, *order.get(order.len() / 2)?);
    let mut step = |place| {
        let began = Instant::now();
        backend.step(learner, backend.batch(batch(place)), stride);
        // Waits for the device.
        backend.said(learner);
        began.elapsed()
    };
    step(largest);
    step(middle);
    let each = step(middle);
    Some(Rehearsal { epoch: each.mul_f64(sizes.len() as f64), memory: peak_memory() })
}

/// The most bytes that this process has had in memory, where the system says so.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
