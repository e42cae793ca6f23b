//! What two canonical forms do not share, for people.

use std::collections::BTreeMap;

use crate::explain::keyed_lines;
use crate::plan::Plan;
use crate::schema::Schema;

/// Lines shown for each side.
pub(super) const MAX_LINES: usize = 6;

/// The operators that only one side has, as lines of its tree. Which use of a table a column is of,
/// and what may be written either way round, makes no difference.
pub(super) fn differences(schema: &Schema, gold: &Plan, pred: &Plan) -> (Vec<String>, Vec<String>) {
    let (gold, pred) = (keyed_lines(schema, gold), keyed_lines(schema, pred));
    (missing(&gold, &pred), missing(&pred, &gold))
}

/// Lines of `of` that `other` does not have as often.
fn missing(of: &[(String, String)], other: &[(String, String)]) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, key) in other {
        *left.entry(key).or_default() += 1;
    }
    let unmatched = of.iter().filter(|(_, key)| match left.get_mut(key.as_str()) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    });
    unmatched.take(MAX_LINES).map(|(text, _)| text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Semantics, normalize, parse, plan};

    const DDL: &str = "CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, boss INTEGER);
        CREATE TABLE loan (id INTEGER PRIMARY KEY, member_id INTEGER, book INTEGER);";

    fn of(gold: &str, pred: &str) -> (Vec<String>, Vec<String>) {
        let schema = Schema::from_ddl("d", DDL).unwrap();
        let [gold, pred] = [gold, pred].map(|sql| {
            let read = plan(&schema, &parse(sql).unwrap()).unwrap();
            normalize(&schema, read, &Semantics::default()).plan
        });
        differences(&schema, &gold, &pred)
    }

    #[test]
    fn what_is_turned_round_is_no_difference() {
        let (gold, pred) = of(
            "SELECT loan.id FROM loan JOIN member ON member.boss = loan.book WHERE member.name = loan.member_id AND loan.id > 3",
            "SELECT loan.id FROM loan JOIN member ON loan.book = member.boss WHERE loan.id > 3 AND loan.member_id = member.name AND member.id <> 7",
        );
        let differs = |lines: &[String], part: &str| lines.iter().any(|l| l.contains(part));
        for turned in ["boss", "book", "member_id", "loan.id"] {
            assert!(!differs(&gold, turned) && !differs(&pred, turned), "{turned}: {gold:?} {pred:?}");
        }
        assert!(differs(&pred, "7") && pred.iter().any(|l| l.starts_with("Join ")), "{pred:?}");
    }

    #[test]
    fn columns_are_named_with_their_tables() {
        let (gold, pred) = of(
            "SELECT a.name FROM member a JOIN member b ON a.boss = b.id WHERE a.name || b.name = '#1'",
            "SELECT a.name FROM member a JOIN member b ON a.boss = b.id WHERE a.name || b.name = '#2'",
        );
        let both = gold.join(" ") + &pred.join(" ");
        for part in ["member.", "member#2.", "'#1'", "'#2'"] {
            assert!(both.contains(part), "{part}: {both}");
        }
    }

    #[test]
    fn a_line_that_stands_twice_counts_twice() {
        let lines = |lines: &[&str]| -> Vec<(String, String)> {
            let both = |l: &&str| (l.to_uppercase(), (*l).to_owned());
            lines.iter().map(both).collect()
        };
        assert_eq!(missing(&lines(&["a", "a", "b"]), &lines(&["b", "a"])), ["A"]);
    }
}
