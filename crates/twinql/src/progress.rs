//! What work that takes a while tells whoever waits for it.

/// Counts one more unit of a stage; the stage ends when it is dropped.
pub type Stage = Box<dyn Fn() + Send + Sync>;

/// Listens to work that takes a while. Nothing that is computed depends on it.
pub trait Progress: Send + Sync {
    /// A line about what was done.
    fn say(&self, line: &str);

    /// Something that the user should know in any case.
    fn warn(&self, line: &str);

    /// A part of the work begins, of so many units where that is known.
    fn stage(&self, what: &str, of: Option<u64>) -> Stage;
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn say(&self, _: &str) {}

    fn warn(&self, _: &str) {}

    fn stage(&self, _: &str, _: Option<u64>) -> Stage {
        Box::new(|| ())
    }
}
