//! The mixture components: means in whitened coordinates, sizes, and a free list of slots.

use serde::{Deserialize, Serialize};

use crate::numerics::{SlotMatrix, round_up};

/// The slot of a component, which keeps it until it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ComponentId(pub(crate) u32);

impl ComponentId {
    /// The component of an item that has been taken out.
    pub(crate) const NONE: Self = Self(u32::MAX);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Components {
    /// θ_k, one column for each component.
    pub(crate) means: SlotMatrix,
    pub(crate) n_items: Vec<u32>,
    /// 0 for a slot that holds a component, −∞ for a free slot and for the padding to whole lanes: added to
    /// log densities it masks the slots without a component.
    pub(crate) ln_open: Vec<f64>,
    pub(crate) free: Vec<ComponentId>,
}

impl Components {
    pub(crate) fn new(n_dims: usize) -> Self {
        Self { means: SlotMatrix::new(n_dims), n_items: Vec::new(), ln_open: Vec::new(), free: Vec::new() }
    }

    /// The number of slots that were ever opened; every id is below it.
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
