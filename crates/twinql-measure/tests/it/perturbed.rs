//! What is promised of Spider's dev questions: counts, time, golds that plan, and answers that stay.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;
use twinql_perturb::database::{Moved, file_of, move_rows};
use twinql_perturb::generate::{counts, sample};
use twinql_perturb::tables_json::Natural;
use twinql_perturb::translate::through;
use twinql_perturb::utterance::{prefix, synonym};
use twinql_perturb::{Config, Generator, Perturbed, Questions, RELATIONS, Target};
use twinql_sql::schema::spider::read_tables_json;
use twinql_sql::{Schema, SchemaSet, parse, plan};
use twinql_suite::{JudgeConfig, Verdict, judge};

fn data() -> Option<PathBuf> {
    let found = std::env::var_os("TWINQL_DATA").map(|data| Path::new(&data).join("spider"));
    if found.is_none() {
        eprintln!("skipped: TWINQL_DATA is not set");
    }
    found
}

fn dev(spider: &Path, most: usize) -> (SchemaSet, Vec<Perturbed>) {
    let tables = spider.join("tables.json");
    let schemas = twinql_sql::schema::load(&tables).unwrap();
    let questions = Questions::read(&spider.join("dev.jsonl")).unwrap();
    assert_eq!((questions.questions.len(), questions.bad.len()), (1034, 0));
    let config = Config { relations: RELATIONS.iter().collect(), most, seed: 8 };
    let started = Instant::now();
    let generator = Generator::new(config, &questions, &schemas, &Natural::read(&tables).unwrap()).unwrap();
    let (results, left) = generator.run(&questions);
    eprintln!(
        "{} results in {:.1} s, {} questions left alone",
        results.len(),
        started.elapsed().as_secs_f64(),
        left.len()
    );
    left.iter().for_each(|l| eprintln!("  {}: {}", l.origin, l.why));
    (schemas, results)
}

/// At most ten results cannot give the paper's 11,775 renamings of 1,034 questions; at most twelve give every count.
#[test]
fn counts_of_the_paper_are_reached() {
    let Some(spider) = data() else { return };
    let all: Vec<_> = RELATIONS.iter().collect();
    for most in [10, 12] {
        let (_, results) = dev(&spider, most);
        for count in counts(&all, &results) {
            eprintln!("{count:?}");
            let reachable = count.paper.min(most * 1034);
            let wanted = if count.paper > reachable { 0 } else { count.paper };
            assert!(count.results >= wanted, "{count:?}");
        }
        assert!(results.len() >= 62_430, "{}", results.len());
    }
}

/// Each gold plans over the schema that its line carries, as DDL and as an entry of a tables.json.
#[test]
fn golds_plan_over_their_schemas() {
    let Some(spider) = data() else { return };
    let (_, results) = dev(&spider, 10);
    let mut checked: BTreeMap<&str, (Schema, Schema)> = BTreeMap::new();
    for one in &results {
        let place = &one.place;
        let (ddl, json) = checked.entry(&place.schema.db_id).or_insert_with(|| {
            let of_json = read_tables_json(&format!("[{}]", place.tables)).unwrap();
            let (_, of_json) = of_json.into_iter().next().unwrap();
            (Schema::from_ddl(&place.schema.db_id, &place.ddl).unwrap(), of_json)
        });
        let parsed = parse(&one.gold).unwrap();
        plan(ddl, &parsed).unwrap_or_else(|e| panic!("{}: {e}: {}", one.id, one.gold));
        plan(json, &parsed).unwrap_or_else(|e| panic!("{}, tables.json: {e}: {}", one.id, one.gold));
    }
    eprintln!("{} golds over {} schemas", results.len(), checked.len());
}

/// The gold over the original schema and the gold over the new one, seen through the transformation, answer the same.
#[test]
fn answers_stay() {
    let Some(spider) = data() else { return };
    let (schemas, results) = dev(&spider, 10);
    let golds: Vec<String> =
        Questions::read(&spider.join("dev.jsonl")).unwrap().questions.into_iter().map(|q| q.gold).collect();
    let schema_relations = RELATIONS.iter().filter(|r| matches!(r.target, Target::Schema(_))).count();
    let of_schemas: Vec<Perturbed> =
        results.into_iter().filter(|r| matches!(r.relation.target, Target::Schema(_))).collect();
    let drawn = sample(of_schemas, 2000 / schema_relations, 1);
    let config = JudgeConfig { shrink: false, ..JudgeConfig::default() };
    let verdicts: Vec<(&Perturbed, String, Verdict)> = drawn
        .par_iter()
        .map(|one| {
            let old = &schemas[&one.place.mapping.db_id];
            let back = through(&one.place.schema, &one.place.mapping, &one.gold).unwrap();
            let verdict = judge(old, &golds[one.origin], &back, &config);
            (one, back, verdict)
        })
        .collect();
    let mut of: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (one, back, verdict) in &verdicts {
        let name = match verdict {
            Verdict::Same { .. } => "same".to_owned(),
            // No database gives the gold an answer: nothing can be seen, whatever the schema.
            Verdict::Untested { .. } => "untested".to_owned(),
            other => {
                let text = format!("{other:?}");
                eprintln!(
                    "{} ({}): {}\n  {}\n  {}",
                    one.id,
                    one.relation.name,
                    &text[..text.len().min(600)],
                    golds[one.origin],
                    back
                );
                text.split([' ', '{']).next().unwrap_or_default().to_owned()
            }
        };
        *of.entry(one.relation.short).or_default().entry(name).or_default() += 1;
    }
    eprintln!("{} verdicts: {of:?}", verdicts.len());
    let bad =
        of.values().flatten().filter(|(name, _)| !["same", "untested"].contains(&name.as_str())).count();
    assert_eq!(bad, 0, "{of:?}");
    assert_eq!(verdicts.len(), 2000);
}

