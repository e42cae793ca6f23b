use std::path::Path;

use super::*;
use twinql_sql::{SchemaSet, canonicalize};

/// Labels by length, so that no suite is needed.
struct Fake;
impl Oracle for Fake {
    fn label(&self, _: &Schema, gold: &str, preds: &[&str]) -> Vec<Outcome> {
        let one = |p: &&str| match *p {
            p if p.contains("broken") => Outcome::PredError,
            p if p.len() % 2 == gold.len() % 2 => Outcome::Label(1),
            _ => Outcome::Label(0),
        };
        preds.iter().map(one).collect()
    }

    fn neighbours(&self, _: &Schema, sql: &str, _: u64, limit: usize) -> Vec<(String, String)> {
        (0..limit).map(|i| (format!("{sql} LIMIT {i}"), format!("m{}", i % 3))).collect()
    }
}

fn config(dir: &Path) -> BuildConfig {
    let put = |name: &str, text: &str| {
        std::fs::write(dir.join(name), text).unwrap();
        dir.join(name).display().to_string()
    };
    let schema =
        |db: &str| put(&format!("{db}.sql"), "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c TEXT)");
    let mut gold = String::new();
    let mut pred = String::new();
    for i in 0..120 {
        let db = ["d1", "d2", "d3", "world_1", "unknown"][i % 5];
        gold.push_str(&format!("SELECT b FROM t WHERE a > {i} AND b = 'x'\t{db}\n"));
        pred.push_str(&format!("SELECT  b from T where a > {}\n", if i % 2 == 0 { "broken" } else { "77" }));
    }
    BuildConfig {
        out: dir.join("out/corpus.jsonl.gz"),
        schemas: vec![schema("d1"), schema("d2"), schema("d3"), schema("world_1")],
        gold: vec![GoldSource {
            gold: put("gold.sql", &gold),
            predictions: vec![put("system.txt", &pred)],
            ..GoldSource::default()
        }],
        pairs: vec![PairSource {
            path: put(
                "p.jsonl",
                "{\"db_id\":\"d1\",\"gold\":\"SELECT b FROM t WHERE a > 1 AND c = 'x y'\",\"pred\":\"SELECT 2\",\"beam\":[\"SELECT b FROM t WHERE c = value\"]}\n{}\n",
            ),
            beam_field: "beam".into(),
            plug_values: true,
            trust_labels: false,
        }],
        split: Split { valid_databases: vec!["d2".into()], ..Split::default() },
        ..BuildConfig::default()
    }
}
use config::{GoldSource, PairSource, Split};

#[test]
fn a_corpus_is_deterministic_complete_and_split_by_database() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    let stats = build_with(&config, &Fake, &mut |_| {}).unwrap();
    let first = std::fs::read(&config.out).unwrap();
    let pairs = pairs::read_strict(&config.out).unwrap();
    assert_eq!(stats.pairs, pairs.len());
    assert_eq!(Stats { dropped: stats.dropped, ..Stats::of(&pairs) }, stats);
    assert_eq!(stats.golds, 73);
    assert!(stats.dropped.excluded > 0 && stats.dropped.unknown_database > 0);
    assert!(stats.dropped.pred_error > 0 && stats.dropped.unusable == 1);
    for kind in ["prediction", "neighbour", "rewrite", "neighbour of a rewrite", "rewrite of a prediction"] {
        assert!(stats.by_origin.contains_key(kind), "{kind}");
    }
    for pair in &pairs {
        let db = pair.db_id.as_deref().unwrap();
        assert!(db != "world_1" && db != "unknown");
        assert_eq!(pair.split.as_deref(), Some(if db == "d2" { "valid" } else { "train" }));
        assert_ne!(normal(&pair.gold), normal(&pair.pred));
    }
    let share = stats.labels.same as f64 / stats.pairs as f64;
    assert!((0.35..0.55).contains(&share), "{share}");
    assert!(pairs.iter().any(|p| p.pred.contains("c = 1")));
    // One thread gives the same bytes.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| build_with(&config, &Fake, &mut |_| {})).unwrap();
    assert_eq!(std::fs::read(&config.out).unwrap(), first);
    assert!(stats_path(&config.out).is_file());
    assert_eq!(std::fs::read_dir(dir.path().join("out")).unwrap().count(), 2);
}

