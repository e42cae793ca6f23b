//! The gold and prediction files that `docs/soundness.md` names, read into families: golds with their
//! predictions.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;
use twinql_sql::Schema;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A gold query and what systems predicted for it.
pub(crate) struct Question {
    pub(crate) schema: Arc<Schema>,
    pub(crate) gold: String,
    pub(crate) preds: Vec<String>,
}

/// The questions of one collection.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// Lines read, before duplicates are dropped.
    pub(crate) lines: u64,
    pub(crate) questions: Vec<Question>,
}

type Schemas = BTreeMap<String, Arc<Schema>>;

fn schemas(paths: &[PathBuf]) -> Result<Schemas> {
    let mut all = Schemas::new();
    for path in paths {
        for (name, schema) in twinql_sql::schema::load(path)? {
            all.insert(name, Arc::new(schema));
        }
    }
    Ok(all)
}

/// Lines of a file, empty ones kept, bytes that are not UTF-8 replaced.
fn lines(path: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

fn json_lines(path: &Path) -> Result<Vec<Json>> {
    lines(path)?.iter().filter(|l| !l.trim().is_empty()).map(|l| Ok(serde_json::from_str(l)?)).collect()
}

fn text(row: &Json, field: &str) -> String {
    row.get(field).and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// The prediction files of a folder in order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "txt"))
        .collect();
    found.sort();
    Ok(found)
}

/// Gold lines `SQL<TAB>db_id`; blank ones keep their place.
struct Golds(Vec<Option<(String, String)>>);

impl Golds {
    fn read(path: &Path) -> Result<Golds> {
        Ok(Golds(
            lines(path)?
                .iter()
                .map(|l| {
                    let (sql, db) = l.rsplit_once('\t')?;
                    Some((sql.to_owned(), db.trim().to_owned()))
                })
                .collect(),
        ))
    }

    /// The family of these golds and of prediction files aligned with them; a file may hold
    /// the first lines alone.
    fn family(
        &self,
        name: &'static str,
        schemas: &Schemas,
        files: &[PathBuf],
        others: &BTreeMap<usize, Vec<String>>,
    ) -> Result<Family> {
        let mut preds: Vec<Vec<String>> = vec![Vec::new(); self.0.len()];
        let mut read = self.0.iter().flatten().count() as u64;
        for file in files {
            for (place, line) in preds.iter_mut().zip(lines(file)?) {
                read += u64::from(!line.trim().is_empty());
                place.push(line.split('\t').next().unwrap_or_default().to_owned());
            }
        }
        for (at, texts) in others {
            if let Some(place) = preds.get_mut(*at) {
                read += texts.len() as u64;
                place.extend(texts.iter().cloned());
            }
        }
        let mut questions = Vec::new();
        for (gold, preds) in self.0.iter().zip(preds) {
            let Some((sql, db)) = gold else { continue };
            if let Some(schema) = schemas.get(db) {
                questions.push(Question { schema: Arc::clone(schema), gold: sql.clone(), preds });
            }
        }
        Ok(Family { name, lines: read, questions })
    }
}

/// Rows with a gold and predictions in fields.
fn rows(name: &'static str, schemas: &Schemas, paths: &[PathBuf]) -> Result<Family> {
    let (mut questions, mut read) = (Vec::new(), 0);
    for path in paths {
        for row in json_lines(path)? {
            let mut preds = vec![text(&row, "pred")];
            if let Some(beam) = row.get("beam").and_then(Json::as_array) {
                preds.extend(beam.iter().filter_map(Json::as_str).map(str::to_owned));
            }
            read += 1 + preds.len() as u64;
            if let Some(schema) = schemas.get(&text(&row, "db_id")) {
                questions.push(Question { schema: Arc::clone(schema), gold: text(&row, "gold"), preds });
            }
        }
    }
    Ok(Family { name, lines: read, questions })
}

/// All families under `data`.
pub(crate) fn families(data: &Path) -> Result<Vec<Family>> {
    let at = |p: &str| data.join(p);
    let spider = schemas(&[at("spider/test_tables.json"), at("spider/tables.json")])?;
    let bird = schemas(&[at("bird/train_tables.json"), at("bird/dev_tables.json")])?;
    let none = BTreeMap::new();
    let mut all = Vec::new();

    let dev = Golds::read(&at("spider/dev_gold.sql"))?;
    all.push(dev.family("spider dev", &spider, &files(&at("predictions/spider_dev"))?, &none)?);
    all.push(rows("spider-pair dev", &spider, &[at("pairs/spider_pair_dev.jsonl")])?);
    let test = Golds::read(&at("spider/test_gold.sql"))?;
    all.push(test.family("spider test", &spider, &files(&at("predictions/spider_test"))?, &none)?);

    let beams: BTreeMap<usize, Vec<String>> =
        json_lines(&at("predictions/spider_train_beams/T5-PICARD_beam4.jsonl"))?
            .iter()
            .filter_map(|row| {
                let texts = row.get("beam")?.as_array()?;
                let at = usize::try_from(row.get("idx")?.as_u64()?).ok()?;
                Some((at, texts.iter().filter_map(Json::as_str).map(str::to_owned).collect()))
            })
            .collect();
    let train = Golds::read(&at("spider/train_spider_gold.sql"))?;
    let own = [at("predictions/spider_train/T5-PICARD_top1.txt")];
    all.push(train.family("spider train", &spider, &own, &beams)?);
    let train = Golds::read(&at("spider/train_others_gold.sql"))?;
    let own = [at("predictions/spider_train/train_others_deepseek-chat_xi-ix.txt")];
    all.push(train.family("spider train (others)", &spider, &own, &none)?);
    let folder = at("predictions/spider_train_subset_codegen");
    let subset = Golds::read(&folder.join("spider_gold.sql"))?;
    let own = ["pred.txt", "pred_codegen.txt", "pred_codegen_ua.txt", "pred_ua.txt"].map(|f| folder.join(f));
    all.push(subset.family("spider train (codegen)", &spider, &own, &none)?);
    let subset = Golds::read(&folder.join("spider_gold_mt.sql"))?;
    let own = ["pred_codegen_mt.txt", "pred_mt.txt", "pred_mt_v2.txt"].map(|f| folder.join(f));
    all.push(subset.family("spider train (codegen, mt)", &spider, &own, &none)?);
    let splash = ["pairs/splash_train_seq2struct.jsonl", "pairs/splash_dev_seq2struct.jsonl"];
    all.push(rows("splash", &spider, &splash.map(at))?);

    let gold = Golds::read(&at("cosql/dev_gold.txt"))?;
    all.push(gold.family("cosql dev", &spider, &files(&at("predictions/cosql_dev"))?, &none)?);
    let gold = Golds::read(&at("sparc/dev_gold.txt"))?;
    let of = |name: &str| -> Result<Vec<PathBuf>> {
        let all = files(&at("predictions/sparc_dev"))?;
        Ok(all.into_iter().filter(|f| f.to_string_lossy().contains(name)).collect())
    };
    all.push(gold.family("sparc dev", &spider, &of("ChatGPT")?, &none)?);
    let gold = Golds::read(&at("sparc/dev_gold_editsql_order.txt"))?;
    all.push(gold.family("sparc dev (editsql order)", &spider, &of("STAR")?, &none)?);

    let gold = Golds::read(&at("bird/dev_gold.sql"))?;
    all.push(gold.family("bird dev", &bird, &files(&at("predictions/bird_dev"))?, &none)?);
    let gold = Golds::read(&at("bird/train_gold.sql"))?;
    all.push(gold.family("bird train", &bird, &files(&at("predictions/bird_train"))?, &none)?);
    let mini: Json = serde_json::from_slice(&fs::read(at("bird/mini_dev_sqlite.json"))?)?;
    let gold = Golds(
        mini.as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
            .iter()
            .map(|row| Some((text(row, "SQL"), text(row, "db_id"))))
            .collect(),
    );
    all.push(gold.family("bird mini-dev", &bird, &files(&at("predictions/bird_mini_dev"))?, &none)?);
    Ok(all)
}

/// The families whose pairs are checked: golds with all their predictions, and the prover
/// benchmarks.
pub(crate) const PAIRED: [&str; 4] = ["spider dev", "spider test", "bird dev", "bird mini-dev"];

/// The benchmarks of provers: each pair has a schema of its own.
pub(crate) fn benchmarks(data: &Path) -> Result<Vec<Family>> {
    let mut all = Vec::new();
    for (name, file) in [
        ("calcite 232", "calcite_sqlsolver_232.jsonl"),
        ("spark 127", "spark_sqlsolver.jsonl"),
        ("tpc-c", "tpcc_spark_sqlsolver.jsonl"),
        ("tpc-h", "tpch_spark_sqlsolver.jsonl"),
    ] {
        let (mut questions, mut read) = (Vec::new(), 0);
        for (number, row) in json_lines(&data.join("equivalence").join(file))?.iter().enumerate() {
            read += 2;
            let schema = Schema::from_ddl(&format!("{name} {number}"), &text(row, "schema"))?;
            questions.push(Question {
                schema: Arc::new(schema),
                gold: text(row, "sql1"),
                preds: vec![text(row, "sql2")],
            });
        }
        all.push(Family { name, lines: read, questions });
    }
    Ok(all)
}
