//! Losses as tensors, of 32 bits: what [`crate::target`] and [`crate::contrast`] say, with gradients by burn's autodiff.

use burn::tensor::{Tensor, activation::relu};

use super::device::Place;
use crate::contrast::TINY;
use crate::target::{Item, ODDS_OF_A_DISTANCE, total_weight};

/// Larger than the exponent of any similarity that counts.
const NEVER: f32 = -1e9;

/// What pairs should be: the [targets](crate::target::Target) of a batch, a list for each of their fields.
#[derive(Debug)]
pub(super) struct Targets {
    least: Tensor<1>,
    most: Tensor<1>,
    at: Tensor<1>,
    weight: Tensor<1>,
    chance: Tensor<1>,
    has_chance: Tensor<1>,
    /// Of the batch's loss.
    share: Tensor<1>,
}

impl Targets {
    pub(super) fn new(items: &[Item], place: &Place) -> Targets {
        let total = total_weight(items);
        let list = |of: fn(&Item) -> f32| place.wide_list(items.iter().map(of).collect());
        Targets {
            least: list(|item| item.target.least),
            most: list(|item| item.target.most),
            at: list(|item| item.target.at),
            weight: list(|item| item.target.weight),
            chance: list(|item| item.target.chance.unwrap_or_default()),
            has_chance: list(|item| f32::from(u8::from(item.target.chance.is_some()))),
            share: place.wide_list(items.iter().map(|item| item.weight / total).collect()),
        }
    }

    /// The loss of a batch of these squared distances, as [`Target::loss`](crate::target::Target::loss).
    pub(super) fn loss(self, squared: Tensor<1>) -> Tensor<1> {
        let near = relu(self.least - squared.clone()) + relu(squared.clone() - self.most);
        let graded = self.weight * (squared.clone() - self.at).abs();
        let odds = (squared.neg() + 1.0) * ODDS_OF_A_DISTANCE;
        let spread = relu(odds.clone()) + odds.clone().abs().neg().exp().log1p();
        let told = (spread - self.chance * odds) / ODDS_OF_A_DISTANCE;
        (self.share * (near + graded + self.has_chance * told)).sum()
    }
}

/// NT-Xent of a batch's representations, pairs × 2 × g, and the share of views that are nearest to their own partner.
pub(super) fn nt_xent(graphs: Tensor<3>, temperature: f32, place: &Place) -> (Tensor<1>, Tensor<1>) {
    let [n, _, g] = graphs.dims();
    let side = |side: usize| -> Tensor<2> {
        let rows = graphs.clone().slice([0..n, side..side + 1]).reshape([n, g]);
        let lengths = (rows.clone().powi_scalar(2).sum_dim(1) + TINY).sqrt();
        rows / lengths
    };
    let similarity: Tensor<2> = side(0).matmul(side(1).swap_dims(0, 1)) / temperature;
    let own = (0..n * n).map(|i| if i % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
    let own: Tensor<2> = place.wide_list(own).reshape([n, n]);
    let partner: Tensor<2> = (similarity.clone() * own.clone()).sum_dim(1);
    let others = similarity + own * NEVER;
    // Of each view against the views on the other side: rows, then columns.
    let of_side = |along: usize| {
        let partner = if along == 1 { partner.clone() } else { partner.clone().swap_dims(0, 1) };
        let most = others.clone().detach().max_dim(along);
        let sum = (others.clone() - most.clone()).exp().sum_dim(along).log() + most.clone();
        let nearest: Tensor<1> = partner.clone().detach().greater(most).float().sum();
        ((sum - partner).sum(), nearest)
    };
    let ((rows, nearest_row), (columns, nearest_column)) = (of_side(1), of_side(0));
    let share = 0.5 / n as f32;
    ((rows + columns) * share, (nearest_row + nearest_column) * share)
}
