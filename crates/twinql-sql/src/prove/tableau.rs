//! Queries as tableaux: rows of tables, conditions on them, and a summary.
//!
//! A [`Shape`] is a canonical query cut in two: one tableau (or one for each arm of a
//! UNION), whose answer is a bag or a set of summaries, and a [`Head`] of grouping, HAVING
//! and ORDER BY over them. Where the heads agree, the queries are equal if the tableaux are.

use std::collections::BTreeMap;

use crate::algebra::Grouping as Grouped;
use crate::expr::{AggFunc, Expr};
use crate::normalize::context::Context;
use crate::plan::Plan;
use crate::print::{self, Names};
use crate::rel::{ColumnId, ColumnInfo, Columns, Query, Rel, SetOpKind, SortKey};
use crate::schema::{ColumnRef, Schema};
use crate::semantics::Semantics;
use crate::substitution::Substitution;
use crate::tree::Tree;

use super::scope;

/// Tableaux with more rows than this are not compared.
pub(super) const MAX_ROWS: usize = 24;
/// Unions with more arms than this are not compared.
pub(super) const MAX_ARMS: usize = 24;

/// Ids of summary items in heads, of aggregates in heads, and of what subqueries inside an
/// expression produce. Each range is far above the ids of any plan.
const SLOT: u32 = 0x4000_0000;
const CALL: u32 = 0x5000_0000;
const INNER: u32 = 0x6000_0000;

/// The column that stands for item `i` of the summary.
pub(super) fn slot(i: usize) -> ColumnId {
    ColumnId(SLOT + i as u32)
}

/// The column that stands for aggregate `j`.
pub(super) fn call(j: usize) -> ColumnId {
    ColumnId(CALL + j as u32)
}

/// What a row of a tableau is a row of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RowOf {
    /// A base table.
    Table(usize),
    /// A relation that is no conjunctive query; matched only by one that is written alike.
    Relation(Box<Rel>),
}

/// A row of a tableau.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) source: RowOf,
    /// Its columns; of a table all of them, in the table's order.
    pub(super) columns: Vec<ColumnId>,
    /// What people call it.
    pub(super) alias: String,
    /// The table's name, or a relation as SQL, for people.
    of: String,
}

/// A conjunctive query: for rows that meet all conditions, the summary.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    pub(super) rows: Vec<Row>,
    pub(super) conditions: Vec<Expr>,
    pub(super) summary: Vec<Expr>,
    /// What is known of the columns.
    pub(super) columns: Columns,
    /// Its answer is the set of its summaries.
    pub(super) deduplicated: bool,
    /// There are no duplicates in its answer: they are removed, or there are none.
    pub(super) distinct: bool,
}

/// An aggregate over summaries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeadCall {
    pub(super) func: AggFunc,
    pub(super) distinct: bool,
    /// Summary items of its arguments.
    pub(super) args: Vec<usize>,
    /// The summary item of its filter.
    pub(super) filter: Option<usize>,
}

impl HeadCall {
    /// True if duplicates among the rows do not change its value.
    pub(super) fn ignores_duplicates(&self) -> bool {
        match self.func {
            AggFunc::Min | AggFunc::Max => true,
            AggFunc::Count | AggFunc::Sum | AggFunc::Total | AggFunc::Avg => self.distinct,
            _ => false,
        }
    }
}

/// What is done with the summaries. Expressions read [`slot`]s and [`call`]s.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// Grouping; `None` where each summary is a row of the answer.
    pub(super) grouping: Option<Grouping>,
    pub(super) outputs: Vec<Expr>,
    pub(super) sort: Vec<SortKey>,
    pub(super) limit: Option<Expr>,
    pub(super) offset: Option<Expr>,
}

impl Head {
    /// Whether each summary is a row of the answer.
    pub(super) fn answers_all(&self) -> bool {
        self.grouping.is_none() && self.limit.is_none() && self.offset.is_none()
    }
}

/// GROUP BY the first `keys` items of the summary.
#[derive(Debug, Clone)]
pub(super) struct Grouping {
    pub(super) keys: usize,
    pub(super) calls: Vec<HeadCall>,
    pub(super) having: Vec<Expr>,
}

/// A query as head and tableaux.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) head: Head,
    /// One, or the arms of a UNION.
    pub(super) arms: Vec<Tableau>,
    /// The arms together are a set.
    pub(super) union: bool,
}