#[test]
fn parts_are_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let config = BuildConfig {
        grammar: vec![config::GrammarSource {
            schemas: vec!["*".into()],
            queries: 4,
            ..config::GrammarSource::default()
        }],
        ..config(dir.path())
    };
    let built = |part: Option<(u64, u64)>| {
        build_with(&BuildConfig { part, ..config.clone() }, &Fake, &mut |_| {})?;
        pairs::read_strict(&config.out)
    };
    let whole = built(None).unwrap();
    // By their names d1 and d2 are in the first part, d3 in the second, and none in the third.
    let parts = [built(Some((1, 3))).unwrap(), built(Some((2, 3))).unwrap()];
    assert!(built(Some((3, 3))).unwrap_err().to_string().contains("no pair is left"));
    let databases = parts.each_ref().map(|part| {
        let names = part.iter().filter_map(|p| p.db_id.as_deref());
        names.collect::<std::collections::BTreeSet<_>>()
    });
    assert!(
        databases.iter().all(|d| !d.is_empty()) && databases[0].is_disjoint(&databases[1]),
        "{databases:?}"
    );
    let together = parts.concat();
    let ids: HashSet<String> = together.iter().map(|p| p.id.to_string()).collect();
    assert_eq!(ids.len(), together.len());
    assert_eq!(nameless(together), nameless(whole));
}

/// Pairs without their numbers, which belong to the file that they are in.
fn nameless(pairs: Vec<Pair>) -> Vec<String> {
    let mut all: Vec<String> =
        pairs.into_iter().map(|p| Pair { id: Json::Null, ..p }.to_json().to_string()).collect();
    all.sort();
    all
}

#[test]
fn one_part_of_the_split_has_what_it_has_in_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = BuildConfig {
        grammar: vec![config::GrammarSource {
            schemas: vec!["*".into()],
            queries: 4,
            ..config::GrammarSource::default()
        }],
        ..config(dir.path())
    };
    config.split.valid_databases = vec!["d2".into()];
    config.split.test_databases = vec!["d3".into()];
    let built = |only: Option<Role>| {
        build_with(&BuildConfig { only, ..config.clone() }, &Fake, &mut |_| {})?;
        pairs::read_strict(&config.out)
    };
    let whole = built(None).unwrap();
    for role in [Role::Train, Role::Valid, Role::Test] {
        let of_role: Vec<Pair> =
            whole.iter().filter(|p| p.split.as_deref() == Some(role.name())).cloned().collect();
        assert!(!of_role.is_empty(), "{role:?}");
        assert_eq!(nameless(built(Some(role)).unwrap()), nameless(of_role), "{role:?}");
    }
}

#[test]
fn proved_pairs_that_no_gold_keeps_are_not_judged() {
    let candidate = |i: usize, proved: bool, label: Option<u8>| Candidate {
        sql: format!("SELECT {i}"),
        source: "rewrite:x".into(),
        label,
        proved,
    };
    let mut all: Vec<Candidate> = (0..20).map(|i| candidate(i, i % 2 == 0, None)).collect();
    all.push(candidate(20, true, Some(1)));
    let limits =
        config::Select { per_gold: 10, positive_share: 0.5, proved_share: 0.4, ..config::Select::default() };
    let mut dropped = Dropped::default();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let kept = candidates::thin(&limits, all, &mut rng, &mut dropped);
    // Two of the ten proved ones, each of the others, and the one with a label of its own.
    assert_eq!((kept.len(), dropped.not_selected), (13, 8));
    assert_eq!(kept.iter().filter(|c| c.proved && c.label.is_none()).count(), 2);
    assert_eq!(kept.last().map(|c| c.label), Some(Some(1)));
}

