//! Settings from the environment, input without an end, and folders that are in use.

use crate::support::{Folder, four, over_pairs, with_four};

fn with_variable(folder: &Folder, args: &[&str], name: &str, value: &str) -> (Option<i32>, String) {
    let output = folder.twinql(args).env(name, value).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_switch_in_the_environment_says_yes_or_no() {
    let folder = with_four();
    let score = over_pairs("score", &["--metric", "relpm"]);
    let judge = over_pairs("judge", &["--databases", "3"]);
    for (args, name) in [
        (&score, "TWINQL_QUIET"),
        (&score, "TWINQL_STRICT"),
        (&score, "TWINQL_ECHO"),
        (&score, "TWINQL_RESUME"),
        (&judge, "TWINQL_KEEP_DISTINCT"),
    ] {
        for junk in ["junk", "2", "ja"] {
            let (code, err) = with_variable(&folder, args, name, junk);
            assert_eq!(code, Some(2), "{name}={junk}: {err}");
            assert!(err.contains(name) && err.contains(junk) && err.contains("true"), "{err}");
        }
    }
    let quiet = |value: &str| with_variable(&folder, &score, "TWINQL_QUIET", value);
    for yes in ["1", "true", "YES", "on"] {
        assert_eq!(quiet(yes), (Some(0), String::new()), "{yes}");
    }
    for no in ["0", "False", "no", "off", ""] {
        let (code, err) = quiet(no);
        assert!(code == Some(0) && err.contains("scored 4 pairs"), "{no}: {err}");
    }
    // One that the command does not take is no business of it.
    let (code, _) = with_variable(&folder, &score, "TWINQL_PLUG_VALUES", "junk");
    assert_eq!(code, Some(0));
}

#[test]
fn a_value_in_the_environment_is_named_in_its_error() {
    let folder = with_four();
    let score = over_pairs("score", &["--metric", "relpm"]);
    for (name, value) in [("TWINQL_THREADS", "many"), ("TWINQL_SEED", "x"), ("TWINQL_DIALECT", "cobol")] {
        let (code, err) = with_variable(&folder, &score, name, value);
        assert_eq!(code, Some(2));
        assert!(err.contains(name) && err.contains(value), "{err}");
    }
    let (code, err) =
        with_variable(&folder, &[&score[..], &["--threads", "x"]].concat(), "TWINQL_THREADS", "x");
    assert!(code == Some(2) && !err.contains("TWINQL_THREADS"), "{err}");
}

/// Each of these once had no variable: what the flag does in vain, or does, the variable does too.
#[test]
fn every_flag_is_heard_from_the_environment() {
    let folder = with_four();
    let score = over_pairs("score", &["--metric", "relpm"]);
    let files = ["pairs.jsonl", "--schemas", "concerts.sql", "--out", "o.jsonl"];
    let relabel = [&["corpus", "relabel"], &files[..], &["--semantics", "strict"]].concat();
    let show = ["suite", "show", "none.suite"];
    let run = ["suite", "run", "--suite", "none.suite", "--gold", "none.sql"];
    for (args, name, value, said) in [
        (&score[..], "TWINQL_REWARD", "1", "--reward is read only by gmn"),
        (&score, "TWINQL_ABSTAIN", "yes", "--abstain needs a learned metric"),
        (&relabel, "TWINQL_GOLDS", "3/2", "TWINQL_GOLDS"),
        (&["selftest"], "TWINQL_RECORD", "1", "--stored"),
        (&show, "TWINQL_DATABASE", "1", "--db-id"),
        (&[&show[..], &["--database", "1", "--db-id", "a"]].concat(), "TWINQL_LEFT", "1", "--left"),
        (&run, "TWINQL_PRED", "none.txt", "none.suite"),
    ] {
        let (code, err) = with_variable(&folder, args, name, value);
        assert!(code == Some(2) && err.contains(said), "{name}: {code:?} {err}");
    }
    let queries = ["SELECT name FROM singer", "SELECT id FROM singer"];
    let explain = [&["explain", "--schemas", "concerts.sql"], &queries[..]].concat();
    let (code, err) = with_variable(&folder, &explain, "TWINQL_ATTENTION", "attention.json");
    assert_eq!(code, Some(0), "{err}");
    assert!(folder.read("attention.json").contains("gold"));
}

#[test]
fn the_log_takes_levels() {
    let folder = with_four();
    let score = over_pairs("score", &["--metric", "relpm", "--quiet"]);
    for bogus in ["bogus", "twinql=loud", "info,bogus", "=debug"] {
        let (code, err) = with_variable(&folder, &score, "TWINQL_LOG", bogus);
        assert_eq!(code, Some(2), "{bogus}: {err}");
        assert!(err.contains("TWINQL_LOG") && err.contains("error, warn, info, debug"), "{err}");
    }
    for level in ["", "off", "warn", "INFO", "error,twinql_suite=debug"] {
        assert_eq!(with_variable(&folder, &score, "TWINQL_LOG", level).0, Some(0), "{level}");
    }
}

#[test]
fn more_threads_than_any_machine_has() {
    let folder = with_four();
    let threads = |n: &'static str| over_pairs("score", &["--metric", "relpm", "--threads", n]);
    folder.refuses(&threads("100000"), &["--threads 100000: must be at most 1024"]);
    assert_eq!(folder.lines(&threads("64")).len(), 4);
}

/// Bytes without an end, and files of something else, are refused soon.
#[cfg(unix)]
#[test]
fn input_without_an_end() {
    let folder = with_four();
    folder.write("gold.txt", "SELECT name FROM singer\tconcerts\n");
    for args in [
        "score --pairs /dev/zero --metric relpm",
        "score --gold /dev/zero --pred gold.txt --metric relpm",
        "score --gold gold.txt --pred /dev/zero --metric relpm",
        "prove --pairs /dev/zero",
        "evaluate --pairs /dev/zero --metric relpm",
    ] {
        let args = format!("{args} --schemas concerts.sql");
        folder.refuses(&args, &["/dev/zero, line 1 is longer than", "no text file"]);
    }
    for args in ["corpus build --config /dev/zero --out x.jsonl", "train --config /dev/zero --run run"] {
        folder.refuses(args, &["/dev/zero is larger than", "configuration"]);
    }
    let mut noise = 1u64;
    let bytes: Vec<u8> = (0..200_000)
        .map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (noise >> 56) as u8
        })
        .collect();
    folder.write("noise.jsonl", bytes.repeat(3));
    let noise = "score --pairs noise.jsonl --schemas concerts.sql --metric relpm";
    folder.refuses(noise, &["none of the first 1000 lines of the file is a pair", "noise.jsonl, line 1"]);
}

