//! The kernels, each an update of a part of the state, and the schedule of every scheme.

pub(crate) mod components;
mod hyper;
pub(crate) mod margins;
pub(crate) mod paths;
#[cfg(test)]
mod tests;
pub(crate) mod weights;
mod workspace;

pub(crate) use margins::violations::Violations;
pub(crate) use workspace::Work;

use std::str::FromStr;

use crate::config::{Config, PathMove, Scheme};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::rng::{self, Rng};
use crate::state::State;

/// One update of the whole state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Every item, in random order: out of its component and path, a Gibbs draw of the path, then c_n.
    ItemsGibbs,
    /// As `ItemsGibbs`, with a Metropolis–Hastings path.
    ItemsMh,
    /// The published path step: Metropolis–Hastings with λ_n held, then λ_n; components untouched.
    PathsPaper,
    /// The published component step: all c_n in index order, after all paths.
    ComponentsPaper,
    /// Every c_n, in index order, given the paths; in no scheme, but of use with a tree held fixed.
    Components,
    /// β by tables, with γ and γ_0 where they are learned.
    WeightsTables,
    /// The same by counts.
    WeightsCounts,
    /// λ, then η with active sums and an accept step.
    Margins,
    /// η with path sums, always accepted.
    MarginsPaper,
    /// θ
    Means,
    /// α, learned.
    Alpha,
    /// Σ, learned.
    NoiseCov,
    /// Σ_0, learned.
    BaseCov,
    /// A component into two, or two into one.
    SplitMergeComponents,
}

impl Kernel {
    /// The kernels of a sweep, in order.
    pub fn of(config: &Config) -> Vec<Self> {
        let regularised = config.C > 0.0;
        let kernels: &[Self] = match (config.scheme, config.path_move()) {
            (Scheme::Paper, _) => &[
                Self::PathsPaper,
                Self::ComponentsPaper,
                Self::WeightsCounts,
                Self::MarginsPaper,
                Self::Means,
            ],
            (Scheme::Collapsed | Scheme::Exact, PathMove::Gibbs) => {
                &[Self::ItemsGibbs, Self::WeightsTables, Self::Margins, Self::Means]
            }
            (Scheme::Collapsed | Scheme::Exact, PathMove::Mh) => {
                &[Self::ItemsMh, Self::WeightsTables, Self::Margins, Self::Means]
            }
        };
        // The move is exact: it would change what the other schemes sample.
        let moves: &[Self] = match (config.scheme, regularised) {
            (Scheme::Exact, _) | (Scheme::Collapsed, false) => &[Self::SplitMergeComponents],
            (Scheme::Paper, _) | (Scheme::Collapsed, true) => &[],
        };
        let learned = [Self::Alpha, Self::NoiseCov, Self::BaseCov];
        let learned = learned.into_iter().filter(|kernel| kernel.fixed(config).is_none());
        let kernels = kernels.iter().copied().filter(|kernel| regularised || !kernel.needs_margins());
        kernels.chain(moves.iter().copied()).chain(learned).collect()
    }

    pub(crate) fn needs_margins(self) -> bool {
        matches!(self, Self::Margins | Self::MarginsPaper)
    }

