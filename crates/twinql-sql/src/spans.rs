//! Where in the text the parts of a plan come from: a table beside the tree, so that trees
//! compare without regard to places and planning is not slower where nobody asks.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Serialize;
use sqlparser::tokenizer::Span;

use crate::column_set::ColumnSet;
use crate::columns::Reads;
use crate::expr::{BinaryOp, Expr};
use crate::rel::ColumnId;
use crate::tree::{NodeMut, Tree};

/// A range of a text: lines and columns from 1, the end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct TextRange {
    /// The first line.
    pub line: u64,
    /// The first column, in characters.
    pub column: u64,
    /// The last line.
    pub end_line: u64,
    /// The column after the last character.
    pub end_column: u64,
}

impl TextRange {
    /// The place before a character, which holds nothing.
    pub(crate) fn at(line: u64, column: u64) -> TextRange {
        TextRange { line, column, end_line: line, end_column: column }
    }

    /// A span of the parser, if it is known.
    pub(crate) fn of(span: Span) -> Option<TextRange> {
        (span.start.line > 0).then_some(TextRange {
            line: span.start.line,
            column: span.start.column,
            end_line: span.end.line,
            end_column: span.end.column,
        })
    }

    fn start(self) -> (u64, u64) {
        (self.line, self.column)
    }

    fn end(self) -> (u64, u64) {
        (self.end_line, self.end_column)
    }

    /// Whether all of `other` lies in it.
    fn contains(self, other: TextRange) -> bool {
        self.start() <= other.start() && other.end() <= self.end()
    }
}

impl fmt::Display for TextRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}-{}:{}", self.line, self.column, self.end_line, self.end_column)
    }
}

/// The clause that an expression stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Clause {
    /// The select list.
    Output,
    /// ORDER BY.
    Order,
    /// GROUP BY.
    Group,
    /// Any.
    Any,
}

/// Places of columns and expressions of one plan.
///
/// Kept through normalisation: a column keeps the place of what it was made from, and an
/// expression its own where it is the same but for the order of its operands. Where a rule
/// rewrote one, the places of the written expressions over the same columns stand for it.
/// Lost are the places of what rules make of several expressions over different columns,
/// of constants alone, and of joins without a condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Spans {
    columns: BTreeMap<ColumnId, TextRange>,
    exprs: HashMap<(Clause, Expr), Vec<TextRange>>,
    /// By the columns that are read.
    readers: BTreeMap<ColumnSet, Vec<TextRange>>,
    /// The plan's column that a column of this tree was.
    origins: Option<Vec<ColumnId>>,
}

impl Spans {
    pub(crate) fn column(&mut self, c: ColumnId, span: Span) {
        if let Some(range) = TextRange::of(span) {
            self.columns.entry(c).or_insert(range);
        }
    }

    pub(crate) fn expr(&mut self, clause: Clause, expr: &Expr, span: Span) {
        let Some(range) = TextRange::of(span) else { return };
        let bare = matches!(expr, Expr::Column(_) | Expr::Literal(_));
        if clause == Clause::Any && bare {
            return;
        }
        self.exprs.entry((clause, key(expr))).or_default().push(range);
        if !bare {
            self.readers.entry(expr.reads()).or_default().push(range);
        }
    }

    /// The spans of a tree whose column `i` was the plan's column `origins[i]`.
    pub(crate) fn renumbered(&self, origins: Vec<ColumnId>) -> Spans {
        Spans { origins: Some(origins), ..self.clone() }
    }

    fn origin(&self, c: ColumnId) -> ColumnId {
        match &self.origins {
            Some(origins) => origins.get(c.0 as usize).copied().unwrap_or(c),
            None => c,
        }
    }

    /// Where a column was made.
    pub fn of_column(&self, c: ColumnId) -> Option<TextRange> {
        self.columns.get(&self.origin(c)).copied()
    }

    /// Where an expression stands, in whatever clause, or what it was made from; in order, none
    /// inside another.
    pub fn places(&self, expr: &Expr) -> Vec<TextRange> {
        let mut found = Vec::new();
        for clause in [Clause::Output, Clause::Order, Clause::Group, Clause::Any] {
            self.of_expr(clause, expr, &mut found);
            if !found.is_empty() {
                break;
            }
        }
        outermost(found)
    }

    /// Where an expression stands in a clause, or what it was made from.
    pub(crate) fn of_expr(&self, clause: Clause, expr: &Expr, into: &mut Vec<TextRange>) {
        let mut own = expr.clone();
        self.rename(&mut own);
        let written = key(&own);
        let exact =
            self.exprs.get(&(clause, written.clone())).or_else(|| self.exprs.get(&(Clause::Any, written)));
        if let Some(places) = exact {
            into.extend(places);
            return;
        }
        let columns = own.reads();
        if let Expr::Column(_) = own {
            return;
        }
        if let Some(places) = self.readers.get(&columns) {
            into.extend(places);
        }
    }

    /// In the plan's columns.
    fn rename(&self, expr: &mut Expr) {
        if self.origins.is_some() {
            expr.map_up_deep(|node| match node {
                NodeMut::Expr(Expr::Column(c)) => *c = self.origin(*c),
                NodeMut::Expr(_) => {}
                NodeMut::Rel(rel) => rel.listed_mut(&mut |c| *c = self.origin(*c)),
                NodeMut::Query(query) => query.output.iter_mut().for_each(|c| *c = self.origin(*c)),
            });
        }
    }
}

/// Ranges in order, those inside others left out.
pub fn outermost(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_by_key(|r| (r.start(), std::cmp::Reverse(r.end())));
    let mut out: Vec<TextRange> = Vec::new();
    for range in ranges {
        if !out.last().is_some_and(|last| last.contains(range)) {
            out.push(range);
        }
    }
    out
}

/// An expression up to the order of operands, the direction of comparisons, and what its
/// subqueries hold.
fn key(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    settle(&mut expr);
    expr
}

fn settle(expr: &mut Expr) {
    expr.map(|e| {
        match e {
            Expr::And(list) | Expr::Or(list) | Expr::InList { list, .. } => list.sort(),
            Expr::Binary { op: op @ (BinaryOp::Gt | BinaryOp::GtEq), left, right } => {
                *op = op.flipped().unwrap_or(*op);
                std::mem::swap(left, right);
            }
            Expr::Binary {
                op:
                    BinaryOp::Eq
                    | BinaryOp::NotEq
                    | BinaryOp::Is
                    | BinaryOp::IsNot
                    | BinaryOp::Add
                    | BinaryOp::Mul,
                left,
                right,
            } if **right < **left => std::mem::swap(left, right),
            _ => {}
        }
        false
    });
}
