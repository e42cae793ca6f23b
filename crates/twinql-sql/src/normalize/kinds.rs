//! Kinds of nodes: each rule names those that it can change, and is asked of no others.

use crate::expr::Expr;
use crate::rel::Rel;

/// A set of kinds of expressions, or of relations: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// All of them.
    pub(crate) const EVERY: Kinds = Kinds(u32::MAX);

    /// Those of either set.
    pub(crate) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// True if the kind with this number is one of them.
    pub(super) const fn has(self, number: usize) -> bool {
        self.0 & (1 << number) != 0
    }
}

/// The kinds of a type of node, with their numbers: a variant for each line.
macro_rules! kinds {
    ($(#[$doc:meta])* $module:ident, $of:ident, $number:ident, $count:ident: $($name:ident = $pattern:pat),+ $(,)?) => {
        $(#[$doc])*
        // Some kinds are named by no rule.
        #[allow(dead_code, non_camel_case_types, clippy::upper_case_acronyms)]
        pub(crate) mod $module {
            use super::Kinds;

            enum Number { $($name),+ }

            $(pub(crate) const $name: Kinds = Kinds(1 << Number::$name as u32);)+
            pub(in super::super) const $count: usize = [$(stringify!($name)),+].len();

            /// The number of a node's kind.
            pub(in super::super) fn $number(node: &super::$of) -> usize {
                use super::*;
                match node {
                    $($pattern => Number::$name as usize),+
                }
            }
        }
    };
}

kinds! {
    /// Kinds of expressions.
    exprs, Expr, number, COUNT:
    COLUMN = Expr::Column(_),
    LITERAL = Expr::Literal(_),
    UNARY = Expr::Unary { .. },
    BINARY = Expr::Binary { .. },
    AND = Expr::And(_),
    OR = Expr::Or(_),
    FUNCTION = Expr::Function { .. },
    CASE = Expr::Case { .. },
    CAST = Expr::Cast { .. },
    COLLATE = Expr::Collate { .. },
    IN_LIST = Expr::InList { .. },
    IN_SUBQUERY = Expr::InSubquery { .. },
    EXISTS = Expr::Exists(_),
    SCALAR = Expr::Scalar(_),
    QUANTIFIED = Expr::Quantified { .. },
    ROW = Expr::Row(_),
}

kinds! {
    /// Kinds of relations.
    rels, Rel, number, COUNT:
    SCAN = Rel::Scan { .. },
    VALUES = Rel::Values { .. },
    TABLE_FUNCTION = Rel::TableFunction { .. },
    RECURSIVE = Rel::Recursive { .. },
    RECURSIVE_REF = Rel::RecursiveRef { .. },
    FILTER = Rel::Filter { .. },
    PROJECT = Rel::Project { .. },
    JOIN = Rel::Join { .. },
    OUTER_JOIN = Rel::OuterJoin { .. },
    AGGREGATE = Rel::Aggregate { .. },
    DISTINCT = Rel::Distinct { .. },
    SORT = Rel::Sort { .. },
    SET_OP = Rel::SetOp { .. },
    WINDOW = Rel::Window { .. },
}

impl Kinds {
    /// Filters and inner joins.
    pub(crate) const BLOCKS: Kinds = rels::FILTER.or(rels::JOIN);
    /// Relations with a condition.
    pub(crate) const CONDITIONS: Kinds = Kinds::BLOCKS.or(rels::OUTER_JOIN);
    /// Relations that are made of others.
    pub(crate) const READING: Kinds = Kinds::CONDITIONS
        .or(rels::PROJECT)
        .or(rels::AGGREGATE)
        .or(rels::DISTINCT)
        .or(rels::SORT)
        .or(rels::SET_OP)
        .or(rels::WINDOW);
    /// Relations that compute something.
    pub(crate) const COMPUTING: Kinds = Kinds::CONDITIONS
        .or(rels::PROJECT)
        .or(rels::AGGREGATE)
        .or(rels::SORT)
        .or(rels::WINDOW)
        .or(rels::VALUES)
        .or(rels::TABLE_FUNCTION);
}
