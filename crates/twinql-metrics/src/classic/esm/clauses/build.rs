//! From a parsed query to its clauses.

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, ObjectName, Offset,
    OrderByExpr, OrderByKind, OrderBySort, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    SetOperator, SetQuantifier, TableAlias, TableFactor, TableWithJoins,
};
use twinql_sql::Schema;

use super::scope::{Columns, Scope, Visible};
use super::tree::{Block, Body, Item, Join, Key, Op, Query, SetOp, Source, Term};

/// What no query of a benchmark comes near; a chain of common table expressions could pass any bound.
const MOST_TERMS: usize = 20_000;
/// Nesting that the recursion below allows, within a thread's usual stack.
const MOST_LEVELS: usize = 120;

/// Why a query has no clauses here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct TooLarge;

pub(super) type Built<T> = Result<T, TooLarge>;

/// The clauses of a query over a schema.
pub(in super::super) fn build(schema: &Schema, query: &ast::Query) -> Built<Query> {
    Builder { schema, sources: 0, terms: 0, level: 0 }.query(query, None, &[])
}

/// Common table expressions in scope, the last one first to be asked.
type Ctes<'q> = Vec<(String, &'q ast::Query, &'q TableAlias, usize)>;

pub(super) struct Builder<'s> {
    pub(super) schema: &'s Schema,
    sources: usize,
    terms: usize,
    level: usize,
}

/// A name in lower case, without quotes.
pub(super) fn lower(ident: &ast::Ident) -> String {
    ident.value.to_lowercase()
}

fn last_name(name: &ObjectName) -> Option<String> {
    name.0.last().and_then(|part| part.as_ident()).map(lower)
}

