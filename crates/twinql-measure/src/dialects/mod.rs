//! Measures how many real queries of each dialect are read, and how many the sandbox runs.
//!
//! `dialects --data DIR [--set FILE] [--dialect D] [--reasons]`

pub(crate) mod engines;
pub(crate) mod pairs;
mod second_opinion;
mod sets;

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use sets::{Subject, constructs, subjects};
use twinql_sql::{Dialect, in_sqlite, translate};
use twinql_suite::{Limits, Sandbox};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "dialects",
    about: "how many real queries of each dialect are read, and run in the sandbox",
    usage: "--data DIR [--set FILE] [--dialect D] [--reasons]",
    run,
};

/// Which queries are looked at.
struct Wanted {
    data: PathBuf,
    set: Option<String>,
    dialect: Option<Dialect>,
}

impl Wanted {
    fn new() -> Wanted {
        Wanted {
            data: std::env::var_os("TWINQL_DATA").map(PathBuf::from).unwrap_or_default(),
            set: None,
            dialect: None,
        }
    }

    /// Takes a flag that says which.
    fn take(&mut self, flag: &str, value: &str) -> Result<bool, Box<dyn std::error::Error>> {
        match flag {
            "--data" => self.data = value.into(),
            "--set" => self.set = Some(value.to_owned()),
            "--dialect" => self.dialect = Some(value.parse()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn subjects(&self) -> Result<Vec<Subject>, Box<dyn std::error::Error>> {
        let mut all = constructs();
        match self.data.as_os_str().is_empty() {
            true => println!("skipped: the queries of TWINQL_DATA, which is not set"),
            false => all.extend(subjects(&self.data)?),
        }
        all.retain(|s| {
            self.set.as_ref().is_none_or(|set| s.set == set) && self.dialect.is_none_or(|d| s.dialect == d)
        });
        Ok(all)
    }
}

/// What became of a query.
enum Fate {
    /// It is not read, and why.
    Unread(String),
    /// It is read; the sandbox does not take what it means in SQLite's words, and why.
    Unrun(String),
    Runs,
}

fn fate(subject: &Subject) -> Fate {
    let schema = match &subject.schema {
        Ok(schema) => schema,
        Err(why) => return Fate::Unread(format!("its schema: {why}")),
    };
    let sql = match in_sqlite(schema, &subject.sql, subject.dialect) {
        Ok(sql) => sql,
        Err(why) => return Fate::Unread(why.to_string()),
    };
    let prepared = Sandbox::new(schema, Limits::default()).and_then(|s| s.prepare(&sql).map(drop));
    prepared.map_or_else(|why| Fate::Unrun(why.to_string()), |()| Fate::Runs)
}

fn run(args: &[String]) -> Done {
    let mut wanted = Wanted::new();
    let mut reasons = false;
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        if flag == "--reasons" {
            reasons = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        if !wanted.take(flag, value)? {
            return Err(format!("unknown option {flag}").into());
        }
    }
    let subjects = wanted.subjects()?;
    let fates: Vec<Fate> = subjects.par_iter().map(fate).collect();
    let mut tallies: BTreeMap<(&str, Dialect), [usize; 3]> = BTreeMap::new();
    let mut why: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (subject, fate) in subjects.iter().zip(&fates) {
        let [all, read, runs] = tallies.entry((subject.set, subject.dialect)).or_default();
        *all += 1;
        match fate {
            Fate::Runs => {
                *read += 1;
                *runs += 1;
            }
            Fate::Unrun(reason) => {
                *read += 1;
                why.entry(format!("not run: {reason}")).or_default().push(&subject.id);
            }
            Fate::Unread(reason) => why.entry(format!("not read: {reason}")).or_default().push(&subject.id),
        }
    }
    println!("queries\tdialect\tin all\tread, %\trun, %");
    for ((set, dialect), [all, read, runs]) in tallies {
        let share = |n: usize| 100.0 * n as f64 / all.max(1) as f64;
        println!("{set}\t{dialect}\t{all}\t{:.1}\t{:.1}", share(read), share(runs));
    }
    acceptance(&subjects, reasons);
    if reasons {
        let mut why: Vec<_> = why.into_iter().collect();
        why.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
        for (reason, ids) in why {
            println!("{:4} {} [{}]", ids.len(), reason.replace('\n', " "), ids[..ids.len().min(3)].join(" "));
        }
    }
    Ok(())
}

/// How often it is said here that a system takes a query, and the system says the same.
fn acceptance(subjects: &[Subject], reasons: bool) {
    let takes = |s: &Subject| {
        let schema = s.schema.as_ref().ok()?;
        Some(
            translate(schema, &s.sql, s.dialect)
                .map_or_else(|e| Some(e.to_string()), |t| Some(t.refused?.to_string())),
        )
    };
    let said: Vec<(&Subject, bool, Option<String>)> =
        subjects.par_iter().filter_map(|s| Some((s, s.accepted?, takes(s)?))).collect();
    let (known, same) =
        (said.len(), said.iter().filter(|(_, accepted, why)| *accepted == why.is_none()).count());
    if known > 0 {
        println!(
            "\n{same} of {known} queries are taken or refused as their system does ({:.1} %)",
            100.0 * same as f64 / known as f64
        );
    }
    for (subject, accepted, why) in
        said.iter().filter(|_| reasons).filter(|(_, accepted, why)| *accepted != why.is_none())
    {
        let here = why.as_deref().unwrap_or("taken");
        println!("     {} {} here: {here}", subject.id, if *accepted { "taken;" } else { "refused;" });
    }
}
