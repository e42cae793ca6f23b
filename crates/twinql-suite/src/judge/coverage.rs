//! Which joins and branches of two queries no database came to: of them agreement says nothing.
//!
//! The conditions of joins and of CASE are wrapped in a function that notes when they hold:
//!
//! - `a JOIN b ON a.id = b.id` → `a JOIN b ON twinql_met(0, a.id = b.id)`
//! - `a JOIN b USING (id)` → `… WHERE twinql_met(0, b.id IS NOT NULL, 1)`
//! - `CASE WHEN x > 3 THEN 'much' ELSE 'few' END` →
//!   `CASE WHEN twinql_met(0, x > 3) THEN 'much' ELSE CASE WHEN twinql_met(1, 1) THEN 'few' END END`

use std::ops::ControlFlow;

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, Select,
    TableFactor, Value,
};
use sqlparser::tokenizer::Span;
use twinql_sql::syntax::{self, Named, call};

use super::Judge;
use crate::execute::{ExecError, MET};
use crate::generate::Generator;
use crate::neighbours::on_selects;

/// Parts of one query that are looked at.
const MOST: usize = 64;
/// Parts of one query that are named.
const NAMED: usize = 4;

impl Judge {
    /// The parts of a query that no database came to, as the query has them. None where that cannot be told.
    pub(super) fn unreached(&self, text: &str, generator: &Generator<'_>) -> Result<Vec<String>, ExecError> {
        let Ok(parsed) = twinql_sql::parse(text) else { return Ok(Vec::new()) };
        let (sql, parts) = marked(*parsed.query);
        let met = self.sandbox.met()?;
        let mut prepared = self.sandbox.prepare(&sql)?;
        let mut loader = self.sandbox.loader(generator.tables())?;
        for index in 0..self.config.databases {
            let Some(database) = generator.database(index) else { continue };
            loader.load(&database)?;
            prepared.run(0)?;
            if (0..parts.len()).all(|number| met.has(number)) {
                break;
            }
        }
        drop(prepared);
        Ok(parts
            .into_iter()
            .enumerate()
            .filter(|(number, _)| !met.has(*number))
            .map(|(_, part)| part)
            .collect())
    }
}

/// `no database came to ON a.id = b.id, ELSE 'few' or 3 other parts`; nothing where all were met.
pub(super) fn says(unreached: &[String]) -> Option<String> {
    let (named, others) = unreached.split_at(unreached.len().min(NAMED));
    (!named.is_empty()).then(|| {
        let others = if others.is_empty() { String::new() } else { format!(" or {} others", others.len()) };
        format!("no database came to {}{others}", named.join(", "))
    })
}

/// The query with its parts marked by number, and the parts.
fn marked(query: Query) -> (String, Vec<String>) {
    let mut query = Box::new(query);
    let mut marks = Marks::default();
    let _ = syntax::change_expressions(&mut *query, &mut |e: &mut Expr| {
        marks.case(e);
        ControlFlow::<()>::Continue(())
    });
    on_selects(&mut query, |select| {
        marks.joins(select);
        false
    });
    (query.to_string(), marks.parts)
}

#[derive(Default)]
struct Marks {
    parts: Vec<String>,
}

impl Marks {
    /// The number of a part; none beyond those that are looked at.
    fn number(&mut self, part: String) -> Option<usize> {
        (self.parts.len() < MOST).then(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    fn case(&mut self, e: &mut Expr) {
        let Expr::Case { operand, conditions, else_result, case_token: _, end_token: _ } = e else { return };
        // All of it is marked, or nothing.
        if self.parts.len() + conditions.len() >= MOST {
            return;
        }
        for when in conditions {
            let part = format!("WHEN {}", when.condition);
            let Some(number) = self.number(part) else { return };
            let condition = match operand {
                Some(operand) => Expr::BinaryOp {
                    left: operand.clone(),
                    op: BinaryOperator::Eq,
                    right: Box::new(nested(when.condition.clone())),
                },
                None => when.condition.clone(),
            };
            when.condition = met([number_of(number), condition]);
        }
        *operand = None;
        let Some(other) = else_result.as_deref_mut() else { return };
        if matches!(other, Expr::Value(v) if v.value == Value::Null) {
            return;
        }
        let Some(number) = self.number(format!("ELSE {other}")) else { return };
        let always = CaseWhen { condition: met([number_of(number), number_of(1)]), result: other.clone() };
        *other = Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![always],
            else_result: None,
        };
    }

    fn joins(&mut self, select: &mut Select) {
        let mut tests = Vec::new();
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            match constraint(join) {
                Some((JoinConstraint::On(condition), _)) => {
                    let Some(number) = self.number(format!("ON {condition}")) else { return };
                    *condition = met([number_of(number), condition.clone()]);
                }
                Some((JoinConstraint::Using(columns), Some(name))) => {
                    let Some(column) = columns.first().and_then(|column| column.0.last()?.as_ident()) else {
                        continue;
                    };
                    let part = format!("USING ({})", list(columns));
                    let Some(number) = self.number(part) else { return };
                    let joined = Expr::CompoundIdentifier(vec![name, column.clone()]);
                    tests.push(met([number_of(number), Expr::IsNotNull(Box::new(joined)), number_of(1)]));
                }
                _ => {}
            }
        }
        let conditions = select.selection.take().map(nested).into_iter().chain(tests);
        select.selection = conditions.reduce(|left, right| Expr::BinaryOp {
            left: Box::new(left),
            op: BinaryOperator::And,
            right: Box::new(right),
        });
    }
}

