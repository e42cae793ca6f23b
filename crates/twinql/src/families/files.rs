//! Metrics that execute both queries on the users' own databases: what BIRD's scripts measure, once a batch.

use twinql_metrics::Scored;
use twinql_suite::bird::{BirdConfig, Efficiency, Measures};

use crate::batch::Batch;
use crate::metric::{Metric, Setting};
use crate::record::{Record, Status};
use crate::runs::Runs;
use crate::setup::Setup;
use crate::{judging, status};

/// Scores each pair by what executions measure of it.
pub(crate) fn measured(
    setup: &Setup,
    metric: &Metric,
    score: fn(&Measures, &Runs) -> Scored,
    batch: &mut Batch<'_>,
    records: &mut [Record],
) {
    let Some(runs) = &setup.runs else { return };
    let cost = batch.reads(Setting::Cost).then_some(runs.cost);
    let tolerance = setup.semantics_of(metric).float_tolerance;
    let config = BirdConfig { limits: runs.limits, cost, tolerance };
    let measured = batch.measured(|jobs| judging::measure_all(jobs, &runs.files, config, &runs.workers));
    for (record, measured) in records.iter_mut().zip(&*measured) {
        match measured {
            Some(Ok(measures)) => record.set(metric.name, score(measures, runs)),
            Some(Err(verdict)) => {
                let (status, error) = status::of_file(verdict);
                // BIRD's scripts score 0 for what takes too long or is not understood.
                if matches!(status, Status::Untested | Status::MachineError) {
                    record.set_null(metric.name);
                }
                if let Some(error) = error {
                    record.spoil(metric.name, status, error);
                }
            }
            None => {}
        }
    }
}

/// An efficiency, cut at 1, which says that the prediction is right and costs no more than the gold; the details have the
/// value as BIRD averages it.
pub(crate) fn efficiency(measures: &Measures, runs: &Runs, value: fn(&Efficiency) -> f64) -> Scored {
    let found = measures.efficiency.as_ref();
    let raw = found.map_or(0.0, value);
    let mut scored = Scored::from(raw.min(1.0));
    let mut detail = |key: &str, value: serde_json::Value| scored.details.insert(key.to_owned(), value);
    detail("value", raw.into());
    if let Some(found) = found {
        detail("ratio", found.ratio.into());
        detail("cost", runs.cost.name().into());
        detail("gold_cost", found.gold.into());
        detail("pred_cost", found.pred.into());
        detail("runs", found.runs.into());
        detail("kept", found.kept.into());
    }
    scored
}

/// What a signature says of executions on the users' databases.
pub(crate) fn signature(setup: &Setup) -> Vec<String> {
    setup.runs.as_ref().map(|runs| runs.signed_limits()).unwrap_or_default()
}

