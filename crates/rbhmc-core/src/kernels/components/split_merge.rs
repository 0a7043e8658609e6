//! A component is split into two, or two components are merged.
//!
//! Two items i and j are chosen. If they share their component it is to be split: i stays, j leaves, and each of its
//! other items follows one of the two (see `halves`). If not, their two components are to be merged.
//! At every node z a split divides the weight β_z into u_z β_z and (1 − u_z) β_z. Below the parent p, (Q) has u_z ~ Beta(a_z, a'_z), a_z = γβ_p u_p and a'_z = γβ_p (1 − u_p), since
//! entries of a Dirichlet add up; it is proposed from Beta(a_z + m_z, a'_z + m'_z), and at the root from Beta(m, m'),
//! with m_z the items of the half at a leaf and an expected number of tables above it. So with the means
//! integrated out, f(half) the density of a half's items, and q the probability that they are so divided, a split
//! is accepted with probability min(1, R) and a merge with min(1, 1/R),
//! R = γ_0 B(m, m') · Π_{z below the root} B(a_z + m_z, a'_z + m'_z)/B(a_z, a'_z)
//!     · Π_{z inner} u_z^{−m_z} (1 − u_z)^{−m'_z} · f(half) f(half')/f(both) · 1/q :
//! at the root the Jacobian β is in it, and at a leaf the items' u cancel. Tree and discriminants stay as they
//! are, and with them all losses. If accepted, the means are drawn from their law.

use statrs::function::gamma::{digamma, ln_gamma};

use super::allocation::Halves;
use super::means::posterior;
use crate::distributions::beta;
use crate::kernels::{Info, Work};
use crate::model::Model;
use crate::rng::{Rng, standard_normal, uniform, uniform_index};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State, Tree};

/// Up to so many terms or factors are added or multiplied one by one.
const FEW: f64 = 16.0;
/// An expected number of tables that lies this little below a half is rounded up too.
///
/// With two items and a concentration a = γβ_p m_h/m of 1 it is exactly 1½, and a = 1 does occur: γ = 2, two equal halves,
/// and β_p = 1 because all other weights have underflowed. After a split β_p is the sum of two rounded products, so a
/// may be 1 − 10⁻¹⁶; without the slack the merge would then count fewer tables than the split that it reverses.
const TIE_SLACK: f64 = 1e-9;

pub(crate) fn split_merge_components(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
) -> Info {
    let mut info = Info::default();
    if model.n_items() > 1 {
        let ln_least = uniform(rng).ln();
        info.moves.count(step(model, state, work, rng, ln_least));
    }
    info
}

/// Accepts what is proposed if the log of its ratio is above `ln_least`.
fn step(model: &Model, state: &mut State, work: &mut Work, rng: &mut Rng, ln_least: f64) -> bool {
    let (i, j) = pair(model, rng);
    let (stay, leave) = (state.component[i], state.component[j]);
    let Work { halves, division, .. } = work;
    if stay == leave {
        halves.divide(model, state, rng, i, j);
        division.weigh(model, state, halves, stay, leave);
        division.draw(model, &state.tree, rng, Division::is_occupied);
        let ln_ratio = division.ln_two_over_one(model, &state.tree, halves) - halves.ln_division();
        if !is_above(ln_ratio, ln_least) {
            return false;
        }
        division.draw(model, &state.tree, rng, |division, node| !division.is_occupied(node));
        let leave = state.open_component(&draw_mean(model, rng, halves.sum(1), halves.size(1)));
        let mean = draw_mean(model, rng, halves.sum(0), halves.size(0));
        state.components.means.set_column(stay.index(), &mean);
        split(state, halves, division, stay, leave);
    } else {
        halves.find(model, state, i, j);
        division.weigh(model, state, halves, stay, leave);
        let ln_ratio = -division.ln_two_over_one(model, &state.tree, halves);
        // q is at most 1: of components that are well apart it is not needed.
        if !is_above(ln_ratio, ln_least) {
            return false;
        }
        halves.divide(model, state, rng, i, j);
        if !is_above(ln_ratio + halves.ln_division(), ln_least) {
            return false;
        }
        let sum: Vec<f64> = halves.sum(0).iter().zip(halves.sum(1)).map(|(a, b)| a + b).collect();
        let mean = draw_mean(model, rng, &sum, halves.size(0) + halves.size(1));
        state.components.means.set_column(stay.index(), &mean);
        merge(state, halves, division, stay, leave);
    }
    true
}

/// Nothing is accepted where a weight that items need has underflowed.
fn is_above(ln_ratio: f64, ln_least: f64) -> bool {
    ln_ratio.is_finite() && ln_ratio > ln_least
}

