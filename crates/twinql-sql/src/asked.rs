//! The columns whose NULLs a gold query asks for.
//!
//! Who writes `WHERE side IS NULL` knows that the column holds NULLs, whatever else is taken for granted. Read off
//! the plan as it was written, before any rule: a column of a table is asked for where it, or what is computed of it
//! and NULL with it, stands under IS \[NOT\] NULL or is an argument of COALESCE, IFNULL or NULLIF. `x = NULL` is never
//! true and asks for nothing; neither does COUNT(x).
//!
//! Above an outer join IS NULL also finds the rows that it filled up. Of a column for which the ON of that join takes
//! no NULL (`… LEFT JOIN loan ON loan.member_id = member.member_id WHERE loan.member_id IS NULL`) it finds no others:
//! an anti-join, which asks for no NULL in the table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::column_set::ColumnSet;
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp};
use crate::function;
use crate::normalize::facts::rejects_null;
use crate::parse::parse;
use crate::plan::{Plan, plan};
use crate::rel::{ColumnId, JoinKind, Query, Rel};
use crate::schema::{ColumnRef, Schema};
use crate::semantics::{Nulls, Semantics};
use crate::tree::{Node, Tree};
use crate::value::Value;

/// Words of which a query that asks for NULLs holds at least one, if it reads no view.
const WORDS: [&str; 4] = ["null", "coalesce", "nvl", "unknown"];

/// False where the text alone shows that its plan [asks](asked) for nothing; most texts do.
pub(crate) fn may_ask(schema: &Schema, sql: &str) -> bool {
    let holds = |word: &str| {
        let (word, text) = (word.as_bytes(), sql.as_bytes());
        text.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word))
    };
    !schema.views.is_empty() || WORDS.into_iter().any(holds)
}

/// The columns of tables whose NULLs a query asks for.
pub(crate) fn asked(plan: &Plan) -> BTreeSet<ColumnRef> {
    if !plan.query.any_deep(|node| matches!(node, Node::Expr(e) if tested(e).is_some())) {
        return BTreeSet::new();
    }
    let mut found = Tests { plan, sources: sources(&plan.query), columns: BTreeSet::new() };
    found.query(&plan.query, &ColumnSet::new());
    found.columns
}

impl Semantics {
    /// These semantics for pairs with this gold: what it asks for is settled. Nearly all golds ask for no NULLs, and
    /// cost nothing.
    pub fn for_gold(&self, schema: &Schema, gold: &Plan) -> Cow<'_, Semantics> {
        if self.nulls != Nulls::Asked {
            return Cow::Borrowed(self);
        }
        let mut columns = asked(gold);
        columns.retain(|at| schema.column(*at).is_some_and(|c| !(c.not_null && self.keys_hold)));
        match columns.is_empty() {
            true => Cow::Borrowed(self),
            false => Cow::Owned(Semantics { nulls: Nulls::In(columns), ..self.clone() }),
        }
    }

    /// [`Semantics::for_gold`] of a text in SQLite's SQL; of one that cannot be read nothing is known.
    pub fn for_gold_text(&self, schema: &Schema, gold: &str) -> Cow<'_, Semantics> {
        if self.nulls != Nulls::Asked || !may_ask(schema, gold) {
            return Cow::Borrowed(self);
        }
        match parse(gold).and_then(|parsed| plan(schema, &parsed)) {
            Ok(plan) => self.for_gold(schema, &plan),
            Err(_) => Cow::Borrowed(self),
        }
    }
}

/// What an expression tests for NULL, or replaces where it is.
fn tested(e: &Expr) -> Option<&[Expr]> {
    let null = |e: &Expr| matches!(e, Expr::Literal(Value::Null));
    match e {
        Expr::Unary { op: UnaryOp::IsNull, expr } => Some(std::slice::from_ref(expr)),
        Expr::Binary { op: BinaryOp::Is | BinaryOp::IsNot, left, right } => match (null(left), null(right)) {
            (false, true) => Some(std::slice::from_ref(left)),
            (true, false) => Some(std::slice::from_ref(right)),
            _ => None,
        },
        Expr::Function { name, args } => {
            matches!(name.as_str(), "coalesce" | "ifnull" | "nullif").then_some(args.as_slice())
        }
        _ => None,
    }
}

