//! What the outermost query says about the order of its rows, and how far the sort keys
//! leave it open.
//!
//! `ORDER BY age LIMIT 3` has several answers where ages tie. The query is then run once more without LIMIT
//! and with its sort keys in the answer, which cuts its rows into [`Runs`] that tie: an answer is possible if
//! it takes whole runs in their order, and any rows of the run that LIMIT cuts.

mod inspect;

use std::ops::ControlFlow;

use sqlparser::ast::{
    Distinct, Expr, Ident, LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, SelectItem,
    SetExpr, VisitorMut,
};
use twinql_sql::{Value, syntax};

use crate::compare::{Columns, Mode, among, matched, order, same, view};
use crate::confine::TIE_BREAKER;
use crate::database::Row;
use crate::execute::Answer;
use crate::facts::constant;
use crate::permitted::Permitted;
use inspect::inspect;

/// The outermost ORDER BY and LIMIT of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ordering {
    /// The outermost query has ORDER BY.
    pub ordered: bool,
    /// A derived table or a window has ORDER BY; SQLite keeps such an order in practice.
    pub inner_order: bool,
    /// The outermost query has LIMIT or OFFSET.
    pub limited: bool,
    /// Rows skipped, where known.
    pub offset: usize,
    /// Rows kept, where known and limited.
    pub limit: Option<usize>,
    /// The query without LIMIT, its sort keys appended as further columns, and where in
    /// the answer the keys stand.
    pub keyed: Option<(String, Vec<usize>)>,
    /// The query with a random last key in every ORDER BY, where that can make a
    /// difference to its answer beyond the order of rows.
    pub shaken: Option<String>,
    /// The answer's rows may depend on the order in which rows are stored.
    pub sensitive: bool,
    /// Nothing but the outermost ORDER BY and LIMIT, whose bounds are known, leaves the answer open.
    pub certain: bool,
}

impl Ordering {
    /// Reads it from a parsed query whose answer has `width` columns.
    pub fn of(query: &Query, width: usize) -> Ordering {
        let mut out = Ordering { ordered: query.order_by.is_some(), ..Ordering::default() };
        let number = |e: &Expr| match constant(e) {
            Some(Value::Integer(n)) => Some(n),
            _ => None,
        };
        let mut known = true;
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
                out.limited = true;
                match limit.as_ref().map(number) {
                    Some(Some(n)) => out.limit = usize::try_from(n).ok(),
                    Some(None) => known = false,
                    None => {}
                }
                match offset.as_ref().map(|o| number(&o.value)) {
                    Some(Some(n)) => out.offset = usize::try_from(n).unwrap_or(0),
                    Some(None) => known = false,
                    None => {}
                }
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                out.limited = true;
                match (number(offset), number(limit)) {
                    (Some(o), Some(l)) => {
                        out.offset = usize::try_from(o).unwrap_or(0);
                        out.limit = usize::try_from(l).ok();
                    }
                    _ => known = false,
                }
            }
            None => {}
        }
        if (out.ordered || out.limited) && known {
            out.keyed = keyed(query, width);
        }
        let found = inspect(query);
        out.sensitive = found.inside || out.limited;
        // Under a collation values tie that are not the same.
        let collated =
            query.order_by.as_ref().is_some_and(|o| o.to_string().to_ascii_uppercase().contains("COLLATE"));
        out.certain = known && !found.inside && !found.chance && !collated;
        out.inner_order = found.orders > usize::from(out.ordered);
        if out.sensitive {
            let mut copy = query.clone();
            let _ = syntax::change(&mut copy, &mut Shake);
            out.shaken = Some(copy.to_string());
        }
        out
    }
}

/// Adds the tie-breaker to every query with LIMIT, or with one row by being a scalar.
struct Shake;

