//! Each check finds what its entry says it finds, and nothing in what only looks like it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use twinql_audit::checks::SHOP;
use twinql_audit::{Asked, Auditor, CHECKS, Config, Severity, Status};
use twinql_sql::Schema;

fn auditor() -> Auditor {
    let schema = Schema::from_ddl("shop", SHOP).unwrap();
    Auditor::new(&schema, &Config { severity: Severity::Note, ..Config::default() }).unwrap()
}

#[test]
fn each_check_finds_its_examples_and_no_near_miss() {
    let auditor = auditor();
    let mut wrong = Vec::new();
    for check in CHECKS {
        for (queries, wanted) in [(check.finds, true), (check.misses, false)] {
            for example in queries {
                let (sql, asked) = Asked::of_example(example);
                let audit = auditor.audit(sql, asked);
                let found = audit.findings.iter().any(|f| f.check == check);
                if found != wanted {
                    let all: Vec<_> = audit.findings.iter().map(|f| (f.check.id, f.reason.clone())).collect();
                    wrong.push(format!(
                        "{} should{} find: {example}\n    {:?} {all:?}",
                        check.id,
                        if wanted { "" } else { " not" },
                        audit.status
                    ));
                }
            }
        }
        assert!(!check.finds.is_empty() && !check.misses.is_empty(), "{}", check.id);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn near_misses_are_queries() {
    let auditor = auditor();
    for check in CHECKS {
        for (sql, asked) in check.misses.iter().map(|example| Asked::of_example(example)) {
            assert_eq!(auditor.audit(sql, asked).status, Status::Audited, "{}: {sql}", check.id);
        }
    }
}

#[test]
fn every_check_has_one_name() {
    let ids: BTreeSet<&str> = CHECKS.iter().map(|c| c.id).collect();
    assert_eq!(ids.len(), CHECKS.len());
    let kebab = |id: &str| id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    assert!(ids.iter().all(|id| kebab(id)));
}

#[test]
fn what_is_not_determined_has_a_witness() {
    let auditor = auditor();
    for check in CHECKS.iter().filter(|c| c.undetermined) {
        for sql in check.finds {
            let audit = auditor.audit(sql, Asked::default());
            let witness = audit.findings.iter().find_map(|f| f.witness.as_ref());
            let witness = witness.unwrap_or_else(|| panic!("{}: no witness for {sql}", check.id));
            assert_ne!(witness.answers[0], witness.answers[1], "{sql}");
            assert!(witness.statements.contains("CREATE TABLE"), "{sql}");
        }
    }
}

#[test]
fn how_bad_a_finding_is() {
    let auditor = auditor();
    let severity = |sql: &str, check: &str| {
        auditor
            .audit(sql, Asked::default())
            .findings
            .into_iter()
            .find(|f| f.check.id == check)
            .map(|f| f.severity)
    };
    let cases = [
        // Orders of one customer, each with each: nobody means that.
        (
            "SELECT sum(a.total) FROM orders AS a JOIN orders AS b ON a.customer_id = b.customer_id",
            "sum-of-repeated-rows",
            Some(Severity::Warning),
        ),
        // Customers counted once for each order, which may be meant.
        (
            "SELECT sum(c.score) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
            "sum-of-repeated-rows",
            Some(Severity::Note),
        ),
        // A query about the orders.
        (
            "SELECT sum(c.score) / count(o.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id",
            "sum-of-repeated-rows",
            None,
        ),
        // One customer has a name, most likely.
        (
            "SELECT c.age, count(o.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.name = 'Ann'",
            "bare-column",
            Some(Severity::Note),
        ),
        (
            "SELECT c.age, count(o.id) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.city = 'Bern'",
            "bare-column",
            Some(Severity::Warning),
        ),
    ];
    for (sql, check, wanted) in cases {
        assert_eq!(severity(sql, check), wanted, "{check}: {sql}");
    }
}

#[test]
fn a_sum_of_repeated_rows_is_shown_beside_that_of_the_rows() {
    let audit = auditor().audit(
        "SELECT sum(c.score) FROM customer AS c JOIN orders AS o ON o.customer_id = c.id WHERE o.total > 3",
        Asked::default(),
    );
    let finding = audit.findings.iter().find(|f| f.check.id == "sum-of-repeated-rows").unwrap();
    assert!(finding.mended.as_ref().unwrap().contains("DISTINCT"));
    let witness = finding.witness.as_ref().unwrap();
    assert_ne!(witness.answers[0], witness.answers[1]);
}

#[test]
fn checks_of_questions_are_silent_without_one() {
    let auditor = auditor();
    for check in CHECKS.iter().filter(|c| c.reads_question()) {
        for (sql, asked) in check.finds.iter().map(|example| Asked::of_example(example)) {
            assert!(!asked.question.is_empty(), "{sql}");
            let unasked = Asked { question: "", ..asked };
            assert!(auditor.audit(sql, unasked).findings.iter().all(|f| f.check != check), "{sql}");
        }
    }
}
