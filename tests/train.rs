//! `twinql train`, and a checkpoint's way back into `score`, through the binary.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Folder, json_lines, says};

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
        let guarded =
            format!("SELECT name FROM singer WHERE age > {n} AND age >= (SELECT MIN(age) FROM singer)");
        for (pred, label, source) in [
            (
                format!("SELECT name FROM singer WHERE age > {n} AND id IN (SELECT singer_id FROM concert)"),
                0,
                "neighbour:more-filter",
            ),
            (format!("SELECT name, age FROM singer WHERE age > {n}"), 0, "neighbour:more-columns"),
            (guarded, 1, "rewrite:guard"),
            (format!("SELECT s.name FROM singer AS s WHERE s.age > {n}"), 1, "rewrite:alias"),
        ] {
            let line = json!({"id": lines.len(), "db_id": "concerts", "gold": gold, "pred": pred,
                "label": label, "source": source, "split": split});
            lines.push(line.to_string());
        }
    }
    lines.join("\n")
}

/// A folder with the corpus and a configuration.
fn folder(config: &str) -> Folder {
    let folder = Folder::with("corpus.jsonl", corpus());
    folder.write("train.toml", config);
    folder
}

const TRAIN: &str = "train --config train.toml";
const MODEL: &str = "run/model.safetensors";

/// The same with a network trained on it.
fn trained() -> Folder {
    let folder = folder(CONFIG);
    folder.run(TRAIN, 0);
    folder
}

/// Scores the corpus by a checkpoint.
fn score(checkpoint: &str, more: &str) -> String {
    format!("score --pairs corpus.jsonl --schemas concerts.sql --checkpoint {checkpoint} {more}")
}

#[test]
fn train_then_score() {
    let folder = folder(CONFIG);
    let (out, err) = folder.run(TRAIN, 0);
    says(&out, &["checkpoint  run/model.safetensors", "validation  24 pairs, AUC", "|metric:gmn|ckpt:"]);
    says(&out, &["band        "]);
    says(&err, &["train: 72 pairs, 36 with label 1", "epoch   2", " pairs/s, at most ", " left"]);
    for file in ["model.safetensors", "config.toml", "metrics.jsonl", "curves.svg"] {
        assert!(folder.path("run").join(file).is_file(), "{file}");
    }
    let environment = folder.document("run/environment.json");
    assert_eq!(environment["device"], "cpu");
    assert!(environment["rustc"].as_str().unwrap().starts_with("rustc "));
    says(&out, &[environment["signature"].as_str().unwrap()]);

    let (first, err) = folder.run(&score(MODEL, ""), 0);
    says(&err, &["scored 96 pairs: ok 96"]);
    let records = json_lines(&first);
    for (record, same) in records.iter().zip([false, false, true, true].iter().cycle()) {
        let p = record["scores"]["gmn"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&p));
        assert!(record["details"]["gmn"]["distance"].is_number());
        assert!(*same || record["details"]["gmn"]["identical"] == false, "{record}");
    }
    assert_eq!(folder.run(&score(MODEL, "--threads 1"), 0).0, first);
    // A semantics that the network does not have.
    let (_, err) = folder.run(&score(MODEL, "--semantics bird"), 0);
    let answers = "the network was trained on labels under default: it is read as under default, the nearest; canonical forms, proofs and databases follow --semantics bird";
    says(&err, &[answers]);
}

/// Two dozen validation pairs cannot promise 2 %: the network abstains wherever it is asked. What a database tells apart
/// it is not asked.
#[test]
fn a_network_of_few_pairs_abstains() {
    let folder = trained();
    let mut decided = [0, 0];
    for record in folder.lines(&score(MODEL, "--abstain")) {
        let gmn = &record["details"]["gmn"];
        let (identical, refuted) = (gmn["identical"] == true, gmn["refuted"] == true);
        assert_eq!(gmn["abstained"], !(identical || refuted), "{record}");
        assert_eq!(gmn["decision"].as_bool(), (identical || refuted).then_some(identical), "{record}");
        decided[0] += i32::from(identical);
        decided[1] += i32::from(refuted);
    }
    assert_eq!(decided[0], 24);
    assert!(decided[1] >= 48, "{decided:?}");
    for record in folder.lines(&score(MODEL, "--abstain --probe 0")) {
        assert_eq!(record["details"]["gmn"]["abstained"], record["details"]["gmn"]["identical"] == false);
    }
    let evaluate = score(MODEL, "--metric gmn --format json").replace("score", "evaluate");
    let gmn = &folder.json(&evaluate)["metrics"][0];
    assert_eq!(gmn["abstention"]["decided"], decided[0] + decided[1], "{gmn}");
    assert_eq!(gmn["abstention"]["accuracy"], 1.0);
    assert!(gmn["ece"].is_number());
}

