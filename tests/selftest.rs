//! `twinql selftest` through the binary.

use crate::support::Folder;
use twinql::embedded::BUILT_IN;

/// After a new checkpoint or a change of rules, store the scores again:
/// `twinql selftest --checkpoint small --stored checkpoints/small.selftest.jsonl --record`.
#[test]
fn the_built_in_checkpoints_score_as_stored() {
    let folder = Folder::new();
    let (out, _) = folder.run(&["selftest"], 0);
    let there = BUILT_IN.iter().filter(|b| b.checkpoint().is_some()).count();
    assert!(there > 0);
    assert_eq!(out.matches("all as stored").count(), there, "{out}");
    let (_, err) = folder.run(&["selftest", "--checkpoint", "mine.safetensors"], 2);
    assert!(err.contains("--stored"), "{err}");
}

#[test]
fn a_score_that_moved_is_named() {
    let folder = Folder::new();
    let stored = BUILT_IN[0].selftest;
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
    folder.write("other.jsonl", stored.replacen("\"checkpoint\":\"", "\"checkpoint\":\"0", 1));
    let (_, err) = folder.run(&["selftest", "--stored", "other.jsonl"], 2);
    assert!(err.contains("--record"), "{err}");
    let (_, err) = folder.run(&["selftest", "--stored", "other.jsonl", "--record"], 0);
    assert!(err.contains("stored the scores of"), "{err}");
    folder.run(&["selftest", "--stored", "other.jsonl"], 0);
}
