//! What a plan leaves open, decided by chance: ties that LIMIT cuts, bare columns under
//! GROUP BY, the order inside `group_concat`, the first row of a subquery without an order.
//!
//! One run of a query shows one of its possible answers, and by habit always the same one.
//! The plan edited here and run under different seeds shows the others.

use twinql_sql::{AggFunc, ColumnId, Direction, Expr, NullsOrder, Plan, Query, Rel, SortKey, Value};

use crate::execute::TIE_BREAKER;

/// Subqueries and inputs nested deeper than this are left alone.
const MAX_DEPTH: usize = 200;

/// The plan with the tie-breaker wherever it leaves open which row comes first: at the end
/// of every order, below bare columns and concatenations, and in scalar subqueries. `None`
/// where nothing is left open.
pub(super) fn opened(plan: &Plan) -> Option<Plan> {
    let mut plan = plan.clone();
    let mut opener = Opener { open: 0, depth: 0 };
    opener.query(&mut plan.query);
    (opener.open > 0).then_some(plan)
}

struct Opener {
    open: usize,
    depth: usize,
}

impl Opener {
    fn query(&mut self, query: &mut Query) {
        self.rel(&mut query.rel);
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a mut Expr>) {
        for e in exprs {
            self.expr(e);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match expr {
            Expr::Unary { expr, .. } | Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => {
                self.expr(expr);
            }
            Expr::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            Expr::And(list) | Expr::Or(list) | Expr::Row(list) => self.exprs(list),
            Expr::Function { args, .. } => self.exprs(args),
            Expr::Case {
                operand,
                branches,
                otherwise,
            } => {
                self.exprs(operand.as_deref_mut());
                for (when, then) in branches {
                    self.expr(when);
                    self.expr(then);
                }
                self.exprs(otherwise.as_deref_mut());
            }
            Expr::InList { expr, list } => {
                self.expr(expr);
                self.exprs(list);
            }
            Expr::InSubquery { exprs, query } => {
                self.exprs(exprs);
                self.query(query);
            }
            Expr::Quantified { expr, query, .. } => {
                self.expr(expr);
                self.query(query);
            }
            Expr::Exists(query) => self.query(query),
            Expr::Scalar(query) => {
                self.query(query);
                // The first row of a subquery without an order is any.
                let one = matches!(&query.rel, Rel::Aggregate { keys, .. } if keys.is_empty());
                if !one && !sorted(&query.rel) {
                    self.open += 1;
                    let input = Box::new(take(&mut query.rel));
                    query.rel = Rel::Sort {
                        keys: vec![tie_breaker(&input)],
                        input,
                        limit: None,
                        offset: None,
                    };
                }
            }
            Expr::Column(_) | Expr::Literal(_) => {}
        }
        self.depth -= 1;
    }

    fn rel(&mut self, rel: &mut Rel) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match rel {
            Rel::Distinct { input } | Rel::Window { input, .. } => self.rel(input),
            Rel::Sort { input, keys, .. } => {
                self.exprs(keys.iter_mut().map(|k| &mut k.expr));
                self.rel(input);
                self.open += 1;
                keys.push(tie_breaker(input));
            }
            Rel::Aggregate { input, keys, calls } => {
                self.exprs(keys.iter_mut().map(|(_, e)| e));
                for (_, call) in calls.iter_mut() {
                    self.exprs(call.args.iter_mut().chain(&mut call.filter));
                }
                self.rel(input);
                let any = |f: &AggFunc| matches!(f, AggFunc::Bare | AggFunc::GroupConcat | AggFunc::Other(_));
                if calls.iter().any(|(_, c)| any(&c.func)) {
                    self.open += 1;
                    let below = take(input);
                    **input = Rel::Sort {
                        keys: vec![tie_breaker(&below)],
                        input: Box::new(below),
                        // SQLite keeps a subquery's order where it has a limit.
                        limit: Some(Expr::Literal(Value::Integer(i64::MAX))),
                        offset: None,
                    };
                }
            }
            Rel::Filter { input, predicate } => {
                self.exprs(predicate);
                self.rel(input);
            }
            Rel::Project { input, exprs } => {
                self.exprs(exprs.iter_mut().map(|(_, e)| e));
                self.rel(input);
            }
            Rel::Join { inputs, on } => {
                self.exprs(on);
                for input in inputs {
                    self.rel(input);
                }
            }
            Rel::OuterJoin { left, right, on, .. } => {
                self.exprs(on);
                self.rel(left);
                self.rel(right);
            }
            Rel::SetOp { left, right, .. } => {
                self.query(left);
                self.query(right);
            }
            Rel::Recursive { .. }
            | Rel::RecursiveRef { .. }
            | Rel::TableFunction { .. }
            | Rel::Scan { .. }
            | Rel::Values { .. } => {}
        }
        self.depth -= 1;
    }
}

fn sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } | Rel::Filter { input, .. } => sorted(input),
        _ => false,
    }
}

fn take(rel: &mut Rel) -> Rel {
    let nothing = Rel::Values {
        columns: Vec::new(),
        rows: Vec::new(),
    };
    std::mem::replace(rel, nothing)
}

/// Columns that one call of the tie-breaker takes: SQLite bounds the arguments of a function.
const ARGUMENTS: usize = 12;

/// The columns of a relation, from left to right.
fn columns(rel: &Rel, into: &mut Vec<ColumnId>) {
    match rel {
        Rel::Scan { columns, .. } => into.extend(columns.iter().map(|(c, _)| *c)),
        Rel::Values { columns, .. }
        | Rel::TableFunction { columns, .. }
        | Rel::Recursive { columns, .. }
        | Rel::RecursiveRef { columns, .. }
        | Rel::SetOp { columns, .. } => into.extend(columns),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Distinct { input } => columns(input, into),
        Rel::Project { exprs, .. } => into.extend(exprs.iter().map(|(c, _)| *c)),
        Rel::Join { inputs, .. } => inputs.iter().for_each(|r| columns(r, into)),
        Rel::OuterJoin { left, right, .. } => {
            columns(left, into);
            columns(right, into);
        }
        Rel::Aggregate { keys, calls, .. } => {
            into.extend(keys.iter().map(|(c, _)| *c));
            into.extend(calls.iter().map(|(c, _)| *c));
        }
        Rel::Window { input, calls } => {
            columns(input, into);
            into.extend(calls.iter().map(|(c, _)| *c));
        }
    }
}

/// A sort key that is drawn for each row of `input` by its values: rows that agree in all
/// of them are the same to the query, and a subquery that runs many times keeps its order.
fn tie_breaker(input: &Rel) -> SortKey {
    let mut all = Vec::new();
    columns(input, &mut all);
    let call = |args: Vec<Expr>| Expr::Function {
        name: TIE_BREAKER.into(),
        args,
    };
    let mut parts: Vec<Expr> = all.into_iter().map(Expr::Column).collect();
    while parts.len() > ARGUMENTS {
        parts = parts.chunks(ARGUMENTS).map(|part| call(part.to_vec())).collect();
    }
    SortKey {
        expr: call(parts),
        direction: Direction::Asc,
        nulls: NullsOrder::First,
    }
}
