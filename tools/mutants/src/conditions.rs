//! The conditions of a source file: what its functions ask before they go on.
//!
//! ```text
//! if !calls.is_empty() || keys.is_empty() { return None; }   two conditions; without one, the function goes on
//! let local = reads(right) && e.is_deterministic();          two; without one, it is taken to hold
//! ```

use std::ops::Range;

use syn::spanned::Spanned as _;
use syn::visit::{Visit, visit_arm, visit_expr, visit_expr_binary, visit_expr_if, visit_expr_method_call};
use syn::{BinOp, Expr, Stmt};

/// What a condition is when it is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// Nothing is turned away by it.
    False,
    /// Everything passes it.
    True,
}

/// One condition.
#[derive(Debug, Clone)]
pub struct Condition {
    /// Where it stands in the text, in bytes.
    pub place: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// What it is when it is taken out.
    pub without: Without,
    /// It is followed by `let` in the same chain, which may not stand in parentheses.
    chained: bool,
}

/// The conditions of a function's body, in the order of the text.
pub fn conditions(body: &syn::Block) -> Vec<Condition> {
    let mut finder = Finder::default();
    finder.visit_block(body);
    finder.found.sort_by_key(|c| (c.place.start, c.place.end));
    finder.found.dedup_by_key(|c| c.place.clone());
    finder.found
}

#[derive(Default)]
struct Finder {
    found: Vec<Condition>,
}

impl Finder {
    fn add(&mut self, expr: &Expr, without: Without) {
        self.found.push(Condition {
            place: expr.span().byte_range(),
            line: expr.span().start().line,
            without,
            chained: has_let(expr),
        });
    }

    /// Each operand of a chain: `a || b` of a guard, `a && b` elsewhere.
    fn chain(&mut self, expr: &Expr, without: Without) {
        match (expr, without) {
            (Expr::Binary(b), Without::False) if matches!(b.op, BinOp::Or(_)) => {
                self.chain(&b.left, without);
                self.chain(&b.right, without);
            }
            (Expr::Binary(b), Without::True) if matches!(b.op, BinOp::And(_)) => {
                self.chain(&b.left, without);
                self.chain(&b.right, without);
            }
            (Expr::Let(_), Without::True) => {}
            _ => self.add(expr, without),
        }
    }
}

impl Visit<'_> for Finder {
    fn visit_expr_if(&mut self, node: &syn::ExprIf) {
        let without = if gives_up(&node.then_branch) { Without::False } else { Without::True };
        self.chain(&node.cond, without);
        visit_expr_if(self, node);
    }

    fn visit_expr_binary(&mut self, node: &syn::ExprBinary) {
        if matches!(node.op, BinOp::And(_)) {
            self.chain(&node.left, Without::True);
            self.chain(&node.right, Without::True);
        }
        visit_expr_binary(self, node);
    }

    fn visit_arm(&mut self, node: &syn::Arm) {
        if let Some((_, guard)) = &node.guard {
            self.chain(guard, Without::True);
        }
        visit_arm(self, node);
    }

    /// `x.filter(|x| condition)` and `condition.then_some(x)`.
    fn visit_expr_method_call(&mut self, node: &syn::ExprMethodCall) {
        let name = node.method.to_string();
        if let ("filter", Some(Expr::Closure(closure))) = (name.as_str(), node.args.first())
            && !matches!(*closure.body, Expr::Block(_))
        {
            self.chain(&closure.body, Without::True);
        }
        visit_expr_method_call(self, node);
    }

    /// Nothing is looked for in constants.
    fn visit_expr(&mut self, node: &Expr) {
        if !matches!(node, Expr::Const(_)) {
            visit_expr(self, node);
        }
    }
}

/// True for a block that only ends what is being tried: `return None;`, `continue;`.
fn gives_up(block: &syn::Block) -> bool {
    let [Stmt::Expr(only, _)] = block.stmts.as_slice() else { return false };
    match only {
        Expr::Continue(_) | Expr::Break(_) => true,
        Expr::Return(r) => match r.expr.as_deref() {
            None => true,
            Some(Expr::Path(path)) => path.path.is_ident("None"),
            Some(Expr::Lit(lit)) => matches!(&lit.lit, syn::Lit::Bool(b) if !b.value),
            Some(_) => false,
        },
        _ => false,
    }
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

/// The text with a question before each condition: whether it is asked. Conditions are numbered from `first`.
pub fn instrumented(text: &str, conditions: &[Condition], first: usize) -> String {
    // Of what ends at one place the innermost comes first, of what begins there the outermost.
    let mut pieces: Vec<(usize, bool, usize, String)> = Vec::new();
    for (i, c) in conditions.iter().enumerate() {
        let asks = format!("crate::mutant::asks({})", first + i);
        let (before, after) = match c.without {
            Without::False if c.chained => (format!("{asks} && "), ""),
            Without::False => (format!("({asks} && ("), "))"),
            Without::True => (format!("(!{asks} || ("), "))"),
        };
        let length = c.place.len();
        pieces.push((c.place.start, true, usize::MAX - length, before));
        pieces.push((c.place.end, false, length, after.to_owned()));
    }
    pieces.sort();
    let mut out = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for (place, _, _, piece) in pieces {
        out.push_str(&text[at..place]);
        out.push_str(&piece);
        at = place;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str) -> String {
        let text = format!("fn f() {{ {body} }}");
        let file: syn::ItemFn = syn::parse_str(&text).unwrap();
        let found = conditions(&file.block);
        instrumented(&text, &found, 1).replace("crate::mutant::asks", "asks")
    }

    #[test]
    fn guards_are_dropped_and_conjuncts_hold() {
        assert_eq!(
            shown("if a() || b { return None; }"),
            "fn f() { if (asks(1) && (a())) || (asks(2) && (b)) { return None; } }"
        );
        assert_eq!(
            shown("if let Some(x) = y && x > 1 { return None; }"),
            "fn f() { if asks(1) && let Some(x) = y && (!asks(2) || (x > 1)) { return None; } }"
        );
        assert_eq!(
            shown("let c = a && b; x.filter(|y| y.ok())?;"),
            "fn f() { let c = (!asks(1) || (a)) && (!asks(2) || (b)); x.filter(|y| (!asks(3) || (y.ok())))?; }"
        );
        assert_eq!(
            shown("match x { A if b => 1, _ => 2 }"),
            "fn f() { match x { A if (!asks(1) || (b)) => 1, _ => 2 } }"
        );
    }
}
