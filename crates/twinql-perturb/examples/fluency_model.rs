//! Makes the bundled model of fluency from questions: `cargo run --release --example fluency_model -- train.jsonl OUT`.
//! The bundled one is made of `train_spider.jsonl`, the 7,000 questions of Spider's training set.

use std::io::Write as _;
use std::path::PathBuf;

use flate2::{Compression, write::GzEncoder};
use twinql_perturb::Questions;
use twinql_perturb::fluency::Trigrams;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args().skip(1).map(PathBuf::from);
    let (Some(from), Some(to)) = (paths.next(), paths.next()) else {
        return Err("give a file of questions and the file to write".into());
    };
    let questions = Questions::read(&from)?;
    let model = Trigrams::count(questions.questions.iter().map(|q| q.question.as_str()));
    let mut out = GzEncoder::new(std::fs::File::create(to)?, Compression::best());
    out.write_all(model.write().as_bytes())?;
    out.finish()?;
    Ok(())
}
