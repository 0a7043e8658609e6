//! The tree under way: its nodes, what each costs, and how items enter and leave it.

use ndarray::{ArrayView2, ArrayView3, Axis};

use crate::posterior::loss::Loss;

pub const ROOT: usize = 0;

/// A node; the root lists no items, since its cost never changes.
#[derive(Debug, Clone, Default)]
pub struct Node {
    pub level: usize,
    pub parent: usize,
    pub children: Vec<usize>,
    pub items: Vec<usize>,
    pub cost: f64,
}

#[derive(Debug)]
pub struct State<'a> {
    counts: ArrayView3<'a, u32>,
    pub loss: Loss,
    pub nodes: Vec<Node>,
    free: Vec<usize>,
    /// The node of each item at each level, and the root where it is out of the tree.
    pub at: Vec<Vec<usize>>,
    /// The s of each item at each level; see [`Loss`].
    pub sums: Vec<Vec<f64>>,
}

impl<'a> State<'a> {
    pub fn new(tree: ArrayView2<'_, i32>, counts: ArrayView3<'a, u32>, loss: Loss) -> Self {
        let (n_levels, n_items) = tree.dim();
        let mut state = Self {
            counts,
            loss,
            nodes: vec![Node::default()],
            free: Vec::new(),
            at: vec![vec![ROOT; n_items]; n_levels + 1],
            sums: vec![vec![0.0; n_items]; n_levels + 1],
        };
        for (above, labels) in tree.axis_iter(Axis(0)).enumerate() {
            let mut of_label = vec![ROOT; n_items];
            for (item, &label) in labels.iter().enumerate() {
                let node = &mut of_label[label as usize];
                if *node == ROOT {
                    *node = state.open(above + 1, state.at[above][item]);
                }
                state.at[above + 1][item] = *node;
                state.nodes[*node].items.push(item);
            }
            for node in state.nodes_at(above + 1) {
                state.sum_up(node);
            }
        }
        state
    }

    pub fn n_items(&self) -> usize {
        self.at[0].len()
    }

    pub fn n_levels(&self) -> usize {
        self.at.len() - 1
    }

    /// How often an item shared its node at a level with each item.
    pub fn together(&self, level: usize, item: usize) -> &'a [u32] {
        let (counts, n_items) = (self.counts, self.n_items());
        let all = counts.to_slice().expect("counts are laid out by rows");
        let start = ((level - 1) * n_items + item) * n_items;
        &all[start..start + n_items]
    }

    /// The same, summed over some items.
    pub fn together_with(&self, level: usize, item: usize, others: &[usize]) -> f64 {
        let row = self.together(level, item);
        others.iter().map(|&other| f64::from(row[other])).sum()
    }

    /// All nodes of a level, those of a parent beside each other.
    pub fn nodes_at(&self, level: usize) -> Vec<usize> {
        let mut nodes = vec![ROOT];
        for _ in 0..level {
            nodes = nodes.iter().flat_map(|&node| self.nodes[node].children.iter().copied()).collect();
        }
        nodes
    }

    /// Makes a node without items.
    pub fn open(&mut self, level: usize, parent: usize) -> usize {
        let node = Node { level, parent, ..Node::default() };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.nodes[parent].children.push(id);
        id
    }

    /// Takes a node from its parent.
    pub fn unlink(&mut self, node: usize) {
        let parent = self.nodes[node].parent;
        self.nodes[parent].children.retain(|&child| child != node);
    }

    /// Forgets a node that has neither items nor children.
    pub fn close(&mut self, node: usize) {
        self.unlink(node);
        self.nodes[node] = Node::default();
        self.free.push(node);
    }

    /// Hangs a node below another one.
    pub fn link(&mut self, node: usize, parent: usize) {
        self.nodes[node].parent = parent;
        self.nodes[parent].children.push(node);
    }

    /// Takes items from a node and those above it, and closes what becomes empty. Returns the lowest that is left.
    pub fn take(&mut self, items: &[usize], from: usize) -> usize {
        let mut home = None;
        let mut node = from;
        while node != ROOT {
            let Node { level, parent, .. } = self.nodes[node];
            for &item in items {
                self.at[level][item] = ROOT;
            }
            let at = &self.at[level];
            self.nodes[node].items.retain(|&item| at[item] != ROOT);
            if self.nodes[node].items.is_empty() {
                self.close(node);
            } else {
                self.add_to_sums(node, items, -1.0);
                home.get_or_insert(node);
            }
            node = parent;
        }
        home.unwrap_or(ROOT)
    }

    /// Puts items into a node and those above it, and on a branch of new nodes from there down to `level`. Returns
    /// the lowest of these nodes.
    pub fn put(&mut self, items: &[usize], into: usize, level: usize) -> usize {
        let mut node = into;
        while node != ROOT {
            self.add_to_sums(node, items, 1.0);
            self.join(items, node);
            node = self.nodes[node].parent;
        }
        node = into;
        while self.nodes[node].level < level {
            node = self.open(self.nodes[node].level + 1, node);
            self.join(items, node);
        }
        node
    }

    /// Adds items to a node whose present items know of them already.
    fn join(&mut self, items: &[usize], node: usize) {
        self.nodes[node].items.extend_from_slice(items);
        let level = self.nodes[node].level;
        for &item in items {
            self.at[level][item] = node;
            self.sums[level][item] = self.together_with(level, item, &self.nodes[node].items);
        }
        self.price(node);
    }

    /// Lets the items of a node know that others have come (1) or gone (−1).
    fn add_to_sums(&mut self, node: usize, others: &[usize], sign: f64) {
        let level = self.nodes[node].level;
        for place in 0..self.nodes[node].items.len() {
            let item = self.nodes[node].items[place];
            self.sums[level][item] += sign * self.together_with(level, item, others);
        }
        self.price(node);
    }

    /// Finds the s of all items of a node, and what it costs.
    pub fn sum_up(&mut self, node: usize) {
        let level = self.nodes[node].level;
        for &item in &self.nodes[node].items {
            self.sums[level][item] = self.together_with(level, item, &self.nodes[node].items);
        }
        self.price(node);
    }

    fn price(&mut self, node: usize) {
        let Node { level, ref items, .. } = self.nodes[node];
        let sums = items.iter().map(|&item| self.sums[level][item]);
        self.nodes[node].cost = self.loss.of_node(items.len(), sums);
    }

    /// Panics where the nodes, the places of items, the sums or the costs contradict each other.
    #[cfg(test)]
    pub fn check(&mut self) {
        for level in 1..=self.n_levels() {
            let mut n_items = 0;
            for node in self.nodes_at(level) {
                let Node { level: own, parent, ref children, ref items, cost } = self.nodes[node];
                assert_eq!(own, level);
                assert!(self.nodes[parent].children.contains(&node));
                assert!(level == self.n_levels() || !children.is_empty());
                assert!(items.iter().all(|&i| self.at[level][i] == node && self.at[level - 1][i] == parent));
                n_items += items.len();
                let sums: Vec<f64> = items.iter().map(|&item| self.sums[level][item]).collect();
                self.sum_up(node);
                let items = &self.nodes[node].items;
                assert_eq!(sums, items.iter().map(|&item| self.sums[level][item]).collect::<Vec<_>>());
                assert!((self.nodes[node].cost - cost).abs() < 1e-9);
            }
            assert_eq!(n_items, self.n_items());
        }
    }
}