#[test]
fn interrupted_work_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    build_with(&config, &Fake, &mut |_| {}).unwrap();
    let whole = std::fs::read(&config.out).unwrap();
    let gathered = gather(&config, &Databases::of(&config).unwrap()).unwrap();
    let print = fingerprint(&config, &gathered.tasks);
    let done: Vec<Yield> = gathered.tasks[..10]
        .iter()
        .map(|t| {
            let job = Job {
                config: &config,
                semantics: &config.semantics().unwrap(),
                oracle: &Fake,
                known: &HashSet::new(),
            };
            one_gold(&job, &gathered.schemas[&t.db_id], t)
        })
        .collect();
    let path = config.out.with_file_name("corpus.jsonl.gz.partial");
    let (mut finished, _) = Finished::open(&path, &print, true, |_| Some(())).unwrap();
    let lines: Vec<String> = done.iter().map(|y| serde_json::to_string(y).unwrap()).collect();
    finished.append(&lines).unwrap();
    drop(finished);
    // Cut off in the middle of the last line.
    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 5]).unwrap();
    let mut first = None;
    build_with(&config, &Fake, &mut |p| {
        first.get_or_insert(p.golds);
    })
    .unwrap();
    assert_eq!(first, Some(9));
    assert_eq!(std::fs::read(&config.out).unwrap(), whole);
    // Another configuration does not take it over.
    std::fs::write(&path, &text).unwrap();
    let mut first = None;
    let other = BuildConfig { seed: 9, ..config };
    build_with(&other, &Fake, &mut |p| {
        first.get_or_insert(p.golds);
    })
    .unwrap();
    assert_eq!(first, Some(0));
}

#[test]
fn pairs_come_back_over_changed_schemas() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path());
    build_with(&config, &Fake, &mut |_| {}).unwrap();
    let plain = pairs::read_strict(&config.out).unwrap();
    config.sample.schema_variants = 3;
    let stats = build_with(&config, &Fake, &mut |_| {}).unwrap();
    let all = pairs::read_strict(&config.out).unwrap();
    let (changed, same): (Vec<Pair>, Vec<Pair>) = all.into_iter().partition(|p| p.schema.is_some());
    // The others are what they were.
    let text = |pairs: &[Pair]| -> Vec<(String, String, Option<u8>)> {
        let key = |p: &Pair| (p.gold.clone(), p.pred.clone(), p.label);
        pairs.iter().map(key).collect()
    };
    assert_eq!(text(&plain), text(&same));
    assert!(changed.len() > stats.golds, "{}", changed.len());
    let of = &stats.by_origin["changed schema"];
    assert_eq!(of.same + of.different, changed.len());
    for pair in &changed {
        let db_id = pair.db_id.as_deref().unwrap();
        assert_eq!(pair.split.as_deref(), Some(if db_id == "d2" { "valid" } else { "train" }));
        let schema = Schema::from_ddl(db_id, pair.schema.as_deref().unwrap()).unwrap();
        for sql in [&pair.gold, &pair.pred] {
            assert!(canonicalize(&schema, sql, &Semantics::default()).is_ok(), "{sql}");
        }
        assert!(pair.source.as_deref().unwrap().contains(">schema:"));
    }
    // Labels under other semantics are asked for over the pair's own schema.
    struct Own;
    impl Oracle for Own {
        fn label(&self, schema: &Schema, gold: &str, preds: &[&str]) -> Vec<Outcome> {
            assert!(canonicalize(schema, gold, &Semantics::default()).is_ok(), "{gold}");
            vec![Outcome::Label(0); preds.len()]
        }
        fn neighbours(&self, _: &Schema, _: &str, _: u64, _: usize) -> Vec<(String, String)> {
            Vec::new()
        }
    }
    let strict = "strict".parse().unwrap();
    let (done, dropped) = relabel(changed.clone(), &SchemaSet::new(), &strict, &Own, &|| ());
    assert_eq!((done.len(), dropped.unknown_database), (changed.len(), 0));
}

