//! The contrastive loss NT-Xent (You et al., 2020, equation 3) with its gradient.

/// Keeps the length of a representation from being zero.
pub(crate) const TINY: f32 = 1e-12;

/// Loss of a batch of N views and their partners, both row-major N × width.
pub(crate) struct Contrast {
    /// Mean over all 2 N views of −ln of: e^(s of the view and its partner) over the sum of e^s of
    /// the view and the other graphs' views on the other side, with s = cosine / temperature.
    pub(crate) loss: f32,
    /// Share of views that are nearest to their own partner.
    pub(crate) nearest: f32,
    /// Gradients of the two lists.
    pub(crate) left: Vec<f32>,
    pub(crate) right: Vec<f32>,
}

/// Rows scaled to length one, and their lengths before.
fn unit_rows(rows: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let mut units = rows.to_vec();
    let lengths = units
        .chunks_exact_mut(width)
        .map(|row| {
            let length = (row.iter().map(|x| x * x).sum::<f32>() + TINY).sqrt();
            row.iter_mut().for_each(|x| *x /= length);
            length
        })
        .collect();
    (units, lengths)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_scaled(factor: f32, from: &[f32], to: &mut [f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// ln Σ e^x over all but one place of a row, the softmax there, and whether that place holds the
/// row's greatest value.
fn without(row: &[f32], place: usize) -> (f32, Vec<f32>, bool) {
    let others = || row.iter().enumerate().filter(|(i, _)| *i != place);
    let most = others().map(|(_, &x)| x).fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f32> = row.iter().map(|x| (x - most).exp()).collect();
    if let Some(own) = shares.get_mut(place) {
        *own = 0.0;
    }
    let sum: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|x| *x /= sum);
    let nearest = row.get(place).is_some_and(|own| *own > most);
    (most + sum.ln(), shares, nearest)
}

/// The loss over a batch of at least two; views of all other graphs are negatives. As published,
/// the partner itself is no part of the sum; both sides take the part of the anchor.
pub(crate) fn nt_xent(left: &[f32], right: &[f32], width: usize, temperature: f32) -> Contrast {
    let width = width.max(1);
    let (a, a_lengths) = unit_rows(left, width);
    let (b, b_lengths) = unit_rows(right, width);
    let n = a_lengths.len();
    let scale = 1.0 / temperature;
    let mut similarity = vec![0.0; n * n];
    for (row, a) in similarity.chunks_exact_mut(n.max(1)).zip(a.chunks_exact(width)) {
        for (s, b) in row.iter_mut().zip(b.chunks_exact(width)) {
            *s = scale * dot(a, b);
        }
    }
    let mut loss = 0.0;
    let mut nearest = 0;
    // Gradient of the loss with respect to the similarities.
    let mut of_similarity = vec![0.0; n * n];
    let share = 0.5 / n.max(1) as f32;
    for i in 0..n {
        let row: Vec<f32> = similarity[i * n..(i + 1) * n].to_vec();
        let column: Vec<f32> = similarity[i..].iter().step_by(n).copied().collect();
        for (line, along) in [(row, true), (column, false)] {
            let (log_sum, shares, first) = without(&line, i);
            loss += share * (log_sum - line[i]);
            nearest += usize::from(first);
            for (j, s) in shares.into_iter().enumerate() {
                let place = if along { i * n + j } else { j * n + i };
                of_similarity[place] += share * s;
            }
            of_similarity[i * n + i] -= share;
        }
    }
    let mut of_left = vec![0.0; a.len()];
    let mut of_right = vec![0.0; b.len()];
    for i in 0..n {
        for j in 0..n {
            let g = scale * of_similarity[i * n + j];
            let (i, j) = (i * width..(i + 1) * width, j * width..(j + 1) * width);
            add_scaled(g, &b[j.clone()], &mut of_left[i.clone()]);
            add_scaled(g, &a[i], &mut of_right[j]);
        }
    }
    for (gradient, units, lengths) in [(&mut of_left, &a, &a_lengths), (&mut of_right, &b, &b_lengths)] {
        let rows = gradient.chunks_exact_mut(width).zip(units.chunks_exact(width));
        for ((g, unit), length) in rows.zip(lengths) {
            // Through x / |x|: only what is at right angles to x counts.
            let along = dot(g, unit);
            for (g, u) in g.iter_mut().zip(unit) {
                *g = (*g - along * u) / length;
            }
        }
    }
    Contrast { loss, nearest: nearest as f32 / (2 * n).max(1) as f32, left: of_left, right: of_right }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, width: usize, seed: usize) -> Vec<f32> {
        (0..n * width).map(|i| ((i * 7919 + seed * 104_729 + 13) % 1000) as f32 / 500.0 - 1.0).collect()
    }

    #[test]
    fn the_value_of_a_batch_of_two() {
        // Partners alike and the others at right angles: −ln(e^(1/τ) / e^0) = −1/τ.
        let (a, b) = ([1.0, 0.0, 0.0, 2.0], [3.0, 0.0, 0.0, 0.5]);
        let contrast = nt_xent(&a, &b, 2, 0.5);
        assert!((contrast.loss + 2.0).abs() < 1e-5, "{}", contrast.loss);
        assert_eq!(contrast.nearest, 1.0);
        let swapped = nt_xent(&a, &[0.0, 1.0, 1.0, 0.0], 2, 0.5);
        assert!((swapped.loss - 2.0).abs() < 1e-5, "{}", swapped.loss);
        assert_eq!(swapped.nearest, 0.0);
    }

    #[test]
    fn gradients_are_finite_differences() {
        let (n, width, temperature) = (5, 4, 0.3);
        let (a, b) = (rows(n, width, 1), rows(n, width, 2));
        let contrast = nt_xent(&a, &b, width, temperature);
        let step = 2e-3;
        let moved = |list: &[f32], i: usize, by: f32| {
            let mut list = list.to_vec();
            list[i] += by;
            list
        };
        for i in 0..n * width {
            let slope = |up: Contrast, down: Contrast| (up.loss - down.loss) / (2.0 * step);
            let left = slope(
                nt_xent(&moved(&a, i, step), &b, width, temperature),
                nt_xent(&moved(&a, i, -step), &b, width, temperature),
            );
            let right = slope(
                nt_xent(&a, &moved(&b, i, step), width, temperature),
                nt_xent(&a, &moved(&b, i, -step), width, temperature),
            );
            assert!((left - contrast.left[i]).abs() < 3e-3, "{left} {}", contrast.left[i]);
            assert!((right - contrast.right[i]).abs() < 3e-3, "{right} {}", contrast.right[i]);
        }
    }

    #[test]
    fn exchanging_the_sides_exchanges_the_gradients() {
        let (a, b) = (rows(6, 3, 3), rows(6, 3, 4));
        let (forth, back) = (nt_xent(&a, &b, 3, 0.2), nt_xent(&b, &a, 3, 0.2));
        assert!((forth.loss - back.loss).abs() < 1e-5);
        for (x, y) in forth.left.iter().zip(&back.right) {
            assert!((x - y).abs() < 1e-5);
        }
    }

    #[test]
    fn representations_of_length_zero_do_no_harm() {
        let contrast = nt_xent(&[0.0; 6], &rows(2, 3, 1), 3, 0.2);
        assert!(contrast.loss.is_finite());
        assert!(contrast.left.iter().chain(&contrast.right).all(|g| g.is_finite()));
    }
}
