//! Generated pages are what registries, types and stored outputs say; hand-written ones name all that they have to.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use regex::Regex;
use twinql::metrics::METRICS;
use twinql_measure::docs;

#[test]
fn no_generated_page_is_stale() {
    let pages = docs::pages().unwrap();
    assert!(pages.len() > 30, "{}", pages.len());
    let stale = docs::stale(&pages).unwrap();
    assert!(stale.is_empty(), "stale; `cargo measure docs` writes them: {stale:#?}");
}

/// A page that differs by a word, and one that is not there, are named.
#[test]
fn what_is_stale_is_named() {
    let mut pages = docs::pages().unwrap();
    pages[0].text.push_str("more");
    pages[1].path = "docs/rules/none.md".into();
    let lost = "(nothing writes it)";
    let stale = docs::stale(&pages).unwrap();
    assert_eq!(stale.len(), 3, "{stale:?}");
    assert!(stale.contains(&pages[0].path) && stale.contains(&pages[1].path), "{stale:?}");
    assert!(stale.iter().any(|path| path.ends_with(lost)), "{stale:?}");
}

#[test]
fn every_metric_is_described() {
    let text = include_str!("../../../../docs/metrics.md");
    for metric in METRICS {
        let heading = format!("### {}", metric.name);
        assert!(text.lines().any(|line| line == heading), "docs/metrics.md lacks the heading {heading:?}");
    }
}

/// Pages, the README and CONTRIBUTING: their paths below the repository's folder.
fn written_pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("CHANGELOG.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                Some(ending) if ending == "md" => pages.push(path),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    pages
}

/// The text outside code blocks.
fn prose(page: &Path) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    let mut code = false;
    let outside = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    outside.collect::<Vec<_>>().join("\n")
}

/// What links may lead to on a page: its headings as GitHub names them, and marks.
fn anchors(page: &Path) -> HashSet<String> {
    let (mut found, text) = (HashSet::new(), prose(page));
    let name = |heading: &str| -> String {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    for line in text.lines() {
        let bare = line.trim_start_matches('#');
        let anchor = match line.strip_prefix("<a id=\"").and_then(|rest| rest.split('"').next()) {
            Some(id) => id.to_owned(),
            None if bare.len() < line.len() => name(bare.trim()),
            None => continue,
        };
        // Of equal headings the later ones are numbered.
        let again = (1..).map(|n| format!("{anchor}-{n}"));
        let free = std::iter::once(anchor.clone()).chain(again).find(|name| !found.contains(name));
        found.extend(free);
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let (mut dead, mut followed) = (Vec::new(), 0);
    for page in written_pages() {
        let text = prose(&page);
        for target in link.captures_iter(&text).map(|found| found[1].to_owned()) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let marked = anchor.is_empty()
                || path.extension().is_none_or(|e| e != "md")
                || (path.exists() && anchors(&path).contains(anchor));
            if !path.exists() || !marked {
                dead.push(format!("{}: {target}", page.display()));
            }
            followed += 1;
        }
    }
    assert!(dead.is_empty() && followed > 300, "{followed} links, dead are {dead:#?}");
}