#[test]
fn queries_of_evaluation_sets_do_not_come_back_under_other_names() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path());
    config.sample.schema_variants = 3;
    let text = "SELECT b FROM t WHERE a > 60 AND b = 'x'";
    let pair = serde_json::json!({
        "schema": "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c TEXT)",
        "gold": text,
        "pred": text,
    });
    let path = dir.path().join("evaluation.jsonl");
    std::fs::write(&path, format!("{pair}\n")).unwrap();
    config.evaluation =
        vec![config::EvaluationSource { path: path.display().to_string(), schemas: Vec::new() }];
    build_with(&config, &Fake, &mut |_| {}).unwrap();
    let kept = pairs::read_strict(&config.out).unwrap();
    assert!(kept.iter().any(|p| p.schema.is_some()));
    // No other gold has this number.
    assert!(kept.iter().all(|p| !p.gold.contains("> 60")), "{kept:?}");
}

#[test]
fn golds_from_a_grammar() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = BuildConfig {
        gold: Vec::new(),
        pairs: Vec::new(),
        grammar: vec![config::GrammarSource {
            schemas: vec!["*".into()],
            queries: 10,
            ..config::GrammarSource::default()
        }],
        ..config(dir.path())
    };
    config.split.test_databases = vec!["d3".into()];
    let stats = build_with(&config, &Fake, &mut |_| {}).unwrap();
    let first = std::fs::read(&config.out).unwrap();
    let databases: std::collections::BTreeSet<String> =
        pairs::read_strict(&config.out).unwrap().into_iter().filter_map(|p| p.db_id).collect();
    // Neither those that others evaluate on nor the part `test`.
    assert_eq!(databases, ["d1", "d2"].map(String::from).into());
    assert!(stats.golds > 15, "{}", stats.golds);
    build_with(&config, &Fake, &mut |_| {}).unwrap();
    assert_eq!(std::fs::read(&config.out).unwrap(), first);
    for (name, message) in [("d3", "reserved"), ("world_1", "reserved"), ("d9", "does not have")] {
        config.grammar[0].schemas = vec![name.into()];
        let e = build_with(&config, &Fake, &mut |_| {}).unwrap_err().to_string();
        assert!(e.contains(message), "{name}: {e}");
    }
}

#[test]
fn configurations() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/corpus.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        BuildConfig::read(&path)
    };
    for (text, message) in [
        ("", "`schemas` is empty"),
        ("schemas = ['s']", "no [[gold]]"),
        ("nonsense = 1", "nonsense"),
        ("schemas = ['s']\nsemantics = 'x'\n[[gold]]\ngold = 'g'", "unknown semantics"),
        ("schemas = ['s']\n[[grammar]]\nqueries = 3", "[[grammar]] needs"),
        ("schemas = ['s']\n[sample]\ncatalogue = 9\n[[gold]]\ngold = 'g'", "catalogue"),
        ("schemas = ['s']\n[split]\nvalid_share = 2.0\n[[gold]]\ngold = 'g'", "split.valid_share"),
        ("schemas = ['s']\n[select]\nproved_share = -1.0\n[[gold]]\ngold = 'g'", "select.proved_share"),
    ] {
        let e = read(text).unwrap_err().to_string();
        assert!(e.contains(message), "{text:?}: {e}");
    }
    let beside =
        read("out = '../o'\nschemas = ['s', '/t']\n[[gold]]\ngold = '../g'\npredictions = ['p/*.txt']")
            .unwrap();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    assert_eq!(beside.out, dir.path().join("a/o"));
    assert_eq!(beside.schemas, [at("a/b/s"), "/t".into()]);
    assert_eq!((&beside.gold[0].gold, &beside.gold[0].predictions[0]), (&at("a/g"), &at("a/b/p/*.txt")));
    assert_eq!(beside.split.test_file, "");
    let config = read("schemas = ['s']\n[[gold]]\ngold = 'g'").unwrap();
    assert!(config.excluded("world_1") && config.excluded("WTA_1") && !config.excluded("d"));
    let allowed = BuildConfig { allow_evaluation_databases: true, ..config };
    assert!(!allowed.excluded("world_1"));
}

