//! Expressions of a syntax tree.
//!
//! As written: `a > b` is not turned into `b < a`, BETWEEN stays BETWEEN, and a NOT is where the text has it.
//! Only what cannot mean anything leaves no node: parentheses, and the nesting of AND and OR, which
//! associate.

use petgraph::graph::NodeIndex;
use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    UnaryOperator, Value, WindowType,
};

use super::{Done, Walk, lower, object};
use crate::vocabulary::Word;

impl Walk {
    /// Operands in any order.
    pub(super) fn all(&mut self, exprs: &[Expr], node: NodeIndex) -> Done {
        exprs.iter().try_for_each(|expr| self.expr(expr, node))
    }

    /// Operands whose order matters.
    pub(super) fn operands<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>, node: NodeIndex) -> Done {
        for (position, expr) in exprs.enumerate() {
            let place = self.place(node, position)?;
            self.expr(expr, place)?;
        }
        Ok(())
    }

    /// An expression below `parent`, unless it is nested too deeply.
    pub(super) fn expr(&mut self, expr: &Expr, parent: NodeIndex) -> Done {
        self.deeper(|walk| walk.expr_here(expr, parent))
    }

    /// An expression one level deeper. As long as the grammar has kinds of expressions that get a node of
    /// their own; what has none is printed, in `other`, so that two that differ never look alike.
    fn expr_here(&mut self, expr: &Expr, parent: NodeIndex) -> Done {
        match expr {
            Expr::Identifier(name) => self.text(parent, Word::COLUMN, lower(name)).map(drop),
            Expr::CompoundIdentifier(parts) => {
                let parts: Vec<String> = parts.iter().map(lower).collect();
                self.text(parent, Word::COLUMN, parts.join(".")).map(drop)
            }
            Expr::Nested(inner) => self.expr(inner, parent),
            Expr::Value(value) => self.value(&value.value, parent),
            Expr::UnaryOp { op, expr } => {
                let node = match op {
                    UnaryOperator::Not => self.node(parent, Word::NOT)?,
                    UnaryOperator::Minus => self.node(parent, Word::NEG)?,
                    UnaryOperator::BitwiseNot => self.node(parent, Word::BIT_NOT)?,
                    // `+x` is x.
                    UnaryOperator::Plus => parent,
                    other => self.keyword(parent, &other.to_string())?,
                };
                self.expr(expr, node)
            }
            Expr::BinaryOp { op, left: _, right: _ }
                if matches!(op, BinaryOperator::And | BinaryOperator::Or) =>
            {
                let word = either(*op == BinaryOperator::Or, Word::AND, Word::OR);
                let node = self.node(parent, word)?;
                chain(expr, op).into_iter().try_for_each(|e| self.expr(e, node))
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right, parent),
            Expr::IsNull(expr) => self.unary(Word::IS_NULL, expr, parent),
            Expr::IsNotNull(expr) => self.unary(Word::IS_NOT_NULL, expr, parent),
            Expr::InList { expr, list, negated } => {
                let node = self.node(parent, either(*negated, Word::IN_LIST, Word::NOT_IN_LIST))?;
                self.expr(expr, node)?;
                let members = self.node(node, Word::SECOND)?;
                self.all(list, members)
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let node = self.node(parent, either(*negated, Word::IN_QUERY, Word::NOT_IN_QUERY))?;
                self.expr(expr, node)?;
                self.query(subquery, node)
            }
            Expr::Exists { subquery, negated } => {
                let node = self.node(parent, either(*negated, Word::EXISTS, Word::NOT_EXISTS))?;
                self.query(subquery, node)
            }
            Expr::Subquery(query) => {
                let node = self.node(parent, Word::SCALAR_QUERY)?;
                self.query(query, node)
            }
            Expr::Between { expr, negated, low, high } => {
                let node = self.keyword(parent, either(*negated, "between", "not between"))?;
                self.operands([expr, low, high].into_iter().map(AsRef::as_ref), node)
            }
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                let node = self.node(parent, either(*negated, Word::LIKE, Word::NOT_LIKE))?;
                let operands = [expr, pattern].into_iter().chain(escape_char);
                self.operands(operands.map(AsRef::as_ref), node)
            }
            Expr::Case { operand, conditions, else_result, case_token: _, end_token: _ } => {
                let node = self.node(parent, Word::CASE)?;
                if let Some(operand) = operand {
                    self.unary(Word::CASE_OPERAND, operand, node)?;
                }
                for (position, branch) in conditions.iter().enumerate() {
                    let when = self.node(node, either(position > 0, Word::WHEN, Word::NEXT_WHEN))?;
                    self.expr(&branch.condition, when)?;
                    self.unary(Word::THEN, &branch.result, when)?;
                }
                match else_result {
                    Some(value) => self.unary(Word::ELSE, value, node),
                    None => Ok(()),
                }
            }
            Expr::Cast { expr, data_type, kind: _, format: _ } => {
                let node = self.keyword(parent, "cast")?;
                self.text(node, Word::NAME, data_type.to_string().to_ascii_lowercase())?;
                self.expr(expr, node)
            }
            Expr::Collate { expr, collation } => {
                let node = self.node(parent, Word::COLLATE)?;
                self.text(node, Word::NAME, object(collation))?;
                self.expr(expr, node)
            }
            Expr::Tuple(list) => {
                let node = self.node(parent, Word::TUPLE)?;
                self.operands(list.iter(), node)
            }
            Expr::Function(function) => self.function(function, parent),
            Expr::Substring { expr, substring_from, substring_for, special: _, shorthand: _ } => {
                // SUBSTRING (x FROM 1 FOR 2) is substr(x, 1, 2), and sqlparser reads both as this.
                let operands = [expr].into_iter().chain(substring_from).chain(substring_for);
                self.call("substr", operands.map(AsRef::as_ref), parent)
            }
            Expr::Trim { expr, trim_where: None, trim_what, trim_characters: None } => {
                let operands = [expr].into_iter().chain(trim_what);
                self.call("trim", operands.map(AsRef::as_ref), parent)
            }
            other => self.other(parent, other),
        }
    }

    /// A function that the grammar knows by its name.
    fn call<'e>(&mut self, name: &str, operands: impl Iterator<Item = &'e Expr>, parent: NodeIndex) -> Done {
        let node = match Word::function(name) {
            Some(word) => self.node(parent, word)?,
            None => self.keyword(parent, name)?,
        };
        self.operands(operands, node)
    }

    /// A word with one operand below it.
    fn unary(&mut self, word: Word, operand: &Expr, parent: NodeIndex) -> Done {
        let node = self.node(parent, word)?;
        self.expr(operand, node)
    }

    /// A constant by its kind, with its text.
    fn value(&mut self, value: &Value, parent: NodeIndex) -> Done {
        let (word, text) = match value {
            Value::Null => return self.node(parent, Word::NULL).map(drop),
            Value::Number(text, _) => (Word::NUMBER, text.clone()),
            Value::SingleQuotedString(text) | Value::DoubleQuotedString(text) => (Word::STRING, text.clone()),
            Value::HexStringLiteral(text) => (Word::BLOB, text.to_ascii_lowercase()),
            other => (Word::STRING, other.to_string()),
        };
        self.text(parent, word, text).map(drop)
    }

    /// An operator with its operands, the right one below `second` where their order matters.
    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr, parent: NodeIndex) -> Done {
        let (word, ordered) = match op {
            BinaryOperator::Eq => (Word::EQ, false),
            BinaryOperator::NotEq => (Word::NOT_EQ, false),
            BinaryOperator::Lt => (Word::LT, true),
            BinaryOperator::LtEq => (Word::LT_EQ, true),
            BinaryOperator::Gt => (Word::GT, true),
            BinaryOperator::GtEq => (Word::GT_EQ, true),
            BinaryOperator::Plus => (Word::ADD, false),
            BinaryOperator::Multiply => (Word::MUL, false),
            BinaryOperator::Minus => (Word::SUB, true),
            BinaryOperator::Divide => (Word::DIV, true),
            BinaryOperator::Modulo => (Word::MOD, true),
            BinaryOperator::StringConcat => (Word::CONCAT, true),
            other => {
                let node = self.keyword(parent, &other.to_string().to_ascii_lowercase())?;
                return self.operands([left, right].into_iter(), node);
            }
        };
        let node = self.node(parent, word)?;
        self.expr(left, node)?;
        let place = self.place(node, usize::from(ordered))?;
        self.expr(right, place)
    }

    /// A call: the word of a known function, else its name; then arguments, and all that SQL hangs on a call,
    /// each below a word of its own, since it changes the answer.
    fn function(&mut self, function: &Function, parent: NodeIndex) -> Done {
        let name = object(&function.name);
        let (list, distinct) = match &function.args {
            FunctionArguments::List(list) => {
                (list.args.as_slice(), list.duplicate_treatment == Some(DuplicateTreatment::Distinct))
            }
            _ => (&[][..], false),
        };
        let aggregate = match (name.as_str(), distinct) {
            ("count", false) => Some(Word::COUNT),
            ("count", true) => Some(Word::COUNT_DISTINCT),
            ("sum", false) => Some(Word::SUM),
            ("sum", true) => Some(Word::SUM_DISTINCT),
            ("avg", false) => Some(Word::AVG),
            ("avg", true) => Some(Word::AVG_DISTINCT),
            // The functions of several arguments have words too.
            ("min", _) if list.len() == 1 => Some(Word::MIN),
            ("max", _) if list.len() == 1 => Some(Word::MAX),
            _ => None,
        };
        let node = match aggregate.or_else(|| Word::function(&name)) {
            Some(word) => self.node(parent, word)?,
            None => {
                let node = self.keyword(parent, &name)?;
                if distinct {
                    self.node(node, Word::DISTINCT)?;
                }
                node
            }
        };
        if let FunctionArguments::Subquery(query) = &function.args {
            self.query(query, node)?;
        }
        for (position, arg) in list.iter().enumerate() {
            let place = self.place(node, position)?;
            match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expr(expr, place)?,
                FunctionArg::Unnamed(star) => {
                    self.text(place, Word::COLUMN, star.to_string().to_ascii_lowercase())?;
                }
                named => self.other(place, named)?,
            }
        }
        if let Some(filter) = &function.filter {
            self.unary(Word::AGGREGATE_FILTER, filter, node)?;
        }
        match &function.over {
            None => {}
            Some(WindowType::NamedWindow(name)) => {
                let over = self.node(node, Word::WINDOW)?;
                self.name(over, name)?;
            }
            Some(WindowType::WindowSpec(spec)) => {
                let over = self.node(node, Word::WINDOW)?;
                if !spec.partition_by.is_empty() {
                    let partition = self.node(over, Word::PARTITION)?;
                    self.all(&spec.partition_by, partition)?;
                }
                if !spec.order_by.is_empty() {
                    self.sort(&spec.order_by, over)?;
                }
                if let Some(frame) = &spec.window_frame {
                    let end = frame.end_bound.as_ref().map(ToString::to_string);
                    let (units, start) = (&frame.units, &frame.start_bound);
                    let text = format!("{units} {start} {}", end.unwrap_or_default());
                    self.text(over, Word::FRAME, text.trim_end().to_ascii_lowercase())?;
                }
            }
        }
        Ok(())
    }
}

/// One of two.
fn either<T>(second: bool, first: T, other: T) -> T {
    if second { other } else { first }
}

/// The operands of a chain of one operator that associates, from left to right. Chains are as
/// long as predicates have conjuncts: no recursion.
fn chain<'e>(expr: &'e Expr, op: &BinaryOperator) -> Vec<&'e Expr> {
    let mut operands = Vec::new();
    let mut stack = vec![expr];
    while let Some(expr) = stack.pop() {
        match expr {
            Expr::BinaryOp { left, op: own, right } if own == op => stack.extend([&**right, &**left]),
            Expr::Nested(inner) if matches!(&**inner, Expr::BinaryOp { op: own, left: _, right: _ } if own == op) =>
            {
                stack.push(inner);
            }
            operand => operands.push(operand),
        }
    }
    operands
}
