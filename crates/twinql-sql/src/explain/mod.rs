//! A plan as an indented tree, for people.
//!
//! The lines name operators, not clauses: what a rule changed shows as a line that came, went or reads
//! differently, and two trees are compared line by line (`keyed_lines`). Expressions are printed as SQL,
//! their subqueries as `…` with a tree of their own further down.

pub mod clauses;
pub mod kinds;
mod legend;
mod names;

use std::fmt::Write as _;

use serde::Serialize;

use crate::expr::{AggregateCall, Expr};
use crate::plan::Plan;
use crate::print;
use crate::rel::{ColumnId, Query, Rel};
use crate::schema::Schema;
use crate::spans::{Clause, Spans, TextRange, outermost};
pub use legend::legend;
use names::{Called, MAX_DEPTH, oriented, oriented_call};

/// One operator, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its id: the outline's letter and its number from the top, the same wherever the same
    /// text is explained.
    pub id: String,
    /// The id of the operator that reads it.
    pub parent: Option<String>,
    /// Levels above it.
    pub depth: usize,
    /// What it does.
    pub text: String,
    /// Where in the query it comes from; none where that is not known.
    pub spans: Vec<TextRange>,
}

/// Prints a plan as a tree: a line for each operator, inputs and subqueries indented
/// below it. A column is shown with its table, `member#2.name` where that is the second use of it.
pub fn tree(schema: &Schema, plan: &Plan) -> String {
    let mut text = String::new();
    for node in outline(schema, plan, None, 'n') {
        text.push_str(&"  ".repeat(node.depth));
        text.push_str(&node.text);
        text.push('\n');
    }
    text
}

/// [`tree`] with each operator's id before it and its places after it.
pub fn annotated(nodes: &[Node]) -> String {
    let width = nodes.iter().map(|n| n.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for node in nodes {
        let indent = "  ".repeat(node.depth);
        // Writing into a String cannot fail.
        let _ = write!(out, "{:width$}  {indent}{}", node.id, node.text);
        if !node.spans.is_empty() {
            let places: Vec<String> = node.spans.iter().map(ToString::to_string).collect();
            let _ = write!(out, "  @ {}", places.join(" "));
        }
        out.push('\n');
    }
    out
}

/// Outlines as one graph in Graphviz' DOT language, each a cluster with its title; the
/// nodes have the outlines' ids.
pub fn outlines_to_dot(outlines: &[(&str, &[Node])]) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out =
        String::from("digraph plans {\n  rankdir=BT;\n  node [shape=box, fontname=\"Helvetica\"];\n");
    for (i, (title, nodes)) in outlines.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label=\"{}\";", escape(title));
        for node in *nodes {
            let places: Vec<String> = node.spans.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                out,
                "    {} [label=\"{}: {}\", tooltip=\"{}\"];",
                node.id,
                node.id,
                escape(&node.text),
                places.join(" ")
            );
            if let Some(parent) = &node.parent {
                let _ = writeln!(out, "    {} -> {parent};", node.id);
            }
        }
        out.push_str("  }\n");
    }
    let all: Vec<&[Node]> = outlines.iter().map(|(_, nodes)| *nodes).collect();
    let mut lines =
        String::from("box: an operator and its id\\larrow: rows go from one operator to the next\\l");
    for (symbol, meaning) in legend(&all) {
        let _ = write!(lines, "{}: {}\\l", escape(symbol), escape(meaning));
    }
    let _ = writeln!(
        out,
        "  subgraph cluster_legend {{\n    label=\"legend\"; style=dashed;\n    legend [shape=plaintext, label=\"{lines}\"];\n  }}"
    );
    out.push_str("}\n");
    out
}

/// The operators of a plan from the top, each before what it reads. `letter` begins the
/// ids, so that several outlines can be told apart.
pub fn outline(schema: &Schema, plan: &Plan, spans: Option<&Spans>, letter: char) -> Vec<Node> {
    outlined(schema, plan, spans, letter, true).nodes
}

/// The lines of [`tree`], not indented, each with a key: two lines with the same key say the same. A filter
/// or a join has a line for each of its conditions.
pub(crate) fn keyed_lines(schema: &Schema, plan: &Plan) -> Vec<(String, String)> {
    let [shown, keys] = [true, false].map(|numbered| {
        let Tree { nodes, conditions, .. } = outlined(schema, plan, None, 'n', numbered);
        nodes
            .into_iter()
            .zip(conditions)
            .flat_map(|(node, conditions)| if conditions.is_empty() { vec![node.text] } else { conditions })
    });
    shown.zip(keys).collect()
}

