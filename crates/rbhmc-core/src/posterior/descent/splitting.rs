//! Leaves that become two.

use super::LEAST;
use super::state::State;

/// Rounds in which items may change sides.
const ROUNDS: usize = 10;

/// Splits a leaf in two where that saves something, and above it the nodes that hold the same items as far up as
/// saves most; false where it never does.
pub fn leaf(state: &mut State<'_>, leaf: usize) -> bool {
    let mut top = leaf;
    let mut best = (-LEAST, top, Vec::new());
    // Each node that holds the same items is bisected as its own level asks for, down to the leaf.
    loop {
        let level = state.nodes[top].level;
        let part = smaller_part(state, level, &state.nodes[leaf].items);
        if !part.is_empty() {
            let saved = (level..=state.n_levels()).map(|level| change(state, level, leaf, &part)).sum();
            if saved < best.0 {
                best = (saved, top, part);
            }
        }
        let parent = state.nodes[top].parent;
        if level == 1 || state.nodes[parent].children.len() > 1 {
            break;
        }
        top = parent;
    }
    let (_, top, part) = best;
    if part.is_empty() {
        return false;
    }
    let above = state.nodes[top].parent;
    let level = state.n_levels();
    state.take(&part, leaf);
    state.put(&part, above, level);
    true
}

/// What it changes at a level that some items leave the node of their leaf for one of their own.
fn change(state: &State<'_>, level: usize, leaf: usize, part: &[usize]) -> f64 {
    let items = &state.nodes[leaf].items;
    let node = state.at[level][items[0]];
    let rest: Vec<usize> = items.iter().copied().filter(|item| !part.contains(item)).collect();
    let cost = |items: &[usize]| {
        let sums = items.iter().map(|&item| state.together_with(level, item, items));
        state.loss.of_node(items.len(), sums)
    };
    cost(part) + cost(&rest) - state.nodes[node].cost
}

/// The smaller part of items in two groups, within which they are together more often than across; none where
/// there are no two groups.
fn smaller_part(state: &State<'_>, level: usize, items: &[usize]) -> Vec<usize> {
    // Two items that are seldom together, and who is more with which.
    let rarest = |item: usize| {
        let row = state.together(level, item);
        items.iter().copied().min_by_key(|&other| row[other]).unwrap_or(item)
    };
    let one = rarest(items[0]);
    let (of_one, of_other) = (state.together(level, one), state.together(level, rarest(one)));
    let mut sides: Vec<bool> = items.iter().map(|&item| of_other[item] > of_one[item]).collect();
    for _ in 0..ROUNDS {
        let n_other = sides.iter().filter(|&&side| side).count();
        if n_other == 0 || n_other == items.len() {
            return Vec::new();
        }
        let mut moved = false;
        for place in 0..items.len() {
            let row = state.together(level, items[place]);
            let (mut sums, mut sizes) = ([0_u64; 2], [0_u64; 2]);
            for (&item, &side) in items.iter().zip(&sides) {
                if item != items[place] {
                    sums[usize::from(side)] += u64::from(row[item]);
                    sizes[usize::from(side)] += 1;
                }
            }
            // Means, compared without rounding; the last of a side stays there.
            let other = sums[1] * sizes[0] > sums[0] * sizes[1];
            if sizes[usize::from(sides[place])] > 0 && other != sides[place] {
                sides[place] = other;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let n_other = sides.iter().filter(|&&side| side).count();
    let smaller = 2 * n_other <= items.len();
    items.iter().zip(&sides).filter(|&(_, &side)| side == smaller).map(|(&item, _)| item).collect()
}
