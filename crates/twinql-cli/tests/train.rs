//! `twinql train`, and a checkpoint's way back into `score`, through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::{Folder, json_lines};

const CONFIG: &str = r#"
run = "run"
[data]
train_split = "train"
[[data.corpora]]
pairs = "corpus.jsonl"
schemas = "concerts.sql"
semantics = "default"
[model]
node_dim = 8
message_dim = 8
graph_dim = 8
position_dim = 4
walk_steps = 4
char_channels = 4
char_blocks = 1
propagation_steps = 2
[train]
epochs = 2
batch_size = 8
warmup_steps = 1
"#;

const CORPUS: &str = r#"[[data.corpora]]
pairs = "corpus.jsonl"
schemas = "concerts.sql"
semantics = "default"
"#;

/// A toy corpus: a column too many, a filter too many, and the same query written otherwise.
fn corpus() -> String {
    let mut lines = Vec::new();
    for n in 0..24 {
        let gold = format!("SELECT name FROM singer WHERE age > {n}");
        let split = if n % 4 == 0 { "valid" } else { "train" };
        for (pred, label) in [
            (format!("SELECT name FROM singer WHERE age > {n} AND id IN (SELECT singer_id FROM concert)"), 0),
            (format!("SELECT name, age FROM singer WHERE age > {n}"), 0),
            (format!("SELECT name FROM singer WHERE age > {n} AND age >= (SELECT MIN(age) FROM singer)"), 1),
            (format!("SELECT s.name FROM singer AS s WHERE s.age > {n}"), 1),
        ] {
            let line = serde_json::json!({"id": lines.len(), "db_id": "concerts", "gold": gold, "pred": pred,
                "label": label, "split": split});
            lines.push(line.to_string());
        }
    }
    lines.join("\n")
}

