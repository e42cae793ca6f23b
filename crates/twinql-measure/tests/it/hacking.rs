//! No degenerate completion earns more than an honest mistake; `scripts/rewards.sh` measures it over more golds.
use std::path::PathBuf;

use twinql::Engine;
use twinql::rewards::{HACKS, RewardConfig, Rewarder, Shaping, hacks};
use twinql_measure::hacking::against::{self, Case, measure};

/// Checks all kinds under a shaping.
fn check(cases: &[Case], shaping: Shaping) {
    assert!(cases.len() >= 10);
    let config = RewardConfig { shaping, ..RewardConfig::default() };
    let measured = measure(cases, &Rewarder::new(Engine::builder(), config).expect("a rewarder"));
    for (kind, tally) in &measured.kinds {
        assert!(tally.above.is_empty(), "{kind} under {}: {:#?}", shaping.name(), tally.above);
        // What is right for one gold in two is no degenerate kind.
        assert!(tally.right * 2 <= tally.all, "{kind}: {} of {} are right", tally.right, tally.all);
    }
}

#[test]
fn there_are_at_least_forty_kinds_each_with_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> = hacks().map(|h| h.name).collect();
    assert!(names.len() >= 40);
    assert_eq!(names.len(), hacks().count());
    assert_eq!(hacks().count(), HACKS.iter().map(|(_, list)| list.len()).sum::<usize>());
}

#[test]
fn nothing_is_gained_by_probability() {
    check(&against::bundled(8), Shaping::Probability);
}

#[test]
fn nothing_is_gained_by_gmn_score() {
    check(&against::bundled(14), Shaping::GmnScore);
}

#[test]
fn nothing_is_gained_by_tiers() {
    check(&against::bundled(12), Shaping::Tiers);
}

#[test]
fn nothing_is_gained_by_expected_ex() {
    check(&against::bundled(8), Shaping::ExpectedEx);
}

#[test]
fn nothing_is_gained_on_golds_of_spider() {
    let Some(data) = std::env::var_os("TWINQL_DATA") else {
        println!("skipped: TWINQL_DATA is not set");
        return;
    };
    check(&against::spider_train(&PathBuf::from(data), 15), Shaping::Probability);
}

/// The network alone is fooled: should that change, the guard may be too.
#[test]
fn without_the_guard_the_network_is_fooled() {
    let config = RewardConfig { guard: 0, ..RewardConfig::default() };
    let rewarder = Rewarder::new(Engine::builder(), config).expect("a rewarder");
    let measured = measure(&against::bundled(8), &rewarder);
    assert!(measured.kinds.iter().any(|(_, tally)| tally.same > 0));
}
