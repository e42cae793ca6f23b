//! The clauses that rewrites know. A query with any other is left as it is: a rewrite that
//! builds a new SELECT from the parts that it knows would drop what it does not.
//!
//! Every node of sqlparser's is taken apart completely, so that a field that a later version adds does not
//! compile until somebody has said whether rewrites carry it along. Tokens and spans mean nothing and pass.

use std::ops::ControlFlow;

use sqlparser::ast::{
    self, Expr, Function, FunctionArgumentClause, FunctionArgumentList, FunctionArguments, GroupByExpr,
    LimitClause, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, Select, SelectItem, SetExpr,
    TableAlias, TableFactor, TableWithJoins, Visitor, WildcardAdditionalOptions, With,
};

/// Walks over a query and all queries in it, and breaks at the first node with an unknown clause.
struct Known;

impl Visitor for Known {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        go_on(knows_query(query))
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        go_on(knows_select(select))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        go_on(knows_factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        go_on(knows_expr(expr))
    }
}

fn go_on(known: bool) -> ControlFlow<()> {
    if known { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Whether every clause of a query, and of the queries in it, is known.
pub(super) fn is_known(query: &Query) -> bool {
    twinql_sql::syntax::read(query, &mut Known).is_continue()
}

/// Known: WITH, ORDER BY, LIMIT. FETCH, locks and the clauses of other dialects are not.
fn knows_query(query: &Query) -> bool {
    let Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch: None,
        locks,
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators,
    } = query
    else {
        return false;
    };
    with.as_ref().is_none_or(knows_with)
        && knows_body(body)
        && order_by.as_ref().is_none_or(knows_order)
        && limit_clause.as_ref().is_none_or(knows_limit)
        && locks.is_empty()
        && pipe_operators.is_empty()
}

fn knows_with(with: &With) -> bool {
    let With { with_token: _, recursive: _, cte_tables } = with;
    cte_tables.iter().all(|cte| {
        let ast::Cte { alias, query: _, from, materialized: _, closing_paren_token: _ } = cte;
        from.is_none() && knows_alias(alias)
    })
}

/// Known: SELECT, VALUES and set operations, UNION BY NAME excepted.
fn knows_body(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => true,
        SetExpr::SetOperation { left, op: _, set_quantifier, right } => {
            use ast::SetQuantifier as Q;
            matches!(set_quantifier, Q::None | Q::All | Q::Distinct) && knows_body(left) && knows_body(right)
        }
        SetExpr::Insert(_)
        | SetExpr::Update(_)
        | SetExpr::Delete(_)
        | SetExpr::Merge(_)
        | SetExpr::Table(_) => false,
    }
}

fn knows_order(order: &OrderBy) -> bool {
    match order {
        OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None } => keys.iter().all(knows_key),
        OrderBy { kind: _, interpolate: _ } => false,
    }
}

fn knows_key(key: &OrderByExpr) -> bool {
    let OrderByExpr { expr: _, options: OrderByOptions { sort, nulls_first: _ }, with_fill } = key;
    !matches!(sort, Some(ast::OrderBySort::Using(_))) && with_fill.is_none()
}

/// Known: LIMIT and OFFSET in both of SQLite's forms; ClickHouse's LIMIT BY is not.
fn knows_limit(limit: &LimitClause) -> bool {
    match limit {
        LimitClause::LimitOffset { limit: _, offset: _, limit_by } => limit_by.is_empty(),
        LimitClause::OffsetCommaLimit { offset: _, limit: _ } => true,
    }
}

/// Known: what SQLite's SELECT has. QUALIFY, DISTINCT ON, TOP, INTO, lateral views and the like belong to
/// other dialects.
fn knows_select(select: &Select) -> bool {
    let Select {
        select_token: _,
        optimizer_hints: _,
        distinct: None | Some(ast::Distinct::Distinct | ast::Distinct::All),
        select_modifiers: None,
        top: None,
        top_before_distinct: _,
        projection,
        exclude: None,
        into: None,
        from,
        lateral_views,
        prewhere: None,
        selection: _,
        connect_by,
        group_by: GroupByExpr::Expressions(_, modifiers),
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window: _,
        qualify: None,
        window_before_qualify: _,
        value_table_mode: None,
        flavor: ast::SelectFlavor::Standard,
    } = select
    else {
        return false;
    };
    modifiers.is_empty()
        && projection.iter().all(knows_item)
        && from.iter().all(knows_joins)
        && lateral_views.is_empty()
        && connect_by.is_empty()
        && cluster_by.is_empty()
        && distribute_by.is_empty()
        && sort_by.is_empty()
}

/// Known: expressions and plain wildcards, without EXCEPT, REPLACE and other options of theirs.
fn knows_item(item: &SelectItem) -> bool {
    match item {
        SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { expr: _, alias: _ } => true,
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
            *options == WildcardAdditionalOptions::default()
        }
        SelectItem::ExprWithAliases { expr: _, aliases: _ } => false,
    }
}

fn knows_joins(from: &TableWithJoins) -> bool {
    let TableWithJoins { relation: _, joins } = from;
    joins.iter().all(|join| {
        let ast::Join {
            relation: _,
            global,
            // Rules name the joins that they know.
            join_operator: _,
        } = join;
        !global
    })
}

fn knows_alias(alias: &TableAlias) -> bool {
    let TableAlias { explicit: _, name: _, columns: _, at } = alias;
    at.is_none()
}

/// Known: tables, table-valued functions, derived tables and joins in parentheses.
fn knows_factor(factor: &TableFactor) -> bool {
    match factor {
        TableFactor::Table {
            name: _,
            alias,
            args: None | Some(ast::TableFunctionArgs { args: _, settings: None }),
            with_hints,
            version: None,
            with_ordinality: false,
            partitions,
            json_path: None,
            sample: None,
            index_hints,
        } => {
            alias.as_ref().is_none_or(knows_alias)
                && with_hints.is_empty()
                && partitions.is_empty()
                && index_hints.is_empty()
        }
        TableFactor::Derived { lateral, subquery: _, alias, sample } => {
            !lateral && alias.as_ref().is_none_or(knows_alias) && sample.is_none()
        }
        TableFactor::NestedJoin { table_with_joins, alias } => {
            knows_joins(table_with_joins) && alias.as_ref().is_none_or(knows_alias)
        }
        _ => false,
    }
}

/// Known: every expression but calls with more to them than arguments, DISTINCT, ORDER BY, FILTER and OVER.
fn knows_expr(expr: &Expr) -> bool {
    let Expr::Function(function) = expr else {
        return true;
    };
    let Function {
        name: _,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args,
        filter: _,
        null_treatment: None,
        over: _,
        within_group,
    } = function
    else {
        return false;
    };
    let known = match args {
        FunctionArguments::None | FunctionArguments::Subquery(_) => true,
        FunctionArguments::List(list) => {
            let FunctionArgumentList { duplicate_treatment: _, args: _, clauses } = list;
            clauses.iter().all(|c| matches!(c, FunctionArgumentClause::OrderBy(_)))
        }
    };
    known && within_group.is_empty()
}
