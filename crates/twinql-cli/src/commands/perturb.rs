//! `twinql perturb`: a transformed test set, or training data, from questions.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use twinql::files::Inputs;
use twinql::sql::Dialect;
use twinql_perturb::database::{Moved, file_of, move_rows};
use twinql_perturb::fluency::{Fluency, Trigrams};
use twinql_perturb::generate::{Count, Left, Transformed, counts, sample};
use twinql_perturb::tables_json::Natural;
use twinql_perturb::{Config, Generator, Perturbed, Questions, Relation, Target};

use crate::args::perturb::Perturb;
use crate::args::{DEFAULT_SEED, Format};
use crate::commands::print;
use crate::input;
use crate::output::{Console, table};

/// Questions that are left alone and named on the console; all of them are in the JSON document.
const NAMED: usize = 10;

/// Transforms questions, draws from the results, and writes them.
pub(crate) fn run(typed: &Perturb, seed: Option<u64>, console: Console) -> Result<bool> {
    let relations = typed.relations()?;
    let sampling = typed.sampling()?;
    let seed = seed.unwrap_or(DEFAULT_SEED);
    sqlite_only(typed.input.dialects.dialect)?;
    if typed.format == Format::Jsonl {
        bail!("--format jsonl: counts are one document; use text or json");
    }
    let mut inputs = Inputs::default().with([
        ("--questions", Some(typed.questions.as_path())),
        ("--schemas", Some(typed.input.schemas.as_path())),
        ("--rates", typed.rates.as_deref()),
        ("--fluency-scores", typed.fluency_scores.as_deref()),
        ("--db", typed.db.as_deref()),
    ]);
    inputs.output(&typed.out)?;
    typed.tables.iter().try_for_each(|out| inputs.output(out).map(drop))?;
    if let (Some(from), Some(to)) = (&typed.db, &typed.db_out)
        && let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize())
        && to.starts_with(&from)
    {
        bail!("--db-out {}: it is the folder of --db, or lies in it; give another", to.display());
    }
    let schemas = input::schema_set(&typed.input.schemas, typed.input.dialects.dialect)?;
    let natural = Natural::read(&typed.input.schemas)?;
    let questions = Questions::read(&typed.questions)?;
    let config = Config { relations: relations.clone(), most: typed.most, seed };
    let generator = Generator::new(config, &questions, &schemas, &natural)?;
    let (all, left) = generator.run(&questions);
    let of_all = all.len();
    let results = match (&sampling, typed.sample) {
        (Some(how), _) => {
            let size = typed.size.unwrap_or(of_all);
            twinql_perturb::augment::draw(all, &relations, how, size, seed)
        }
        (None, Some(most)) => sample(all, most, seed),
        (None, None) => all,
    };
    if results.is_empty() {
        let first = left.first().map_or_else(String::new, |l| format!("; question {}: {}", l.origin, l.why));
        bail!("{}: no relation applies to any question{first}", typed.questions.display());
    }
    let originals = if typed.originals { generator.originals(&questions) } else { Vec::new() };
    write(&typed.out, &originals, &results)?;
    if let Some(path) = &typed.tables {
        let entries: Vec<&str> =
            schemas_of(originals.iter().chain(&results)).iter().map(|t| t.tables.as_str()).collect();
        twinql::corpus::io::write_whole(path, |out| writeln!(out, "[{}]", entries.join(",\n")))?;
    }
    let moved = match (&typed.db, &typed.db_out) {
        (Some(from), Some(to)) => Some(move_all(from, to, &originals, &results, console)?),
        _ => None,
    };
    let fluency = fluency(typed, &questions, &results)?;
    let told = Told {
        questions: questions.questions.len() + questions.bad.len(),
        results: results.len(),
        of: of_all,
        seed,
        relations: counts(&relations, &results),
        left: &left,
        fluency,
        databases: moved,
    };
    print(typed.format, || text(&told), || json!(told))?;
    name_left(&left, console);
    Ok(true)
}

/// Golds and predictions are followed as SQLite's SQL.
///
/// # Errors
/// They are another system's.
pub(super) fn sqlite_only(dialect: Dialect) -> Result<()> {
    if dialect != Dialect::Sqlite {
        bail!("--dialect {dialect}: transformed schemas are SQLite's, and so are the queries over them");
    }
    Ok(())
}