    /// The parameter that the kernel would learn, if it is fixed.
    pub(crate) fn fixed(self, config: &Config) -> Option<&'static str> {
        let (name, learned) = match self {
            Self::Alpha => ("alpha", config.priors.alpha.is_some()),
            Self::NoiseCov => ("noise_cov", config.priors.noise_cov.is_some()),
            Self::BaseCov => ("base_cov", config.priors.base_cov.is_some()),
            _ => return None,
        };
        (!learned).then_some(name)
    }

    /// Applies the kernel once; what it proposed and accepted. Of the model, only what is learned changes.
    pub(crate) fn apply(self, model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) -> Info {
        let info = match self {
            Self::ItemsGibbs => in_random_order(model, state, work, rng, paths::gibbs::items_gibbs),
            Self::ItemsMh => each_item(model, state, work, rng, |model, state, work, rng, n| {
                components::assign::leave(state, n);
                let accepted = paths::mh::path_mh(model, state, work, rng, n);
                components::assign::draw(model, state, work, rng, n);
                accepted
            }),
            Self::PathsPaper => each_item(model, state, work, rng, paths::mh::path_mh_augmented),
            Self::Components => {
                components::assign::redraw(model, state, work, rng);
                Info::default()
            }
            Self::ComponentsPaper => {
                components::assign::components_paper(model, state, work, rng);
                Info::default()
            }
            Self::WeightsTables => {
                weights::weights_by_tables(model, state, work, rng);
                Info::default()
            }
            Self::WeightsCounts => {
                weights::weights_by_counts(model, state, work, rng);
                Info::default()
            }
            Self::SplitMergeComponents => {
                components::split_merge::split_merge_components(model, state, work, rng)
            }
            Self::Margins => margins::lambda::margins(model, state, work, rng),
            Self::MarginsPaper => {
                margins::discriminants::discriminants_by_path_sums(model, state, work, rng);
                Info::default()
            }
            Self::Means => {
                components::means::means(model, state, work, rng);
                Info::default()
            }
            Self::Alpha => {
                hyper::alpha(model, state, rng);
                Info::default()
            }
            Self::NoiseCov => {
                hyper::noise_cov(model, state, work, rng);
                Info::default()
            }
            Self::BaseCov => {
                hyper::base_cov(model, state, work, rng);
                Info::default()
            }
        };
        debug_assert_eq!(state.check(model), Ok(()), "after {self:?}");
        info
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let kernel = KERNELS.iter().find(|(_, other)| *other == name).map(|&(kernel, _)| kernel);
        kernel.ok_or_else(|| {
            let names: Vec<&str> = KERNELS.iter().map(|&(_, name)| name).collect();
            Error::parameter("kernel", format!("{name:?}"), format!("one of {}", names.join(", ")))
        })
    }
}

/// Every kernel and its name.
const KERNELS: [(Kernel, &str); 14] = [
    (Kernel::ItemsGibbs, "items_gibbs"),
    (Kernel::ItemsMh, "items_mh"),
    (Kernel::PathsPaper, "paths_paper"),
    (Kernel::Components, "components"),
    (Kernel::ComponentsPaper, "components_paper"),
    (Kernel::WeightsTables, "weights_tables"),
    (Kernel::WeightsCounts, "weights_counts"),
    (Kernel::Margins, "margins"),
    (Kernel::MarginsPaper, "margins_paper"),
    (Kernel::Means, "means"),
    (Kernel::SplitMergeComponents, "split_merge_components"),
    (Kernel::Alpha, "alpha"),
    (Kernel::NoiseCov, "noise_cov"),
    (Kernel::BaseCov, "base_cov"),
];

/// How many proposals a kernel made that could be refused, and how many were accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Info {
    pub path: Tally,
    pub eta: Tally,
    /// Splits and merges of components.
    pub moves: Tally,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub proposed: u64,
    pub accepted: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, accepted: bool) {
        self.proposed += 1;
        self.accepted += u64::from(accepted);
    }

    /// The accepted share; NaN where nothing was proposed.
    pub fn rate(self) -> f64 {
        self.accepted as f64 / self.proposed as f64
    }
}

impl std::ops::AddAssign for Info {
    fn add_assign(&mut self, other: Self) {
        for (sum, other) in
            [(&mut self.path, other.path), (&mut self.eta, other.eta), (&mut self.moves, other.moves)]
        {
            sum.proposed += other.proposed;
            sum.accepted += other.accepted;
        }
    }
}

/// Applies `update` to the items in a random order.
fn each_item(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    mut update: impl FnMut(&Model, &mut State, &mut Work, &mut Rng, usize) -> bool,
) -> Info {
    in_random_order(model, state, work, rng, |model, state, work, rng, order| {
        let mut info = Info::default();
        for &n in order {
            info.path.count(update(model, state, work, rng, n as usize));
        }
        info
    })
}

/// Applies `updates` once, with a random order of the items.
fn in_random_order(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    rng: &mut Rng,
    updates: impl FnOnce(&Model, &mut State, &mut Work, &mut Rng, &[u32]) -> Info,
) -> Info {
    if model.is_joint() {
        work.losses.refresh(model, state, &mut work.scores);
    }
    let mut order = std::mem::take(&mut work.order);
    order.clear();
    order.extend(0..model.n_items() as u32);
    rng::shuffle(rng, &mut order);
    let info = updates(model, state, work, rng, &order);
    work.order = order;
    info
}