/// Two items, whatever the state.
pub(crate) fn pair(model: &Model, rng: &mut Rng) -> (usize, usize) {
    let i = uniform_index(rng, model.n_items());
    let j = uniform_index(rng, model.n_items() - 1);
    (i, j + usize::from(j >= i))
}

/// What the two halves have at every node, by its slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Division {
    /// β_z of both together.
    pub(crate) weights: Vec<f64>,
    /// m_z and m'_z
    pub(crate) counts: Vec<[f64; 2]>,
    /// u_z and 1 − u_z
    pub(crate) shares: Vec<[f64; 2]>,
}

impl Division {
    /// Fills in the weights and counts, and of two components their shares.
    pub(crate) fn weigh(
        &mut self,
        model: &Model,
        state: &State,
        halves: &Halves,
        stay: ComponentId,
        leave: ComponentId,
    ) {
        let n_slots = state.tree.n_slots();
        self.weights.resize(n_slots, 0.0);
        self.shares.resize(n_slots, [0.0; 2]);
        for node in state.tree.iter() {
            let first = state.weights.get(node, stay);
            self.weights[node.index()] = first;
            if stay != leave {
                let second = state.weights.get(node, leave);
                let both = first + second;
                self.weights[node.index()] = both;
                self.shares[node.index()] = [first / both, second / both];
            }
        }
        self.counts.clear();
        self.counts.resize(n_slots, [0.0; 2]);
        for level in (1..=state.tree.n_levels()).rev() {
            for &node in state.tree.level_nodes(level) {
                if level == state.tree.n_levels() {
                    self.counts[node.index()] = halves.at(node);
                }
                let above = state.tree.parent(node).index();
                for side in 0..2 {
                    let share = halves.size(side) as f64 / (halves.size(0) + halves.size(1)) as f64;
                    let concentration = model.config.gamma * self.weights[above] * share;
                    self.counts[above][side] +=
                        expected_tables(self.counts[node.index()][side], concentration);
                }
            }
        }
    }

    /// a_z and a'_z of a node below the root.
    pub(crate) fn shapes(&self, model: &Model, tree: &Tree, node: NodeId) -> [f64; 2] {
        let above = tree.parent(node).index();
        self.shares[above].map(|share| model.config.gamma * self.weights[above] * share)
    }

    fn is_occupied(&self, node: NodeId) -> bool {
        self.counts[node.index()] != [0.0; 2]
    }

    /// Draws u of some nodes, parents first.
    pub(crate) fn draw(
        &mut self,
        model: &Model,
        tree: &Tree,
        rng: &mut Rng,
        of: impl Fn(&Self, NodeId) -> bool,
    ) {
        for node in tree.iter() {
            if !of(self, node) {
                continue;
            }
            let [a, b] = if node == ROOT { [0.0; 2] } else { self.shapes(model, tree, node) };
            let [m, n] = self.counts[node.index()];
            let limit = if node == ROOT { 0.5 } else { self.shares[tree.parent(node).index()][0] };
            let (share, other) = beta(rng, a + m, b + n, limit);
            self.shares[node.index()] = [share, other];
        }
    }

    /// ln R without q; not finite where a weight has underflowed that items need.
    pub(crate) fn ln_two_over_one(&self, model: &Model, tree: &Tree, halves: &Halves) -> f64 {
        let [m, n] = self.counts[ROOT.index()];
        let mut sum = model.config.gamma0.ln() + ln_gamma(m) + ln_gamma(n) - ln_gamma(m + n);
        for node in tree.iter().filter(|&node| self.is_occupied(node)) {
            let [m, n] = self.counts[node.index()];
            if node != ROOT {
                let [a, b] = self.shapes(model, tree, node);
                sum += ln_rising(a, m) + ln_rising(b, n) - ln_rising(a + b, m + n);
            }
            if !tree.is_leaf(node) {
                let [u, v] = self.shares[node.index()];
                sum -= ln_power(u, m) + ln_power(v, n);
            }
        }
        sum + halves.ln_apart_over_together(model)
    }
}

/// E CRT(n, a) = a (ψ(a + n) − ψ(a)), to the nearest whole number, a half rounded up.
fn expected_tables(n: f64, concentration: f64) -> f64 {
    if n <= 1.0 {
        return n;
    }
    let others = if n <= FEW {
        (1..n as usize).map(|i| concentration / (concentration + i as f64)).sum()
    } else {
        concentration * (digamma(concentration + n) - digamma(concentration + 1.0))
    };
    1.0 + (others + TIE_SLACK).round()
}

/// ln Γ(a + m)/Γ(a)
fn ln_rising(a: f64, m: f64) -> f64 {
    if m == 0.0 {
        0.0
    } else if m <= FEW {
        (0..m as usize).map(|i| a + i as f64).product::<f64>().ln()
    } else {
        ln_gamma(a + m) - ln_gamma(a)
    }
}