#[test]
fn train_then_score() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG);
    let (out, err) = folder.run(&["train", "--config", "train.toml"], 0);
    assert!(out.contains("checkpoint  run/model.safetensors"), "{out}");
    assert!(out.contains("validation  24 pairs, AUC") && out.contains("|metric:gmn|ckpt:"), "{out}");
    assert!(err.contains("train: 72 pairs, 36 with label 1") && err.contains("epoch   2"), "{err}");
    assert!(out.contains("band        "), "{out}");
    assert!(err.contains(" pairs/s, at most ") && err.contains(" left"), "{err}");
    for file in ["model.safetensors", "config.toml", "metrics.jsonl", "curves.svg"] {
        assert!(folder.path("run").join(file).is_file(), "{file}");
    }
    let environment: serde_json::Value = serde_json::from_str(&folder.read("run/environment.json")).unwrap();
    assert_eq!(environment["device"], "native");
    assert!(environment["rustc"].as_str().unwrap().starts_with("rustc "));
    assert!(out.contains(environment["signature"].as_str().unwrap()), "{environment}");

    let score = [
        "score",
        "--pairs",
        "corpus.jsonl",
        "--schemas",
        "concerts.sql",
        "--checkpoint",
        "run/model.safetensors",
    ];
    let (first, err) = folder.run(&score, 0);
    assert!(err.contains("scored 96 pairs: ok 96"), "{err}");
    let records = json_lines(&first);
    for (record, same) in records.iter().zip([false, false, true, true].iter().cycle()) {
        let p = record["scores"]["gmn"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&p));
        assert!(record["details"]["gmn"]["distance"].is_number());
        assert!(*same || record["details"]["gmn"]["identical"] == false, "{record}");
    }
    let threads: Vec<&str> = score.iter().copied().chain(["--threads", "1"]).collect();
    assert_eq!(folder.run(&threads, 0).0, first);

    // Two dozen validation pairs cannot promise 2 %: the network abstains wherever it is asked. What a database tells apart
    // it is not asked.
    let abstain: Vec<&str> = score.iter().copied().chain(["--abstain"]).collect();
    let mut decided = [0, 0];
    for record in json_lines(&folder.run(&abstain, 0).0) {
        let gmn = &record["details"]["gmn"];
        let (identical, refuted) = (gmn["identical"] == true, gmn["refuted"] == true);
        assert_eq!(gmn["abstained"], !(identical || refuted), "{record}");
        assert_eq!(gmn["decision"].as_bool(), (identical || refuted).then_some(identical), "{record}");
        decided[0] += i32::from(identical);
        decided[1] += i32::from(refuted);
    }
    assert_eq!(decided[0], 24);
    assert!(decided[1] >= 48, "{decided:?}");
    let alone: Vec<&str> = abstain.iter().copied().chain(["--probe", "0"]).collect();
    for record in json_lines(&folder.run(&alone, 0).0) {
        assert_eq!(record["details"]["gmn"]["abstained"], record["details"]["gmn"]["identical"] == false);
    }
    let evaluated = folder.json(&[
        "evaluate",
        "--pairs",
        "corpus.jsonl",
        "--schemas",
        "concerts.sql",
        "--checkpoint",
        "run/model.safetensors",
        "--metric",
        "gmn",
        "--format",
        "json",
    ]);
    let gmn = &evaluated["metrics"][0];
    assert_eq!(gmn["abstention"]["decided"], decided[0] + decided[1], "{gmn}");
    assert_eq!(gmn["abstention"]["accuracy"], 1.0);
    assert!(gmn["ece"].is_number());

    // A semantics that the network does not have.
    let other: Vec<&str> = score.iter().copied().chain(["--semantics", "bird"]).collect();
    let (_, err) = folder.run(&other, 0);
    assert!(
        err.contains(
            "the network answers for the semantics of the labels it was trained on, default; gmn, the tiers and ex take default"
        ),
        "{err}"
    );

    // A damaged file is refused, whatever was cut off.
    let bytes = std::fs::read(folder.path("run/model.safetensors")).unwrap();
    folder.write("cut.safetensors", &bytes[..bytes.len() - 7]);
    folder.refuses(
        &["score", "--pairs", "corpus.jsonl", "--schemas", "concerts.sql", "--checkpoint", "cut.safetensors"],
        &["cut.safetensors is not a usable twinql checkpoint", "truncated"],
    );
    // So is one of another vocabulary.
    let hash = twinql::graph::vocabulary::hash();
    let text = String::from_utf8_lossy(&bytes);
    let place = text.find(&hash).expect("the checkpoint names its vocabulary");
    let mut foreign = bytes.clone();
    foreign[place] = if foreign[place] == b'0' { b'1' } else { b'0' };
    let score_with = |file: &'static str| {
        let pairs = ["score", "--pairs", "corpus.jsonl", "--schemas", "concerts.sql"];
        [&pairs[..], &["--checkpoint", file]].concat()
    };
    folder.write("damaged.safetensors", &foreign);
    folder.refuses(&score_with("damaged.safetensors"), &["damaged.safetensors is damaged", "checksum"]);
    folder.refuses(&["seal", "damaged.safetensors"], &["1 of 1 files got no checksum"]);
    // As a program without checksums would have written it.
    foreign.drain(25..105);
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) - 80;
    foreign[..8].copy_from_slice(&header.to_le_bytes());
    folder.write("foreign.safetensors", &foreign);
    folder.refuses(
        &score_with("foreign.safetensors"),
        &["foreign.safetensors carries no checksum", "twinql seal"],
    );
    let (out, _) = folder.run(&["seal", "foreign.safetensors", "run/model.safetensors"], 0);
    assert!(
        out.contains("foreign.safetensors: now carries the checksum ")
            && out.contains("model.safetensors: has the checksum "),
        "{out}"
    );
    folder.refuses(
        &[
            "score",
            "--pairs",
            "corpus.jsonl",
            "--schemas",
            "concerts.sql",
            "--checkpoint",
            "foreign.safetensors",
        ],
        &["foreign.safetensors was trained with feature vocabulary"],
    );
}

