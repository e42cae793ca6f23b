//! `twinql corpus stats`: what a data set is made of.
//!
//! Any file of gold queries is counted: its questions, how many of its queries are the same again, and what
//! they are composed of. A pair file is counted by label too. The table and the JSON document are made of the
//! same counts.

mod labels;

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use twinql::corpus::composition::{Composition, SchemaSize, Variety, distinct_queries};
use twinql::corpus::examples::{self, Examples};
use twinql::corpus::pairs::{self, BadLine};
use twinql::files::Lines;
use twinql::metrics::{Hardness, Keyword};
use twinql::sql::Dialect;

use crate::args::corpus as args;
use crate::commands::corpus_stats::labels::Labels;
use crate::commands::print;
use crate::input;
use crate::output::table;

/// Counts a file, and the schemas that are given with it.
pub(crate) fn run(typed: &args::CorpusStats) -> Result<bool> {
    let path = &typed.file;
    // Schemas that cannot be read are said before the work is done.
    let schemas =
        typed.schemas.as_deref().map(|path| input::schema_set(path, Dialect::Sqlite)).transpose()?;
    let size = schemas.as_ref().map(SchemaSize::of);
    let (labels, bad) = of_pairs(path)?.unzip();
    let found = examples::read(path)?;
    let bad = bad.as_ref().unwrap_or(&found.bad);
    let counts = Counts::of(&found, size);
    let text = || {
        let of_labels = labels.as_ref().map(|labels| table(&labels.rows()) + "\n");
        let mut text = of_labels.unwrap_or_default()
            + &format!("{}\n{}", table(&counts.of_data()), table(&counts.of_queries()));
        if let Some(bad) = found.bad.first() {
            let what = if labels.is_some() { "pair" } else { "query" };
            let (n, line, message) = (found.bad.len(), bad.line, &bad.message);
            text.push_str(&format!("\n{n} lines hold no {what}; the first is line {line}: {message}\n"));
        }
        text
    };
    let document = || {
        let mut document = json!({});
        if let Some(labels) = &labels {
            labels.add_to(&mut document);
        }
        document["bad_lines"] = bad.len().into();
        counts.add_to(&mut document);
        document
    };
    print(typed.format.format, text, document)?;
    Ok(true)
}

/// The labels of a pair file and the lines that hold no pair; none of any other file. A file of JSON lines is one unless its first line is a
/// question with its query, and no prediction.
fn of_pairs(path: &Path) -> Result<Option<(Labels, Vec<BadLine>)>> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if !name.ends_with(".jsonl") && !name.ends_with(".ndjson") {
        return Ok(None);
    }
    if let Some(line) = Lines::open(path)?.filled().next().transpose()? {
        let object: Option<Map<String, Value>> = line.text().ok().and_then(|t| serde_json::from_str(t).ok());
        let has = |name: &str| object.as_ref().is_some_and(|o| o.contains_key(name));
        if !has("pred") && !has("sql2") && (has("query") || has("SQL")) {
            return Ok(None);
        }
    }
    let file = pairs::read(path)?;
    if let (true, Some(bad)) = (file.pairs.is_empty(), file.bad.first()) {
        bail!(
            "no line of the file is a pair; {}, line {}: {}; give one JSON object a line, with db_id, gold and pred",
            path.display(),
            bad.line,
            bad.message
        );
    }
    Ok(Some((Labels::of(&file), file.bad)))
}

/// What is counted of any file.
struct Counts {
    size: Option<SchemaSize>,
    variety: Variety,
    /// The queries of each column of the table, by its name.
    columns: Vec<(&'static str, Composition)>,
}

impl Counts {
    fn of(found: &Examples, size: Option<SchemaSize>) -> Counts {
        let rows = &found.examples;
        let distinct = distinct_queries(rows);
        let mut columns = vec![
            ("gold", Composition::of(rows.iter().map(|e| e.sql.as_str()))),
            ("gold, distinct", Composition::of(distinct.iter().map(|e| e.sql.as_str()))),
        ];
        if rows.iter().any(|e| e.pred.is_some()) {
            let preds = rows.iter().filter_map(|e| e.pred.as_deref());
            columns.push(("pred", Composition::of(preds)));
        }
        Counts { size, variety: Variety::of(rows), columns }
    }

