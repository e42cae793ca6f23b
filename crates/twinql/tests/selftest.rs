//! `twinql selftest` through the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use support::Folder;

/// After a new checkpoint or a change of rules, store its scores again:
/// `twinql selftest --stored checkpoints/selftest.jsonl --record`.
#[test]
fn the_built_in_checkpoint_scores_as_stored() {
    let folder = Folder::new();
    let (out, _) = folder.run(&["selftest"], 0);
    assert!(out.contains("all as stored"), "{out}");
}

#[test]
fn a_score_that_moved_is_named() {
    let folder = Folder::new();
    let stored = twinql::embedded::SELFTEST;
    let moved: Vec<String> = stored
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            1 => line.replace("\"relpm\":", "\"relpm\":0.12345,\"old\":"),
            _ => line.to_owned(),
        })
        .collect();
    folder.write("moved.jsonl", moved.join("\n"));
    let (out, _) = folder.run(&["selftest", "--stored", "moved.jsonl"], 1);
    assert!(out.contains("relpm") && out.contains("stored 0.12345"), "{out}");
    folder.write(
        "other.jsonl",
        stored.replacen("\"checkpoint\":\"", "\"checkpoint\":\"0", 1),
    );
    let (_, err) = folder.run(&["selftest", "--stored", "other.jsonl"], 2);
    assert!(err.contains("--record"), "{err}");
    let (_, err) = folder.run(&["selftest", "--stored", "other.jsonl", "--record"], 0);
    assert!(err.contains("stored the scores of"), "{err}");
    folder.run(&["selftest", "--stored", "other.jsonl"], 0);
}
