//! LATERAL subqueries, which SQLite lacks: what a subquery asks of the tables before it is
//! lifted out of it into the join's condition.
//!
//! After Galindo-Legaria and Joshi, Orthogonal Optimization of Subqueries and Aggregation
//! (SIGMOD 2001): a filter passes a projection that keeps its columns; of a grouping, its
//! columns become keys; of a limit, the rows of each value are numbered.

use sqlparser::tokenizer::Span;

use super::expr::{binary, conjuncts};
use super::from::filter;
use super::walk::columns_of;
use super::{Planner, Result, unsupported};
use crate::expr::{BinaryOp, Expr, WindowCall};
use crate::normalize::walk;
use crate::rel::{ColumnId, ColumnInfo, Rel};
use crate::schema::TypeClass;
use crate::value::Value;

/// What lifting gives: the relation without the conditions, and the conditions.
struct Lifted {
    rel: Rel,
    on: Vec<Expr>,
}

impl Planner<'_> {
    /// A subquery's relation with what it asks of `outer` columns lifted out of it.
    pub(super) fn lift_lateral(&mut self, rel: Rel, outer: &[ColumnId], span: Span) -> Result<(Rel, Vec<Expr>)> {
        let Lifted { rel, on } = self.lift_rel(rel, outer, span)?;
        if reads(&rel, outer) {
            return refused(span);
        }
        Ok((rel, on))
    }

    fn lift_rel(&mut self, rel: Rel, outer: &[ColumnId], span: Span) -> Result<Lifted> {
        if !reads(&rel, outer) {
            return Ok(Lifted { rel, on: Vec::new() });
        }
        match rel {
            Rel::Filter { input, predicate } => {
                let Lifted { rel, mut on } = self.lift_rel(*input, outer, span)?;
                let (lifted, kept): (Vec<Expr>, Vec<Expr>) =
                    predicate.into_iter().flat_map(conjuncts).partition(|e| mentions(e, outer));
                on.extend(lifted);
                Ok(Lifted {
                    rel: filter(rel, kept),
                    on,
                })
            }
            Rel::Join { inputs, on: joined } => {
                let (mut on, kept): (Vec<Expr>, Vec<Expr>) =
                    joined.into_iter().flat_map(conjuncts).partition(|e| mentions(e, outer));
                let mut rels = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let lifted = self.lift_rel(input, outer, span)?;
                    rels.push(lifted.rel);
                    on.extend(lifted.on);
                }
                Ok(Lifted {
                    rel: Rel::Join {
                        inputs: rels,
                        on: kept,
                    },
                    on,
                })
            }
            Rel::Project { input, mut exprs } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                if exprs.iter().any(|(_, e)| mentions(e, outer)) {
                    return refused(span);
                }
                for id in inner_columns(&on, outer) {
                    if !exprs.iter().any(|(known, _)| *known == id) {
                        exprs.push((id, Expr::Column(id)));
                    }
                }
                Ok(Lifted {
                    rel: Rel::Project {
                        input: Box::new(rel),
                        exprs,
                    },
                    on,
                })
            }
            // Rows of one outer row have the same values in the columns that come with them.
            Rel::Distinct { input } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                equalities(&on, outer, span)?;
                Ok(Lifted {
                    rel: Rel::Distinct { input: Box::new(rel) },
                    on,
                })
            }
            Rel::Sort {
                input,
                keys,
                limit,
                offset,
            } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                if keys.iter().any(|k| mentions(&k.expr, outer))
                    || limit.iter().chain(&offset).any(|e| mentions(e, outer))
                {
                    return refused(span);
                }
                if limit.is_none() && offset.is_none() {
                    // The order of a table has no meaning.
                    return Ok(Lifted { rel, on });
                }
                let partition_by = equalities(&on, outer, span)?;
                let number = self.new_column(ColumnInfo {
                    name: "row_number".into(),
                    origin: None,
                    affinity: None,
                    class: TypeClass::Integer,
                    nullable: false,
                })?;
                let numbered = Rel::Window {
                    input: Box::new(rel),
                    calls: vec![(
                        number,
                        WindowCall {
                            func: "row_number".into(),
                            args: Vec::new(),
                            distinct: false,
                            filter: None,
                            partition_by,
                            order_by: keys,
                            frame: None,
                        },
                    )],
                };
                let place = || Expr::Column(number);
                let first = offset.unwrap_or(Expr::Literal(Value::Integer(0)));
                let mut kept = vec![binary(BinaryOp::Gt, place(), first.clone())];
                if first == Expr::Literal(Value::Integer(0)) {
                    kept.clear();
                }
                match limit {
                    None => {}
                    Some(limit @ Expr::Literal(Value::Integer(1))) if kept.is_empty() => {
                        kept.push(binary(BinaryOp::Eq, place(), limit));
                    }
                    Some(limit) if kept.is_empty() => kept.push(binary(BinaryOp::LtEq, place(), limit)),
                    Some(limit) => kept.push(binary(
                        BinaryOp::LtEq,
                        place(),
                        binary(BinaryOp::Add, first, limit),
                    )),
                }
                Ok(Lifted {
                    rel: filter(numbered, kept),
                    on,
                })
            }
            Rel::Aggregate {
                input,
                mut keys,
                calls,
            } if !keys.is_empty() => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                equalities(&on, outer, span)?;
                let reads_outer = keys.iter().any(|(_, e)| mentions(e, outer))
                    || calls
                        .iter()
                        .any(|(_, c)| c.args.iter().chain(&c.filter).any(|e| mentions(e, outer)));
                if reads_outer {
                    return refused(span);
                }
                for id in inner_columns(&on, outer) {
                    if !keys.iter().any(|(known, _)| *known == id) {
                        keys.push((id, Expr::Column(id)));
                    }
                }
                Ok(Lifted {
                    rel: Rel::Aggregate {
                        input: Box::new(rel),
                        keys,
                        calls,
                    },
                    on,
                })
            }
            Rel::Window { input, mut calls } => {
                let Lifted { rel, on } = self.lift_rel(*input, outer, span)?;
                let partition = equalities(&on, outer, span)?;
                for (_, call) in &mut calls {
                    call.partition_by.extend(partition.iter().cloned());
                }
                Ok(Lifted {
                    rel: Rel::Window {
                        input: Box::new(rel),
                        calls,
                    },
                    on,
                })
            }
            _ => refused(span),
        }
    }
}

