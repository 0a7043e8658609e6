//! The weights of the paths of new items for one draw of the parameters.

use ndarray::ArrayView2;

use super::Tree;
use super::lanes::{ITEMS, Items, Lanes, ZERO, max_assign, squared_distance, weighted_sum};
use super::margins::{Margins, expected_factors};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::Whitening;
use crate::numerics::{exp_nonpositive, ln_mixture, simd};

/// A sum of weights below this may have lost digits to underflow; the weights are then computed by logarithms.
const UNDERFLOW: f64 = 1e-200;

/// A draw of the parameters of a tree, and its settings.
#[derive(Debug, Clone)]
pub struct Parameters<'a> {
    pub config: Config,
    /// β: (node, component), with the rest in the last column.
    pub weights: ArrayView2<'a, f64>,
    /// θ: (component, dimension).
    pub means: ArrayView2<'a, f64>,
    /// η: (node, dimension), with the weight of the intercept last if there is one; the root's row is not read; `None`
    /// if C = 0.
    pub discriminants: Option<ArrayView2<'a, f64>>,
}

/// A draw in the form that items are placed by, one row for each node or component.
#[derive(Debug)]
pub struct Draw {
    config: Config,
    whitening: Whitening,
    white_means: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
    discriminants: Option<Vec<Vec<f64>>>,
    /// ln of the nCRP probability of a leaf, or of a new branch at an inner node.
    ln_prior: Vec<f64>,
    /// w = Σ_z p(z) β_z over the leaves z and a new branch at each inner node z.
    mixture: Vec<f64>,
}

/// Buffers for one block of items, one entry for each dimension, component or node.
#[derive(Default)]
pub struct Workspace {
    white: Vec<Lanes>,
    densities: Vec<Lanes>,
    weights: Vec<Lanes>,
    ln_factors: Vec<Lanes>,
    margins: Margins,
}

impl Draw {
    pub fn new(tree: &Tree, given: &Parameters<'_>, n_dims: usize) -> Result<Self> {
        let n_nodes = tree.parents.len();
        let n_components = given.means.nrows();
        let n_eta_dims = n_dims + usize::from(given.config.intercept > 0.0);
        let fits = given.weights.dim() == (n_nodes, n_components + 1)
            && given.means.ncols() == n_dims
            && given.discriminants.is_none_or(|eta| eta.dim() == (n_nodes, n_eta_dims));
        if !fits {
            return Err(Error::parameter(
                "a draw of the parameters",
                format!("weights {:?}, means {:?}", given.weights.dim(), given.means.dim()),
                format!(
                    "weights ({n_nodes}, n_components + 1), means (n_components, {n_dims}) and discriminants \
                     ({n_nodes}, {n_eta_dims})"
                ),
            ));
        }
        let whitening = Whitening::new(&given.config, n_dims)?;
        let rows = |table: ArrayView2<'_, f64>| -> Vec<Vec<f64>> {
            table.outer_iter().map(|row| row.to_vec()).collect()
        };
        let mut white_means = rows(given.means);
        for mean in &mut white_means {
            whitening.whiten(&mean.clone(), mean);
        }
        let ln_prior = tree.ln_prior(given.config.alpha);
        let mut mixture = vec![0.0; n_components + 1];
        for (ln_prior, weights) in ln_prior.iter().zip(given.weights.outer_iter()) {
            let probability = ln_prior.exp();
            mixture.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += probability * weight);
        }
        Ok(Self {
            ln_prior,
            mixture,
            config: given.config.clone(),
            whitening,
            white_means,
            weights: rows(given.weights),
            discriminants: given.discriminants.map(rows),
        })
    }

    /// ν_0 ‖x̃‖: the standard deviation of the score of an item at a new node.
    #[inline(always)]
    fn spreads(&self, items: &Items) -> Lanes {
        items.norms.map(|norm| self.config.eta_scale * norm.hypot(self.config.intercept))
    }

    /// ln f(x; θ_k) of each component and ln f*(x) last, relative to the noise's normaliser.
    fn ln_densities(&self, x: &[f64]) -> Vec<f64> {
        let mut white = vec![0.0; x.len()];
        self.whitening.whiten(x, &mut white);
        let square = |mean: &Vec<f64>| -> f64 {
            white.iter().zip(mean).map(|(value, mean)| (value - mean) * (value - mean)).sum()
        };
        let mut ln_densities: Vec<f64> = self.white_means.iter().map(|mean| -0.5 * square(mean)).collect();
        ln_densities.push(self.whitening.ln_new_density(&white));
        ln_densities
    }

    /// ln p(x). A new item takes path z with its nCRP probability p(z), and the expected weights of a new branch are
    /// the weights of the node where it starts. The density is therefore the mixture Σ_k w_k f(x; θ_k) + w* f*(x).
    pub fn ln_density(&self, x: &[f64]) -> f64 {
        let ln_densities = self.ln_densities(x);
        self.whitening.ln_normaliser
            + ln_mixture(self.mixture.iter().copied().zip(ln_densities.iter().copied()))
    }

    /// The scaled weights of one item by logarithms, and their sum.
    fn weights_by_logarithms(
        &self,
        tree: &Tree,
        items: &Items,
        item: usize,
        workspace: &mut Workspace,
    ) -> f64 {
        let ln_densities = self.ln_densities(items.row(item));
        let ln_mix =
            |weights: &Vec<f64>| ln_mixture(weights.iter().copied().zip(ln_densities.iter().copied()));
        let ln_near_one = |node: usize| {
            if self.discriminants.is_none() || !tree.is_inner[node] {
                return 0.0;
            }
            let Config { C, margin, .. } = self.config;
            let gaps = workspace.margins.best[node].map(|best| margin + best);
            let spreads = self.spreads(items);
            expected_factors(&workspace.margins.losses[node], &gaps, &spreads, C).0[item].ln()
        };
        let mut weights: Vec<f64> = (0..self.weights.len())
            .map(|node| ln_mix(&self.weights[node]) + workspace.ln_factors[node][item] + ln_near_one(node))
            .collect();
        let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weights.iter_mut().for_each(|weight| *weight -= top);
        exp_nonpositive(&mut weights);
        for (lanes, weight) in workspace.weights.iter_mut().zip(&weights) {
            lanes[item] = *weight;
        }
        weights.iter().sum()
    }
}

