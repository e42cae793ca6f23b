//! Scalar expressions.

use petgraph::graph::NodeIndex;
use twinql_sql::{BinaryOp, ColumnId, Expr, UnaryOp, Value};

use super::block::Shown;
use super::{Lowerer, MAX_LIST, Made, Origin};
use crate::error::GraphError;
use crate::vocabulary::{Fnv, Tag, Word};

/// How constant an operand is; the more constant one stands right.
fn constancy(expr: &Expr) -> u8 {
    match expr {
        Expr::Literal(_) => 2,
        Expr::Unary { op: UnaryOp::Neg, expr } => match **expr {
            Expr::Literal(_) => 2,
            _ => 0,
        },
        Expr::Scalar(_) => 1,
        _ => 0,
    }
}

/// The operator's word, and how its operands are told apart.
fn binary_word(op: BinaryOp) -> (Word, Operands) {
    use Operands::{Alike, Ordered, Turns};
    match op {
        BinaryOp::Eq => (Word::EQ, Alike),
        BinaryOp::NotEq => (Word::NOT_EQ, Alike),
        BinaryOp::Is => (Word::IS, Alike),
        BinaryOp::IsNot => (Word::IS_NOT, Alike),
        BinaryOp::Add => (Word::ADD, Alike),
        BinaryOp::Mul => (Word::MUL, Alike),
        BinaryOp::BitAnd => (Word::BIT_AND, Alike),
        BinaryOp::BitOr => (Word::BIT_OR, Alike),
        BinaryOp::Lt => (Word::LT, Turns(Word::GT)),
        BinaryOp::LtEq => (Word::LT_EQ, Turns(Word::GT_EQ)),
        BinaryOp::Gt => (Word::GT, Turns(Word::LT)),
        BinaryOp::GtEq => (Word::GT_EQ, Turns(Word::LT_EQ)),
        BinaryOp::Sub => (Word::SUB, Ordered),
        BinaryOp::Div => (Word::DIV, Ordered),
        BinaryOp::Mod => (Word::MOD, Ordered),
        BinaryOp::Concat => (Word::CONCAT, Ordered),
        BinaryOp::ShiftLeft => (Word::SHIFT_LEFT, Ordered),
        BinaryOp::ShiftRight => (Word::SHIFT_RIGHT, Ordered),
        BinaryOp::Like => (Word::LIKE, Ordered),
        BinaryOp::Glob => (Word::GLOB, Ordered),
        BinaryOp::Regexp => (Word::REGEXP, Ordered),
        BinaryOp::Match => (Word::MATCH, Ordered),
        BinaryOp::Arrow => (Word::ARROW, Ordered),
        BinaryOp::LongArrow => (Word::LONG_ARROW, Ordered),
    }
}

/// What the order of an operator's operands means.
enum Operands {
    /// The operator commutes.
    Alike,
    /// With its operands exchanged it is this other operator.
    Turns(Word),
    /// The order matters.
    Ordered,
}

impl<'a> Lowerer<'a> {
    /// An expression below `parent`.
    pub(super) fn expr(&mut self, expr: &'a Expr, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        let node = self.deeper(|l| l.expr_node(expr, parent))?;
        self.made(node, Made::Expr(expr));
        Ok(node)
    }

