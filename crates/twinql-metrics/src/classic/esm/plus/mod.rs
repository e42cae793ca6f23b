//! ESM+: exact set match up to twenty equivalences, each under an assumption that the schema can confirm.
//!
//! Source: Ascoli et al. 2024, Table 1 and Appendix A.1. Each rule there is an [`EsmRule`] here; a driver applies
//! them to each block of both queries, inner ones first, until none changes anything. Then the clauses are compared
//! with values, DISTINCT, LIMIT and the conditions of joins. Where the paper's rule or its script equates queries
//! that differ, ours asks for more: docs/esm.md has the list.

mod conditions;
mod facts;
mod joins;
mod rows;
mod sets;
mod without;

use serde_json::{Map, Value};
use sqlparser::ast;
use twinql_sql::Schema;

use super::adapted::both;
use super::clauses::{Body, Piece, Query, Term, Writer};
use crate::classic::Scored;
use facts::Facts;
pub use without::{UnknownEsmRule, WithoutRules};

/// An equivalence of ESM+'s table.
#[derive(Debug, Clone, Copy)]
pub struct EsmRule {
    /// Its number in Table 1 of the paper.
    pub number: u8,
    /// A name for it.
    pub name: &'static str,
    /// A query that it rewrites.
    pub before: &'static str,
    /// What that query becomes, or what both become.
    pub after: &'static str,
    /// What it asks of the schema or of the data.
    pub assumes: &'static str,
    apply: fn(&mut Query, &Facts<'_>) -> bool,
    /// More pairs that it makes the same.
    pub alike: &'static [(&'static str, &'static str)],
    /// Pairs that look like it and stay apart.
    pub apart: &'static [(&'static str, &'static str)],
}

/// All rules. `*` is expanded before a join is added, and what a query looks up in itself is no join.
pub const ESM_RULES: [EsmRule; 20] = [
    rows::ALL_COLUMNS,
    conditions::NUMBER_AS_TEXT,
    conditions::ALIAS,
    conditions::IN_LIST,
    conditions::BETWEEN,
    conditions::NEGATION,
    sets::ITSELF,
    sets::INTERSECT,
    sets::UNION,
    sets::EXCEPT,
    rows::EXTREME_ROW,
    joins::IN_ITSELF,
    joins::IN_AS_JOIN,
    joins::JOINED_COLUMNS,
    joins::REDUNDANT_JOIN,
    rows::IS_NOT_NULL,
    rows::DISTINCT,
    rows::COUNT_NOT_NULL,
    rows::GROUP_KEY,
    rows::EXTREME_VALUE,
];

/// Rounds after which no more is rewritten: no query of a benchmark needs more than a few.
const MOST_ROUNDS: usize = 12;

/// ESM+ without its script's false matches, of two parsed queries, less what is left out of it; the details name the rules that
/// changed either.
pub fn esm_plus(schema: &Schema, gold: &ast::Query, pred: &ast::Query, without: &WithoutRules) -> Scored {
    let (mut gold, mut pred) = match both(schema, gold, pred) {
        Ok(both) => both,
        Err(unread) => return unread,
    };
    let facts = Facts { schema };
    let mut details = Map::new();
    for (side, query) in [("gold", &mut gold), ("prediction", &mut pred)] {
        let used = simplify(query, &facts, without);
        if !used.is_empty() {
            details.insert(format!("{side} rules"), used.into_iter().map(Value::from).collect());
        }
    }
    if without.duplicates() {
        [&mut gold, &mut pred].into_iter().for_each(without_distinct);
    }
    let text = |q: &Query| Writer::new(schema, !without.values()).text(q);
    let same = text(&gold) == text(&pred);
    Scored { score: f64::from(u8::from(same)), details }
}

/// Applies the rules to a query and all queries in it; the names of those that changed something.
fn simplify(query: &mut Query, facts: &Facts<'_>, without: &WithoutRules) -> Vec<&'static str> {
    let mut used: Vec<&'static str> = Vec::new();
    visit(query, &mut |query| {
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for rule in ESM_RULES.iter().filter(|rule| !without.rule(rule.name)) {
                if (rule.apply)(query, facts) {
                    flatten(query);
                    changed = true;
                    if !used.contains(&rule.name) {
                        used.push(rule.name);
                    }
                }
            }
            if !changed {
                break;
            }
        }
    });
    used
}

/// Takes DISTINCT out of a query and all queries in it.
fn without_distinct(query: &mut Query) {
    visit(query, &mut |query| {
        own_terms(query, &mut |term| {
            if let Term::Call { name: _, distinct, args: _ } = term {
                *distinct = false;
            }
        });
        if let Body::Block(block) = &mut query.body {
            block.distinct = false;
        }
    });
}

/// Calls `each` with a query and all queries in it, inner ones first; those in LIMIT aside.
fn visit(query: &mut Query, each: &mut dyn FnMut(&mut Query)) {
    for piece in query.pieces() {
        match piece {
            Piece::Query(inner) => visit(inner, each),
            Piece::Term(term) => term.change_own(&mut |part| {
                if let Term::Query(inner) = part {
                    visit(inner, each);
                }
            }),
        }
    }
    each(query);
}

/// Calls `each` with every term of a query's own clauses but FROM: those of subqueries are left alone.
fn own_terms(query: &mut Query, each: &mut dyn FnMut(&mut Term)) {
    if let Body::Block(block) = &mut query.body {
        let lists = [&mut block.select, &mut block.filter, &mut block.group, &mut block.having];
        lists.into_iter().flatten().for_each(|t| t.change_own(each));
    }
    query.order.iter_mut().for_each(|k| k.term.change_own(each));
}

/// Joins an AND within an AND and an OR within an OR, and splits conjunctions into conjuncts.
fn flatten(query: &mut Query) {
    fn joined(terms: &mut Vec<Term>, and: bool) {
        let inner = |t: Term| match t {
            Term::And(inner) if and => inner,
            Term::Or(inner) if !and => inner,
            other => vec![other],
        };
        *terms = std::mem::take(terms).into_iter().flat_map(inner).collect();
    }
    query.change(&mut |term| {
        let and = matches!(term, Term::And(_));
        if let Term::And(terms) | Term::Or(terms) = term {
            joined(terms, and);
            if terms.len() == 1 {
                *term = terms.swap_remove(0);
            }
        }
    });
    if let Body::Block(block) = &mut query.body {
        let on = block.from.iter_mut().map(|s| &mut s.on);
        on.chain([&mut block.filter, &mut block.having]).for_each(|terms| joined(terms, true));
    }
}

#[cfg(test)]
mod tests;
