//! The schedule of a scheme: the list of all kernels, and the ones that make a sweep.

use std::str::FromStr;

use super::{components, hyperparameters, margins, paths, weights};
use crate::chain::Chain;
use crate::config::{Config, PathMove, Scheme};
use crate::error::{Error, Result};

/// One update of the whole state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Every item, in random order: removed from its component and path, then a Gibbs draw of the path and c_n.
    ItemsGibbs,
    /// As `ItemsGibbs`, with a Metropolis–Hastings step of the path.
    ItemsMh,
    /// The published path step: Metropolis–Hastings with λ_n held, then λ_n; components stay.
    PathsPaper,
    /// All c_n in index order, given the paths. No scheme has it; it serves with a fixed tree.
    Components,
    /// The published component step: all c_n in index order, after all paths.
    ComponentsPaper,
    /// β by tables, with γ and γ_0 if they are learned.
    WeightsTables,
    /// β by counts, with γ and γ_0 if they are learned.
    WeightsCounts,
    /// λ, then η with active sums and an accept step.
    Margins,
    /// The published step: η with active sums, always accepted.
    MarginsPaper,
    /// η with path sums, always accepted: another reading of the paper. No scheme has it; `benches/paper` studies it.
    MarginsPathSums,
    /// θ
    Means,
    /// Splits a component into two, or merges two.
    SplitMergeComponents,
    /// α, learned.
    Alpha,
    /// Σ, learned.
    NoiseCov,
    /// Σ_0, learned.
    BaseCov,
}

type Update = fn(&mut Chain);

/// Every kernel with its name and its update, in the order of the variants.
pub(crate) const KERNELS: [(Kernel, &str, Update); 15] = [
    (Kernel::ItemsGibbs, "items_gibbs", paths::gibbs::update_items),
    (Kernel::ItemsMh, "items_mh", paths::mh::update_items),
    (Kernel::PathsPaper, "paths_paper", paths::mh::update_paths_paper),
    (Kernel::Components, "components", components::assign::update_components),
    (Kernel::ComponentsPaper, "components_paper", components::assign::update_components_paper),
    (Kernel::WeightsTables, "weights_tables", weights::update_by_tables),
    (Kernel::WeightsCounts, "weights_counts", weights::update_by_counts),
    (Kernel::Margins, "margins", margins::lambda::update_margins),
    (Kernel::MarginsPaper, "margins_paper", margins::discriminants::update_always_accepted),
    (Kernel::MarginsPathSums, "margins_path_sums", margins::discriminants::update_by_path_sums),
    (Kernel::Means, "means", components::means::update_means),
    (Kernel::SplitMergeComponents, "split_merge_components", components::split_merge::split_or_merge),
    (Kernel::Alpha, "alpha", hyperparameters::update_alpha),
    (Kernel::NoiseCov, "noise_cov", hyperparameters::update_noise_cov),
    (Kernel::BaseCov, "base_cov", hyperparameters::update_base_cov),
];

impl Kernel {
    /// The kernels of a sweep, in order.
    pub fn schedule(config: &Config) -> Vec<Self> {
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
        // Splits and merges leave the conditional of (c, β, θ) given (V, η) invariant, which the published weights
        // and components do not sample.
        let moves: &[Self] = match config.scheme {
            Scheme::Collapsed | Scheme::Exact => &[Self::SplitMergeComponents],
            Scheme::Paper => &[],
        };
        let learned = [Self::Alpha, Self::NoiseCov, Self::BaseCov];
        let learned = learned.into_iter().filter(|kernel| kernel.fixed_parameter(config).is_none());
        let kernels = kernels.iter().copied().filter(|kernel| regularised || !kernel.needs_margins());
        kernels.chain(moves.iter().copied()).chain(learned).collect()
    }

    pub(crate) fn needs_margins(self) -> bool {
        matches!(self, Self::Margins | Self::MarginsPaper | Self::MarginsPathSums)
    }

    /// The parameter that the kernel updates, if the settings fix it.
    pub(crate) fn fixed_parameter(self, config: &Config) -> Option<&'static str> {
        let (name, learned) = match self {
            Self::Alpha => ("alpha", config.priors.alpha.is_some()),
            Self::NoiseCov => ("noise_cov", config.priors.noise_cov.is_some()),
            Self::BaseCov => ("base_cov", config.priors.base_cov.is_some()),
            _ => return None,
        };
        (!learned).then_some(name)
    }

    /// Applies the kernel once. Acceptances are counted in the chain.
    pub(crate) fn apply(self, chain: &mut Chain) {
        let (kernel, _, update) = KERNELS[self as usize];
        debug_assert_eq!(kernel, self, "KERNELS lists the variants in order");
        update(chain);
        debug_assert_eq!(chain.state.check(&chain.model), Ok(()), "after {self:?}");
    }
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = KERNELS.iter().find(|(_, known, _)| *known == name);
        found.map(|&(kernel, ..)| kernel).ok_or_else(|| {
            let names: Vec<&str> = KERNELS.iter().map(|&(_, name, _)| name).collect();
            Error::parameter("kernel", format!("{name:?}"), format!("one of {}", names.join(", ")))
        })
    }
}
