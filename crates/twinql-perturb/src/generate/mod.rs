//! A transformed test set from questions: every relation on every question, at most so many results of each.

#[cfg(test)]
pub(crate) mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use twinql_files::Fingerprint;
use twinql_sql::prove::{Proof, prove};
use twinql_sql::{Parsed, Schema, SchemaSet, Semantics, parse, plan};

use crate::PerturbError;
use crate::lexicon::Lexicon;
use crate::mapping::Mapping;
use crate::questions::{Question, Questions};
use crate::reads::Reads;
use crate::relation::{ORIGINAL, Relation, Target};
use crate::schema::Label;
use crate::schema::{Change, Given, GoldChange};
use crate::tables_json::{Natural, entry};
use crate::translate::{rewritten, through};

/// What is made.
#[derive(Debug, Clone)]
pub struct Config {
    /// The relations, each once.
    pub relations: Vec<&'static Relation>,
    /// Results of a relation for a question, at most.
    pub most: usize,
    /// The seed of all choices.
    pub seed: u64,
}

/// A schema with all that is written of it.
#[derive(Debug, Clone)]
pub struct Transformed {
    /// As it is read back from the DDL.
    pub schema: Schema,
    /// Its DDL.
    pub ddl: String,
    /// Its entry in a `tables.json`, as text.
    pub tables: String,
    /// How it relates to the original.
    pub mapping: Mapping,
}

/// One transformed input.
#[derive(Debug, Clone)]
pub struct Perturbed {
    /// `ORIGIN.RELATION.NUMBER`, as `12.PI.3`.
    pub id: String,
    /// The question's place in its file, from 0.
    pub origin: usize,
    /// The relation.
    pub relation: &'static Relation,
    /// The question.
    pub question: String,
    /// The question as it was.
    pub original: String,
    /// The gold query.
    pub gold: String,
    /// What of the label is kept.
    pub label: Label,
    /// The schema.
    pub place: Arc<Transformed>,
}

/// One line of a transformed test set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Unique in the file.
    pub id: String,
    /// The original question's place in its file, from 0.
    pub origin: usize,
    /// The relation's name.
    pub relation: String,
    /// The question.
    pub question: String,
    /// The question as it was.
    pub original: String,
    /// The gold query over the schema.
    pub gold: String,
    /// What of the label is kept.
    pub label: Label,
    /// The schema's name, one for each schema.
    pub db_id: String,
    /// The schema as DDL.
    pub schema: String,
    /// The schema as an entry of a `tables.json`.
    pub tables: Json,
    /// How the schema relates to the original.
    pub mapping: Mapping,
}

/// The members of a line that differ between inputs over one schema.
#[derive(Serialize)]
struct Head<'p> {
    id: &'p str,
    origin: usize,
    relation: &'p str,
    question: &'p str,
    original: &'p str,
    gold: &'p str,
    label: Label,
}

impl Perturbed {
    /// Writes the input as a [`Line`], without a line end.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = Head {
            id: &self.id,
            origin: self.origin,
            relation: self.relation.name,
            question: &self.question,
            original: &self.original,
            gold: &self.gold,
            label: self.label,
        };
        let head = serde_json::to_string(&head)?;
        let open = head.strip_suffix('}').unwrap_or(&head);
        let Transformed { schema, ddl, tables, mapping } = &*self.place;
        let (name, ddl, mapping) = (
            serde_json::to_string(&schema.db_id)?,
            serde_json::to_string(ddl)?,
            serde_json::to_string(mapping)?,
        );
        write!(out, "{open},\"db_id\":{name},\"schema\":{ddl},\"tables\":{tables},\"mapping\":{mapping}}}")
    }
}

