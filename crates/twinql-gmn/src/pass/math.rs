//! Small pieces of linear algebra and fast elementary functions.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice, linalg::general_mat_mul};

/// Weights as matrices.
#[inline]
#[expect(clippy::expect_used)] // Slots and their slices come from one layout, and inputs are checked when prepared.
pub fn matrix(data: &[f32], rows: usize, cols: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, cols), data).expect("as many values as the shape has places")
}

/// A matrix of its elements, row after row of this length.
#[inline]
#[expect(clippy::expect_used)] // The passes fill whole rows.
pub fn of_rows(elements: Vec<f32>, cols: usize) -> Array2<f32> {
    let rows = elements.len() / cols.max(1);
    Array2::from_shape_vec((rows, cols), elements).expect("rows of one length")
}

/// A matrix's elements, row after row.
#[inline]
#[expect(clippy::expect_used)] // All matrices of the passes are made by `zeros`, products and copies of such.
pub fn flat(matrix: &Array2<f32>) -> &[f32] {
    matrix.as_slice().expect("a matrix in standard layout")
}

/// A matrix's elements, row after row.
#[inline]
#[expect(clippy::expect_used)] // As for `flat`.
pub fn flat_mut(matrix: &mut Array2<f32>) -> &mut [f32] {
    matrix.as_slice_mut().expect("a matrix in standard layout")
}

/// Some rows of a matrix.
#[inline]
pub fn rows(matrix: &Array2<f32>, rows: Range<usize>) -> ArrayView2<'_, f32> {
    matrix.slice_axis(Axis(0), Slice::from(rows))
}

/// Some columns of a matrix.
#[inline]
pub fn columns(matrix: &Array2<f32>, columns: Range<usize>) -> ArrayView2<'_, f32> {
    matrix.slice_axis(Axis(1), Slice::from(columns))
}

/// a · b
#[inline]
pub fn product(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> Array2<f32> {
    // It is not filled with zeros first. Of two columns it may come in Fortran's order.
    let out = a.dot(&b);
    match out.is_standard_layout() {
        true => out,
        false => out.as_standard_layout().into_owned(),
    }
}

/// out += factor · a · b
#[inline]
pub fn add_product(
    factor: f32,
    a: ArrayView2<'_, f32>,
    b: ArrayView2<'_, f32>,
    mut out: ArrayViewMut2<'_, f32>,
) {
    general_mat_mul(factor, &a, &b, 1.0, &mut out);
}

/// input · weight + bias
#[inline]
pub fn layer(input: ArrayView2<'_, f32>, weight: ArrayView2<'_, f32>, bias: &[f32]) -> Array2<f32> {
    let mut out = product(input, weight);
    add_bias(&mut out, bias);
    out
}

/// Adds `bias` to every row.
#[inline]
pub fn add_bias(rows: &mut Array2<f32>, bias: &[f32]) {
    for row in flat_mut(rows).chunks_exact_mut(bias.len().max(1)) {
        add(bias, row);
    }
}

/// Adds one list to another.
#[inline]
pub fn add(from: &[f32], to: &mut [f32]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// e^x to a relative error of about 2e-7; the argument is cut to ±87. Free of branches, so that
/// loops over it become vector code.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // 1.5 · 2²³: adding it leaves the nearest integer in the low bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 87.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let f = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    // Taylor's series on |f| ≤ ln 2 / 2.
    let mut p = 1.0 / 5_040.0;
    p = p * f + 1.0 / 720.0;
    p = p * f + 1.0 / 120.0;
    p = p * f + 1.0 / 24.0;
    p = p * f + 1.0 / 6.0;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127);
    p * f32::from_bits(exponent << 23)
}

/// 1 / (1 + e^−x)
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (1.0 + exp(2.0 * x))
}

/// Cuts what is below zero.
pub fn relu(x: &mut Array2<f32>) {
    for x in flat_mut(x) {
        *x = x.max(0.0);
    }
}

/// Replaces each row by its softmax.
pub fn softmax_rows(scores: &mut Array2<f32>, factor: f32) {
    let width = scores.ncols().max(1);
    for row in flat_mut(scores).chunks_exact_mut(width) {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for x in row.iter_mut() {
            *x = exp((*x - most) * factor);
        }
        let sum: f32 = lanes_sum(row);
        let scale = 1.0 / sum;
        for x in row.iter_mut() {
            *x *= scale;
        }
    }
}

/// A sum in eight lanes: vector code, and always in the same order.
#[inline]
pub fn lanes_sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 8];
    let chunks = values.chunks_exact(8);
    let rest: f32 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementary_functions_are_accurate() {
        for i in -4000..=4000 {
            let x = i as f32 / 50.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 1e-6, "exp {x}");
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 1e-6);
            let exact = 1.0 / (1.0 + f64::from(-x).exp());
            assert!((f64::from(sigmoid(x)) - exact).abs() < 1e-6);
        }
        assert_eq!(sigmoid(-1e9).max(0.0), sigmoid(-1e9));
        assert_eq!(tanh(1e9), 1.0);
    }
}
