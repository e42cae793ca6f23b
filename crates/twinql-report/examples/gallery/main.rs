//! Writes a report with every kind of block in every format. All figures are made up.
//!
//! `cargo run --release -p twinql-report --example gallery [FOLDER]`

mod sample;

use std::path::PathBuf;

use twinql_report::Format;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/gallery"), PathBuf::from);
    let figures = folder.join("figures");
    std::fs::create_dir_all(&figures)?;
    let report = sample::report();
    for (format, ending) in Format::ALL {
        std::fs::write(folder.join(format!("report.{ending}")), report.render(format))?;
    }
    for (name, picture) in report.figures() {
        std::fs::write(figures.join(name), picture)?;
    }
    println!("wrote {}", folder.join("report.html").display());
    Ok(())
}
