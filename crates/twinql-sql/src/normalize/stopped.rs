//! Why a normalisation ended early.

/// How often the whole tree is passed over, at most.
pub const MAX_PASSES: usize = 24;

/// Trees nested deeper than this are left as they are.
pub const MAX_DEPTH: usize = 160;

/// Trees with more nodes than this are left as they are, and rules stop where a tree
/// grows beyond it.
pub const MAX_SIZE: usize = 20_000;

/// Which limit ended a normalisation before nothing was left to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// The plan is nested deeper than [`MAX_DEPTH`]; it is as it was planned.
    TooDeep,
    /// The plan has more than [`MAX_SIZE`] nodes; it is as it was planned.
    TooLarge {
        /// How many it has.
        nodes: usize,
    },
    /// Rules made the tree larger than [`MAX_SIZE`] or too deep; it is as it was planned.
    Grew {
        /// The rule that changed something last.
        rule: &'static str,
    },
    /// After [`MAX_PASSES`] passes over the tree a rule still changed something.
    Passes {
        /// The rule that did so last.
        rule: &'static str,
    },
    /// One id stood for two columns; the plan is as it was planned.
    RepeatedId,
    /// A call in a list of outputs is gone, and nothing is known of its function: it may aggregate, or give rows. The plan is as
    /// it was planned.
    Unknown {
        /// The function.
        function: String,
    },
    /// More columns look alike than are told apart by trying: equal plans may come out in
    /// different orders.
    LookAlikes,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stopped::TooDeep => write!(f, "the plan is nested deeper than {MAX_DEPTH}"),
            Stopped::TooLarge { nodes } => {
                write!(f, "the plan has {nodes} nodes, the limit is {MAX_SIZE}")
            }
            Stopped::Grew { rule } => {
                write!(f, "the tree grew beyond {MAX_SIZE} nodes, last by the rule {rule}")
            }
            Stopped::Passes { rule } => {
                write!(f, "after {MAX_PASSES} passes the rule {rule} still changed something")
            }
            Stopped::RepeatedId => write!(f, "one id stands for two columns"),
            Stopped::Unknown { function } => {
                write!(f, "nothing is known of {function}, which may aggregate or give rows")
            }
            Stopped::LookAlikes => write!(f, "too many columns look alike"),
        }
    }
}