/// Without `numbered`, all uses of a table are called the same, and what may be written either way
/// round is written in one.
fn outlined<'a>(
    schema: &'a Schema,
    plan: &Plan,
    spans: Option<&'a Spans>,
    letter: char,
    numbered: bool,
) -> Tree<'a> {
    let mut out = Tree {
        schema,
        called: Called::new(schema, plan, numbered),
        spans,
        letter,
        numbered,
        nodes: Vec::new(),
        conditions: Vec::new(),
        path: Vec::new(),
    };
    out.query(&plan.query, 0, "");
    out
}

struct Tree<'a> {
    schema: &'a Schema,
    called: Called,
    spans: Option<&'a Spans>,
    letter: char,
    numbered: bool,
    nodes: Vec<Node>,
    /// The conditions of each node that is a filter or a join, with its word before them.
    conditions: Vec<Vec<String>>,
    /// The operators above the next one, by their ids.
    path: Vec<String>,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, text: &str, spans: Vec<TextRange>) {
        let id = format!("{}{}", self.letter, self.nodes.len());
        self.path.truncate(depth);
        self.nodes.push(Node {
            id: id.clone(),
            parent: self.path.last().cloned(),
            depth,
            text: text.to_owned(),
            spans,
        });
        self.conditions.push(Vec::new());
        self.path.push(id);
    }

    /// Where an operator comes from: what it computes, orders by or tests, and the table.
    fn places(&self, rel: &Rel) -> Vec<TextRange> {
        let Some(spans) = self.spans else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let clause = match rel {
            Rel::Project { .. } => Clause::Output,
            Rel::Sort { .. } => Clause::Order,
            Rel::Aggregate { .. } => Clause::Group,
            _ => Clause::Any,
        };
        match rel {
            Rel::Scan { columns, .. } => found.extend(columns.first().and_then(|(c, _)| spans.of_column(*c))),
            Rel::Aggregate { keys, calls, .. } => {
                for (_, e) in keys {
                    spans.of_expr(clause, e, &mut found);
                }
                found.extend(calls.iter().filter_map(|(c, _)| spans.of_column(*c)));
            }
            Rel::Window { calls, .. } => {
                found.extend(calls.iter().filter_map(|(c, _)| spans.of_column(*c)));
            }
            _ => rel.exprs().into_iter().for_each(|e| spans.of_expr(clause, e, &mut found)),
        }
        outermost(found)
    }

    /// Columns by name, with commas.
    fn ids(&self, ids: &[ColumnId]) -> String {
        let names: Vec<String> = ids.iter().map(|c| self.name(*c)).collect();
        names.join(", ")
    }

    /// The columns of a source, whose name stands before them.
    fn own_ids(&self, ids: &[ColumnId]) -> String {
        let name = |c: &ColumnId| self.called.alone.get(c).cloned().unwrap_or_else(|| self.name(*c));
        let mut names: Vec<String> = ids.iter().map(name).collect();
        if !self.numbered {
            names.sort();
        }
        names.join(", ")
    }

    fn name(&self, c: ColumnId) -> String {
        let name = self.called.columns.get(&c).cloned();
        name.unwrap_or_else(|| format!("#{}", c.0))
    }

    /// What a source is called here: its name with the number of this use.
    fn source(&self, name: &str, ids: &[ColumnId]) -> String {
        let called = ids.first().and_then(|c| self.called.sources.get(c));
        called.cloned().unwrap_or_else(|| name.to_owned())
    }

    /// An expression as it is shown; without numbers in one orientation, so that `a = b` and `b = a` have
    /// one key.
    fn text(&self, e: &Expr) -> String {
        let names = &self.called.columns;
        if self.numbered { print::shallow(e, names) } else { print::shallow(&oriented(e, names), names) }
    }

    fn call(&self, call: &AggregateCall) -> String {
        let names = &self.called.columns;
        if self.numbered {
            print::shallow_call(call, names)
        } else {
            print::shallow_call(&oriented_call(call, names), names)
        }
    }

    /// A query's line, with its outputs, and those of its relation below it.
    fn query(&mut self, query: &Query, depth: usize, label: &str) {
        let output = self.ids(&query.output);
        self.line(depth, format!("{label}Query [{output}]").as_str(), Vec::new());
        self.rel(&query.rel, depth + 1);
    }

    /// What an operator says of itself: its word and what it computes, without its inputs. `texts` are its
    /// expressions in the order of [`Rel::exprs`], `all` the same as one conjunction.
    fn headline(&self, rel: &Rel, texts: &[String], all: &str) -> String {
        match rel {
            Rel::Scan { table, columns } => {
                let ids: Vec<ColumnId> = columns.iter().map(|(c, _)| *c).collect();
                let name = self.schema.tables.get(*table).map_or("?", |t| t.name.as_str());
                let read = self.own_ids(&ids);
                // What is read follows from the operators above: it is no difference of its own.
                let read = if self.numbered { &read } else { "" };
                format!("Scan {} [{read}]", self.source(name, &ids))
            }
            Rel::Values { columns, rows } => {
                format!("Values {} rows [{}]", rows.len(), self.ids(columns))
            }
            Rel::TableFunction { name, columns, .. } => {
                format!(
                    "TableFunction {}({}) [{}]",
                    self.source(name, columns),
                    texts.join(", "),
                    self.own_ids(columns)
                )
            }
            Rel::Recursive { name, columns, .. } => {
                format!("Recursive {} [{}]", self.source(name, columns), self.own_ids(columns))
            }
            Rel::RecursiveRef { name, columns } => {
                format!("RecursiveRef {} [{}]", self.source(name, columns), self.own_ids(columns))
            }
            Rel::Filter { .. } => format!("Filter {all}"),
            Rel::Project { exprs, .. } => {
                let items: Vec<String> = exprs
                    .iter()
                    .zip(texts)
                    .map(|((c, e), t)| match e {
                        Expr::Column(b) if b == c => t.clone(),
                        _ => format!("{} := {t}", self.name(*c)),
                    })
                    .collect();
                format!("Project {}", items.join(", "))
            }
            Rel::Join { .. } => format!("Join {all}"),
            Rel::OuterJoin { kind, .. } => format!("OuterJoin {kind:?} {all}"),
            Rel::Aggregate { keys, calls, .. } => {
                let keys: Vec<String> = keys
                    .iter()
                    .map(|(c, e)| match e {
                        Expr::Column(b) if b == c => self.name(*c),
                        e => format!("{} := {}", self.name(*c), self.text(e)),
                    })
                    .collect();
                let calls: Vec<String> = calls
                    .iter()
                    .map(|(c, call)| format!("{} := {}", self.name(*c), self.call(call)))
                    .collect();
                format!("Aggregate by [{}] compute [{}]", keys.join(", "), calls.join(", "))
            }
            Rel::Distinct { .. } => "Distinct".to_owned(),
            Rel::Sort { keys, limit, offset, .. } => {
                let by: Vec<String> =
                    keys.iter().map(|k| format!("{} {:?}", self.text(&k.expr), k.direction)).collect();
                let mut line = format!("Sort by [{}]", by.join(", "));
                if let Some(e) = limit {
                    line.push_str(&format!(" limit {}", self.text(e)));
                }
                if let Some(e) = offset {
                    line.push_str(&format!(" offset {}", self.text(e)));
                }
                line
            }
            Rel::SetOp { kind, all, columns, .. } => {
                let all = if *all { " ALL" } else { "" };
                format!("{kind:?}{all} [{}]", self.ids(columns))
            }
            Rel::Window { calls, .. } => {
                let calls: Vec<String> =
                    calls.iter().map(|(c, call)| format!("{} := {}(…)", self.name(*c), call.func)).collect();
                format!("Window {} over {}", calls.join(", "), texts.join(", "))
            }
        }
    }

    /// The lines of an operator, then of what it reads, then of the subqueries in its expressions. Beyond
    /// [`MAX_DEPTH`] one `…` stands for the rest: the recursion has to end before the stack does.
    fn rel(&mut self, rel: &Rel, depth: usize) {
        if depth > MAX_DEPTH {
            self.line(depth, "…", Vec::new());
            return;
        }
        let subqueries: Vec<&Query> = rel.exprs().into_iter().flat_map(Expr::subqueries).collect();
        let texts: Vec<String> = rel.exprs().into_iter().map(|e| self.text(e)).collect();
        let all = texts.join(" AND ");
        let line = self.headline(rel, &texts, &all);
        let places = self.places(rel);
        self.line(depth, line.trim_end(), places);
        let word = line.strip_suffix(&all).filter(|word| !word.is_empty());
        let conditional = matches!(rel, Rel::Filter { .. } | Rel::Join { .. } | Rel::OuterJoin { .. });
        if let (true, Some(word), Some(own)) = (conditional, word, self.conditions.last_mut()) {
            *own = texts.iter().map(|condition| format!("{word}{condition}")).collect();
        }
        for input in rel.inputs() {
            self.rel(input, depth + 1);
        }
        for arm in rel.arms() {
            self.query(arm, depth + 1, "");
        }
        for (i, query) in subqueries.iter().enumerate() {
            self.query(query, depth + 1, &format!("subquery {} ", i + 1));
        }
    }
}
