//! Scalar expressions.
//!
//! One function for each construct, called by [`Planner::plan_expr`]. What a construct means in SQLite's
//! terms is decided here: `x IS DISTINCT FROM y` → `x IS NOT y`, `x BETWEEN a AND b` → `x >= a AND x <= b`,
//! `x NOT IN (…)` → `NOT (x IN (…))`. Nothing is simplified: that is the business of the rules, which have
//! names and proofs.

use sqlparser::ast::{self, BinaryOperator, Ident, Spanned, UnaryOperator};

use super::foreign_type::ForeignType;
use super::literal::number;
use super::refuse::refuse_present;
use super::{Planner, Result, affinity, dialect, invalid, unsupported};
use crate::dialects::Dialect;
use crate::error::SqlError;
use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::schema::Collation;
use crate::spans::Clause;
use crate::value::Value;

/// Operands of an arithmetic or comparison chain without parentheses: the tree is as deep.
const MAX_CHAIN: usize = 200;

/// A conjunction, flat.
pub(crate) fn and(operands: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::and_all(operands.into_iter().flat_map(Expr::conjuncts).collect())
}

/// A disjunction, flat.
fn or(operands: impl IntoIterator<Item = Expr>) -> Expr {
    let flat = operands.into_iter().flat_map(|operand| match operand {
        Expr::Or(inner) => inner,
        other => vec![other],
    });
    Expr::or_all(flat.collect())
}

/// `= <> < <= > >=`.
pub(super) fn comparison(op: &BinaryOperator) -> Option<BinaryOp> {
    Some(match op {
        BinaryOperator::Eq => BinaryOp::Eq,
        BinaryOperator::NotEq => BinaryOp::NotEq,
        BinaryOperator::Lt => BinaryOp::Lt,
        BinaryOperator::LtEq => BinaryOp::LtEq,
        BinaryOperator::Gt => BinaryOp::Gt,
        BinaryOperator::GtEq => BinaryOp::GtEq,
        _ => return None,
    })
}

fn operator(op: &BinaryOperator) -> Option<BinaryOp> {
    Some(match op {
        BinaryOperator::Plus => BinaryOp::Add,
        BinaryOperator::Minus => BinaryOp::Sub,
        BinaryOperator::Multiply => BinaryOp::Mul,
        BinaryOperator::Divide => BinaryOp::Div,
        BinaryOperator::Modulo => BinaryOp::Mod,
        BinaryOperator::StringConcat => BinaryOp::Concat,
        BinaryOperator::BitwiseAnd => BinaryOp::BitAnd,
        BinaryOperator::BitwiseOr => BinaryOp::BitOr,
        BinaryOperator::PGBitwiseShiftLeft => BinaryOp::ShiftLeft,
        BinaryOperator::PGBitwiseShiftRight => BinaryOp::ShiftRight,
        BinaryOperator::Spaceship => BinaryOp::Is,
        BinaryOperator::Regexp => BinaryOp::Regexp,
        BinaryOperator::Match => BinaryOp::Match,
        BinaryOperator::Glob => BinaryOp::Glob,
        BinaryOperator::Arrow => BinaryOp::Arrow,
        BinaryOperator::LongArrow => BinaryOp::LongArrow,
        other => return comparison(other),
    })
}

