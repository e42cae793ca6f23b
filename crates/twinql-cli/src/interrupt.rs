//! Ctrl-C (and what else asks a process to end): one line, nothing half written, and the exit code
//! that shells give it.

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
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Where nothing can be set, the system ends the process.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            end(i32::from(exit::SIGNAL) + signal);
        }
    };
    let _ = std::thread::Builder::new().spawn(wait);
}

/// There are no such signals here: the system ends the process, and temporary files stay.
#[cfg(not(unix))]
pub(crate) fn listen() {}

/// Ends the program. A line that is being written is finished first if that takes no longer than a moment, so that a
/// file which a later run goes on with has whole lines; temporary files are removed in any case.
#[cfg(unix)]
fn end(code: i32) -> ! {
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
    std::process::exit(code)
}
