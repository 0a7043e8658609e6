//! Discriminants of some nodes drawn anew, near their law given all others.
//!
//! Given its siblings', the discriminant of a node z has the law f(η) = p(η) Π_n e^{−2C max(l_n, ρ_n)} but for
//! losses at other levels, with ρ_n = o_n − s_n ηᵀx_n: s_n = 1, o_n = ε_0 + max over siblings of η_sᵀx_n and
//! l_n = 0 for an item in z; s_n = −1, o_n = ε_0 − η_vᵀx_n and l_n its loss without z for one in a sibling v.
//! A few steps of η ← Λ⁻¹ν with Λ = ν_0⁻² I + C² Σ x_n x_nᵀ/λ_n, ν = Σ s_n x_n (C + C² o_n/λ_n) and
//! λ_n = √(1 + C²ρ_n²) bring g = N(Λ⁻¹ν, Λ⁻¹) near it. Of M draws of g one is taken in proportion to f/g.
//!
//! With Z the mean of the M ratios f/g, f/Z stands for the density of what is taken; for the way back, Z is
//! the mean over what was there and M − 1 draws. A Metropolis–Hastings move with these leaves its target
//! invariant as with a density that is known (Andrieu, Doucet and Holenstein 2010).

use super::gaussian::Gaussian;
use super::violations::gather;
use crate::model::Model;
use crate::numerics::{ln_sum_exp, product};
use crate::rng::{Rng, categorical_ln};
use crate::state::{NodeId, State};

const N_STEPS: usize = 5;
/// M
const N_DRAWS: usize = 32;

/// What an item says of the discriminant: s_n, o_n, l_n.
#[derive(Debug, Clone)]
struct Row {
    n: usize,
    sign: f64,
    offset: f64,
    least: f64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Fitted {
    gaussian: Gaussian,
    rows: Vec<Row>,
    siblings: Vec<NodeId>,
    etas: Vec<f64>,
    scores: Vec<f64>,
    weights: Vec<f64>,
    centre: Vec<f64>,
    draws: Vec<f64>,
    ln_laws: Vec<f64>,
    ln_ratios: Vec<f64>,
}

impl Fitted {
    /// Draws new discriminants of some nodes, one given the other; the log density of the draw.
    pub(super) fn propose(
        &mut self,
        model: &Model,
        state: &mut State,
        rng: &mut Rng,
        nodes: &[NodeId],
    ) -> f64 {
        let n_dims = model.n_dims();
        self.place(model, state, nodes);
        let mut ln_density = 0.0;
        for &node in nodes {
            self.fit(model, state, node, &[]);
            let ln_mean = self.draw(model, rng, None);
            let taken = categorical_ln(rng, &mut self.ln_ratios);
            ln_density += self.ln_laws[taken] - ln_mean;
            state.discriminants.set_column(node.index(), &self.draws[taken * n_dims..][..n_dims]);
        }
        ln_density
    }

    /// The log density with which [`Self::propose`] would draw the discriminants that the nodes have.
    pub(super) fn ln_density(
        &mut self,
        model: &Model,
        state: &mut State,
        rng: &mut Rng,
        nodes: &[NodeId],
    ) -> f64 {
        let etas = state.etas(nodes);
        self.place(model, state, nodes);
        let mut ln_density = 0.0;
        for (&node, eta) in nodes.iter().zip(etas.chunks_exact(model.n_dims())) {
            self.fit(model, state, node, &[]);
            let ln_mean = self.draw(model, rng, Some(eta));
            ln_density += self.ln_laws[0] - ln_mean;
            state.discriminants.set_column(node.index(), eta);
        }
        ln_density
    }

    #[cfg(test)]
    pub(super) fn ln_law_of(&mut self, model: &Model, state: &State, node: NodeId, eta: &[f64]) -> f64 {
        self.list(model, state, node, &[]);
        ln_law(model, &self.rows, eta)
    }

    /// Puts the discriminants of nodes where they would be likely, whatever they are now.
    fn place(&mut self, model: &Model, state: &mut State, nodes: &[NodeId]) {
        for (i, &node) in nodes.iter().enumerate() {
            self.fit(model, state, node, &nodes[i + 1..]);
            state.discriminants.set_column(node.index(), self.gaussian.mean());
        }
    }

