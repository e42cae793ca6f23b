//! The HTML report as a document: well-formed, linked, accessible, and inert whatever it holds.

use std::collections::BTreeSet;

use roxmltree::{Document, Node, ParsingOptions};
use twinql_report::{Cell, Column, PairCard, Pairs, Report, Section, Table, Tone};

use crate::sample;

/// The page without what its script and style say, which is no XML.
fn without_raw(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    for tag in ["style", "script"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let from = rest.find(&open).expect("the page's own") + open.len();
        let to = rest.find(&close).expect("the page's own");
        out.push_str(&rest[..from]);
        rest = &rest[to..];
    }
    out + rest
}

/// Parses a page, and checks what holds for every one.
fn checked(page: &str, check: impl Fn(&Document<'_>)) {
    let page = without_raw(page);
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&page, options).unwrap_or_else(|why| panic!("{why}"));
    let elements = || document.descendants().filter(Node::is_element);
    let ids: Vec<&str> = elements().filter_map(|n| n.attribute("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is given twice");
    for node in elements() {
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on"), "{name}={value}");
            match name {
                "href" => assert!(value.strip_prefix('#').is_some_and(|id| unique.contains(id)), "{value}"),
                "aria-labelledby" => assert!(value.split(' ').all(|id| unique.contains(id)), "{value}"),
                "src" | "srcset" | "action" | "data" | "style" => panic!("{name}={value}"),
                _ => {}
            }
        }
        assert!(!matches!(node.tag_name().name(), "img" | "iframe" | "object" | "link" | "base" | "form"));
        if node.has_tag_name("th") {
            assert!(matches!(node.attribute("scope"), Some("row" | "col")));
        }
        if node.has_tag_name("svg") && node.attribute("class") == Some("plot") {
            let has = |tag: &str| node.children().any(|c| c.has_tag_name(tag) && c.text().is_some());
            assert!(has("title") && has("desc"));
        }
    }
    assert_eq!(elements().filter(|n| n.has_tag_name("script")).count(), 1);
    assert_eq!(elements().filter(|n| n.has_tag_name("h1")).count(), 1);
    check(&document);
}

/// All text below a node.
fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

#[test]
fn the_page_is_whole() {
    let report = sample::report();
    let page = report.html();
    // Nothing is loaded: no address stands anywhere in the page.
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
    checked(&page, |document| {
        let count = |tag: &str, class: &str| {
            let of = |n: &Node<'_, '_>| n.has_tag_name(tag) && n.attribute("class") == Some(class);
            document.descendants().filter(of).count()
        };
        assert_eq!(count("svg", "plot"), report.charts().count());
        assert_eq!(count("article", "pair"), 3);
        let sections = document.descendants().filter(|n| n.has_tag_name("section")).count();
        assert_eq!(sections, report.sections.len() + 1);
        let links = document.descendants().find(|n| n.has_tag_name("nav")).unwrap();
        assert_eq!(links.descendants().filter(|n| n.has_tag_name("a")).count(), sections);
    });
}

#[test]
fn differing_tokens_are_marked() {
    let card = PairCard::new("p", "SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b >= 1");
    let report = Report::new("r", "").with_section(Section::new("s", "S").with(Pairs {
        caption: String::new(),
        cards: vec![card],
        folded: false,
    }));
    checked(&report.html(), |document| {
        let marks: Vec<String> =
            document.descendants().filter(|n| n.has_tag_name("mark")).map(text_of).collect();
        assert_eq!(marks, [">", ">="]);
        let queries: Vec<String> =
            document.descendants().filter(|n| n.has_tag_name("pre")).map(text_of).collect();
        assert_eq!(queries, ["SELECT a\nFROM t\nWHERE b > 1", "SELECT a\nFROM t\nWHERE b >= 1"]);
    });
}

#[test]
fn the_best_figure_is_said_and_not_only_shown() {
    let column = Column::number("AUC", 2).better(twinql_report::Better::Higher);
    let table = Table::new("t", vec![Column::text("metric"), column])
        .with_row(vec!["a".into(), Cell::number(0.5)])
        .with_row(vec!["b".into(), Cell::number(0.75)]);
    let report = Report::new("r", "").with_section(Section::new("s", "S").with(table));
    checked(&report.html(), |document| {
        let best: Vec<String> = document
            .descendants()
            .filter(|n| n.attribute("class").is_some_and(|class| class.contains("best")))
            .map(text_of)
            .collect();
        assert_eq!(best, ["0.75 (best)"]);
    });
}

#[test]
fn hostile_texts_are_texts() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "--><!--",
        "]]>",
        "</style><style>*{display:none}",
        "a\u{0}b\u{1b}c\u{202e}d\u{ffff}e",
        "&lt;b&gt; &amp; &#x3c;",
    ];
    for text in hostile {
        let card = PairCard::new(text, text, text)
            .with_badge(text, text, Tone::Same)
            .with_question(text)
            .with_reason(text);
        let table = Table::new(text, vec![Column::text(text).unit(text)])
            .with_row(vec![text.into()])
            .with_row(vec![Cell::missing(text)])
            .with_note(text);
        let section = Section::new(text, text).with(text).with(table).with(Pairs {
            caption: text.into(),
            cards: vec![card],
            folded: false,
        });
        let report = Report::new(text, text).with_fact(text, text).with_section(section);
        checked(&report.html(), |document| {
            let title = document.descendants().find(|n| n.has_tag_name("h1")).map(text_of).unwrap();
            let acts = text.contains('\u{202e}');
            assert_eq!(title, if acts { "a<U+0000>b<U+001B>c<U+202E>d<U+FFFF>e" } else { text });
            let query = document.descendants().find(|n| n.has_tag_name("pre")).map(text_of).unwrap();
            assert_eq!(query, if acts { "aU+0000bU+001BcU+202EdU+FFFFe" } else { text });
        });
    }
}

#[test]
fn ids_of_the_page_cannot_be_taken() {
    let section = |id: &str| Section::new(id, "S").with("text");
    let report = Report::new("r", "")
        .with_fact("a", "b")
        .with_section(section("content"))
        .with_section(section("provenance"))
        .with_section(section("x"))
        .with_section(section("x-h"))
        .with_section(section("x"));
    checked(&report.html(), |_| {});
}
