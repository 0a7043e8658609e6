//! Posterior expected losses of trees, level by level, from how often two items share a node.

/// Which loss: an item that shares its node with n − 1 others costs, with s the number of times, over all draws,
/// that it shared its node with each of the n (itself included),
///
/// - `Vi`: log₂ n − 2 log₂ s. The mean over items is a lower bound of the expected variation of information, up to
///   a constant, by Jensen's inequality (Wade and Ghahramani 2018, equation 13);
/// - `Binder`: n_draws · n − 2 s. The sum over items is the expected Binder loss, times a constant and up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    Vi,
    Binder { n_draws: f64 },
}

/// Factors whose product is taken before its logarithm: each is below 2³⁶, so that it cannot overflow.
const FACTORS: usize = 16;

impl Loss {
    /// What a node costs, from the s of its items.
    pub(super) fn of_node(&self, n_items: usize, sums: impl Iterator<Item = f64>) -> f64 {
        self.of_size(n_items) + self.of_items(sums)
    }

    /// The part that depends on the number of items only.
    pub(super) fn of_size(&self, n_items: usize) -> f64 {
        let n = n_items as f64;
        match *self {
            Self::Vi if n_items == 0 => 0.0,
            Self::Vi => n * n.log2(),
            Self::Binder { n_draws } => n_draws * n * n,
        }
    }

    /// The part that depends on the s of the items.
    pub(super) fn of_items(&self, sums: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Vi => {
                let (mut total, mut product) = (0.0, 1.0);
                for (place, sum) in sums.enumerate() {
                    product *= sum;
                    if place % FACTORS == FACTORS - 1 {
                        total += f64::log2(product);
                        product = 1.0;
                    }
                }
                -2.0 * (total + product.log2())
            }
            Self::Binder { .. } => -2.0 * sums.sum::<f64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_cost_what_the_definition_says() {
        let sums: Vec<f64> = (0..40).map(|n| f64::from(3 + n * n)).collect();
        let vi: f64 = sums.iter().map(|s| 40_f64.log2() - 2.0 * s.log2()).sum();
        assert!((Loss::Vi.of_node(40, sums.iter().copied()) - vi).abs() < 1e-9);
        let binder: f64 = sums.iter().map(|s| 7.0 * 40.0 - 2.0 * s).sum();
        assert_eq!(Loss::Binder { n_draws: 7.0 }.of_node(40, sums.iter().copied()), binder);
        assert_eq!(Loss::Vi.of_node(0, std::iter::empty()), 0.0);
        let largest = f64::exp2(36.0);
        assert_eq!(Loss::Vi.of_items(std::iter::repeat_n(largest, 16)), -2.0 * 16.0 * 36.0);
    }
}
