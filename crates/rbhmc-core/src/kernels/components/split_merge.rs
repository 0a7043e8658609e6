//! Splits a component into two, or merges two components, by Metropolis–Hastings.
//!
//! Two items i and j are chosen. If they share a component, a split is proposed: i stays, j moves to a new
//! component, and the other items follow one of the two (see `allocation`). Otherwise a merge of their two components
//! is proposed.
//!
//! A split divides the weight β_z of every node z into u_z β_z and (1 − u_z) β_z. Below the parent p, (Q) has
//! u_z ~ Beta(a_z, a'_z) with a_z = γβ_p u_p and a'_z = γβ_p (1 − u_p), since entries of a Dirichlet add up. The
//! proposal is Beta(a_z + m_z, a'_z + m'_z), at the root Beta(m, m'), where m_z is the number of a half's items at a
//! leaf and about the expected number of tables above. With the means integrated out, f(half) the marginal density of
//! a half's items, and q the probability of the allocation, a split is accepted with probability min(1, R) and a merge
//! with min(1, 1/R),
//! R = γ_0 B(m, m') · Π_{z below the root} B(a_z + m_z, a'_z + m'_z)/B(a_z, a'_z)
//!     · Π_{z inner} u_z^{−m_z} (1 − u_z)^{−m'_z} · f(half) f(half')/f(both) · 1/q,
//! which at the root includes the Jacobian β; at a leaf the items' u cancel. Tree and discriminants stay, and with them
//! all losses. After an acceptance the means are drawn from their conditional.

use statrs::function::gamma::{digamma, ln_gamma};

use super::means::draw_mean;
use super::sequential_allocation::SequentialAllocation;
use crate::chain::Chain;
use crate::distributions::beta;
use crate::model::Model;
use crate::rng::{Rng, uniform, uniform_index};
use crate::state::tree::ROOT;
use crate::state::{ComponentId, NodeId, State, Tree};

/// Sums and products of up to this many terms are computed term by term.
const MAX_DIRECT_TERMS: f64 = 16.0;
/// An expected number of tables that lies this little below a half is rounded up too.
///
/// With two items and a concentration a = γβ_p m_h/m of 1 it is exactly 1½, and a = 1 does occur: γ = 2, two equal halves,
/// and β_p = 1 because all other weights have underflowed. After a split β_p is the sum of two rounded products, so a
/// may be 1 − 10⁻¹⁶; without the slack the merge would then count fewer tables than the split that it reverses.
const TIE_SLACK: f64 = 1e-9;

/// Proposes as often as `count_proposals` says.
pub(crate) fn split_or_merge(chain: &mut Chain) {
    for _ in 0..count_proposals(chain.model.n_items()) {
        let ln_threshold = uniform(&mut chain.rng).ln();
        let accepted = step(chain, ln_threshold);
        chain.acceptance.split_merge.count(accepted);
    }
}

/// Proposals of a sweep: √N / 4, rounded up.
///
/// Two random items share one of K components in about one of K proposals, and only these can split. One proposal for each
/// sweep would leave a component that holds several of many groups undivided for hundreds of sweeps.
fn count_proposals(n_items: usize) -> usize {
    if n_items < 2 { 0 } else { ((n_items as f64).sqrt() / 4.0).ceil() as usize }
}

/// Proposes a split or a merge, and accepts it if its log ratio exceeds `ln_threshold`.
fn step(chain: &mut Chain, ln_threshold: f64) -> bool {
    let Chain { model, state, workspace, rng, .. } = chain;
    let (allocation, weights) = (&mut workspace.allocation, &mut workspace.weight_split);
    let (i, j) = draw_pair(model, rng);
    let (stay, leave) = (state.component[i], state.component[j]);
    let mean_of = |rng: &mut Rng, size: usize, mut sum: Vec<f64>| {
        draw_mean(model, rng, size as f64, &mut sum);
        sum
    };
    if stay == leave {
        allocation.allocate(model, state, rng, i, j);
        weights.fill(model, state, allocation, stay, leave);
        weights.draw(model, &state.tree, rng, WeightSplit::is_occupied);
        let ln_ratio = weights.ln_split_ratio(model, &state.tree, allocation) - allocation.ln_probability();
        if !exceeds(ln_ratio, ln_threshold) {
            return false;
        }
        weights.draw(model, &state.tree, rng, |weights, node| !weights.is_occupied(node));
        let leave = state.open_component(&mean_of(rng, allocation.size(1), allocation.sum(1).to_vec()));
        let mean = mean_of(rng, allocation.size(0), allocation.sum(0).to_vec());
        state.components.means.set_column(stay.index(), &mean);
        split(state, allocation, weights, stay, leave);
    } else {
        allocation.take(model, state, i, j);
        weights.fill(model, state, allocation, stay, leave);
        let ln_ratio = -weights.ln_split_ratio(model, &state.tree, allocation);
        // q is at most 1, and is not needed for components that are well apart.
        if !exceeds(ln_ratio, ln_threshold) {
            return false;
        }
        allocation.allocate(model, state, rng, i, j);
        if !exceeds(ln_ratio + allocation.ln_probability(), ln_threshold) {
            return false;
        }
        let sum = allocation.sum(0).iter().zip(allocation.sum(1)).map(|(a, b)| a + b).collect();
        let mean = mean_of(rng, allocation.size(0) + allocation.size(1), sum);
        state.components.means.set_column(stay.index(), &mean);
        merge(state, allocation, weights, stay, leave);
    }
    true
}

