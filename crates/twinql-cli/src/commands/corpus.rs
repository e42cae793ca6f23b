//! `twinql corpus build`, `twinql corpus relabel`, `twinql corpus grade` and `twinql corpus share`.
//!
//! They write a file of pairs, whole or not at all. What is left out on the way is counted by its
//! reason and said, so that a corpus that is smaller than expected explains itself.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use anyhow::{Result, bail};
use twinql::Semantics;
use twinql::corpus::build::{
    BuildConfig, EASE, Role, SHARE, Stats, SuiteOracle, gold_part, grade as add_ease, share as add_share,
    sources, stats_path, write_stats,
};
use twinql::corpus::configuration::folder_of;
use twinql::corpus::paths::misplaced;
use twinql::corpus::{self, Pair, pairs};
use twinql::files::Inputs;
use twinql::files::resume::partial_of;
use twinql::progress::Progress as _;
use twinql::sql::{Dialect, SchemaSet};
use twinql::suite::plausible::ExpectedConfig;
use twinql::suite::{JudgeConfig, Limits};

use crate::args::{DEFAULT_SEED, corpus as args};
use crate::input;
use crate::interrupt;
use crate::output::{Console, built_file};

/// Builds a corpus as a configuration says, but for what flags say otherwise.
pub(crate) fn build(typed: &args::CorpusBuild, seed: Option<u64>, console: Console) -> Result<bool> {
    let path = &typed.config;
    let mut inputs = Inputs::default().with([("--config", Some(path.as_path()))]);
    let mut config = BuildConfig::read(path)?;
    // A path in a configuration is meant from its own folder: one that exists from here alone is a mistake.
    if let Some(said) = config.inputs().find_map(|input| misplaced(folder_of(path), Path::new(input))) {
        bail!("{}: {said}", path.display());
    }
    config.out.clone_from(&typed.out);
    // No output may take the place of a source.
    for source in sources(&config)? {
        inputs.add("a source in --config", &source);
    }
    built_file(&mut inputs, &typed.out)?;
    inputs.output(&stats_path(&typed.out))?;
    interrupt::hint(format!(
        "finished work is in {}; the same command goes on from there",
        partial_of(&typed.out).display()
    ));
    if let Some(semantics) = &typed.semantics {
        config.semantics.clone_from(semantics);
        config.check()?;
    }
    if typed.dialect.dialect != Dialect::Sqlite {
        config.dialect = typed.dialect.dialect;
    }
    if let Some(max) = typed.max_gold {
        config.max_golds = max;
    }
    config.part = typed.part;
    config.only = typed.only.map(|role| match role {
        args::Role::Train => Role::Train,
        args::Role::Valid => Role::Valid,
        args::Role::Test => Role::Test,
    });
    if let Some(seed) = seed {
        config.seed = seed;
    }
    let bar = console.bar(Some(0), "gold queries");
    let stats = corpus::build::build(&config, &mut |progress| {
        bar.set_length(progress.of as u64);
        bar.set_position(progress.golds as u64);
        bar.set_message(format!("{} pairs", progress.pairs));
    })?;
    bar.finish_and_clear();
    console.say(format!(
        "wrote {}: {} pairs of {} gold queries over {} databases, label 1 {}, label 0 {}, under {} semantics",
        typed.out.display(),
        stats.pairs,
        stats.golds,
        stats.databases,
        stats.labels.same,
        stats.labels.different,
        config.semantics,
    ));
    console.say(format!("left out: {}", serde_json::to_string(&stats.dropped)?));
    if stats.pairs == 0 {
        bail!("{}: no pair could be made and labelled; the counts above say why", path.display());
    }
    Ok(true)
}

/// Labels the pairs of a file anew under another semantics. The labels that were there are compared with, and
/// not used.
pub(crate) fn relabel(typed: &args::CorpusRelabel, seed: Option<u64>, console: Console) -> Result<bool> {
    let semantics: Semantics = typed.semantics.parse()?;
    let stats = stats_path(&typed.files.out);
    let (schemas, pairs) = read(&typed.files, &[&typed.files.out, &stats], &typed.part)?;
    let before = pairs.len();
    let own: HashMap<String, Option<u8>> = pairs.iter().map(|p| (p.id.to_string(), p.label)).collect();
    let seed = seed.unwrap_or(DEFAULT_SEED);
    let oracle = SuiteOracle::new(semantics.clone(), seed, typed.databases, MIN_NONEMPTY);
    let of = Some(before as u64);
    let (done, dropped) =
        corpus::build::relabel(pairs, &schemas, &semantics, &oracle, &console.stage("pairs", of));
    if done.is_empty() {
        bail!(
            "{}: no pair is left ({} over databases that {} lacks)",
            typed.files.pairs.display(),
            dropped.unknown_database,
            typed.files.schemas.display()
        );
    }
    pairs::write(&typed.files.out, &done)?;
    let counts = Stats { dropped, ..Stats::of(&done) };
    write_stats(&stats, &counts)?;
    let changed = done.iter().filter(|p| own.get(&p.id.to_string()) != Some(&p.label));
    console.say(format!(
        "wrote {}: {} of {before} pairs, label 1 {}, label 0 {}, under {semantics} semantics; {} labels are others",
        typed.files.out.display(),
        done.len(),
        counts.labels.same,
        counts.labels.different,
        changed.count(),
    ));
    console.say(format!("left out: {}", serde_json::to_string(&counts.dropped)?));
    Ok(true)
}