/// The same of metrics that ask what a query costs.
pub(crate) fn signature_with_cost(setup: &Setup) -> Vec<String> {
    let cost = setup.runs.as_ref().map(|runs| runs.signed_cost()).unwrap_or_default();
    cost.into_iter().chain(signature(setup)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tempfile::TempDir;
    use twinql_sql::{Schema, Semantics};
    use twinql_suite::Files;
    use twinql_suite::bird::Cost;

    use super::*;
    use crate::metric::named;
    use crate::metrics::{METRICS, R_VES};
    use crate::network::NetworkError;
    use crate::{Engine, Job, Work};

    const SHOP: &str = "\
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO town VALUES (1, 'Ulm'), (2, 'Bonn'), (3, 'Kiel');";

    /// Two files of one database: in the second, names repeat.
    fn folder() -> TempDir {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("shop")).unwrap();
        for (name, more) in [("shop", ""), ("twin", "INSERT INTO town VALUES (4, 'Ulm');")] {
            let file = rusqlite::Connection::open(dir.path().join(format!("shop/{name}.sqlite"))).unwrap();
            file.execute_batch(&format!("{SHOP}{more}")).unwrap();
        }
        dir
    }

    fn engine(dir: &TempDir, names: &[&str], semantics: &str) -> Engine {
        Engine::builder()
            .metrics(named(names.iter().copied()).unwrap())
            .semantics(Semantics::preset(semantics).unwrap())
            .runs(Runs::new(Files::find(dir.path()).unwrap()))
            .build()
            .unwrap()
    }

    const ALL: [&str; 6] = ["execution", "bird-ex", "ves", "r-ves", "soft-f1", "soft-f1:repaired"];

    /// The record of a pair under all metrics.
    fn record(dir: &TempDir, gold: &str, pred: &str) -> Record {
        let schema = Schema { db_id: "shop".into(), ..Schema::default() };
        let work = Work::Pair { schema: Arc::new(schema), gold: gold.into(), pred: pred.into() };
        engine(dir, &ALL, "no-fk").score(&[Job::new("1".into(), work)]).remove(0)
    }

    fn scores(record: &Record) -> [Option<f64>; 6] {
        ALL.map(|name| record.score(name))
    }

    #[test]
    fn what_is_right_everywhere_scores_1() {
        let dir = folder();
        let query = "SELECT name FROM town WHERE id < 3";
        let found = record(&dir, query, "SELECT t.name FROM town t WHERE t.id < 3");
        assert_eq!((scores(&found), found.status), ([Some(1.0); 6], Status::Ok));
        assert_eq!(found.details["execution"]["files"], 2);
        assert_eq!(found.details["ves"]["cost"], "steps");
        assert_eq!(found.details["r-ves"]["value"], 1.0);
    }

    #[test]
    fn metrics_of_bird_look_at_one_file_and_at_sets() {
        let dir = folder();
        // In the second file a name repeats, and the answers have another number of rows.
        let found = record(&dir, "SELECT name FROM town", "SELECT DISTINCT name FROM town");
        let [execution, bird, ves, reward, soft, repaired] = scores(&found).map(Option::unwrap);
        assert_eq!((execution, bird, soft), (0.0, 1.0, 1.0), "{found:?}");
        assert_eq!(repaired, 1.0);
        // It costs more than the gold, and not a class more than 4 times as much.
        assert!(ves < 1.0 && ves > 0.5 && reward < 1.0, "{found:?}");
        assert!(found.details["execution"]["file"].as_str().unwrap().ends_with("twin.sqlite"));
        let ratio = found.details["ves"]["ratio"].as_f64().unwrap();
        assert_eq!(ves, ratio.sqrt());
        assert_eq!(found.details["ves"]["gold_cost"].as_f64().unwrap() / ratio, {
            found.details["ves"]["pred_cost"].as_f64().unwrap()
        });
    }

    #[test]
    fn a_cheaper_prediction_is_cut_at_1() {
        let dir = folder();
        let dear = "SELECT DISTINCT a.name FROM town a, town b, town c ORDER BY a.name";
        let found = record(&dir, dear, "SELECT name FROM town");
        assert_eq!(found.score("ves"), Some(1.0));
        assert!(found.details["ves"]["value"].as_f64().unwrap() > 1.5, "{found:?}");
        assert_eq!(found.score("r-ves"), Some(1.0));
        assert_eq!(found.details["r-ves"]["value"], 1.25_f64.sqrt());
    }

    #[test]
    fn hostile_predictions_score_0_and_change_nothing() {
        let dir = folder();
        let file = dir.path().join("shop/shop.sqlite");
        let before = std::fs::read(&file).unwrap();
        for pred in ["DELETE FROM town", "DROP TABLE town", "SELECT", "SELECT cape FROM town", ""] {
            let found = record(&dir, "SELECT COUNT(*) FROM town", pred);
            assert_eq!((scores(&found), found.status), ([Some(0.0); 6], Status::PredError), "{pred}");
            assert!(found.error.is_some());
        }
        assert_eq!(std::fs::read(&file).unwrap(), before);
        let found = record(&dir, "SELECT cape FROM town", "SELECT name FROM town");
        assert_eq!((scores(&found), found.status), ([Some(0.0); 6], Status::GoldError));
    }

    #[test]
    fn signatures_say_what_was_compared_and_measured() {
        let dir = folder();
        let signature = |semantics: &str, name: &str| {
            let engine = engine(&dir, &[name], semantics);
            engine.signature(engine.metrics()[0]).to_string()
        };
        assert!(
            signature("no-fk", "execution")
                .ends_with("|semantics:no-fk|threshold:0.50|device:cpu|dtype:f32|seed:8|ties:possible")
        );
        assert!(signature("spider", "execution").ends_with("|ties:as-returned"));
        assert!(signature("no-fk", "bird-ex").contains("|semantics:bird|"));
        assert!(signature("no-fk", "ves").ends_with("|cost:steps"));
        let runs = Runs { cost: Cost::Time { repeats: 5 }, ..Runs::new(Files::find(dir.path()).unwrap()) };
        let engine = Engine::builder().metric(&R_VES).runs(runs).build().unwrap();
        assert!(engine.signature(&R_VES).to_string().ends_with("|cost:time|repeats:5"));
    }

    #[test]
    fn databases_have_to_be_given() {
        for metric in METRICS.iter().filter(|m| m.executes()) {
            let refused = Engine::builder().metric(metric).build();
            assert!(matches!(refused, Err(NetworkError::NoDatabases(name)) if name == metric.name));
        }
        assert_eq!(METRICS.iter().filter(|m| m.executes()).count(), ALL.len());
    }
}