/// A canonical query as head and tableaux, if it has that form.
pub(super) fn shape(schema: &Schema, semantics: &Semantics, plan: &Plan) -> Option<Shape> {
    let maker = Maker { schema, known: Context::new(schema, semantics, plan.columns.clone()), semantics };
    let mut head = Head {
        grouping: None,
        outputs: plan.query.output.iter().map(|c| Expr::Column(*c)).collect(),
        sort: Vec::new(),
        limit: None,
        offset: None,
    };
    let mut having: Vec<Expr> = Vec::new();
    let mut rel = &plan.query.rel;
    let mut sorted = false;
    loop {
        match rel {
            Rel::Project { input, exprs } => {
                read_through(&mut head, &mut having, exprs);
                rel = input;
            }
            Rel::Sort { input, keys, limit, offset } if !sorted => {
                sorted = true;
                head.sort.clone_from(keys);
                head.limit.clone_from(limit);
                head.offset.clone_from(offset);
                rel = input;
            }
            Rel::Filter { input, predicate } if matches!(**input, Rel::Aggregate { .. }) => {
                having.clone_from(predicate);
                rel = input;
            }
            Rel::Aggregate { input, keys, calls } => {
                let shown = |c: &ColumnId| {
                    let is = |e: &Expr| *e == Expr::Column(*c);
                    head.outputs.iter().any(is) || head.sort.iter().any(|k| is(&k.expr))
                };
                if calls.is_empty() && having.is_empty() && keys.iter().all(|(c, _)| shown(c)) {
                    read_through(&mut head, &mut having, keys);
                    return maker.plain(head, input, true);
                }
                return maker.grouped(head, having, Grouped { input, keys, calls });
            }
            Rel::SetOp { kind: SetOpKind::Union, all: false, columns, .. } => {
                return maker.union(head, rel, columns);
            }
            other => return maker.plain(head, other, false),
        }
    }
}

/// Writes what a projection or grouping computes into the expressions above it.
fn read_through(head: &mut Head, having: &mut [Expr], exprs: &[(ColumnId, Expr)]) {
    let map: Substitution = exprs.iter().cloned().collect();
    for e in head.outputs.iter_mut().chain(having) {
        e.substitute(&map);
    }
    for key in &mut head.sort {
        key.expr.substitute(&map);
    }
}

/// Moves outputs and sort keys into the summary.
fn summarise(head: &mut Head) -> Vec<Expr> {
    let sort = head.sort.iter_mut().map(|k| &mut k.expr);
    head.outputs
        .iter_mut()
        .chain(sort)
        .enumerate()
        .map(|(i, e)| std::mem::replace(e, Expr::Column(slot(i))))
        .collect()
}

/// Puts expressions in the place of columns in all of a summary.
fn rewritten(mut summary: Vec<Expr>, map: &Substitution) -> Vec<Expr> {
    summary.iter_mut().for_each(|e| {
        e.substitute(map);
    });
    summary
}

/// Makes the tableaux of one plan.
struct Maker<'a> {
    schema: &'a Schema,
    semantics: &'a Semantics,
    /// What is known of the plan's columns.
    known: Context<'a>,
}

