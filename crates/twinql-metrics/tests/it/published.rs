//! Metrics and keywords of FuncEvalGMN's human-labelled pairs, beside what the paper prints (Zhan et al. 2024,
//! Tables 1 and 6, Spider-pair dev). An evaluation: nothing is chosen here.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::path::Path;

use rayon::prelude::*;
use serde_json::Value;
use sqlparser::ast::Query;
use twinql_graph::{QueryGraph, RelPmConfig, relpm};
use twinql_metrics::{Keyword, KeywordSet, Pair, Side, auc, bleu, code_bleu, crystal_bleu, keywords};
use twinql_sql::{Schema, Semantics, normalize, parse, plan, schema};

/// A query with its trees; none where it is no query over the schema.
struct Read {
    sql: String,
    query: Box<Query>,
    tree: QueryGraph,
    rot: QueryGraph,
}

fn read(schema: &Schema, semantics: &Semantics, sql: &str) -> Option<Read> {
    let parsed = parse(sql).ok()?;
    let tree = QueryGraph::of_ast(&parsed.query).ok()?;
    let canonical = normalize(schema, plan(schema, &parsed).ok()?, semantics);
    let rot = QueryGraph::lower(schema, &canonical.plan, semantics).ok()?;
    Some(Read { sql: sql.to_owned(), query: parsed.query, tree, rot })
}

const NAMES: [&str; 6] = ["relpm", "astpm", "bleu", "crystalbleu", "codebleu", "codebleu-rot"];

/// The metrics of a pair, 0 each where a side cannot be read.
fn scores(schema: &Schema, gold: &str, pred: &str) -> Vec<(&'static str, f64)> {
    let semantics = Semantics::preset("no-fk").unwrap();
    let config = RelPmConfig::default();
    let sides = read(schema, &semantics, gold).zip(read(schema, &semantics, pred));
    let Some((g, p)) = sides else {
        return NAMES.map(|name| (name, 0.0)).into();
    };
    let gold = Side { sql: &g.sql, query: &g.query, tree: &g.tree, rot: &g.rot };
    let pred = Side { sql: &p.sql, query: &p.query, tree: &p.tree, rot: &p.rot };
    let pair = Pair { schema, gold, pred };
    let found = [
        relpm(&g.rot, &p.rot, &config),
        relpm(&g.tree, &p.tree, &config),
        bleu(&pair).score,
        crystal_bleu(&pair, None).score,
        code_bleu(&pair, &g.tree, &p.tree).score,
        code_bleu(&pair, &g.rot, &p.rot).score,
    ];
    NAMES.into_iter().zip(found).collect()
}

#[test]
fn spider_pair_dev() {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return;
    };
    let data = Path::new(&data);
    let schemas = schema::load(data.join("spider/tables.json")).unwrap();
    let text = std::fs::read_to_string(data.join("pairs/spider_pair_dev.jsonl")).unwrap();
    let pairs: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let labels: Vec<bool> = pairs.iter().map(|p| p["label"] == 1).collect();
    // The golds as that paper has them, printed by Calcite, and as Spider has them.
    for gold in ["gold", "spider_gold"] {
        let scored: Vec<Vec<(&str, f64)>> = pairs
            .par_iter()
            .map(|p| {
                let schema = schemas.get(p["db_id"].as_str().unwrap()).unwrap();
                scores(
                    schema,
                    p.get(gold).unwrap_or(&p["gold"]).as_str().unwrap(),
                    p["pred"].as_str().unwrap(),
                )
            })
            .collect();
        let mut of: HashMap<&str, f64> = HashMap::new();
        for at in 0..scored[0].len() {
            let column: Vec<f64> = scored.iter().map(|row| row[at].1).collect();
            of.insert(scored[0][at].0, auc(&column, &labels).unwrap());
        }
        println!("{gold}: {of:?}");
        // ASTPM stays below what the paper prints; docs/metrics.md says by how much, and why.
        let bounds: &[(&str, f64)] = match gold {
            "gold" => &[("relpm", 0.8442), ("codebleu-rot", 0.8395), ("crystalbleu", 0.6721)],
            _ => &[],
        };
        for (metric, published) in bounds {
            assert!(of[metric] >= *published, "{metric}: {} < {published}", of[metric]);
        }
    }
}

/// FuncEvalGMN, Table 6, column "Spider-pair dev": shares of the golds of all pairs in per cent, for the
/// keywords that it counts as we do. Its UNION stands for all set operations.
#[test]
fn keywords_of_spider_pair_dev() {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        eprintln!("skipped: TWINQL_DATA is not set");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&data).join("pairs/spider_pair_dev.jsonl")).unwrap();
    let golds: Vec<KeywordSet> = text
        .lines()
        .map(|line| {
            let pair: Value = serde_json::from_str(line).unwrap();
            keywords(&parse(pair["gold"].as_str().unwrap()).unwrap().query)
        })
        .collect();
    for (keyword, published) in [
        (Keyword::Where, 47.45),
        (Keyword::Join, 44.65),
        (Keyword::GroupBy, 35.95),
        (Keyword::SetOperation, 9.18),
        (Keyword::Aggregation, 58.76),
        (Keyword::Count, 44.28),
        (Keyword::Average, 6.63),
        (Keyword::MinMax, 6.51),
        (Keyword::Distinct, 4.26),
        (Keyword::Pattern, 0.97),
        (Keyword::Cast, 5.66),
    ] {
        let count = golds.iter().filter(|set| set.contains(keyword)).count();
        let share = 100.0 * count as f64 / golds.len() as f64;
        // Printed with two digits, some of them cut off.
        assert!((share - published).abs() < 0.011, "{keyword}: {share} and {published}");
    }
}
