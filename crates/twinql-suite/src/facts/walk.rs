//! Reads a query from its names to its facts.

use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, JoinConstraint,
    JoinOperator, LimitClause, OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, SetOperator, TableFactor, UnaryOperator, Value as Lit,
};
use twinql_sql::syntax::Named;
use twinql_sql::{Schema, Value};

use super::names::{column_name, counted, is, last_name};
use super::{Comparison, Facts, Link, Slot};

/// The facts of a query.
pub(super) fn facts_of(schema: &Schema, query: &Query) -> Facts {
    let mut walker = Walker {
        schema,
        facts: Facts::default(),
        scopes: Vec::new(),
        ctes: Vec::new(),
        counted: Vec::new(),
        views: Vec::new(),
        depth: 0,
    };
    walker.query(query);
    walker.facts
}

/// An output or visible column: its name and, where it is one, the slot behind it.
pub(super) type OutputColumn = (String, Option<Slot>);

/// What stands in FROM, under the name by which its columns are qualified.
pub(super) struct Relation {
    alias: String,
    columns: Vec<OutputColumn>,
}

/// Reads a query, and knows which names are in scope at each place.
pub(super) struct Walker<'a> {
    schema: &'a Schema,
    pub(super) facts: Facts,
    /// The relations of each SELECT around this place, the innermost last: a subquery may name outer columns.
    scopes: Vec<Vec<Relation>>,
    /// Common table expressions, the innermost last, which hide tables of their name.
    ctes: Vec<(String, Vec<OutputColumn>)>,
    /// Names of output columns that count rows, while HAVING is read.
    pub(super) counted: Vec<String>,
    /// Views whose queries are being read, outermost first.
    views: Vec<String>,
    pub(super) depth: usize,
}

/// Deeper queries are left unread; SQLite's own limit on expressions is 100 here.
pub(super) const MAX_DEPTH: usize = 160;

/// The comparison after its sides have changed places.
pub(super) fn flip(c: Comparison) -> Comparison {
    match c {
        Comparison::Lt => Comparison::Gt,
        Comparison::LtEq => Comparison::GtEq,
        Comparison::Gt => Comparison::Lt,
        Comparison::GtEq => Comparison::LtEq,
        other => other,
    }
}

/// What an operator compares, if it does.
pub(super) fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    Some(match op {
        BinaryOperator::Eq => Comparison::Eq,
        BinaryOperator::NotEq => Comparison::NotEq,
        BinaryOperator::Lt => Comparison::Lt,
        BinaryOperator::LtEq => Comparison::LtEq,
        BinaryOperator::Gt => Comparison::Gt,
        BinaryOperator::GtEq => Comparison::GtEq,
        _ => return None,
    })
}

/// A number in SQL text as SQLite reads it.
pub(crate) fn number(text: &str) -> Option<Value> {
    // Most texts are words, and are left at once; what else Rust reads as a number (`inf`, `nan`) is not finite.
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    if let Ok(i) = text.parse::<i64>() {
        return Some(Value::Integer(i));
    }
    match text.parse::<f64>() {
        Ok(r) if r.is_finite() => Some(Value::Real(r.into())),
        _ => None,
    }
}

/// The constant that a literal stands for.
pub(crate) fn constant(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Nested(e) => constant(e),
        Expr::Cast { expr, kind: _, data_type: _, format: _ } => constant(expr),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match constant(expr)? {
            Value::Integer(i) => i.checked_neg().map(Value::Integer),
            Value::Real(r) => Some(Value::Real(-r)),
            _ => None,
        },
        Expr::Value(v) => match &v.value {
            Lit::Number(text, _) => number(text),
            Lit::SingleQuotedString(s) | Lit::DoubleQuotedString(s) => Some(Value::Text(s.clone())),
            Lit::Boolean(b) => Some(Value::Integer(i64::from(*b))),
            _ => None,
        },
        _ => None,
    }
}