impl Transformed {
    /// None where the DDL does not read back as the schema.
    fn new(schema: Schema, name: String, mapping: Mapping, natural: &Natural) -> Option<Transformed> {
        let made = Transformed::unread(Schema { db_id: name, ..schema }, mapping, natural);
        let read = Schema::from_ddl(&made.schema.db_id, &made.ddl).ok()?;
        (read.tables == made.schema.tables).then_some(Transformed { schema: read, ..made })
    }

    /// As it is: an original may have no table at all.
    fn unread(schema: Schema, mapping: Mapping, natural: &Natural) -> Transformed {
        let ddl = schema.to_ddl();
        let tables = entry(&schema, &mapping, natural).to_string();
        Transformed { schema, ddl, tables, mapping }
    }
}

/// Why a question has no results of some relations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The question's place in its file, from 0.
    pub origin: usize,
    /// Why, and what helps.
    pub why: String,
}

/// What one relation made of all questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The relation's name.
    pub relation: &'static str,
    /// Its abbreviation.
    pub short: &'static str,
    /// Results.
    pub results: usize,
    /// Questions that have some.
    pub questions: usize,
    /// Results whose label is kept.
    pub kept: usize,
    /// Distinct schemas among the results.
    pub schemas: usize,
    /// The paper's number of test cases (Table 4).
    pub paper: usize,
}

/// The changes of one schema under one relation, ready to be chosen from. Their schemas and mappings are in what is
/// written of them.
struct Pool {
    relation: &'static Relation,
    entries: Vec<(Change, Arc<Transformed>)>,
}

/// One original schema.
struct Place {
    schema: Schema,
    same: Arc<Transformed>,
    pools: Vec<Pool>,
}

/// Transforms questions.
pub struct Generator {
    config: Config,
    places: HashMap<String, Place>,
}

impl Generator {
    /// Prepares all changes of the schemas that the questions are over.
    ///
    /// # Errors
    /// A setting that cannot work; what is bundled is damaged.
    pub fn new(
        config: Config,
        questions: &Questions,
        schemas: &SchemaSet,
        natural: &Natural,
    ) -> Result<Generator, PerturbError> {
        if config.most == 0 {
            return Err(PerturbError::Setting("at most 0 results: give at least 1".into()));
        }
        let lexicon = Lexicon::bundled()?;
        let wanted: HashSet<&str> = questions.questions.iter().map(|q| q.db_id.as_str()).collect();
        let given: Vec<(&String, &Schema)> =
            schemas.iter().filter(|(id, _)| wanted.contains(id.as_str())).collect();
        let made = given.into_par_iter().map(|(id, schema)| {
            let pools = config
                .relations
                .iter()
                .filter_map(|relation| pool(relation, schema, &lexicon, natural, &config));
            let same = Schema { db_id: id.clone(), ..schema.clone() };
            let same = Transformed::unread(same, Mapping::same(id.as_str()), natural);
            (id.clone(), Place { schema: schema.clone(), same: Arc::new(same), pools: pools.collect() })
        });
        Ok(Generator { places: made.collect(), config })
    }

    /// Every result of every question, in the order of the questions and relations; and what is left alone.
    pub fn run(&self, questions: &Questions) -> (Vec<Perturbed>, Vec<Left>) {
        let made: Vec<(Vec<Perturbed>, Vec<Left>)> =
            questions.questions.par_iter().map(|question| self.question(question)).collect();
        let (mut results, mut left) = (Vec::new(), Vec::new());
        for (of_one, left_of_one) in made {
            results.extend(of_one);
            left.extend(left_of_one);
        }
        let bad = questions.bad.iter().map(|bad| Left { origin: bad.number, why: bad.why.clone() });
        left.extend(bad);
        left.sort_by_key(|l| l.origin);
        (results, left)
    }

    /// The questions as they are, over their schemas; those without a schema are left out.
    pub fn originals(&self, questions: &Questions) -> Vec<Perturbed> {
        let same = |question: &Question| {
            let place = self.places.get(&question.db_id)?.same.clone();
            Some(Perturbed {
                id: question.number.to_string(),
                origin: question.number,
                relation: &ORIGINAL,
                question: question.question.clone(),
                original: question.question.clone(),
                gold: question.gold.clone(),
                label: Label::Kept,
                place,
            })
        };
        questions.questions.iter().filter_map(same).collect()
    }

