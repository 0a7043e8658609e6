//! The likelihoods of the next items, computed ahead on all cores.
//!
//! A birth or death makes the remaining ones stale, and stale ones are computed again when their item comes. The number
//! of items ahead, and of cores, changes the time and nothing else.

use rayon::prelude::*;

use super::likelihoods::NodeLikelihoods;
use super::node_table::NodeTable;
use crate::model::Model;
use crate::numerics::{PARALLEL_FROM_ITEMS, in_pool};
use crate::state::State;

/// Prefetching starts after this many items without birth or death.
const MIN_RUN: usize = 32;
/// At most this many items are prefetched: few enough for the caches, enough that cores seldom wait for each other.
const MAX_RUN: usize = 1_024;
/// Entries of β in the node table from which the likelihoods of one item are worth another core.
const MIN_WEIGHTS: usize = 4_096;

#[derive(Debug, Clone, Default)]
pub(crate) struct Prefetch {
    likelihoods: Vec<NodeLikelihoods>,
    /// The position in the items' order of the first prefetched item, and the number of prefetched items.
    first: usize,
    n_ready: usize,
    version: u64,
    /// The number of items since the last birth or death.
    n_since_change: usize,
}

/// Whether a sweep should prefetch at all.
pub(crate) fn is_worthwhile(model: &Model, table: &NodeTable) -> bool {
    model.n_items() >= PARALLEL_FROM_ITEMS && table.weights.len() >= MIN_WEIGHTS && in_pool()
}

impl Prefetch {
    pub(crate) fn reset(&mut self, table: &NodeTable) {
        self.n_ready = 0;
        self.version = table.version;
        self.n_since_change = MAX_RUN;
    }

    /// Computes the likelihoods of the items from a position on, unless they are ready or changes are too frequent.
    pub(crate) fn extend(
        &mut self,
        model: &Model,
        state: &State,
        table: &NodeTable,
        order: &[u32],
        position: usize,
    ) {
        self.n_since_change += 1;
        if table.version != self.version {
            self.version = table.version;
            self.n_since_change = 0;
            self.n_ready = 0;
        }
        if position < self.first + self.n_ready || self.n_since_change < MIN_RUN {
            return;
        }
        let items = &order[position..];
        let items = &items[..items.len().min(self.n_since_change).min(MAX_RUN)];
        self.first = position;
        self.n_ready = items.len();
        if self.likelihoods.len() < items.len() {
            self.likelihoods.resize_with(items.len(), NodeLikelihoods::default);
        }
        self.likelihoods[..items.len()]
            .par_iter_mut()
            .with_min_len(MIN_RUN / 4)
            .zip(items)
            .for_each(|(likelihoods, &n)| likelihoods.compute(model, state, table, n as usize));
    }

    /// Swaps the likelihoods of a position, if they were prefetched, into `likelihoods`, and otherwise marks it stale.
    pub(crate) fn take(&mut self, position: usize, likelihoods: &mut NodeLikelihoods) {
        likelihoods.version = 0;
        if (self.first..self.first + self.n_ready).contains(&position) {
            std::mem::swap(likelihoods, &mut self.likelihoods[position - self.first]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::config::{Config, Covariance};

    /// A chain that prefetches, with births and deaths.
    #[allow(non_snake_case)]
    fn sampler(C: f64) -> Sampler {
        let config = Config {
            alpha: 6.0,
            gamma: 5.0,
            gamma0: 15.0,
            C,
            margin: 2.0,
            noise_cov: Covariance::Scalar(0.2),
            base_cov: Covariance::Scalar(100.0),
            ..Config::default()
        };
        let x = crate::simulate(config.clone(), 1_500, 3, 1).unwrap().x;
        Sampler::new(x.view(), config, None, 2).unwrap()
    }

    #[test]
    fn draws_do_not_depend_on_the_number_of_threads() {
        for c in [0.0, 0.5] {
            let states = [1, 2, 3].map(|n_threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
                pool.install(|| {
                    let mut sampler = sampler(c);
                    (0..2).for_each(|_| sampler.sweep());
                    let mut table = NodeTable::default();
                    table.build(sampler.model(), sampler.state());
                    assert_eq!(is_worthwhile(sampler.model(), &table), n_threads > 1);
                    sampler.state().clone()
                })
            });
            assert!(states[1] == states[0] && states[2] == states[0], "C = {c}");
        }
    }
}
