//! What rewrites share: finding places in a query, names in scope, making new pieces.
//!
//! New expressions are written as text and parsed: a rewrite then reads like the SQL that
//! it makes.

use std::ops::ControlFlow;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, Statement, TableFactor,
    TableWithJoins, VisitorMut,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;
use twinql_sql::schema::quote;
use twinql_sql::syntax::{Named, change, change_expressions};
use twinql_sql::{Column, Schema, Table};

use super::known::is_known;

/// What a rewrite may know besides the query.
#[derive(Debug, Clone, Copy)]
pub struct Context<'s> {
    /// The schema that the query is over.
    pub schema: &'s Schema,
}

/// Longer queries are not rewritten.
const MAX_BYTES: usize = 20_000;

/// The one query that the text is; none for several statements, for anything but a query, and for clauses
/// that rewrites do not know.
pub(crate) fn parse_query(sql: &str) -> Option<Query> {
    if sql.len() > MAX_BYTES {
        return None;
    }
    let mut statements = Parser::parse_sql(&SQLiteDialect {}, sql).ok()?;
    match (statements.pop(), statements.is_empty()) {
        (Some(Statement::Query(q)), true) if is_known(&q) => Some(*q),
        _ => None,
    }
}

pub(crate) fn parse_expr(text: &str) -> Option<Expr> {
    Parser::new(&SQLiteDialect {}).try_with_sql(text).ok()?.parse_expr().ok()
}

/// The one SELECT of `text`.
pub(crate) fn parse_select(text: &str) -> Option<Select> {
    match *parse_query(text)?.body {
        SetExpr::Select(s) => Some(*s),
        _ => None,
    }
}

/// `e` as text that may stand beside any operator.
pub(crate) fn par(e: &Expr) -> String {
    match e {
        Expr::Identifier(_)
        | Expr::CompoundIdentifier(_)
        | Expr::Value(_)
        | Expr::Function(_)
        | Expr::Nested(_)
        | Expr::Subquery(_) => e.to_string(),
        _ => format!("({e})"),
    }
}

/// The expression that `text` is, in parentheses: it may then stand beside any operator.
pub(crate) fn nested(text: &str) -> Option<Expr> {
    parse_expr(&format!("({text})"))
}

/// The expression inside parentheses.
pub(crate) fn bare(e: &Expr) -> &Expr {
    let mut e = e;
    while let Expr::Nested(inner) = e {
        e = inner;
    }
    e
}

/// Applies `f` at one of the expressions where it has something to say.
pub(crate) fn at_expr(
    query: &Query,
    rng: &mut ChaCha8Rng,
    mut f: impl FnMut(&Expr) -> Option<Expr>,
) -> Option<Query> {
    let mut made = Vec::new();
    let mut probe = query.clone();
    let _ = change_expressions(&mut probe, &mut |e| {
        made.push(f(e));
        ControlFlow::Continue(())
    });
    let (pick, new) = pick(made, rng)?;
    let mut out = query.clone();
    let mut at = 0;
    let _ = change_expressions(&mut out, &mut |e| {
        if at == pick {
            *e = new.clone();
        }
        at += 1;
        if at > pick { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    Some(out)
}

/// One of the places where something was made, by its number, with what was made there.
fn pick<T>(made: Vec<Option<T>>, rng: &mut ChaCha8Rng) -> Option<(usize, T)> {
    let mut able: Vec<(usize, T)> = made.into_iter().enumerate().filter_map(|(i, m)| Some((i, m?))).collect();
    if able.is_empty() {
        return None;
    }
    Some(able.swap_remove(rng.random_range(0..able.len())))
}

/// Offers queries, inner ones first.
struct Queries<'a>(&'a mut dyn FnMut(&mut Query));
impl VisitorMut for Queries<'_> {
    type Break = ();
    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        (self.0)(query);
        ControlFlow::Continue(())
    }
}

/// Applies `f` at one of the queries, the outermost or a subquery.
pub(crate) fn at_query(
    query: &Query,
    rng: &mut ChaCha8Rng,
    mut f: impl FnMut(&Query) -> Option<Query>,
) -> Option<Query> {
    let mut made = Vec::new();
    let _ = change(&mut query.clone(), &mut Queries(&mut |q: &mut Query| made.push(f(q))));
    let (pick, new) = pick(made, rng)?;
    let mut out = query.clone();
    let mut at = 0;
    let _ = change(
        &mut out,
        &mut Queries(&mut |q: &mut Query| {
            if at == pick {
                *q = new.clone();
            }
            at += 1;
        }),
    );
    Some(out)
}

/// Offers SELECTs, inner ones first.
struct Selects<'a>(&'a mut dyn FnMut(&mut Select));
impl VisitorMut for Selects<'_> {
    type Break = ();
    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        (self.0)(select);
        ControlFlow::Continue(())
    }
}

