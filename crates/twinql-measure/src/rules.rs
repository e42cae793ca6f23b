//! A ledger of the normalisation rules: each is switched off in turn, over real queries and pairs.
//!
//! Of a query in which a rule changes something, the form without it shows whether another rule does the same work; of a pair that
//! is proved by equal forms, whether the proof rests on it. A row stands for a rule, tab-separated, and the last one for all.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use twinql_sql::normalize::normalize_with;
use twinql_sql::{Canonical, Plan, RULES, Schema, Semantics, parse, plan};

use crate::soundness::lines::{PAIRED, Question, benchmarks, families};
use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "rules",
    about: "what rests on each normalisation rule: forms, proofs and milliseconds",
    usage: "[--data DIR] [--step N] [--semantics S]",
    run,
};

/// Queries of which the time without each rule is taken, at most, and how often each is normalised; the fastest time counts.
const TIMED: usize = 400;
const RUNS: usize = 3;

struct Options {
    data: PathBuf,
    step: usize,
    semantics: Semantics,
}

fn options(args: &[String]) -> Result<Options, Box<dyn std::error::Error>> {
    let mut options = Options {
        data: std::env::var_os("TWINQL_DATA").map(PathBuf::from).unwrap_or_default(),
        step: 1,
        semantics: Semantics::default(),
    };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--data" => options.data = PathBuf::from(value),
            "--step" => options.step = value.parse::<usize>()?.max(1),
            "--semantics" => options.semantics = value.parse()?,
            other => return Err(format!("{other} is not known: {}", MEASUREMENT.usage).into()),
        }
    }
    Ok(options)
}

/// A query that can be planned.
struct Subject {
    schema: Arc<Schema>,
    plan: Plan,
    form: Canonical,
}

impl Subject {
    fn without(&self, rule: &str, semantics: &Semantics) -> Canonical {
        normalize_with(&self.schema, self.plan.clone(), semantics, &|r| r.name != rule)
    }

    /// The seconds that a normalisation takes, and those that it takes without the rule: what the machine does besides
    /// changes from moment to moment, so each is timed beside the other, and the fastest time of some counts.
    fn times(&self, rule: &str, semantics: &Semantics) -> (f64, f64) {
        let once = |rule: &str| {
            let start = Instant::now();
            std::hint::black_box(self.without(rule, semantics));
            start.elapsed()
        };
        let (mut all, mut without) = (Duration::MAX, Duration::MAX);
        for _ in 0..RUNS {
            all = all.min(once(""));
            without = without.min(once(rule));
        }
        (all.as_secs_f64(), without.as_secs_f64())
    }
}

/// The queries, each text of a schema once, and the pairs of them by number.
#[derive(Default)]
struct Subjects {
    all: Vec<Subject>,
    pairs: BTreeSet<(usize, usize)>,
}

impl Subjects {
    fn of(questions: &[(Question, bool)], semantics: &Semantics) -> Subjects {
        let mut texts: Vec<(Arc<Schema>, &str)> = Vec::new();
        let mut known: HashMap<(usize, &str), usize> = HashMap::new();
        let mut pairs = BTreeSet::new();
        for (question, paired) in questions {
            for sql in std::iter::once(&question.gold).chain(&question.preds) {
                let key = (Arc::as_ptr(&question.schema).addr(), sql.as_str());
                known.entry(key).or_insert_with(|| {
                    texts.push((Arc::clone(&question.schema), sql));
                    texts.len() - 1
                });
            }
            if *paired {
                let at = |sql: &str| known.get(&(Arc::as_ptr(&question.schema).addr(), sql)).copied();
                pairs.extend(question.preds.iter().filter_map(|pred| at(&question.gold).zip(at(pred))));
            }
        }
        let planned: Vec<Option<Subject>> = texts
            .par_iter()
            .map(|(schema, sql)| {
                let plan = plan(schema, &parse(sql).ok()?).ok()?;
                let form = normalize_with(schema, plan.clone(), semantics, &|_| true);
                Some(Subject { schema: Arc::clone(schema), plan, form })
            })
            .collect();
        let mut subjects = Subjects::default();
        let mut places = Vec::new();
        for subject in planned {
            places.push(subject.is_some().then_some(subjects.all.len()));
            subjects.all.extend(subject);
        }
        let place = |at: usize| places.get(at).copied().flatten();
        subjects.pairs = pairs.into_iter().filter_map(|(a, b)| place(a).zip(place(b))).collect();
        subjects
    }

