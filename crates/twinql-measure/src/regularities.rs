//! Counts the regularities of real databases, for the registry of `plausible`. FOLDER holds DB/DB.sqlite:
//! `$TWINQL_DATA/spider/database_train`. Databases that are evaluated on must not be among them.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use twinql_suite::plausible::{Counts, REGULARITIES, measure};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "regularities",
    about: "counts the regularities of real databases",
    usage: "FOLDER",
    run,
};

fn run(args: &[String]) -> Done {
    let folder = PathBuf::from(args.first().ok_or("give a folder that holds DB/DB.sqlite")?);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name();
            Some(entry.path().join(&name).with_extension("sqlite")).filter(|path| path.is_file())
        })
        .collect();
    files.sort();
    let mut total = Counts::new();
    let mut read = 0;
    for file in &files {
        match measure(file) {
            Ok(counts) => {
                read += usize::from(!counts.is_empty());
                for (regularity, count) in counts {
                    let sum = total.entry(regularity).or_default();
                    sum.holds += count.holds;
                    sum.of += count.of;
                }
            }
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }
    let counted = REGULARITIES.iter().filter_map(|entry| {
        let count = total.get(&entry.regularity)?;
        Some((entry.name.to_owned(), json!({ "holds": count.holds, "of": count.of })))
    });
    let counted: Map<String, Value> = counted.collect();
    let document = json!({ "databases": read, "counts": counted });
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}