/// ln x^m, 0 where m is.
fn ln_power(x: f64, m: f64) -> f64 {
    if m == 0.0 { 0.0 } else { m * x.ln() }
}

/// Gives a half of `stay` to `leave`, which has no items yet.
pub(crate) fn split(
    state: &mut State,
    halves: &Halves,
    division: &Division,
    stay: ComponentId,
    leave: ComponentId,
) {
    for n in halves.leaving() {
        state.component[n] = leave;
    }
    state.components.n_items[stay.index()] = halves.size(0) as u32;
    state.components.n_items[leave.index()] = halves.size(1) as u32;
    for node in state.tree.iter() {
        let weight = division.weights[node.index()];
        let [first, second] = division.shares[node.index()];
        state.weights.set(node, stay, weight * first);
        state.weights.set(node, leave, weight * second);
    }
}

/// Gives all items and weights of `leave` to `stay`.
pub(crate) fn merge(
    state: &mut State,
    halves: &Halves,
    division: &Division,
    stay: ComponentId,
    leave: ComponentId,
) {
    for n in halves.leaving() {
        state.component[n] = stay;
    }
    state.components.n_items[stay.index()] += state.components.n_items[leave.index()];
    for node in state.tree.iter() {
        state.weights.set(node, stay, division.weights[node.index()]);
        state.weights.set(node, leave, 0.0);
    }
    state.components.remove(leave);
}

fn draw_mean(model: &Model, rng: &mut Rng, sum: &[f64], size: usize) -> Vec<f64> {
    let variances = model.whitening.base_variance.iter();
    let coordinate = |(&sum, &variance): (&f64, &f64)| {
        let (mean, precision) = posterior(variance, size as f64, sum);
        mean + standard_normal(rng) / precision.sqrt()
    };
    sum.iter().zip(variances).map(coordinate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Chain;
    use crate::config::{Config, Scheme};
    use crate::kernels::Kernel;
    use crate::kernels::tests::fixtures::{chain_of, config};

    /// Means of how many components there are, whether two items share one, and the root's weight of an
    /// item's, with their errors by batches.
    fn means(update: impl Fn(&mut Chain)) -> [(f64, f64); 3] {
        const N_BATCHES: usize = 50;
        const SIZE: usize = 1_000;
        let mut chain = chain_of(Config { C: 0.0, n_levels: 2, ..config(Scheme::Exact) }, 3);
        let mut batches = vec![[0.0; 3]; N_BATCHES];
        for batch in &mut batches {
            for _ in 0..SIZE {
                for kernel in [Kernel::ItemsGibbs, Kernel::WeightsTables, Kernel::Means] {
                    let Chain { model, state, work, rng } = &mut chain;
                    kernel.apply(model, state, work, rng);
                }
                update(&mut chain);
                let state = &chain.state;
                batch[0] += state.components.n_components() as f64;
                batch[1] += f64::from(u8::from(state.component[0] == state.component[1]));
                batch[2] += state.weights.get(ROOT, state.component[0]);
            }
        }
        let n = N_BATCHES as f64;
        [0, 1, 2].map(|s| {
            let values = batches.iter().map(|batch| batch[s] / SIZE as f64);
            let mean = values.clone().sum::<f64>() / n;
            (mean, (values.map(|v| (v - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt())
        })
    }

    #[test]
    fn expected_tables_of_a_tie_do_not_depend_on_the_last_digit() {
        for concentration in [1.0f64.next_down(), 1.0, 1.0f64.next_up()] {
            assert_eq!(expected_tables(2.0, concentration), 2.0);
        }
        assert_eq!(expected_tables(2.0, 0.99), 1.0);
    }

    fn largest_z(a: &[(f64, f64); 3], b: &[(f64, f64); 3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a.0 - b.0).abs() / a.1.hypot(b.1)).fold(0.0, f64::max)
    }

    /// Level 0.001 over the three comparisons (3.59); the control accepts everything.
    #[test]
    fn the_move_changes_no_mean_and_one_that_is_always_accepted_does() {
        let critical = 3.59;
        let chain = |ln_least: fn(&mut Rng) -> f64| {
            means(move |Chain { model, state, work, rng }| {
                for _ in 0..3 {
                    let ln_least = ln_least(rng);
                    step(model, state, work, rng, ln_least);
                }
            })
        };
        let want = means(|_| ());
        let got = chain(|rng| uniform(rng).ln());
        assert!(largest_z(&want, &got) < critical, "{want:?} {got:?}");
        let always = chain(|_| f64::MIN);
        assert!(largest_z(&want, &always) > critical, "{want:?} {always:?}");
    }
}
