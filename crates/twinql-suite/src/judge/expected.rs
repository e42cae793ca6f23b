//! How likely execution on a real database would call the prediction right.

use super::{GOLD, Judge};
use crate::bout::{Outcome, Settling, nonempty};
use crate::execute::ExecError;
use crate::plausible::{Expected, ExpectedConfig, Plausible};
use crate::text::ready;
use crate::facts::Facts;

impl Judge {
    /// Runs the pair on plausible databases and counts those on which both agree, answers compared as they were
    /// returned, as execution accuracy does. `None` where a query does not run.
    pub fn expected(&self, gold: &str, pred: &str, config: &ExpectedConfig) -> Option<Expected> {
        self.sandbox.after_timeouts(0);
        let gold = ready(&self.sandbox, gold).ok()?;
        let pred = ready(&self.sandbox, pred).ok()?;
        let of = |ast: &Option<sqlparser::ast::Query>| {
            ast.as_ref().map(|a| Facts::of(&self.schema, a)).unwrap_or_default()
        };
        let facts = [of(&gold.ast), of(&pred.ast)];
        let (_, tables) = self.read(&gold, &pred);
        let plausible = Plausible::new(&self.schema, &facts[0], &facts[1], &tables, self.config.seed);
        let mut trial = self.start(gold, pred, plausible.tables(), Settling::AsReturned).ok()?;
        let mut expected = Expected { agree: 0, of: 0, made: 0 };
        for index in 0..config.attempts {
            if expected.of >= config.databases {
                break;
            }
            // A gold that has not answered so far may ask for more rows than small tables have.
            let plenty = expected.of == 0 && index >= 6 || expected.of * 3 < index;
            let database = plausible.database(index, plenty);
            expected.made += 1;
            let outcome = trial.bout(&database);
            let says = trial.ring.answer(GOLD).is_ok_and(nonempty);
            match outcome {
                Outcome::Agree(_) if says => {
                    expected.agree += 1;
                    expected.of += 1;
                }
                Outcome::Differ if says => expected.of += 1,
                Outcome::Agree(_) | Outcome::Differ => {}
                Outcome::Failed(_, ExecError::Limit(_)) => {}
                Outcome::Failed(_, _) => return None,
            }
        }
        Some(expected)
    }
}
