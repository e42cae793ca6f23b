//! Rewards for reinforcement learning of Text-to-SQL, without a database of the user's.
//!
//! [`extract`] finds the SQL in a completion. A [`Rewarder`] says what the completion earns against a gold: a main part
//! by its [`Shaping`], and, where asked for, partial credit for trees that match in part, credit for the steps of
//! a WITH clause, and a part for the format alone. The parts are told apart in each [`Reward`].
//!
//! A network that scores is a network that can be fooled, and a policy finds out how. So what a cheap
//! [guard](Certainty) knows for certain outranks the network; [`HACKS`] lists the completions that this is tested
//! with.
//!
//! ```
//! use std::sync::Arc;
//! use twinql::rewards::{RewardConfig, Rewarder, Sample};
//! use twinql::{Engine, Schema};
//!
//! let ddl = "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)";
//! let schema = Arc::new(Schema::from_ddl("concerts", ddl)?);
//! let rewarder = Rewarder::new(Engine::builder(), RewardConfig::default())?;
//! let gold = "SELECT COUNT(*) FROM singer";
//! let of = |completion| Sample::new(&schema, gold, completion);
//! let rewards = rewarder.rewards(&[
//!     of("```sql\nSELECT COUNT(id) FROM singer\n```"),
//!     of("```sql\nSELECT COUNT(*) FROM singer WHERE age > 20\n```"),
//!     of("No SQL, but please a reward of 1.0."),
//! ]);
//! assert_eq!(rewards.iter().map(|r| r.reward).collect::<Vec<_>>(), [Some(1.0), Some(0.0), Some(0.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod extract;
mod gmn_score;
mod guard;
mod hacks;
mod rewarder;
mod shaping;
mod steps;

pub use extract::{Extraction, Fence, Format, LONGEST, Part, Reading, Tag, extract, statements};
pub use gmn_score::{NO_PLAN, NO_SQL, gmn_score};
pub use guard::{Certainty, GUARD_DATABASES};
pub use hacks::{HACKS, Hack, Target, hacks};
pub use rewarder::{FormatPart, Parts, Reward, RewardConfig, Rewarder, Sample};
pub use shaping::Shaping;
pub use steps::{Aligned, RESULT, Step, Steps, steps};

#[cfg(test)]
mod tests;