/// Applies `f` at one of the SELECTs.
pub(crate) fn at_select(
    query: &Query,
    rng: &mut ChaCha8Rng,
    mut f: impl FnMut(&Select) -> Option<Select>,
) -> Option<Query> {
    let mut made = Vec::new();
    let _ = change(&mut query.clone(), &mut Selects(&mut |s: &mut Select| made.push(f(s))));
    let (pick, new) = pick(made, rng)?;
    let mut out = query.clone();
    let mut at = 0;
    let _ = change(
        &mut out,
        &mut Selects(&mut |s: &mut Select| {
            if at == pick {
                *s = new.clone();
            }
            at += 1;
        }),
    );
    Some(out)
}

/// Applies `f` to the SELECT that is the whole query but for WITH, ORDER BY and LIMIT: of others the number of outputs has
/// to stay.
pub(crate) fn at_outermost(query: &Query, f: impl Fn(&Select) -> Option<Select>) -> Option<Query> {
    let SetExpr::Select(s) = query.body.as_ref() else { return None };
    Some(Query { body: Box::new(SetExpr::Select(Box::new(f(s)?))), ..query.clone() })
}

/// The parts of a chain of AND, or of OR, parentheses around the parts kept.
pub(crate) fn chain(e: &Expr, op: &BinaryOperator) -> Vec<Expr> {
    let mut out = Vec::new();
    let mut rest = vec![e];
    while let Some(e) = rest.pop() {
        match bare(e) {
            Expr::BinaryOp { left, op: o, right } if o == op => {
                rest.push(right);
                rest.push(left);
            }
            _ => out.push(e.clone()),
        }
    }
    out
}

/// The conditions that all have to hold; none at all without WHERE.
pub(crate) fn conjuncts(e: Option<&Expr>) -> Vec<Expr> {
    e.map_or(Vec::new(), |e| chain(e, &BinaryOperator::And))
}

/// The parts as one chain: the inverse of [`chain`].
pub(crate) fn join(parts: &[Expr], op: &str) -> Option<Expr> {
    let text: Vec<String> = parts.iter().map(part).collect();
    parse_expr(&text.join(op))
}

/// A part of a chain; what binds tighter than AND needs no parentheses.
fn part(e: &Expr) -> String {
    match bare(e) {
        Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, left: _, right: _ }
        | Expr::Between { expr: _, negated: _, low: _, high: _ } => {
            format!("({})", bare(e))
        }
        inner => inner.to_string(),
    }
}

/// The conjunction of the parts; none where there are none, and then no WHERE is needed.
pub(crate) fn and(parts: &[Expr]) -> Option<Expr> {
    if parts.is_empty() { None } else { join(parts, " AND ") }
}

/// One table in a FROM clause.
#[derive(Debug, Clone)]
pub(crate) struct FromTable<'s> {
    /// The alias, or the table's name.
    pub(crate) name: String,
    pub(crate) table: &'s Table,
}

impl FromTable<'_> {
    /// `name."column"`.
    pub(crate) fn column(&self, column: &Column) -> String {
        format!("{}.{}", plain(&self.name), plain(&column.name))
    }
}

/// A name, quoted only where it has to be.
pub(crate) fn plain(name: &str) -> String {
    let simple = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && matches!(parse_expr(name), Some(Expr::Identifier(_)))
        && parse_query(&format!("SELECT t.{name} FROM t AS {name}")).is_some()
        && ![
            "order",
            "group",
            "index",
            "key",
            "table",
            "check",
            "to",
            "values",
            "set",
            "add",
            "all",
            "default",
            "transaction",
            "references",
            "primary",
            "unique",
            "commit",
            "limit",
            "escape",
            "autoincrement",
            "if",
        ]
        .contains(&name.to_ascii_lowercase().as_str());
    if simple { name.to_owned() } else { quote(name) }
}

/// The table of the schema that an item of FROM reads; none for anything else.
pub(crate) fn factor<'s>(f: &TableFactor, schema: &'s Schema) -> Option<FromTable<'s>> {
    let named = Named::of(f).filter(|named| !named.called)?;
    let [part] = named.name.0.as_slice() else { return None };
    let name = part.as_ident()?;
    Some(FromTable { table: schema.table(&name.value)?, name: named.shown(name)? })
}

/// The tables of a SELECT, if every one is a table of the schema.
pub(crate) fn sources<'s>(s: &Select, schema: &'s Schema) -> Option<Vec<FromTable<'s>>> {
    let mut out = Vec::new();
    for from in &s.from {
        out.push(factor(&from.relation, schema)?);
        for join in &from.joins {
            out.push(factor(&join.relation, schema)?);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The only table of a SELECT.
pub(crate) fn only<'s>(s: &Select, schema: &'s Schema) -> Option<FromTable<'s>> {
    match s.from.as_slice() {
        [TableWithJoins { relation, joins }] if joins.is_empty() => factor(relation, schema),
        _ => None,
    }
}

