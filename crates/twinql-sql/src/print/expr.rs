//! Scalar expressions as SQL text.
//!
//! Every operand that is more than one word stands in parentheses: precedence then never matters, in
//! SQLite's version of it or in another's. A text compares by the affinities and collations of what it
//! names, so no cast and no COLLATE is dropped here.

use super::{Names, Printer};
use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp, WindowCall};
use crate::ordered;
use crate::rel::{Direction, NullsOrder, Query, SortKey};
use crate::value::Value;

/// Whether a name can stand before parentheses.
fn is_function_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// The text of a sort or group key: an integer constant would be taken for a position.
/// `GROUP BY 1` means the first output; `GROUP BY (SELECT 1)` means the constant.
pub(super) fn no_ordinal(e: &Expr, text: &str) -> String {
    match e {
        Expr::Literal(_) => format!("(SELECT {text})"),
        _ => text.to_owned(),
    }
}

/// A constant as SQL text.
pub(crate) fn literal(v: &Value) -> String {
    match v {
        Value::Null => "NULL".into(),
        // The digits of the smallest integer alone are too large for one (SQLite reads them as a real).
        Value::Integer(i64::MIN) => "(-9223372036854775807 - 1)".into(),
        Value::Integer(i) => i.to_string(),
        // SQLite has no word for infinity; a literal that overflows is it.
        Value::Real(r) if r.0.is_infinite() => if r.0 > 0.0 { "9e999" } else { "-9e999" }.into(),
        Value::Real(r) => format!("{:?}", r.0),
        Value::Text(t) => format!("'{}'", t.replace('\'', "''")),
        Value::Blob(b) => {
            let hex: String = b.iter().map(|x| format!("{x:02X}")).collect();
            format!("X'{hex}'")
        }
    }
}

/// An operator as SQL text.
pub(crate) fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "=",
        BinaryOp::NotEq => "<>",
        BinaryOp::Lt => "<",
        BinaryOp::LtEq => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::GtEq => ">=",
        BinaryOp::Is => "IS",
        BinaryOp::IsNot => "IS NOT",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::Concat => "||",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Like => "LIKE",
        BinaryOp::Glob => "GLOB",
        BinaryOp::Regexp => "REGEXP",
        BinaryOp::Match => "MATCH",
        BinaryOp::Arrow => "->",
        BinaryOp::LongArrow => "->>",
    }
}

/// The name of an aggregate function in SQL.
pub(crate) fn function(func: &AggFunc) -> &str {
    match func {
        AggFunc::Count => "COUNT",
        AggFunc::Sum => "SUM",
        AggFunc::Total => "TOTAL",
        AggFunc::Avg => "AVG",
        AggFunc::Min => "MIN",
        AggFunc::Max => "MAX",
        AggFunc::GroupConcat => "GROUP_CONCAT",
        AggFunc::Bare => "",
        AggFunc::Other(name) => name,
    }
}

