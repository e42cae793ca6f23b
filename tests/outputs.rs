//! Where results go: devices, pipes, links, folders, and files that are read.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;

use crate::support::{SCHEMAS, four, json_lines, over_pairs, says, with_four};

fn score(out: &str) -> Vec<&str> {
    over_pairs("score", &["--metric", "relpm", "--out", out])
}

fn lines(text: &str) -> usize {
    json_lines(text).len()
}

#[test]
fn a_device_is_written_to_and_stays() {
    let folder = with_four();
    let device = |path: &str| fs::symlink_metadata(path).unwrap().file_type().is_char_device();
    folder.refuses(&score("/dev/full"), &["cannot write /dev/full"]);
    folder.run(&score("/dev/null"), 0);
    symlink("/dev/full", folder.path("link")).unwrap();
    folder.refuses(&score("link"), &["cannot write link"]);
    assert!(device("/dev/full") && device("/dev/null"));
    assert!(fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    let plot = ["--metric", "relpm", "--plot", "/dev/full"];
    says(&folder.run(&over_pairs("evaluate", &plot), 2).1, &["cannot write /dev/full"]);
    assert!(device("/dev/full"));
    // Not a file beside the device either.
    assert!(!Path::new("/dev/full.partial").exists() && !Path::new("/dev/null.partial").exists());
    let build = ["suite", "build", "--gold", "gold.txt", "--out", "/dev/full"];
    folder.write("gold.txt", "SELECT name FROM singer\tconcerts\n");
    folder.refuses(&[&build[..], &SCHEMAS].concat(), &["cannot build /dev/full", "plain file"]);
    assert_eq!(folder.names("."), ["concerts.sql", "gold.txt", "link", "pairs.jsonl"]);
}

#[test]
fn standard_output_by_its_name() {
    let folder = with_four();
    let (expected, _) = folder.run(&over_pairs("score", &["--metric", "relpm"]), 0);
    for out in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        if Path::new(out).exists() {
            assert_eq!(folder.run(&score(out), 0).0, expected, "{out}");
        }
    }
    assert_eq!(folder.names("."), ["concerts.sql", "pairs.jsonl"]);
}

#[test]
fn a_pipe_stays_one_and_nobody_has_to_read_it_all() {
    let folder = with_four();
    folder.fifo("pipe");
    let child = folder.start(&score("pipe"));
    let mut text = String::new();
    fs::File::open(folder.path("pipe")).unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(lines(&text), 4);
    // More than a pipe holds, and a reader that takes one line.
    folder.write("pairs.jsonl", format!("{}\n", four()).repeat(3000));
    let child = folder.start(&score("pipe"));
    let mut first = String::new();
    BufReader::new(fs::File::open(folder.path("pipe")).unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(lines(&first), 1);
    assert!(fs::symlink_metadata(folder.path("pipe")).unwrap().file_type().is_fifo());
}

#[test]
fn a_link_is_followed_and_what_it_leads_to_is_replaced() {
    let folder = with_four();
    folder.write("far/old", "old");
    fs::set_permissions(folder.path("far/old"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("far/old", folder.path("link")).unwrap();
    symlink("link", folder.path("second")).unwrap();
    symlink("far/new", folder.path("dangling")).unwrap();
    symlink("circle", folder.path("circle")).unwrap();
    folder.run(&score("second"), 0);
    folder.run(&score("dangling"), 0);
    for name in ["link", "second", "dangling"] {
        assert!(fs::symlink_metadata(folder.path(name)).unwrap().is_symlink(), "{name}");
    }
    assert_eq!((lines(&folder.read("far/old")), lines(&folder.read("far/new"))), (4, 4));
    let mode = fs::metadata(folder.path("far/old")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    folder.refuses(&score("circle"), &["cannot write circle", "circle; name a file"]);
    symlink("far", folder.path("folder")).unwrap();
    folder.refuses(&score("folder"), &["cannot write folder", "it is a folder"]);
    folder.refuses(&score("far"), &["cannot write far", "it is a folder"]);
}

/// Whatever name an input is given by, it stays as it is.
#[test]
fn an_input_is_never_an_output() {
    let folder = with_four();
    symlink("pairs.jsonl", folder.path("link")).unwrap();
    fs::hard_link(folder.path("pairs.jsonl"), folder.path("hard")).unwrap();
    fs::create_dir_all(folder.path("schemas/concerts")).unwrap();
    fs::copy(folder.path("concerts.sql"), folder.path("schemas/concerts/concerts.sql")).unwrap();
    folder.write("labels.json", r#"{"a": 1, "b": 0}"#);
    folder.write("gold.txt", "SELECT name FROM singer\tconcerts\n");
    folder.write("pred.txt", "SELECT name FROM singer\n");
    fs::hard_link(folder.path("pairs.jsonl"), folder.path("b.sql")).unwrap();
    let names = ["pairs.jsonl", "concerts.sql", "labels.json", "gold.txt", "pred.txt"];
    let inputs = || names.map(|name| folder.read(name));
    let before = inputs();
    for out in ["pairs.jsonl", "./pairs.jsonl", "link", "hard"] {
        folder.refuses(&score(out), &["cannot write", "a file of --pairs, which this command reads"]);
        for command in ["judge", "prove"] {
            folder.refuses(&over_pairs(command, &["--out", out]), &["a file of --pairs"]);
        }
    }
    folder.refuses(&score("concerts.sql"), &["a file of --schemas"]);
    let nested = "score --pairs pairs.jsonl --schemas schemas --out schemas/concerts/concerts.sql";
    folder.refuses(nested, &["a file of --schemas"]);
    for out in ["gold.txt", "pred.txt"] {
        let lines = format!("score --gold gold.txt --pred pred.txt --schemas concerts.sql --out {out}");
        folder.refuses(&lines, &["cannot write", "which this command reads"]);
    }
    for flag in ["--out", "--plot", "--scores"] {
        for out in ["pairs.jsonl", "labels.json"] {
            let more = ["--metric", "relpm", "--labels", "labels.json", flag, out];
            folder.refuses(&over_pairs("evaluate", &more), &["which this command reads"]);
        }
    }
    let twice = ["--metric", "relpm", "--scores", "x", "--plot", "./x"];
    folder.refuses(&over_pairs("evaluate", &twice), &["another output of this command"]);
    let (_, err) = folder.run(&over_pairs("judge", &["--witness-dir", "."]), 2);
    assert!(err.contains("b.sql") && err.contains("a file of --pairs"), "{err}");
    for command in ["relabel", "grade"] {
        let args =
            format!("corpus {command} pairs.jsonl --schemas concerts.sql --semantics no-fk --out link");
        folder.refuses(&args, &["which this command reads"]);
    }
    let build = ["suite", "build", "--gold", "gold.txt", "--out", "gold.txt"];
    folder.refuses(&[&build[..], &SCHEMAS].concat(), &["a file of --gold"]);
    assert_eq!(before, inputs());
    // Nor is anything left of the outputs that were refused.
    assert!(folder.names(".").iter().all(|name| !name.contains("partial")), "{:?}", folder.names("."));
}

#[test]
fn a_failed_run_leaves_no_output_and_what_was_there() {
    let folder = with_four();
    folder.write("scores.json", "old");
    folder.write("empty.jsonl", "");
    let args =
        "score --pairs empty.jsonl --schemas concerts.sql --metric relpm --out scores.json --format json";
    folder.refuses(args, &["it holds no pairs"]);
    assert_eq!(folder.read("scores.json"), "old");
    assert_eq!(folder.names("."), ["concerts.sql", "empty.jsonl", "pairs.jsonl", "scores.json"]);
}
