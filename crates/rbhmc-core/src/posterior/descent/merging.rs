//! Siblings that become one node.

use super::LEAST;
use super::state::State;

/// Merges children of a node, pair by pair, where that saves something; false where it never does.
pub fn children(state: &mut State<'_>, parent: usize) -> bool {
    let mut merged = false;
    let mut one = 0;
    while one < state.nodes[parent].children.len() {
        let mut other = one + 1;
        while other < state.nodes[parent].children.len() {
            let (a, b) = (state.nodes[parent].children[one], state.nodes[parent].children[other]);
            let depth = best_depth(state, a, b);
            if depth > 0 {
                merge(state, a, b, depth);
                merged = true;
                other = one;
            }
            other += 1;
        }
        one += 1;
    }
    merged
}

/// Over how many levels two siblings should be one: 0 if they should not. Below the first level this needs both to
/// have one child only, which holds the same items.
fn best_depth(state: &State<'_>, mut a: usize, mut b: usize) -> usize {
    let (mut best, mut most) = (0, -LEAST);
    let mut total = 0.0;
    for depth in 1.. {
        let (one, other) = (&state.nodes[a], &state.nodes[b]);
        let level = one.level;
        let sums = [(one, other), (other, one)].into_iter().flat_map(|(here, there)| {
            here.items
                .iter()
                .map(move |&item| state.sums[level][item] + state.together_with(level, item, &there.items))
        });
        total += state.loss.of_node(one.items.len() + other.items.len(), sums) - one.cost - other.cost;
        if total < most {
            (best, most) = (depth, total);
        }
        match (&one.children[..], &other.children[..]) {
            (&[below_a], &[below_b]) => (a, b) = (below_a, below_b),
            _ => break,
        }
    }
    best
}

fn merge(state: &mut State<'_>, mut a: usize, mut b: usize, depth: usize) {
    for _ in 0..depth {
        let level = state.nodes[a].level;
        let items = std::mem::take(&mut state.nodes[b].items);
        for &item in &items {
            state.at[level][item] = a;
        }
        state.nodes[a].items.extend(items);
        state.sum_up(a);
        let below = (state.nodes[a].children.first().copied(), state.nodes[b].children.first().copied());
        for child in std::mem::take(&mut state.nodes[b].children) {
            state.link(child, a);
        }
        state.close(b);
        if let (Some(below_a), Some(below_b)) = below {
            (a, b) = (below_a, below_b);
        }
    }
}
