//! Proofs against execution: nothing proved equal is told apart, everything proved
//! different is, and certificates hold where they are checked apart from the search.
//!
//! `TWINQL_PROOFS_DATABASES` says on how many databases each pair runs.

use std::collections::BTreeMap;

use twinql_sql::prove::{Certificate, Contained, Side, verify};
use twinql_sql::{Proof, Schema, Semantics, prove};
use twinql_suite::{Dice, Judge, JudgeConfig, Verdict, neighbours};

use crate::bundled::{data, golds, schemas};

fn databases(or: u64) -> u64 {
    std::env::var("TWINQL_PROOFS_DATABASES").ok().and_then(|n| n.parse().ok()).unwrap_or(or)
}

fn judge(schema: &Schema, preset: &str, or: u64) -> Judge {
    let config = JudgeConfig {
        semantics: Semantics::preset(preset).unwrap(),
        databases: databases(or),
        ..JudgeConfig::default()
    };
    Judge::new(schema, config).unwrap()
}

#[derive(Debug, Default)]
struct Counts {
    equal: usize,
    mapped: usize,
    different: usize,
    unknown: usize,
    contained: usize,
}

/// Proves a pair, checks the certificate and asks the judge. What they disagree in.
fn tried(judge: &Judge, schema: &Schema, gold: &str, pred: &str, counts: &mut Counts) -> Result<(), String> {
    let semantics = &judge.config().semantics;
    let Ok(proof) = prove(schema, gold, pred, semantics) else {
        return Ok(());
    };
    let wrong = |what: &str, verdict: &Verdict| {
        Err(format!(
            "{}, {semantics}: {what}\n gold {gold}\n pred {pred}\n {proof:#?}\n {verdict:#?}",
            schema.db_id
        ))
    };
    match &proof {
        Proof::Equal(equal) => {
            counts.equal += 1;
            counts.mapped += usize::from(matches!(equal.certificate, Certificate::Homomorphisms(_)));
            verify(schema, gold, pred, semantics, equal)
                .map_err(|why| format!("{gold}\n{pred}\n{why}\n{proof:#?}"))?;
            match judge.judge(gold, pred) {
                verdict @ Verdict::Different { .. } => wrong("proved equal and told apart", &verdict),
                _ => Ok(()),
            }
        }
        Proof::Different(_) => {
            counts.different += 1;
            match judge.judge(gold, pred) {
                verdict @ Verdict::Same { .. } => wrong("proved different and not told apart", &verdict),
                _ => Ok(()),
            }
        }
        Proof::Unknown(unknown) => {
            counts.unknown += 1;
            let Some(Contained { side, maps }) = &unknown.contained else { return Ok(()) };
            // Columns in another order cannot be compared by EXCEPT.
            if maps.summary.iter().enumerate().any(|(i, j)| i != *j) {
                return Ok(());
            }
            counts.contained += 1;
            let (inner, outer) = if *side == Side::Gold { (gold, pred) } else { (pred, gold) };
            let beyond =
                format!("SELECT COUNT(*) FROM (SELECT * FROM ({inner}) EXCEPT SELECT * FROM ({outer}))");
            match judge.judge(&beyond, "SELECT 0") {
                verdict @ Verdict::Different { .. } => wrong("contained, and has rows of its own", &verdict),
                _ => Ok(()),
            }
        }
    }
}