simd! {
    /// Adds to `sums` (node) the probability of each path: p(z) · mix(x, z) · exp(−2C h(x)) for a leaf,
    /// p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))] for a new branch at an inner node, divided by their sum.
    pub fn add_probabilities(draw: &Draw, tree: &Tree, items: &Items, workspace: &mut Workspace, sums: &mut [Lanes]) {
        fill_weights(draw, tree, items, workspace);
        let mut totals = multiply_by_factors(workspace);
        for (item, total) in totals.iter_mut().enumerate() {
            if total.is_nan() || *total < UNDERFLOW {
                *total = draw.weights_by_logarithms(tree, items, item, workspace);
            }
        }
        let shares = totals.map(|total| 1.0 / total);
        for (sums, weights) in sums.iter_mut().zip(&workspace.weights) {
            for lane in 0..ITEMS {
                sums[lane] += weights[lane] * shares[lane];
            }
        }
    }
}

/// Computes the weights, without the factors whose logarithms are in `ln_factors`.
#[inline(always)]
fn fill_weights(draw: &Draw, tree: &Tree, items: &Items, workspace: &mut Workspace) {
    fill_densities(draw, items, workspace);
    let densities = &workspace.densities;
    workspace.weights.resize(draw.weights.len(), ZERO);
    for (weights, sums) in draw.weights.iter().zip(&mut workspace.weights) {
        weighted_sum(weights, densities, sums);
    }
    workspace.ln_factors.clear();
    workspace.ln_factors.extend(draw.ln_prior.iter().map(|&ln_prior| [ln_prior; ITEMS]));
    if let Some(discriminants) = &draw.discriminants {
        workspace.margins.fill(tree, discriminants, &items.lanes, &draw.config);
        multiply_by_expected_factors(draw, tree, items, workspace);
    }
}

