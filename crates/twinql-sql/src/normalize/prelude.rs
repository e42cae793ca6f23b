//! What rules are written with: the algebra, what is known around a node, and how a rule is entered. Nearly every rule
//! needs nearly all of it, so the files of rules take it in as a whole.

pub(super) use std::collections::{BTreeMap, BTreeSet};

pub(super) use super::context::{Context, Role, computed};
pub(super) use super::equalities::class_of;
pub(super) use super::example::examples;
pub(super) use super::facts::rejected;
pub(super) use super::kinds::{Kinds, exprs, rels};
pub(super) use super::numbers::Numbers;
pub(super) use super::pushdown::push_into;
pub(super) use super::rule::{Apply, Changed, Needs, Rule};

pub(super) use super::scan::{ScanColumns, column_at, images, position};
pub(super) use super::shorthand::{
    asked_of_zero, asserted, bare, change_each, change_knowing, first_in, put, read_as_set, read_for_one,
    sole_aggregate, without_input,
};
pub(super) use crate::algebra::{Block, BlockMut, Grouping};
pub(super) use crate::columns::Reads;
pub(super) use crate::expr::{AggFunc, AggregateCall, BinaryOp, Expr, UnaryOp, WindowCall};
pub(super) use crate::rel::{
    ColumnId, ColumnInfo, Direction, JoinKind, NullsOrder, Query, Rel, SetOpKind, SortKey,
};
pub(super) use crate::schema::{Affinity, ColumnRef, TypeClass};
pub(super) use crate::substitution::Substitution;
pub(super) use crate::tree::{Next, Node, NodeMut, Tree};
pub(super) use crate::value::Value;
