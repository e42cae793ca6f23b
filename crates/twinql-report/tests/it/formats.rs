//! Reports as text, Markdown and LaTeX, and what holds for every format.

use serde_json::Value;
use twinql_report::{Format, PairCard, Pairs, Report, Section};

use crate::sample;

/// What predictions may hold: tags, ends of listings, controls, overrides of direction, other scripts.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'`${x}\\end{document}%#&~^_|*[a](http://evil.example)\
    \u{0}\u{7}\u{1b}[31m\u{202e}txet\u{2066}\u{200b}\u{feff}\r\n\u{2028}]]>--><!-- 東京 🚀 /* '";

/// The sample with every text replaced and, if asked for, every number missing.
fn replaced(text: &str, numbers: bool) -> Report {
    fn walk(value: &mut Value, text: &str, numbers: bool) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    let fixed = ["kind", "align", "better", "tone", "format", "digits", "series", "more"];
                    // `series` is a number in points, and a list elsewhere.
                    if !fixed.contains(&name.as_str()) || field.is_array() {
                        walk(field, text, numbers);
                    }
                }
            }
            Value::Array(all) if all.iter().all(Value::is_u64) && !all.is_empty() => {}
            Value::Array(all) => all.iter_mut().for_each(|value| walk(value, text, numbers)),
            Value::String(old) => *old = text.into(),
            Value::Number(_) if numbers => *value = Value::Null,
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut json: Value = serde_json::from_str(&sample::report().json()).unwrap();
    walk(&mut json, text, numbers);
    Report::from_json(&json.to_string()).unwrap()
}

#[test]
fn text_as_stored() {
    insta::assert_snapshot!(sample::report().text());
}

#[test]
fn markdown_as_stored() {
    insta::assert_snapshot!(sample::report().markdown());
}

#[test]
fn figures_are_xml() {
    for (_, picture) in sample::report().figures() {
        roxmltree::Document::parse(&picture).unwrap();
    }
}

#[test]
fn latex_as_stored() {
    // Coordinates of curves are many, and say little to a reader of the snapshot.
    let latex = sample::report().latex();
    let shown: Vec<String> = latex
        .lines()
        .map(|line| if line.len() > 600 { format!("{}…", &line[..600]) } else { line.into() })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn the_same_figures_give_the_same_bytes() {
    let stored = Report::from_json(&sample::report().json()).unwrap();
    for (format, ending) in Format::ALL {
        assert!(sample::report().render(format) == sample::report().render(format), "{ending}");
        assert!(stored.render(format) == sample::report().render(format), "{ending} from JSON");
    }
    assert!(stored.figures() == sample::report().figures());
}

#[test]
fn hostile_texts_show_and_do_not_act() {
    let report = replaced(HOSTILE, false);
    for (format, ending) in Format::ALL {
        let shown = report.render(format);
        let acts = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}' | '\u{feff}')
        };
        // JSON is data, with every character as it was; controls are escaped there too.
        if format != Format::Json {
            assert_eq!(shown.find(acts), None, "{ending}");
            assert!(shown.contains("U+202E"), "{ending}");
        }
    }
    let markdown = report.markdown();
    let outside = markdown.split("```").step_by(2).collect::<String>();
    assert!(!outside.contains("<img") && !outside.contains("[a]("), "{outside}");
    assert!(outside.contains("&lt;img"));
    for (file, picture) in report.figures() {
        let svg = roxmltree::Document::parse(&picture).unwrap();
        assert!(svg.descendants().all(|n| !n.has_tag_name("img") && !n.has_tag_name("script")), "{file}");
    }
}

#[test]
fn latex_stays_balanced() {
    for report in [sample::report(), replaced(HOSTILE, false)] {
        let latex = report.latex();
        assert_eq!(latex.matches("\\end{document}").count(), 1);
        let mut depth = 0i64;
        let mut chars = latex.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            assert!(depth >= 0);
        }
        assert_eq!(depth, 0);
        for name in ["document", "tabular", "table", "figure", "axis", "tikzpicture", "quote"] {
            let (begun, ended) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
            assert_eq!(latex.matches(&begun).count(), latex.matches(&ended).count(), "{name}");
        }
    }
}

#[test]
fn missing_numbers_and_empty_texts_leave_whole_reports() {
    for report in [replaced("", false), replaced("x", true), Report::new("", "")] {
        for (format, ending) in Format::ALL {
            let shown = report.render(format);
            assert!(!shown.contains("NaN") && !shown.contains("inf,"), "{ending}");
        }
        for (file, picture) in report.figures() {
            roxmltree::Document::parse(&picture).unwrap_or_else(|why| panic!("{file}: {why}"));
        }
    }
}

#[test]
fn a_megabyte_is_cut_with_a_note() {
    let long = "SELECT '".to_owned() + &"x".repeat(1 << 20) + "'";
    let cards = vec![PairCard::new(&*long, &*long, &*long).with_reason(&*long).with_question(&*long)];
    let section = Section::new(&*long, &*long)
        .with(Pairs { caption: long.clone(), cards, folded: false })
        .with(long.clone());
    let report = Report::new(&*long, &*long).with_fact(&*long, &*long).with_section(section);
    for (format, ending) in Format::ALL {
        if format != Format::Json {
            let shown = report.render(format);
            assert!(shown.len() < 120_000, "{ending}: {}", shown.len());
            assert!(shown.contains("1,044,585 more characters"), "{ending}");
        }
    }
}
