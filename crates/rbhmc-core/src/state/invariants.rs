//! The invariants of a state, which hold after every kernel.

use super::tree::{NodeId, ROOT};
use super::{LAMBDA_RANGE, State};
use crate::model::Model;
use crate::numerics::{LANES, round_up};

impl State {
    /// Recounts everything, and returns the first invariant that is violated.
    ///
    /// Safe on any state, also on one read from a file.
    pub fn check(&self, model: &Model) -> Result<(), String> {
        self.check_shapes(model)?;
        self.check_tree()?;
        self.check_items()?;
        self.check_weights()
    }

    fn check_shapes(&self, model: &Model) -> Result<(), String> {
        let n_items = model.n_items();
        let n_nodes = self.tree.nodes.len();
        let n_slots = self.components.n_slots();
        let regularised = model.is_regularised();
        let n_lambda = if regularised { n_items } else { 0 };
        let eta_rows = if regularised { model.n_eta_dims() } else { 0 };
        require(self.tree.levels.len() == model.n_levels() + 1, "number of levels")?;
        require(self.paths.len() == n_items * self.tree.levels.len(), "number of paths")?;
        require(self.component.len() == n_items, "number of component labels")?;
        require(self.lambda.len() == n_lambda, "number of lambdas")?;
        require(self.lambda.iter().all(|lambda| LAMBDA_RANGE.contains(lambda)), "a lambda's value")?;
        require(self.discriminants.is_valid(eta_rows, n_nodes), "discriminants")?;
        require(self.components.means.is_valid(model.n_dims(), n_slots), "means")?;
        let ln_open = &self.components.ln_open;
        require(ln_open.len() == round_up(n_slots), "open components")?;
        require(ln_open.iter().all(|&ln| ln == 0.0 || ln == f64::NEG_INFINITY), "a component's mask")?;
        require(ln_open[n_slots..].iter().all(|&ln| ln < 0.0), "a component beyond the last")?;
        let stride = self.weights.stride;
        require(stride.is_multiple_of(LANES) && stride >= n_slots.max(1), "stride of weights")?;
        require(self.weights.rest.len() == n_nodes, "number of rest weights")?;
        require(Some(self.weights.values.len()) == n_nodes.checked_mul(stride), "weights")
    }

    fn check_tree(&self) -> Result<(), String> {
        let tree = &self.tree;
        let mut seen = vec![false; tree.nodes.len()];
        let mut n_children = vec![0; tree.nodes.len()];
        require(tree.levels[0] == [ROOT], "the root")?;
        for (level, nodes) in tree.levels.iter().enumerate() {
            for (position, &id) in nodes.iter().enumerate() {
                let node = tree.nodes.get(id.index()).ok_or("a node's id")?;
                require(!std::mem::replace(&mut seen[id.index()], true), "a node twice")?;
                require(node.level as usize == level, "a node's level")?;
                require(node.position as usize == position, "a node's position")?;
                if id == ROOT {
                    require(node.parent == ROOT, "the root's parent")?;
                } else {
                    let parent = tree.nodes.get(node.parent.index()).ok_or("a parent's id")?;
                    require(seen[node.parent.index()] && parent.level + 1 == node.level, "a node's parent")?;
                    n_children[node.parent.index()] += 1;
                }
            }
        }
        for &NodeId(id) in &tree.free {
            let slot = seen.get_mut(id as usize).ok_or("a free node's id")?;
            require(!std::mem::replace(slot, true), "a free node twice")?;
        }
        require(seen.iter().all(|&seen| seen), "a node neither in a level nor free")?;
        require(tree.iter().all(|id| tree.n_children(id) == n_children[id.index()]), "number of children")
    }

    fn check_items(&self) -> Result<(), String> {
        let mut node_items = vec![0; self.tree.nodes.len()];
        let mut component_items = vec![0; self.components.n_slots()];
        for n in 0..self.n_items() {
            let path = self.path(n);
            require(path[0] == ROOT, "a path's root")?;
            for (level, &node) in path.iter().enumerate() {
                let count = node_items.get_mut(node.index()).ok_or("a path's node")?;
                *count += 1;
                require(self.tree.level(node) == level, "a path's level")?;
                require(level == 0 || self.tree.parent(node) == path[level - 1], "a path's step")?;
            }
            let slot = self.component[n].index();
            require(self.components.is_open(slot), "an item's component")?;
            component_items[slot] += 1;
        }
        for node in self.tree.iter() {
            require(node_items[node.index()] == self.tree.n_items(node), "a node's size")?;
            require(self.tree.n_items(node) > 0, "an empty node")?;
        }
        for node in &self.tree.free {
            require(node_items[node.index()] == 0, "a path through a free node")?;
        }
        let mut free = vec![false; self.components.n_slots()];
        for &component in &self.components.free {
            let slot = free.get_mut(component.index()).ok_or("a free component's id")?;
            require(!std::mem::replace(slot, true), "a free component twice")?;
        }
        for slot in 0..self.components.n_slots() {
            let open = self.components.is_open(slot);
            require(open != free[slot], "an open component in the free list")?;
            if open {
                require(self.components.n_items[slot] == component_items[slot], "a component's size")?;
                require(component_items[slot] > 0, "an empty component")?;
            }
        }
        Ok(())
    }

    fn check_weights(&self) -> Result<(), String> {
        for node in self.tree.iter() {
            let row = self.weights.row(node);
            let rest = self.weights.rest(node);
            require(rest >= 0.0 && row.iter().all(|&weight| weight >= 0.0), "a negative weight")?;
            let sum = rest + row.iter().sum::<f64>();
            require((sum - 1.0).abs() < 1e-9, "the sum of a node's weights")?;
            for (slot, &weight) in row.iter().enumerate() {
                require(self.components.is_open(slot) || weight == 0.0, "a weight without a component")?;
            }
        }
        Ok(())
    }
}

fn require(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_string()) }
}

#[cfg(test)]
mod tests {
    use crate::Sampler;
    use crate::config::Config;
    use crate::state::ComponentId;

    fn sampler() -> Sampler {
        let x = ndarray::array![[0.0], [0.4], [7.0], [-3.0]];
        let sampler = Sampler::new(x.view(), Config::default(), None, 0).unwrap();
        assert_eq!(sampler.state().check(sampler.model()), Ok(()));
        sampler
    }

    #[test]
    fn a_path_through_a_released_node_is_refused() {
        let sampler = sampler();
        let mut state = sampler.state().clone();
        let leaf = state.leaf(0);
        state.tree.unlink(leaf);
        state.tree.release(leaf);
        assert!(state.check(sampler.model()).is_err());
    }

    #[test]
    fn an_item_in_the_padding_is_refused() {
        let sampler = sampler();
        let mut state = sampler.state().clone();
        let slot = state.components.n_slots();
        assert!(slot < state.components.ln_open.len(), "there must be padding");
        state.components.ln_open[slot] = 0.0;
        state.component[0] = ComponentId(slot as u32);
        assert_eq!(state.check(sampler.model()), Err("a component beyond the last".to_string()));
    }

    #[test]
    fn a_mask_is_zero_or_minus_infinity() {
        let sampler = sampler();
        let mut state = sampler.state().clone();
        state.components.ln_open[0] = -3.0;
        assert_eq!(state.check(sampler.model()), Err("a component's mask".to_string()));
    }
}