    fn question(&self, question: &Question) -> (Vec<Perturbed>, Vec<Left>) {
        let leave = |why: String| Left { origin: question.number, why };
        let Some(place) = self.places.get(&question.db_id) else {
            let why =
                format!("no schema called {:?}: give the file that has it as --schemas", question.db_id);
            return (Vec::new(), vec![leave(why)]);
        };
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let gold = Gold::of(&place.schema, &question.gold);
        if let Err(why) = &gold {
            left.push(leave(format!("the schema stays, since the gold query cannot be followed: {why}")));
        }
        for relation in &self.config.relations {
            let found = match relation.target {
                Target::Utterance(apply) => self.utterances(question, place, apply),
                Target::Schema(_) => {
                    match (&gold, place.pools.iter().find(|p| p.relation.name == relation.name)) {
                        (Ok(gold), Some(pool)) => self.schemas(question, &place.schema, gold, pool),
                        _ => Vec::new(),
                    }
                }
            };
            for (number, (text, gold, label, to)) in found.into_iter().enumerate() {
                made.push(Perturbed {
                    id: format!("{}.{}.{number}", question.number, relation.short),
                    origin: question.number,
                    relation,
                    question: text,
                    original: question.question.clone(),
                    gold,
                    label,
                    place: to,
                });
            }
        }
        (made, left)
    }

    fn utterances(&self, question: &Question, place: &Place, apply: fn(&str) -> Vec<String>) -> Vec<Made> {
        let texts = apply(&question.question).into_iter().take(self.config.most);
        texts.map(|text| (text, question.gold.clone(), Label::Kept, place.same.clone())).collect()
    }

    fn schemas(&self, question: &Question, old: &Schema, gold: &Gold, pool: &Pool) -> Vec<Made> {
        let mut able: Vec<usize> = (0..pool.entries.len()).collect();
        able.retain(|&i| pool.entries.get(i).is_some_and(|(change, _)| change.fits(&gold.reads)));
        let seed = Fingerprint::of([question.number.to_string().as_str(), pool.relation.name])
            .with(self.config.seed.to_le_bytes())
            .number();
        able.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        // What touches the tables that the gold reads says more of a system.
        let near = |&i: &usize| pool.entries.get(i).is_some_and(|(change, _)| change.is_near(&gold.reads));
        able.sort_by_key(|i| !near(i));
        let mut chosen: Vec<(usize, Made)> = Vec::new();
        for i in able {
            if chosen.len() == self.config.most {
                break;
            }
            let Some((change, to)) = pool.entries.get(i) else { continue };
            if let Some(text) = gold.over(old, change, to, &question.gold) {
                let label = change.label(&gold.reads);
                chosen.push((i, (question.question.clone(), text, label, to.clone())));
            }
        }
        chosen.sort_by_key(|(i, _)| *i);
        chosen.into_iter().map(|(_, made)| made).collect()
    }
}

/// Question, gold, label, schema.
type Made = (String, String, Label, Arc<Transformed>);

/// The changes of a schema that a relation knows.
fn pool(
    relation: &'static Relation,
    schema: &Schema,
    lexicon: &Lexicon,
    natural: &Natural,
    config: &Config,
) -> Option<Pool> {
    let Target::Schema(apply) = relation.target else { return None };
    let seed =
        Fingerprint::of([schema.db_id.as_str(), relation.name]).with(config.seed.to_le_bytes()).number();
    let given = Given { schema, lexicon, most: config.most };
    let changes = apply(&given, &mut ChaCha8Rng::seed_from_u64(seed));
    let entries = changes.into_iter().filter_map(|mut change| {
        let digits = Fingerprint::of([change.schema.to_ddl().as_str(), relation.name]).digits();
        let name = format!("{}__{}", schema.db_id, digits.get(..10).unwrap_or(&digits));
        let to = Transformed::new(
            std::mem::take(&mut change.schema),
            name,
            std::mem::take(&mut change.mapping),
            natural,
        )?;
        Some((change, Arc::new(to)))
    });
    Some(Pool { relation, entries: entries.collect() })
}

