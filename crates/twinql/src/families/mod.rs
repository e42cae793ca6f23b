//! What metrics of one kind share: how a batch is read, executed or asked for all of them.

pub(crate) mod cascade;
pub(crate) mod files;
pub(crate) mod partial;
pub(crate) mod plausible;
pub(crate) mod probing;
pub(crate) mod texts;

pub use plausible::Known;
