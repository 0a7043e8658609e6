//! The weights of the paths of new items for one draw of the parameters.

use ndarray::{Array2, ArrayView2};

use super::Tree;
use super::factors::expected_factor;
use super::lanes::{ITEMS, Lanes, ZERO, raise, weighted_sum};
use super::margins::Margins;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::Whitening;
use crate::numerics::{exp_nonpositive, ln_sum_exp};

/// A sum of weights below this may have lost digits to underflow: logarithms are used instead.
const TINY: f64 = 1e-200;

/// A draw of the parameters of a tree, and the settings that it was drawn with.
#[derive(Debug, Clone)]
pub struct Parameters<'a> {
    pub config: Config,
    /// β: (node, component), the rest last.
    pub weights: ArrayView2<'a, f64>,
    /// θ: (component, dimension).
    pub means: ArrayView2<'a, f64>,
    /// η: (node, dimension), of which the root's is not read; absent where C = 0.
    pub discriminants: Option<ArrayView2<'a, f64>>,
}

/// The same, ready for items.
#[derive(Debug)]
pub(super) struct Draw {
    config: Config,
    whitening: Whitening,
    white_means: Array2<f64>,
    weights: Array2<f64>,
    discriminants: Option<Array2<f64>>,
    /// ln of the nCRP probability of a leaf, or of a new branch at an inner node.
    ln_prior: Vec<f64>,
}

/// New items: a row each, and side by side, with places that no item takes at 0.
pub(super) struct Items {
    rows: Array2<f64>,
    lanes: Vec<Lanes>,
    norms: Lanes,
}

impl Items {
    pub(super) fn new(x: ArrayView2<'_, f64>) -> Self {
        let mut rows = Array2::zeros((ITEMS, x.ncols()));
        rows.slice_mut(ndarray::s![..x.nrows(), ..]).assign(&x);
        let mut lanes = vec![ZERO; x.ncols()];
        let mut norms = ZERO;
        for (item, row) in rows.outer_iter().enumerate() {
            for (lanes, &value) in lanes.iter_mut().zip(row) {
                lanes[item] = value;
                norms[item] += value * value;
            }
            norms[item] = norms[item].sqrt();
        }
        Self { rows, lanes, norms }
    }
}

/// What the weights are made of; a row for each component, or for each node.
#[derive(Default)]
pub(super) struct Work {
    white: Vec<Lanes>,
    densities: Vec<Lanes>,
    weights: Vec<Lanes>,
    ln_factors: Vec<Lanes>,
    margins: Margins,
}

impl Draw {
    pub(super) fn new(tree: &Tree, given: &Parameters<'_>, n_dims: usize) -> Result<Self> {
        let n_nodes = tree.parents.len();
        let n_components = given.means.nrows();
        let fits = given.weights.dim() == (n_nodes, n_components + 1)
            && given.means.ncols() == n_dims
            && given.discriminants.is_none_or(|eta| eta.dim() == (n_nodes, n_dims));
        if !fits {
            return Err(Error::parameter(
                "a draw",
                "of another shape",
                format!(
                    "of {n_nodes} nodes, {n_dims} dimensions, and one weight more than there are components"
                ),
            ));
        }
        let whitening = Whitening::new(&given.config, n_dims)?;
        let mut white_means = Array2::zeros((n_components, n_dims));
        for (mean, mut white) in given.means.outer_iter().zip(white_means.outer_iter_mut()) {
            whitening.apply(&mean.to_vec(), white.as_slice_mut().expect("a row of a new table"));
        }
        Ok(Self {
            ln_prior: tree.ln_prior(given.config.alpha),
            config: given.config.clone(),
            whitening,
            white_means,
            weights: given.weights.to_owned(),
            discriminants: given.discriminants.map(|eta| eta.to_owned()),
        })
    }