/// What was made.
#[derive(Serialize)]
struct Told<'l> {
    questions: usize,
    results: usize,
    /// Results before any were drawn.
    of: usize,
    seed: u64,
    relations: Vec<Count>,
    left: &'l [Left],
    #[serde(skip_serializing_if = "Option::is_none")]
    fluency: Option<Vec<Fluent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    databases: Option<Databases>,
}

/// JSON lines, or Spider's list.
fn write(path: &Path, originals: &[Perturbed], results: &[Perturbed]) -> Result<()> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let spider = name.ends_with(".json") || name.ends_with(".json.gz");
    let all = || originals.iter().chain(results);
    Ok(twinql::corpus::io::write_whole(path, |out| {
        let mut out = std::io::BufWriter::new(out);
        if spider {
            let object = |p: &Perturbed| json!({"question": p.question, "query": p.gold, "db_id": p.place.schema.db_id});
            let list: Vec<Value> = all().map(object).collect();
            serde_json::to_writer_pretty(&mut out, &list)?;
            out.write_all(b"\n")?;
        } else {
            for one in all() {
                one.write(&mut out)?;
                out.write_all(b"\n")?;
            }
        }
        out.flush()
    })?)
}

/// Every schema once, in the order of the inputs.
fn schemas_of<'p>(inputs: impl Iterator<Item = &'p Perturbed>) -> Vec<&'p Arc<Transformed>> {
    let mut seen = HashSet::new();
    inputs.map(|p| &p.place).filter(|place| seen.insert(place.schema.db_id.as_str())).collect()
}

/// What became of SQLite files.
#[derive(Debug, Default, Serialize)]
struct Databases {
    /// Databases that were written.
    written: usize,
    /// Files without keys, since the rows break them.
    without_keys: usize,
    /// Databases for which there is no file.
    missing: Vec<String>,
}

/// Writes the database of each transformed schema, with the rows of the original moved through the mapping. A database
/// that is not there is told once and is no error: the schemas are of use without rows.
fn move_all(
    from: &Path,
    to: &Path,
    originals: &[Perturbed],
    results: &[Perturbed],
    console: Console,
) -> Result<Databases> {
    let places = schemas_of(originals.iter().chain(results));
    let bar = console.bar(Some(places.len() as u64), "moving rows");
    let outcomes: Vec<Result<Option<Moved>>> = places
        .par_iter()
        .map(|place| {
            let source = file_of(from, &place.mapping.db_id);
            let moved = match source.is_file() {
                true => Some(move_rows(&source, place, &file_of(to, &place.schema.db_id))?),
                false => None,
            };
            bar.inc(1);
            Ok(moved)
        })
        .collect();
    bar.finish_and_clear();
    let mut done = Databases::default();
    for (place, outcome) in places.iter().zip(outcomes) {
        match outcome? {
            Some(moved) => {
                done.written += 1;
                done.without_keys += usize::from(moved == Moved::WithoutKeys);
            }
            None if !done.missing.contains(&place.mapping.db_id) => {
                done.missing.push(place.mapping.db_id.clone())
            }
            None => {}
        }
    }
    if !done.missing.is_empty() {
        console.warn(format!(
            "--db {}: no file DB/DB.sqlite for {}; their transformed schemas have no database",
            from.display(),
            done.missing.join(", ")
        ));
    }
    Ok(done)
}

/// Fluency of originals and of what a relation made of them.
#[derive(Debug, Serialize)]
struct Fluent {
    relation: &'static str,
    originals: Spread,
    transformed: Spread,
    /// Questions without a score.
    unknown: usize,
}

/// A mean and quartiles.
#[derive(Debug, Default, Serialize)]
struct Spread {
    n: usize,
    mean: f64,
    low_quartile: f64,
    median: f64,
    high_quartile: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * values.len().saturating_sub(1) as f64;
            values.get(place.round() as usize).copied().unwrap_or(f64::NAN)
        };
        Spread {
            n: values.len(),
            mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
            low_quartile: at(0.25),
            median: at(0.5),
            high_quartile: at(0.75),
        }
    }
}

