//! The loops over a group's lanes.

use std::ops::Range;

use crate::numerics::{TILE, simd};

/// No child. Children are numbers of the lanes' own type, which keeps comparisons in their lanes.
pub(crate) const NONE: f64 = -1.0;

simd! {
    /// ηᵀx of the lanes from `first` on, dimensions in order; rows of `x` are `width` long.
    pub(crate) fn score(x: &[f64], width: usize, first: usize, eta: &[f64], scores: &mut [f64]) {
        for (tile, scores) in scores.chunks_exact_mut(TILE).enumerate() {
            let mut sums = [0.0; TILE];
            for (d, eta) in eta.iter().enumerate() {
                let x = &x[d * width + first + tile * TILE..][..TILE];
                for (sum, x) in sums.iter_mut().zip(x) {
                    *sum += eta * x;
                }
            }
            scores.copy_from_slice(&sums);
        }
    }
}

simd! {
    /// Marks, a bit a lane and a word a tile, where a child is the rival.
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
    /// Marks where a child is the best rival, and where its score would raise ρ_n.
    pub(crate) fn mark_touched(
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

/// The lanes that are marked or within a range, in order.
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
    /// The largest of the children's scores but two, with its child.
    pub(crate) fn best_rival_but(
        x: &[f64],
        etas: &[f64],
        scores: &mut [f64],
        n_children: usize,
        own: usize,
        but: usize,
    ) -> (f64, f64) {
        scores.fill(0.0);
        for (&x, row) in x.iter().zip(etas.chunks_exact(scores.len())) {
            for (score, &eta) in scores.iter_mut().zip(row) {
                *score += x * eta;
            }
        }
        let (mut best, mut best_child) = (f64::NEG_INFINITY, NONE);
        for (child, &score) in scores[..n_children].iter().enumerate() {
            let wins = (child != own) & (child != but) & (score > best);
            best = if wins { score } else { best };
            best_child = if wins { child as f64 } else { best_child };
        }
        (best, best_child)
    }
}

simd! {
    /// A child is the best where its score is larger.
    pub(crate) fn raise(best: &mut [f64], best_child: &mut [f64], scores: &[f64], child: f64) {
        for ((best, best_child), &score) in best.iter_mut().zip(best_child).zip(scores) {
            let wins = score > *best;
            *best = if wins { score } else { *best };
            *best_child = if wins { child } else { *best_child };
        }
    }
}
