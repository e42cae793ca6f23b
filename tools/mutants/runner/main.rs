//! Takes one condition out, and looks for a proof that becomes wrong: `runner RULE CONDITION|needs`.
//! Prints `example` where a near miss of the rule becomes alike, `hunt` where a tiny database refutes a proof of what is
//! made of the rule's examples, and `none` otherwise.

use twinql_sql::normalize::RULES;
use twinql_sql::normalize::example::Example;
use twinql_sql::{Semantics, canonicalize, mutant};
use twinql_suite::truth::{Finder, Hunt, Tally};

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().collect();
    let [_, name, condition] = args.as_slice() else { return Err("usage: runner RULE CONDITION|needs".into()) };
    let rule = RULES.iter().find(|r| r.name == name).ok_or_else(|| format!("no rule is called {name}"))?;
    match condition.parse() {
        Ok(number) => mutant::take_out(number),
        Err(_) => mutant::take_out_needs(rule.name),
    }
    let found = if examples(rule.examples)? {
        "example"
    } else if hunt(rule.examples)? {
        "hunt"
    } else {
        "none"
    };
    println!("{found}");
    Ok(())
}

/// Whether a near miss becomes alike.
fn examples(of: &[Example]) -> Result<bool, Failed> {
    let schema = Example::schema()?;
    for example in of.iter().filter(|e| !e.alike && e.untold.is_none()) {
        let semantics = example.semantics().ok_or("an example's semantics is not known")?;
        let [one, two] = example.queries.map(|sql| canonicalize(&schema, sql, &semantics));
        if one?.plan.query == two?.plan.query {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a proof becomes wrong: of the examples, their neighbours and their twists, under each preset.
fn hunt(of: &[Example]) -> Result<bool, Failed> {
    let schema = Example::schema()?;
    let size = Hunt { seed: 8, neighbours: 12, across: 12, databases: 40 };
    let presets = ["default", "declared", "no-fk", "strict", "bird", "spider"];
    for example in of {
        let own = example.semantics();
        for semantics in own.into_iter().chain(presets.iter().filter_map(|p| Semantics::preset(p))) {
            let finder = Finder::new(&schema, &semantics)?;
            let mut tally = Tally::default();
            let [one, two] = example.queries;
            finder.pair(one, two, &size, &mut tally)?;
            if !tally.wrong.is_empty() {
                return Ok(true);
            }
            for query in example.queries {
                finder.hunt(query, &size, &mut tally)?;
                if !tally.wrong.is_empty() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}
