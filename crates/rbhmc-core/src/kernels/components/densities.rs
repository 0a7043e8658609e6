//! The densities f(x_n; θ_k) of one item under all components, scaled so that the largest is 1.

use crate::model::Model;
use crate::numerics::{SlotMatrix, dot_lanes, exp_nonpositive, ln_mixture, max, simd};
use crate::state::{NodeId, State};

/// A sum of weights below this may have lost digits to underflow, so that logarithms are used instead.
pub(crate) const UNDERFLOW: f64 = 1e-200;

#[derive(Debug, Clone, Default)]
pub(crate) struct Densities {
    /// ln f(x_n; θ_k) without the noise's normaliser; −∞ for a slot without component.
    pub(crate) ln: Vec<f64>,
    /// ln f*(x_n), without the same normaliser.
    pub(crate) ln_new: f64,
    /// The largest logarithm. The scaled densities are divided by its exponential, which cancels in every use.
    top: f64,
    /// f(x_n; θ_k) and f*(x_n), scaled.
    pub(crate) scaled: Vec<f64>,
    pub(crate) scaled_new: f64,
}

impl Densities {
    pub(crate) fn fill(&mut self, model: &Model, state: &State, n: usize) {
        let ln_open = &state.components.ln_open;
        self.ln.resize(ln_open.len(), 0.0);
        self.scaled.resize(ln_open.len(), 0.0);
        self.ln_new = model.data.ln_new_density[n];
        let means = &state.components.means;
        self.top = compute(means, model.data.white(n), ln_open, self.ln_new, &mut self.ln, &mut self.scaled);
        self.scaled_new = (self.ln_new - self.top).exp();
    }

    /// mix(n, z) = Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n), scaled.
    #[inline(always)]
    pub(crate) fn mix(&self, state: &State, node: NodeId) -> f64 {
        self.mix_of(state.weights.row(node), state.weights.rest(node))
    }

    /// The mix of given weights, scaled.
    #[inline(always)]
    pub(crate) fn mix_of(&self, weights: &[f64], rest: f64) -> f64 {
        dot_lanes(&weights[..self.scaled.len()], &self.scaled) + rest * self.scaled_new
    }

    /// ln mix(n, z), scaled, for sums that would underflow.
    pub(crate) fn ln_mix(&self, state: &State, node: NodeId) -> f64 {
        let terms = state.weights.row(node).iter().copied().zip(self.ln.iter().copied());
        ln_mixture(terms.chain([(state.weights.rest(node), self.ln_new)])) - self.top
    }
}

simd! {
    /// Computes ln f(x; θ_k) = −‖y − θ_k‖²/2 of the open components, and f divided by the largest; returns the
    /// logarithm of the largest.
    fn compute(
        means: &SlotMatrix,
        white: &[f64],
        ln_open: &[f64],
        ln_new: f64,
        ln: &mut [f64],
        scaled: &mut [f64],
    ) -> f64 {
        means.squared_distances(white, ln);
        for (ln, &open) in ln.iter_mut().zip(ln_open) {
            *ln = open - 0.5 * *ln;
        }
        let top = max(ln, ln_new);
        for (scaled, &ln) in scaled.iter_mut().zip(ln.iter()) {
            *scaled = ln - top;
        }
        exp_nonpositive(scaled);
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::config::Config;

    #[test]
    fn both_mixes_are_on_one_scale() {
        let x = ndarray::array![[0.0], [0.4], [7.0], [-30.0]];
        let config = Config { gamma: 20.0, ..Config::default() };
        let mut sampler = Sampler::new(x.view(), config, None, 0).unwrap();
        let mut densities = Densities::default();
        for _ in 0..20 {
            sampler.sweep();
            let state = sampler.state();
            for n in 0..4 {
                densities.fill(sampler.model(), state, n);
                for node in state.tree.iter() {
                    let (mix, ln_mix) = (densities.mix(state, node), densities.ln_mix(state, node));
                    assert!((mix.ln() - ln_mix).abs() < 1e-9, "{mix} against e^{ln_mix}");
                }
            }
        }
    }
}