    fn form(&self, at: usize) -> Option<&Canonical> {
        self.all.get(at).map(|subject| &subject.form)
    }

    /// The pairs of which the forms are equal; those of one text are no proof.
    fn proved(&self) -> Vec<(usize, usize)> {
        let equal = |(a, b): &(usize, usize)| {
            a != b && self.form(*a).zip(self.form(*b)).is_some_and(|(a, b)| a.plan.query == b.plan.query)
        };
        self.pairs.iter().copied().filter(equal).collect()
    }
}

fn run(args: &[String]) -> Done {
    let options = options(args)?;
    if options.data.as_os_str().is_empty() {
        println!("skipped: give --data, or set TWINQL_DATA");
        return Ok(());
    }
    let mut questions: Vec<(Question, bool)> = Vec::new();
    for family in families(&options.data)? {
        let paired = PAIRED.contains(&family.name) || family.name == "spider-pair dev";
        questions.extend(family.questions.into_iter().step_by(options.step).map(|q| (q, paired)));
    }
    for family in benchmarks(&options.data)? {
        questions.extend(family.questions.into_iter().map(|q| (q, true)));
    }
    let semantics = &options.semantics;
    let subjects = Subjects::of(&questions, semantics);
    let proved = subjects.proved();
    let timed: Vec<&Subject> = subjects.all.iter().step_by(subjects.all.len() / TIMED + 1).collect();
    let times = |rule: &str| {
        let each = timed.iter().map(|s| s.times(rule, semantics));
        each.fold((0.0, 0.0), |(all, without), (a, b)| (all + a, without + b))
    };
    let per_thousand = |d: f64| d * 1e6 / timed.len().max(1) as f64;
    println!(
        "rule\tqueries that it changes\tforms that rest on it\tproofs that rest on it\tms for 1,000 queries"
    );
    let mut idle = Vec::new();
    for rule in RULES {
        let without: BTreeMap<usize, Canonical> = subjects
            .all
            .par_iter()
            .enumerate()
            .filter(|(_, subject)| subject.form.applied.contains(&rule.name))
            .map(|(at, subject)| (at, subject.without(rule.name, semantics)))
            .collect();
        let changed = |(at, form): &(&usize, &Canonical)| {
            subjects.form(**at).is_some_and(|own| own.plan.query != form.plan.query)
        };
        let forms = without.iter().filter(changed).count();
        let of = |at: usize| without.get(&at).or_else(|| subjects.form(at));
        let lost =
            |(a, b): &&(usize, usize)| of(*a).zip(of(*b)).is_some_and(|(a, b)| a.plan.query != b.plan.query);
        let proofs = proved.iter().filter(lost).count();
        let (all, own) = times(rule.name);
        let cost = all - own;
        println!("`{}`\t{}\t{forms}\t{proofs}\t{:.1}", rule.name, without.len(), per_thousand(cost));
        if without.is_empty() {
            idle.push(rule.name);
        }
    }
    let (all, _) = times("");
    println!(
        "all {}\t{}\t{}\t{}\t{:.1}",
        RULES.len(),
        subjects.all.iter().filter(|subject| !subject.form.applied.is_empty()).count(),
        subjects.all.len(),
        proved.len(),
        per_thousand(all)
    );
    eprintln!(
        "{} queries, {} pairs; never used: {}",
        subjects.all.len(),
        subjects.pairs.len(),
        idle.join(", ")
    );
    Ok(())
}
