//! How well the discriminants of a tree keep new items on a path, and what it costs them.

use super::Tree;
use super::lanes::{ITEMS, Lanes, ZERO, weighted_sum};
use crate::numerics::{larger, smaller};

/// A row for each node.
#[derive(Default)]
pub struct Margins {
    /// η_zᵀx
    scores: Vec<Lanes>,
    /// The largest score among a node's children, and the second largest; −∞ where there is none.
    pub best: Vec<Lanes>,
    second: Vec<Lanes>,
    /// h on the way to a node.
    pub losses: Vec<Lanes>,
}

impl Margins {
    /// Nodes come after their parents. The loss is max(0, ε_0 − η_vᵀx + the largest η_zᵀx of a sibling z), the largest
    /// over the nodes v on the way.
    #[inline(always)]
    pub fn fill(&mut self, tree: &Tree, discriminants: &[Vec<f64>], items: &[Lanes], margin: f64) {
        let n_nodes = tree.parents.len();
        self.scores.resize(n_nodes, ZERO);
        for (eta, scores) in discriminants.iter().zip(&mut self.scores).skip(1) {
            weighted_sum(eta, items, scores);
        }
        for rows in [&mut self.best, &mut self.second] {
            rows.clear();
            rows.resize(n_nodes, [f64::NEG_INFINITY; ITEMS]);
        }
        self.losses.clear();
        self.losses.resize(n_nodes, ZERO);
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            // Copies, so that the compiler sees that they do not overlap.
            let (scores, mut best, mut second) = (self.scores[node], self.best[parent], self.second[parent]);
            for lane in 0..ITEMS {
                second[lane] = larger(smaller(scores[lane], best[lane]), second[lane]);
                best[lane] = larger(scores[lane], best[lane]);
            }
            (self.best[parent], self.second[parent]) = (best, second);
        }
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            let (scores, best, second) = (&self.scores[node], &self.best[parent], &self.second[parent]);
            let mut losses = self.losses[parent];
            for lane in 0..ITEMS {
                // −∞ where there is no sibling.
                let rival = if scores[lane] < best[lane] { best[lane] } else { second[lane] };
                losses[lane] = larger(margin - scores[lane] + rival, losses[lane]);
            }
            self.losses[node] = losses;
        }
    }
}