impl<'s> Builder<'s> {
    /// Counts a term and a level while `inside` runs.
    pub(super) fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Built<T>) -> Built<T> {
        self.terms += 1;
        if self.terms > MOST_TERMS || self.level >= MOST_LEVELS {
            return Err(TooLarge);
        }
        self.level += 1;
        let out = inside(self);
        self.level -= 1;
        out
    }

    pub(super) fn query(
        &mut self,
        query: &ast::Query,
        outer: Option<&Scope<'_>>,
        ctes: &[(String, &ast::Query, &TableAlias, usize)],
    ) -> Built<Query> {
        self.deeper(|b| {
            let mut ctes: Ctes<'_> = ctes.to_vec();
            for cte in query.with.iter().flat_map(|w| &w.cte_tables) {
                // A recursive one sees what came before it, not itself: its own name stays a name.
                let before = ctes.len();
                ctes.push((lower(&cte.alias.name), &cte.query, &cte.alias, before));
            }
            let order: &[OrderByExpr] = match query.order_by.as_ref().map(|o| &o.kind) {
                Some(OrderByKind::Expressions(keys)) => keys,
                Some(OrderByKind::All(_)) | None => &[],
            };
            let (body, order) = b.body(&query.body, order, outer, &ctes)?;
            let empty = Scope { outer, ..Scope::default() };
            let (limit, offset) = match &query.limit_clause {
                None => (query.fetch.as_ref().and_then(|f| f.quantity.as_ref()), None),
                Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
                    (limit.as_ref(), offset.as_ref().map(|Offset { value, rows: _ }| value))
                }
                Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
            };
            let mut one = |e: Option<&Expr>| e.map(|e| b.term(e, &empty, &ctes)).transpose();
            let (limit, offset) = (one(limit)?, one(offset)?);
            Ok(Query { body, order, limit, offset })
        })
    }

    fn body(
        &mut self,
        body: &SetExpr,
        order: &[OrderByExpr],
        outer: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Built<(Body, Vec<Key>)> {
        match body {
            SetExpr::Select(select) => {
                let (block, keys) = self.select(select, order, outer, ctes)?;
                Ok((Body::Block(Box::new(block)), keys))
            }
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let op = match op {
                    SetOperator::Union => SetOp::Union,
                    SetOperator::Intersect => SetOp::Intersect,
                    SetOperator::Except | SetOperator::Minus => SetOp::Except,
                };
                let all = matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                let bare = |(body, _): (Body, Vec<Key>)| {
                    Box::new(Query { body, order: Vec::new(), limit: None, offset: None })
                };
                let left = self.deeper(|b| b.arm(left, outer, ctes))?.map_or_else(bare, Box::new);
                let right = self.deeper(|b| b.arm(right, outer, ctes))?.map_or_else(bare, Box::new);
                let keys = self.keys_of_set(order, &left, ctes, outer)?;
                Ok((Body::Set { op, all, left, right }, keys))
            }
            SetExpr::Query(inner) => {
                let inner = self.query(inner, outer, ctes)?;
                if !order.is_empty() && (inner.limit.is_some() || inner.offset.is_some()) {
                    return Ok((Body::Values(format!("{body}").to_lowercase()), Vec::new()));
                }
                Ok((inner.body, inner.order))
            }
            other => Ok((Body::Values(format!("{other}").to_lowercase()), Vec::new())),
        }
    }

    /// An arm of a set operation: a query in brackets, or a body.
    #[allow(clippy::type_complexity)]
    fn arm(
        &mut self,
        arm: &SetExpr,
        outer: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Built<Result<Query, (Body, Vec<Key>)>> {
        Ok(match arm {
            SetExpr::Query(inner) => Ok(self.query(inner, outer, ctes)?),
            other => Err(self.body(other, &[], outer, ctes)?),
        })
    }

    /// ORDER BY behind a set operation sees its output columns: those of the first arm.
    fn keys_of_set(
        &mut self,
        order: &[OrderByExpr],
        left: &Query,
        ctes: &Ctes<'_>,
        outer: Option<&Scope<'_>>,
    ) -> Built<Vec<Key>> {
        let mut first = left;
        while let Body::Set { left, .. } = &first.body {
            first = left;
        }
        let select = first.block().map(|b| b.select.clone()).unwrap_or_default();
        let mut scope = Scope { outer, ..Scope::default() };
        for term in &select {
            if let Term::Column { source: _, name } = term {
                scope.outputs.push((name.clone(), term.clone()));
            }
        }
        self.keys(order, &select, &scope, ctes)
    }

    fn keys(
        &mut self,
        order: &[OrderByExpr],
        select: &[Term],
        scope: &Scope<'_>,
        ctes: &Ctes<'_>,
    ) -> Built<Vec<Key>> {
        let mut out = Vec::new();
        for key in order {
            let named = match &key.expr {
                Expr::Identifier(name) => scope.output(&lower(name)),
                other => position(other, select),
            };
            let term = match named {
                Some(term) => term,
                None => self.term(&key.expr, scope, ctes)?,
            };
            let descending = matches!(key.options.sort, Some(OrderBySort::Desc));
            out.push(Key { term, descending, nulls_first: key.options.nulls_first });
        }
        Ok(out)
    }

    fn select(
        &mut self,
        select: &Select,
        order: &[OrderByExpr],
        outer: Option<&Scope<'_>>,
        ctes: &Ctes<'_>,
    ) -> Built<(Block, Vec<Key>)> {
        let mut block = Block {
            distinct: matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_))),
            ..Block::default()
        };
        let mut scope = Scope { outer, ..Scope::default() };
        for item in &select.from {
            self.joined(item, Join::Inner, &mut block.from, &mut scope, ctes)?;
        }
        for item in &select.projection {
            let (term, alias) = match item {
                SelectItem::UnnamedExpr(e) => (self.term(e, &scope, ctes)?, None),
                SelectItem::ExprWithAlias { expr, alias } => {
                    (self.term(expr, &scope, ctes)?, Some(lower(alias)))
                }
                SelectItem::Wildcard(_) => (Term::Star(None), None),
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let source = last_name(name).and_then(|n| scope.source(&n));
                    (source.map_or_else(|| Term::Other(item.to_string()), |s| Term::Star(Some(s.id))), None)
                }
                other => (Term::Other(other.to_string().to_lowercase()), None),
            };
            if let Some(alias) = alias {
                scope.outputs.push((alias, term.clone()));
            }
            block.select.push(term);
        }
        if let Some(filter) = &select.selection {
            block.filter = self.conjuncts(filter, &scope, ctes)?;
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            for key in keys {
                let term = match position(key, &block.select) {
                    Some(term) => term,
                    None => self.term(key, &scope, ctes)?,
                };
                block.group.push(term);
            }
        }
        if let Some(having) = &select.having {
            block.having = self.conjuncts(having, &scope, ctes)?;
        }
        let keys = self.keys(order, &block.select, &scope, ctes)?;
        Ok((block, keys))
    }

    fn joined(
        &mut self,
        item: &TableWithJoins,
        join: Join,
        from: &mut Vec<Source>,
        scope: &mut Scope<'_>,
        ctes: &Ctes<'_>,
    ) -> Built<()> {
        self.factor(&item.relation, join, from, scope, ctes)?;
        for join in &item.joins {
            let (kind, constraint) = match &join.join_operator {
                JoinOperator::Join(c) | JoinOperator::Inner(c) | JoinOperator::CrossJoin(c) => {
                    (Join::Inner, Some(c))
                }
                JoinOperator::Left(c) | JoinOperator::LeftOuter(c) => (Join::Left, Some(c)),
                JoinOperator::Right(c) | JoinOperator::RightOuter(c) => (Join::Right, Some(c)),
                JoinOperator::FullOuter(c) => (Join::Full, Some(c)),
                _ => (Join::Full, None),
            };
            let before = scope.sources.len();
            self.factor(&join.relation, kind, from, scope, ctes)?;
            let on = match constraint {
                Some(JoinConstraint::On(on)) => self.conjuncts(on, scope, ctes)?,
                Some(JoinConstraint::Using(names)) => {
                    let names = names.iter().filter_map(last_name).collect::<Vec<String>>();
                    shared_columns(self.schema, scope, before, &names)
                }
                Some(JoinConstraint::Natural) => {
                    let names = natural_names(self.schema, scope, before);
                    shared_columns(self.schema, scope, before, &names)
                }
                Some(JoinConstraint::None) | None => Vec::new(),
            };
            if let Some(last) = from.last_mut() {
                last.on.extend(on);
            }
        }
        Ok(())
    }

    fn factor(
        &mut self,
        factor: &TableFactor,
        join: Join,
        from: &mut Vec<Source>,
        scope: &mut Scope<'_>,
        ctes: &Ctes<'_>,
    ) -> Built<()> {
        let id = self.sources;
        self.sources += 1;
        let (item, name, columns) = match factor {
            TableFactor::Derived { lateral: _, subquery, alias, sample: _ } => {
                let query = self.query(subquery, None, ctes)?;
                let columns = output_names(subquery, &query, alias.as_ref());
                let name = alias.as_ref().map(|a| lower(&a.name)).unwrap_or_default();
                (Item::Derived(Box::new(query)), name, columns)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } if join == Join::Inner => {
                return self.joined(table_with_joins, join, from, scope, ctes);
            }
            other => {
                let named = twinql_sql::syntax::Named::of(other);
                let own = named.and_then(|n| last_name(n.name)).unwrap_or_default();
                let alias = named.and_then(|n| n.alias);
                let name = alias.map_or_else(|| own.clone(), |a| lower(&a.name));
                let called = named.is_none_or(|n| n.called);
                let cte = ctes.iter().rposition(|(cte, ..)| *cte == own).and_then(|i| ctes.get(i));
                if let (Some((_, query, cte_alias, before)), false) = (cte, called) {
                    let seen = ctes.get(..*before).unwrap_or_default();
                    let built = self.query(query, None, seen)?;
                    let columns = output_names(query, &built, Some(cte_alias));
                    (Item::Derived(Box::new(built)), name, columns)
                } else if let (Some(table), false) = (self.schema.table_index(&own), called) {
                    (Item::Table(table), name, Columns::Table(table))
                } else {
                    let text = if called { other.to_string().to_lowercase() } else { own };
                    (Item::Other(text), name, Columns::Unknown)
                }
            }
        };
        from.push(Source { id, item, join, on: Vec::new() });
        scope.sources.push(Visible { id, name, columns });
        Ok(())
    }

    /// The conjuncts of a condition.
    pub(super) fn conjuncts(
        &mut self,
        expr: &Expr,
        scope: &Scope<'_>,
        ctes: &[(String, &ast::Query, &TableAlias, usize)],
    ) -> Built<Vec<Term>> {
        Ok(match self.term(expr, scope, ctes)? {
            Term::And(terms) => terms,
            other => vec![other],
        })
    }
}