/// A gold query that schemas can change under.
struct Gold {
    parsed: Parsed,
    reads: Reads,
    /// Names of the columns that it reads, table first.
    names: HashSet<(String, String)>,
}

impl Gold {
    fn of(schema: &Schema, sql: &str) -> Result<Gold, String> {
        let reads = Reads::of(schema, sql).map_err(|e| e.to_string())?;
        let parsed = parse(sql).map_err(|e| e.to_string())?;
        let names = names(schema, &reads);
        Ok(Gold { parsed, reads, names })
    }

    /// The gold over the new schema; none where it is no query there, or another one.
    fn over(&self, old: &Schema, change: &Change, to: &Transformed, sql: &str) -> Option<String> {
        if let GoldChange::Rewritten(_) = change.gold {
            let text = rewritten(old, &to.mapping, sql)?;
            plan(&to.schema, &parse(&text).ok()?).ok()?;
            let back = through(&to.schema, &to.mapping, &text)?;
            let proof = prove(old, sql, &back, &Semantics::default()).ok()?;
            return matches!(proof, Proof::Equal(_)).then_some(text);
        }
        let plan = plan(&to.schema, &self.parsed).ok()?;
        // The same columns, whatever stands around them.
        let reads = Reads::of_plan(&plan);
        let same = self.reads.starred || names(&to.schema, &reads) == self.names;
        same.then(|| sql.to_owned())
    }
}

/// The names of the columns that are read, in lower case, table first; a table without any by its own.
fn names(schema: &Schema, reads: &Reads) -> HashSet<(String, String)> {
    let of_table = |t: &usize| Some((schema.tables.get(*t)?.name.to_ascii_lowercase(), String::new()));
    let columns = reads.columns.iter().filter_map(|c| {
        let table = schema.tables.get(c.table)?.name.to_ascii_lowercase();
        Some((table, schema.column(*c)?.name.to_ascii_lowercase()))
    });
    columns.chain(reads.tables.iter().filter_map(of_table)).collect()
}

/// At most `most` results of each relation, drawn by the seed, in their order.
pub fn sample(results: Vec<Perturbed>, most: usize, seed: u64) -> Vec<Perturbed> {
    let mut of_relation: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, made) in results.iter().enumerate() {
        of_relation.entry(made.relation.name).or_default().push(i);
    }
    let mut kept = HashSet::new();
    for (name, mut numbers) in of_relation {
        let seed = Fingerprint::of([name, "sample"]).with(seed.to_le_bytes()).number();
        numbers.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        kept.extend(numbers.into_iter().take(most));
    }
    let numbered = results.into_iter().enumerate();
    numbered.filter(|(i, _)| kept.contains(i)).map(|(_, made)| made).collect()
}

/// What each relation made.
pub fn counts(relations: &[&'static Relation], results: &[Perturbed]) -> Vec<Count> {
    let count = |relation: &&'static Relation| {
        let of = || results.iter().filter(|r| r.relation.name == relation.name);
        Count {
            relation: relation.name,
            short: relation.short,
            results: of().count(),
            questions: of().map(|r| r.origin).collect::<HashSet<_>>().len(),
            kept: of().filter(|r| r.label == Label::Kept).count(),
            schemas: of().map(|r| r.place.schema.db_id.as_str()).collect::<HashSet<_>>().len(),
            paper: relation.paper,
        }
    };
    relations.iter().map(count).collect()
}
