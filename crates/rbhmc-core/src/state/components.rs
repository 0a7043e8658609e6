//! The mixture components: means in whitened coordinates, sizes, and a free list of slots.

use serde::{Deserialize, Serialize};

use crate::numerics::{Columns, round_up};

/// A component's slot, its own until the component is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ComponentId(pub(crate) u32);

impl ComponentId {
    /// No component: an item that has been taken out of its own.
    pub(crate) const NONE: Self = Self(u32::MAX);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Components {
    /// θ_k, a column a component.
    pub(crate) means: Columns,
    pub(crate) n_items: Vec<u32>,
    /// 0 for a slot that holds a component (with or without items), −∞ for any other, padded to whole
    /// lanes: added to a log density it masks what is not there.
    pub(crate) ln_open: Vec<f64>,
    pub(crate) free: Vec<ComponentId>,
}

impl Components {
    pub(crate) fn new(n_dims: usize) -> Self {
        Self { means: Columns::new(n_dims), n_items: Vec::new(), ln_open: Vec::new(), free: Vec::new() }
    }

    /// Slots ever opened: every id is below this.
    #[inline]
    pub fn n_slots(&self) -> usize {
        self.n_items.len()
    }

    /// K
    pub fn n_components(&self) -> usize {
        self.n_slots() - self.free.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = ComponentId> + '_ {
        (0..self.n_slots()).filter(|&slot| self.is_open(slot)).map(|slot| ComponentId(slot as u32))
    }

    #[inline]
    pub fn is_open(&self, slot: usize) -> bool {
        self.ln_open.get(slot) == Some(&0.0)
    }

    #[inline]
    pub fn n_items(&self, component: ComponentId) -> u32 {
        self.n_items[component.index()]
    }

    pub fn mean(&self, component: ComponentId) -> impl Iterator<Item = f64> + '_ {
        self.means.column(component.index())
    }

    pub(crate) fn add(&mut self, mean: &[f64]) -> ComponentId {
        let component = self.free.pop().unwrap_or_else(|| {
            self.n_items.push(0);
            self.ln_open.resize(round_up(self.n_items.len()), f64::NEG_INFINITY);
            ComponentId((self.n_items.len() - 1) as u32)
        });
        self.ln_open[component.index()] = 0.0;
        self.n_items[component.index()] = 0;
        self.means.open(self.n_slots());
        self.means.set_column(component.index(), mean);
        component
    }

    pub(crate) fn remove(&mut self, component: ComponentId) {
        self.ln_open[component.index()] = f64::NEG_INFINITY;
        self.free.push(component);
    }
}