impl<'a> Planner<'a> {
    /// Plans an expression in the innermost scope.
    pub(crate) fn plan_expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        let planned = self.nested(|p| p.plan_expr_inner(expr))?;
        self.note_expr(Clause::Any, &planned, || expr.span());
        Ok(planned)
    }

    pub(crate) fn plan_exprs(&mut self, exprs: impl IntoIterator<Item = &'a ast::Expr>) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|e| self.plan_expr(e)).collect()
    }

    /// Plans an expression that may be absent.
    pub(super) fn plan_optional(&mut self, expr: Option<&'a ast::Expr>) -> Result<Option<Expr>> {
        expr.map(|e| self.plan_expr(e)).transpose()
    }

    fn plan_expr_inner(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match expr {
            E::Nested(inner) => self.plan_expr(inner),
            E::Identifier(name) => self.plan_column(None, name),
            E::CompoundIdentifier(parts) if self.dialect.names().fields => self.plan_dotted(parts),
            E::CompoundIdentifier(parts) => match parts.as_slice() {
                [qualifier, name] => self.plan_column(Some(qualifier), name),
                [_, _, _, ..] => self.plan_qualified(parts),
                [name] => self.plan_column(None, name),
                [] => unsupported("an empty name", expr.span()),
            },
            E::JsonAccess { value, path } if self.dialect.functions_of_its_own() => {
                self.plan_json_access(expr, value, path)
            }
            E::CompoundFieldAccess { root, access_chain }
                if self.dialect.functions_of_its_own() || self.dialect == Dialect::Postgres =>
            {
                self.plan_access(expr, root, access_chain)
            }
            E::CompoundFieldAccess { root, access_chain } => self.plan_quoted_name(expr, root, access_chain),
            E::Value(value) => self.plan_constant(value),
            // MySQL's `_utf8 'x'`, a text with its character set said.
            E::Prefixed { prefix, value }
                if prefix.value.starts_with('_') && self.dialect == Dialect::Mysql =>
            {
                self.plan_expr(value)
            }
            E::TypedString(string) => self.plan_typed_string(string),
            E::BinaryOp { left: _, op: _, right: _ } => self.plan_chain(expr),
            E::UnaryOp { op, expr } => self.plan_unary(*op, expr),
            // The two-valued tests. `x IS UNKNOWN` is `x IS NULL` of a truth value.
            E::IsNull(e) | E::IsUnknown(e) => Ok(self.plan_expr(e)?.is_null()),
            E::IsNotNull(e) | E::IsNotUnknown(e) => Ok(self.plan_expr(e)?.is_null().not()),
            E::IsTrue(e) => self.plan_truth(e, BinaryOp::Is, 0),
            E::IsNotTrue(e) => self.plan_truth(e, BinaryOp::IsNot, 0),
            E::IsFalse(e) => self.plan_truth(e, BinaryOp::Is, 1),
            E::IsNotFalse(e) => self.plan_truth(e, BinaryOp::IsNot, 1),
            // The standard's words for SQLite's IS NOT and IS, which compare NULLs as values.
            E::IsDistinctFrom(l, r) | E::IsNotDistinctFrom(l, r) => {
                let op = if matches!(expr, E::IsDistinctFrom(_, _)) { BinaryOp::IsNot } else { BinaryOp::Is };
                let (l, r) = (self.plan_expr(l)?, self.plan_expr(r)?);
                Ok(self.compare(op, l, r))
            }
            E::Between { expr, negated, low, high } => self.plan_between(expr, *negated, low, high),
            // SQLite's LIKE ignores the case of ASCII letters, as ILIKE does of all.
            E::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.plan_like(*negated, expr, pattern, escape_char.as_deref(), false)
            }
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                let cases = self.dialect.meaning().like_minds_case;
                self.plan_like(*negated, expr, pattern, escape_char.as_deref(), cases)
            }
            E::RLike {
                negated,
                expr,
                pattern,
                // RLIKE or REGEXP.
                regexp: _,
            } => {
                let (expr, pattern) = (self.plan_expr(expr)?, self.plan_expr(pattern)?);
                Ok(negate_if(*negated, self.regexp(expr, pattern)))
            }
            E::Cast { kind, expr, data_type, format } => {
                refuse_present(format, "FORMAT in a cast", &**expr)?;
                self.plan_cast(kind, expr, data_type)
            }
            E::SimilarTo { negated, expr, pattern, escape_char } => {
                self.plan_similar(*negated, expr, pattern, escape_char.as_deref())
            }
            E::Array(array) => self.plan_array(array),
            E::AtTimeZone { timestamp, time_zone } => self.plan_time_zone(timestamp, time_zone),
            E::Collate { expr, collation } => {
                let name = super::order::read_collation(collation)?;
                // `utf8mb4_bin` compares bytes; a name that is not known stays.
                let known = Collation::named(&name, self.dialect).map(|known| known.name().to_owned());
                Ok(Expr::Collate { collation: known.unwrap_or(name), expr: Box::new(self.plan_expr(expr)?) })
            }
            E::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                self.plan_case(operand.as_deref(), conditions, else_result.as_deref())
            }
            E::Tuple(list) => Ok(Expr::Row(self.plan_exprs(list)?)),
            E::InList { expr: tested, list, negated } => self.plan_in_list(tested, list, *negated),
            E::InUnnest { expr: tested, array_expr, negated } if self.dialect.names().fields => {
                self.plan_in_elements(tested, array_expr, *negated)
            }
            // A variable, unless a column has its name.
            E::Named { expr, name } if self.dialect.names().fields => match self.plan_name_path(&[name])? {
                Some(column) => Ok(column),
                None => self.plan_expr(expr),
            },
            E::Struct { values, fields } if self.dialect.names().fields => self.plan_record(values, fields),
            E::InSubquery { expr: tested, subquery, negated } => {
                self.plan_in_subquery(tested, subquery, *negated, expr)
            }
            E::Exists { subquery, negated } => self.plan_exists(subquery, *negated),
            E::Subquery(query) => self.plan_scalar(query),
            E::AnyOp {
                left,
                compare_op,
                right,
                // SOME or ANY.
                is_some: _,
            } => self.plan_quantified(left, compare_op, false, right),
            E::AllOp { left, compare_op, right } => self.plan_quantified(left, compare_op, true, right),
            // What it does not know either it refuses by name.
            _ => self.plan_function_expr(expr),
        }
    }

    /// `'table'.'column'`: SQLite takes a string for a name where only a name can stand.
    fn plan_quoted_name(
        &mut self,
        whole: &ast::Expr,
        root: &ast::Expr,
        chain: &[ast::AccessExpr],
    ) -> Result<Expr> {
        let (Some(table), [ast::AccessExpr::Dot(column)]) = (string_name(root), chain) else {
            return unsupported(format!("expression {whole}"), whole.span());
        };
        match string_name(column) {
            Some(column) => self.plan_column(Some(&table), &column),
            None => unsupported(format!("expression {whole}"), whole.span()),
        }
    }

    /// A column name; in double quotes also a string, where no column has the name.
    ///
    /// The string is a misfeature that SQLite keeps for old queries
    /// (<https://sqlite.org/quirks.html#dblquote>), and text-to-SQL data is full of it: `WHERE name =
    /// "Ann"`.
    fn plan_column(&mut self, qualifier: Option<&Ident>, name: &Ident) -> Result<Expr> {
        self.refuse_reserved(qualifier.unwrap_or(name))?;
        self.refuse_cast(qualifier)?;
        if qualifier.is_none() && name.quote_style == Some('\'') {
            return Ok(Expr::Literal(Value::Text(name.value.clone())));
        }
        if self.dialect.names().fields {
            return match self.plan_name_path(&qualifier.into_iter().chain([name]).collect::<Vec<_>>())? {
                Some(expr) => Ok(expr),
                None => Err(self.unknown_column(qualifier, name)),
            };
        }
        if let Some(expr) = self.resolve(qualifier, name)? {
            return Ok(expr);
        }
        let may_be_string = self.dialect.names().quoted_may_be_string;
        if may_be_string && qualifier.is_none() && name.quote_style == Some('"') {
            return Ok(Expr::Literal(Value::Text(name.value.clone())));
        }
        Err(self.unknown_column(qualifier, name))
    }

    /// A chain of operators, followed down its left side without recursion.
    ///
    /// The parser makes `a OR b OR c …` a tree as deep as the chain is long, and written-out lists run to
    /// thousands of terms. A run of ANDs or of ORs becomes one flat list; of other operators the plan is as
    /// deep as the text, which [`MAX_CHAIN`] bounds for all who walk it later.
    fn plan_chain(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        let mut tail = Vec::new();
        let mut first = expr;
        while let ast::Expr::BinaryOp { left, op, right } = first {
            tail.push((op, &**right));
            first = left;
        }
        let mut planned = self.plan_expr(first)?;
        let mut depth = 0;
        // Operands of a run of ANDs or ORs are gathered and joined once.
        let mut run: Option<(bool, Vec<Expr>)> = None;
        for (op, until) in tail.into_iter().rev() {
            let right = self.plan_expr(until)?;
            let conjunction = match op {
                BinaryOperator::And => Some(true),
                BinaryOperator::Or => Some(false),
                _ => None,
            };
            match (conjunction, &mut run) {
                (Some(is_and), Some((run_is_and, list))) if is_and == *run_is_and => {
                    list.push(right);
                    continue;
                }
                _ => {}
            }
            if let Some((is_and, list)) = run.take() {
                planned = if is_and { and(list) } else { or(list) };
            }
            if let Some(is_and) = conjunction {
                run = Some((is_and, vec![planned, right]));
                // What was planned is in the run now; the value is not read before the run ends.
                planned = Expr::Literal(Value::Null);
                continue;
            }
            depth += 1;
            if depth > MAX_CHAIN {
                return Err(SqlError::TooLarge {
                    what: "a chain of operators",
                    found: depth,
                    limit: MAX_CHAIN,
                });
            }
            planned = self.plan_binary(op, planned, right, expr)?;
            self.note_expr(Clause::Any, &planned, || first.span().union(&until.span()));
        }
        if let Some((is_and, list)) = run {
            planned = if is_and { and(list) } else { or(list) };
        }
        Ok(planned)
    }

    /// One operator over planned operands: those whose meaning differs between dialects first, then those
    /// that SQLite lacks, then SQLite's. Dates and spans are asked about before the numbers: `d + INTERVAL
    /// '1 day'` is no sum.
    fn plan_binary(
        &mut self,
        op: &BinaryOperator,
        left: Expr,
        right: Expr,
        whole: &ast::Expr,
    ) -> Result<Expr> {
        if self.dialect == Dialect::Tsql
            && let Some(planned) = self.server_arithmetic(op, &left, &right)
        {
            return Ok(planned);
        }
        if self.dialect == Dialect::Oracle
            && let Some(planned) = self.oracle_operator(op, &left, &right)
        {
            return Ok(planned);
        }
        match op {
            BinaryOperator::Divide => {
                self.check_widths(&left, &right, whole)?;
                if let Some(scaled) = self.temporal(BinaryOp::Div, &left, &right, whole.span())? {
                    return Ok(scaled);
                }
                return Ok(self.quotient(left, right));
            }
            // Of whole numbers; of others DuckDB's gives a fraction.
            BinaryOperator::DuckIntegerDivide
                if [&left, &right].iter().all(|e| self.class(e) == crate::schema::TypeClass::Integer) =>
            {
                return Ok(dialect::divide_whole(left, right, &self.columns));
            }
            BinaryOperator::DuckIntegerDivide => {
                return Ok(Expr::function("duckdb_integer_divide", vec![left, right]));
            }
            BinaryOperator::MyIntegerDivide => {
                return Ok(dialect::divide_whole(left, right, &self.columns));
            }
            BinaryOperator::PGLikeMatch | BinaryOperator::PGNotLikeMatch => {
                let like = dialect::like_with_case(left, right, self.dialect.meaning().like_escape);
                return Ok(negate_if(*op == BinaryOperator::PGNotLikeMatch, like));
            }
            BinaryOperator::PGILikeMatch | BinaryOperator::PGNotILikeMatch => {
                let like = Expr::binary(BinaryOp::Like, left, right);
                return Ok(negate_if(*op == BinaryOperator::PGNotILikeMatch, like));
            }
            BinaryOperator::PGBitwiseXor | BinaryOperator::BitwiseXor
                if self.is_exclusive_or(op) && !left.has_subquery() && !right.has_subquery() =>
            {
                return self.exclusive_or(left, right);
            }
            BinaryOperator::StringConcat => {
                let (left, right) = (self.in_words(left), self.in_words(right));
                return match self.plan_foreign_operator(op, &left, &right)? {
                    Some(planned) => Ok(planned),
                    None => {
                        self.check_widths(&left, &right, whole)?;
                        Ok(Expr::binary(BinaryOp::Concat, left, right))
                    }
                };
            }
            BinaryOperator::PGExp => {
                return Ok(Expr::function("power", vec![left, right]));
            }
            _ => {}
        }
        self.check_arithmetic(op, &left, &right, whole.span());
        if let Some(planned) = self.plan_foreign_operator(op, &left, &right)? {
            return Ok(planned);
        }
        match operator(op) {
            Some(op) => {
                self.check_widths(&left, &right, whole)?;
                if let Some(moved) = self.temporal(op, &left, &right, whole.span())? {
                    return Ok(moved);
                }
                if op == BinaryOp::Mod {
                    return Ok(self.remainder(left, right));
                }
                if op.is_comparison() || op.is_null_safe() {
                    return Ok(self.compare(op, left, right));
                }
                Ok(Expr::binary(op, left, right))
            }
            None => unsupported(format!("operator {op}"), whole.span()),
        }
    }

    /// Whether a sign means the bits that differ: `#` in PostgreSQL, `^` in MySQL and SQL Server.
    fn is_exclusive_or(&self, op: &BinaryOperator) -> bool {
        match op {
            BinaryOperator::PGBitwiseXor => self.dialect == Dialect::Postgres,
            _ => matches!(self.dialect, Dialect::Mysql | Dialect::Tsql),
        }
    }

    /// The bits that one of two whole numbers has, which SQLite has no operator for: `a # b` → `(a | b) - (a & b)`.
    fn exclusive_or(&mut self, left: Expr, right: Expr) -> Result<Expr> {
        self.charge(4)?;
        let either = Expr::binary(BinaryOp::BitOr, left.clone(), right.clone());
        let both = Expr::binary(BinaryOp::BitAnd, left, right);
        Ok(Expr::binary(BinaryOp::Sub, either, both))
    }

    /// A comparison, both sides in one form, so that their bytes decide it.
    pub(crate) fn compare(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        self.check_comparison(&left, &right);
        let (left, right) = self.days_as_moments(left, right);
        let (left, right) = self.aligned(left, right);
        let (left, right) = self.as_numbers(left, right);
        let (left, right) = self.folded(left, right);
        Expr::binary(op, left, right)
    }

    fn plan_unary(&mut self, op: UnaryOperator, operand: &'a ast::Expr) -> Result<Expr> {
        match op {
            UnaryOperator::Not | UnaryOperator::BangNot => Ok(self.plan_expr(operand)?.not()),
            UnaryOperator::Plus => {
                let operand = self.plan_expr(operand)?;
                Ok(affinity::plus(operand, &self.columns))
            }
            UnaryOperator::BitwiseNot => Ok(Expr::unary(UnaryOp::BitNot, self.plan_expr(operand)?)),
            UnaryOperator::Minus => {
                // SQLite reads a signed number as one literal, the smallest integer too.
                if let ast::Expr::Value(value) = operand
                    && let ast::Value::Number(digits, _) = &value.value
                    && !digits.starts_with(['x', 'X'])
                    && !digits.starts_with("0x")
                    && !digits.starts_with("0X")
                    && let Some(value) = number(&format!("-{digits}"))
                {
                    let planned = Expr::Literal(value);
                    self.note_digits(digits, &planned);
                    return Ok(planned);
                }
                let operand = self.plan_expr(operand)?;
                if self.dialect != Dialect::Sqlite && self.kind(&operand) == Some(ForeignType::Interval) {
                    return Ok(Expr::function("pg_scale", vec![operand, Expr::integer(-1)]));
                }
                Ok(Expr::unary(UnaryOp::Neg, operand))
            }
            other => unsupported(format!("operator {other}"), operand.span()),
        }
    }

    /// `x IS TRUE` is `(NOT x) IS 0`, NULL included; likewise its three relatives.
    fn plan_truth(&mut self, expr: &'a ast::Expr, op: BinaryOp, of_not: i64) -> Result<Expr> {
        let negated = self.plan_expr(expr)?.not();
        Ok(Expr::binary(op, negated, Expr::Literal(Value::Integer(of_not))))
    }

    /// `x BETWEEN low AND high` as two comparisons. They may differ in affinity and collation, since each is
    /// made with its own bound, as SQLite does it.
    fn plan_between(
        &mut self,
        expr: &'a ast::Expr,
        negated: bool,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
    ) -> Result<Expr> {
        let before = self.nodes;
        let first = self.plan_expr(expr)?;
        // A subquery is planned twice, so that its column ids stay unique.
        let second = if first.has_subquery() {
            self.plan_expr(expr)?
        } else {
            // A copy costs what its original did: x BETWEEN … BETWEEN … doubles each time.
            self.charge(self.nodes - before)?;
            first.clone()
        };
        let (low, high) = (self.plan_expr(low)?, self.plan_expr(high)?);
        let low = self.compare(BinaryOp::GtEq, first, low);
        let high = self.compare(BinaryOp::LtEq, second, high);
        Ok(negate_if(negated, Expr::And(vec![low, high])))
    }

    /// LIKE, ILIKE and their ESCAPE. `cases` says that upper and lower case differ, which SQLite can say
    /// with GLOB alone.
    fn plan_like(
        &mut self,
        negated: bool,
        expr: &'a ast::Expr,
        pattern: &'a ast::Expr,
        escape: Option<&'a ast::Expr>,
        cases: bool,
    ) -> Result<Expr> {
        let expr = self.plan_expr(expr)?;
        let pattern = self.plan_expr(pattern)?;
        self.check_like(&expr, sqlparser::tokenizer::Span::empty());
        let (expr, pattern, cases) = self.like_of_bytes(expr, pattern, cases);
        // SQL Server's patterns have classes.
        if self.dialect == Dialect::Tsql && pattern.as_text().is_none_or(|text| text.contains('[')) {
            let mut args = vec![expr, pattern];
            args.extend(self.plan_optional(escape)?);
            return Ok(negate_if(negated, Expr::function("ms_like", args)));
        }
        let escape = match escape {
            Some(escape) => Some(self.plan_expr(escape)?),
            // A backslash escapes in some dialects where nothing else is said.
            None => {
                let implied = self.dialect.meaning().like_escape;
                let used = |c: &char| pattern.as_text().is_some_and(|text| text.contains(*c));
                implied.filter(used).map(Expr::text)
            }
        };
        let like = match (escape, cases) {
            (None, true) => dialect::like_with_case(expr, pattern, None),
            // A pattern and an escape that are constants can be rewritten; others stay opaque.
            (Some(escape), true) => match escape.as_text() {
                Some(c) if pattern.is_literal() && c.chars().count() <= 1 => {
                    dialect::like_with_case(expr, pattern, c.chars().next())
                }
                _ => Expr::function("like_with_case", vec![pattern, expr, escape]),
            },
            (None, false) => Expr::binary(BinaryOp::Like, expr, pattern),
            // The function's arguments stand the other way round (SQLite).
            (Some(escape), false) => Expr::function("like", vec![pattern, expr, escape]),
        };
        Ok(negate_if(negated, like))
    }

    fn plan_case(
        &mut self,
        operand: Option<&'a ast::Expr>,
        conditions: &'a [ast::CaseWhen],
        else_result: Option<&'a ast::Expr>,
    ) -> Result<Expr> {
        let mut operand = self.plan_optional(operand)?;
        let mut branches = Vec::with_capacity(conditions.len());
        for ast::CaseWhen { condition, result } in conditions {
            let mut condition = self.plan_expr(condition)?;
            if let Some(value) = operand.take() {
                let (value, compared) = self.apart(value, condition);
                (operand, condition) = (Some(value), compared);
            }
            branches.push((condition, self.plan_expr(result)?));
        }
        let mut otherwise = self.plan_optional(else_result)?.map(Box::new);
        if self.dialect == Dialect::Mysql {
            self.in_one_kind(branches.iter_mut().map(|(_, then)| then).chain(otherwise.as_deref_mut()));
        }
        let (operand, branches) = self.folded_case(operand, branches)?;
        Ok(Expr::Case { operand: operand.map(Box::new), branches, otherwise })
    }

    /// Refuses a comparison of values of different widths.
    /// `(a, b) = (SELECT x, y …)` compares two rows; `a = (SELECT x, y …)` is an error in SQLite.
    fn check_widths(&self, left: &Expr, right: &Expr, whole: &ast::Expr) -> Result<()> {
        let width = |e: &Expr| match e {
            Expr::Row(list) => list.len(),
            Expr::Scalar(query) => query.output.len(),
            _ => 1,
        };
        let (l, r) = (width(left), width(right));
        if l == r {
            return Ok(());
        }
        invalid(format!("a value of {l} column(s) meets one of {r}"), whole.span())
    }
}

/// The name that a string or an identifier is.
fn string_name(expr: &ast::Expr) -> Option<Ident> {
    match expr {
        ast::Expr::Identifier(name) => Some(name.clone()),
        ast::Expr::Value(value) => match &value.value {
            ast::Value::SingleQuotedString(text) => {
                Some(Ident::with_quote_and_span('\'', value.span, text.clone()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// NOT of an expression, if `negated`.
pub(crate) fn negate_if(negated: bool, expr: Expr) -> Expr {
    if negated { expr.not() } else { expr }
}
