//! Each metric against the pairs of its entry.

use std::sync::Arc;

use twinql::metrics::{EXAMPLE_ROWS, EXAMPLE_SCHEMA, METRICS, Need, Setting, check_read, metric};
use twinql::runs::Runs;
use twinql::suite::Files;
use twinql::{Engine, Job, Network, Schema, Work};

#[test]
fn each_metric_scores_its_examples() {
    let dir = tempfile::TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("pets")).unwrap();
    let file = rusqlite::Connection::open(dir.path().join("pets/pets.sqlite")).unwrap();
    file.execute_batch(&format!("{EXAMPLE_SCHEMA}{EXAMPLE_ROWS}")).unwrap();
    let schema = Arc::new(Schema::from_ddl("pets", EXAMPLE_SCHEMA).unwrap());
    // A program that is built to train the first networks has none.
    let network = Network::embedded().ok();
    let mut off = Vec::new();
    for metric in METRICS.iter().filter(|m| network.is_some() || !m.needs(Need::Network)) {
        let runs = Runs::new(Files::find(dir.path()).unwrap());
        let engine = Engine::builder().metric(metric).network(network.clone()).runs(runs).build().unwrap();
        // Weights that are fitted again after each change of the generators move a little.
        let tolerance = if metric.reads(Setting::Assumed) { 0.03 } else { 1e-6 };
        for example in metric.examples {
            let (gold, pred) = (example.gold.to_owned(), example.pred.to_owned());
            let work = Work::Pair { schema: Arc::clone(&schema), gold, pred };
            let record = engine.score(&[Job::new("1".into(), work)]).remove(0);
            let found = record.score(metric.name);
            if found.is_none_or(|found| (found - example.score).abs() > tolerance) {
                off.push(format!("{}: {found:?} in place of {example:?}", metric.name));
            }
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
}

#[test]
fn names_are_unique_and_found() {
    for (i, m) in METRICS.iter().enumerate() {
        assert_eq!(metric(m.name), Some(*m));
        assert!(METRICS[..i].iter().all(|other| other.name != m.name));
        assert!(!m.summary.is_empty() && !m.source.is_empty());
        // What a metric needs can be given.
        assert!(!m.needs(Need::Network) || m.reads(Setting::Checkpoint), "{}", m.name);
        assert_eq!(m.needs(Need::Databases), m.reads(Setting::Db), "{}", m.name);
    }
    assert_eq!(metric("bleu-99"), None);
}

#[test]
fn a_setting_that_no_metric_reads_is_named_with_its_readers() {
    let [gmn, suite] = ["gmn", "suite"].map(|name| metric(name).unwrap());
    assert_eq!(check_read(&[gmn], [(Setting::Probe, "--probe")]), Ok(()));
    for (setting, given, said) in [
        (
            Setting::Probe,
            "--probe",
            "--probe is read only by gmn and two-tier; ask for one of these metrics too",
        ),
        (
            Setting::CrystalbleuCorpus,
            "crystalbleu_corpus",
            "crystalbleu_corpus is read only by crystalbleu; ask for this metric too",
        ),
    ] {
        assert_eq!(check_read(&[suite], [(setting, given)]).unwrap_err().to_string(), said);
    }
}