/// By relation of utterances, then all of them; originals are those that the results come from, each once.
fn fluency(typed: &Perturb, questions: &Questions, results: &[Perturbed]) -> Result<Option<Vec<Fluent>>> {
    if !typed.fluency {
        return Ok(None);
    }
    let fluency = match &typed.fluency_scores {
        Some(path) => Fluency::read(path)?,
        None => Fluency::Model(Box::new(Trigrams::bundled()?)),
    };
    let of_originals: BTreeMap<usize, Option<f64>> = questions
        .questions
        .iter()
        .map(|q| (q.number, fluency.of(&q.number.to_string(), &q.question)))
        .collect();
    let spoken = |relation: &Relation| matches!(relation.target, Target::Utterance(_));
    let made: Vec<(&Perturbed, Option<f64>)> =
        results.iter().filter(|r| spoken(r.relation)).map(|r| (r, fluency.of(&r.id, &r.question))).collect();
    let of = |name: &'static str, belongs: &dyn Fn(&Perturbed) -> bool| {
        let chosen: Vec<&(&Perturbed, Option<f64>)> = made.iter().filter(|(r, _)| belongs(r)).collect();
        let origins: HashSet<usize> = chosen.iter().map(|(r, _)| r.origin).collect();
        let before = of_originals.iter().filter(|(origin, _)| origins.contains(origin));
        Fluent {
            relation: name,
            originals: Spread::of(before.filter_map(|(_, score)| *score).collect()),
            transformed: Spread::of(chosen.iter().filter_map(|(_, score)| *score).collect()),
            unknown: chosen.iter().filter(|(_, score)| score.is_none()).count(),
        }
    };
    let relations = twinql_perturb::RELATIONS.iter().filter(|r| spoken(r));
    let mut all: Vec<Fluent> = relations.map(|r| of(r.name, &|made| made.relation.name == r.name)).collect();
    all.retain(|f| f.transformed.n + f.unknown > 0);
    all.push(of("all", &|_| true));
    Ok(Some(all))
}

/// The counts as people read them, beside those of the paper, and fluency where it was asked for.
fn text(told: &Told<'_>) -> String {
    let drawn = if told.results == told.of { String::new() } else { format!(" of {}", told.of) };
    let mut out = format!("{}{drawn} transformed inputs from {} questions\n", told.results, told.questions);
    let head = ["relation", "", "inputs", "questions", "label kept", "schemas", "paper"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for count in &told.relations {
        let mut row = vec![count.relation.to_owned(), count.short.to_owned()];
        row.extend(
            [count.results, count.questions, count.kept, count.schemas, count.paper].map(|n| n.to_string()),
        );
        rows.push(row);
    }
    let sum = |f: fn(&Count) -> usize| told.relations.iter().map(f).sum::<usize>().to_string();
    let (results, kept, paper) = (sum(|c| c.results), sum(|c| c.kept), sum(|c| c.paper));
    rows.push(["all", "", &results, "", &kept, "", &paper].map(str::to_owned).to_vec());
    out.push_str(&table(&rows));
    out.push_str("paper: MT-TEQL, Table 4, from Spider's 1,034 dev questions\n");
    if let Some(fluency) = &told.fluency {
        out.push_str("\nFluency, 1 / (1 + H)\n");
        let head = ["relation", "originals", "mean", "q1", "median", "transformed", "mean", "q1", "median"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for f in fluency {
            let mut row = vec![f.relation.to_owned()];
            for s in [&f.originals, &f.transformed] {
                row.push(s.n.to_string());
                row.extend([s.mean, s.low_quartile, s.median].map(|x| format!("{x:.4}")));
            }
            rows.push(row);
        }
        out.push_str(&table(&rows));
    }
    if let Some(d) = &told.databases {
        out.push_str(&format!(
            "\n{} databases written, {} of them without keys, which the rows break\n",
            d.written, d.without_keys
        ));
    }
    out
}

/// Names questions of which the schema stays as it is, and why: their number alone would look like a defect.
fn name_left(left: &[Left], console: Console) {
    if left.is_empty() {
        return;
    }
    console.warn(format!("{} questions are left alone, or change in their words only:", left.len()));
    for one in left.iter().take(NAMED) {
        console.warn(format!("question {}: {}", one.origin, one.why));
    }
    if left.len() > NAMED {
        console.warn(format!("and {} more; --format json lists all", left.len() - NAMED));
    }
}