    /// Fits g to the law of `node`; siblings that are `absent` are left out with their items.
    fn fit(&mut self, model: &Model, state: &State, node: NodeId, absent: &[NodeId]) {
        self.list(model, state, node, absent);
        let c = model.config.C;
        let Self { gaussian, rows, weights, centre, .. } = self;
        centre.clear();
        centre.resize(model.n_dims(), 0.0);
        for _ in 0..if rows.is_empty() { 1 } else { N_STEPS } {
            weights.clear();
            weights.extend(rows.iter().map(|row| {
                let violation = row.offset - row.sign * product(centre, model.data.x(row.n));
                c * c / (c * violation).hypot(1.0)
            }));
            gaussian.fit(model, |add| {
                for (row, &weight) in rows.iter().zip(weights.iter()) {
                    add(model.data.x(row.n), weight, row.sign * (c + weight * row.offset));
                }
            });
            centre.copy_from_slice(gaussian.mean());
        }
    }

    /// Lists the rows of all items that the node's discriminant matters to.
    fn list(&mut self, model: &Model, state: &State, node: NodeId, absent: &[NodeId]) {
        let tree = &state.tree;
        let (level, parent, margin) = (tree.level(node), tree.parent(node), model.config.margin);
        let Self { rows, siblings, etas, scores, .. } = self;
        rows.clear();
        siblings.clear();
        let others = tree.level_nodes(level).iter().filter(|&&s| s != node && !absent.contains(&s));
        siblings.extend(others.filter(|&&s| tree.parent(s) == parent));
        if siblings.is_empty() {
            return;
        }
        scores.resize(gather(state, siblings, etas), 0.0);
        for n in 0..model.n_items() {
            let path = state.path(n);
            if path[level - 1] != parent || absent.contains(&path[level]) {
                continue;
            }
            scores.fill(0.0);
            for (&x, row) in model.data.x(n).iter().zip(etas.chunks_exact(scores.len())) {
                for (score, &eta) in scores.iter_mut().zip(row) {
                    *score += x * eta;
                }
            }
            let (mut own, mut best) = (0.0, f64::NEG_INFINITY);
            for (&sibling, &score) in siblings.iter().zip(scores.iter()) {
                if sibling == path[level] {
                    own = score;
                } else {
                    best = best.max(score);
                }
            }
            rows.push(if path[level] == node {
                Row { n, sign: 1.0, offset: margin + best, least: 0.0 }
            } else {
                Row { n, sign: -1.0, offset: margin - own, least: (margin - own + best).max(0.0) }
            });
        }
    }

    /// Makes M draws of g, the first of which is `kept` where given, with ln f and ln f/g of each; ln Z.
    fn draw(&mut self, model: &Model, rng: &mut Rng, kept: Option<&[f64]>) -> f64 {
        // Without rows g is the law itself, and one draw is as good as many.
        let n_draws = if self.rows.is_empty() { 1 } else { N_DRAWS };
        let Self { gaussian, rows, draws, ln_laws, ln_ratios, .. } = self;
        draws.resize(n_draws * model.n_dims(), 0.0);
        ln_laws.clear();
        ln_ratios.clear();
        for (i, eta) in draws.chunks_exact_mut(model.n_dims()).enumerate() {
            let ln_gaussian = match kept {
                Some(kept) if i == 0 => {
                    eta.copy_from_slice(kept);
                    gaussian.ln_density(eta)
                }
                _ => {
                    let square = gaussian.draw(rng, eta);
                    gaussian.ln_density_at(square)
                }
            };
            let ln_law = ln_law(model, rows, eta);
            ln_laws.push(ln_law);
            ln_ratios.push(ln_law - ln_gaussian);
        }
        ln_sum_exp(ln_ratios.iter().copied()) - (n_draws as f64).ln()
    }
}

/// ln f(η), without the (2π)^{−D/2} that ln g is without too.
fn ln_law(model: &Model, rows: &[Row], eta: &[f64]) -> f64 {
    let loss: f64 = rows
        .iter()
        .map(|row| (row.offset - row.sign * product(eta, model.data.x(row.n))).max(row.least))
        .sum();
    ln_eta_prior(model, eta.iter().copied()) - 2.0 * model.config.C * loss
}

/// ln p(η) over any number of entries, without their (2π)^{−1/2}.
pub(super) fn ln_eta_prior(model: &Model, etas: impl Iterator<Item = f64>) -> f64 {
    let scale = model.config.eta_scale;
    etas.map(|eta| -0.5 * (eta / scale) * (eta / scale) - scale.ln()).sum()
}