impl Walker<'_> {
    /// Reads a query: its common table expressions first, which what follows may name, then its body,
    /// and its sort keys in the scope of that. Gives its output columns.
    pub(super) fn query(&mut self, query: &Query) -> Vec<OutputColumn> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            return Vec::new();
        }
        let ctes = self.ctes.len();
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                // A recursive reference sees a relation without known columns.
                self.ctes.push((cte.alias.name.value.clone(), Vec::new()));
                let mut columns = self.query(&cte.query);
                for (column, alias) in columns.iter_mut().zip(&cte.alias.columns) {
                    column.0.clone_from(&alias.name.value);
                }
                if let Some(last) = self.ctes.last_mut() {
                    last.1 = columns;
                }
            }
        }
        let (output, scope) = self.body(&query.body);
        if let Some(order) = &query.order_by
            && let OrderByKind::Expressions(keys) = &order.kind
        {
            self.scopes.push(scope);
            for key in keys {
                self.expr(&key.expr, true);
                self.treat(&key.expr);
                if let Some(slot) = self.slot(&key.expr) {
                    self.facts.grouped.push(slot);
                    self.facts.ranked.push(slot);
                    if key.options.nulls_first.is_some() {
                        self.facts.nulls.push(slot);
                    }
                }
            }
            self.scopes.pop();
        }
        let (limit, offset) = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, limit_by: _ }) => {
                (limit.as_ref(), offset.as_ref().map(|o| &o.value))
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
            None => (None, None),
        };
        let whole = |e: &Expr| if let Some(Value::Integer(n)) = constant(e) { Some(n) } else { None };
        let (limit, offset) = (limit.and_then(whole), offset.and_then(whole));
        let both = limit.zip(offset).map(|(limit, offset)| limit.max(0).saturating_add(offset.max(0)));
        self.facts.counts.extend(limit.into_iter().chain(offset));
        self.facts.limits.extend(both.into_iter().chain(limit).chain(offset));
        self.ctes.truncate(ctes);
        self.depth -= 1;
        output
    }

    /// Reads a SELECT or a set operation. Its arms' columns are linked one by one, since only rows that are
    /// equal in all of them meet; that is a must for INTERSECT alone. Gives the output columns, and the scope
    /// that ORDER BY sees besides.
    fn body(&mut self, body: &SetExpr) -> (Vec<OutputColumn>, Vec<Relation>) {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => (self.query(query), Vec::new()),
            SetExpr::SetOperation { left, op, right, set_quantifier: _ } => {
                let (l, scope) = self.body(left);
                let (r, _) = self.body(right);
                let weak = !matches!(op, SetOperator::Intersect);
                let apart = matches!(op, SetOperator::Except | SetOperator::Minus);
                for (a, b) in l.iter().zip(&r) {
                    if let (Some(left), Some(right)) = (a.1, b.1) {
                        self.facts.links.push(Link { left, right, weak, apart });
                    }
                }
                (l, scope)
            }
            SetExpr::Values(values) => {
                let cells = values.rows.iter().flat_map(|row| row.iter());
                self.facts.literals.extend(cells.filter_map(constant));
                (Vec::new(), Vec::new())
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    /// Adds the relations that an item of FROM stands for, with their columns: a table's own slots, or what
    /// a common table expression, a view or a subquery puts out.
    fn relation(&mut self, factor: &TableFactor, into: &mut Vec<Relation>) {
        if let Some(named) = Named::of(factor) {
            self.named(named, into);
            return;
        }
        match factor {
            TableFactor::Derived { subquery, alias, lateral: _, sample: _ } => {
                let columns = self.query(subquery);
                let alias = alias.as_ref().map_or_else(String::new, |a| a.name.value.clone());
                into.push(Relation { alias, columns });
            }
            TableFactor::NestedJoin { table_with_joins, alias: _ } => {
                self.relation(&table_with_joins.relation, into);
                for join in &table_with_joins.joins {
                    self.relation(&join.relation, into);
                }
            }
            _ => {}
        }
    }

    /// A table, a view or a common table expression, under the name that it has here.
    fn named(&mut self, Named { name, alias, args: _ }: Named<'_>, into: &mut Vec<Relation>) {
        let name = last_name(name);
        let shown = alias.map_or_else(|| name.clone(), |a| a.name.value.clone());
        let cte = self.ctes.iter().rev().find(|(n, _)| n.eq_ignore_ascii_case(&name));
        if let Some((_, columns)) = cte {
            let columns = columns.clone();
            into.push(Relation { alias: shown, columns });
        } else if let Some(table) = self.schema.table_index(&name) {
            let instance = self.facts.instances.len();
            self.facts.instances.push(table);
            let columns = self.schema.tables[table]
                .columns
                .iter()
                .enumerate()
                .map(|(column, c)| (c.name.clone(), Some(Slot { instance, column })))
                .collect();
            into.push(Relation { alias: shown, columns });
        } else if let Some(columns) = self.view(&name) {
            into.push(Relation { alias: shown, columns });
        }
    }

    /// The columns of a view, its query being read as if it stood in place of its name.
    fn view(&mut self, name: &str) -> Option<Vec<OutputColumn>> {
        let view = self.schema.view(name)?;
        if self.views.iter().any(|v| v.eq_ignore_ascii_case(name)) {
            return None;
        }
        let parsed = twinql_sql::parse(&view.query).ok()?;
        let scopes = std::mem::take(&mut self.scopes);
        let ctes = std::mem::take(&mut self.ctes);
        self.views.push(view.name.clone());
        let mut columns = self.query(&parsed.query);
        self.views.pop();
        self.ctes = ctes;
        self.scopes = scopes;
        for (column, name) in columns.iter_mut().zip(&view.columns) {
            column.0.clone_from(name);
        }
        Some(columns)
    }

    /// Reads a SELECT. FROM comes first, since conditions are read in its scope, and conditions before
    /// outputs and groups, which add slots of their own. Gives its output columns and that scope.
    fn select(&mut self, select: &Select) -> (Vec<OutputColumn>, Vec<Relation>) {
        let mut scope = Vec::new();
        let mut conditions: Vec<(&Expr, bool)> = Vec::new();
        for from in &select.from {
            let first = self.facts.instances.len();
            self.relation(&from.relation, &mut scope);
            for join in &from.joins {
                let before = scope.len();
                let instances = self.facts.instances.len();
                self.relation(&join.relation, &mut scope);
                match &join.join_operator {
                    JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => {
                        self.facts.optional.extend(instances..self.facts.instances.len());
                    }
                    JoinOperator::Right(_) | JoinOperator::RightOuter(_) => {
                        self.facts.optional.extend(first..instances);
                    }
                    _ => {}
                }
                // A row may come without a partner from an outer join.
                let (constraint, weak) = match &join.join_operator {
                    JoinOperator::Join(c) | JoinOperator::Inner(c) | JoinOperator::CrossJoin(c) => {
                        (Some(c), false)
                    }
                    JoinOperator::Left(c)
                    | JoinOperator::LeftOuter(c)
                    | JoinOperator::Right(c)
                    | JoinOperator::RightOuter(c)
                    | JoinOperator::FullOuter(c) => (Some(c), true),
                    _ => (None, true),
                };
                match constraint {
                    Some(JoinConstraint::On(e)) => conditions.push((e, weak)),
                    Some(JoinConstraint::Using(names)) => {
                        for name in names {
                            self.same_name(&scope, before, &last_name(name), weak);
                        }
                    }
                    Some(JoinConstraint::Natural) => {
                        let names: Vec<String> = scope
                            .get(before)
                            .map(|r| r.columns.iter().map(|c| c.0.clone()).collect())
                            .unwrap_or_default();
                        for name in names {
                            self.same_name(&scope, before, &name, weak);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.scopes.push(scope);
        for from in &select.from {
            self.treat_called(&from.relation);
            from.joins.iter().for_each(|join| self.treat_called(&join.relation));
        }
        for (condition, weak) in conditions {
            self.treat(condition);
            self.predicate(condition, weak);
        }
        if let Some(e) = &select.selection {
            self.treat(e);
            self.predicate(e, false);
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            for key in keys {
                self.expr(key, true);
                self.treat(key);
                if let Some(slot) = self.slot(key) {
                    self.facts.grouped.push(slot);
                }
            }
        }
        if let Some(e) = &select.having {
            // HAVING may compare an alias of COUNT: such a constant bounds a group's size and is no value of
            // a column.
            let outer = std::mem::replace(&mut self.counted, counted(&select.projection));
            self.treat(e);
            self.predicate(e, true);
            self.counted = outer;
        }
        let mut output = Vec::new();
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(e) => {
                    self.treat(e);
                    self.expr(e, true);
                    output.push((column_name(e), self.slot(e)));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    self.treat(expr);
                    self.expr(expr, true);
                    output.push((alias.value.clone(), self.slot(expr)));
                }
                SelectItem::Wildcard(_) => {
                    for relation in self.scopes.last().into_iter().flatten() {
                        output.extend(relation.columns.iter().cloned());
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    let name = last_name(name);
                    for relation in self.scopes.last().into_iter().flatten() {
                        if relation.alias.eq_ignore_ascii_case(&name) {
                            output.extend(relation.columns.iter().cloned());
                        }
                    }
                }
                _ => output.push((String::new(), None)),
            }
        }
        debug_assert!(!self.scopes.is_empty(), "pushed above");
        let scope = self.scopes.pop().unwrap_or_default();
        (output, scope)
    }

    /// Links the columns that USING or NATURAL JOIN compares: that of the relation on the right with the
    /// first of its name on the left.
    fn same_name(&mut self, scope: &[Relation], right: usize, name: &str, weak: bool) {
        let find = |relation: &Relation| {
            relation.columns.iter().find(|c| c.0.eq_ignore_ascii_case(name)).and_then(|c| c.1)
        };
        let left = scope.iter().take(right).find_map(find);
        let right = scope.get(right).and_then(find);
        if let (Some(left), Some(right)) = (left, right) {
            self.facts.links.push(Link { left, right, weak, apart: false });
        }
    }

    /// The innermost column that a name may mean; the first where it is ambiguous. None where the column is
    /// computed.
    pub(super) fn resolve(&self, qualifier: Option<&str>, name: &str) -> Option<Slot> {
        for scope in self.scopes.iter().rev() {
            for relation in scope {
                if qualifier.is_some_and(|q| !q.eq_ignore_ascii_case(&relation.alias)) {
                    continue;
                }
                if let Some((_, slot)) = relation.columns.iter().find(|c| c.0.eq_ignore_ascii_case(name)) {
                    return *slot;
                }
            }
        }
        None
    }

    /// The column that an expression is, or is computed from.
    pub(super) fn slot(&self, expr: &Expr) -> Option<Slot> {
        match expr {
            Expr::Identifier(i) => self.resolve(None, &i.value),
            Expr::CompoundIdentifier(parts) => {
                let (name, rest) = parts.split_last()?;
                self.resolve(rest.last().map(|q| q.value.as_str()), &name.value)
            }
            Expr::Nested(e)
            | Expr::Cast { expr: e, kind: _, data_type: _, format: _ }
            | Expr::UnaryOp { expr: e, op: _ }
            | Expr::Substring { expr: e, substring_from: _, substring_for: _, special: _, shorthand: _ }
            | Expr::Trim { expr: e, trim_where: _, trim_what: _, trim_characters: _ }
            | Expr::Ceil { expr: e, field: _ }
            | Expr::Floor { expr: e, field: _ }
            | Expr::Collate { expr: e, collation: _ } => self.slot(e),
            // Of `price * quantity` the first: a value for one of the two will do.
            Expr::BinaryOp { left, right, op } if comparison(op).is_none() => {
                self.slot(left).or_else(|| self.slot(right))
            }
            Expr::Function(f) => match &f.args {
                FunctionArguments::List(list) => list.args.iter().find_map(|a| match a {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => self.slot(e),
                    _ => None,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// A quoted name that is no column is a string (SQLite).
    pub(super) fn literal(&mut self, expr: &Expr) -> Option<Value> {
        if let Expr::Identifier(i) = expr
            && i.quote_style.is_some()
            && self.resolve(None, &i.value).is_none()
        {
            return Some(Value::Text(i.value.clone()));
        }
        match expr {
            Expr::Nested(e) => self.literal(e),
            // `date('2024-01-01')` and the like stand for a constant close to their argument.
            Expr::Function(f) if is(&f.name, &["lower", "upper", "date", "datetime", "trim"]) => {
                match &f.args {
                    FunctionArguments::List(list) => match list.args.first() {
                        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(e))) => constant(e),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => constant(expr),
        }
    }
}
