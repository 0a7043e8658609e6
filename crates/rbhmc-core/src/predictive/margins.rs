//! How well the discriminants of a tree keep new items on a path, and what it costs them.

use ndarray::Array2;

use super::Tree;
use super::lanes::{ITEMS, Lanes, ZERO, weighted_sum};

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
    pub fn fill(&mut self, tree: &Tree, discriminants: &Array2<f64>, items: &[Lanes], margin: f64) {
        let n_nodes = tree.parents.len();
        self.scores.clear();
        self.scores.push(ZERO);
        for row in discriminants.outer_iter().skip(1) {
            self.scores.push(weighted_sum(row.iter().copied(), items));
        }
        for rows in [&mut self.best, &mut self.second] {
            rows.clear();
            rows.resize(n_nodes, [f64::NEG_INFINITY; ITEMS]);
        }
        self.losses.clear();
        self.losses.resize(n_nodes, ZERO);
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            let (best, second) = (&mut self.best[parent], &mut self.second[parent]);
            for lane in 0..ITEMS {
                let score = self.scores[node][lane];
                let lower = if score < best[lane] { score } else { best[lane] };
                second[lane] = if lower > second[lane] { lower } else { second[lane] };
                best[lane] = if score > best[lane] { score } else { best[lane] };
            }
        }
        for node in 1..n_nodes {
            let parent = tree.parents[node];
            let mut losses = self.losses[parent];
            for (lane, loss) in losses.iter_mut().enumerate() {
                let score = self.scores[node][lane];
                let best = self.best[parent][lane];
                // −∞ where there is no sibling.
                let rival = if score < best { best } else { self.second[parent][lane] };
                let violation = margin - score + rival;
                *loss = if violation > *loss { violation } else { *loss };
            }
            self.losses[node] = losses;
        }
    }
}
