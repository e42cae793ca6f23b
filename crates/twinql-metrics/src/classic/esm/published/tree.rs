//! A query as the published scripts keep it: a table of clauses.
//!
//! Conditions are one list in which each second entry is a connective; the scripts index it by parity, so
//! ours keeps that shape. Columns are ids ([`super::names`]).

/// Aggregate functions, in the order in which the scripts number them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agg {
    None,
    Max,
    Min,
    Count,
    Sum,
    Avg,
}

impl Agg {
    /// The function of this name; `none` is one for the scripts.
    pub(super) fn named(word: &str) -> Option<Agg> {
        Some(match word {
            "none" => Agg::None,
            "max" => Agg::Max,
            "min" => Agg::Min,
            "count" => Agg::Count,
            "sum" => Agg::Sum,
            "avg" => Agg::Avg,
            _ => return None,
        })
    }
}

/// Operators between two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Arithmetic {
    None,
    Minus,
    Plus,
    Times,
    Over,
}

impl Arithmetic {
    pub(super) fn named(word: &str) -> Option<Arithmetic> {
        Some(match word {
            "none" => Arithmetic::None,
            "-" => Arithmetic::Minus,
            "+" => Arithmetic::Plus,
            "*" => Arithmetic::Times,
            "/" => Arithmetic::Over,
            _ => return None,
        })
    }
}

/// Operators of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Not,
    Between,
    Eq,
    Gt,
    Lt,
    GtEq,
    LtEq,
    NotEq,
    In,
    Like,
    Is,
    Exists,
}

impl Test {
    pub(super) fn named(word: &str) -> Option<Test> {
        Some(match word {
            "not" => Test::Not,
            "between" => Test::Between,
            "=" => Test::Eq,
            ">" => Test::Gt,
            "<" => Test::Lt,
            ">=" => Test::GtEq,
            "<=" => Test::LtEq,
            "!=" => Test::NotEq,
            "in" => Test::In,
            "like" => Test::Like,
            "is" => Test::Is,
            "exists" => Test::Exists,
            _ => return None,
        })
    }
}

/// A column, perhaps under an aggregate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Col {
    pub(super) agg: Agg,
    pub(super) id: String,
    pub(super) distinct: bool,
}

/// One column, or two with an operator between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Unit {
    pub(super) op: Arithmetic,
    pub(super) first: Col,
    pub(super) second: Option<Col>,
}

/// What a condition compares with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    None,
    Null,
    Number(f64),
    Text(String),
    Unit(Unit),
    Query(Box<Tree>),
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cond {
    pub(super) not: bool,
    pub(super) test: Test,
    pub(super) unit: Unit,
    pub(super) low: Operand,
    pub(super) high: Operand,
}

/// An entry of a list of conditions.
// At least every second entry is a condition: a box for each would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Cond(Cond),
    And,
    Or,
}

impl Item {
    /// True for AND and OR.
    pub(super) fn links(&self) -> bool {
        !matches!(self, Item::Cond(_))
    }
}

/// The conditions of a list: the entries of even position.
pub(super) fn conditions(items: &[Item]) -> impl Iterator<Item = &Cond> {
    items.iter().step_by(2).filter_map(|i| match i {
        Item::Cond(c) => Some(c),
        Item::And | Item::Or => None,
    })
}

/// The same, to be changed.
pub(super) fn conditions_mut(items: &mut [Item]) -> impl Iterator<Item = &mut Cond> {
    items.iter_mut().step_by(2).filter_map(|i| match i {
        Item::Cond(c) => Some(c),
        Item::And | Item::Or => None,
    })
}

/// An entry of FROM. ESM+ keeps the word before a table as an entry of its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    Join(&'static str),
    Table(String),
    Query(Box<Tree>),
}

/// A sorting direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Asc,
    Desc,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tree {
    pub(super) distinct: bool,
    pub(super) select: Vec<(Agg, Unit)>,
    pub(super) from: Vec<Source>,
    pub(super) on: Vec<Item>,
    pub(super) filter: Vec<Item>,
    pub(super) group: Vec<Col>,
    pub(super) having: Vec<Item>,
    /// The last direction that is written counts for all keys.
    pub(super) order: Option<(Way, Vec<Unit>)>,
    pub(super) limit: Option<i64>,
    pub(super) intersect: Option<Box<Tree>>,
    pub(super) except: Option<Box<Tree>>,
    pub(super) union: Option<Box<Tree>>,
}
