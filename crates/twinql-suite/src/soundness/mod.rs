//! Soundness of normalisation, measured by execution: a query and its printed canonical form
//! return the same answer, and no database tells two queries apart whose canonical forms are
//! equal. Normalisation and execution are two ways to the same truth, and neither reads the
//! other.
//!
//! [`Bench::queries`] checks a batch of queries against their printed forms, [`Bench::pairs`]
//! a gold query against predictions. All queries of a batch run on the same generated
//! databases, whose values mix the constants of all of them.
//!
//! Where SQL leaves an answer open (ties that LIMIT cuts, bare columns, the first row of an
//! unordered subquery), what the queries *may* answer is compared, by the rules of the judge
//! and, where these are not enough, by samples of the possible answers. Each such case is counted.

mod config;
mod duel;
pub(crate) mod open;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use twinql_sql::normalize::normalize_with;
use twinql_sql::{Canonical, Plan, Schema, Semantics, canonicalize, plan, print};

use crate::bout::Party;
use crate::execute::{ExecError, Sandbox};
use crate::facts::Facts;
use crate::text::ready;
pub use config::SoundnessConfig;
use duel::Arena;
pub use report::{Checked, Disagreement, Fate, Tally, Totals};

/// Checks queries over one schema; keep one for each thread and schema.
#[derive(Debug)]
pub struct Bench {
    schema: Schema,
    config: SoundnessConfig,
    sandbox: Sandbox,
}

/// A query ready to be checked, or why it cannot be.
struct Subject {
    /// What SQLite runs.
    sql: String,
    plan: Plan,
    facts: Facts,
    /// Its answer depends on dice that cannot be compared.
    chance: bool,
}

impl Bench {
    /// A bench for one schema.
    ///
    /// # Errors
    /// Where SQLite cannot create the schema's tables (two of one name, for instance).
    pub fn new(schema: &Schema, config: SoundnessConfig) -> Result<Bench, ExecError> {
        Ok(Bench { schema: schema.clone(), sandbox: Sandbox::new(schema, config.limits)?, config })
    }

    fn subject(&self, text: &str) -> Result<Subject, Fate> {
        let ready = ready(&self.sandbox, text).map_err(|e| Fate::Refused(e.to_string()))?;
        let parsed = twinql_sql::parse(&ready.sql).map_err(|e| Fate::Unplanned(e.to_string()))?;
        let plan = plan(&self.schema, &parsed).map_err(|e| Fate::Unplanned(e.to_string()))?;
        let facts = Facts::of(&self.schema, &parsed.query);
        let lower = ready.sql.to_ascii_lowercase();
        Ok(Subject {
            // A generated table's rowid is the row's number, not its key.
            chance: ["random(", "randomblob(", "rowid"].iter().any(|w| lower.contains(w)),
            sql: ready.sql,
            plan,
            facts,
        })
    }

    fn printed(&self, plan: &Plan) -> Result<String, Fate> {
        print::to_sql(&self.schema, plan).map_err(|e| Fate::Unprintable(e.to_string()))
    }

    /// The semantics of the check of single queries: a printed form has its columns where
    /// the query has them. NULLs stand where the query asks for them.
    fn in_place(&self, text: &str) -> Semantics {
        let semantics = self.config.semantics.for_gold_text(&self.schema, text).into_owned();
        Semantics { any_column_order: false, ..semantics }
    }