/// A long line is that pair's, an endless one the file's.
#[test]
fn a_line_of_many_megabytes_costs_one_pair() {
    let folder = with_four();
    let long = format!(r#"{{"id":"long","gold":"{}"}}"#, "x".repeat(17 << 20));
    folder.write("pairs.jsonl", format!("{}\n{long}\n{}", four(), four()));
    let records = folder.lines(&over_pairs("score", &["--metric", "relpm"]));
    assert_eq!(records.len(), 9);
    assert_eq!(records[4]["status"], "gold_error");
    assert!(records[4]["error"].as_str().unwrap().contains("longest line"));
    assert_eq!(records[5]["status"], "ok");
}

/// Whoever comes second is told so, and changes nothing.
#[test]
fn one_run_for_each_folder_and_each_output() {
    let folder = with_four();
    std::fs::create_dir(folder.path("run")).unwrap();
    let held = |name: &str| {
        let file = std::fs::File::create(folder.path(name)).unwrap();
        file.lock().unwrap();
        file
    };
    let config =
        "[[data.corpora]]\npairs = \"pairs.jsonl\"\nschemas = \"concerts.sql\"\nsemantics = \"default\"\n";
    folder.write("train.toml", config);
    folder.write("gold.txt", "SELECT name FROM singer\tconcerts\n");
    let _run = held("run/.lock");
    for command in ["train", "pretrain"] {
        let args = format!("{command} --config train.toml --run run");
        folder.refuses(&args, &["run is in use by another run of twinql", "another run folder"]);
    }
    let _suite = held("x.suite.partial");
    let build = "suite build --gold gold.txt --schemas concerts.sql --out x.suite";
    folder.refuses(build, &["x.suite.partial is in use"]);
    let _corpus = held("x.jsonl.partial");
    folder.write("corpus.toml", "schemas = [\"concerts.sql\"]\n[[gold]]\ngold = \"gold.txt\"\n");
    folder.refuses("corpus build --config corpus.toml --out x.jsonl", &["x.jsonl.partial is in use"]);
    assert!(!folder.path("x.suite").exists() && !folder.path("x.jsonl").exists());
}