fn refused<T>(span: Span) -> Result<T> {
    unsupported("a LATERAL subquery that depends on the tables before it in this way", span)
}

fn mentions(expr: &Expr, outer: &[ColumnId]) -> bool {
    columns_of(expr).iter().any(|c| outer.contains(c))
}

/// Whether a relation reads one of these columns.
fn reads(rel: &Rel, outer: &[ColumnId]) -> bool {
    let used = walk::used_columns(rel);
    outer.iter().any(|c| used.contains(c))
}

/// The columns of the subquery in the lifted conditions.
fn inner_columns(on: &[Expr], outer: &[ColumnId]) -> Vec<ColumnId> {
    let mut out = Vec::new();
    for id in on.iter().flat_map(columns_of) {
        if !outer.contains(&id) && !out.contains(&id) {
            out.push(id);
        }
    }
    out
}

/// The subquery's side of conditions that are all equalities with the outer side: for one
/// outer row each has one value.
fn equalities(on: &[Expr], outer: &[ColumnId], span: Span) -> Result<Vec<Expr>> {
    let mut out = Vec::with_capacity(on.len());
    for expr in on {
        let Expr::Binary {
            op: BinaryOp::Eq,
            left,
            right,
        } = expr
        else {
            return refused(span);
        };
        let of_outer = |e: &Expr| columns_of(e).iter().all(|c| outer.contains(c));
        let inner = match (mentions(left, outer), mentions(right, outer)) {
            (false, true) if of_outer(right) => left,
            (true, false) if of_outer(left) => right,
            _ => return refused(span),
        };
        // Only a bare column has one value in all rows that meet the condition.
        if !matches!(**inner, Expr::Column(_)) {
            return refused(span);
        }
        out.push((**inner).clone());
    }
    Ok(out)
}