    /// Sizes of the data set, a name and a figure a row.
    fn of_data(&self) -> Vec<Vec<String>> {
        let v = &self.variety;
        let mut rows = vec![vec!["data".to_owned(), String::new()]];
        let mut put = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
        if let Some(size) = &self.size {
            put("databases with a schema", size.databases.to_string());
            put("tables", size.tables.to_string());
            put("columns", size.columns.to_string());
            put("foreign keys", size.foreign_keys.to_string());
        }
        put("rows", v.rows.to_string());
        put("databases", v.databases.to_string());
        if v.questions > 0 {
            put("distinct questions", v.questions.to_string());
            put("characters a question", mean(v.question_characters, v.questions));
            put("words a question", mean(v.question_words, v.questions));
        }
        put("distinct queries", v.queries.to_string());
        put("but for values", v.templates.to_string());
        put("but for values and names", v.patterns.to_string());
        put("rows a distinct query", mean(v.rows, v.queries));
        if v.questions > 0 {
            put("questions a distinct query", mean(v.questions, v.queries));
        }
        put("rows a template", mean(v.rows, v.templates));
        rows
    }

    /// What queries are made of, a column for each set of them.
    fn of_queries(&self) -> Vec<Vec<String>> {
        let row = |name: &str, cell: &dyn Fn(&Composition) -> String| {
            let cells = self.columns.iter().map(|(_, c)| cell(c));
            std::iter::once(name.to_owned()).chain(cells).collect::<Vec<String>>()
        };
        let names = ["queries"].into_iter().chain(self.columns.iter().map(|(name, _)| *name));
        let mut rows = vec![
            names.map(str::to_owned).collect(),
            row("all", &|c| c.queries.to_string()),
            row("not parsed", &|c| (c.queries - c.parsed).to_string()),
            row("characters", &|c| mean(c.characters, c.queries)),
            row("tokens", &|c| mean(c.tokens, c.queries)),
            row("tables", &|c| mean(c.tables, c.parsed)),
        ];
        for keyword in Keyword::ALL {
            rows.push(row(keyword.name(), &|c| {
                c.share(*keyword).map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share))
            }));
        }
        for class in Hardness::ALL {
            rows.push(row(class.name(), &|c| share(c.hardness[class as usize], c.parsed)));
        }
        rows
    }

    /// The same figures as JSON. Ratios are given beside their counts, since papers print those, and are null where
    /// they would divide by zero.
    fn add_to(&self, document: &mut Value) {
        let v = &self.variety;
        if let Some(s) = &self.size {
            document["schemas"] = json!({
                "databases": s.databases, "tables": s.tables, "columns": s.columns, "foreign_keys": s.foreign_keys,
            });
        }
        document["data"] = json!({
            "rows": v.rows,
            "databases": v.databases,
            "questions": v.questions,
            "question_characters": ratio(v.question_characters, v.questions),
            "question_words": ratio(v.question_words, v.questions),
            "queries": v.queries,
            "templates": v.templates,
            "patterns": v.patterns,
            "rows_a_query": ratio(v.rows, v.queries),
            "questions_a_query": ratio(v.questions, v.queries).filter(|_| v.questions > 0),
            "rows_a_template": ratio(v.rows, v.templates),
        });
        let of = |c: &Composition| {
            let keywords: Map<String, Value> =
                Keyword::ALL.iter().map(|k| (k.name().to_owned(), json!(c.share(*k)))).collect();
            let hardness: Map<String, Value> =
                Hardness::ALL.iter().map(|h| (h.name().to_owned(), c.hardness[*h as usize].into())).collect();
            json!({
                "queries": c.queries,
                "parsed": c.parsed,
                "characters": ratio(c.characters, c.queries),
                "tokens": ratio(c.tokens, c.queries),
                "tables": c.tables_a_query(),
                "keywords": keywords,
                "hardness": hardness,
            })
        };
        let names = ["gold", "distinct_gold", "pred"];
        for (name, (_, composition)) in names.into_iter().zip(&self.columns) {
            document["queries"][name] = of(composition);
        }
    }
}

/// None where there is nothing to divide by.
fn ratio(sum: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| sum as f64 / of as f64)
}

fn mean(sum: usize, of: usize) -> String {
    ratio(sum, of).map_or("-".to_owned(), |mean| format!("{mean:.2}"))
}

fn share(count: usize, of: usize) -> String {
    ratio(count, of).map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share))
}