/// The bundled pairs: the proofs agree with the hand-made labels, and with the judge.
#[test]
fn bundled_pairs() {
    let schemas = schemas();
    let text = std::fs::read_to_string(data().join("pairs.jsonl")).unwrap();
    let (mut counts, mut wrong) = (BTreeMap::<&str, Counts>::new(), Vec::new());
    let mut judges: BTreeMap<(&str, &str), Judge> = BTreeMap::new();
    for line in text.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| pair[name].as_str().unwrap();
        let (name, schema) = schemas.get_key_value(field("db_id")).unwrap();
        for preset in ["default", "no-fk", "bird", "strict"] {
            let judge = judges.entry((name, preset)).or_insert_with(|| judge(schema, preset, 15));
            let (gold, pred) = (field("gold"), field("pred"));
            wrong.extend(tried(judge, schema, gold, pred, counts.entry(preset).or_default()).err());
            let label = match preset {
                "default" => &pair["label"],
                "no-fk" if pair["label_no_fk"].is_number() => &pair["label_no_fk"],
                "no-fk" => &pair["label"],
                _ => continue,
            };
            match prove(schema, gold, pred, &judge.config().semantics).unwrap() {
                Proof::Equal(_) if label != 1 => wrong.push(format!("{} is proved equal", pair["id"])),
                Proof::Different(_) if label != 0 => {
                    wrong.push(format!("{} is proved different", pair["id"]))
                }
                _ => {}
            }
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(counts["default"].equal > 50 && counts["default"].different > 0);
    assert!(counts["default"].contained > 5);
}

/// Bundled gold queries against queries that differ from them in one place.
#[test]
fn neighbours_of_bundled_golds() {
    let schemas = schemas();
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    let mut judges: BTreeMap<&str, Judge> = BTreeMap::new();
    for (i, (gold, name)) in golds().iter().enumerate().step_by(18) {
        let (name, schema) = schemas.get_key_value(name).unwrap();
        let judge = judges.entry(name).or_insert_with(|| judge(schema, "default", 20));
        for neighbour in neighbours(schema, gold, i as u64, 12) {
            wrong.extend(tried(judge, schema, gold, &neighbour.sql, &mut counts).err());
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(counts.equal > 0 && counts.different > 0 && counts.contained > 5);
}

/// One row of a random conjunctive query.
#[derive(Clone)]
struct Atom {
    table: usize,
    /// Comparisons of its columns with constants.
    bounds: Vec<String>,
}

/// A random conjunctive query over `r(a, b, t)` and `s(k, a, t)`.
#[derive(Clone)]
struct Random {
    atoms: Vec<Atom>,
    /// `(atom, column)` on both sides.
    joins: Vec<[(usize, usize); 2]>,
    output: Vec<(usize, usize)>,
}

const COLUMNS: [[&str; 3]; 2] = [["a", "b", "t"], ["k", "a", "t"]];

fn bound(table: usize, dice: &mut Dice) -> String {
    let column = dice.below(3);
    let name = COLUMNS[table][column];
    let op = *dice.pick(&["=", "<", ">", "<=", ">=", "<>"]).unwrap();
    match column {
        2 => format!("{name} {op} '{}'", dice.pick(&["u", "v", "w"]).unwrap()),
        _ => format!("{name} {op} {}", dice.below(4)),
    }
}

impl Random {
    fn new(dice: &mut Dice) -> Random {
        let atoms: Vec<Atom> = (0..1 + dice.below(3))
            .map(|_| {
                let table = usize::from(dice.chance(0.35));
                let bounds = (0..dice.below(3)).map(|_| bound(table, dice)).collect();
                Atom { table, bounds }
            })
            .collect();
        let n = atoms.len();
        let joins = (1..n).map(|i| Random::join(i, n, dice)).collect();
        let output = (0..1 + dice.below(2)).map(|_| (dice.below(n), dice.below(3))).collect();
        Random { atoms, joins, output }
    }

    /// Columns of one type of two atoms.
    fn join(i: usize, n: usize, dice: &mut Dice) -> [(usize, usize); 2] {
        let text = dice.chance(0.3);
        let column = |dice: &mut Dice| if text { 2 } else { dice.below(2) };
        [(i, column(dice)), (dice.below(n), column(dice))]
    }

    /// Another query that is often the same: rows that say nothing new, other orders, other bounds.
    fn varied(&self, dice: &mut Dice) -> Random {
        let mut out = self.clone();
        if dice.chance(0.7) {
            // A copy of a row with some of its joins and bounds.
            let of = dice.below(out.atoms.len());
            let mut copy = out.atoms[of].clone();
            copy.bounds.retain(|_| dice.chance(0.6));
            let new = out.atoms.len();
            out.atoms.push(copy);
            let moved: Vec<_> = out
                .joins
                .iter()
                .filter(|j| j.iter().any(|(a, _)| *a == of))
                .map(|j| j.map(|(a, c)| (if a == of { new } else { a }, c)))
                .collect();
            out.joins.extend(moved.into_iter().filter(|_| dice.chance(0.8)));
            if dice.chance(0.7) {
                let column = dice.below(3);
                out.joins.push([(of, column), (new, column)]);
            }
        }
        if dice.chance(0.2) {
            let atom = dice.below(out.atoms.len());
            let table = out.atoms[atom].table;
            out.atoms[atom].bounds.push(bound(table, dice));
        }
        if dice.chance(0.2) && !out.joins.is_empty() {
            let n = out.joins.len();
            out.joins.remove(dice.below(n));
        }
        dice.shuffle(&mut out.joins);
        out
    }

    fn sql(&self, kind: usize) -> String {
        let name =
            |(atom, column): (usize, usize)| format!("x{atom}.{}", COLUMNS[self.atoms[atom].table][column]);
        let from: Vec<String> =
            self.atoms.iter().enumerate().map(|(i, a)| format!("{} x{i}", ["r", "s"][a.table])).collect();
        let bounds = self.atoms.iter().enumerate();
        let bounds = bounds.flat_map(|(i, a)| a.bounds.iter().map(move |b| format!("x{i}.{b}")));
        let joins = self.joins.iter().map(|[l, r]| format!("{} = {}", name(*l), name(*r)));
        let conditions: Vec<String> = joins.chain(bounds).collect();
        let output: Vec<String> = self.output.iter().map(|o| name(*o)).collect();
        let (first, all) = (&output[0], output.join(", "));
        let select = match kind {
            0 => format!("DISTINCT {all}"),
            1 => all,
            2 => format!("COUNT(DISTINCT {first})"),
            3 => format!("MAX({first}), MIN({first})"),
            _ => format!("COUNT({first})"),
        };
        let filter = if conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", conditions.join(" AND "))
        };
        format!("SELECT {select} FROM {}{filter}", from.join(", "))
    }
}

/// Random conjunctive queries and variants of them, under all kinds of heads.
#[test]
fn random_conjunctive_queries() {
    let ddl = "CREATE TABLE r (a INTEGER, b INTEGER, t TEXT); CREATE TABLE s (k INTEGER PRIMARY KEY, a INTEGER, t TEXT);";
    let schema = Schema::from_ddl("random", ddl).unwrap();
    let (mut counts, mut wrong) = (BTreeMap::<&str, Counts>::new(), Vec::new());
    let pairs = std::env::var("TWINQL_PROOFS_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    for preset in ["default", "bird", "strict"] {
        let judge = judge(&schema, preset, 25);
        let counts = counts.entry(preset).or_default();
        for i in 0..pairs {
            let mut dice = Dice::new(11, i);
            let one = Random::new(&mut dice);
            let two = one.varied(&mut dice);
            let kind = dice.below(5);
            wrong.extend(tried(&judge, &schema, &one.sql(kind), &two.sql(kind), counts).err());
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}\n\n{}", wrong.len(), wrong[..wrong.len().min(4)].join("\n\n"));
    assert!(counts["default"].mapped > 5 && counts["bird"].mapped > 5);
}