impl Maker<'_> {
    /// Each summary is a row of the answer.
    fn plain(&self, mut head: Head, rel: &Rel, distinct: bool) -> Option<Shape> {
        let summary = summarise(&mut head);
        Some(Shape { head, arms: vec![self.tableau(rel, summary, distinct)?], union: false })
    }

    /// The summary is of the group keys, then of what the aggregates read.
    fn grouped(&self, mut head: Head, mut having: Vec<Expr>, of: Grouped<'_>) -> Option<Shape> {
        let Grouped { input, keys, calls } = of;
        let mut summary: Vec<Expr> = keys.iter().map(|(_, e)| e.clone()).collect();
        let mut names: Vec<(ColumnId, Expr)> =
            keys.iter().enumerate().map(|(i, (c, _))| (*c, Expr::Column(slot(i)))).collect();
        let mut head_calls = Vec::new();
        for (j, (c, of)) in calls.iter().enumerate() {
            // Their values depend on the order of rows, or on what is not known.
            if of.func.depends_on_order() {
                return None;
            }
            let mut item = |e: &Expr| {
                summary.push(e.clone());
                summary.len() - 1
            };
            head_calls.push(HeadCall {
                func: of.func.clone(),
                distinct: of.distinct,
                args: of.args.iter().map(&mut item).collect(),
                filter: of.filter.as_ref().map(&mut item),
            });
            names.push((*c, Expr::Column(call(j))));
        }
        read_through(&mut head, &mut having, &names);
        head.grouping = Some(Grouping { keys: keys.len(), calls: head_calls, having });
        Some(Shape { head, arms: vec![self.tableau(input, summary, false)?], union: false })
    }

    /// The arms of a UNION, each with the summary in its own columns.
    fn union(&self, mut head: Head, rel: &Rel, produced: &[ColumnId]) -> Option<Shape> {
        let summary = summarise(&mut head);
        // Rows of the union are distinct by all its columns, and so must summaries be.
        let shown = |c: &ColumnId| summary.contains(&Expr::Column(*c));
        if !produced.iter().all(shown) {
            return None;
        }
        let mut arms = Vec::new();
        self.collect_arms(rel, summary, &mut arms)?;
        Some(Shape { head, arms, union: true })
    }

    fn collect_arms(&self, rel: &Rel, summary: Vec<Expr>, arms: &mut Vec<Tableau>) -> Option<()> {
        match rel {
            Rel::SetOp { kind: SetOpKind::Union, left, right, columns: produced, .. } => {
                for arm in [left, right] {
                    let outputs = arm.output.iter().map(|o| Expr::Column(*o));
                    let map: Substitution = produced.iter().copied().zip(outputs).collect();
                    self.collect_arms(&arm.rel, rewritten(summary.clone(), &map), arms)?;
                }
                Some(())
            }
            Rel::Project { input, exprs } => {
                self.collect_arms(input, rewritten(summary, &exprs.iter().cloned().collect()), arms)
            }
            Rel::Aggregate { input, keys, calls } if calls.is_empty() => {
                self.collect_arms(input, rewritten(summary, &keys.iter().cloned().collect()), arms)
            }
            block => {
                arms.push(self.tableau(block, summary, true)?);
                (arms.len() <= MAX_ARMS).then_some(())
            }
        }
    }

    /// The tableau of a block of inner joins and filters.
    fn tableau(&self, rel: &Rel, mut summary: Vec<Expr>, deduplicated: bool) -> Option<Tableau> {
        let (inputs, mut conditions) = rel.clone().into_block();
        if inputs.len() > MAX_ROWS || !is_function(rel, &self.known) {
            return None;
        }
        let mut columns = self.known.columns.clone();
        let mut rows = Vec::new();
        for input in inputs {
            rows.push(row(self.schema, input, &mut columns)?);
        }
        if !summary.iter().all(|e| is_function(e, &self.known)) {
            return None;
        }
        for e in conditions.iter_mut().chain(&mut summary) {
            rename_inner(e);
        }
        name_rows(&mut rows, self.schema);
        let mut out = Tableau { rows, conditions, summary, columns, deduplicated, distinct: deduplicated };
        out.distinct |= out.has_unique_summaries(self.schema, self.semantics);
        Some(out)
    }
}

/// True if the database alone decides what the relation's rows are: nothing random, and
/// nothing that depends on which row comes first.
fn is_function(tree: &impl Tree, cx: &Context<'_>) -> bool {
    tree.is_deterministic() && !cx.leaves_open(tree)
}

fn row(schema: &Schema, input: Rel, columns: &mut Columns) -> Option<Row> {
    let Rel::Scan { table, columns: scanned } = input else {
        // It must not read its neighbours.
        if !input.free_columns().is_empty() {
            return None;
        }
        let produced = input.outputs();
        let plan =
            Plan { query: Query { rel: input.clone(), output: produced.clone() }, columns: columns.clone() };
        let sql = print::to_sql(schema, &plan).unwrap_or_else(|_| "…".to_owned());
        let of = format!("({sql})");
        return Some(Row {
            columns: produced,
            source: RowOf::Relation(Box::new(renumbered(input))),
            alias: String::new(),
            of,
        });
    };
    let t = schema.tables.get(table)?;
    let mut all = Vec::with_capacity(t.columns.len());
    for (at, column) in t.columns.iter().enumerate() {
        let id = match scanned.iter().find(|(_, position)| *position == at) {
            Some((c, _)) => *c,
            None => {
                let id = ColumnId(columns.len() as u32);
                columns.push(ColumnInfo::stored(column, ColumnRef { table, column: at }));
                id
            }
        };
        all.push(id);
    }
    Some(Row { source: RowOf::Table(table), columns: all, alias: String::new(), of: t.name.clone() })
}