/// From any current folder, and pairs that name no split.
#[test]
fn one_network_answers_two_questions() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    let share = ["corpus", "share", "corpus.jsonl", "--schemas", "concerts.sql", "--semantics", "default"];
    let (_, err) = folder.run(&[&share[..], &["--out", "shared.jsonl"]].concat(), 0);
    assert!(err.contains("wrote shared.jsonl: ") && err.contains(" of 96 pairs; the share of "), "{err}");
    let shared = json_lines(&folder.read("shared.jsonl"));
    let share_of = |pair: &serde_json::Value| pair["share"].as_f64().unwrap();
    assert!(shared.iter().all(|pair| (0.0..=1.0).contains(&share_of(pair))));
    // What always differs is told from what never does, whatever the label says.
    assert!(shared.iter().any(|p| share_of(p) > 0.9) && shared.iter().any(|p| share_of(p) < 0.1));
    let question = "question = \"plausible\"\n";
    folder.write(
        "train.toml",
        CONFIG.replace(
            "[model]",
            &format!("{CORPUS}{question}[model]").replace("corpus.jsonl", "shared.jsonl"),
        ),
    );
    let (out, err) = folder.run(&["train", "--config", "train.toml"], 0);
    assert!(out.contains("plausible   ") && err.contains("train: "), "{out}{err}");
    let score = |more: &[&str]| {
        let base = ["score", "--pairs", "corpus.jsonl", "--schemas", "concerts.sql", "--checkpoint"];
        let args = [&base[..], &["run/model.safetensors", "--format", "json"], more].concat();
        serde_json::from_str::<serde_json::Value>(&folder.run(&args, 0).0).unwrap()
    };
    let (every, plausible) = (score(&[]), score(&["--question", "plausible"]));
    assert!(
        plausible.to_string().contains("|question:plausible") && !every.to_string().contains("|question:")
    );
    assert_ne!(every["records"], plausible["records"]);
    // The usual question under another name is the same bytes.
    assert_eq!(every, score(&["--question", "every"]));
    let one = ["score", "--pairs", "corpus.jsonl", "--schemas", "concerts.sql", "--question"];
    folder.refuses(&[&one[..], &["all"]].concat(), &["--question: unknown question \"all\""]);
    folder.refuses(&[&one[..], &["plausible", "--metric", "relpm"]].concat(), &["add gmn or ex"]);
    let tier = ["plausible", "--metric", "gmn,two-tier", "--checkpoint", "run/model.safetensors"];
    folder.refuses(&[&one[..], &tier].concat(), &["two-tier goes by proofs"]);
    folder.write("usual.toml", CONFIG.replace("run = \"run\"", "run = \"usual\""));
    folder.run(&["train", "--config", "usual.toml"], 0);
    let usual = ["plausible", "--checkpoint", "usual/model.safetensors"];
    folder.refuses(&[&one[..], &usual].concat(), &["was not trained for the question `plausible`"]);
}

#[test]
fn paths_and_parts_need_not_be_spelled_out() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("configs")).unwrap();
    let mut lines = Vec::new();
    for n in 0..10 {
        let ddl = format!("CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a INTEGER)");
        for line in corpus().lines().take(8) {
            let mut pair: serde_json::Value = serde_json::from_str(line).unwrap();
            let pair = pair.as_object_mut().unwrap();
            pair.remove("split");
            pair.remove("db_id");
            for side in ["gold", "pred"] {
                let sql = pair[side].as_str().unwrap().replace("singer_id", "id");
                let sql = sql.replace("concert", &format!("t{n}")).replace("singer", &format!("t{n}"));
                pair[side] = sql.replace("name", "a").replace("age", "a").into();
            }
            pair.insert("schema".into(), ddl.clone().into());
            lines.push(serde_json::to_string(&pair).unwrap());
        }
    }
    folder.write("corpus.jsonl", lines.join("\n"));
    let config = CONFIG
        .replace("\"corpus.jsonl\"\nschemas = \"concerts.sql\"", "\"../corpus.jsonl\"")
        .replace("run = \"run\"", "run = \"../run\"");
    folder.write("configs/train.toml", &config);
    let (_, err) = folder.run(&["train", "--config", "configs/train.toml"], 0);
    assert!(
        err.contains(
            "no pair has a split; split by database: 8 of 80 pairs, 1 of 10 databases validate (seed 8)"
        ),
        "{err}"
    );
    let first = std::fs::read(folder.path("run/model.safetensors")).unwrap();
    let curves = folder.read("run/curves.svg");
    assert!(curves.contains("kept: ") && curves.contains("validation AUC (axis from 0."), "{curves}");
    // The run's own configuration says the same, and so does the first from another folder.
    for (current, file) in [("run", "config.toml"), ("configs", "train.toml")] {
        let mut command = folder.twinql(&["train", "--config", file]);
        let done = command.current_dir(folder.path(current)).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(std::fs::read(folder.path("run/model.safetensors")).unwrap(), first);
    }
    folder.write("configs/old.toml", config.replace("../corpus.jsonl", "corpus.jsonl"));
    folder.refuses(
        &["train", "--config", "configs/old.toml"],
        &["relative to its own folder", "write \"../corpus.jsonl\" where it has \"corpus.jsonl\""],
    );
}

#[test]
fn a_run_resumes() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG);
    folder.run(&["train", "--config", "train.toml"], 0);
    let whole = std::fs::read(folder.path("run/model.safetensors")).unwrap();
    let (_, err) = folder.run(&["train", "--config", "train.toml", "--resume"], 0);
    assert!(err.contains("resumed after epoch 2"), "{err}");
    assert_eq!(std::fs::read(folder.path("run/model.safetensors")).unwrap(), whole);
}