    /// Adds to `sums` (node) the probability of each path: p(z) · mix(x, z) · exp(−2C h(x)) for a leaf,
    /// p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))] for a new branch at an inner node, divided by their sum.
    pub(super) fn add(&self, tree: &Tree, items: &Items, work: &mut Work, sums: &mut [Lanes]) {
        self.fill_densities(items, work);
        let densities = &work.densities;
        work.weights.clear();
        work.weights
            .extend(self.weights.outer_iter().map(|row| weighted_sum(row.iter().copied(), densities)));
        work.ln_factors.clear();
        work.ln_factors.extend(self.ln_prior.iter().map(|&ln_prior| [ln_prior; ITEMS]));
        if let Some(discriminants) = &self.discriminants {
            work.margins.fill(tree, discriminants, &items.lanes, self.config.margin);
            self.charge(tree, items, work);
        }
        let mut top = [f64::NEG_INFINITY; ITEMS];
        work.ln_factors.iter().for_each(|ln_factors| raise(&mut top, ln_factors));
        let mut totals = ZERO;
        for (weights, ln_factors) in work.weights.iter_mut().zip(&work.ln_factors) {
            let mut factors = ZERO;
            for lane in 0..ITEMS {
                factors[lane] = ln_factors[lane] - top[lane];
            }
            exp_nonpositive(&mut factors);
            for lane in 0..ITEMS {
                weights[lane] *= factors[lane];
                totals[lane] += weights[lane];
            }
        }
        for (item, total) in totals.iter_mut().enumerate() {
            if *total < TINY || total.is_nan() {
                *total = self.by_logarithms(items, item, work);
            }
        }
        for (sums, weights) in sums.iter_mut().zip(&work.weights) {
            for lane in 0..ITEMS {
                sums[lane] += weights[lane] / totals[lane];
            }
        }
    }

    /// f(x; θ_k) of each component, and f*(x) last, scaled so that the largest is 1; the scale cancels.
    fn fill_densities(&self, items: &Items, work: &mut Work) {
        let n_dims = items.lanes.len();
        work.white.resize(n_dims, ZERO);
        let mut white = vec![0.0; n_dims];
        let mut ln_new = ZERO;
        for (item, row) in items.rows.outer_iter().enumerate() {
            self.whitening.apply(row.to_slice().expect("a row of a new table"), &mut white);
            ln_new[item] = self.whitening.ln_new_density(&white);
            for (lanes, &value) in work.white.iter_mut().zip(&white) {
                lanes[item] = value;
            }
        }
        work.densities.clear();
        for mean in self.white_means.outer_iter() {
            let mut squares = ZERO;
            for (lanes, &mean) in work.white.iter().zip(mean) {
                for (square, value) in squares.iter_mut().zip(lanes) {
                    *square += (value - mean) * (value - mean);
                }
            }
            work.densities.push(squares.map(|square| -0.5 * square));
        }
        work.densities.push(ln_new);
        let mut top = ln_new;
        work.densities.iter().for_each(|densities| raise(&mut top, densities));
        for densities in &mut work.densities {
            densities.iter_mut().zip(&top).for_each(|(density, top)| *density -= top);
            exp_nonpositive(densities);
        }
    }

    /// Multiplies the weights by the parts of E[exp(−2C h(x))] that are near 1, and adds the rest to the logarithms.
    fn charge(&self, tree: &Tree, items: &Items, work: &mut Work) {
        let Config { C: strength, margin, eta_scale, .. } = self.config;
        for node in 0..tree.parents.len() {
            let losses = &work.margins.losses[node];
            let ln_factors = &mut work.ln_factors[node];
            if tree.is_inner[node] {
                let (weights, best) = (&mut work.weights[node], &work.margins.best[node]);
                for lane in 0..ITEMS {
                    let spread = eta_scale * items.norms[lane];
                    let (m, e) = expected_factor(losses[lane], margin + best[lane], spread, strength);
                    weights[lane] *= m;
                    ln_factors[lane] += e;
                }
            } else {
                for lane in 0..ITEMS {
                    ln_factors[lane] -= 2.0 * strength * losses[lane];
                }
            }
        }
    }

    /// The weights of one item where their sum would underflow, scaled; returns their sum.
    fn by_logarithms(&self, items: &Items, item: usize, work: &mut Work) -> f64 {
        let mut white = vec![0.0; items.lanes.len()];
        self.whitening.apply(items.rows.row(item).to_slice().expect("a row of a new table"), &mut white);
        let square = |mean: ndarray::ArrayView1<'_, f64>| -> f64 {
            white.iter().zip(mean).map(|(value, mean)| (value - mean) * (value - mean)).sum()
        };
        let mut ln_density: Vec<f64> =
            self.white_means.outer_iter().map(|mean| -0.5 * square(mean)).collect();
        ln_density.push(self.whitening.ln_new_density(&white));
        let mut ln_weights: Vec<f64> = self
            .weights
            .outer_iter()
            .zip(&work.ln_factors)
            .map(|(row, ln_factors)| {
                ln_sum_exp(row.iter().zip(&ln_density).map(|(weight, ln)| weight.ln() + ln))
                    + ln_factors[item]
            })
            .collect();
        let total = ln_sum_exp(ln_weights.iter().copied());
        ln_weights.iter_mut().for_each(|ln_weight| *ln_weight -= total);
        exp_nonpositive(&mut ln_weights);
        for (weights, weight) in work.weights.iter_mut().zip(&ln_weights) {
            weights[item] = *weight;
        }
        ln_weights.iter().sum()
    }
}
