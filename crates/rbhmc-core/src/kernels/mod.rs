//! The updates, one file each; a scheme is a list of them.

mod ahead;
pub(crate) mod branches;
mod candidates;
mod charges;
pub(crate) mod components;
mod concentrations;
#[cfg(test)]
pub(crate) mod conditionals;
#[cfg(test)]
mod conditionals_learned;
#[cfg(test)]
mod conditionals_of_moves;
mod covariances;
mod densities;
mod discriminants;
mod gaussian;
mod group;
mod halves;
mod lanes;
mod layout;
mod losses;
pub(crate) mod margins;
pub(crate) mod means;
mod members;
pub(crate) mod ncrp;
#[cfg(test)]
mod obvious;
#[cfg(test)]
mod obvious_mh;
mod outlook;
mod path_gibbs;
mod path_mh;
mod prospects;
mod scores;
pub(crate) mod seating;
mod split_merge_components;
mod violations;
pub(crate) mod weights;

pub(crate) use violations::Violations;

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
            Self::Alpha => ("alpha", config.learn.alpha.is_some()),
            Self::NoiseCov => ("noise_cov", config.learn.noise_cov.is_some()),
            Self::BaseCov => ("base_cov", config.learn.base_cov.is_some()),
            _ => return None,
        };
        (!learned).then_some(name)
    }

    /// Applies the kernel once; what it proposed and accepted. Of the model, only what is learned changes.
    pub(crate) fn apply(self, model: &mut Model, state: &mut State, work: &mut Work, rng: &mut Rng) -> Info {
        let info = match self {
            Self::ItemsGibbs => in_random_order(model, state, work, rng, path_gibbs::items_gibbs),
            Self::ItemsMh => each_item(model, state, work, rng, |model, state, work, rng, n| {
                components::leave(state, n);
                let accepted = path_mh::path_mh(model, state, work, rng, n);
                components::draw(model, state, work, rng, n);
                accepted
            }),
            Self::PathsPaper => each_item(model, state, work, rng, path_mh::path_mh_augmented),
            Self::Components => {
                components::redraw(model, state, work, rng);
                Info::default()
            }
            Self::ComponentsPaper => {
                components::components_paper(model, state, work, rng);
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
                split_merge_components::split_merge_components(model, state, work, rng)
            }
            Self::Margins => margins::margins(model, state, work, rng),
            Self::MarginsPaper => {
                discriminants::discriminants_by_path_sums(model, state, work, rng);
                Info::default()
            }
            Self::Means => {
                means::means(model, state, work, rng);
                Info::default()
            }
            Self::Alpha => {
                concentrations::alpha(model, state, rng);
                Info::default()
            }
            Self::NoiseCov => {
                covariances::noise_cov(model, state, work, rng);
                Info::default()
            }
            Self::BaseCov => {
                covariances::base_cov(model, state, work, rng);
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
        Ok(match name {
            "items_gibbs" => Self::ItemsGibbs,
            "items_mh" => Self::ItemsMh,
            "paths_paper" => Self::PathsPaper,
            "components" => Self::Components,
            "components_paper" => Self::ComponentsPaper,
            "weights_tables" => Self::WeightsTables,
            "weights_counts" => Self::WeightsCounts,
            "margins" => Self::Margins,
            "margins_paper" => Self::MarginsPaper,
            "means" => Self::Means,
            "alpha" => Self::Alpha,
            "noise_cov" => Self::NoiseCov,
            "base_cov" => Self::BaseCov,
            "split_merge_components" => Self::SplitMergeComponents,
            _ => {
                return Err(Error::parameter(
                    "kernel",
                    format!("{name:?}"),
                    "one of items_gibbs, items_mh, paths_paper, components, components_paper, \
                     weights_tables, weights_counts, margins, margins_paper, means, alpha, noise_cov, base_cov, \
                     split_merge_components",
                ));
            }
        })
    }
}

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

/// Room that the kernels use again and again; nothing in it outlives a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    order: Vec<u32>,
    densities: densities::Densities,
    scores: scores::Scores,
    layout: layout::Layout,
    outlook: outlook::Outlook,
    ahead: ahead::Ahead,
    candidates: candidates::Candidates,
    bounds: charges::Bounds,
    pub(crate) branch: branches::Branch,
    losses: losses::Losses,
    shapes: Vec<f64>,
    exponents: Vec<f64>,
    fractions: Vec<f64>,
    counts: Vec<u32>,
    sums: Vec<f64>,
    pub(crate) violations: Violations,
    group: group::Group,
    proposal: discriminants::Proposal,
    halves: halves::Halves,
    division: split_merge_components::Division,
}

impl Work {
    /// Room for a model; an error where its largest part, a square of the dimensions, cannot be had.
    pub(crate) fn new(model: &Model) -> Result<Self> {
        let mut work = Self::default();
        let n_dims = model.n_dims();
        if model.is_regularised() && !work.proposal.reserve(n_dims) {
            return Err(Error::OutOfMemory {
                what: "a precision matrix of so many dimensions",
                bytes: 16 * n_dims as u128 * n_dims as u128,
            });
        }
        Ok(work)
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
