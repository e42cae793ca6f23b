//! What a rule is: a rewrite of one node, with what it assumes, why it is right, and queries that
//! show it.

use super::context::{Context, Role};
use super::example::Example;
use super::kinds::Kinds;
use crate::expr::Expr;
use crate::rel::{Query, Rel};
use crate::semantics::Semantics;

/// What a rule assumes about databases and answers. A rule whose assumptions the
/// semantics does not make is skipped; knowledge of single columns (this one is never
/// NULL) is looked up by the rule itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Primary keys and unique columns are unique.
    pub keys: bool,
    /// It asks which columns are never NULL; it runs under any semantics.
    pub not_null: bool,
    /// Foreign keys hold.
    pub foreign_keys: bool,
    /// No base table is empty.
    pub no_empty_tables: bool,
    /// Values have their column's type.
    pub typed: bool,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Needs =
        Needs { keys: false, not_null: false, foreign_keys: false, no_empty_tables: false, typed: false };
    /// Keys hold.
    pub const KEYS: Needs = Needs { keys: true, ..Needs::NOTHING };
    /// Knowledge of NULLs.
    pub const NOT_NULL: Needs = Needs { not_null: true, ..Needs::NOTHING };
    /// Foreign keys hold.
    pub const FOREIGN_KEYS: Needs = Needs { foreign_keys: true, ..Needs::KEYS };
    /// Values have their column's type.
    pub const TYPED: Needs = Needs { typed: true, ..Needs::NOTHING };
    /// No base table is empty.
    pub const NO_EMPTY_TABLES: Needs = Needs { no_empty_tables: true, ..Needs::NOTHING };

    /// True if the semantics makes these assumptions.
    pub fn hold_under(&self, semantics: &Semantics) -> bool {
        (!self.keys || semantics.keys_hold)
            && (!self.foreign_keys || semantics.foreign_keys_hold)
            && (!self.no_empty_tables || !semantics.empty_tables)
            && (!self.typed || semantics.typed)
    }
}

/// What a rule answers: something where it changed the node. A rule asks one thing after the other of a node, and ends
/// with `?` at the first that is not so.
pub(crate) type Changed = Option<()>;

/// How a rule is applied: to one node, whose inputs are normal already.
#[derive(Clone, Copy)]
pub(crate) enum Apply {
    /// To expressions of whatever kind, and to those of some kinds.
    Expr(fn(&mut Expr, &mut Context<'_>) -> Changed),
    ExprOf(Kinds, fn(&mut Expr, &mut Context<'_>) -> Changed),
    /// To relations.
    Rel(fn(&mut Rel, &mut Context<'_>) -> Changed),
    RelOf(Kinds, fn(&mut Rel, &mut Context<'_>) -> Changed),
    /// To queries wherever they stand.
    Query(fn(&mut Query, Role, &mut Context<'_>) -> Changed),
    /// To the whole query alone: only there it shows what nothing reads.
    Root(fn(&mut Query, &mut Context<'_>) -> Changed),
}

impl Apply {
    /// The kinds of nodes that the rule is asked of.
    pub(super) fn kinds(self) -> Kinds {
        match self {
            Apply::ExprOf(kinds, _) | Apply::RelOf(kinds, _) => kinds,
            Apply::Expr(_) | Apply::Rel(_) | Apply::Query(_) | Apply::Root(_) => Kinds::EVERY,
        }
    }
}

/// One normalisation rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Why that is right, in one sentence.
    pub why: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it assumes.
    pub needs: Needs,
    /// Pairs of queries that it makes alike, and pairs that look like them and are not the same.
    pub examples: &'static [Example],
    pub(crate) apply: Apply,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rule").field("name", &self.name).field("needs", &self.needs).finish_non_exhaustive()
    }
}

/// That of two rules one has to be tried first.
#[derive(Debug, Clone, Copy)]
pub struct Precedence {
    /// The name of that rule.
    pub first: &'static str,
    /// The name of the other one.
    pub then: &'static str,
    /// Why.
    pub why: &'static str,
    /// A preset, and a query over [`SHOP`](super::example::SHOP) whose canonical form under it is
    /// another where they change places.
    pub shown: (&'static str, &'static str),
}
