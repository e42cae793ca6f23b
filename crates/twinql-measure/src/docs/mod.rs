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
use std::path::{Path, PathBuf};

use crate::{Done, Measurement, results};

/// The program.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "docs",
    about: "writes every generated page of the documentation; --check fails where one is stale, and names it",
    usage: "[--check]",
    run,
};

/// A page, by its path from the repository's folder.
#[derive(Debug, Clone)]
pub struct Page {
    pub path: String,
    pub text: String,
}

/// Folders that hold generated pages and nothing else.
const FOLDERS: [&str; 3] = ["docs/rules", "docs/reference", "docs/formats"];

/// The repository's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

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

impl Page {
    /// Writes it, where it is not as it has to be.
    pub(crate) fn write(&self) -> std::io::Result<()> {
        let path = root().join(&self.path);
        if std::fs::read_to_string(&path).is_ok_and(|found| found == self.text) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        println!("{}", self.path);
        std::fs::write(path, &self.text)
    }
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
