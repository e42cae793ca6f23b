//! What a plan leaves open, decided by chance: ties that LIMIT cuts or a window numbers, bare
//! columns under GROUP BY, the order inside `group_concat`, the first row of a subquery without
//! an order.
//!
//! One run of a query shows one of its possible answers, and by habit always the same one.
//! The plan edited here and run under different seeds shows the others.

use twinql_sql::{AggregateCall, Direction, Expr, NullsOrder, Plan, Query, Rel, SortKey, WindowCall};

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
    let mut opener = Opener { nested, subqueries: 0, open: 0, open_within: 0, unspecified: false, depth: 0 };
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
        key(if within && self.nested == Nested::ByValues { by_values(input) } else { call(Vec::new()) })
    }

    fn expr(&mut self, expr: &mut Expr) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for operand in expr.operands_mut() {
            self.expr(operand);
        }
        if let Some(query) = expr.subquery_mut() {
            self.subquery(query);
        }
        if let Expr::Scalar(query) = expr {
            // The first row of a subquery without an order is any.
            let one = query.rel.as_grouping().is_some_and(|g| g.keys.is_empty());
            if !one && !sorted(&query.rel) {
                let input = query.rel.take();
                self.subqueries += 1;
                let key = self.tie_breaker(&input);
                self.subqueries -= 1;
                query.rel = Rel::sort(input, vec![key], None);
            }
        }
        self.depth -= 1;
    }

    fn rel(&mut self, rel: &mut Rel) {
        let source = matches!(rel, Rel::Recursive { .. } | Rel::TableFunction { .. } | Rel::Values { .. });
        if self.depth > MAX_DEPTH || source {
            return;
        }
        self.depth += 1;
        let exprs = match rel {
            Rel::Window { .. } => 0,
            // A limit is a constant.
            Rel::Sort { keys, .. } => keys.len(),
            _ => usize::MAX,
        };
        for e in rel.exprs_mut().into_iter().take(exprs) {
            self.expr(e);
        }
        let joined = usize::from(matches!(rel, Rel::Join { .. } | Rel::OuterJoin { .. }));
        self.subqueries += joined;
        for input in rel.inputs_mut() {
            self.rel(input);
        }
        self.subqueries -= joined;
        for arm in rel.arms_mut() {
            self.query(arm);
        }
        self.decide(rel);
        self.depth -= 1;
    }

    /// Decides what this relation itself leaves open.
    fn decide(&mut self, rel: &mut Rel) {
        match rel {
            Rel::Window { input, calls } => {
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
                let key = self.tie_breaker(input);
                keys.push(key);
            }
            Rel::Aggregate { input, calls, .. } => {
                let extremes = calls.iter().filter(|(_, c)| c.func.is_extreme()).count();
                self.unspecified |= extremes > 1 && AggregateCall::any_bare(calls);
                if calls.iter().any(|(_, c)| c.func.depends_on_order()) {
                    let key = self.tie_breaker(input);
                    // SQLite keeps a subquery's order where it has a limit.
                    **input = Rel::sort(input.take(), vec![key], Some(Expr::integer(i64::MAX)));
                }
            }
            _ => {}
        }
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
    SortKey { expr, direction: Direction::Asc, nulls: NullsOrder::First }
}

fn sorted(rel: &Rel) -> bool {
    match rel {
        Rel::Sort { .. } => true,
        Rel::Project { input, .. } | Rel::Filter { input, .. } => sorted(input),
        _ => false,
    }
}

/// Columns that one call of the tie-breaker takes: SQLite bounds the arguments of a function.
const ARGUMENTS: usize = 12;

fn call(args: Vec<Expr>) -> Expr {
    Expr::function(TIE_BREAKER, args)
}

/// A number that is drawn for each row of `input` by its values.
fn by_values(input: &Rel) -> Expr {
    let mut parts: Vec<Expr> = input.outputs().into_iter().map(Expr::Column).collect();
    while parts.len() > ARGUMENTS {
        parts = parts.chunks(ARGUMENTS).map(|part| call(part.to_vec())).collect();
    }
    call(parts)
}