/// A relation with ids in the order in which they occur, so that two that are written
/// alike compare equal.
fn renumbered(rel: Rel) -> Rel {
    let mut query = Query { rel, output: Vec::new() };
    let mut order: Vec<ColumnId> = Vec::new();
    query.map_ids(|c| {
        let at = order.iter().position(|o| o == c).unwrap_or_else(|| {
            order.push(*c);
            order.len() - 1
        });
        *c = ColumnId(INNER + at as u32);
    });
    query.rel
}

/// Gives what the subqueries of an expression produce ids of their own, so that no column
/// of another tableau is caught by them, and that equal ones compare equal.
fn rename_inner(expr: &mut Expr) {
    let mut next = 0;
    expr.map(|e| {
        if let Some(query) = e.subquery_mut() {
            let made = query.rel.produced_within();
            let mut names: BTreeMap<ColumnId, ColumnId> = BTreeMap::new();
            query.map_ids(|c| {
                if made.contains(c) {
                    *c = *names.entry(*c).or_insert_with(|| {
                        next += 1;
                        ColumnId(INNER + next)
                    });
                }
            });
        }
        false
    });
}

/// `concert`, or `concert_1` and `concert_2` where there are several.
fn name_rows(rows: &mut [Row], schema: &Schema) {
    let names: Vec<String> = rows
        .iter()
        .map(|row| match &row.source {
            RowOf::Table(t) => schema.tables.get(*t).map_or("?", |t| t.name.as_str()).to_owned(),
            RowOf::Relation(_) => "derived".to_owned(),
        })
        .collect();
    for (i, row) in rows.iter_mut().enumerate() {
        let same = |n: &&String| Some(*n) == names.get(i);
        let before = names.iter().take(i).filter(same).count();
        let name = names.get(i).map_or("", String::as_str);
        row.alias = if names.iter().filter(same).count() > 1 {
            format!("{name}_{}", before + 1)
        } else {
            name.to_owned()
        };
    }
}

impl Shape {
    /// True if all rows are rows of tables, and no condition or summary looks at others: what is tested is a
    /// conjunctive query, or a union of such.
    pub(super) fn is_conjunctive(&self) -> bool {
        self.arms.iter().all(|arm| {
            let of_tables = arm.rows.iter().all(|row| matches!(row.source, RowOf::Table(_)));
            of_tables && !arm.conditions.iter().chain(&arm.summary).any(Expr::has_subquery)
        })
    }
}

impl Row {
    /// The row as FROM has it.
    pub(super) fn from(&self) -> String {
        if self.of == self.alias { self.alias.clone() } else { format!("{} {}", self.of, self.alias) }
    }
}

impl Tableau {
    /// The rows and conditions as a relation.
    pub(super) fn block(&self) -> Rel {
        let inputs = self
            .rows
            .iter()
            .map(|row| match &row.source {
                RowOf::Table(table) => Rel::Scan {
                    table: *table,
                    columns: row.columns.iter().enumerate().map(|(i, c)| (*c, i)).collect(),
                },
                // All that is known is which columns it has.
                RowOf::Relation(_) => Rel::TableFunction {
                    name: row.alias.clone(),
                    args: Vec::new(),
                    columns: row.columns.clone(),
                },
            })
            .collect();
        Rel::join(inputs, self.conditions.clone())
    }

    /// True if conditions and summary read the rows and nothing else, their subqueries included.
    pub(super) fn is_closed(&self) -> bool {
        let visible = self.rows.iter().flat_map(|row| row.columns.iter().copied()).collect();
        let alone = |row: &Row| match &row.source {
            RowOf::Table(_) => true,
            RowOf::Relation(rel) => scope::is_closed(rel),
        };
        self.rows.iter().all(alone)
            && self.conditions.iter().chain(&self.summary).all(|e| scope::unresolved(e, &visible).is_none())
    }

    /// True if no two combinations of rows have the same summary.
    fn has_unique_summaries(&self, schema: &Schema, semantics: &Semantics) -> bool {
        let cx = Context::new(schema, semantics, self.columns.clone());
        cx.dependencies(&self.block()).unique(self.summary.iter().filter_map(Expr::as_column))
    }

    /// What its columns are called.
    pub(super) fn names(&self) -> Names {
        let mut names = Names::new();
        for row in &self.rows {
            for c in &row.columns {
                let column = c
                    .info(&self.columns)
                    .map_or_else(|| format!("c{}", c.0), |info| print::identifier(&info.name));
                names.insert(*c, format!("{}.{column}", print::identifier(&row.alias)));
            }
        }
        names
    }
}
