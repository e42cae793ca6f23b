//! The registry of kinds of difference, tried on its own examples.

use std::collections::BTreeSet;

use twinql_sql::explain::kinds::{KINDS, Kind, kind, kinds};
use twinql_sql::normalize::example::Example;
use twinql_sql::{Schema, canonicalize};

fn found(schema: &Schema, example: &Example) -> Vec<&'static Kind> {
    let semantics = example.semantics().unwrap();
    let [gold, pred] = example.queries.map(|sql| canonicalize(schema, sql, &semantics).unwrap().plan);
    kinds(schema, &gold, &pred)
}

#[test]
fn examples_have_their_kind_and_what_is_read_alike_has_none() {
    let schema = Example::schema().unwrap();
    let mut wrong = Vec::new();
    for kind in KINDS {
        for example in kind.examples {
            let found = found(&schema, example);
            let as_said = if example.alike { found.is_empty() } else { found.contains(&kind) };
            if !as_said {
                let names: Vec<&str> = found.iter().map(|kind| kind.name).collect();
                wrong.push(format!("{}: {:?} has {names:?}", kind.name, example.queries));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_is_explained_and_shown() {
    let names: BTreeSet<&str> = KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), KINDS.len(), "two kinds of one name");
    for one in KINDS {
        for alike in [true, false] {
            assert!(
                one.examples.iter().any(|e| e.alike == alike),
                "{}: no example, alike: {alike}",
                one.name
            );
        }
        assert!(one.about.ends_with('.'), "{}: {}", one.name, one.about);
        assert_eq!(kind(one.name), Some(one));
    }
    assert!(kind("nothing").is_none());
}

/// Which side has it is said by some kinds, and makes no difference to the others.
#[test]
fn sides_may_be_exchanged() {
    let schema = Example::schema().unwrap();
    let turned = [("filter-dropped", "filter-added"), ("table-dropped", "table-added")];
    for kind in KINDS {
        for example in kind.examples.iter().filter(|e| !e.alike) {
            let [gold, pred] = example.queries;
            let found = found(&schema, &Example { queries: [pred, gold], ..*example });
            let other = turned.iter().find_map(|(a, b)| match kind.name {
                name if name == *a => Some(*b),
                name if name == *b => Some(*a),
                _ => None,
            });
            let wanted = other.unwrap_or(kind.name);
            assert!(found.iter().any(|kind| kind.name == wanted), "{wanted}: {:?}", example.queries);
        }
    }
}

#[test]
fn what_computes_a_column_is_bounded() {
    let schema = Example::schema().unwrap();
    let mut deep = "SELECT age AS x FROM customer".to_owned();
    for _ in 0..12 {
        deep = format!("SELECT x * x + x * x AS x FROM ({deep}) t");
    }
    let other = deep.replace("age AS x", "score AS x");
    let example = Example {
        under: "bird",
        queries: [&deep, &other].map(|s| &*s.clone().leak()),
        alike: false,
        untold: None,
    };
    assert!(!found(&schema, &example).is_empty());
}
