//! `measure NAME ARGUMENTS…` runs one of the list; without a name it prints the list.

use std::process::ExitCode;

use twinql_measure::{MEASUREMENTS, measurement};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        println!("usage: measure NAME ARGUMENTS…\n");
        for one in MEASUREMENTS {
            println!("{:16} {}\n{:16} {}", one.name, one.about, "", one.usage);
        }
        return ExitCode::SUCCESS;
    };
    let Some(chosen) = measurement(name) else {
        eprintln!("error: no measurement is called {name}; `measure` lists them");
        return ExitCode::from(2);
    };
    match (chosen.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nusage: measure {name} {}", chosen.usage);
            ExitCode::FAILURE
        }
    }
}