    /// The node of an expression, with its operands below it.
    fn expr_node(&mut self, expr: &'a Expr, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        match expr {
            Expr::Column(id) => self.column_use(*id, parent),
            Expr::Literal(value) => self.literal(value, parent),
            Expr::Unary { op, expr } => self.unary(*op, expr, parent),
            Expr::Binary { op, left, right } => self.binary(*op, left, right, parent),
            Expr::And(operands) => self.all_of(Word::AND, operands, parent),
            Expr::Or(operands) => self.all_of(Word::OR, operands, parent),
            Expr::Function { name, args } => {
                let node = self.function_node(name, parent)?;
                self.arguments(args, node)?;
                Ok(node)
            }
            Expr::Case { operand, branches, otherwise } => {
                self.case(operand.as_deref(), branches, otherwise.as_deref(), parent)
            }
            Expr::Cast { expr, affinity } => {
                let node = self.node(parent, Word::cast(*affinity))?;
                self.expr(expr, node)?;
                Ok(node)
            }
            Expr::Collate { expr, collation } => {
                let node = self.node(parent, Word::COLLATE)?;
                self.expr(expr, node)?;
                let name = Some(collation.clone());
                self.builder.add(Some(node), Word::NAME, Tag::NONE, name)?;
                Ok(node)
            }
            Expr::InList { expr, list } => self.in_list(Word::IN_LIST, expr, list, parent),
            Expr::InSubquery { exprs, query } => {
                let node = self.node(parent, Word::IN_QUERY)?;
                self.arguments(exprs, node)?;
                self.subquery(query, node, Shown::Columns)?;
                Ok(node)
            }
            Expr::Exists(query) => {
                let node = self.node(parent, Word::EXISTS)?;
                self.subquery(query, node, Shown::RowsOnly)?;
                Ok(node)
            }
            Expr::Scalar(query) => {
                let node = self.node(parent, Word::SCALAR_QUERY)?;
                self.subquery(query, node, Shown::Columns)?;
                Ok(node)
            }
            Expr::Quantified { expr, op, all, query } => {
                let node = self.node(parent, if *all { Word::ALL_QUERY } else { Word::ANY_QUERY })?;
                let (word, _) = binary_word(*op);
                let comparison = self.node(node, word)?;
                self.expr(expr, comparison)?;
                self.subquery(query, node, Shown::Columns)?;
                Ok(node)
            }
            Expr::Row(members) => {
                let node = self.node(parent, Word::TUPLE)?;
                self.arguments(members, node)?;
                Ok(node)
            }
        }
    }

    /// A constant by its kind, with its text, and tagged with its storage class.
    fn literal(&mut self, value: &Value, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        let (word, content) = match value {
            Value::Null => (Word::NULL, None),
            Value::Integer(i) => (Word::NUMBER, Some(i.to_string())),
            Value::Real(r) => (Word::NUMBER, Some(format!("{:?}", r.0))),
            Value::Text(text) => (Word::STRING, Some(text.clone())),
            Value::Blob(bytes) => {
                let hex = bytes.iter().take(256).map(|b| format!("{b:02x}")).collect();
                (Word::BLOB, Some(hex))
            }
        };
        self.builder.add(Some(parent), word, Tag::literal(value), content)
    }

    /// AND or OR with its operands in no order.
    fn all_of(
        &mut self,
        word: Word,
        operands: &'a [Expr],
        parent: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let node = self.node(parent, word)?;
        for operand in operands {
            self.expr(operand, node)?;
        }
        Ok(node)
    }

    /// An operator over one operand; negated predicates have words of their own.
    fn unary(&mut self, op: UnaryOp, operand: &'a Expr, parent: NodeIndex) -> Result<NodeIndex, GraphError> {
        let word = match (op, operand) {
            // Negated predicates have words of their own: a NOT above them would be a node
            // that says little.
            (UnaryOp::Not, Expr::Unary { op: UnaryOp::IsNull, expr }) => {
                let node = self.node(parent, Word::IS_NOT_NULL)?;
                self.expr(expr, node)?;
                return Ok(node);
            }
            (UnaryOp::Not, Expr::InList { expr, list }) => {
                return self.in_list(Word::NOT_IN_LIST, expr, list, parent);
            }
            (UnaryOp::Not, Expr::InSubquery { exprs, query }) => {
                let node = self.node(parent, Word::NOT_IN_QUERY)?;
                self.arguments(exprs, node)?;
                self.subquery(query, node, Shown::Columns)?;
                return Ok(node);
            }
            (UnaryOp::Not, Expr::Exists(query)) => {
                let node = self.node(parent, Word::NOT_EXISTS)?;
                self.subquery(query, node, Shown::RowsOnly)?;
                return Ok(node);
            }
            (UnaryOp::Not, Expr::Binary { op: BinaryOp::Like, left, right }) => {
                let node = self.node(parent, Word::NOT_LIKE)?;
                self.operands(left, right, node)?;
                return Ok(node);
            }
            (UnaryOp::Not, _) => Word::NOT,
            (UnaryOp::Neg, _) => Word::NEG,
            (UnaryOp::BitNot, _) => Word::BIT_NOT,
            (UnaryOp::IsNull, _) => Word::IS_NULL,
            // What takes an affinity away is no operator that networks know.
            (UnaryOp::Plus, _) => Word::UNKNOWN_FUNCTION,
        };
        let node = self.node(parent, word)?;
        self.expr(operand, node)?;
        Ok(node)
    }

    /// An operator over two operands, turned so that the more constant one is on the right.
    fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        parent: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let (word, operands) = binary_word(op);
        match operands {
            Operands::Alike => {
                let follows = op == BinaryOp::Eq && self.follows_foreign_key(left, right);
                let tag = match (follows, self.semantics.foreign_keys_hold) {
                    (true, true) => Tag::FOREIGN_KEY_HOLDS,
                    (true, false) => Tag::FOREIGN_KEY,
                    (false, _) => Tag::NONE,
                };
                let node = self.builder.add(Some(parent), word, tag, None)?;
                self.expr(left, node)?;
                self.expr(right, node)?;
                Ok(node)
            }
            Operands::Turns(turned) => {
                let (l, r) = (constancy(left), constancy(right));
                // Of two alike operands the smaller one stands left: `a > b` is `b < a`.
                let turn = l > r || (l == r && matches!(op, BinaryOp::Gt | BinaryOp::GtEq));
                let (word, left, right) = if turn { (turned, right, left) } else { (word, left, right) };
                let node = self.node(parent, word)?;
                self.operands(left, right, node)?;
                Ok(node)
            }
            Operands::Ordered => {
                let node = self.node(parent, word)?;
                self.operands(left, right, node)?;
                Ok(node)
            }
        }
    }

    /// Two operands whose order matters: the right one stands below `second`, unless it is
    /// the more constant one.
    fn operands(&mut self, left: &'a Expr, right: &'a Expr, node: NodeIndex) -> Result<(), GraphError> {
        self.expr(left, node)?;
        let below = if constancy(right) > constancy(left) { node } else { self.node(node, Word::SECOND)? };
        self.expr(right, below)?;
        Ok(())
    }

    /// Arguments whose order matters; by the same rule as for two operands.
    pub(super) fn arguments(&mut self, args: &'a [Expr], node: NodeIndex) -> Result<(), GraphError> {
        if let [left, right] = args {
            return self.operands(left, right, node);
        }
        for (position, arg) in args.iter().enumerate() {
            let below = match position {
                0 => node,
                1 => self.node(node, Word::SECOND)?,
                2 => self.node(node, Word::THIRD)?,
                _ => self.node(node, Word::LATER)?,
            };
            self.expr(arg, below)?;
        }
        Ok(())
    }

    /// `x IN (…)`: x and the members below one node. Beyond `MAX_LIST` members one node stands for the rest,
    /// by their number and a hash: lists of thousands would drown the query, and must not look alike.
    fn in_list(
        &mut self,
        word: Word,
        expr: &'a Expr,
        list: &'a [Expr],
        parent: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let node = self.node(parent, word)?;
        self.expr(expr, node)?;
        let (shown, folded) = list.split_at(list.len().min(MAX_LIST));
        for member in shown {
            self.expr(member, node)?;
        }
        if !folded.is_empty() {
            let mut hash = Fnv::default();
            for member in folded {
                match member {
                    Expr::Literal(value) => hash.write(format!("{value:?}").as_bytes()),
                    other => hash.write(format!("{other:?}").as_bytes()),
                }
            }
            let content = Some(format!("{} more {:016x}", folded.len(), hash.0));
            self.builder.add(Some(node), Word::STRING, Tag::FOLDED, content)?;
        }
        Ok(node)
    }

    /// CASE: branches in their order, each with a logic-flow edge to the next, which is asked only if it
    /// fails.
    fn case(
        &mut self,
        operand: Option<&'a Expr>,
        branches: &'a [(Expr, Expr)],
        otherwise: Option<&'a Expr>,
        parent: NodeIndex,
    ) -> Result<NodeIndex, GraphError> {
        let node = self.node(parent, Word::CASE)?;
        if let Some(operand) = operand {
            let below = self.node(node, Word::CASE_OPERAND)?;
            self.expr(operand, below)?;
        }
        let mut previous = None;
        for (condition, value) in branches {
            let word = if previous.is_none() { Word::WHEN } else { Word::NEXT_WHEN };
            let when = self.node(node, word)?;
            self.expr(condition, when)?;
            let then = self.node(when, Word::THEN)?;
            self.expr(value, then)?;
            if let Some(previous) = previous {
                self.logic(previous, when);
            }
            previous = Some(when);
        }
        if let Some(value) = otherwise {
            let below = self.node(node, Word::ELSE)?;
            self.expr(value, below)?;
        }
        Ok(node)
    }

    /// True if one side is a foreign key's column and the other the column it refers to.
    fn follows_foreign_key(&self, left: &Expr, right: &Expr) -> bool {
        let (Expr::Column(left), Expr::Column(right)) = (left, right) else {
            return false;
        };
        let (Some(left), Some(right)) = (self.base_column(*left), self.base_column(*right)) else {
            return false;
        };
        let refers = |from: twinql_sql::ColumnRef, to: twinql_sql::ColumnRef| {
            self.schema.tables.get(from.table).is_some_and(|table| {
                table.foreign_keys.iter().any(|key| {
                    let mut pairs = key.columns.iter().zip(&key.target_columns);
                    key.target == to.table && pairs.any(|p| p == (&from.column, &to.column))
                })
            })
        };
        refers(left, right) || refers(right, left)
    }

    /// True if a conjunct compares columns of two or more producers, subqueries inside
    /// aside: a join condition rather than a filter.
    pub(super) fn joins(&self, conjunct: &Expr) -> bool {
        let mut first = None;
        let mut stack = vec![conjunct];
        while let Some(expr) = stack.pop() {
            match expr {
                Expr::Column(id) => {
                    let id = self.resolve(*id);
                    let producer = match self.sources.get(&id).map(|s| &s.origin) {
                        Some(Origin::Table { scope, instance, column }) => {
                            (*scope, *instance, Some(column.table), None)
                        }
                        _ => (0, 0, None, Some(id)),
                    };
                    if *first.get_or_insert(producer) != producer {
                        return true;
                    }
                }
                Expr::Unary { expr, .. }
                | Expr::Cast { expr, .. }
                | Expr::Collate { expr, .. }
                | Expr::Quantified { expr, .. } => stack.push(expr),
                Expr::Binary { left, right, .. } => stack.extend([left.as_ref(), right.as_ref()]),
                Expr::And(list) | Expr::Or(list) | Expr::Row(list) => stack.extend(list),
                Expr::Function { args, .. } => stack.extend(args),
                Expr::InList { expr, list } => {
                    stack.push(expr);
                    stack.extend(list);
                }
                Expr::InSubquery { exprs, .. } => stack.extend(exprs),
                Expr::Case { operand, branches, otherwise } => {
                    stack.extend(operand.as_deref());
                    stack.extend(otherwise.as_deref());
                    stack.extend(branches.iter().flat_map(|(when, then)| [when, then]));
                }
                Expr::Literal(_) | Expr::Exists(_) | Expr::Scalar(_) => {}
            }
        }
        false
    }

    /// The table's column behind a column, if it is one as it stands.
    fn base_column(&self, id: ColumnId) -> Option<twinql_sql::ColumnRef> {
        match self.sources.get(&self.resolve(id))?.origin {
            Origin::Table { column, .. } => Some(column),
            Origin::Computed { .. } => None,
        }
    }
}
