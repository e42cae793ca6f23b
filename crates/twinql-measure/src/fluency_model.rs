//! Makes the bundled model of fluency from questions. The bundled one is made of `train_spider.jsonl`, the 7,000 questions of
//! Spider's training set.

use std::io::Write as _;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use twinql_perturb::Questions;
use twinql_perturb::fluency::Trigrams;

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "fluency-model",
    about: "makes the bundled model of fluency from questions",
    usage: "QUESTIONS.jsonl OUT.gz",
    run,
};

fn run(args: &[String]) -> Done {
    let [from, to] = args else {
        return Err("give a file of questions and the file to write".into());
    };
    let questions = Questions::read(Path::new(from))?;
    let model = Trigrams::count(questions.questions.iter().map(|q| q.question.as_str()));
    let mut out = GzEncoder::new(std::fs::File::create(to)?, Compression::best());
    out.write_all(model.write().as_bytes())?;
    out.finish()?;
    Ok(())
}
