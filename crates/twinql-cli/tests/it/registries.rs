//! `twinql rules`, `twinql checks` and `twinql metrics` through the binary.

use crate::support::Folder;

/// Each lists its entries, and prints one of them in full.
#[test]
fn registries_are_listed_and_shown() {
    let folder = Folder::new();
    for (command, name, parts) in [
        ("rules", "grouping-before-join", ["- why: ", "over\n\nCREATE TABLE customer"]),
        ("rules", "look-up", ["- taken for granted: ", "\n=  SELECT"]),
        ("checks", "limit-ties", ["- severity: warning", "-- not found"]),
        ("metrics", "relpm", ["- range: 0 to 1", "- threshold: 1"]),
    ] {
        let (list, _) = folder.run(&[command], 0);
        assert!(list.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{list}");
        let (entry, _) = folder.run(&[command, name], 0);
        assert!(entry.starts_with(&format!("{name}\n\n")), "{entry}");
        assert!(parts.iter().all(|part| entry.contains(part)), "{entry}");
    }
}

#[test]
fn a_family_of_rules_is_listed_alone() {
    let (list, _) = Folder::new().run(&["rules", "groupings"], 0);
    assert!(list.starts_with("groupings\n") && list.contains("count-star"), "{list}");
    assert!(!list.contains("grouping-before-join"), "{list}");
}

/// What is not there is an error that names what may be meant.
#[test]
fn unknown_names_are_told_with_near_ones() {
    let folder = Folder::new();
    for (command, name, near) in [
        ("rules", "grouping-before-joi", "grouping-before-join"),
        ("rules", "subquery", "subquery-order"),
        ("checks", "limit-tie", "limit-ties"),
        ("metrics", "relmp", "relpm"),
    ] {
        let (out, err) = folder.run(&[command, name], 2);
        let kind = command.trim_end_matches('s');
        assert!(out.is_empty() && err.contains(&format!("there is no {kind} \"{name}\"")), "{err}");
        assert!(err.contains(near) && err.contains(&format!("`twinql {command}` lists all")), "{err}");
    }
    let (_, err) = folder.run(&["metrics", "nothing-like-it"], 2);
    assert!(!err.contains("near it"), "{err}");
}
