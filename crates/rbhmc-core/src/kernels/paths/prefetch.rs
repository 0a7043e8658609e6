//! The outlooks of the next items, computed at once and on all cores.
//!
//! A birth or death makes those that are left stale, and whoever meets a stale one looks anew: how far
//! ahead one looks, and on how many cores, changes the time and nothing else.

use rayon::prelude::*;

use super::likelihoods::Outlook;
use super::node_table::Layout;
use crate::model::Model;
use crate::state::State;

/// Looking ahead pays after this many items without birth or death, and not beyond so many at once: few
/// enough for the caches, and enough that cores seldom wait for each other.
const SHORTEST: usize = 32;
const LONGEST: usize = 1_024;
/// Weights in the layout from which one outlook is worth another core.
const LARGE: usize = 4_096;

#[derive(Debug, Clone, Default)]
pub(crate) struct Ahead {
    outlooks: Vec<Outlook>,
    /// The position in the items' order that the first of them belongs to, and how many there are.
    first: usize,
    n_ready: usize,
    version: u64,
    /// Items since the last birth or death.
    calm: usize,
}

/// Whether a sweep is to look ahead at all.
pub(crate) fn pays(model: &Model, layout: &Layout) -> bool {
    model.n_items() >= LONGEST && layout.weights.len() >= LARGE && rayon::current_num_threads() > 1
}

impl Ahead {
    pub(crate) fn reset(&mut self, layout: &Layout) {
        self.n_ready = 0;
        self.version = layout.version;
        self.calm = LONGEST;
    }

    /// Looks ahead from a position on, unless it is covered or births and deaths come too fast.
    pub(crate) fn extend(
        &mut self,
        model: &Model,
        state: &State,
        layout: &Layout,
        order: &[u32],
        position: usize,
    ) {
        self.calm += 1;
        if layout.version != self.version {
            self.version = layout.version;
            self.calm = 0;
            self.n_ready = 0;
        }
        if position < self.first + self.n_ready || self.calm < SHORTEST {
            return;
        }
        let items = &order[position..];
        let items = &items[..items.len().min(self.calm).min(LONGEST)];
        self.first = position;
        self.n_ready = items.len();
        if self.outlooks.len() < items.len() {
            self.outlooks.resize_with(items.len(), Outlook::default);
        }
        self.outlooks[..items.len()]
            .par_iter_mut()
            .with_min_len(SHORTEST / 4)
            .zip(items)
            .for_each(|(outlook, &n)| outlook.look(model, state, layout, n as usize));
    }

    /// Puts what was computed for a position, if anything was, into `outlook`, else marks that as stale.
    pub(crate) fn hand_over(&mut self, position: usize, outlook: &mut Outlook) {
        outlook.version = 0;
        if (self.first..self.first + self.n_ready).contains(&position) {
            std::mem::swap(outlook, &mut self.outlooks[position - self.first]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::config::{Config, Covariance};

    /// A table that is looked ahead in, with births and deaths.
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
                    let mut layout = Layout::default();
                    layout.build(sampler.model(), sampler.state());
                    assert_eq!(pays(sampler.model(), &layout), n_threads > 1);
                    sampler.state().clone()
                })
            });
            assert!(states[1] == states[0] && states[2] == states[0], "C = {c}");
        }
    }
}
