//! Moves of an item, or of a node with all that is below it, to the best place in the tree.

use super::LEAST;
use super::state::{ROOT, State};

/// Moves an item to the path where it costs least; false where it is there already.
pub fn item(state: &mut State<'_>, item: usize) -> bool {
    let level = state.n_levels();
    let home = state.take(&[item], state.at[level][item]);
    let (place, moved) = best_place(state, &[item], level, home);
    state.put(&[item], place, level);
    moved
}

/// Moves a node to the place where it costs least; false where it is there already.
pub fn node(state: &mut State<'_>, node: usize) -> bool {
    let (parent, level) = (state.nodes[node].parent, state.nodes[node].level - 1);
    let items = state.nodes[node].items.clone();
    state.unlink(node);
    let home = state.take(&items, parent);
    let (place, moved) = best_place(state, &items, level, home);
    let parent = state.put(&items, place, level);
    state.link(node, parent);
    moved
}

/// The node that items which are out of the tree, and need a path down to `level`, should join: down to it they
/// share the nodes of others, below it they have a branch of their own. `home`, unless another one saves something.
fn best_place(state: &State<'_>, items: &[usize], level: usize, home: usize) -> (usize, bool) {
    let mut joining = vec![0.0; state.nodes.len()];
    let alone: Vec<f64> = (1..=level).map(|level| prices(state, items, level, &mut joining)).collect();
    let mut at_home = f64::INFINITY;
    let mut best = (ROOT, f64::INFINITY);
    let mut open = vec![(ROOT, 0.0)];
    while let Some((node, above)) = open.pop() {
        let depth = state.nodes[node].level;
        let price = above + alone[depth..].iter().sum::<f64>();
        if price < best.1 {
            best = (node, price);
        }
        if node == home {
            at_home = price;
        }
        if depth < level {
            open.extend(state.nodes[node].children.iter().map(|&child| (child, above + joining[child])));
        }
    }
    if best.1 < at_home - LEAST { (best.0, true) } else { (home, false) }
}

/// What it costs that the items join each node of a level; returns what it costs that they are one by themselves.
fn prices(state: &State<'_>, items: &[usize], level: usize, joining: &mut [f64]) -> f64 {
    let (at, loss) = (&state.at[level], state.loss);
    let nodes = state.nodes_at(level);
    // What the items add to the s of all others; and what each node's items add to theirs, one by one.
    let mut added = vec![0.0; state.n_items()];
    let mut of_node = vec![0.0; state.nodes.len()];
    let mut alone = loss.of_size(items.len());
    for &item in items {
        for ((&count, added), &node) in state.together(level, item).iter().zip(&mut added).zip(at) {
            *added += f64::from(count);
            of_node[node] += f64::from(count);
        }
        // The items themselves are nowhere, which is to say at the root.
        let own = std::mem::take(&mut of_node[ROOT]);
        alone += loss.of_items(std::iter::once(own));
        for &node in &nodes {
            joining[node] += loss.of_items(std::iter::once(own + std::mem::take(&mut of_node[node])));
        }
    }
    for &node in &nodes {
        let present = &state.nodes[node].items;
        let sums = present.iter().map(|&item| state.sums[level][item] + added[item]);
        joining[node] += loss.of_node(present.len() + items.len(), sums) - state.nodes[node].cost;
    }
    alone
}
