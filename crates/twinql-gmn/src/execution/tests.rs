use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use twinql_sql::explain::kinds::kind;

use super::*;

/// Pairs whose labels follow a model.
fn drawn(model: &ExecutionModel, n: usize) -> Vec<Executed> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut unit = || f64::from(rng.next_u32()) / 2f64.powi(32);
    let evidence = [
        Evidence::ProvedEqual,
        Evidence::ProvedDifferent,
        Evidence::Refuted,
        Evidence::Unrefuted,
        Evidence::None,
    ];
    (0..n)
        .map(|i| {
            let of = if i % 7 == 0 { 0 } else { 16 };
            let signs = Signs {
                evidence: evidence[(unit() * evidence.len() as f64) as usize],
                agree: (unit() * (of + 1) as f64) as u64,
                of,
                network: Some(unit() as f32),
                every: None,
                regular: false,
                kinds: if i % 3 == 0 { vec![kind("duplicates").unwrap()] } else { Vec::new() },
            };
            let label = unit() < model.probability(&signs);
            Executed { signs, label, database: format!("db{}", i % 23), gold: i / 4 }
        })
        .collect()
}

fn model() -> ExecutionModel {
    let weights = [
        ("equal", 3.0),
        ("different", -3.0),
        ("refuted", -0.7),
        ("unrefuted", 1.5),
        ("unknown", 0.8),
        ("share", 0.7),
        ("untested", -0.4),
        ("network", 0.5),
        ("duplicates", 1.2),
    ];
    ExecutionModel {
        source: "by hand".into(),
        weights: weights.into_iter().map(|(name, weight)| (name.to_owned(), weight)).collect(),
        right: 0.5,
        together: Together { database: 0.05, gold: 0.1 },
        folds: Folds::default(),
    }
}

#[test]
fn the_model_that_labels_follow_is_found() {
    let truth = model();
    let found = ExecutionModel::fit(&drawn(&truth, 30_000), None, "drawn").unwrap();
    // An offset and one constant for each evidence are the same twice: what each has in all is compared.
    for (name, wanted) in truth.named().filter(|(name, _)| *name != "offset") {
        let of = |name: &str| found.weights.get(name).copied().unwrap_or_default();
        let evidence = ["equal", "different", "refuted", "unrefuted", "unknown"].contains(&name);
        let got = of(name) + if evidence { of("offset") } else { 0.0 };
        assert!((wanted - got).abs() < 0.4, "{name}: {wanted} {got}");
    }
    assert!(found.folds.auc > 0.85 && found.folds.ece < 0.05, "{:?}", found.folds);
    assert_eq!((found.folds.pairs, found.folds.databases), (30_000, 23));
    assert!(found.together.database < 0.02 && found.together.gold < 0.05, "{:?}", found.together);
}

#[test]
fn few_pairs_hardly_move_what_an_earlier_model_says_of_kinds() {
    let from = model();
    let found = ExecutionModel::fit(&drawn(&model(), 60), Some(&from), "few").unwrap();
    for ((name, before), (_, after)) in from.named().zip(found.named()) {
        assert!(OWN.contains(&name) || (before - after).abs() < 0.2, "{name}: {before} {after}");
    }
}

#[test]
fn more_agreement_is_never_worse() {
    let p = |agree, evidence| {
        model().probability(&Signs { evidence, agree, of: 16, network: Some(0.9), ..Signs::default() })
    };
    for evidence in [Evidence::Refuted, Evidence::Unrefuted] {
        assert!((1..=16).all(|agree| p(agree - 1, evidence) < p(agree, evidence)));
    }
    assert!(p(16, Evidence::ProvedEqual) > 0.99 && p(0, Evidence::ProvedDifferent) < 0.02);
    // Labels that contradict it leave it out.
    let reversed: Vec<Executed> =
        drawn(&model(), 4000).into_iter().map(|e| Executed { label: !e.label, ..e }).collect();
    let found = ExecutionModel::fit(&reversed, None, "reversed").unwrap();
    assert!(found.is_usable() && !found.weights.contains_key("share"));
}

#[test]
fn what_is_assumed_moves_probabilities_and_databases_widen_them() {
    let signs = Signs { evidence: Evidence::Refuted, agree: 8, of: 16, ..Signs::default() };
    let (model, p) = (model(), model().probability(&signs));
    assert_eq!(model.probability_among(&signs, None), p);
    assert!((model.probability_among(&signs, Some(model.right)) - p).abs() < 1e-12);
    assert!(model.probability_among(&signs, Some(0.8)) > p + 0.2);
    let Between { low, high } = model.between(p);
    assert!(low < p && p < high && low > 0.0 && high < 1.0, "{low} {p} {high}");
}

#[test]
fn what_cannot_be_fitted_says_why() {
    let pairs = drawn(&model(), 200);
    let one: Vec<Executed> = pairs.iter().filter(|e| e.label).cloned().collect();
    let fit = |pairs: &[Executed]| ExecutionModel::fit(pairs, None, "");
    assert_eq!(fit(&one), Err(Unfit::OneLabel(one.len())));
    assert_eq!(fit(&[]), Err(Unfit::OneLabel(0)));
    let few: Vec<Executed> = pairs.into_iter().map(|e| Executed { database: "db".into(), ..e }).collect();
    assert_eq!(fit(&few), Err(Unfit::FewDatabases { found: 1 }));
}

#[test]
fn the_shipped_weights_are_read_and_all_have_a_name() {
    let shipped = ExecutionModel::shipped().unwrap();
    let known: Vec<&str> = names().collect();
    for name in shipped.weights.keys() {
        assert!(known.contains(&name.as_str()), "{name}");
    }
    assert!(!shipped.source.is_empty() && shipped.folds.databases >= 5);
}