/// The rows of a query, in any order; floats as far as they are sure.
fn rows(file: &Path, sql: &str) -> Result<Vec<String>, String> {
    let db = rusqlite::Connection::open(file).map_err(|e| e.to_string())?;
    let mut query = db.prepare(sql).map_err(|e| e.to_string())?;
    let width = query.column_count();
    let mut answer = query.query([]).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    while let Some(row) = answer.next().map_err(|e| e.to_string())? {
        let cells = (0..width).map(|i| match row.get_ref(i) {
            Ok(rusqlite::types::ValueRef::Real(x)) => format!("{x:.6e}"),
            Ok(rusqlite::types::ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
            other => format!("{other:?}"),
        });
        found.push(cells.collect::<Vec<_>>().join("|"));
    }
    found.sort();
    Ok(found)
}

/// On Spider's own databases, the gold answers on the moved rows what it answers on the original ones.
#[test]
fn answers_stay_on_real_rows() {
    let Some(spider) = data() else { return };
    let (_, results) = dev(&spider, 10);
    let golds: Vec<String> =
        Questions::read(&spider.join("dev.jsonl")).unwrap().questions.into_iter().map(|q| q.gold).collect();
    let mut of_schemas = results;
    of_schemas.retain(|r| matches!(r.relation.target, Target::Schema(_)) && r.place.mapping.db_id != "wta_1");
    let drawn = sample(of_schemas, 60, 2);
    let folder = tempfile::tempdir().unwrap();
    let outcomes: Vec<(&str, bool, bool, bool)> = drawn
        .par_iter()
        .enumerate()
        .map(|(number, one)| {
            let source = file_of(&spider.join("database"), &one.place.mapping.db_id);
            let target = folder.path().join(format!("{number}.sqlite"));
            let moved = move_rows(&source, &one.place, &target).unwrap();
            let before = rows(&source, &golds[one.origin]);
            let after = rows(&target, &one.gold);
            // `ORDER BY … LIMIT 1` among equals answers whatever is found first: either row, of those without the limit.
            let unlimited =
                golds[one.origin].to_uppercase().rfind(" LIMIT ").map(|at| &golds[one.origin][..at]);
            let all = unlimited.and_then(|sql| rows(&source, sql).ok()).unwrap_or_default();
            let within = |answer: &Result<Vec<String>, String>| {
                answer.as_ref().is_ok_and(|rows| rows.iter().all(|row| all.contains(row)))
            };
            let tied = before != after && within(&before) && within(&after);
            std::fs::remove_file(&target).unwrap();
            if before != after {
                eprintln!(
                    "{} ({}): {}\n  {}\n  {before:.200?}\n  {after:.200?}",
                    one.id, one.place.mapping.db_id, golds[one.origin], one.gold
                );
            }
            (one.relation.short, tied || before == after, tied, moved == Moved::WithoutKeys)
        })
        .collect();
    let mut of: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (name, same, tied, keyless) in &outcomes {
        let counts = of.entry(name).or_default();
        counts[0] += 1;
        counts[1] += usize::from(*same);
        counts[2] += usize::from(*tied);
        counts[3] += usize::from(*keyless);
    }
    eprintln!("moved, same answers or tied, tied, without keys: {of:?}");
    for (name, [all, same, tied, _]) in &of {
        assert_eq!(all, same, "{name}: {of:?}");
        assert!(tied * 20 < *all, "{name}: {of:?}");
    }
}

/// The counts beside the prefixes and phrases are those of Spider's training questions.
#[test]
fn training_questions_are_counted() {
    let Some(spider) = data() else { return };
    let questions = Questions::read(&spider.join("train_spider.jsonl")).unwrap().questions;
    assert_eq!(questions.len(), 7000);
    let words: Vec<Vec<String>> = questions
        .iter()
        .map(|q| {
            let words = q.question.split_whitespace();
            words.map(|w| w.trim_end_matches([',', '.', '?', '!', ';', ':']).to_lowercase()).collect()
        })
        .collect();
    let starts = |prefix: &str| {
        let prefix: Vec<&str> = prefix.split(' ').collect();
        words
            .iter()
            .filter(|w| w.len() >= prefix.len() && prefix.iter().zip(w.iter()).all(|(a, b)| a == b))
            .count()
    };
    for (prefix, count) in
        [prefix::DECLARATIVE, prefix::DECLARATIVE_TOO, prefix::INTERROGATIVE, prefix::QUESTION_WORDS].concat()
    {
        assert_eq!(starts(prefix), count, "{prefix}");
    }
    for (phrase, count) in synonym::GROUPS.iter().flat_map(|g| g.phrases) {
        let pattern = regex::Regex::new(&format!(r"(?i)\b{}\b", phrase.replace(' ', r"\s+"))).unwrap();
        assert_eq!(questions.iter().filter(|q| pattern.is_match(&q.question)).count(), *count, "{phrase}");
    }
}