/// Killed three times wherever it happens to be, and resumed on another number of threads.
#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG.replace("epochs = 2", "epochs = 40\npatience = 40"));
    let epochs =
        || std::fs::read_to_string(folder.path("run/metrics.jsonl")).map_or(0, |t| t.lines().count());
    for kill in 1..=3 {
        let threads = kill.to_string();
        let args = ["train", "--config", "train.toml", "--resume", "--threads", &threads];
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_twinql"))
            .args(args)
            .current_dir(folder.path("."))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // A run that ends before it is killed has nothing left to go wrong.
        while epochs() < 4 * kill && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    folder.run(&["train", "--config", "train.toml", "--resume", "--threads", "2"], 0);
    assert_eq!(epochs(), 40);
    let whole = ["train", "--config", "train.toml", "--run", "whole", "--threads", "1"];
    folder.run(&whole, 0);
    for file in ["model.safetensors", "metrics.jsonl"] {
        let read = |run: &str| std::fs::read(folder.path(run).join(file)).unwrap();
        assert!(read("run") == read("whole"), "{file}");
    }
}

#[test]
fn configurations_that_cannot_work() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    let cases: &[(&str, &str, &[&str])] = &[
        ("run = \"run\"", "", &["train.toml", "no folder to write into", "--run"]),
        (CORPUS, "", &["train.toml", "no pairs to train on", "--pairs"]),
        (
            "semantics = \"default\"",
            "semantics = \"loose\"",
            &["corpus.jsonl", "unknown semantics \"loose\""],
        ),
        ("epochs = 2", "epoch = 2", &["train.toml", "unknown field `epoch`"]),
        ("epochs = 2", "epochs = 0", &["epochs is zero", "init"]),
        ("node_dim = 8", "node_dim = 0", &["model.node_dim is 0"]),
        ("pairs = \"corpus.jsonl\"", "pairs = \"none.jsonl\"", &["none.jsonl"]),
        ("train_split = \"train\"", "train_split = \"training\"", &["split \"training\" has 0 pairs"]),
        (
            "epochs = 2",
            "epochs = 2\nteachers = [\"wise.safetensors\"]",
            &["wise.safetensors", "teachers under [train]", "first"],
        ),
        ("epochs = 2", "epochs = 2\nprecision = \"f16\"", &["plain Rust computes in 32 bits", "--device"]),
        ("epochs = 2", "epochs = 2\nteacher_share = 1.5", &["teacher_share is 1.5"]),
        ("schemas = \"concerts.sql\"", "schemas = \"${TWINQL_NOWHERE}/x\"", &["TWINQL_NOWHERE"]),
    ];
    for (from, to, parts) in cases {
        folder.write("train.toml", CONFIG.replace(from, to));
        folder.refuses(&["train", "--config", "train.toml"], parts);
    }
    folder.refuses(&["train", "--config", "none.toml"], &["none.toml"]);
    // --pairs cannot say which of two it replaces.
    folder.write("train.toml", CONFIG.replace(CORPUS, &CORPUS.repeat(2)));
    folder.refuses(
        &["train", "--config", "train.toml", "--pairs", "corpus.jsonl"],
        &["the only [[data.corpora]], and there are 2"],
    );
}

/// A checkpoint of syntax trees scores syntax trees, one without flows plans without them.
#[test]
fn graphs_are_made_for_scoring_as_they_were_for_training() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    let score = |checkpoint: &str| {
        let (out, _) = folder.run(
            &["score", "--pairs", "corpus.jsonl", "--schemas", "concerts.sql", "--checkpoint", checkpoint],
            0,
        );
        json_lines(&out)
    };
    for (graph, identical) in [
        // `SELECT s.name FROM singer AS s` has the plan of `SELECT name FROM singer`.
        ("kind = \"plan\"\nflows = false", 24),
        ("kind = \"plan\"\ncanonical = false", 24),
        ("kind = \"ast\"", 0),
    ] {
        folder.write("train.toml", format!("{CONFIG}[graph]\n{graph}\n"));
        folder.run(&["train", "--config", "train.toml"], 0);
        let records = score("run/model.safetensors");
        let equal = records.iter().filter(|r| r["details"]["gmn"]["identical"] == true).count();
        assert!(equal >= identical && (identical > 0 || equal == 0), "{graph}: {equal}");
    }
}

