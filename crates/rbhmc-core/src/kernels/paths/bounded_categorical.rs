//! A categorical draw among candidates of which some have a weight w e^{−penalty} with an unknown penalty ≥ 0.
//!
//! These are the new branches: the penalty is what their discriminant, not drawn yet, adds to the item's own loss, and
//! with the joint loss to the losses of all items below a node.
//!
//! With the candidates laid end to end, the uniform u selects candidate j if F_{j−1} ≤ 0 < F_j, where
//! F_j = (1 − u) Σ_{i≤j} w_i − u Σ_{i>j} w_i. A branch of unknown penalty weighs between 0 and w, which bounds every F_j.
//! While these bounds leave the choice open, penalties are computed, of the heaviest branches first, and each only up to the
//! point at which the branch has a negligible weight.

use crate::numerics::fmax;

/// A branch is negligible if it weighs less than e^{−NEGLIGIBLE_LN} of the known weights: rounding loses it.
const NEGLIGIBLE_LN: f64 = 45.0;

/// Branches that weigh at least this share of the heaviest are computed together: looking at all bounds costs more than a
/// penalty.
const HEAVY_SHARE: f64 = 0.1;

#[derive(Debug, Clone, Default)]
pub(crate) struct BoundedCategorical {
    pub(crate) uniform: f64,
    /// An upper bound of the total weight of the candidates that are not listed, which come last.
    omitted: f64,
    /// The known weights must exceed this, so that no digits are lost.
    underflow_threshold: f64,
    // By candidate, in the order in which they are laid:
    pub(crate) columns: Vec<usize>,
    /// Bounds of its weight.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
}

impl BoundedCategorical {
    /// Lists the candidates as (column, weight without penalty); leaves have no penalty.
    pub(crate) fn fill(
        &mut self,
        (uniform, omitted, underflow_threshold): (f64, f64, f64),
        candidates: impl Iterator<Item = (usize, f64)>,
        first_leaf: usize,
    ) {
        (self.uniform, self.omitted, self.underflow_threshold) = (uniform, omitted, underflow_threshold);
        self.columns.clear();
        self.lower.clear();
        self.upper.clear();
        for (column, weight) in candidates {
            self.columns.push(column);
            self.lower.push(if column < first_leaf { 0.0 } else { weight });
            self.upper.push(weight);
        }
    }

    /// Draws a column; none if the choice depends on omitted candidates, or if the known weights are too small.
    /// `penalty(index, column, limit)` computes a penalty, and may return any part of it that exceeds the limit.
    pub(crate) fn choose(&mut self, mut penalty: impl FnMut(usize, usize, f64) -> f64) -> Option<usize> {
        loop {
            let known: f64 = self.lower.iter().sum();
            if known > self.underflow_threshold
                && let Some(index) = self.choose_within_bounds(known)
            {
                return Some(self.columns[index]);
            }
            let is_open = |(lower, upper): (&f64, &f64)| lower < upper;
            let open = self.lower.iter().zip(&self.upper).filter(|&bounds| is_open(bounds));
            let heaviest = open.map(|(_, &upper)| upper).reduce(fmax)?;
            for index in 0..self.columns.len() {
                let upper = self.upper[index];
                if self.lower[index] < upper && upper >= HEAVY_SHARE * heaviest {
                    let limit = NEGLIGIBLE_LN + (upper / known).ln();
                    self.upper[index] = upper * (-penalty(index, self.columns[index], limit)).exp();
                    self.lower[index] = self.upper[index];
                }
            }
        }
    }

    /// The index that the uniform selects for all weights within the bounds, if there is one.
    fn choose_within_bounds(&self, known: f64) -> Option<usize> {
        let uniform = self.uniform;
        let (mut lower_after, mut upper_after) = (known, self.upper.iter().sum::<f64>() + self.omitted);
        let (mut lower, mut upper) = (0.0, 0.0);
        for index in 0..self.columns.len() {
            lower += self.lower[index];
            upper += self.upper[index];
            lower_after -= self.lower[index];
            upper_after -= self.upper[index];
            if (1.0 - uniform) * upper > uniform * lower_after {
                // An index whose bounds differ cannot be settled; without this, rounding of `upper_after` could.
                let is_known = self.lower[index] == self.upper[index];
                return (is_known && (1.0 - uniform) * lower > uniform * upper_after).then_some(index);
            }
        }
        None
    }
}
