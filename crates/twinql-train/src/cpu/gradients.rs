//! Gradients of parameters, and what all backward passes do.

use ndarray::{Array2, ArrayView2};
use twinql_gmn::pass::math::{add, add_product, flat, flat_mut};
use twinql_gmn::weights::{Layout, Slot};

/// Gradients of all parameters, by slot.
pub(super) struct Gradients {
    pub(super) slots: Vec<Array2<f32>>,
}

impl Gradients {
    pub(super) fn new(layout: &Layout) -> Gradients {
        Gradients { slots: layout.slots.iter().map(|s| Array2::zeros((s.rows, s.cols))).collect() }
    }

    pub(super) fn of(&mut self, slot: Slot) -> &mut Array2<f32> {
        &mut self.slots[slot.index]
    }

    pub(super) fn row(&mut self, slot: Slot, row: usize) -> &mut [f32] {
        &mut flat_mut(&mut self.slots[slot.index])[row * slot.cols..(row + 1) * slot.cols]
    }

    /// Adds what a product input · weight gives its weight, from the gradient of the product: inputᵀ · gradient.
    pub(super) fn add_weight(&mut self, slot: Slot, input: ArrayView2<'_, f32>, gradient: &Array2<f32>) {
        add_product(1.0, input.t(), gradient.view(), self.of(slot).view_mut());
    }

    /// Adds to the flat gradients.
    pub(super) fn add_to(&self, layout: &Layout, out: &mut [f32]) {
        for (slot, gradient) in layout.slots.iter().zip(&self.slots) {
            add(flat(gradient), slot.of_mut(out));
        }
    }
}

/// Adds the sum of all rows.
pub(super) fn add_rows(rows: &Array2<f32>, to: &mut Array2<f32>) {
    let width = rows.ncols();
    let to = flat_mut(to);
    for row in flat(rows).chunks_exact(width.max(1)) {
        add(row, to);
    }
}

/// Clears gradients where [`relu`] has cut.
pub(super) fn relu_mask(gradient: &mut Array2<f32>, activation: &Array2<f32>) {
    for (g, &a) in flat_mut(gradient).iter_mut().zip(flat(activation)) {
        *g = if a > 0.0 { *g } else { 0.0 };
    }
}
