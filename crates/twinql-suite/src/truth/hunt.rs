//! The hunt for wrong proofs: a query, its neighbours and its twists, each beside others.

use twinql_sql::prove::prove_plans;
use twinql_sql::{Plan, Proof, Schema, parse, plan};

use super::{Finder, Refutation, twisted};
use crate::bout::Verdict;
use crate::dice::Dice;
use crate::execute::ExecError;
use crate::judge::Judge;
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
    /// Pairs that are proved equal.
    pub equal: usize,
    /// Pairs that are proved different.
    pub different: usize,
    /// Of these, those that no tiny database tells apart: a proof that is not shown here.
    pub unshown: usize,
    /// Proofs of equality that a tiny database refutes.
    pub wrong: Vec<Wrong>,
    /// Pairs that the suite calls the same.
    pub same: usize,
    /// Of these, those that a tiny database tells apart.
    pub missed: Vec<Missed>,
}

/// A pair that the suite calls the same, and a tiny database tells apart.
#[derive(Debug, Clone)]
pub struct Missed {
    /// The database's schema.
    pub db_id: String,
    /// The two queries, with what was done to make them.
    pub queries: [(String, &'static str); 2],
    /// The database that tells them apart.
    pub refutation: Refutation,
}

/// A wrong proof.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// The database's schema.
    pub db_id: String,
    /// The semantics.
    pub semantics: String,
    /// The two queries, with what was done to make them.
    pub queries: [(String, &'static str); 2],
    /// The rules that the proof used.
    pub rules: Vec<&'static str>,
    /// The database that refutes it.
    pub refutation: Refutation,
}

impl Tally {
    /// Adds another one's counts.
    pub fn merge(&mut self, other: Tally) {
        let Tally { pairs, equal, different, unshown, wrong, same, missed } = other;
        self.pairs += pairs;
        self.equal += equal;
        self.different += different;
        self.unshown += unshown;
        self.wrong.extend(wrong);
        self.same += same;
        self.missed.extend(missed);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { pairs, equal, different, unshown, wrong, same, missed } = self;
        if *same > 0 {
            let missed = missed.len();
            return write!(f, "{pairs} pairs: the suite calls {same} the same, {missed} of them wrongly");
        }
        let wrong = wrong.len();
        write!(
            f,
            "{pairs} pairs: {equal} proved equal, {wrong} of them wrongly; {different} proved different"
        )?;
        write!(f, ", {unshown} of them not shown by a tiny database")
    }
}

impl std::fmt::Display for Missed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Missed { db_id, queries, refutation } = self;
        writeln!(f, "{db_id}: the suite says the same, and a tiny database does not")?;
        for (sql, made) in queries {
            writeln!(f, "  {made}: {sql}")?;
        }
        write!(f, "{}", refutation.statements)
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Wrong { db_id, semantics, queries, rules, refutation } = self;
        writeln!(f, "{db_id}, {semantics}: proved equal by {}, and told apart", rules.join(", "))?;
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
            tally.same += 1;
            if let Some(refutation) = self.refutation((&gold.sql, &pred.sql), hunt.seed, hunt.databases)? {
                let queries = [&gold, &pred].map(|v| (v.sql.clone(), v.made));
                tally.missed.push(Missed { db_id: self.schema.db_id.clone(), queries, refutation });
            }
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
        let mut dice = Dice::new(hunt.seed, crate::dice::stable_hash(gold.sql.bytes()));
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

    fn held(&self, gold: &Variant, pred: &Variant, hunt: &Hunt, tally: &mut Tally) -> Result<(), ExecError> {
        tally.pairs += 1;
        let texts = (gold.sql.as_str(), pred.sql.as_str());
        match prove_plans(&self.schema, &gold.plan, &pred.plan, &self.semantics) {
            Proof::Equal(equal) => {
                tally.equal += 1;
                if let Some(refutation) = self.refutation(texts, hunt.seed, hunt.databases)? {
                    let mut rules = equal.gold_rules;
                    rules.extend(equal.pred_rules);
                    rules.sort_unstable();
                    rules.dedup();
                    tally.wrong.push(Wrong {
                        db_id: self.schema.db_id.clone(),
                        semantics: self.semantics.preset_name().to_owned(),
                        queries: [gold, pred].map(|v| (v.sql.clone(), v.made)),
                        rules,
                        refutation,
                    });
                }
            }
            Proof::Different(_) => {
                tally.different += 1;
                // The databases of such proofs are the smallest there are.
                let shown = self.refutation(texts, hunt.seed, hunt.databases)?;
                tally.unshown += usize::from(shown.is_none());
            }
            Proof::Unknown(_) => {}
        }
        Ok(())
    }
}

fn variant(schema: &Schema, sql: String, made: &'static str) -> Option<Variant> {
    let plan = plan(schema, &parse(&sql).ok()?).ok()?;
    Some(Variant { sql, made, plan })
}
