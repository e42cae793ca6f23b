//! From a parsed query to its clauses.

use sqlparser::ast::{
    self, Distinct, Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, ObjectName, Offset,
    OrderByExpr, OrderByKind, OrderBySort, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    SetOperator, SetQuantifier, TableAlias, TableFactor, TableWithJoins,
};
use twinql_sql::Schema;

use super::scope::{Columns, Cte, Scope, Visible};
use super::tree::{Block, Body, Item, Join, Key, Op, Query, SetOp, Source, Term};

/// What no query of a benchmark comes near; a chain of common table expressions could pass any bound.
const MOST_TERMS: usize = 20_000;
/// Nesting that the recursion below allows, within a thread's usual stack.
const MOST_LEVELS: usize = 120;

/// Why a query has no clauses here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classic::esm) struct TooLarge;

pub(super) type Built<T> = Result<T, TooLarge>;

/// The clauses of a query over a schema.
pub(in crate::classic::esm) fn build(schema: &Schema, query: &ast::Query) -> Built<Query> {
    Builder { schema, sources: 0, terms: 0, level: 0 }.query(query, None, &[])
}

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
        ctes: &[Cte<'_>],
    ) -> Built<Query> {
        self.deeper(|b| {
            let mut ctes = ctes.to_vec();
            for cte in query.with.iter().flat_map(|w| &w.cte_tables) {
                // A recursive one sees what came before it, not itself: its own name stays a name.
                ctes.push(Cte { query: &cte.query, alias: &cte.alias, before: ctes.len() });
            }
            let around = Scope { outer, ctes: &ctes, ..Scope::default() };
            let order: &[OrderByExpr] = match query.order_by.as_ref().map(|o| &o.kind) {
                Some(OrderByKind::Expressions(keys)) => keys,
                Some(OrderByKind::All(_)) | None => &[],
            };
            let (body, order) = b.body(&query.body, order, &around)?;
            let (limit, offset) = match &query.limit_clause {
                None => (query.fetch.as_ref().and_then(|f| f.quantity.as_ref()), None),
                Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
                    (limit.as_ref(), offset.as_ref().map(|Offset { value, rows: _ }| value))
                }
                Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
            };
            let mut one = |e: Option<&Expr>| e.map(|e| b.term(e, &around)).transpose();
            let (limit, offset) = (one(limit)?, one(offset)?);
            Ok(Query { body, order, limit, offset })
        })
    }

    /// A body and the keys that order it; `around` has no source of its own.
    fn body(&mut self, body: &SetExpr, order: &[OrderByExpr], around: &Scope<'_>) -> Built<(Body, Vec<Key>)> {
        match body {
            SetExpr::Select(select) => {
                let (block, keys) = self.select(select, order, around)?;
                Ok((Body::Block(Box::new(block)), keys))
            }
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let op = match op {
                    SetOperator::Union => SetOp::Union,
                    SetOperator::Intersect => SetOp::Intersect,
                    SetOperator::Except | SetOperator::Minus => SetOp::Except,
                };
                let all = matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                let left = Box::new(self.deeper(|b| b.arm(left, around))?);
                let right = Box::new(self.deeper(|b| b.arm(right, around))?);
                let keys = self.keys_of_set(order, &left, around)?;
                Ok((Body::Set { op, all, left, right }, keys))
            }
            SetExpr::Query(inner) => {
                let inner = self.query(inner, around.outer, around.ctes)?;
                if !order.is_empty() && (inner.limit.is_some() || inner.offset.is_some()) {
                    return Ok((Body::Values(format!("{body}").to_lowercase()), Vec::new()));
                }
                Ok((inner.body, inner.order))
            }
            other => Ok((Body::Values(format!("{other}").to_lowercase()), Vec::new())),
        }
    }

    /// An arm of a set operation: a query in brackets, or a body.
    fn arm(&mut self, arm: &SetExpr, around: &Scope<'_>) -> Built<Query> {
        match arm {
            SetExpr::Query(inner) => self.query(inner, around.outer, around.ctes),
            other => Ok(Query::bare(self.body(other, &[], around)?.0)),
        }
    }

    /// ORDER BY behind a set operation sees its output columns: those of the first arm.
    fn keys_of_set(&mut self, order: &[OrderByExpr], left: &Query, around: &Scope<'_>) -> Built<Vec<Key>> {
        let select = left.first().block().map(|b| b.select.as_slice()).unwrap_or_default();
        let named = select.iter().filter_map(|term| Some((term.as_column()?.1.to_owned(), term.clone())));
        self.keys(order, select, &Scope { outputs: named.collect(), ..around.clone() })
    }

    fn keys(&mut self, order: &[OrderByExpr], select: &[Term], scope: &Scope<'_>) -> Built<Vec<Key>> {
        let mut key = |key: &OrderByExpr| {
            let named = match &key.expr {
                Expr::Identifier(name) => scope.output(&lower(name)),
                other => position(other, select),
            };
            let term = named.map_or_else(|| self.term(&key.expr, scope), Ok)?;
            let descending = matches!(key.options.sort, Some(OrderBySort::Desc));
            Ok(Key { term, descending, nulls_first: key.options.nulls_first })
        };
        order.iter().map(&mut key).collect()
    }

    /// One SELECT as a block, and its ORDER BY as keys. Clauses are read in the order in which their names come into
    /// sight: FROM first, then the outputs, whose aliases the later clauses may use.
    fn select(
        &mut self,
        select: &Select,
        order: &[OrderByExpr],
        around: &Scope<'_>,
    ) -> Built<(Block, Vec<Key>)> {
        let mut block = Block {
            distinct: matches!(select.distinct, Some(Distinct::Distinct | Distinct::On(_))),
            ..Block::default()
        };
        let mut scope = around.clone();
        for item in &select.from {
            self.joined(item, Join::Inner, &mut block.from, &mut scope)?;
        }
        for item in &select.projection {
            let (term, alias) = match item {
                SelectItem::UnnamedExpr(e) => (self.term(e, &scope)?, None),
                SelectItem::ExprWithAlias { expr, alias } => (self.term(expr, &scope)?, Some(lower(alias))),
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
            block.filter = self.conjuncts(filter, &scope)?;
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            for key in keys {
                let named = position(key, &block.select);
                block.group.push(named.map_or_else(|| self.term(key, &scope), Ok)?);
            }
        }
        if let Some(having) = &select.having {
            block.having = self.conjuncts(having, &scope)?;
        }
        let keys = self.keys(order, &block.select, &scope)?;
        Ok((block, keys))
    }

    /// A table of FROM with what is joined to it. USING and NATURAL become equalities of the shared columns, so that
    /// they are compared like an ON that says the same; an operator that is not known counts as an outer join, which no
    /// rule may move.
    fn joined(
        &mut self,
        item: &TableWithJoins,
        join: Join,
        from: &mut Vec<Source>,
        scope: &mut Scope<'_>,
    ) -> Built<()> {
        self.factor(&item.relation, join, from, scope)?;
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
            self.factor(&join.relation, kind, from, scope)?;
            let on = match constraint {
                Some(JoinConstraint::On(on)) => self.conjuncts(on, scope)?,
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

    /// Adds one table, derived table or call to FROM and its columns to what is in sight. A CTE is read anew wherever
    /// it is named, over the CTEs before it, so that it compares like the derived table that it stands for.
    fn factor(
        &mut self,
        factor: &TableFactor,
        join: Join,
        from: &mut Vec<Source>,
        scope: &mut Scope<'_>,
    ) -> Built<()> {
        let id = self.sources;
        self.sources += 1;
        let (item, name, columns) = match factor {
            TableFactor::Derived { lateral: _, subquery, alias, sample: _ } => {
                let query = self.query(subquery, None, scope.ctes)?;
                let columns = output_names(subquery, alias.as_ref());
                let name = alias.as_ref().map(|a| lower(&a.name)).unwrap_or_default();
                (Item::Derived(Box::new(query)), name, columns)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } if join == Join::Inner => {
                return self.joined(table_with_joins, join, from, scope);
            }
            other => {
                let named = twinql_sql::syntax::Named::of(other);
                let own = named.and_then(|n| last_name(n.name)).unwrap_or_default();
                let alias = named.and_then(|n| n.alias);
                let name = alias.map_or_else(|| own.clone(), |a| lower(&a.name));
                let called = named.is_none_or(|n| n.args.is_some());
                let cte = scope.ctes.iter().rfind(|cte| lower(&cte.alias.name) == own);
                if let (Some(Cte { query, alias, before }), false) = (cte, called) {
                    let seen = scope.ctes.get(..*before).unwrap_or_default();
                    let built = self.query(query, None, seen)?;
                    let columns = output_names(query, Some(alias));
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
    fn conjuncts(&mut self, expr: &Expr, scope: &Scope<'_>) -> Built<Vec<Term>> {
        Ok(match self.term(expr, scope)? {
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
fn output_names(query: &ast::Query, alias: Option<&TableAlias>) -> Columns {
    if let Some(alias) = alias.filter(|a| !a.columns.is_empty()) {
        return Columns::Derived(alias.columns.iter().map(|c| Some(lower(&c.name))).collect());
    }
    let mut body = query.body.as_ref();
    let select = loop {
        match body {
            SetExpr::Select(select) => break select,
            SetExpr::SetOperation { left, op: _, set_quantifier: _, right: _ } => body = left,
            SetExpr::Query(inner) => body = &inner.body,
            _ => return Columns::Unknown,
        }
    };
    let name = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(Some(lower(name))),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => Some(parts.last().map(lower)),
        SelectItem::UnnamedExpr(other) => Some(Some(other.to_string().to_lowercase())),
        SelectItem::ExprWithAlias { expr: _, alias } => Some(Some(lower(alias))),
        // `SELECT *`: its columns keep their names.
        _ => None,
    };
    select.projection.iter().map(name).collect::<Option<_>>().map_or(Columns::Unknown, Columns::Derived)
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
    let pair = |name: &String| Some(Term::test(Op::Eq, find(left, name)?, find(right, name)?));
    names.iter().filter_map(pair).collect()
}
