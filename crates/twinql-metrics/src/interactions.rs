//! Interactions: questions that build on each other, as in SParC and CoSQL (Yu et al. 2019, "Interaction match").

use serde::{Deserialize, Serialize};

use crate::significance::wilson;

/// Turns that are reported apart; the last one stands for all later ones too.
const TURNS: usize = 4;

/// A metric over interactions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfInteractions {
    /// Interactions in all.
    pub interactions: usize,
    /// The share of them of which every turn is right.
    pub accuracy: f64,
    /// Its interval (Wilson).
    pub low: f64,
    /// Its interval's upper end.
    pub high: f64,
    /// The share of first, second, third and later turns that are right; none where there is no such turn.
    pub by_turn: Vec<Option<f64>>,
}

/// Counts the turns of interactions, in their order.
#[derive(Debug, Clone, Default)]
pub struct Interactions {
    /// The interaction at hand, how many of its turns were counted, and whether all of these are right.
    at: Option<(usize, usize, bool)>,
    /// Interactions that are over, and those of which every turn is right.
    over: [usize; 2],
    /// By turn: how many there are, and how many are right.
    turns: [[usize; 2]; TURNS],
}

impl Interactions {
    /// Counts the turns of a list: the interaction of each, and whether it is right.
    pub fn of(interactions: &[usize], right: &[bool]) -> Interactions {
        let mut counted = Interactions::default();
        interactions.iter().zip(right).for_each(|(interaction, right)| counted.add(*interaction, *right));
        counted
    }

    /// Counts the next turn. An interaction is over where that of another one follows.
    pub fn add(&mut self, interaction: usize, right: bool) {
        let (turn, so_far) = match self.at {
            Some((at, turn, so_far)) if at == interaction => (turn, so_far),
            _ => {
                self.end();
                (0, true)
            }
        };
        if let Some([all, of_right]) = self.turns.get_mut(turn.min(TURNS - 1)) {
            *all += 1;
            *of_right += usize::from(right);
        }
        self.at = Some((interaction, turn + 1, so_far && right));
    }

    fn end(&mut self) {
        if let Some((_, _, right)) = self.at.take() {
            let [all, of_right] = &mut self.over;
            *all += 1;
            *of_right += usize::from(right);
        }
    }

    /// The shares, with intervals of this level; none where nothing was counted.
    pub fn outcome(mut self, level: f64) -> Option<OfInteractions> {
        self.end();
        let [interactions, right] = self.over;
        let share = |[all, right]: [usize; 2]| (all > 0).then(|| right as f64 / all as f64);
        let (low, high) = wilson(right, interactions, level)?;
        Some(OfInteractions {
            interactions,
            accuracy: share(self.over)?,
            low,
            high,
            by_turn: self.turns.map(share).to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interaction_is_right_if_every_turn_is() {
        let turns = [(0, true), (0, true), (1, true), (1, false), (1, true), (2, false), (7, true)];
        let (interactions, right): (Vec<usize>, Vec<bool>) = turns.into_iter().unzip();
        let found = Interactions::of(&interactions, &right).outcome(0.95);
        let found = found.map(|f| (f.interactions, f.accuracy, f.by_turn));
        assert_eq!(found, Some((4, 0.5, vec![Some(0.75), Some(0.5), Some(1.0), None])));
        assert_eq!(Interactions::default().outcome(0.95), None);
    }

    #[test]
    fn later_turns_stand_together() {
        let found = Interactions::of(&[3; 6], &[true, true, true, true, false, false]).outcome(0.95);
        assert_eq!(found.map(|f| (f.accuracy, f.by_turn[TURNS - 1])), Some((0.0, Some(1.0 / 3.0))));
    }
}
