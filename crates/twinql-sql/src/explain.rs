//! A plan as an indented tree, for people.

use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::normalize::walk;
use crate::plan::Plan;
use crate::print::{self, Names};
use crate::rel::{ColumnId, Query, Rel};
use crate::schema::Schema;

/// Prints a plan as a tree: a line for each operator, inputs and subqueries indented
/// below it. A column is shown as its name and its id.
pub fn tree(schema: &Schema, plan: &Plan) -> String {
    let names: Names = plan
        .columns
        .iter()
        .enumerate()
        .map(|(i, info)| (ColumnId(i as u32), format!("{}#{i}", info.name)))
        .collect();
    let mut out = Tree {
        schema,
        names: &names,
        text: String::new(),
    };
    out.query(&plan.query, 0, "");
    out.text
}

struct Tree<'a> {
    schema: &'a Schema,
    names: &'a BTreeMap<ColumnId, String>,
    text: String,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn ids(&self, ids: &[ColumnId]) -> String {
        let names: Vec<String> = ids.iter().map(|c| self.name(*c)).collect();
        names.join(", ")
    }

    fn name(&self, c: ColumnId) -> String {
        self.names.get(&c).cloned().unwrap_or_else(|| format!("#{}", c.0))
    }

    fn query(&mut self, query: &Query, depth: usize, label: &str) {
        let output = self.ids(&query.output);
        self.line(depth, format!("{label}Query [{output}]").as_str());
        self.rel(&query.rel, depth + 1);
    }

    fn rel(&mut self, rel: &Rel, depth: usize) {
        let mut subqueries = Vec::new();
        for e in walk::own_exprs(rel) {
            find_subqueries(e, &mut subqueries);
        }
        let texts: Vec<String> = walk::own_exprs(rel)
            .into_iter()
            .map(|e| print::shallow(e, self.names))
            .collect();
        let all = texts.join(" AND ");
        let line = match rel {
            Rel::Scan { table, columns } => {
                let ids: Vec<ColumnId> = columns.iter().map(|(c, _)| *c).collect();
                let name = self.schema.tables.get(*table).map_or("?", |t| t.name.as_str());
                format!("Scan {name} [{}]", self.ids(&ids))
            }
            Rel::Values { columns, rows } => {
                format!("Values {} rows [{}]", rows.len(), self.ids(columns))
            }
            Rel::TableFunction { name, columns, .. } => {
                format!(
                    "TableFunction {name}({}) [{}]",
                    texts.join(", "),
                    self.ids(columns)
                )
            }
            Rel::Recursive { name, columns, .. } => {
                format!("Recursive {name} [{}]", self.ids(columns))
            }
            Rel::RecursiveRef { name, columns } => {
                format!("RecursiveRef {name} [{}]", self.ids(columns))
            }
            Rel::Filter { .. } => format!("Filter {all}"),
            Rel::Project { exprs, .. } => {
                let items: Vec<String> = exprs
                    .iter()
                    .zip(&texts)
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
                        e => {
                            let text = print::shallow(e, self.names);
                            format!("{} := {text}", self.name(*c))
                        }
                    })
                    .collect();
                let calls: Vec<String> = calls
                    .iter()
                    .map(|(c, call)| {
                        let text = print::shallow_call(call, self.names);
                        format!("{} := {text}", self.name(*c))
                    })
                    .collect();
                format!(
                    "Aggregate by [{}] compute [{}]",
                    keys.join(", "),
                    calls.join(", ")
                )
            }
            Rel::Distinct { .. } => "Distinct".to_owned(),
            Rel::Sort {
                keys, limit, offset, ..
            } => {
                let by: Vec<String> = keys
                    .iter()
                    .map(|k| {
                        let text = print::shallow(&k.expr, self.names);
                        format!("{text} {:?}", k.direction)
                    })
                    .collect();
                let mut line = format!("Sort by [{}]", by.join(", "));
                if let Some(e) = limit {
                    line.push_str(&format!(" limit {}", print::shallow(e, self.names)));
                }
                if let Some(e) = offset {
                    line.push_str(&format!(" offset {}", print::shallow(e, self.names)));
                }
                line
            }
            Rel::SetOp {
                kind, all, columns, ..
            } => {
                let all = if *all { " ALL" } else { "" };
                format!("{kind:?}{all} [{}]", self.ids(columns))
            }
            Rel::Window { calls, .. } => {
                let calls: Vec<String> = calls
                    .iter()
                    .map(|(c, call)| format!("{} := {}(…)", self.name(*c), call.func))
                    .collect();
                format!("Window {} over {}", calls.join(", "), texts.join(", "))
            }
        };
        self.line(depth, line.trim_end());
        for input in walk::inputs(rel) {
            self.rel(input, depth + 1);
        }
        for arm in walk::arms(rel) {
            self.query(arm, depth + 1, "");
        }
        for (i, query) in subqueries.iter().enumerate() {
            self.query(query, depth + 1, &format!("subquery {} ", i + 1));
        }
    }
}

fn find_subqueries<'a>(e: &'a Expr, into: &mut Vec<&'a Query>) {
    for operand in walk::operands(e) {
        find_subqueries(operand, into);
    }
    into.extend(walk::subquery(e));
}
