//! `twinql estimate` through the binary.

use crate::support::{Folder, says};

const GOLD: &str = "\
SELECT name FROM singer WHERE age > 20\tconcerts
SELECT COUNT(*) FROM concert\tconcerts
SELECT name FROM singer ORDER BY age DESC LIMIT 1\tconcerts
";

fn folder() -> Folder {
    let folder = Folder::with("gold.sql", GOLD);
    let good = [
        "SELECT name FROM singer WHERE 20 < age",
        "SELECT COUNT(id) FROM concert",
        "SELECT name FROM singer WHERE age = (SELECT MAX(age) FROM singer)",
    ];
    folder.write("good.txt", good.join("\n"));
    folder.write("bad.txt", "SELECT id FROM singer\nSELECT cape FROM concert\nSELECT age FROM singer");
    folder
}

/// The command over these predictions, and more arguments.
fn with(extra: &str) -> String {
    format!("estimate --gold gold.sql --schemas concerts.sql --semantics bird --pred {extra}")
}

#[test]
fn systems_get_estimates_with_intervals() {
    let folder = folder();
    let args = with("good.txt worse=bad.txt --resamples 300 --format json");
    let report = folder.json(&args);
    let of = |at: usize, key: &str| report["systems"][at][key].as_f64().unwrap();
    assert!(of(0, "estimate") > 0.7 && of(1, "estimate") < 0.3, "{report}");
    assert!((0..2).all(|at| of(at, "low") <= of(at, "high")));
    assert_eq!((of(1, "failed"), of(1, "golds")), (1.0, 3.0));
    let contest = &report["contests"][0];
    assert_eq!((contest["first"].as_str(), contest["second"].as_str()), (Some("good"), Some("worse")));
    assert!(contest["difference"].as_f64().unwrap() > 0.4, "{report}");
    // The same on any number of threads.
    assert_eq!(report, folder.json(&format!("{args} --threads 1")));

    let (out, _) = folder.run(&with("good.txt worse=bad.txt --resamples 300"), 0);
    says(
        &out,
        &[
            "90 % intervals",
            "untested",
            "good",
            "worse",
            "Differences",
            "as many as of the predictions that ex was fitted to",
        ],
    );
}

#[test]
fn what_is_assumed_moves_the_estimate() {
    let folder = folder();
    let by = |share: &str| {
        let report =
            folder.json(&with(&format!("good.txt --assume-accuracy {share} --resamples 50 --format json")));
        report["systems"][0]["estimate"].as_f64().unwrap()
    };
    assert!(by("0.2") < by("0.9"));
    assert!((0.0..=1.0).contains(&by("batch")));
    folder.refuses(&with("good.txt --assume-accuracy 2"), &["must be a number from 0 to 1"]);
    folder.refuses(&with("good.txt bad.txt good.txt"), &["two systems are called"]);
}