/// `ORDER BY 2` and `GROUP BY 2` name an output column by its place.
fn position(expr: &Expr, select: &[Term]) -> Option<Term> {
    let Expr::Value(value) = expr else { return None };
    let ast::Value::Number(number, _) = &value.value else { return None };
    let place: usize = number.to_string().parse().ok()?;
    select.get(place.checked_sub(1)?).cloned()
}

/// The names of a derived table's output columns.
fn output_names(query: &ast::Query, built: &Query, alias: Option<&TableAlias>) -> Columns {
    if let Some(alias) = alias.filter(|a| !a.columns.is_empty()) {
        return Columns::Derived(alias.columns.iter().map(|c| Some(lower(&c.name))).collect());
    }
    let mut body = query.body.as_ref();
    let mut first = built;
    let select = loop {
        match body {
            SetExpr::Select(select) => break select,
            SetExpr::SetOperation { left, op: _, set_quantifier: _, right: _ } => body = left,
            SetExpr::Query(inner) => body = &inner.body,
            _ => return Columns::Unknown,
        }
    };
    while let Body::Set { left, .. } = &first.body {
        first = left;
    }
    let mut names = Vec::new();
    for item in &select.projection {
        names.push(match item {
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(lower(name)),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(lower),
            SelectItem::UnnamedExpr(other) => Some(other.to_string().to_lowercase()),
            SelectItem::ExprWithAlias { expr: _, alias } => Some(lower(alias)),
            // `SELECT *`: its columns keep their names.
            _ => return Columns::Unknown,
        });
    }
    Columns::Derived(names)
}

/// The names that a NATURAL JOIN's sides share.
fn natural_names(schema: &Schema, scope: &Scope<'_>, before: usize) -> Vec<String> {
    let mut out = Vec::new();
    for right in scope.sources.iter().skip(before) {
        let Columns::Table(table) = right.columns else { continue };
        let columns = schema.tables.get(table).map(|t| t.columns.as_slice()).unwrap_or_default();
        for column in columns {
            let name = column.name.to_lowercase();
            if scope.sources.iter().take(before).any(|l| l.find(schema, &name).is_some()) {
                out.push(name);
            }
        }
    }
    out
}

/// The equalities that USING stands for.
fn shared_columns(schema: &Schema, scope: &Scope<'_>, before: usize, names: &[String]) -> Vec<Term> {
    let find = |sources: &[Visible], name: &str| sources.iter().find_map(|s| s.find(schema, name));
    let (left, right) = scope.sources.split_at(before.min(scope.sources.len()));
    let pair = |name: &String| {
        let args = vec![find(left, name)?, find(right, name)?];
        Some(Term::Test { op: Op::Eq, args })
    };
    names.iter().filter_map(pair).collect()
}