impl VisitorMut for Shake {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let plain = match &*query.body {
            SetExpr::Select(s) => s.distinct.is_none(),
            _ => false,
        };
        if !plain || query.limit_clause.is_none() {
            return ControlFlow::Continue(());
        }
        let breaker = OrderByExpr {
            expr: call(TIE_BREAKER),
            options: OrderByOptions { sort: None, nulls_first: None },
            with_fill: None,
        };
        match &mut query.order_by {
            Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys.push(breaker),
            Some(_) => {}
            None => {
                query.order_by =
                    Some(OrderBy { kind: OrderByKind::Expressions(vec![breaker]), interpolate: None });
            }
        }
        ControlFlow::Continue(())
    }
}

/// A call without arguments.
fn call(name: &str) -> Expr {
    Expr::Function(sqlparser::ast::Function {
        name: sqlparser::ast::ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: sqlparser::ast::FunctionArguments::None,
        args: sqlparser::ast::FunctionArguments::List(sqlparser::ast::FunctionArgumentList {
            duplicate_treatment: None,
            args: Vec::new(),
            clauses: Vec::new(),
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    })
}

/// The query without LIMIT and with its sort keys in the answer, if it has any.
fn keyed(query: &Query, width: usize) -> Option<(String, Vec<usize>)> {
    let keys: &[OrderByExpr] = match &query.order_by {
        None => &[],
        Some(OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys,
        Some(_) => return None,
    };
    let mut copy = query.clone();
    copy.limit_clause = None;
    // The projection that names the output: of the first arm.
    let mut body = &*query.body;
    let select = loop {
        match body {
            SetExpr::Select(s) => break s,
            SetExpr::SetOperation { left, op: _, set_quantifier: _, right: _ } => body = left,
            SetExpr::Query(q) => body = &q.body,
            _ => return None,
        }
    };
    // Only a SELECT that keeps its rows apart can put out its sort keys too: another column would change what
    // DISTINCT or UNION merges.
    let single = matches!(&*query.body, SetExpr::Select(_))
        && !matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_)));
    // A wildcard hides which place an output has.
    let plain = select.projection.iter().all(|item| syntax::item_expr(item).is_some());
    let item = |i: usize| select.projection.get(i).and_then(syntax::item_expr);
    // A sort key that is put out anyway: by its number, its alias, as the same expression, or by its name.
    let position = |e: &Expr| -> Option<usize> {
        if let Some(Value::Integer(n)) = constant(e) {
            return usize::try_from(n).ok()?.checked_sub(1).filter(|n| *n < width);
        }
        if !plain {
            return None;
        }
        let name = |e: &Expr| match e {
            Expr::Identifier(i) => Some(i.value.to_ascii_lowercase()),
            Expr::CompoundIdentifier(p) => p.last().map(|i| i.value.to_ascii_lowercase()),
            _ => None,
        };
        let alias = |i: &SelectItem| match (i, e) {
            (SelectItem::ExprWithAlias { alias, expr: _ }, Expr::Identifier(id)) => {
                alias.value.eq_ignore_ascii_case(&id.value)
            }
            _ => false,
        };
        (0..select.projection.len())
            .find(|&i| select.projection.get(i).is_some_and(alias))
            .or_else(|| (0..select.projection.len()).find(|&i| item(i) == Some(e)))
            .or_else(|| {
                if single {
                    return None;
                }
                let wanted = name(e)?;
                (0..select.projection.len()).find(|&i| item(i).and_then(name).as_ref() == Some(&wanted))
            })
    };
    let mut places = Vec::new();
    let mut appended = Vec::new();
    for key in keys {
        if let Some(place) = position(&key.expr) {
            places.push(place);
        } else if single {
            places.push(width + appended.len());
            appended.push(SelectItem::UnnamedExpr(key.expr.clone()));
        } else {
            return None;
        }
    }
    if let SetExpr::Select(s) = &mut *copy.body {
        s.projection.extend(appended);
    }
    Some((copy.to_string(), places))
}

/// The rows of a query before LIMIT, cut into runs of equal sort keys.
#[derive(Debug)]
pub struct Runs {
    width: usize,
    rows: Vec<Row>,
    /// Start of each run, and the end of the last.
    bounds: Vec<usize>,
    offset: usize,
    end: usize,
}

