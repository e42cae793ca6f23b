//! Where queries are read from the parser's AST, every node is taken apart in full: no `..`
//! in a pattern over its types, and every struct that is read is destructured once by all
//! its fields. Then a field that a new release of the parser adds does not compile until
//! somebody has decided what it means, and no clause is passed over unread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::Visit;

/// Where queries are read, from the workspace's root.
const READERS: [&str; 8] = [
    "crates/twinql-sql/src/plan",
    "crates/twinql-sql/src/parse",
    "crates/twinql-corpus/src/rewrites",
    "crates/twinql-corpus/src/schemas",
    "crates/twinql-graph/src/ast",
    "crates/twinql-metrics/src/hardness.rs",
    "crates/twinql-suite/src",
    "crates/twinql-sql/src/schema",
];

/// Where what is read decides what two queries mean: here structs are destructured too.
const DECIDERS: [&str; 2] = ["crates/twinql-sql/src/plan", "crates/twinql-corpus/src/rewrites"];

/// Structs that may be read field by field: names and values with their places, which
/// carry no clause.
const LEAVES: [&str; 4] = ["Ident", "ObjectName", "ValueWithSpan", "Statement"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(at: &Path, into: &mut Vec<PathBuf>) {
    if at.is_file() {
        into.push(at.to_owned());
        return;
    }
    for entry in std::fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.extension().is_some_and(|e| e == "rs") {
            sources(&path, into);
        }
    }
}

/// What one file says about the parser's types.
#[derive(Default)]
struct File {
    /// Local names with the paths that they stand for.
    imports: BTreeMap<String, Vec<String>>,
    /// Lines of patterns with `..` over the parser's types.
    partial: Vec<(usize, String)>,
    /// Types of the parser in signatures and fields.
    named: BTreeSet<String>,
    /// Types that patterns name: an enum's by a variant, a struct's in full.
    taken_apart: BTreeSet<String>,
    /// Macros whose text could not be read and may hold such a pattern.
    unread: Vec<(usize, String)>,
}

impl File {
    fn import(&mut self, prefix: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(prefix, &path.tree);
                prefix.pop();
            }
            syn::UseTree::Name(name) => {
                let local = name.ident.to_string();
                if local == "self" {
                    if let Some(last) = prefix.last() {
                        self.imports.insert(last.clone(), prefix.clone());
                    }
                } else {
                    let mut path = prefix.clone();
                    path.push(local.clone());
                    self.imports.insert(local, path);
                }
            }
            syn::UseTree::Rename(rename) => {
                let mut path = prefix.clone();
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                self.imports.insert(rename.rename.to_string(), path);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(prefix, tree);
                }
            }
            syn::UseTree::Glob(_) => {}
        }
    }

    /// The names below `sqlparser::ast` that a path means, if it means the parser's.
    fn resolve(&self, path: &syn::Path) -> Option<Vec<String>> {
        let mut names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        for _ in 0..8 {
            if names.first().is_some_and(|n| n == "sqlparser") {
                let below = names.into_iter().skip(1).filter(|n| n != "ast").collect();
                return Some(below);
            }
            let first = names.first()?;
            let stands_for = self.imports.get(first)?;
            if stands_for.first() == Some(first) && stands_for.len() == 1 {
                return None;
            }
            names.splice(0..1, stands_for.iter().cloned());
        }
        None
    }

    fn pattern(&mut self, path: &syn::Path, is_partial: bool) {
        let Some(names) = self.resolve(path) else { return };
        if is_partial {
            let line = path.span().start().line;
            self.partial.push((line, names.join("::")));
        } else if let Some(name) = names.first() {
            self.taken_apart.insert(name.clone());
        }
    }
}

/// `matches!(expr, pattern if guard)`.
struct Matches {
    tested: syn::Expr,
    pattern: syn::Pat,
    guard: Option<syn::Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let tested = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<syn::Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Matches { tested, pattern, guard })
    }
}