/// The file that is most easily forgotten in a new configuration is one that must not be trained on.
#[test]
fn every_shipped_configuration_leaves_the_evaluation_sets_out() {
    if std::env::var_os("TWINQL_DATA").is_none() {
        println!("skipped: TWINQL_DATA is not set");
        return;
    }
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let base = BuildConfig::read(&configs.join("corpus-spider.toml")).unwrap();
    assert_eq!(base.evaluation.len(), 9);
    let mut found = 0;
    for entry in std::fs::read_dir(&configs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("corpus-") || name == "corpus-real.toml" {
            continue;
        }
        let config = BuildConfig::read(&path).unwrap();
        found += 1;
        let bundled = config.schemas.iter().any(|path| path.ends_with("data/schemas"));
        let real = config.schemas.iter().any(|path| !path.ends_with("data/schemas"));
        let left_out = |source: &config::EvaluationSource| config.evaluation.contains(source);
        assert!(!real || base.evaluation.iter().all(left_out), "{name}");
        assert!(!bundled || config.evaluation.iter().any(|s| s.path.ends_with("data/pairs.jsonl")), "{name}");
    }
    assert!(found >= 10, "{found}");
}

#[test]
fn queries_of_evaluation_sets_are_left_out_by_canonical_form() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path());
    let before = build_with(&config, &Fake, &mut |_| {}).unwrap();
    let put = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        dir.path().join(name).display().to_string()
    };
    // The gold of number 60 in other words, over another database; and a system's prediction.
    let ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c TEXT)";
    let pair = serde_json::json!({
        "schema": ddl,
        "gold": "SELECT x.b FROM t AS x WHERE 'x' = x.b AND 60 < x.a",
        "pred": "SELECT b FROM t WHERE a > 77",
    });
    config.out = dir.path().join("out/other.jsonl.gz");
    config.evaluation = vec![config::EvaluationSource {
        path: put("evaluation.jsonl", &format!("{pair}\n")),
        schemas: Vec::new(),
    }];
    let after = build_with(&config, &Fake, &mut |_| {}).unwrap();
    assert_eq!(after.golds, before.golds - 1);
    assert!(after.dropped.evaluation > 10, "{:?}", after.dropped);
    let text = "SELECT b FROM t WHERE a > 60 AND b = 'x'";
    let kept = pairs::read_strict(&config.out).unwrap();
    assert!(kept.iter().all(|p| p.gold != text && p.pred != "SELECT  b from T where a > 77"));
}

#[test]
fn pairs_under_other_semantics() {
    let schema = Schema::from_ddl("d", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)").unwrap();
    let schemas = twinql_sql::SchemaSet::from_iter([("d".to_owned(), schema)]);
    let pair = |pred: &str, label: u8| {
        let text = serde_json::json!({
            "db_id": "d", "gold": "SELECT b FROM t", "pred": pred, "label": label,
            "source": "s", "split": "train", "semantics": "no-fk",
        });
        Pair::from_json(&text.to_string()).unwrap()
    };
    // The fake label of the second is 1, of the third 0; the first keeps its own.
    let pairs = vec![
        pair("SELECT b FROM t WHERE 1", 1),
        pair("SELECT a FROM t", 0),
        pair("SELECT bb FROM t", 0),
        pair("broken", 0),
    ];
    let default = Semantics::default();
    let (done, dropped) = relabel(pairs, &schemas, &default, &Fake, &|| ());
    let labels: Vec<_> = done.iter().map(|p| (p.pred.as_str(), p.label)).collect();
    assert_eq!(
        labels,
        [("SELECT b FROM t WHERE 1", Some(1)), ("SELECT a FROM t", Some(1)), ("SELECT bb FROM t", Some(0))]
    );
    assert_eq!(dropped.pred_error, 1);
    assert!(done.iter().all(|p| p.extra["semantics"] == "default" && p.split.as_deref() == Some("train")));
}

