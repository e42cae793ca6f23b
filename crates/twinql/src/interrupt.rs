//! Ctrl-C: one line, nothing half written, and the exit code that shells give it.

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use twinql::{exit, files};

/// What there is to say besides that the run was interrupted.
static HINT: Mutex<String> = Mutex::new(String::new());
/// Held while lines are written.
static WRITING: Mutex<()> = Mutex::new(());

/// How long whole lines are waited for: a pipe that nobody empties does not hold an interrupt up.
const PATIENCE: Duration = Duration::from_millis(300);

/// Sets what the line says of the work that is done, a sentence without its end.
pub(crate) fn hint(text: impl Into<String>) {
    *HINT.lock().unwrap_or_else(PoisonError::into_inner) = text.into();
}

/// Holds an interrupt back until lines are written.
pub(crate) fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process at Ctrl-C. Worker processes do not hear of it, and end when their input does.
pub(crate) fn listen() {
    let end = || {
        let began = Instant::now();
        let mut writing = WRITING.try_lock();
        while writing.is_err() && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
            writing = WRITING.try_lock();
        }
        files::remove_temporaries();
        let hint = HINT.lock().unwrap_or_else(PoisonError::into_inner);
        let line = match hint.as_str() {
            "" => "twinql: interrupted\n".to_owned(),
            hint => format!("twinql: interrupted: {hint}\n"),
        };
        // Nobody may be listening on stderr. The locks are held to the end.
        let _ = std::io::stderr().write_all(line.as_bytes());
        std::process::exit(i32::from(exit::INTERRUPTED));
    };
    // Where it cannot be set, the system ends the process.
    let _ = ctrlc::set_handler(end);
}
