//! The rules of the registry with the conditions of their own functions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{Visit, visit_expr_method_call, visit_expr_path};
use syn::{Expr, Item, Member};

use crate::conditions::{Condition, conditions};

/// A function of a source file.
struct Function {
    conditions: Vec<Condition>,
    /// The names of what it calls or hands on.
    names: BTreeSet<String>,
}

/// A source file with its functions by name and its rules: a rule's name and the function that applies it.
pub struct Source {
    /// Where it stands, from the folder of the rules.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    functions: BTreeMap<String, Function>,
    rules: Vec<(String, String)>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(folder: &Path, path: PathBuf) -> Result<Source, String> {
        let whole = folder.join(&path);
        let text = std::fs::read_to_string(&whole).map_err(|e| format!("{}: {e}", whole.display()))?;
        let file = syn::parse_file(&text).map_err(|e| format!("{}: {e}", whole.display()))?;
        let mut functions = BTreeMap::new();
        let mut rules = Vec::new();
        for item in &file.items {
            match item {
                Item::Fn(f) => {
                    functions.insert(f.sig.ident.to_string(), function(&f.block));
                }
                Item::Impl(of) => {
                    for item in &of.items {
                        if let syn::ImplItem::Fn(f) = item {
                            functions.insert(f.sig.ident.to_string(), function(&f.block));
                        }
                    }
                }
                Item::Const(c) => rules.extend(rule(&c.expr)),
                _ => {}
            }
        }
        Ok(Source { path, text, functions, rules })
    }

    /// All conditions, in the order of the text.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut all: Vec<Condition> =
            self.functions.values().flat_map(|f| f.conditions.iter().cloned()).collect();
        all.sort_by_key(|c| (c.place.start, c.place.end));
        all
    }

    /// The rules, each with its conditions as indices into [`conditions`](Self::conditions): those of the function that
    /// applies it and of what that calls in this file.
    pub fn rules(&self) -> Vec<(String, Vec<usize>)> {
        let all = self.conditions();
        let of = |applied: &String| {
            let mut seen = BTreeSet::new();
            let mut open = vec![applied.clone()];
            while let Some(name) = open.pop() {
                let Some(function) = self.functions.get(&name) else { continue };
                if seen.insert(name) {
                    open.extend(function.names.iter().cloned());
                }
            }
            let places: BTreeSet<(usize, usize)> = seen
                .iter()
                .flat_map(|name| &self.functions[name].conditions)
                .map(|c| (c.place.start, c.place.end))
                .collect();
            let own = |i: &usize| places.contains(&(all[*i].place.start, all[*i].place.end));
            (0..all.len()).filter(own).collect()
        };
        self.rules.iter().map(|(name, applied)| (name.clone(), of(applied))).collect()
    }
}

fn function(body: &syn::Block) -> Function {
    let mut names = Names(BTreeSet::new());
    names.visit_block(body);
    Function { conditions: conditions(body), names: names.0 }
}

struct Names(BTreeSet<String>);

impl Visit<'_> for Names {
    fn visit_expr_path(&mut self, node: &syn::ExprPath) {
        self.0.extend(node.path.segments.last().map(|s| s.ident.to_string()));
        visit_expr_path(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &syn::ExprMethodCall) {
        self.0.insert(node.method.to_string());
        visit_expr_method_call(self, node);
    }
}

/// The name and the applied function of `Rule { name: "…", apply: Apply::Rel(function), … }`.
fn rule(expr: &Expr) -> Option<(String, String)> {
    let Expr::Struct(s) = expr else { return None };
    s.path.segments.last().filter(|last| last.ident == "Rule")?;
    let field = |name: &str| {
        s.fields.iter().find(|f| matches!(&f.member, Member::Named(n) if n == name)).map(|f| &f.expr)
    };
    let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. })) = field("name") else { return None };
    let Some(Expr::Call(call)) = field("apply") else { return None };
    let Some(Expr::Path(applied)) = call.args.first() else { return None };
    Some((name.value(), applied.path.segments.last()?.ident.to_string()))
}