#[test]
fn pairs_that_differ_are_graded_and_the_rest_is_left_alone() {
    let ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)";
    let schema = Schema::from_ddl("d", ddl).unwrap();
    let schemas = twinql_sql::SchemaSet::from_iter([("d".to_owned(), schema)]);
    let pair = |db_id: &str, pred: &str, label: u8| {
        let text = serde_json::json!({
            "db_id": db_id, "gold": "SELECT b FROM t", "pred": pred, "label": label, "question": "which?",
        });
        Pair::from_json(&text.to_string()).unwrap()
    };
    let mut pairs = vec![
        pair("d", "SELECT a FROM t", 0),
        pair("d", "SELECT t.b FROM t", 1),
        pair("d", "SELECT DISTINCT b FROM t", 0),
        pair("d", "SELECT nothing FROM nowhere", 0),
        pair("unknown", "SELECT a FROM t", 0),
        // An older grade is no grade.
        pair("d", "SELECT a FROM t WHERE 0", 0),
    ];
    pairs[1].extra.insert(EASE.to_owned(), Json::from(0.5));
    pairs[5].extra.insert(EASE.to_owned(), Json::from(0.5));
    let mut carried = pair("d", "SELECT c FROM t", 0);
    carried.schema = Some("CREATE TABLE t (b TEXT, c TEXT)".to_owned());
    pairs.push(carried);
    let before: Vec<String> = pairs.iter().map(|p| p.pred.clone()).collect();
    let config = twinql_suite::JudgeConfig { databases: 40, ..twinql_suite::JudgeConfig::default() };
    grade(&mut pairs, &schemas, &config, &|| ());
    let eases: Vec<Option<f64>> = pairs.iter().map(|p| p.extra.get(EASE)?.as_f64()).collect();
    assert!(before.iter().eq(pairs.iter().map(|p| &p.pred)));
    assert_eq!(eases[0], Some(1.0));
    assert_eq!((eases[1], eases[3], eases[4]), (None, None, None));
    assert!(eases[2].is_some_and(|e| 0.0 < e && e < 0.8), "{eases:?}");
    assert_eq!(eases[5], Some(1.0));
    assert!(eases[6].is_some_and(|e| e > 0.9), "{eases:?}");
    assert!(pairs.iter().all(|p| p.question.as_deref() == Some("which?")));
}

#[test]
fn shares_are_counted_where_no_label_says_enough() {
    let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
    let schemas = SchemaSet::from_iter([("d".into(), Schema::from_ddl("d", ddl).unwrap())]);
    let gold = "SELECT name FROM singer ORDER BY age DESC LIMIT 1";
    let pair = |gold: &str, pred: &str, label: u8, semantics: &str| {
        let extra = Map::from_iter([
            ("semantics".to_owned(), Json::from(semantics)),
            // An older share is no share.
            (SHARE.to_owned(), Json::from(7)),
        ]);
        let text = |sql: &str| sql.to_owned();
        Pair {
            db_id: Some(text("d")),
            gold: text(gold),
            pred: text(pred),
            label: Some(label),
            extra,
            ..Pair::default()
        }
    };
    let pairs = vec![
        pair(gold, "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)", 0, "no-fk"),
        pair(gold, "SELECT age FROM singer ORDER BY age DESC LIMIT 1", 0, "no-fk"),
        // Not true, but `no-fk` is believed: it sees more databases. `bird` compares in another way.
        pair(gold, "SELECT age FROM singer", 1, "no-fk"),
        pair(gold, "SELECT age FROM singer", 1, "bird"),
        pair(gold, "SELECT nothing FROM singer", 0, "no-fk"),
        pair("SELECT name FROM singer WHERE 1 = 0", "SELECT age FROM singer WHERE 1 = 0", 0, "no-fk"),
    ];
    let config = twinql_suite::JudgeConfig::default();
    let expected = twinql_suite::plausible::ExpectedConfig::default();
    let shared = share(pairs, &schemas, &config, expected, &|| ());
    let shares: Vec<f64> = shared.iter().map(|pair| pair.extra[SHARE].as_f64().unwrap()).collect();
    assert_eq!(shares.len(), 4, "what cannot be run or tested is left out: {shares:?}");
    assert!(shares[0] > 0.5 && shares[0] < 1.0 && shares[1] < 0.1, "{shares:?}");
    assert!(shares[2] > 0.99 && shares[3] < 0.1, "{shares:?}");
}
