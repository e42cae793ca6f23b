//! The hunt for wrong proofs: a query, its neighbours and its twists, each beside others.

use twinql_sql::hash::{FNV, fnv};
use twinql_sql::prove::prove_plans;
use twinql_sql::{Plan, Proof, Schema, parse, plan};

use super::{Finder, Refutation, twisted};
use crate::dice::Dice;
use crate::execute::ExecError;
use crate::judge::{Judge, Verdict};
use crate::neighbours::neighbours_in;

/// Others of its kind that a variant is held against, at most.
const MAX_OF_A_KIND: usize = 3;

/// How much is tried of each query.
#[derive(Debug, Clone, Copy)]
pub struct Hunt {
    /// The seed of neighbours, pairs and databases.
    pub seed: u64,
    /// Neighbours of a query.
    pub neighbours: usize,
    /// Pairs of two variants, beside those of a variant with the query itself.
    pub across: usize,
    /// Tiny databases for a pair that is proved equal.
    pub databases: u64,
}

/// What came of a hunt.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Pairs of two queries that were planned.
    pub pairs: usize,
    /// Pairs that are proved equal, or that the suite calls the same.
    pub equal: usize,
    /// Pairs that are proved different.
    pub different: usize,
    /// Of these, those that no tiny database tells apart: a proof that is not shown here.
    pub unshown: usize,
    /// Those of the equal ones that a tiny database tells apart.
    pub wrong: Vec<Wrong>,
}

