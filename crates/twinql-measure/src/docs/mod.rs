//! The pages that are written from registries, types and stored outputs. A text of the documentation is written by hand or
//! here, and never both.

mod command_line;
mod configuration;
mod formats;
mod python;
mod registries;
mod rewrites;
mod rules;
mod tables;

use std::error::Error;

pub use crate::page::Page;
use crate::page::root;
use crate::{Done, Measurement, results};

/// The program.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "docs",
    about: "writes every generated page of the documentation; --check fails where one is stale, and names it",
    usage: "[--check]",
    run,
};

/// Folders that hold generated pages and nothing else.
const FOLDERS: [&str; 3] = ["docs/rules", "docs/reference", "docs/formats"];

/// Every generated page, as it has to be.
pub fn pages() -> Result<Vec<Page>, Box<dyn Error>> {
    let mut pages = rules::pages()?;
    pages.push(rewrites::page()?);
    pages.extend(registries::pages());
    pages.push(registries::trivial_ngrams()?);
    pages.push(command_line::page());
    pages.push(configuration::page()?);
    pages.extend(formats::pages()?);
    pages.push(python::page()?);
    pages.push(results::page()?);
    Ok(pages)
}

/// The pages that are not as they have to be, by path, and files that no page stands for any more.
pub fn stale(pages: &[Page]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut stale = Vec::new();
    for page in pages {
        let found = std::fs::read_to_string(root().join(&page.path)).unwrap_or_default();
        if found.replace("\r\n", "\n") != page.text {
            stale.push(page.path.clone());
        }
    }
    for folder in FOLDERS {
        let Ok(files) = std::fs::read_dir(root().join(folder)) else { continue };
        for file in files {
            let path = format!("{folder}/{}", file?.file_name().to_string_lossy());
            if pages.iter().all(|page| page.path != path) {
                stale.push(format!("{path} (nothing writes it)"));
            }
        }
    }
    Ok(stale)
}

fn run(args: &[String]) -> Done {
    let pages = pages()?;
    match args {
        [] => Ok(pages.iter().try_for_each(Page::write)?),
        [flag] if flag == "--check" => {
            let stale = stale(&pages)?;
            if stale.is_empty() {
                return Ok(());
            }
            Err(format!("stale; `cargo measure docs` writes them:\n  {}", stale.join("\n  ")).into())
        }
        _ => Err("unknown arguments".into()),
    }
}