/// The column that `e` names: number of the source and of the column in it.
pub(crate) fn resolve(e: &Expr, sources: &[FromTable<'_>]) -> Option<(usize, usize)> {
    match bare(e) {
        Expr::Identifier(i) => {
            let mut found = sources
                .iter()
                .enumerate()
                .filter_map(|(s, source)| Some((s, source.table.column_index(&i.value)?)));
            let first = found.next()?;
            found.next().is_none().then_some(first)
        }
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [q, c] => {
                let s = sources.iter().position(|s| s.name.eq_ignore_ascii_case(&q.value))?;
                Some((s, sources.get(s)?.table.column_index(&c.value)?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Every column that `e` names, or none if a name is not from `sources` (a correlated
/// name, a string in double quotes) or a subquery hides more.
pub(crate) fn columns_of(e: &Expr, sources: &[FromTable<'_>]) -> Option<Vec<(usize, usize)>> {
    let mut out = Some(Vec::new());
    let mut e = e.clone();
    let _ = change_expressions(&mut e, &mut |e| {
        match e {
            Expr::Subquery(_)
            | Expr::InSubquery { expr: _, subquery: _, negated: _ }
            | Expr::Exists { subquery: _, negated: _ } => out = None,
            // A string in double quotes names nothing.
            Expr::Identifier(i) if i.quote_style == Some('"') && resolve(e, sources).is_none() => {}
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => match resolve(e, sources) {
                Some(c) => {
                    if let Some(out) = &mut out {
                        out.push(c);
                    }
                }
                None => out = None,
            },
            _ => {}
        }
        ControlFlow::Continue(())
    });
    out
}

const AGGREGATES: [&str; 7] = ["count", "sum", "avg", "min", "max", "total", "group_concat"];

/// The name and only argument of an aggregate call; `*` for COUNT(*).
pub(crate) fn aggregate(e: &Expr) -> Option<(String, bool, String)> {
    let Expr::Function(Function {
        name,
        uses_odbc_syntax: _,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment, args, clauses }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group,
    }) = bare(e)
    else {
        return None;
    };
    let name = name.to_string().to_ascii_lowercase();
    let [argument] = args.as_slice() else {
        return None;
    };
    if !AGGREGATES.contains(&name.as_str()) || !clauses.is_empty() || !within_group.is_empty() {
        return None;
    }
    let distinct = *duplicate_treatment == Some(DuplicateTreatment::Distinct);
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => Some((name, distinct, "*".into())),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => Some((name, distinct, e.to_string())),
        _ => None,
    }
}

/// True if an aggregate or window function stands in `e`.
pub(crate) fn has_aggregate(e: &Expr) -> bool {
    let mut found = false;
    let _ = change_expressions(&mut e.clone(), &mut |e| {
        if let Expr::Function(f) = e {
            found |=
                f.over.is_some() || AGGREGATES.contains(&f.name.to_string().to_ascii_lowercase().as_str());
        }
        ControlFlow::Continue(())
    });
    found
}

/// The expression of an output; none for a wildcard.
pub(crate) fn item_expr(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, alias: _ } => Some(e),
        _ => None,
    }
}

/// The output expressions, if none is a wildcard.
pub(crate) fn items(s: &Select) -> Option<Vec<&Expr>> {
    s.projection.iter().map(item_expr).collect()
}

/// The keys of GROUP BY.
pub(crate) fn group_by(s: &Select) -> &[Expr] {
    match &s.group_by {
        GroupByExpr::Expressions(list, _) => list,
        GroupByExpr::All(_) => &[],
    }
}

/// The only output, if there is one and it is no wildcard.
pub(crate) fn output(s: &Select) -> Option<&Expr> {
    match s.projection.as_slice() {
        [item] => item_expr(item),
        _ => None,
    }
}

/// No GROUP BY, HAVING, DISTINCT or aggregate: each row stands for itself.
pub(crate) fn is_rowwise(s: &Select) -> bool {
    s.distinct.is_none() && is_ungrouped(s)
}

/// No GROUP BY, HAVING or aggregate.
pub(crate) fn is_ungrouped(s: &Select) -> bool {
    group_by(s).is_empty()
        && s.having.is_none()
        && s.named_window.is_empty()
        && !s.projection.iter().filter_map(item_expr).any(has_aggregate)
}

/// The SELECT of a query that is nothing more: no WITH, ORDER BY or LIMIT.
pub(crate) fn only_select(q: &Query) -> Option<&Select> {
    match q.body.as_ref() {
        SetExpr::Select(s) if q.with.is_none() && is_unordered(q) => Some(s),
        _ => None,
    }
}

/// No ORDER BY and no LIMIT, without which a query's rows are a bag.
pub(crate) fn is_unordered(q: &Query) -> bool {
    q.order_by.is_none() && q.limit_clause.is_none() && q.fetch.is_none()
}

/// A name that does not occur in the query.
pub(crate) fn fresh(q: &impl ToString, stem: &str) -> String {
    let text = q.to_string().to_ascii_lowercase();
    let (mut name, mut number) = (stem.to_owned(), 0);
    while text.contains(&name) {
        number += 1;
        name = format!("{stem}{number}");
    }
    name
}

/// The name as an identifier, quoted where it has to be.
pub(crate) fn ident(name: &str) -> Ident {
    match parse_expr(&plain(name)) {
        Some(Expr::Identifier(i)) => i,
        _ => Ident::with_quote('"', name),
    }
}