/// What an inner or a left join asks, and the name of what is joined.
fn constraint(join: &mut Join) -> Option<(&mut JoinConstraint, Option<Ident>)> {
    use JoinOperator::{FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter};
    let name = match &join.relation {
        TableFactor::Derived { alias, lateral: _, subquery: _, sample: _ } => {
            alias.as_ref().map(|alias| &alias.name)
        }
        other => Named::of(other).and_then(|named| {
            let table = named.name.0.last()?.as_ident()?;
            Some(named.alias.map_or(table, |alias| &alias.name))
        }),
    }
    .cloned();
    match &mut join.join_operator {
        Join(asks) | Inner(asks) | Left(asks) | LeftOuter(asks) => Some((asks, name)),
        // A row without its partner on the other side has all of the joined table.
        Right(asks) | RightOuter(asks) | FullOuter(asks) => Some((asks, None)),
        _ => None,
    }
}

fn list(names: &[ObjectName]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn nested(e: Expr) -> Expr {
    Expr::Nested(Box::new(e))
}

fn number_of(n: usize) -> Expr {
    Expr::value(Value::Number(n.to_string(), false))
}

/// A call of the function that notes.
fn met<const N: usize>(args: [Expr; N]) -> Expr {
    call(MET, args.into(), Span::empty())
}

#[cfg(test)]
mod tests {
    use twinql_sql::Schema;

    use super::*;
    use crate::{JudgeConfig, Verdict};

    const SHOP: &str = "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
            total INTEGER NOT NULL CHECK (total < 100));";

    fn notes(gold: &str, pred: &str) -> Vec<String> {
        let schema = Schema::from_ddl("shop", SHOP).unwrap();
        let config = JudgeConfig { coverage: true, databases: 40, ..JudgeConfig::default() };
        let report = Judge::new(&schema, config).unwrap().report(gold, pred);
        assert!(matches!(report.verdict, Verdict::Same { .. }), "{report:?}");
        report.notes
    }

    #[test]
    fn what_no_database_came_to_is_named() {
        let case = |when: &str| format!("SELECT id, CASE WHEN {when} THEN 'much' ELSE 'few' END FROM orders");
        assert_eq!(notes(&case("total > 50"), &case("50 < total")), [""; 0]);
        let always = notes(&case("total > 500"), "SELECT id, 'few' FROM orders");
        assert_eq!(always, ["gold: no database came to WHEN total > 500"]);
        assert_eq!(
            notes("SELECT id, 'much' FROM orders", &case("total < 500")),
            ["pred: no database came to ELSE 'few'"]
        );
        // With an operand, and in a subquery.
        let simple =
            "SELECT id FROM orders WHERE id IN (SELECT CASE total WHEN 700 THEN 1 ELSE id END FROM orders)";
        assert_eq!(notes(simple, "SELECT id FROM orders"), ["gold: no database came to WHEN 700"]);
    }

    #[test]
    fn joins_without_partners_are_named() {
        let joined = |on: &str| format!("SELECT o.id FROM orders o LEFT JOIN customer c {on}");
        let plain = "SELECT id FROM orders";
        assert_eq!(notes(&joined("ON o.customer_id = c.id"), plain), [""; 0]);
        assert_eq!(
            notes(&joined("ON o.customer_id = c.id AND o.total > 500"), plain),
            ["gold: no database came to ON o.customer_id = c.id AND o.total > 500"]
        );
        assert_eq!(notes("SELECT o.id FROM orders o JOIN orders p USING (id)", plain), [""; 0]);
        let never =
            "SELECT o.id FROM orders o LEFT JOIN (SELECT id FROM orders WHERE total > 500) p USING (id)";
        // A derived table goes by its alias.
        assert_eq!(notes(never, plain), ["gold: no database came to USING (id)"]);
    }

    #[test]
    fn many_parts_are_counted() {
        let parts: Vec<String> = (0..6).map(|n| format!("p{n}")).collect();
        assert_eq!(says(&parts).as_deref(), Some("no database came to p0, p1, p2, p3 or 2 others"));
        assert_eq!(says(&[]), None);
    }
}
