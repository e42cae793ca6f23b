//! What each kind of degenerate completion earns, with the guard and without it, over every STEPth bundled gold, and with
//! `TWINQL_DATA` over GOLDS of Spider's training part.

pub mod against;

use std::path::PathBuf;

use against::{Case, Measured, measure};
use twinql::Engine;
use twinql::rewards::{GUARD_DATABASES, RewardConfig, Rewarder, Shaping};

use crate::{Done, Measurement};

/// The measurement.
pub(crate) const MEASUREMENT: Measurement = Measurement {
    name: "hacking",
    about: "what degenerate completions earn as rewards",
    usage: "[SHAPING [STEP [GOLDS [PARTIAL]]]]",
    run,
};

fn run(args: &[String]) -> Done {
    let shaping = match args.first() {
        Some(name) => Shaping::named(name).ok_or_else(|| format!("{name} is no shaping"))?,
        None => Shaping::Probability,
    };
    let number = |place: usize, usual: usize| args.get(place).map_or(Ok(usual), |n| n.parse());
    let partial = args.get(3).map_or(Ok(0.0), |n| n.parse())?;
    let mut sets: Vec<(&str, Vec<Case>)> = vec![("bundled golds", against::bundled(number(1, 1)?))];
    match std::env::var_os("TWINQL_DATA") {
        Some(data) => {
            sets.push(("Spider train golds", against::spider_train(&PathBuf::from(data), number(2, 300)?)));
        }
        None => println!("skipped: TWINQL_DATA is not set"),
    }
    for (name, cases) in sets {
        let mut guards = vec![0, 1, 2, 4, 8, GUARD_DATABASES];
        if !shaping.is_guarded() {
            guards = vec![0, GUARD_DATABASES];
        }
        let of = |guard| {
            let config = RewardConfig { shaping, guard, partial, ..RewardConfig::default() };
            measure(&cases, &Rewarder::new(Engine::builder(), config).expect("a rewarder"))
        };
        let measured: Vec<(u64, Measured)> = guards.into_iter().map(|guard| (guard, of(guard))).collect();
        println!(
            "── {name}: {} golds, {} honest mistakes, {}",
            cases.len(),
            measured[0].1.of,
            shaping.name()
        );
        for (guard, m) in &measured {
            let all: usize = m.kinds.iter().map(|(_, t)| t.all).sum();
            let above: usize = m.kinds.iter().map(|(_, t)| t.above.len()).sum();
            let same: usize = m.kinds.iter().map(|(_, t)| t.same).sum();
            let right: usize = m.kinds.iter().map(|(_, t)| t.right).sum();
            println!(
                "guard {guard:>2}: {all} completions, {right} right, {same} called the same, {above} above an honest mistake; mistakes earn {:.4}; {:.2} ms each",
                m.mistakes,
                m.time.as_secs_f64() * 1e3 / (all + m.of) as f64,
            );
        }
        let without = &measured[0].1;
        let with = measured.iter().find(|(guard, _)| *guard == GUARD_DATABASES).map_or(without, |(_, m)| m);
        println!("kind: completions, right | called the same, above, mean without guard | with");
        for ((kind, a), (_, b)) in without.kinds.iter().zip(&with.kinds) {
            println!(
                "{kind}: {}, {} | {}, {}, {:.3} | {}, {}, {:.3} {:?}",
                a.all,
                b.right,
                a.same,
                a.above.len(),
                a.sum / (a.all - a.right).max(1) as f64,
                b.same,
                b.above.len(),
                b.sum / (b.all - b.right).max(1) as f64,
                b.known
            );
        }
        for line in with.kinds.iter().flat_map(|(kind, t)| t.above.iter().map(move |l| (kind, l))).take(60) {
            println!("above: {} {}", line.0, line.1);
        }
    }
    Ok(())
}