/// What a column that no scan produces is made of.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// It is NULL where an expression is, or where all that a group has for it are.
    Computed(&'a Expr),
    /// It is NULL where there are no rows.
    Aggregated,
    /// An output of either arm of a set operation.
    Arms(ColumnId, ColumnId),
}

/// The tests of one query.
struct Tests<'a> {
    plan: &'a Plan,
    /// What columns are made of.
    sources: BTreeMap<ColumnId, Source<'a>>,
    columns: BTreeSet<ColumnRef>,
}

impl<'a> Tests<'a> {
    fn query(&mut self, query: &'a Query, matched: &ColumnSet) {
        self.rel(&query.rel, matched);
    }

    /// Looks at a relation and all below it. Gives the columns that an outer join below fills up, and that are never
    /// NULL in a row that it does not; `outer` are those of enclosing queries.
    fn rel(&mut self, rel: &'a Rel, outer: &ColumnSet) -> ColumnSet {
        let mut matched = outer.clone();
        for input in rel.inputs() {
            matched.extend(self.rel(input, outer));
        }
        for arm in rel.arms() {
            self.query(arm, outer);
        }
        for e in rel.exprs() {
            self.expr(e, &matched);
        }
        if let Rel::OuterJoin { kind, left, right, on } = rel {
            let mut rejected = ColumnSet::new();
            on.iter().for_each(|e| rejects_null(e, &mut rejected));
            let mut filled: ColumnSet = right.outputs().into_iter().collect();
            if *kind == JoinKind::Full {
                filled.extend(left.outputs());
            }
            matched.extend(rejected.intersection(&filled));
        }
        matched
    }

    fn expr(&mut self, e: &'a Expr, matched: &ColumnSet) {
        for of in tested(e).unwrap_or_default() {
            self.null_of(of, matched);
        }
        for operand in e.operands() {
            self.expr(operand, matched);
        }
        if let Some(query) = e.subquery() {
            self.query(query, matched);
        }
    }

    /// Enters the columns whose NULL makes an expression NULL. That of a subquery means that it has no row, that of an
    /// aggregate over all rows that there are none.
    fn null_of(&mut self, e: &'a Expr, matched: &ColumnSet) {
        match e {
            Expr::Column(c) if !matched.contains(c) => self.column(*c, matched),
            Expr::Unary { op: UnaryOp::IsNull, .. } => {}
            Expr::Unary { .. } | Expr::Cast { .. } | Expr::Collate { .. } | Expr::And(_) | Expr::Or(_) => {
                e.operands().into_iter().for_each(|e| self.null_of(e, matched));
            }
            Expr::Binary { op, left, right } if !matches!(op, BinaryOp::Is | BinaryOp::IsNot) => {
                self.null_of(left, matched);
                self.null_of(right, matched);
            }
            Expr::Function { name, args }
                if tested(e).is_some() || function::scalar(name).is_some_and(|f| f.nulls.is_strict()) =>
            {
                args.iter().for_each(|e| self.null_of(e, matched));
            }
            Expr::Case { branches, otherwise, .. } => {
                let values = branches.iter().map(|(_, then)| then).chain(otherwise.as_deref());
                values.for_each(|e| self.null_of(e, matched));
            }
            _ => {}
        }
    }

    fn column(&mut self, c: ColumnId, matched: &ColumnSet) {
        match self.sources.get(&c).copied() {
            Some(Source::Computed(e)) => self.null_of(e, matched),
            Some(Source::Arms(left, right)) => {
                self.column(left, matched);
                self.column(right, matched);
            }
            Some(Source::Aggregated) => {}
            None => self.columns.extend(c.info(&self.plan.columns).and_then(|info| info.origin)),
        }
    }
}

