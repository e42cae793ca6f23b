//! Queries that run on the same databases, and the pairs of them that must agree.

use twinql_sql::{Schema, Semantics};

use super::SoundnessConfig;
use super::report::{Checked, Disagreement, Fate, Tally, Witness};
use crate::bout::{Basis, Outcome, Party, Ring, Rules, Settling, Shrinking, Side, drop_rows, nonempty};
use crate::database::Database;
use crate::execute::{ExecError, Sandbox};
use crate::facts::Facts;
use crate::generate::Generator;

/// Databases on which a query may pass the limits before it is given up.
const MAX_LIMITED: u64 = 3;
/// Databases that are tried to make a witness smaller.
const MAX_SHRINKING: usize = 400;
/// The same where each trial takes thousands of executions.
const MAX_SHRINKING_OPEN: usize = 40;

/// What the duel of a pair came to.
#[derive(Debug, Clone, Default)]
pub(super) struct DuelResult {
    tally: Tally,
    witness: Option<Witness>,
}

impl DuelResult {
    pub(super) fn checked(self, describe: impl FnOnce(&Witness) -> Disagreement) -> Checked {
        let fate = match &self.witness {
            Some(witness) => Fate::Differs(Box::new(describe(witness))),
            None if self.tally.databases == 0 => Fate::Unanswered,
            None => Fate::Agrees,
        };
        Checked { tally: self.tally, fate }
    }

    /// True if no further database is of use.
    fn decided(&self) -> bool {
        self.witness.is_some() || self.tally.limited >= MAX_LIMITED
    }
}

/// Two queries of an arena.
#[derive(Debug, Clone, Copy)]
struct Duel {
    left: usize,
    right: usize,
}

/// What a database says of a duel.
enum Finding {
    /// The answers agree, and this is what that rests on.
    Agrees(Basis),
    /// They differ, or the right query alone fails.
    Differs,
    /// The left query fails.
    LeftFails,
    /// A query passed the limits.
    Limited,
}

pub(super) struct Arena<'a> {
    schema: &'a Schema,
    config: &'a SoundnessConfig,
    /// That of the configuration, but for the order of columns.
    semantics: &'a Semantics,
    facts: Vec<Facts>,
    ring: Ring<'a>,
    /// By the number of their pair in the ring.
    duels: Vec<Duel>,
    results: Vec<DuelResult>,
}

