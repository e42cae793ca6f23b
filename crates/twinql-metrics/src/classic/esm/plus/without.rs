//! Which parts of ESM+ are left out: for ablations, as in Figure 7 of the paper.

use std::collections::BTreeSet;

use thiserror::Error;

use super::ESM_RULES;

/// All twenty rules.
const ALL: &str = "all";
/// The comparison of literals.
const VALUES: &str = "values";
/// The comparison of DISTINCT.
const DUPLICATES: &str = "duplicates";

/// What is left out of ESM+: rules, and what it compares beyond Spider's exact set match.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithoutRules(BTreeSet<&'static str>);

/// A name that is none of the parts of ESM+.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is not a rule of esm+: {}, or {ALL} for all of them, {VALUES}, {DUPLICATES}", rule_names().join(", "))]
pub struct UnknownEsmRule {
    /// What was asked for.
    pub name: String,
}

fn rule_names() -> Vec<&'static str> {
    ESM_RULES.iter().map(|rule| rule.name).collect()
}

impl WithoutRules {
    /// Without the rules of these names, or `all` of them; without the comparison of `values`, or that of DISTINCT
    /// (`duplicates`).
    ///
    /// # Errors
    /// For a name that is none of these.
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<WithoutRules, UnknownEsmRule> {
        let mut out = BTreeSet::new();
        for name in names {
            let known = rule_names().into_iter().chain([VALUES, DUPLICATES]).find(|known| *known == name);
            match known {
                Some(known) => out.extend([known]),
                None if name == ALL => out.extend(rule_names()),
                None => return Err(UnknownEsmRule { name: name.to_owned() }),
            }
        }
        Ok(WithoutRules(out))
    }

    /// What is left out, in the order of the alphabet.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }

    pub(super) fn rule(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    pub(super) fn values(&self) -> bool {
        self.0.contains(VALUES)
    }

    pub(super) fn duplicates(&self) -> bool {
        self.0.contains(DUPLICATES)
    }
}