/// A damaged file is refused, whatever was cut off; so is one that lost its checksum.
#[test]
fn a_checkpoint_carries_a_checksum() {
    let folder = trained();
    let bytes = folder.bytes(MODEL);
    let refuses =
        |file: &str, parts: &[&str]| folder.refuses(&score(&format!("{file}.safetensors"), ""), parts);
    folder.write("cut.safetensors", &bytes[..bytes.len() - 7]);
    refuses("cut", &["cut.safetensors is not a usable twinql checkpoint", "truncated"]);
    let hash = twinql::graph::vocabulary::hash();
    let text = String::from_utf8_lossy(&bytes);
    let place = text.find(&hash).expect("the checkpoint names its vocabulary");
    let mut foreign = bytes.clone();
    foreign[place] = if foreign[place] == b'0' { b'1' } else { b'0' };
    folder.write("damaged.safetensors", &foreign);
    refuses("damaged", &["damaged.safetensors is damaged", "checksum"]);
    // The checksum taken out.
    foreign.drain(25..105);
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) - 80;
    foreign[..8].copy_from_slice(&header.to_le_bytes());
    folder.write("foreign.safetensors", &foreign);
    refuses("foreign", &["foreign.safetensors carries no checksum"]);
}

#[test]
fn one_network_answers_two_questions() {
    let folder = Folder::with("corpus.jsonl", corpus());
    let share = "corpus share corpus.jsonl --schemas concerts.sql --semantics default --out shared.jsonl";
    says(&folder.run(share, 0).1, &["wrote shared.jsonl: ", " of 96 pairs; the share of "]);
    let shared = json_lines(&folder.read("shared.jsonl"));
    let share_of = |pair: &Value| pair["share"].as_f64().unwrap();
    assert!(shared.iter().all(|pair| (0.0..=1.0).contains(&share_of(pair))));
    // What always differs is told from what never does, whatever the label says.
    assert!(shared.iter().any(|p| share_of(p) > 0.9) && shared.iter().any(|p| share_of(p) < 0.1));
    let shares = format!("{CORPUS}question = \"plausible\"\n[model]").replace("corpus.jsonl", "shared.jsonl");
    folder.write("train.toml", CONFIG.replace("[model]", &shares));
    let (out, err) = folder.run(TRAIN, 0);
    assert!(out.contains("plausible   ") && err.contains("train: "), "{out}{err}");
    let scores = |more: &str| folder.json(&score(MODEL, &format!("--format json {more}")));
    let (every, plausible) = (scores(""), scores("--question plausible"));
    assert!(
        plausible.to_string().contains("|question:plausible") && !every.to_string().contains("|question:")
    );
    assert_ne!(every["records"], plausible["records"]);
    // The usual question under another name is the same bytes.
    assert_eq!(every, scores("--question every"));
    folder.write("usual.toml", CONFIG.replace("run = \"run\"", "run = \"usual\""));
    folder.run("train --config usual.toml", 0);
    for (more, part) in [
        ("all", "--question: unknown question \"all\""),
        ("plausible --metric relpm", "--question is read only by gmn and ex"),
        ("plausible --metric gmn,two-tier --checkpoint run/model.safetensors", "two-tier goes by proofs"),
        ("plausible --checkpoint usual/model.safetensors", "was not trained for the question `plausible`"),
    ] {
        let args = format!("score --pairs corpus.jsonl --schemas concerts.sql --question {more}");
        folder.refuses(&args, &[part]);
    }
}

