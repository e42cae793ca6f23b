//! Plans as compact S-expressions, for tests to compare: columns are `name#id`.

use crate::expr::{AggFunc, AggregateCall, Expr, UnaryOp};
use crate::plan::Plan;
use crate::rel::{ColumnId, Columns, Direction, JoinKind, Query, Rel, SortKey};
use crate::schema::Schema;
use crate::value::Value;

pub(super) struct Printer<'a> {
    pub(super) schema: &'a Schema,
    pub(super) columns: &'a Columns,
}

pub(super) fn print(schema: &Schema, plan: &Plan) -> String {
    let printer = Printer { schema, columns: &plan.columns };
    printer.query(&plan.query)
}

impl Printer<'_> {
    fn id(&self, id: ColumnId) -> String {
        let info = &self.columns[id.0 as usize];
        format!("{}#{}", info.name, id.0)
    }

    fn list<T>(&self, items: &[T], f: impl Fn(&T) -> String) -> String {
        let items: Vec<String> = items.iter().map(f).collect();
        format!("[{}]", items.join(" "))
    }

    fn query(&self, query: &Query) -> String {
        let output = self.list(&query.output, |id| self.id(*id));
        format!("{} -> {output}", self.rel(&query.rel))
    }

    fn exprs(&self, exprs: &[Expr]) -> String {
        self.list(exprs, |e| self.expr(e))
    }

    fn named(&self, exprs: &[(ColumnId, Expr)]) -> String {
        self.list(exprs, |(id, e)| match e {
            Expr::Column(same) if same == id => self.id(*id),
            e => format!("{}={}", self.id(*id), self.expr(e)),
        })
    }

    fn keys(&self, keys: &[SortKey]) -> String {
        self.list(keys, |k| {
            let direction = match k.direction {
                Direction::Asc => "",
                Direction::Desc => "-",
            };
            format!("{direction}{}", self.expr(&k.expr))
        })
    }

    fn call(&self, call: &AggregateCall) -> String {
        let name = match &call.func {
            AggFunc::Other(name) => name.clone(),
            func => format!("{func:?}").to_lowercase(),
        };
        let distinct = if call.distinct { " distinct" } else { "" };
        let filter = call.filter.as_ref().map(|f| format!(" filter {}", self.expr(f))).unwrap_or_default();
        format!("{name}{distinct}{}{filter}", self.exprs(&call.args))
    }

    fn rel(&self, rel: &Rel) -> String {
        match rel {
            Rel::Scan { table, .. } => self.schema.tables[*table].name.clone(),
            Rel::Values { rows, .. } => {
                format!("(values {})", self.list(rows, |r| self.exprs(r)))
            }
            Rel::TableFunction { name, args, .. } => format!("({name} {})", self.exprs(args)),
            Rel::Recursive { name, seed, step, all, .. } => format!(
                "(recursive{} {name} {} {})",
                if *all { "-all" } else { "" },
                self.query(seed),
                self.query(step)
            ),
            Rel::RecursiveRef { name, .. } => format!("(ref {name})"),
            Rel::Filter { input, predicate } => {
                format!("(filter {} {})", self.rel(input), self.exprs(predicate))
            }
            Rel::Project { input, exprs } => {
                format!("(project {} {})", self.rel(input), self.named(exprs))
            }
            Rel::Join { inputs, on } => {
                let inputs: Vec<String> = inputs.iter().map(|r| self.rel(r)).collect();
                format!("(join {} {})", inputs.join(" "), self.exprs(on))
            }
            Rel::OuterJoin { kind, left, right, on } => {
                let name = match kind {
                    JoinKind::Left => "left",
                    JoinKind::Full => "full",
                };
                let (left, right) = (self.rel(left), self.rel(right));
                format!("({name} {left} {right} {})", self.exprs(on))
            }
            Rel::Aggregate { input, keys, calls } => {
                let calls = self.list(calls, |(id, c)| format!("{}={}", self.id(*id), self.call(c)));
                format!("(group {} {} {calls})", self.rel(input), self.named(keys))
            }
            Rel::Distinct { input } => format!("(distinct {})", self.rel(input)),
            Rel::Sort { input, keys, limit, offset } => {
                let part = |name: &str, e: &Option<Expr>| {
                    e.as_ref().map(|e| format!(" {name} {}", self.expr(e))).unwrap_or_default()
                };
                format!(
                    "(sort {} {}{}{})",
                    self.rel(input),
                    self.keys(keys),
                    part("limit", limit),
                    part("offset", offset)
                )
            }
            Rel::SetOp { kind, all, left, right, .. } => format!(
                "({}{} {} {})",
                format!("{kind:?}").to_lowercase(),
                if *all { "-all" } else { "" },
                self.query(left),
                self.query(right)
            ),
            Rel::Window { input, calls } => {
                let calls = self.list(calls, |(id, c)| {
                    format!(
                        "{}={}{} by {} order {} {:?}",
                        self.id(*id),
                        c.func,
                        self.exprs(&c.args),
                        self.exprs(&c.partition_by),
                        self.keys(&c.order_by),
                        c.frame
                    )
                });
                format!("(window {} {calls})", self.rel(input))
            }
        }
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Column(id) => self.id(*id),
            Expr::Literal(Value::Text(text)) => format!("'{text}'"),
            Expr::Literal(Value::Integer(n)) => n.to_string(),
            Expr::Literal(Value::Real(n)) => format!("{n:?}"),
            Expr::Literal(Value::Null) => "null".into(),
            Expr::Literal(Value::Blob(bytes)) => format!("x{bytes:?}"),
            Expr::Unary { op, expr } => {
                let name = match op {
                    UnaryOp::Not => "not",
                    UnaryOp::Neg => "neg",
                    UnaryOp::BitNot => "bitnot",
                    UnaryOp::IsNull => "isnull",
                    UnaryOp::Plus => "plus",
                };
                format!("({name} {})", self.expr(expr))
            }
            Expr::Binary { op, left, right } => {
                let name = format!("{op:?}").to_lowercase();
                format!("({name} {} {})", self.expr(left), self.expr(right))
            }
            Expr::And(list) => format!("(and {})", self.exprs(list)),
            Expr::Or(list) => format!("(or {})", self.exprs(list)),
            Expr::Function { name, args } => format!("{name}{}", self.exprs(args)),
            Expr::Case { operand, branches, otherwise } => format!(
                "(case {} {} {})",
                operand.as_ref().map_or("-".into(), |e| self.expr(e)),
                self.list(branches, |(w, t)| format!("{}:{}", self.expr(w), self.expr(t))),
                otherwise.as_ref().map_or("-".into(), |e| self.expr(e))
            ),
            Expr::Cast { expr, affinity } => format!("(cast {} {affinity:?})", self.expr(expr)),
            Expr::Collate { expr, collation } => {
                format!("(collate {} {collation})", self.expr(expr))
            }
            Expr::InList { expr, list } => {
                format!("(in {} {})", self.expr(expr), self.exprs(list))
            }
            Expr::InSubquery { exprs, query } => {
                format!("(in {} {})", self.exprs(exprs), self.query(query))
            }
            Expr::Exists(query) => format!("(exists {})", self.query(query)),
            Expr::Scalar(query) => format!("(scalar {})", self.query(query)),
            Expr::Quantified { expr, op, all, query } => format!(
                "({} {op:?} {} {})",
                if *all { "all" } else { "any" },
                self.expr(expr),
                self.query(query)
            ),
            Expr::Row(list) => format!("(row {})", self.exprs(list)),
        }
    }
}