/// Nothing is accepted if a weight that items need has underflowed.
fn exceeds(ln_ratio: f64, ln_threshold: f64) -> bool {
    ln_ratio.is_finite() && ln_ratio > ln_threshold
}

/// Draws two different items, independently of the state.
pub(crate) fn draw_pair(model: &Model, rng: &mut Rng) -> (usize, usize) {
    let i = uniform_index(rng, model.n_items());
    let j = uniform_index(rng, model.n_items() - 1);
    (i, j + usize::from(j >= i))
}

/// By node slot: how the weight of one component is divided into two.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightSplit {
    /// β_z of both components together.
    pub(crate) weights: Vec<f64>,
    /// m_z and m'_z
    pub(crate) counts: Vec<[f64; 2]>,
    /// u_z and 1 − u_z
    pub(crate) shares: Vec<[f64; 2]>,
}

impl WeightSplit {
    /// Fills in weights and counts, and the shares of two components.
    pub(crate) fn fill(
        &mut self,
        model: &Model,
        state: &State,
        allocation: &SequentialAllocation,
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
        self.fill_counts(model, &state.tree, allocation);
    }

    fn fill_counts(&mut self, model: &Model, tree: &Tree, allocation: &SequentialAllocation) {
        self.counts.clear();
        self.counts.resize(tree.n_slots(), [0.0; 2]);
        for level in (1..=tree.n_levels()).rev() {
            for &node in tree.level_nodes(level) {
                if level == tree.n_levels() {
                    self.counts[node.index()] = allocation.counts_at(node);
                }
                let above = tree.parent(node).index();
                for side in 0..2 {
                    let share =
                        allocation.size(side) as f64 / (allocation.size(0) + allocation.size(1)) as f64;
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

    /// Draws u of the nodes that `includes` selects, parents first.
    pub(crate) fn draw(
        &mut self,
        model: &Model,
        tree: &Tree,
        rng: &mut Rng,
        includes: impl Fn(&Self, NodeId) -> bool,
    ) {
        for node in tree.iter() {
            if !includes(self, node) {
                continue;
            }
            let [a, b] = if node == ROOT { [0.0; 2] } else { self.shapes(model, tree, node) };
            let [m, n] = self.counts[node.index()];
            let limit = if node == ROOT { 0.5 } else { self.shares[tree.parent(node).index()][0] };
            let (share, other) = beta(rng, a + m, b + n, limit);
            self.shares[node.index()] = [share, other];
        }
    }

    /// ln R without q; not finite if a weight that items need has underflowed.
    pub(crate) fn ln_split_ratio(
        &self,
        model: &Model,
        tree: &Tree,
        allocation: &SequentialAllocation,
    ) -> f64 {
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
        sum + allocation.ln_marginal_ratio(model)
    }
}

/// E CRT(n, a) = a (ψ(a + n) − ψ(a)), to the nearest whole number, a half rounded up.
fn expected_tables(n: f64, concentration: f64) -> f64 {
    if n <= 1.0 {
        return n;
    }
    let others: f64 = if n <= MAX_DIRECT_TERMS {
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
    } else if m <= MAX_DIRECT_TERMS {
        (0..m as usize).map(|i| a + i as f64).product::<f64>().ln()
    } else {
        ln_gamma(a + m) - ln_gamma(a)
    }
}

/// m ln x, and 0 if m = 0.
fn ln_power(x: f64, m: f64) -> f64 {
    if m == 0.0 { 0.0 } else { m * x.ln() }
}

/// Gives the second half of `stay` to `leave`, which has no items yet.
pub(crate) fn split(
    state: &mut State,
    allocation: &SequentialAllocation,
    weights: &WeightSplit,
    stay: ComponentId,
    leave: ComponentId,
) {
    for n in allocation.moved() {
        state.component[n] = leave;
    }
    state.components.n_items[stay.index()] = allocation.size(0) as u32;
    state.components.n_items[leave.index()] = allocation.size(1) as u32;
    for node in state.tree.iter() {
        let weight = weights.weights[node.index()];
        let [first, second] = weights.shares[node.index()];
        state.weights.set(node, stay, weight * first);
        state.weights.set(node, leave, weight * second);
    }
}

/// Gives all items and weights of `leave` to `stay`.
pub(crate) fn merge(
    state: &mut State,
    allocation: &SequentialAllocation,
    weights: &WeightSplit,
    stay: ComponentId,
    leave: ComponentId,
) {
    for n in allocation.moved() {
        state.component[n] = stay;
    }
    state.components.n_items[stay.index()] += state.components.n_items[leave.index()];
    for node in state.tree.iter() {
        state.weights.set(node, stay, weights.weights[node.index()]);
        state.weights.set(node, leave, 0.0);
    }
    state.components.remove(leave);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Scheme};
    use crate::kernels::Kernel;
    use crate::kernels::tests::fixtures::{chain_of, config};

    /// The number of components, whether two items share one, and the weights of an item's component at the root and at the
    /// item's leaf.
    const N_STATISTICS: usize = 4;
    type Means = [(f64, f64); N_STATISTICS];

    /// Means of the statistics, with standard errors by batches, of a chain of `kernels`, each time followed by `update`.
    fn means(mut chain: Chain, kernels: &[Kernel], update: impl Fn(&mut Chain)) -> Means {
        const N_BATCHES: usize = 50;
        const SIZE: usize = 1_000;
        let mut batches = vec![[0.0; N_STATISTICS]; N_BATCHES];
        for batch in &mut batches {
            for _ in 0..SIZE {
                kernels.iter().for_each(|kernel| kernel.apply(&mut chain));
                update(&mut chain);
                let state = &chain.state;
                batch[0] += state.components.n_components() as f64;
                batch[1] += f64::from(u8::from(state.component[0] == state.component[1]));
                batch[2] += state.weights.get(ROOT, state.component[0]);
                batch[3] += state.weights.get(state.leaf(0), state.component[0]);
            }
        }
        let n = N_BATCHES as f64;
        std::array::from_fn(|s| {
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

    fn largest_z(a: &Means, b: &Means) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a.0 - b.0).abs() / a.1.hypot(b.1)).fold(0.0, f64::max)
    }

    /// Asserts that three moves after the kernels change no mean, and that moves which are always accepted do. Level 0.001
    /// over the four comparisons.
    fn assert_invariant(start: &Chain, kernels: &[Kernel]) {
        let critical = 3.66;
        let with_moves = |ln_threshold: fn(&mut Rng) -> f64| {
            means(start.clone(), kernels, move |chain| {
                for _ in 0..3 {
                    let ln_threshold = ln_threshold(&mut chain.rng);
                    step(chain, ln_threshold);
                }
            })
        };
        let want = means(start.clone(), kernels, |_| ());
        let got = with_moves(|rng| uniform(rng).ln());
        assert!(largest_z(&want, &got) < critical, "{want:?} {got:?}");
        let always = with_moves(|_| f64::MIN);
        assert!(largest_z(&want, &always) > critical, "{want:?} {always:?}");
    }

    #[test]
    fn the_move_changes_no_mean_and_one_that_is_always_accepted_does() {
        let start = chain_of(Config { C: 0.0, n_levels: 2, ..config(Scheme::Exact) }, 3);
        assert_invariant(&start, &[Kernel::ItemsGibbs, Kernel::WeightsTables, Kernel::Means]);
    }

    /// `collapsed` with C > 0 has no joint target, but the conditional of (c, β, θ) given the tree and the discriminants is
    /// the one of (Q).
    #[test]
    fn the_move_keeps_the_conditional_given_the_tree_and_the_discriminants() {
        let regularised = Config { C: 1.0, intercept: 0.7, n_levels: 2, ..config(Scheme::Collapsed) };
        let start = chain_of(regularised, 3);
        assert!(start.state.tree.n_nodes() > 4, "{} nodes", start.state.tree.n_nodes());
        assert_invariant(&start, &[Kernel::Components, Kernel::WeightsTables, Kernel::Means]);
        let mut chain = start.clone();
        let mut n_accepted = 0;
        for _ in 0..1_000 {
            let ln_threshold = uniform(&mut chain.rng).ln();
            n_accepted += usize::from(step(&mut chain, ln_threshold));
        }
        assert!(n_accepted > 10, "only {n_accepted} accepted");
        assert!(chain.state.paths == start.state.paths);
        assert!(chain.state.discriminants == start.state.discriminants);
    }
}
