//! What rewrites share: finding places in a query, names in scope, making new pieces.
//!
//! New expressions are written as text and parsed: a rewrite then reads like the SQL that
//! it makes.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use sqlparser::ast::{
    BinaryOperator, Distinct, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentList, FunctionArguments, GroupByExpr, Ident, OrderByExpr, OrderByKind, Query, Select,
    SelectItem, SetExpr, Statement, TableFactor, TableWithJoins,
};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;
use twinql_sql::schema::quote;
pub(crate) use twinql_sql::syntax::item_expr;
use twinql_sql::syntax::{Named, read_expressions};
use twinql_sql::{Column, Schema, Table};

use super::known::is_known;

/// What a rewrite may know besides the query.
#[derive(Debug, Clone, Copy)]
pub struct Context<'s> {
    /// The schema that the query is over.
    pub schema: &'s Schema,
    /// The whole query: new names must not stand in it.
    pub query: &'s Query,
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
    outermost(&parse_query(text)?).cloned()
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

/// Visits the nodes of one kind in a query.
pub(super) type Walk<N> = fn(&mut Query, &mut dyn FnMut(&mut N));

/// Puts what `f` makes of a node in the place of one of those nodes where it has something to say. `walk` visits the nodes,
/// in the same order each time.
pub(super) fn somewhere<N: Clone>(
    query: &Query,
    rng: &mut ChaCha8Rng,
    walk: Walk<N>,
    mut f: impl FnMut(&N) -> Option<N>,
) -> Option<Query> {
    let mut made = Vec::new();
    walk(&mut query.clone(), &mut |node| made.push(f(node)));
    let mut able: Vec<(usize, N)> = made.into_iter().enumerate().filter_map(|(i, m)| Some((i, m?))).collect();
    if able.is_empty() {
        return None;
    }
    let (place, new) = able.swap_remove(rng.random_range(0..able.len()));
    let mut out = query.clone();
    let mut at = 0;
    walk(&mut out, &mut |node| {
        if at == place {
            node.clone_from(&new);
        }
        at += 1;
    });
    Some(out)
}

/// The SELECT that is the whole query but for WITH, ORDER BY and LIMIT.
pub(crate) fn outermost(query: &Query) -> Option<&Select> {
    match query.body.as_ref() {
        SetExpr::Select(s) => Some(s),
        _ => None,
    }
}

/// The query with another SELECT as its body; WITH, ORDER BY and LIMIT stay.
pub(crate) fn with_body(query: &Query, select: Select) -> Query {
    Query { body: Box::new(SetExpr::Select(Box::new(select))), ..query.clone() }
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

/// None where a precondition does not hold.
pub(crate) fn require(holds: bool) -> Option<()> {
    holds.then_some(())
}

/// The SELECT with these conditions in WHERE and no others.
pub(crate) fn filtered(s: &Select, parts: &[Expr]) -> Select {
    Select { selection: and(parts), ..s.clone() }
}

/// The SELECT where this holds too, whatever it is.
pub(crate) fn and_also(s: &Select, condition: Expr) -> Select {
    let mut parts = conjuncts(s.selection.as_ref());
    parts.push(condition);
    filtered(s, &parts)
}

/// The SELECT with other outputs.
pub(crate) fn with_outputs(s: &Select, outputs: &str) -> Option<Select> {
    let projection = parse_select(&format!("SELECT {outputs}"))?.projection;
    Some(Select { projection, ..s.clone() })
}

/// The outputs as text, if none is a wildcard.
pub(crate) fn texts(s: &Select) -> Option<Vec<String>> {
    Some(items(s)?.iter().map(ToString::to_string).collect())
}

/// The outputs' names `c0, c1, …`, counted from `first`, and the outputs under these names: `a AS c0, b AS c1, …`.
pub(crate) fn named_outputs(s: &Select, first: usize) -> Option<(String, String)> {
    let outputs = items(s)?;
    let names: Vec<String> = (first..first + outputs.len()).map(|i| format!("c{i}")).collect();
    let named: Vec<String> = outputs.iter().zip(&names).map(|(e, n)| format!("{e} AS {n}")).collect();
    Some((names.join(", "), named.join(", ")))
}

/// The SELECT over something else.
pub(crate) fn with_from(s: &Select, from: &str) -> Option<Select> {
    let from = parse_select(&format!("SELECT 1 FROM {from}"))?.from;
    Some(Select { from, ..s.clone() })
}

/// The SELECT without duplicates.
pub(crate) fn distinct(s: &Select) -> Select {
    Select { distinct: Some(Distinct::Distinct), ..s.clone() }
}

/// The SELECT with duplicates; none where it has them.
pub(crate) fn undistinct(s: &Select) -> Option<Select> {
    s.distinct.is_some().then(|| Select { distinct: None, ..s.clone() })
}

/// The SELECT with these keys of GROUP BY.
pub(crate) fn grouped(s: &Select, keys: Vec<Expr>) -> Select {
    Select { group_by: GroupByExpr::Expressions(keys, Vec::new()), ..s.clone() }
}

/// The SELECT with `f` of its first output of which it has something to say.
pub(crate) fn with_item(s: &Select, f: impl Fn(&Expr) -> Option<Expr>) -> Option<Select> {
    let mut s = s.clone();
    let (item, new) = s.projection.iter_mut().filter_map(item_mut).find_map(|e| {
        let new = f(e)?;
        Some((e, new))
    })?;
    *item = new;
    Some(s)
}

/// One table in a FROM clause.
#[derive(Debug, Clone)]
pub(crate) struct FromTable<'s> {
    /// The alias, or the table's name.
    pub(crate) name: String,
    pub(crate) table: &'s Table,
}