/// A pair that is said to be equal, and that a tiny database tells apart.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// The database's schema.
    pub db_id: String,
    /// The semantics.
    pub semantics: String,
    /// The two queries, with what was done to make them.
    pub queries: [(String, &'static str); 2],
    /// Who says that they are equal: the rules of a proof, or the suite.
    pub said_by: Vec<&'static str>,
    /// The database that refutes it.
    pub refutation: Refutation,
}

impl Tally {
    /// Adds another one's counts.
    pub fn merge(&mut self, other: Tally) {
        let Tally { pairs, equal, different, unshown, wrong } = other;
        self.pairs += pairs;
        self.equal += equal;
        self.different += different;
        self.unshown += unshown;
        self.wrong.extend(wrong);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { pairs, equal, different, unshown, wrong } = self;
        let wrong = wrong.len();
        write!(
            f,
            "{pairs} pairs: {equal} called equal, {wrong} of them wrongly; {different} proved different"
        )?;
        write!(f, ", {unshown} of them not shown by a tiny database")
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Wrong { db_id, semantics, queries, said_by, refutation } = self;
        writeln!(f, "{db_id}, {semantics}: called equal by {}, and told apart", said_by.join(", "))?;
        for (sql, made) in queries {
            writeln!(f, "  {made}: {sql}")?;
        }
        write!(f, "{}", refutation.statements)
    }
}

/// A query of a hunt.
struct Variant {
    sql: String,
    made: &'static str,
    plan: Plan,
}

impl Finder {
    /// Holds the proofs of a pair against tiny databases.
    ///
    /// # Errors
    /// What SQLite says of a query that it refuses.
    pub fn pair(&self, gold: &str, pred: &str, hunt: &Hunt, tally: &mut Tally) -> Result<(), ExecError> {
        let [gold, pred] = [gold, pred].map(|sql| variant(&self.schema, sql.to_owned(), "as it is"));
        match (gold, pred) {
            (Some(gold), Some(pred)) => self.held(&gold, &pred, hunt, tally),
            _ => Ok(()),
        }
    }

    /// Holds what the suite calls the same of a query and its variants against tiny databases.
    ///
    /// # Errors
    /// What SQLite says of a query that it refuses.
    pub fn hunt_suite(
        &self,
        judge: &Judge,
        gold: &str,
        hunt: &Hunt,
        tally: &mut Tally,
    ) -> Result<(), ExecError> {
        let Some(gold) = variant(&self.schema, gold.to_owned(), "the query") else {
            return Ok(());
        };
        for pred in self.variants(&gold, hunt) {
            tally.pairs += 1;
            if !matches!(judge.judge(&gold.sql, &pred.sql), Verdict::Same { .. }) {
                continue;
            }
            self.equal(&gold, &pred, vec!["the suite"], hunt, tally)?;
        }
        Ok(())
    }

    /// The neighbours and twists of a query that can be planned.
    fn variants(&self, gold: &Variant, hunt: &Hunt) -> Vec<Variant> {
        let near = neighbours_in(&self.sandbox, &self.schema, &gold.sql, hunt.seed, hunt.neighbours);
        let near = near.into_iter().map(|n| (n.sql, n.mutation));
        let twists = twisted(&self.schema, &self.sandbox, &gold.sql).into_iter().map(|t| (t.sql, t.twist));
        near.chain(twists).filter_map(|(sql, made)| variant(&self.schema, sql, made)).collect()
    }

    /// Holds the proofs of a query and its variants against tiny databases.
    ///
    /// # Errors
    /// What SQLite says of a query that it refuses.
    pub fn hunt(&self, gold: &str, hunt: &Hunt, tally: &mut Tally) -> Result<(), ExecError> {
        let Some(gold) = variant(&self.schema, gold.to_owned(), "the query") else {
            return Ok(());
        };
        let variants = self.variants(&gold, hunt);
        for variant in &variants {
            self.held(&gold, variant, hunt, tally)?;
        }
        let mut dice = Dice::new(hunt.seed, fnv(FNV, gold.sql.bytes()));
        for _ in 0..hunt.across {
            let (Some(one), Some(two)) = (dice.pick(&variants), dice.pick(&variants)) else { break };
            self.held(one, two, hunt, tally)?;
        }
        // All of one kind: what two have in common may hide what they have not.
        for (at, one) in variants.iter().enumerate() {
            let kind = |v: &&Variant| v.made.split('-').next() == one.made.split('-').next();
            for two in variants.iter().skip(at + 1).filter(kind).take(MAX_OF_A_KIND) {
                self.held(one, two, hunt, tally)?;
            }
        }
        Ok(())
    }

    /// Holds the proof of a pair against tiny databases.
    fn held(&self, gold: &Variant, pred: &Variant, hunt: &Hunt, tally: &mut Tally) -> Result<(), ExecError> {
        tally.pairs += 1;
        match prove_plans(&self.schema, &gold.plan, &pred.plan, &self.semantics) {
            Proof::Equal(equal) => {
                let mut rules = equal.gold_rules;
                rules.extend(equal.pred_rules);
                rules.sort_unstable();
                rules.dedup();
                self.equal(gold, pred, rules, hunt, tally)?;
            }
            Proof::Different(_) => {
                tally.different += 1;
                // The databases of such proofs are the smallest there are.
                let shown = self.refutation((&gold.sql, &pred.sql), hunt.seed, hunt.databases)?;
                tally.unshown += usize::from(shown.is_none());
            }
            Proof::Unknown(_) => {}
        }
        Ok(())
    }

    /// Holds a pair that is said to be equal against tiny databases.
    fn equal(
        &self,
        gold: &Variant,
        pred: &Variant,
        said_by: Vec<&'static str>,
        hunt: &Hunt,
        tally: &mut Tally,
    ) -> Result<(), ExecError> {
        tally.equal += 1;
        if let Some(refutation) = self.refutation((&gold.sql, &pred.sql), hunt.seed, hunt.databases)? {
            tally.wrong.push(Wrong {
                db_id: self.schema.db_id.clone(),
                semantics: self.semantics.preset_name().to_owned(),
                queries: [gold, pred].map(|v| (v.sql.clone(), v.made)),
                said_by,
                refutation,
            });
        }
        Ok(())
    }
}

fn variant(schema: &Schema, sql: String, made: &'static str) -> Option<Variant> {
    let plan = plan(schema, &parse(&sql).ok()?).ok()?;
    Some(Variant { sql, made, plan })
}
