//! The path of an item: Gibbs and Metropolis–Hastings steps.

pub(crate) mod bounded_categorical;
pub(crate) mod candidates;
pub(crate) mod gibbs;
pub(crate) mod likelihoods;
pub(crate) mod mh;
pub(crate) mod ncrp;
pub(crate) mod new_branch;
pub(crate) mod node_table;
pub(crate) mod prefetch;
pub(crate) mod pruned_candidates;

use crate::chain::Chain;
use crate::rng;

/// Calls `update` with a random order of the items, the joint losses being up to date if the scheme needs them.
pub(crate) fn in_random_order(chain: &mut Chain, update: impl FnOnce(&mut Chain, &[u32])) {
    let Chain { model, state, workspace, rng, .. } = chain;
    if model.is_joint() {
        workspace.joint_loss.refresh(model, state, &mut workspace.scores);
    }
    let mut order = std::mem::take(&mut workspace.order);
    order.clear();
    order.extend(0..model.n_items() as u32);
    rng::shuffle(rng, &mut order);
    update(chain, &order);
    chain.workspace.order = order;
}
