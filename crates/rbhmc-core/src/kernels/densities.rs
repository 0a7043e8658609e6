//! f(x_n; θ_k) for one item and all components, scaled so that the largest is 1.

use crate::model::Model;
use crate::numerics::{dot, exp_nonpositive, ln_sum_exp};
use crate::state::{NodeId, State};

#[derive(Debug, Clone, Default)]
pub(crate) struct Densities {
    /// ln f(x_n; θ_k) relative to the noise's normaliser; −∞ for a slot without component.
    pub(crate) ln: Vec<f64>,
    /// ln f*(x_n), relative to the same.
    pub(crate) ln_new: f64,
    /// Both, scaled; the scale cancels wherever they are used.
    pub(crate) scaled: Vec<f64>,
    pub(crate) scaled_new: f64,
}

impl Densities {
    pub(crate) fn fill(&mut self, model: &Model, state: &State, n: usize) {
        let ln_open = &state.components.ln_open;
        self.ln.resize(ln_open.len(), 0.0);
        self.scaled.resize(ln_open.len(), 0.0);
        self.ln_new = model.data.ln_new_density[n];
        state.components.means.squared_distances(model.data.white(n), &mut self.ln);
        let mut top = self.ln_new;
        for (ln, &open) in self.ln.iter_mut().zip(ln_open) {
            *ln = open - 0.5 * *ln;
            top = top.max(*ln);
        }
        for (scaled, &ln) in self.scaled.iter_mut().zip(&self.ln) {
            *scaled = ln - top;
        }
        exp_nonpositive(&mut self.scaled);
        self.scaled_new = (self.ln_new - top).exp();
    }

    /// mix(n, z) = Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n), scaled.
    #[inline]
    pub(crate) fn mix(&self, state: &State, node: NodeId) -> f64 {
        let row = &state.weights.row(node)[..self.scaled.len()];
        dot(row, &self.scaled) + state.weights.rest(node) * self.scaled_new
    }

    /// ln mix(n, z), where the sum itself underflows.
    pub(crate) fn ln_mix(&self, state: &State, node: NodeId) -> f64 {
        let row = &state.weights.row(node)[..self.ln.len()];
        let terms = row.iter().zip(&self.ln).map(|(weight, ln)| weight.ln() + ln);
        let new = state.weights.rest(node).ln() + self.ln_new;
        ln_sum_exp(terms.chain(std::iter::once(new)))
    }
}
