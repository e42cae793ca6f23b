//! `twinql corpus build` and `twinql corpus stats`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::json;
use twinql::corpus::build::{BuildConfig, origin};
use twinql::corpus::{self, pairs};
use twinql::sql::Dialect;

use crate::args::{Format, typed};
use crate::output::{Console, Sink, table};

pub(crate) fn build(typed: &typed::CorpusBuild, seed: Option<u64>, console: Console) -> Result<bool> {
    let path = &typed.config;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut config = BuildConfig::from_toml(&text).with_context(|| path.display().to_string())?;
    config.out.clone_from(&typed.out);
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
        bail!(
            "{}: no pair could be made and labelled; the counts above say why",
            path.display()
        );
    }
    Ok(true)
}

/// Pairs of one group by label.
#[derive(Default, Clone, Copy)]
struct Count {
    zero: usize,
    one: usize,
    none: usize,
}

impl Count {
    fn add(&mut self, label: Option<u8>) {
        *match label {
            Some(0) => &mut self.zero,
            Some(_) => &mut self.one,
            None => &mut self.none,
        } += 1;
    }

    fn total(self) -> usize {
        self.zero + self.one + self.none
    }
}

/// `301 gold queries, 12 databases`.
fn counted(pairs: &[corpus::Pair]) -> String {
    let golds: BTreeSet<_> = pairs.iter().map(|p| (&p.db_id, &p.schema, &p.gold)).collect();
    let databases: BTreeSet<_> = pairs.iter().map(|p| (&p.db_id, &p.schema)).collect();
    format!("{} gold queries, {} databases", golds.len(), databases.len())
}

pub(crate) fn stats(typed: &typed::CorpusStats) -> Result<bool> {
    let file = pairs::read(&typed.pairs)?;
    if let (true, Some(bad)) = (file.pairs.is_empty(), file.bad.first()) {
        bail!(
            "no line of the file is a pair; {}, line {}: {}; give one JSON object a line, with db_id, gold and pred",
            typed.pairs.display(),
            bad.line,
            bad.message
        );
    }
    let mut all = Count::default();
    let mut groups: [(&str, BTreeMap<String, Count>); 3] = [
        ("split", BTreeMap::new()),
        ("origin", BTreeMap::new()),
        ("db_id", BTreeMap::new()),
    ];
    for pair in &file.pairs {
        all.add(pair.label);
        let origin = pair.source.as_deref().map(|s| origin(s).to_owned());
        let keys = [pair.split.clone(), origin, pair.db_id.clone()];
        for ((_, counts), key) in groups.iter_mut().zip(keys) {
            counts
                .entry(key.unwrap_or_else(|| "(none)".into()))
                .or_default()
                .add(pair.label);
        }
    }
    let mut sink = Sink::new(None)?;
    if typed.format.format == Format::Text {
        let row = |name: &str, c: &Count| {
            let mut cells = vec![name.to_owned()];
            cells.extend([c.total(), c.one, c.zero, c.none].map(|n| n.to_string()));
            cells
        };
        let head = |name: &str| {
            [name, "pairs", "label 1", "label 0", "no label"]
                .map(String::from)
                .to_vec()
        };
        let mut rows = vec![head(&counted(&file.pairs)), row("all", &all)];
        for (name, counts) in &groups {
            rows.push(Vec::new());
            rows.push(head(name));
            rows.extend(counts.iter().map(|(key, c)| row(key, c)));
        }
        sink.write(&table(&rows))?;
        if let Some(bad) = file.bad.first() {
            let n = file.bad.len();
            sink.line(&format!(
                "\n{n} lines hold no pair; the first is line {}: {}",
                bad.line, bad.message
            ))?;
        }
    } else {
        let one =
            |c: &Count| json!({"pairs": c.total(), "label_1": c.one, "label_0": c.zero, "no_label": c.none});
        let by = |counts: &BTreeMap<String, Count>| -> serde_json::Map<String, serde_json::Value> {
            counts.iter().map(|(key, c)| (key.clone(), one(c))).collect()
        };
        let mut document = json!({"all": one(&all), "bad_lines": file.bad.len()});
        for (name, counts) in &groups {
            document[*name] = by(counts).into();
        }
        sink.line(&serde_json::to_string_pretty(&document)?)?;
    }
    sink.finish()?;
    Ok(true)
}