/// Computes f(x; θ_k) of each component and f*(x) last, scaled so that the largest is 1; the scale cancels.
#[inline(always)]
fn fill_densities(draw: &Draw, items: &Items, workspace: &mut Workspace) {
    workspace.white.resize(items.lanes.len(), ZERO);
    let mut white = vec![0.0; items.lanes.len()];
    let mut ln_new = ZERO;
    for (item, ln_new) in ln_new.iter_mut().enumerate() {
        draw.whitening.whiten(items.row(item), &mut white);
        *ln_new = draw.whitening.ln_new_density(&white);
        for (lanes, &value) in workspace.white.iter_mut().zip(&white) {
            lanes[item] = value;
        }
    }
    let mut top = ln_new;
    workspace.densities.clear();
    workspace.densities.resize(draw.white_means.len(), ZERO);
    for (mean, densities) in draw.white_means.iter().zip(&mut workspace.densities) {
        squared_distance(mean, &workspace.white, densities);
        densities.iter_mut().for_each(|density| *density *= -0.5);
        max_assign(&mut top, densities);
    }
    workspace.densities.push(ln_new);
    for densities in &mut workspace.densities {
        densities.iter_mut().zip(&top).for_each(|(density, top)| *density -= top);
        exp_nonpositive(densities);
    }
}

/// Multiplies the weights by the m of E[exp(−2C h(x))] = m eᵉ, and adds e to `ln_factors`; for a leaf m is 1.
#[inline(always)]
fn multiply_by_expected_factors(draw: &Draw, tree: &Tree, items: &Items, workspace: &mut Workspace) {
    let Config { C, margin, .. } = draw.config;
    let spreads = draw.spreads(items);
    for node in 0..tree.parents.len() {
        let (losses, ln_factors) = (&workspace.margins.losses[node], &mut workspace.ln_factors[node]);
        if !tree.is_inner[node] {
            for (ln_factor, loss) in ln_factors.iter_mut().zip(losses) {
                *ln_factor -= 2.0 * C * loss;
            }
            continue;
        }
        let gaps = workspace.margins.best[node].map(|best| margin + best);
        let (m, e) = expected_factors(losses, &gaps, &spreads, C);
        let weights = &mut workspace.weights[node];
        for lane in 0..ITEMS {
            weights[lane] *= m[lane];
            ln_factors[lane] += e[lane];
        }
    }
}

/// Multiplies the weights by the exponentials of `ln_factors`, scaled so that the largest is 1; returns their sums.
#[inline(always)]
fn multiply_by_factors(workspace: &mut Workspace) -> Lanes {
    let mut top = [f64::NEG_INFINITY; ITEMS];
    workspace.ln_factors.iter().for_each(|ln_factors| max_assign(&mut top, ln_factors));
    let mut totals = ZERO;
    for (weights, ln_factors) in workspace.weights.iter_mut().zip(&workspace.ln_factors) {
        let mut factors = *ln_factors;
        factors.iter_mut().zip(&top).for_each(|(factor, top)| *factor -= top);
        exp_nonpositive(&mut factors);
        for lane in 0..ITEMS {
            weights[lane] *= factors[lane];
            totals[lane] += weights[lane];
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    #[test]
    fn logarithms_give_the_same_weights() {
        let tree = Tree::new(&[-1, 0, 0, 1, 1, 2], &[7, 5, 2, 3, 2, 2]).unwrap();
        let weights = Array2::from_shape_fn((6, 3), |(node, k)| [0.2, 0.5, 0.3][(node + k) % 3]);
        let eta = Array2::from_shape_fn((6, 2), |(node, d)| (node as f64 - 2.5) * (d as f64 - 0.3));
        let means = array![[0.0, 1.0], [4.0, -2.0]];
        let x = Array2::from_shape_fn((ITEMS, 2), |(n, d)| ((n * 37 + d * 11) % 23) as f64 / 3.0 - 2.0);
        let items = Items::new(x.view());
        for discriminants in [None, Some(eta.view())] {
            let config = Config::default();
            let given = Parameters { config, weights: weights.view(), means: means.view(), discriminants };
            let draw = Draw::new(&tree, &given, 2).unwrap();
            let mut workspace = Workspace::default();
            fill_weights(&draw, &tree, &items, &mut workspace);
            let totals = multiply_by_factors(&mut workspace);
            for (item, total) in totals.into_iter().enumerate() {
                let fast: Vec<f64> = workspace.weights.iter().map(|lanes| lanes[item] / total).collect();
                let total = draw.weights_by_logarithms(&tree, &items, item, &mut workspace);
                for (fast, lanes) in fast.iter().zip(&workspace.weights) {
                    assert!((lanes[item] / total / fast - 1.0).abs() < 1e-10, "{fast} in item {item}");
                }
            }
        }
    }
}