    fn contestant(&self, sql: &str, plan: &Plan) -> Result<Party<'_>, ExecError> {
        Party::planned(&self.sandbox, &self.schema, &self.config.semantics, (sql, plan))
    }

    /// Checks each query of a batch against its printed canonical form. Queries that ask for the same NULLs share
    /// databases.
    pub fn queries(&self, texts: &[&str]) -> Vec<Checked> {
        let mut groups: Vec<(Semantics, Vec<usize>)> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let semantics = self.in_place(text);
            match groups.iter_mut().find(|(known, _)| *known == semantics) {
                Some((_, members)) => members.push(at),
                None => groups.push((semantics, vec![at])),
            }
        }
        let mut out = vec![Checked::default(); texts.len()];
        for (semantics, members) in groups {
            let some: Vec<&str> = members.iter().filter_map(|&at| texts.get(at).copied()).collect();
            for (at, checked) in members.into_iter().zip(self.queries_under(&some, &semantics)) {
                if let Some(place) = out.get_mut(at) {
                    *place = checked;
                }
            }
        }
        out
    }

    /// [`Bench::queries`] of queries that ask for the same NULLs.
    fn queries_under(&self, texts: &[&str], semantics: &Semantics) -> Vec<Checked> {
        let mut arena = Arena::new(&self.schema, &self.sandbox, &self.config, semantics);
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        // For each text: its outcome, or the duel that decides it.
        let mut fates = Vec::new();
        let mut subjects = Vec::new();
        for text in texts {
            let fate = self.subject(text).and_then(|subject| {
                if subject.chance {
                    return Err(Fate::Random);
                }
                let canonical = twinql_sql::normalize(&self.schema, subject.plan.clone(), semantics);
                let printed = self.printed(&canonical.plan)?;
                let left =
                    self.contestant(&subject.sql, &subject.plan).map_err(|e| Fate::Refused(e.to_string()))?;
                if printed == subject.sql {
                    return Err(Fate::Identical);
                }
                let right = match known.get(&printed) {
                    Some(&at) => at,
                    None => {
                        let right = match self.contestant(&printed, &canonical.plan) {
                            Ok(right) => right,
                            Err(e) => {
                                let found = Disagreement {
                                    message: Some(format!("the printed form is refused: {e}")),
                                    ..self.describe(&subject.sql, &printed, &canonical)
                                };
                                return Err(Fate::Differs(Box::new(found)));
                            }
                        };
                        let at = arena.enter(right);
                        known.insert(printed.clone(), at);
                        at
                    }
                };
                let left = arena.enter(left);
                let duel = arena.pair(left, right);
                arena.facts(subject.facts.clone());
                Ok((duel, subject, printed, canonical))
            });
            match fate {
                Ok((duel, subject, printed, canonical)) => {
                    fates.push(Ok(subjects.len()));
                    subjects.push((duel, subject, printed, canonical));
                }
                Err(fate) => fates.push(Err(fate)),
            }
        }
        let results = arena.run();
        fates
            .into_iter()
            .map(|fate| match fate {
                Err(fate) => fate.into(),
                Ok(at) => {
                    let (duel, subject, printed, canonical) = &subjects[at];
                    results[*duel].clone().checked(|witness| Disagreement {
                        blamed: self.blamed(subject, canonical, semantics, &witness.database),
                        witness: Some(witness.clone()),
                        ..self.describe(&subject.sql, printed, canonical)
                    })
                }
            })
            .collect()
    }

    /// Checks those predictions whose canonical form is that of the gold against the gold.
    pub fn pairs(&self, gold: &str, preds: &[&str]) -> Vec<Checked> {
        let semantics = self.config.semantics.for_gold_text(&self.schema, gold);
        let all = |fate: Fate| -> Vec<Checked> { preds.iter().map(|_| fate.clone().into()).collect() };
        let form = |sql: &str| canonicalize(&self.schema, sql, &semantics);
        let (gold, gold_form) = match (self.subject(gold), form(gold)) {
            (Ok(subject), Ok(form)) => (subject, form),
            (Err(fate), _) => return all(fate),
            (_, Err(e)) => return all(Fate::Unplanned(e.to_string())),
        };
        if gold.chance {
            return all(Fate::Random);
        }
        let mut arena = Arena::new(&self.schema, &self.sandbox, &self.config, &semantics);
        match self.contestant(&gold.sql, &gold.plan) {
            Ok(contestant) => arena.enter(contestant),
            Err(e) => return all(Fate::Refused(e.to_string())),
        };
        arena.facts(gold.facts.clone());
        let mut fates = Vec::new();
        for text in preds {
            fates.push(self.subject(text).and_then(|subject| {
                let pred = form(text).map_err(|e| Fate::Unplanned(e.to_string()))?;
                if pred.plan.query != gold_form.plan.query {
                    return Err(Fate::Unproved);
                }
                if subject.sql == gold.sql {
                    return Err(Fate::Identical);
                }
                let contestant =
                    self.contestant(&subject.sql, &subject.plan).map_err(|e| Fate::Refused(e.to_string()))?;
                let at = arena.enter(contestant);
                arena.facts(subject.facts);
                Ok((arena.pair(0, at), subject.sql, pred))
            }));
        }
        let results = arena.run();
        fates
            .into_iter()
            .map(|fate| match fate {
                Err(fate) => fate.into(),
                Ok((duel, pred, form)) => results[duel].clone().checked(|witness| {
                    let mut rules: Vec<&'static str> = gold_form.applied.clone();
                    rules.extend(form.applied.iter().filter(|r| !gold_form.applied.contains(r)));
                    Disagreement {
                        rules: rules.iter().map(|r| (*r).to_owned()).collect(),
                        form: self.printed(&form.plan).ok(),
                        witness: Some(witness.clone()),
                        ..self.describe(&gold.sql, &pred, &form)
                    }
                }),
            })
            .collect()
    }

    fn describe(&self, left: &str, right: &str, canonical: &Canonical) -> Disagreement {
        Disagreement {
            db_id: self.schema.db_id.clone(),
            semantics: self.config.semantics.name.clone(),
            left: left.to_owned(),
            right: right.to_owned(),
            rules: canonical.applied.iter().map(|r| (*r).to_owned()).collect(),
            ..Disagreement::default()
        }
    }

    /// What the disagreement on a database needs: `plan` where the plan printed without any
    /// rule already disagrees, else the rules without any one of which it vanishes.
    fn blamed(
        &self,
        subject: &Subject,
        canonical: &Canonical,
        semantics: &Semantics,
        database: &crate::Database,
    ) -> Vec<String> {
        let differs = |plan: &Plan| -> bool {
            let mut arena = Arena::new(&self.schema, &self.sandbox, &self.config, semantics);
            let Ok(printed) = self.printed(plan) else {
                return true;
            };
            let (Ok(left), Ok(right)) =
                (self.contestant(&subject.sql, &subject.plan), self.contestant(&printed, plan))
            else {
                return true;
            };
            let (left, right) = (arena.enter(left), arena.enter(right));
            arena.pair(left, right);
            arena.facts(subject.facts.clone());
            arena.differs_on(database)
        };
        if differs(&subject.plan) {
            return vec!["plan".into()];
        }
        canonical
            .applied
            .iter()
            .filter(|rule| {
                let without =
                    normalize_with(&self.schema, subject.plan.clone(), semantics, &|r| r.name != **rule);
                !differs(&without.plan)
            })
            .map(|rule| (*rule).to_owned())
            .collect()
    }
}