/// The schemas of a file of pairs, and its pairs: all pairs of the golds that are asked for. No output may take the place of an
/// input.
fn read(files: &args::Files, outputs: &[&Path], part: &args::PartFlag) -> Result<(SchemaSet, Vec<Pair>)> {
    let mut inputs = Inputs::default()
        .with([("FILE", Some(files.pairs.as_path())), ("--schemas", Some(files.schemas.as_path()))]);
    for output in outputs {
        inputs.output(output)?;
    }
    let schemas = input::schema_set(&files.schemas, Dialect::Sqlite)?;
    let mut pairs = pairs::read_strict(&files.pairs)?;
    if let Some((part, of)) = part.golds {
        pairs.retain(|p| gold_part(p, of) == part);
    }
    Ok((schemas, pairs))
}

/// The numbers that pairs have in a further field.
fn numbers(pairs: &[Pair], field: &str) -> Vec<f64> {
    pairs.iter().filter_map(|pair| pair.extra.get(field)?.as_f64()).collect()
}

/// How many numbers lie in a range.
fn within(numbers: &[f64], range: Range<f64>) -> usize {
    numbers.iter().filter(|number| range.contains(number)).count()
}

/// Instructions that an execution may take to grade a pair: there is no early exit, and a database on
/// which a query takes longer is one less.
const GRADE_STEPS: u64 = 200_000;

/// Adds to each pair with label 0 the share of plain databases on which its queries differ: how easily it
/// shows.
pub(crate) fn grade(typed: &args::CorpusGrade, seed: Option<u64>, console: Console) -> Result<bool> {
    let semantics: Semantics = typed.semantics.parse()?;
    let (schemas, mut pairs) = read(&typed.files, &[&typed.files.out], &args::PartFlag::default())?;
    let config = JudgeConfig {
        semantics,
        seed: seed.unwrap_or(DEFAULT_SEED),
        databases: typed.databases,
        limits: Limits { steps: GRADE_STEPS, ..Limits::default() },
        ..JudgeConfig::default()
    };
    let of = Some(pairs.len() as u64);
    add_ease(&mut pairs, &schemas, &config, &console.stage("pairs", of));
    let shares = numbers(&pairs, EASE);
    let different = pairs.iter().filter(|p| p.label == Some(0)).count();
    if different > 0 && shares.is_empty() {
        bail!(
            "none of the {different} pairs with label 0 could be run; are they over the schemas of {}?",
            typed.files.schemas.display()
        );
    }
    pairs::write(&typed.files.out, &pairs)?;
    // The smallest positive number parts 'never' from 'now and then'.
    console.say(format!(
        "wrote {}: {} pairs, {different} with label 0; of {} such pairs plain databases say something: {} are never told apart, {} on fewer than a tenth, {} on fewer than half",
        typed.files.out.display(),
        pairs.len(),
        shares.len(),
        within(&shares, 0.0..f64::MIN_POSITIVE),
        within(&shares, f64::MIN_POSITIVE..0.1),
        within(&shares, 0.1..0.5),
    ));
    Ok(true)
}

/// Adds to each pair the share of plausible databases on which its queries agree.
pub(crate) fn share(typed: &args::CorpusShare, seed: Option<u64>, console: Console) -> Result<bool> {
    let semantics: Semantics = typed.semantics.parse()?;
    let (schemas, pairs) = read(&typed.files, &[&typed.files.out], &typed.part)?;
    let before = pairs.len();
    let seed = seed.unwrap_or(DEFAULT_SEED);
    let config = JudgeConfig { semantics, seed, kept: typed.keep, ..JudgeConfig::default() };
    let expected = ExpectedConfig { databases: typed.databases };
    let of = Some(before as u64);
    let shared = add_share(pairs, &schemas, &config, expected, &console.stage("pairs", of));
    if shared.is_empty() {
        bail!(
            "none of the {before} pairs could be run; are they over the schemas of {}?",
            typed.files.schemas.display()
        );
    }
    pairs::write(&typed.files.out, &shared)?;
    let shares = numbers(&shared, SHARE);
    console.say(format!(
        "wrote {}: {} of {before} pairs; the share of {} is below 0.1, of {} from there to 0.9, of {} above",
        typed.files.out.display(),
        shared.len(),
        within(&shares, 0.0..0.1),
        within(&shares, 0.1..0.9),
        within(&shares, 0.9..2.0),
    ));
    Ok(true)
}

/// Databases on which the gold has to answer with rows before agreement counts, as in
/// [`BuildConfig`].
const MIN_NONEMPTY: u64 = 3;