impl Runs {
    /// From the answer of the keyed query; `answer` is that of the query itself, which
    /// must be what the keyed one would give, up to ties.
    pub fn new(keyed: Answer, places: &[usize], ordering: &Ordering, width: usize, tolerance: f64) -> Runs {
        let mut bounds = Vec::new();
        for i in 0..keyed.rows.len() {
            // Nearly exact, as SQLite sorts: values that count as equal in answers may still have an order.
            let starts = i == 0
                || places.iter().any(|&p| match (keyed.rows[i - 1].get(p), keyed.rows[i].get(p)) {
                    (Some(a), Some(b)) => !same(a, b, tolerance * 1e-3),
                    _ => true,
                });
            if starts {
                bounds.push(i);
            }
        }
        let total = keyed.rows.len();
        bounds.push(total);
        let offset = ordering.offset.min(total);
        let end = ordering.limit.map_or(total, |l| offset.saturating_add(l).min(total));
        Runs { width, rows: keyed.rows, bounds, offset, end }
    }

    /// The number of rows of every possible answer.
    pub fn len(&self) -> usize {
        self.end - self.offset
    }

    /// True if every possible answer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if more than one run shows in the answer, so that its order says something.
    pub fn several(&self) -> bool {
        self.bounds.windows(2).filter(|w| w[0] < self.end && w[1] > self.offset).count() > 1
    }

    /// All answers that are possible.
    pub(crate) fn permitted(&self) -> Permitted<'_> {
        let runs = self.bounds.windows(2).filter_map(|w| {
            let (from, to) = (w[0].max(self.offset), w[1].min(self.end));
            (from < to).then(|| (w[0]..w[1], to - from))
        });
        Permitted::new(self.width, &self.rows, runs.collect())
    }

    /// True if `answer` is one of the possible answers, under some allowed order of
    /// columns: within each run the rows of the answer are drawn from the run.
    pub fn contains(&self, answer: &Answer, mode: Mode, columns: &Columns) -> bool {
        if answer.width != self.width || answer.rows.len() != self.len() {
            return false;
        }
        if answer.rows.is_empty() {
            return true;
        }
        let identity: Vec<usize> = (0..self.width).collect();
        let fits = |order_of: &[usize]| {
            let theirs: Vec<Vec<&Value>> = answer.rows.iter().map(|r| view(r, order_of)).collect();
            let mut rest: Vec<Vec<&Value>> = theirs.clone();
            self.bounds.windows(2).all(|w| {
                let (from, to) = (w[0].max(self.offset), w[1].min(self.end));
                if from >= to {
                    return true;
                }
                let run: Vec<Vec<&Value>> =
                    self.rows.get(w[0]..w[1]).unwrap_or(&[]).iter().map(|r| view(r, &identity)).collect();
                if mode.as_list {
                    theirs
                        .get(from - self.offset..to - self.offset)
                        .is_some_and(|part| matched(part, &run, mode.tolerance))
                } else {
                    // Whole runs must be there; what is left of a cut run is checked below.
                    let mut found = 0;
                    for row in &run {
                        let at = rest
                            .iter()
                            .position(|r| r.iter().zip(row).all(|(a, b)| same(a, b, mode.tolerance)));
                        if let Some(at) = at
                            && found < to - from
                        {
                            rest.swap_remove(at);
                            found += 1;
                        }
                    }
                    found == to - from
                }
            })
        };
        let similar = |g: usize, p: usize| {
            // Every value of the answer's column must occur in the gold's.
            let mut pool: Vec<&Value> = self.rows.iter().filter_map(|r| r.get(g)).collect();
            pool.sort_by(|a, b| order(a, b));
            let mut values = answer.rows.iter().filter_map(|r| r.get(p));
            values.all(|v| among(&pool, v, mode.tolerance))
        };
        columns.search(similar, fits).is_some()
    }
}