/// What each column of a query that is no table's is made of, as far as its NULLs are those of something else. A
/// column is made of what stands below it, so that following this ends.
fn sources(query: &Query) -> BTreeMap<ColumnId, Source<'_>> {
    let mut out = BTreeMap::new();
    query.for_each_deep(|node| match node {
        Node::Rel(Rel::Project { exprs, .. }) => out.extend(computed(exprs)),
        Node::Rel(Rel::Aggregate { keys, calls, .. }) => {
            out.extend(computed(keys));
            out.extend(calls.iter().map(|(c, call)| (*c, aggregated(call, !keys.is_empty()))));
        }
        Node::Rel(Rel::SetOp { left, right, columns, .. }) => {
            let arms = left.output.iter().zip(&right.output);
            out.extend(columns.iter().zip(arms).map(|(c, (l, r))| (*c, Source::Arms(*l, *r))));
        }
        _ => {}
    });
    out
}

fn computed(exprs: &[(ColumnId, Expr)]) -> impl Iterator<Item = (ColumnId, Source<'_>)> {
    // A bare column keeps its id.
    let made = exprs.iter().filter(|(c, e)| *e != Expr::Column(*c));
    made.map(|(c, e)| (*c, Source::Computed(e)))
}

/// A group has a row, so that an aggregate of its values is NULL only if they all are.
fn aggregated(call: &AggregateCall, grouped: bool) -> Source<'_> {
    let of_values = matches!(
        call.func,
        AggFunc::Sum | AggFunc::Avg | AggFunc::Min | AggFunc::Max | AggFunc::GroupConcat | AggFunc::Bare
    );
    match call.args.first() {
        Some(e) if of_values && grouped && call.filter.is_none() => Source::Computed(e),
        _ => Source::Aggregated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, plan};

    const DDL: &str = "
        CREATE TABLE member (member_id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, joined INTEGER);
        CREATE TABLE loan (loan_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES member, fine REAL, days INTEGER);";

    /// The columns that a query asks for, as `table.column`.
    fn of(sql: &str) -> String {
        let schema = Schema::from_ddl("library", DDL).unwrap();
        let plan = plan(&schema, &parse(sql).unwrap()).unwrap();
        let found = asked(&plan);
        assert!(found.is_empty() || may_ask(&schema, sql), "{sql}");
        let names: Vec<String> = found.into_iter().map(|c| schema.name_of(c)).collect();
        names.join(" ")
    }

    #[test]
    fn what_a_query_asks_for() {
        for (sql, columns) in [
            ("SELECT name FROM member WHERE email IS NULL", "member.email"),
            ("SELECT name FROM member WHERE email IS NOT NULL AND joined > 3", "member.email"),
            ("SELECT name FROM member WHERE NOT (email ISNULL)", "member.email"),
            ("SELECT name FROM member WHERE email IS NOT DISTINCT FROM NULL", "member.email"),
            ("SELECT email IS NULL FROM member", "member.email"),
            ("SELECT COUNT(CASE WHEN email IS NULL THEN 1 END) FROM member", "member.email"),
            ("SELECT COUNT(*) FILTER (WHERE email IS NULL) FROM member", "member.email"),
            ("SELECT name FROM member ORDER BY email IS NULL", "member.email"),
            ("SELECT joined FROM member GROUP BY joined HAVING joined IS NOT NULL", "member.joined"),
            ("SELECT COALESCE(email, 'none') FROM member", "member.email"),
            ("SELECT IFNULL(email, joined) FROM member", "member.email member.joined"),
            ("SELECT 10 / NULLIF(days, 0) FROM loan", "loan.days"),
            ("SELECT name FROM member WHERE LOWER(TRIM(email)) IS NULL", "member.email"),
            ("SELECT loan_id FROM loan WHERE fine + days IS NULL", "loan.fine loan.days"),
            ("SELECT loan_id FROM loan WHERE CAST(days AS TEXT) IS NULL", "loan.days"),
            (
                "SELECT name FROM member WHERE member_id IN (SELECT member_id FROM loan WHERE fine IS NULL)",
                "loan.fine",
            ),
            ("SELECT name FROM member WHERE member_id IS NULL", "member.member_id"),
            // Through derived tables, CTEs and set operations.
            ("SELECT n FROM (SELECT email AS e, name AS n FROM member) WHERE e IS NULL", "member.email"),
            ("WITH t AS (SELECT days * 2 AS d FROM loan) SELECT d FROM t WHERE d IS NULL", "loan.days"),
            (
                "SELECT x FROM (SELECT email AS x FROM member UNION ALL SELECT fine FROM loan) WHERE x IS NULL",
                "member.email loan.fine",
            ),
            ("SELECT d FROM (SELECT days + 1 AS d FROM loan GROUP BY days + 1) WHERE d IS NULL", "loan.days"),
            // What is no question about a column.
            ("SELECT name FROM member WHERE email = NULL", ""),
            ("SELECT name FROM member WHERE NULL IS NULL", ""),
            ("SELECT COUNT(*) - COUNT(email) FROM member", ""),
            ("SELECT COALESCE(SUM(days), 0) FROM loan", ""),
            ("SELECT COALESCE((SELECT fine FROM loan WHERE loan_id = 3), 0)", ""),
            ("SELECT name FROM member WHERE email NOT IN (SELECT fine FROM loan)", ""),
            ("SELECT m FROM (SELECT MAX(days) AS m FROM loan) WHERE m IS NULL", ""),
            ("SELECT member_id FROM loan GROUP BY member_id HAVING MAX(days) IS NULL", "loan.days"),
            ("SELECT member_id, COALESCE(SUM(fine), 0) FROM loan GROUP BY member_id", "loan.fine"),
            ("SELECT member_id, COALESCE(SUM(fine) FILTER (WHERE days > 3), 0) FROM loan GROUP BY 1", ""),
        ] {
            assert_eq!(of(sql), columns, "{sql}");
        }
    }

    #[test]
    fn an_anti_join_asks_for_no_null_of_what_is_joined() {
        let join = "SELECT name FROM member m LEFT JOIN loan l ON l.member_id = m.member_id";
        for (rest, columns) in [
            ("WHERE l.member_id IS NULL", ""),
            ("WHERE COALESCE(l.member_id, 0) = 0", ""),
            ("WHERE l.fine IS NULL", "loan.fine"),
            ("WHERE l.loan_id IS NULL", "loan.loan_id"),
            ("AND l.member_id IS NULL", "loan.member_id"),
            ("AND l.days > 3 WHERE l.days IS NULL", ""),
            ("WHERE m.email IS NULL AND l.member_id IS NULL", "member.email"),
            (
                "WHERE NOT EXISTS (SELECT 1 FROM loan x WHERE x.loan_id = l.loan_id AND l.member_id IS NULL)",
                "",
            ),
            ("WHERE EXISTS (SELECT 1 FROM loan x WHERE x.member_id IS NULL)", "loan.member_id"),
        ] {
            assert_eq!(of(&format!("{join} {rest}")), columns, "{rest}");
        }
        let below = "SELECT name FROM member m LEFT JOIN (SELECT * FROM loan WHERE member_id IS NULL) l \
                     ON l.member_id = m.member_id";
        assert_eq!(of(below), "loan.member_id");
        let full = "SELECT COALESCE(m.member_id, l.member_id) FROM member m FULL JOIN loan l ON m.member_id = l.member_id";
        assert_eq!(of(full), "");
        assert_eq!(of("SELECT member_id FROM member FULL JOIN loan USING (member_id)"), "");
    }
}