impl FromTable<'_> {
    /// The column that `e` names, by its number, where this is the only table.
    pub(crate) fn place(&self, e: &Expr) -> Option<usize> {
        resolve(e, std::slice::from_ref(self)).map(|(_, column)| column)
    }

    /// As [`FromTable::place`], the column itself.
    pub(crate) fn find(&self, e: &Expr) -> Option<&Column> {
        self.table.columns.get(self.place(e)?)
    }

    /// The only column of the primary key.
    pub(crate) fn key(&self) -> Option<&Column> {
        match self.table.primary_key.as_slice() {
            [key] => self.table.columns.get(*key),
            _ => None,
        }
    }

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
        && !twinql_sql::words![
            order group index key table check to values set add all default transaction references primary unique
            commit limit escape autoincrement if
        ]
        .contains(&name.to_ascii_lowercase().as_str());
    if simple { name.to_owned() } else { quote(name) }
}

/// The table of the schema that an item of FROM reads; none for anything else.
pub(crate) fn factor<'s>(f: &TableFactor, schema: &'s Schema) -> Option<FromTable<'s>> {
    let named = Named::of(f).filter(|named| named.args.is_none())?;
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
    read_expressions(e, &mut |e| match e {
        _ if is_subquery(e) => out = None,
        // A string in double quotes names nothing.
        Expr::Identifier(i) if i.quote_style == Some('"') && resolve(e, sources).is_none() => {}
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => match (resolve(e, sources), &mut out) {
            (Some(c), Some(out)) => out.push(c),
            _ => out = None,
        },
        _ => {}
    });
    out
}

/// A query stands in the place of a value.
pub(crate) fn is_subquery(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Subquery(_)
            | Expr::InSubquery { expr: _, subquery: _, negated: _ }
            | Expr::Exists { subquery: _, negated: _ }
    )
}

/// A column by its name, qualified or not.
pub(crate) fn is_column(e: &Expr) -> bool {
    matches!(e, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
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

/// `COUNT(*)`.
pub(crate) fn counts_rows(e: &Expr) -> bool {
    aggregate(e).is_some_and(|(name, distinct, of)| name == "count" && !distinct && of == "*")
}

/// True if an aggregate or window function stands in `e`.
pub(crate) fn has_aggregate(e: &Expr) -> bool {
    let mut found = false;
    read_expressions(e, &mut |e| {
        if let Expr::Function(f) = e {
            found |=
                f.over.is_some() || AGGREGATES.contains(&f.name.to_string().to_ascii_lowercase().as_str());
        }
    });
    found
}

/// As [`item_expr`], to be changed.
pub(crate) fn item_mut(item: &mut SelectItem) -> Option<&mut Expr> {
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

/// No GROUP BY, HAVING or DISTINCT.
pub(crate) fn is_plain(s: &Select) -> bool {
    group_by(s).is_empty() && s.having.is_none() && s.distinct.is_none()
}

/// The keys of ORDER BY.
pub(crate) fn order_keys(q: &Query) -> Option<&[OrderByExpr]> {
    match &q.order_by.as_ref()?.kind {
        OrderByKind::Expressions(keys) => Some(keys),
        OrderByKind::All(_) => None,
    }
}

/// The query with other keys of ORDER BY; none where it has none.
pub(crate) fn reordered(
    q: &Query,
    change: impl FnOnce(&mut Vec<OrderByExpr>) -> Option<()>,
) -> Option<Query> {
    let mut q = q.clone();
    match &mut q.order_by.as_mut()?.kind {
        OrderByKind::Expressions(keys) => change(keys)?,
        OrderByKind::All(_) => return None,
    }
    Some(q)
}

/// `*`, or all columns of a table.
pub(crate) fn is_wildcard(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(_, _))
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
    outermost(q).filter(|_| q.with.is_none() && is_unordered(q))
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
