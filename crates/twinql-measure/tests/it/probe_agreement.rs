//! The evaluator gives SQLite's answers, and what the probe tells apart SQLite does.

use std::path::PathBuf;

use twinql_measure::inputs::bundled as bundled_data;
use twinql_measure::probe_agreement::beside_sqlite::{Pair, Tally, agreement, pairs, schemas, soundness};
use twinql_sql::Semantics;

/// A file of pairs, its schemas, and which of its lines are taken.
type Set = (PathBuf, PathBuf, usize);

fn bundled() -> Set {
    (bundled_data().join("pairs.jsonl"), bundled_data().join("schemas"), 1)
}

/// Real queries and predictions, where there are any.
fn real() -> Vec<Set> {
    let Some(data) = std::env::var_os("TWINQL_DATA").map(PathBuf::from) else {
        eprintln!("skipped: real queries, which TWINQL_DATA would name");
        return Vec::new();
    };
    vec![
        (data.join("pairs/bird_ex_dev.jsonl"), data.join("bird/dev_tables.json"), 8),
        (data.join("pairs/spider_pair_dev.jsonl"), data.join("spider/tables.json"), 2),
        (data.join("pairs/splash_train_seq2struct.jsonl"), data.join("spider/tables.json"), 8),
    ]
}

fn tally(set: &Set, of: impl Fn(&twinql_sql::Schema, &Pair, &mut Tally) + Sync) -> Tally {
    let (file, folder, step) = set;
    let schemas = schemas(folder);
    let all = pairs(file, *step);
    assert!(!all.is_empty(), "no pairs in {}", file.display());
    Tally::over(&all, &schemas, of)
}

#[test]
fn answers_are_those_of_sqlite() {
    for set in std::iter::once(bundled()).chain(real()) {
        let found = tally(&set, |schema, pair, tally| {
            agreement(schema, &pair.gold, tally);
            agreement(schema, &pair.pred, tally);
        });
        let (agreed, other) = (found.of("planned: agrees"), found.of("planned: "));
        assert!(found.wrong.is_empty(), "{} answers differ: {:#?}", found.wrong.len(), found.wrong.first());
        assert!(agreed * 10 > other * 8, "few queries have an answer: {:?}", found.counts);
    }
}

/// Expressions over pets: of each kind that the evaluator writes itself, and of functions that it asks the sandbox for.
const EXPRESSIONS: &[&str] = &[
    "abs(-age)",
    "~id",
    "ceil(age) - floor(age) + trunc(age)",
    "sqrt(age) || '/' || round(exp(id), 3) || '/' || ln(age)",
    "mod(id, 2) + power(id, 2) + sign(age)",
    "likely(id > 1) + unlikely(id > 2) + likelihood(id > 3, 0.5)",
    "hex(name) || quote(name) || typeof(age) || unicode(name) || char(65, id)",
    "printf('%05.1f|%s|%x', age, name, id)",
    "format('%,d', id * 1000)",
    "concat(name, NULL, id) || concat_ws('-', name, age)",
    "name GLOB '[A-M]*'",
    "soundex(name) || octet_length(name) || length(zeroblob(id))",
    "date(born, 'weekday 1') || strftime('%W %j', born) || time(born, '+90 minutes')",
    "date(2460000 + id) || date('12:30') || coalesce(date('2020-02-31'), 'none')",
    "unixepoch(born) || timediff(born, '2000-01-01') || current_date",
    "json_extract('{\"a\": [1, 2]}', '$.a[1]') || ('{\"a\": 5}' -> 'a') || ('[7]' ->> 0)",
    "json_array(name, age, NULL) || json_object('n', name) || json_type('[1]')",
    "ntile(3) OVER (ORDER BY id)",
    "(SELECT group_concat(name, '; ' ORDER BY id DESC) FROM pet)",
    "(SELECT group_concat(age ORDER BY age, id) FROM pet)",
    "sum(age) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING)",
    "min(age) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING)",
    "first_value(name) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)",
    "last_value(name) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)",
    "nth_value(name, 2) OVER (ORDER BY id)",
    "lag(name, 1, 'none') OVER (ORDER BY id) || lead(name, 2, id) OVER (ORDER BY id)",
    "first_value(name) OVER (ORDER BY id) || last_value(name) OVER (ORDER BY id)",
    "rank() OVER (ORDER BY id) + dense_rank() OVER (ORDER BY id) + percent_rank() OVER (ORDER BY id)",
    "pg_split_part(born, '-', 2) || pg_lpad(name, 9, '*') || pg_initcap(name) || pg_reverse(name)",
    "pg_date_trunc('month', born) || my_date_format(born, '%d.%m.%Y') || pg_regexp(name, '^[A-M]', 'c')",
    "pg_greatest(id, age, NULL) + pg_least(id, age)",
];

#[test]
fn functions_have_the_values_of_sqlite() {
    let ddl = "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age REAL NOT NULL, born DATE NOT NULL)";
    let schema = twinql_sql::Schema::from_ddl("pets", ddl).unwrap();
    let grouped =
        ["pg_mode(age)", "pg_stddev_pop(age)", "pg_percentile_cont(0.5, age)", "pg_percentile_disc(0.5, id)"];
    let queries = EXPRESSIONS.iter().map(|e| format!("SELECT id, {e} FROM pet"));
    let queries = queries.chain(grouped.map(|e| format!("SELECT {e} FROM pet GROUP BY id % 2")));
    for sql in queries {
        let mut tally = Tally::default();
        agreement(&schema, &sql, &mut tally);
        assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong.first());
        assert!(
            tally.of("planned: agrees") > 3 && tally.of("planned: not") == 0,
            "{sql}: {:?}",
            tally.counts
        );
    }
}

#[test]
fn what_is_told_apart_sqlite_tells_apart() {
    let presets = ["default", "no-fk", "bird", "declared", "strict"];
    for (i, set) in std::iter::once(bundled()).chain(real()).enumerate() {
        // Bundled pairs under all presets, the others under one each.
        let asked = if i == 0 { &presets[..] } else { presets.get(i..=i).unwrap_or(&presets[..1]) };
        for name in asked {
            let semantics = Semantics::preset(name).unwrap();
            let found = tally(&set, |schema, pair, tally| soundness(schema, pair, &semantics, tally));
            assert!(
                found.wrong.is_empty(),
                "{name}: {} pairs: {:#?}",
                found.wrong.len(),
                found.wrong.first()
            );
            assert!(found.of("refuted") > 50, "{name}: {:?}", found.counts);
        }
    }
}