#[test]
fn no_epoch_calibrates_a_trained_network() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG);
    folder.run(&["train", "--config", "train.toml"], 0);
    // Only validation pairs are there: nothing is trained on.
    let valid: Vec<String> =
        corpus().lines().filter(|line| line.contains("valid")).map(String::from).collect();
    folder.write("valid.jsonl", valid.join("\n"));
    let calibrate = [
        "train",
        "--config",
        "train.toml",
        "--pairs",
        "valid.jsonl",
        "--run",
        "again",
        "--init",
        "run/model.safetensors",
        "--epochs",
        "0",
    ];
    let (out, _) = folder.run(&calibrate, 0);
    assert!(out.contains("epoch       0 of 0 kept"), "{out}");
    let line = |out: &str| {
        let found = out.lines().find(|l| l.starts_with("validation"));
        found.map(String::from)
    };
    let (trained, _) = folder.run(&["train", "--config", "train.toml"], 0);
    assert!(line(&out).is_some());
    assert_eq!(line(&out), line(&trained), "the same weights and validation pairs");
}

#[test]
fn a_trained_network_teaches_another() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG);
    folder.run(&["train", "--config", "train.toml"], 0);
    let taught = "epochs = 2\nteachers = [\"run/model.safetensors\"]";
    folder.write("pupil.toml", CONFIG.replace("epochs = 2", taught));
    let train = |run: &str, threads: &str| {
        folder.run(&["train", "--config", "pupil.toml", "--run", run, "--threads", threads], 0);
        std::fs::read(folder.path(run).join("model.safetensors")).unwrap()
    };
    let pupil = train("pupil", "1");
    assert!(pupil != std::fs::read(folder.path("run/model.safetensors")).unwrap());
    assert!(pupil == train("again", "2"), "the same bytes on any number of threads");
}

#[test]
fn pretrain_then_train() {
    let folder = Folder::new();
    folder.write("corpus.jsonl", corpus());
    folder.write("train.toml", CONFIG);
    let (out, err) = folder.run(&["pretrain", "--config", "train.toml", "--max-pairs", "40"], 0);
    assert!(out.contains("pretrained  run/pretrained.safetensors"), "{out}");
    assert!(out.contains("|metric:none|") && out.contains("of them used"), "{out}");
    assert!(err.contains("32 training pairs are left out of the sample"), "{err}");
    assert!(err.contains("epoch   2  contrastive loss"), "{err}");
    // Nothing is left to do: the same weights again.
    let weights = std::fs::read(folder.path("run/pretrained.safetensors")).unwrap();
    let again = ["pretrain", "--config", "train.toml", "--max-pairs", "40", "--resume"];
    let (_, err) = folder.run(&again, 0);
    assert!(err.contains("resumed after epoch 2"), "{err}");
    assert_eq!(std::fs::read(folder.path("run/pretrained.safetensors")).unwrap(), weights);
    for file in ["pretrain.toml", "pretrain.jsonl"] {
        assert!(folder.path("run").join(file).is_file(), "{file}");
    }
    // The weights are no metric …
    folder.refuses(
        &[
            "score",
            "--pairs",
            "corpus.jsonl",
            "--schemas",
            "concerts.sql",
            "--checkpoint",
            "run/pretrained.safetensors",
        ],
        &["run/pretrained.safetensors is pretrained only", "--init"],
    );
    // … but a start, for a network of their own shape and graphs.
    let train = |config: &'static str| {
        ["train", "--config", config, "--init", "run/pretrained.safetensors", "--run", "run2"]
    };
    folder.run(&train("train.toml"), 0);
    let with = std::fs::read(folder.path("run2/model.safetensors")).unwrap();
    folder.run(&["train", "--config", "train.toml"], 0);
    assert_ne!(std::fs::read(folder.path("run/model.safetensors")).unwrap(), with);
    for (over, message) in
        [("[model]\nnode_dim = 12", "another [model]"), ("[graph]\nflows = false", "another [graph]")]
    {
        folder.write("other.toml", format!("extends = \"train.toml\"\n{over}\n"));
        folder.refuses(&train("other.toml"), &["run/pretrained.safetensors", message]);
    }
    folder.write("other.toml", "extends = \"train.toml\"\n[pretrain.augmentations]\nrotation = 0.1\n");
    folder.refuses(
        &["pretrain", "--config", "other.toml"],
        &["there is no \"rotation\"; there are node-dropping, edge-perturbation"],
    );
}
