//! The choice among candidates of which some have a weight w e^{−charge} with a charge ≥ 0 that is not known yet:
//! branches, by what their discriminant, which is not drawn yet, adds to the item's own loss, and with the
//! joint loss to those of all items below a node.
//!
//! Laid end to end, the uniform u falls into candidate j where F_{j−1} ≤ 0 < F_j, with
//! F_j = (1 − u) Σ_{i≤j} w_i − u Σ_{i>j} w_i. A branch that is not charged yet weighs between nothing and w,
//! which bounds every F_j: only while these bounds leave the choice open are branches charged, the heaviest
//! first, and a charge is summed only until the branch weighs next to nothing.

/// A branch is next to nothing below e^{−LIMIT} of all that is known: that is lost to rounding.
const LIMIT: f64 = 45.0;

#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    pub(crate) uniform: f64,
    /// The most that all candidates weigh which are not listed, and stand last.
    others: f64,
    /// What has to be known at least, so that no digits are lost.
    faint: f64,
    // By candidate, in the order in which they are laid: the least and the most that it weighs.
    pub(crate) columns: Vec<usize>,
    pub(crate) least: Vec<f64>,
    pub(crate) most: Vec<f64>,
}

impl Bounds {
    /// Lists the candidates by their weights without charges; leaves have none.
    pub(crate) fn list(
        &mut self,
        (uniform, others, faint): (f64, f64, f64),
        candidates: impl Iterator<Item = (usize, f64)>,
        first_leaf: usize,
    ) {
        (self.uniform, self.others, self.faint) = (uniform, others, faint);
        self.columns.clear();
        self.least.clear();
        self.most.clear();
        for (column, weight) in candidates {
            self.columns.push(column);
            self.least.push(if column < first_leaf { 0.0 } else { weight });
            self.most.push(weight);
        }
    }

    /// The column into which the uniform falls; none where that depends on the others, or where too little is
    /// known. `charge` is that of a place and column, or some part of it above a limit.
    pub(crate) fn choose(&mut self, mut charge: impl FnMut(usize, usize, f64) -> f64) -> Option<usize> {
        loop {
            let known: f64 = self.least.iter().sum();
            if known > self.faint
                && let Some(place) = self.pick(known)
            {
                return Some(self.columns[place]);
            }
            let open = (0..self.most.len()).filter(|&place| self.least[place] < self.most[place]);
            let heaviest = open.max_by(|&a, &b| self.most[a].total_cmp(&self.most[b]))?;
            let limit = LIMIT + (self.most[heaviest] / known).ln();
            self.most[heaviest] *= (-charge(heaviest, self.columns[heaviest], limit)).exp();
            self.least[heaviest] = self.most[heaviest];
        }
    }

    /// The place into which the uniform falls within all bounds, if there is one.
    fn pick(&self, known: f64) -> Option<usize> {
        let uniform = self.uniform;
        let (mut least_after, mut most_after) = (known, self.most.iter().sum::<f64>() + self.others);
        let (mut least, mut most) = (0.0, 0.0);
        for place in 0..self.columns.len() {
            least += self.least[place];
            most += self.most[place];
            least_after -= self.least[place];
            most_after -= self.most[place];
            if (1.0 - uniform) * most > uniform * least_after {
                return ((1.0 - uniform) * least > uniform * most_after).then_some(place);
            }
        }
        None
    }
}