/// From any current folder, and pairs that name no split.
#[test]
fn paths_and_parts_need_not_be_spelled_out() {
    let mut lines = Vec::new();
    for n in 0..10 {
        let ddl = format!("CREATE TABLE t{n} (id INTEGER PRIMARY KEY, a INTEGER)");
        for line in corpus().lines().take(8) {
            let mut pair: Value = serde_json::from_str(line).unwrap();
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
    let folder = Folder::with("corpus.jsonl", lines.join("\n"));
    let config = CONFIG
        .replace("\"corpus.jsonl\"\nschemas = \"concerts.sql\"", "\"../corpus.jsonl\"")
        .replace("run = \"run\"", "run = \"../run\"");
    folder.write("configs/train.toml", &config);
    let (_, err) = folder.run("train --config configs/train.toml", 0);
    let split = "no pair has a split; split by database: 8 of 80 pairs, 1 of 10 databases validate (seed 8)";
    says(&err, &[split]);
    let first = folder.bytes(MODEL);
    says(&folder.read("run/curves.svg"), &["kept: ", "validation AUC"]);
    // The run's own configuration says the same, and so does the first from another folder.
    for (current, file) in [("run", "config.toml"), ("configs", "train.toml")] {
        let mut command = folder.twinql(&["train", "--config", file]);
        let done = command.current_dir(folder.path(current)).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(folder.bytes(MODEL), first);
    }
    folder.write("configs/old.toml", config.replace("../corpus.jsonl", "corpus.jsonl"));
    let parts = ["relative to its own folder", "write \"../corpus.jsonl\" where it has \"corpus.jsonl\""];
    folder.refuses("train --config configs/old.toml", &parts);
}

#[test]
fn a_run_resumes() {
    let folder = trained();
    let whole = folder.bytes(MODEL);
    let (_, err) = folder.run("train --config train.toml --resume", 0);
    assert!(err.contains("resumed after epoch 2"), "{err}");
    assert_eq!(folder.bytes(MODEL), whole);
}

/// Killed three times wherever it happens to be, and resumed on another number of threads.
#[test]
fn a_killed_run_ends_with_the_same_bytes() {
    let folder = folder(&CONFIG.replace("epochs = 2", "epochs = 40\npatience = 40"));
    let epochs =
        || std::fs::read_to_string(folder.path("run/metrics.jsonl")).map_or(0, |t| t.lines().count());
    for kill in 1..=3 {
        let mut command = folder.twinql(&format!("{TRAIN} --resume --threads {kill}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A run that ends before it is killed has nothing left to go wrong.
        while epochs() < 4 * kill && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    folder.run(&format!("{TRAIN} --resume --threads 2"), 0);
    assert_eq!(epochs(), 40);
    folder.run(&format!("{TRAIN} --run whole --threads 1"), 0);
    for file in ["model.safetensors", "metrics.jsonl"] {
        assert!(folder.bytes(&format!("run/{file}")) == folder.bytes(&format!("whole/{file}")), "{file}");
    }
}

#[test]
fn configurations_that_cannot_work() {
    let folder = folder(CONFIG);
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
        (
            "train_split = \"train\"",
            "without_kinds = [\"guards\"]",
            &["without_kinds", "\"guards\"", "no pair's source names", "corpus stats"],
        ),
        ("schemas = \"concerts.sql\"", "schemas = \"${TWINQL_NOWHERE}/x\"", &["TWINQL_NOWHERE"]),
    ];
    for (from, to, parts) in cases {
        folder.write("train.toml", CONFIG.replace(from, to));
        folder.refuses(TRAIN, parts);
    }
    folder.refuses("train --config none.toml", &["none.toml"]);
    // --pairs cannot say which of two it replaces.
    folder.write("train.toml", CONFIG.replace(CORPUS, &CORPUS.repeat(2)));
    let two = "the only [[data.corpora]], and there are 2";
    folder.refuses("train --config train.toml --pairs corpus.jsonl", &[two]);
}

/// A checkpoint of syntax trees scores syntax trees, one without flows plans without them.
#[test]
fn graphs_are_made_for_scoring_as_they_were_for_training() {
    let folder = folder(CONFIG);
    for (graph, identical) in [
        // `SELECT s.name FROM singer AS s` has the plan of `SELECT name FROM singer`.
        ("kind = \"plan\"\nflows = false", 24),
        ("kind = \"plan\"\ncanonical = false", 24),
        ("kind = \"ast\"", 0),
    ] {
        folder.write("train.toml", format!("{CONFIG}[graph]\n{graph}\n"));
        folder.run(TRAIN, 0);
        let records = folder.lines(&score(MODEL, ""));
        let equal = records.iter().filter(|r| r["details"]["gmn"]["identical"] == true).count();
        assert!(equal >= identical && (identical > 0 || equal == 0), "{graph}: {equal}");
    }
}

/// Left-out kinds neither train nor validate.
#[test]
fn kinds_can_be_left_out() {
    let folder = folder(CONFIG);
    let without = "train_split = \"train\"\nwithout_kinds = [\"alias\", \"more-columns\"]";
    folder.write("train.toml", CONFIG.replace("train_split = \"train\"", without));
    let (_, err) = folder.run(TRAIN, 0);
    says(&err, &["left out: 48 pairs of the kinds in without_kinds", "train: 36 pairs", "valid: 12 pairs"]);
}

#[test]
fn no_epoch_calibrates_a_trained_network() {
    let folder = trained();
    // Only validation pairs are there: nothing is trained on.
    let valid: Vec<String> =
        corpus().lines().filter(|line| line.contains("valid")).map(String::from).collect();
    folder.write("valid.jsonl", valid.join("\n"));
    let calibrate = "--pairs valid.jsonl --run again --init run/model.safetensors --epochs 0";
    let (out, _) = folder.run(&format!("{TRAIN} {calibrate}"), 0);
    assert!(out.contains("epoch       0 of 0 kept"), "{out}");
    let line = |out: &str| out.lines().find(|l| l.starts_with("validation")).map(String::from);
    let (trained, _) = folder.run(TRAIN, 0);
    assert!(line(&out).is_some());
    assert_eq!(line(&out), line(&trained), "the same weights and validation pairs");
}

#[test]
fn a_trained_network_teaches_another() {
    let folder = trained();
    let taught = "epochs = 2\nteachers = [\"run/model.safetensors\"]";
    folder.write("pupil.toml", CONFIG.replace("epochs = 2", taught));
    let train = |run: &str, threads: &str| {
        folder.run(&format!("train --config pupil.toml --run {run} --threads {threads}"), 0);
        folder.bytes(&format!("{run}/model.safetensors"))
    };
    let pupil = train("pupil", "1");
    assert!(pupil != folder.bytes(MODEL));
    assert!(pupil == train("again", "2"), "the same bytes on any number of threads");
}

#[test]
fn pretrain_then_train() {
    let folder = folder(CONFIG);
    let pretrain = "pretrain --config train.toml --max-pairs 40";
    let (out, err) = folder.run(pretrain, 0);
    says(&out, &["pretrained  run/pretrained.safetensors", "|metric:none|", "of them used"]);
    says(&err, &["32 training pairs are left out of the sample", "epoch   2  contrastive loss"]);
    // Nothing is left to do: the same weights again.
    let weights = folder.bytes("run/pretrained.safetensors");
    says(&folder.run(&format!("{pretrain} --resume"), 0).1, &["resumed after epoch 2"]);
    assert_eq!(folder.bytes("run/pretrained.safetensors"), weights);
    for file in ["pretrain.toml", "pretrain.jsonl"] {
        assert!(folder.path("run").join(file).is_file(), "{file}");
    }
    // The weights are no metric …
    let only = ["run/pretrained.safetensors is pretrained only", "--init"];
    folder.refuses(&score("run/pretrained.safetensors", ""), &only);
    // … but a start, for a network of their own shape and graphs.
    let train =
        |config: &str| format!("train --config {config} --init run/pretrained.safetensors --run run2");
    folder.run(&train("train.toml"), 0);
    let with = folder.bytes("run2/model.safetensors");
    folder.run(TRAIN, 0);
    assert_ne!(folder.bytes(MODEL), with);
    for (over, message) in
        [("[model]\nnode_dim = 12", "another [model]"), ("[graph]\nflows = false", "another [graph]")]
    {
        folder.write("other.toml", format!("extends = \"train.toml\"\n{over}\n"));
        folder.refuses(&train("other.toml"), &["run/pretrained.safetensors", message]);
    }
    folder.write("other.toml", "extends = \"train.toml\"\n[pretrain.augmentations]\nrotation = 0.1\n");
    let known = "there is no \"rotation\"; there are node-dropping, edge-perturbation";
    folder.refuses("pretrain --config other.toml", &[known]);
}
