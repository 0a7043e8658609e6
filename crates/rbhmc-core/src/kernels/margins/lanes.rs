//! The loops over the lanes of a sibling group, one lane per item.

use std::ops::Range;

use crate::numerics::{TILE, add_rows, simd};

/// No child. Children are stored as numbers of the lanes' own type, which keeps comparisons vectorised.
pub(crate) const NONE: f64 = -1.0;

simd! {
    /// sums = Σ_d factor_d · row_d over the columns from `first` on, in the order of d; rows have length `width`.
    pub(crate) fn weighted_sum(rows: &[f64], width: usize, first: usize, factors: &[f64], sums: &mut [f64]) {
        for (tile, sums) in sums.chunks_exact_mut(TILE).enumerate() {
            let mut own = [0.0; TILE];
            for (d, factor) in factors.iter().enumerate() {
                let row = &rows[d * width + first + tile * TILE..][..TILE];
                for (sum, value) in own.iter_mut().zip(row) {
                    *sum += factor * value;
                }
            }
            sums.copy_from_slice(&own);
        }
    }
}

simd! {
    /// Marks the lanes whose rival is a given child: one bit per lane, one word per tile.
    pub(crate) fn mark_rivals(rivals: &[f64], child: f64, marks: &mut [u64]) {
        for (mark, rivals) in marks.iter_mut().zip(rivals.chunks_exact(TILE)) {
            *mark = 0;
            for (lane, &rival) in rivals.iter().enumerate() {
                *mark |= if rival == child { 1 << lane } else { 0 };
            }
        }
    }
}

simd! {
    /// Marks the lanes whose best rival is a given child, and those where its score would raise ρ_n.
    pub(crate) fn mark_changes(
        lanes: (&[f64], &[f64], &[f64]),
        scores: &[f64],
        margin: f64,
        child: f64,
        marks: &mut [u64],
    ) {
        let (own_scores, violations, best_children) = lanes;
        let tiles = own_scores.chunks_exact(TILE).zip(violations.chunks_exact(TILE));
        let tiles = tiles.zip(best_children.chunks_exact(TILE)).zip(scores.chunks_exact(TILE));
        for (mark, (((own_scores, violations), best_children), scores)) in marks.iter_mut().zip(tiles) {
            *mark = 0;
            for lane in 0..TILE {
                let raised = margin - own_scores[lane] + scores[lane] > violations[lane];
                *mark |= if raised | (best_children[lane] == child) { 1 << lane } else { 0 };
            }
        }
    }
}

/// The lanes that are marked or lie in a range, in order.
pub(crate) fn marked(marks: &[u64], range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    marks.iter().enumerate().flat_map(move |(tile, &mark)| {
        let first = tile * TILE;
        let below = |lane: usize| (1_u64 << lane.saturating_sub(first).min(TILE)) - 1;
        let mut left = mark | (below(range.end) & !below(range.start));
        std::iter::from_fn(move || {
            let lane = (left != 0).then(|| first + left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            lane
        })
    })
}

simd! {
    /// The score of an item's own child, and the largest score of the other children except one, with its child.
    pub(crate) fn best_rival(
        x: &[f64],
        etas: &[f64],
        scores: &mut [f64],
        n_children: usize,
        own: usize,
        except: usize,
    ) -> (f64, f64, f64) {
        scores.fill(0.0);
        let width = scores.len();
        add_rows(scores, etas, width, 0, |d, _| x[d]);
        let (mut best, mut best_child) = (f64::NEG_INFINITY, NONE);
        for (child, &score) in scores[..n_children].iter().enumerate() {
            let wins = (child != own) & (child != except) & (score > best);
            best = if wins { score } else { best };
            best_child = if wins { child as f64 } else { best_child };
        }
        (scores[own], best, best_child)
    }
}

simd! {
    /// Makes a child the best rival of the lanes where its score is larger.
    pub(crate) fn raise(best: &mut [f64], best_child: &mut [f64], scores: &[f64], child: f64) {
        for ((best, best_child), &score) in best.iter_mut().zip(best_child).zip(scores) {
            let wins = score > *best;
            *best = if wins { score } else { *best };
            *best_child = if wins { child } else { *best_child };
        }
    }
}