impl<'a> Arena<'a> {
    pub(super) fn new(
        schema: &'a Schema,
        sandbox: &'a Sandbox,
        config: &'a SoundnessConfig,
        semantics: &'a Semantics,
    ) -> Arena<'a> {
        let rules = Rules::of(Settling::Sampled { probe: true });
        Arena {
            schema,
            config,
            semantics,
            facts: Vec::new(),
            ring: Ring::bare(sandbox, semantics, rules),
            duels: Vec::new(),
            results: Vec::new(),
        }
    }

    /// What the databases are made for.
    pub(super) fn facts(&mut self, facts: Facts) {
        if !self.facts.contains(&facts) {
            self.facts.push(facts);
        }
    }

    pub(super) fn enter(&mut self, query: Party<'a>) -> usize {
        self.ring.enter(query)
    }

    pub(super) fn pair(&mut self, left: usize, right: usize) -> usize {
        let pair = self.ring.pair(left, right);
        debug_assert_eq!(pair, self.duels.len());
        self.duels.push(Duel { left, right });
        self.results.push(DuelResult::default());
        pair
    }

    /// Runs all pairs on all databases.
    pub(super) fn run(mut self) -> Vec<DuelResult> {
        let facts = std::mem::take(&mut self.facts);
        let generator = Generator::new(self.schema, self.semantics, &facts, &[], self.config.seed);
        if self.ring.load_into(self.schema, generator.tables()).is_err() {
            return Vec::new();
        }
        for index in 0..self.config.databases {
            let open: Vec<usize> =
                (0..self.duels.len()).filter(|&duel| !self.results[duel].decided()).collect();
            if open.is_empty() {
                break;
            }
            let Some(database) = generator.database(index) else {
                continue;
            };
            let probe = self.config.probe > 0 && index % self.config.probe == 0;
            let findings = self.round(&open, &database, probe);
            let mut differ = Vec::new();
            for (duel, finding) in findings {
                if !self.note(duel, &finding) {
                    differ.push(duel);
                }
            }
            for duel in differ {
                let witness = self.witness(duel, index, &database);
                self.results[duel].witness = Some(witness);
            }
        }
        self.results
    }

    /// True if the first pair disagrees on this database.
    pub(super) fn differs_on(mut self, database: &Database) -> bool {
        let facts = std::mem::take(&mut self.facts);
        let generator = Generator::new(self.schema, self.semantics, &facts, &[], self.config.seed);
        self.ring.load_into(self.schema, generator.tables()).is_ok() && self.differs(0, database)
    }

    /// True if a pair disagrees on a database.
    fn differs(&mut self, duel: usize, database: &Database) -> bool {
        matches!(self.round(&[duel], database, true)[..], [(_, Finding::Differs)])
    }

    /// Runs pairs on one database. A database that SQLite does not take says nothing.
    fn round(&mut self, duels: &[usize], database: &Database, probe: bool) -> Vec<(usize, Finding)> {
        self.ring.rules.settling = Settling::Sampled { probe };
        if self.ring.load(database).is_err() {
            return Vec::new();
        }
        // Both run, whatever becomes of the left one: a pair of which either passes the limits is costly.
        for &duel in duels {
            let Duel { left, right } = self.duels[duel];
            for query in [left, right] {
                let _ = self.ring.answer(query);
            }
        }
        let outcomes = self.ring.loaded_bouts(duels, Some(database), &mut |_, _| false);
        let finding = |(duel, outcome): (usize, Outcome)| {
            let right = self.duels[duel].right;
            let finding = match outcome {
                Outcome::Agree(basis) => Finding::Agrees(basis),
                Outcome::Differ => Finding::Differs,
                Outcome::Failed(_, ExecError::Limit(_)) => Finding::Limited,
                Outcome::Failed(Side::Gold, _) => match self.ring.answer(right) {
                    Err(ExecError::Limit(_)) => Finding::Limited,
                    _ => Finding::LeftFails,
                },
                Outcome::Failed(Side::Pred, _) => Finding::Differs,
            };
            (duel, finding)
        };
        outcomes.unwrap_or_default().into_iter().map(finding).collect()
    }

    /// Counts what a database says of a pair; false where they disagree.
    fn note(&mut self, duel: usize, finding: &Finding) -> bool {
        let tally = &mut self.results[duel].tally;
        match finding {
            Finding::Differs => return false,
            Finding::LeftFails => tally.failed += 1,
            Finding::Limited => tally.limited += 1,
            Finding::Agrees(basis) => {
                match basis {
                    Basis::Answers => {}
                    Basis::Ties => tally.ties += 1,
                    Basis::Sampled => tally.sampled += 1,
                    Basis::Undecided => tally.undecided += 1,
                }
                tally.databases += 1;
                let told = self.ring.answer(self.duels[duel].left).is_ok_and(nonempty);
                tally.nonempty += u64::from(told);
            }
        }
        true
    }

    /// The smallest database found on which a pair that disagrees still does.
    fn witness(&mut self, duel: usize, index: u64, database: &Database) -> Witness {
        let Duel { left, right } = self.duels[duel];
        let open = [left, right].map(|query| self.ring.party(query).leaves_open());
        let mut shrinking = SmallerWitness {
            duel,
            smallest: database.clone(),
            tries: if open.contains(&true) { MAX_SHRINKING_OPEN } else { MAX_SHRINKING },
            arena: self,
        };
        drop_rows(&mut shrinking);
        let smallest = shrinking.smallest;
        // Once more, for the answers.
        let smallest = if self.differs(duel, &smallest) {
            smallest
        } else {
            self.round(&[duel], database, true);
            database.clone()
        };
        let mut rows = |query: usize| self.ring.answer(query).cloned().unwrap_or_default().rows;
        let (left, right_rows) = (rows(left), rows(right));
        Witness {
            index,
            statements: smallest.to_sql(self.schema),
            left,
            right: right_rows,
            error: self.ring.answer(right).err().map(ExecError::to_string),
            database: smallest,
        }
    }
}

/// A witness that is being made smaller.
struct SmallerWitness<'w, 'a> {
    arena: &'w mut Arena<'a>,
    duel: usize,
    smallest: Database,
    /// Databases that may still be tried.
    tries: usize,
}

impl Shrinking for SmallerWitness<'_, '_> {
    fn database(&self) -> &Database {
        &self.smallest
    }

    fn keep(&mut self, smaller: Database) -> bool {
        self.tries -= 1;
        let kept = smaller.check(self.arena.schema, self.arena.semantics).is_ok()
            && self.arena.differs(self.duel, &smaller);
        if kept {
            self.smallest = smaller;
        }
        kept
    }

    fn exhausted(&self) -> bool {
        self.tries == 0
    }
}
