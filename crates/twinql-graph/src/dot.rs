//! Graphs in Graphviz' DOT language.
//!
//! `petgraph::dot` numbers the nodes of one graph and knows no clusters: two graphs in one picture, with edges between
//! them and a legend, are written here.

use std::fmt::Write;

use crate::encode::seeds;
use crate::graph::{EdgeKind, QueryGraph};
use crate::vocabulary::Tag;

/// Labels longer than this many characters are cut.
const LABEL: usize = 48;

/// Two graphs side by side, with the edges that the merged pair graph adds, dashed.
pub fn pair_to_dot(gold: &QueryGraph, pred: &QueryGraph) -> String {
    let mut out = String::from("digraph pair {\n");
    out.push_str("  node [fontname=\"Helvetica\", fontsize=11, style=filled];\n");
    out.push_str("  edge [arrowsize=0.6];\n");
    for (graph, name, title) in [(gold, "g", "gold"), (pred, "p", "prediction")] {
        let _ = writeln!(out, "  subgraph cluster_{name} {{\n    label=\"{title}\";");
        body(graph, name, &mut out);
        out.push_str("  }\n");
    }
    for (left, right) in seeds(gold, pred) {
        let _ = writeln!(
            out,
            "  g{left} -> p{right} [color=\"#7b3fa0\", style=dashed, dir=none, constraint=false];"
        );
    }
    legend(&mut out);
    out.push_str("}\n");
    out
}

/// A small graph that says what shapes and colours mean.
fn legend(out: &mut String) {
    out.push_str("  subgraph cluster_legend {\n    label=\"legend\"; style=dashed;\n");
    out.push_str("    legend_a [label=\"operator\", shape=box, fillcolor=\"#dce8f7\"];\n");
    out.push_str("    legend_b [label=\"name or constant\", shape=ellipse, fillcolor=\"#e8f3e8\"];\n");
    let edges = [
        ("black", "solid", "operand"),
        ("#e07b00", "solid", "rows go to (logic)"),
        ("#2a9d3a", "solid", "value goes to (data)"),
        ("#7b3fa0", "dashed", "the same in both queries"),
    ];
    for (colour, style, meaning) in edges {
        let _ = writeln!(
            out,
            "    legend_a -> legend_b [color=\"{colour}\", style={style}, label=\"{meaning}\", fontname=\"Helvetica\", fontsize=10];"
        );
    }
    out.push_str("  }\n");
}

/// Nodes and edges of a graph, the nodes called by `prefix` and their index.
fn body(graph: &QueryGraph, prefix: &str, out: &mut String) {
    for (index, node) in graph.graph().node_weights().enumerate() {
        let mut label = node.content.as_deref().map_or_else(
            || node.word.name().to_owned(),
            |content| format!("{}\n{}", node.word.name(), content),
        );
        if label.chars().count() > LABEL {
            label = label.chars().take(LABEL).chain(['…']).collect();
        }
        let (shape, fill) = match node.content {
            Some(_) => ("ellipse", "#e8f3e8"),
            None => ("box", "#dce8f7"),
        };
        let tooltip = if node.tag == Tag::NONE { "" } else { node.tag.name() };
        let _ = writeln!(
            out,
            "    {prefix}{index} [label=\"{}\", shape={shape}, fillcolor=\"{fill}\", tooltip=\"{}\"];",
            escape(&label),
            escape(tooltip)
        );
    }
    for edge in graph.graph().raw_edges() {
        let style = match edge.weight {
            EdgeKind::Tree => "color=black",
            EdgeKind::Logic => "color=\"#e07b00\", constraint=false",
            EdgeKind::Data => "color=\"#2a9d3a\", constraint=false",
        };
        let (from, to) = (edge.source().index(), edge.target().index());
        let _ = writeln!(out, "    {prefix}{from} -> {prefix}{to} [{style}];");
    }
}

/// The text as it may stand between double quotes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