impl Printer<'_> {
    pub(super) fn exprs(&mut self, list: &[Expr], names: &Names) -> Vec<String> {
        list.iter().map(|e| self.expr(e, names)).collect()
    }

    /// An expression, in parentheses unless it is one word.
    pub(super) fn operand(&mut self, e: &Expr, names: &Names) -> String {
        let text = self.expr(e, names);
        let bare = match e {
            Expr::Literal(v) => !text.starts_with('-') || matches!(v, Value::Text(_)),
            Expr::Function { .. } | Expr::Cast { .. } | Expr::Exists(_) | Expr::Scalar(_) | Expr::Row(_) => {
                true
            }
            // A column may stand for an expression of the same SELECT.
            Expr::Column(_) => true,
            _ => false,
        };
        if bare { text } else { format!("({text})") }
    }

    pub(super) fn conjunction(&mut self, list: &[Expr], names: &Names) -> String {
        self.list(list, " AND ", "1", names)
    }

    pub(super) fn expr(&mut self, e: &Expr, names: &Names) -> String {
        match e {
            Expr::Column(c) => match names.get(c) {
                Some(name) => name.clone(),
                None => {
                    self.refuse(format!("column {} where nothing produces it", c.0));
                    format!("\"unknown column {}\"", c.0)
                }
            },
            Expr::Literal(v) => literal(v),
            Expr::Unary { op, expr } => {
                // The tree has one node for both tests.
                if let Some(tested) = e.as_not().and_then(Expr::as_null_test) {
                    return format!("{} IS NOT NULL", self.operand(tested, names));
                }
                let text = self.operand(expr, names);
                match op {
                    UnaryOp::Not => format!("NOT {text}"),
                    UnaryOp::Neg => format!("- {text}"),
                    UnaryOp::BitNot => format!("~ {text}"),
                    UnaryOp::IsNull => format!("{text} IS NULL"),
                    UnaryOp::Plus => format!("+ {text}"),
                }
            }
            Expr::Binary { op, left, right } => {
                format!("{} {} {}", self.operand(left, names), operator(*op), self.operand(right, names))
            }
            Expr::And(list) => self.conjunction(list, names),
            Expr::Or(list) => self.list(list, " OR ", "0", names),
            Expr::Function { name, args } => {
                // The planner makes this call of a pattern that GLOB cannot say; nothing executes it.
                if !is_function_name(name) || name == "like_with_case" {
                    self.refuse(format!("the function {name}"));
                }
                let args = self.exprs(args, names).join(", ");
                match name.as_str() {
                    // SQLite takes these without parentheses alone.
                    "current_date" | "current_time" | "current_timestamp" if args.is_empty() => {
                        name.to_ascii_uppercase()
                    }
                    _ => format!("{name}({args})"),
                }
            }
            Expr::Case { operand, branches, otherwise } => {
                let mut text = String::from("CASE");
                if let Some(e) = operand {
                    text.push_str(&format!(" {}", self.operand(e, names)));
                }
                for (when, then) in branches {
                    let (when, then) = (self.expr(when, names), self.expr(then, names));
                    text.push_str(&format!(" WHEN {when} THEN {then}"));
                }
                if let Some(e) = otherwise {
                    text.push_str(&format!(" ELSE {}", self.expr(e, names)));
                }
                text.push_str(" END");
                text
            }
            Expr::Cast { expr, affinity } => {
                format!("CAST({} AS {})", self.expr(expr, names), affinity.type_name())
            }
            Expr::Collate { expr, collation } => {
                format!("{} COLLATE {collation}", self.operand(expr, names))
            }
            Expr::InList { expr, list } => {
                let list = self.exprs(list, names).join(", ");
                format!("{} IN ({list})", self.operand(expr, names))
            }
            Expr::InSubquery { exprs, query } => {
                let left = match exprs.as_slice() {
                    [one] => self.operand(one, names),
                    many => format!("({})", self.exprs(many, names).join(", ")),
                };
                format!("{left} IN ({})", self.query(query, names))
            }
            Expr::Exists(query) => format!("EXISTS ({})", self.query(query, names)),
            Expr::Scalar(query) => format!("({})", self.query(query, names)),
            Expr::Quantified { expr, op, all, query } => self.quantified(expr, *op, *all, query, names),
            Expr::Row(list) => format!("({})", self.exprs(list, names).join(", ")),
        }
    }

    /// `x op ALL (…)` or `x op ANY (…)`, which SQLite lacks: is there a row that decides,
    /// and if not, is there one for which the comparison is NULL?
    fn quantified(&mut self, expr: &Expr, op: BinaryOp, all: bool, query: &Query, names: &Names) -> String {
        let (left, word) = (self.operand(expr, names), operator(op));
        if self.shallow {
            let quantifier = if all { "ALL" } else { "ANY" };
            return format!("{left} {word} {quantifier} ({})", self.query(query, names));
        }
        let alias = self.alias('q');
        let rows = self.query_as(query, names, &["v".to_owned()]);
        let compared = format!("{left} {word} {alias}.v");
        let exists = |test: &str| format!("EXISTS (SELECT 1 FROM ({rows}) AS {alias} WHERE {test})");
        // For ALL a row decides that fails, for ANY one that holds. Over no rows ALL is true and ANY false,
        // which is what is left over in each.
        let (decides, then, otherwise) = match all {
            true => (format!("NOT ({compared})"), 0, 1),
            false => (compared.clone(), 1, 0),
        };
        format!(
            "CASE WHEN {} THEN {then} WHEN {} THEN NULL ELSE {otherwise} END",
            exists(&decides),
            exists(&format!("({compared}) IS NULL")),
        )
    }

    /// Operands with a word between them; `empty` is what none of them means.
    fn list(&mut self, list: &[Expr], word: &str, empty: &str, names: &Names) -> String {
        let texts: Vec<String> = list.iter().map(|e| self.operand(e, names)).collect();
        if texts.is_empty() {
            return empty.to_owned();
        }
        texts.join(word)
    }

    /// An aggregate. Keys of an order inside the call are among its arguments (see [`ordered`]); a bare
    /// column is the column itself, since SQLite gives a column beside groups that meaning.
    pub(super) fn aggregate_call(&mut self, call: &AggregateCall, names: &Names) -> String {
        let (keys, plain): (Vec<&Expr>, Vec<&Expr>) =
            call.args.iter().partition(|e| ordered::key(e).is_some());
        if call.distinct && plain.len() > 1 {
            self.refuse("DISTINCT with several arguments");
        }
        let args: Vec<String> = plain.into_iter().map(|e| self.expr(e, names)).collect();
        let mut args = args.join(", ");
        if call.func == AggFunc::Bare {
            return args;
        }
        let keys: Vec<SortKey> = keys.into_iter().filter_map(ordered::key).collect();
        if !keys.is_empty() {
            args.push_str(" ORDER BY ");
            args.push_str(&self.sort_keys(&keys, names).join(", "));
        }
        let args = if call.args.is_empty() && call.func == AggFunc::Count {
            "*".to_owned()
        } else if call.distinct {
            format!("DISTINCT {args}")
        } else {
            args
        };
        format!("{}({args}){}", function(&call.func), self.filter_clause(call.filter.as_ref(), names))
    }

    fn filter_clause(&mut self, filter: Option<&Expr>, names: &Names) -> String {
        filter.map_or_else(String::new, |e| format!(" FILTER (WHERE {})", self.expr(e, names)))
    }

    /// Keys of ORDER BY.
    pub(super) fn sort_keys(&mut self, keys: &[SortKey], names: &Names) -> Vec<String> {
        keys.iter().map(|k| self.sort_key(k, names)).collect()
    }

    /// A key of ORDER BY. Where NULLs stand is said only where it is not SQLite's default: first upwards,
    /// last downwards.
    fn sort_key(&mut self, key: &SortKey, names: &Names) -> String {
        let text = self.operand(&key.expr, names);
        let mut text = no_ordinal(&key.expr, &text);
        match (key.direction, key.nulls) {
            (Direction::Asc, NullsOrder::First) => {}
            (Direction::Asc, NullsOrder::Last) => text.push_str(" NULLS LAST"),
            (Direction::Desc, NullsOrder::Last) => text.push_str(" DESC"),
            (Direction::Desc, NullsOrder::First) => text.push_str(" DESC NULLS FIRST"),
        }
        text
    }

    /// A call with OVER. A frame is text already; none stands for the default one.
    pub(super) fn window_call(&mut self, call: &WindowCall, names: &Names) -> String {
        let args = self.exprs(&call.args, names).join(", ");
        let args = match (call.args.is_empty(), call.distinct) {
            (true, _) if call.func == "count" => "*".to_owned(),
            (_, true) => format!("DISTINCT {args}"),
            _ => args,
        };
        let mut over: Vec<String> = Vec::new();
        if !call.partition_by.is_empty() {
            over.push(format!("PARTITION BY {}", self.exprs(&call.partition_by, names).join(", ")));
        }
        if !call.order_by.is_empty() {
            over.push(format!("ORDER BY {}", self.sort_keys(&call.order_by, names).join(", ")));
        }
        over.extend(call.frame.clone());
        let filter = self.filter_clause(call.filter.as_ref(), names);
        format!("{}({args}){filter} OVER ({})", call.func, over.join(" "))
    }
}