impl<'ast> Visit<'ast> for File {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(|a| {
            a.path().is_ident("cfg")
                && matches!(&a.meta, syn::Meta::List(l) if l.tokens.to_string() == "test")
        });
        if !is_test {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_pat_struct(&mut self, pattern: &'ast syn::PatStruct) {
        self.pattern(&pattern.path, pattern.rest.is_some());
        syn::visit::visit_pat_struct(self, pattern);
    }

    fn visit_pat_tuple_struct(&mut self, pattern: &'ast syn::PatTupleStruct) {
        let is_partial = pattern.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_)));
        self.pattern(&pattern.path, is_partial);
        syn::visit::visit_pat_tuple_struct(self, pattern);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        // A variant without fields, in a pattern or compared with.
        self.pattern(&path.path, false);
        syn::visit::visit_expr_path(self, path);
    }

    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        if let syn::Type::Path(path) = &*reference.elem
            && let Some(names) = self.resolve(&path.path)
            && let [name] = names.as_slice()
        {
            self.named.insert(name.clone());
        }
        syn::visit::visit_type_reference(self, reference);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let tokens = call.tokens.clone();
        if call.path.is_ident("matches") {
            if let Ok(found) = syn::parse2::<Matches>(tokens.clone()) {
                // Leaked so that what is visited lives as long as the file: this is a test.
                let found: &'static Matches = Box::leak(Box::new(found));
                self.visit_expr(&found.tested);
                self.visit_pat(&found.pattern);
                if let Some(guard) = &found.guard {
                    self.visit_expr(guard);
                }
                return;
            }
        } else if let Ok(found) =
            Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse2(tokens.clone())
        {
            let found: &'static Punctuated<syn::Expr, syn::Token![,]> = Box::leak(Box::new(found));
            for expr in found {
                self.visit_expr(expr);
            }
            return;
        }
        let text = tokens.to_string();
        if text.contains(".. }") || text.contains("(..)") {
            self.unread.push((call.span().start().line, text));
        }
    }
}

fn read(path: &Path) -> File {
    let text = std::fs::read_to_string(path).unwrap();
    let source = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut file = File::default();
    // Imports first, those inside functions too.
    struct Imports<'f>(&'f mut File);
    impl<'ast> Visit<'ast> for Imports<'_> {
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            self.0.import(&mut Vec::new(), &item.tree);
        }
    }
    Imports(&mut file).visit_file(&source);
    file.visit_file(&source);
    file
}

fn files(folders: &[&str]) -> Vec<(PathBuf, File)> {
    let mut paths = Vec::new();
    for folder in folders {
        sources(&root().join(folder), &mut paths);
    }
    paths.retain(|p| {
        let name = p.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        name != "tests.rs" && !p.components().any(|c| c.as_os_str() == "tests")
    });
    paths.sort();
    paths
        .into_iter()
        .map(|p| {
            let file = read(&p);
            (p, file)
        })
        .collect()
}

#[test]
fn no_pattern_over_the_ast_leaves_fields_out() {
    let mut found = Vec::new();
    let mut patterns = 0;
    for (path, file) in files(&READERS) {
        patterns += file.taken_apart.len();
        for (line, what) in file.partial.iter().chain(&file.unread) {
            found.push(format!("{}:{line}: {what}", path.display()));
        }
    }
    assert!(patterns > 300, "only {patterns} types found: is the scan broken?");
    assert!(
        found.is_empty(),
        "patterns over the parser's types with `..`; name every field, and refuse what has no plan:\n{}",
        found.join("\n")
    );
}

#[test]
fn every_struct_of_the_ast_is_destructured_where_it_decides() {
    for folder in DECIDERS {
        let mut named = BTreeSet::new();
        let mut taken_apart = BTreeSet::new();
        for (_, file) in files(&[folder]) {
            named.extend(file.named);
            taken_apart.extend(file.taken_apart);
        }
        let unread: Vec<&String> =
            named.iter().filter(|n| !taken_apart.contains(*n) && !LEAVES.contains(&n.as_str())).collect();
        assert!(named.len() > 5, "{folder}: only {named:?}: is the scan broken?");
        assert!(
            unread.is_empty(),
            "{folder} reads {unread:?} and destructures them nowhere: name all their fields once"
        );
    }
}

/// The scan finds what it looks for.
#[test]
fn the_scan_sees_patterns_in_all_places() {
    let text = "use sqlparser::ast::{self, Expr, TableFactor as T};\n\
        fn f(e: &ast::Select) { use ast::SelectItem as S;\n\
        if let Expr::Cast { expr, .. } = e {}\n\
        let T::Table { name, .. } = e else { return };\n\
        rule!(\"x\", |_| { let ast::Expr::Value(..) = e else { return }; });\n\
        assert!(matches!(e, S::Wildcard(..) if x));\n\
        let Other { a, .. } = e; }";
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.rs");
    std::fs::write(&path, text).unwrap();
    let file = read(&path);
    let found: Vec<&str> = file.partial.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(found, ["Expr::Cast", "TableFactor::Table", "Expr::Value", "SelectItem::Wildcard"]);
    assert!(file.named.contains("Select"));
}
