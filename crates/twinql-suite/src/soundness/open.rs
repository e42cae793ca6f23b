//! What a plan leaves open, decided by chance: ties that LIMIT cuts or a window numbers, bare
//! columns under GROUP BY, the order inside `group_concat`, the first row of a subquery without
//! an order.
//!
//! One run of a query shows one of its possible answers, and by habit always the same one.
//! The plan edited here and run under different seeds shows the others.

use twinql_sql::{
    AggFunc, ColumnId, Direction, Expr, NullsOrder, Plan, Query, Rel, SortKey, Value, WindowCall,
};

use crate::confine::TIE_BREAKER;

/// Subqueries and inputs nested deeper than this are left alone.
const MAX_DEPTH: usize = 200;

/// How ties are broken inside subqueries of expressions and inputs of joins, which SQLite may
/// run once for each row around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nested {
    /// Anew in each run: shows all possible answers, and some that are not, where a subquery
    /// runs more than once.
    Freely,
    /// By the rows' values, the same in each run: shows possible answers alone, but not all,
    /// because equal rows stay together.
    ByValues,
}

/// A plan with what it leaves open decided by chance.
pub(crate) struct Opening {
    /// The plan with the tie-breaker wherever it leaves open which row comes first.
    pub(crate) plan: Plan,
    /// Some of these places may run more than once.
    pub(crate) within: bool,
    /// A bare column stands beside several MIN and MAX: SQLite takes it from the row of one of
    /// them and does not say which, and no draw shows the other.
    pub(crate) unspecified: bool,
}

/// Puts the tie-breaker at the end of every order, below bare columns and concatenations, and
/// in scalar subqueries. `None` where nothing is open.
pub(crate) fn opened(plan: &Plan, nested: Nested) -> Option<Opening> {
    let mut plan = plan.clone();
    let mut opener = Opener {
        nested,
        subqueries: 0,
        open: 0,
        open_within: 0,
        unspecified: false,
        depth: 0,
    };
    opener.query(&mut plan.query);
    (opener.open > 0).then_some(Opening {
        plan,
        within: opener.open_within > 0,
        unspecified: opener.unspecified,
    })
}

struct Opener {
    nested: Nested,
    /// Subqueries of expressions and joins around this place.
    subqueries: usize,
    open: usize,
    open_within: usize,
    unspecified: bool,
    depth: usize,
}

impl Opener {
    fn query(&mut self, query: &mut Query) {
        self.rel(&mut query.rel);
    }

    fn subquery(&mut self, query: &mut Query) {
        self.subqueries += 1;
        self.query(query);
        self.subqueries -= 1;
    }

    /// A sort key that breaks ties among the rows of `input`.
    fn tie_breaker(&mut self, input: &Rel) -> SortKey {
        self.open += 1;
        let within = self.subqueries > 0;
        self.open_within += usize::from(within);
        key(if within && self.nested == Nested::ByValues {
            by_values(input)
        } else {
            call(Vec::new())
        })
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
                self.subquery(query);
            }
            Expr::Quantified { expr, query, .. } => {
                self.expr(expr);
                self.subquery(query);
            }
            Expr::Exists(query) => self.subquery(query),
            Expr::Scalar(query) => {
                self.subquery(query);
                // The first row of a subquery without an order is any.
                let one = matches!(&query.rel, Rel::Aggregate { keys, .. } if keys.is_empty());
                if !one && !sorted(&query.rel) {
                    let input = Box::new(take(&mut query.rel));
                    self.subqueries += 1;
                    let key = self.tie_breaker(&input);
                    self.subqueries -= 1;
                    query.rel = Rel::Sort {
                        keys: vec![key],
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
            Rel::Distinct { input } => self.rel(input),
            Rel::Window { input, calls } => {
                self.rel(input);
                for (_, call) in calls.iter_mut().filter(|(_, c)| places(c)) {
                    self.open += 1;
                    // Calls with the same keys number the rows alike, which draws by values do
                    // and free ones need not.
                    self.open_within += 1;
                    call.order_by.push(key(match self.nested {
                        Nested::ByValues => by_values(input),
                        Nested::Freely => self::call(Vec::new()),
                    }));
                }
            }
            Rel::Sort { input, keys, .. } => {
                self.exprs(keys.iter_mut().map(|k| &mut k.expr));
                self.rel(input);
                let key = self.tie_breaker(input);
                keys.push(key);
            }
            Rel::Aggregate { input, keys, calls } => {
                self.exprs(keys.iter_mut().map(|(_, e)| e));
                for (_, call) in calls.iter_mut() {
                    self.exprs(call.args.iter_mut().chain(&mut call.filter));
                }
                self.rel(input);
                let any = |f: &AggFunc| matches!(f, AggFunc::Bare | AggFunc::GroupConcat | AggFunc::Other(_));
                let extremes = calls
                    .iter()
                    .filter(|(_, c)| matches!(c.func, AggFunc::Min | AggFunc::Max))
                    .count();
                self.unspecified |= extremes > 1 && calls.iter().any(|(_, c)| c.func == AggFunc::Bare);
                if calls.iter().any(|(_, c)| any(&c.func)) {
                    let below = take(input);
                    **input = Rel::Sort {
                        keys: vec![self.tie_breaker(&below)],
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
                self.subqueries += 1;
                for input in inputs {
                    self.rel(input);
                }
                self.subqueries -= 1;
            }
            Rel::OuterJoin { left, right, on, .. } => {
                self.exprs(on);
                self.subqueries += 1;
                self.rel(left);
                self.rel(right);
                self.subqueries -= 1;
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

/// True if the call tells rows apart whose sort keys are the same.
fn places(call: &WindowCall) -> bool {
    match call.func.as_str() {
        "row_number" | "ntile" | "lag" | "lead" | "first_value" => true,
        _ => call.frame.as_ref().is_some_and(|f| f.starts_with("ROWS")),
    }
}

fn key(expr: Expr) -> SortKey {
    SortKey {
        expr,
        direction: Direction::Asc,
        nulls: NullsOrder::First,
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

fn call(args: Vec<Expr>) -> Expr {
    Expr::Function {
        name: TIE_BREAKER.into(),
        args,
    }
}

/// A number that is drawn for each row of `input` by its values.
fn by_values(input: &Rel) -> Expr {
    let mut all = Vec::new();
    columns(input, &mut all);
    let mut parts: Vec<Expr> = all.into_iter().map(Expr::Column).collect();
    while parts.len() > ARGUMENTS {
        parts = parts.chunks(ARGUMENTS).map(|part| call(part.to_vec())).collect();
    }
    call(parts)
}
