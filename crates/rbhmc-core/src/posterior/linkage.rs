//! Average linkage of whole-number distances, with ties joined at once.
//!
//! The distance of two clusters is the mean of the distances of their items. It is kept as a sum and a number of pairs,
//! so comparisons are exact. Clusters that are joined by pairs at the least distance form one group and are merged
//! together, at that distance (multidendrograms: Fernández and Gómez 2008). So the tree does not depend on the order of
//! the items. All means are at least the least one, so heights do not fall, and a cluster that was merged never had a
//! neighbour closer than the new one has: a stale nearest distance is a lower bound (Müllner 2011).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use ndarray::Array2;

/// A mean of distances: their sum, and their number.
#[derive(Debug, Clone, Copy)]
struct Mean {
    sum: u64,
    n: u64,
}

impl Mean {
    fn value(self) -> f64 {
        self.sum as f64 / self.n as f64
    }
}

impl Ord for Mean {
    fn cmp(&self, other: &Self) -> Ordering {
        (u128::from(self.sum) * u128::from(other.n)).cmp(&(u128::from(other.sum) * u128::from(self.n)))
    }
}

impl PartialOrd for Mean {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Mean {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Mean {}

/// A merge of two clusters, as a row of SciPy's linkage matrix: items are 0 to N − 1, the merges follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    pub left: usize,
    pub right: usize,
    pub height: f64,
    pub size: usize,
}

/// The merges of items with distances (item, item), symmetric; the diagonal is not read. A group of k clusters takes k − 1
/// merges of the same height, the two smallest first, which keeps the tree shallow. `distances` is overwritten.
pub fn average_linkage(distances: Array2<u64>) -> Vec<Merge> {
    let n = distances.nrows();
    let mut clusters = Clusters::new(distances);
    // Lower bounds of the nearest distances: exact if the neighbour they were computed for still exists.
    let mut heap: BinaryHeap<Reverse<(Mean, usize, u32)>> = BinaryHeap::with_capacity(n);
    let push = |heap: &mut BinaryHeap<_>, clusters: &mut Clusters, slot: usize| {
        if let Some(mean) = clusters.find_nearest(slot) {
            heap.push(Reverse((mean, slot, clusters.version[slot])));
        }
    };
    (0..n).for_each(|slot| push(&mut heap, &mut clusters, slot));
    let mut merges = Vec::with_capacity(n.saturating_sub(1));
    let mut closest: Vec<usize> = Vec::new();
    while merges.len() + 1 < n {
        // All clusters whose nearest distance is the least.
        closest.clear();
        let mut least = None;
        while let Some(&Reverse((mean, slot, version))) = heap.peek() {
            if least.is_some_and(|least| mean > least) {
                break;
            }
            heap.pop();
            if clusters.version[slot] != version {
                continue;
            }
            if clusters.has_nearest(slot) {
                least = Some(mean);
                closest.push(slot);
            } else {
                push(&mut heap, &mut clusters, slot);
            }
        }
        let least = least.expect("two clusters are left");
        closest.sort_unstable();
        for group in clusters.connect(&closest, least) {
            clusters.merge(&group, least, &mut merges);
            push(&mut heap, &mut clusters, group[0]);
        }
    }
    merges
}

/// The clusters that are left. A cluster has the slot of its first item.
struct Clusters {
    /// Sums of distances (slot, slot).
    sums: Array2<u64>,
    /// The slots in use, in ascending order.
    alive: Vec<usize>,
    sizes: Vec<u64>,
    /// The number of the cluster in the linkage.
    numbers: Vec<usize>,
    /// Counts the clusters that the slot has held; odd if it is empty.
    version: Vec<u32>,
    /// A nearest cluster and its version.
    nearest: Vec<(usize, u32)>,
}

impl Clusters {
    fn new(sums: Array2<u64>) -> Self {
        let n = sums.nrows();
        Self {
            sums,
            alive: (0..n).collect(),
            sizes: vec![1; n],
            numbers: (0..n).collect(),
            version: vec![0; n],
            nearest: vec![(0, 0); n],
        }
    }

    fn mean(&self, slot: usize, other: usize) -> Mean {
        Mean { sum: self.sums[(slot, other)], n: self.sizes[slot] * self.sizes[other] }
    }

    fn find_nearest(&mut self, slot: usize) -> Option<Mean> {
        let others = self.alive.iter().filter(|&&other| other != slot);
        let (mean, other) = others.map(|&other| (self.mean(slot, other), other)).min()?;
        self.nearest[slot] = (other, self.version[other]);
        Some(mean)
    }

    fn has_nearest(&self, slot: usize) -> bool {
        let (other, version) = self.nearest[slot];
        self.version[other] == version
    }

    /// Groups clusters, which come in ascending order, by chains of pairs at a distance.
    fn connect(&self, closest: &[usize], least: Mean) -> Vec<Vec<usize>> {
        let mut is_grouped = vec![false; closest.len()];
        let mut groups = Vec::new();
        for first in 0..closest.len() {
            if is_grouped[first] {
                continue;
            }
            is_grouped[first] = true;
            let mut group = vec![first];
            let mut next = 0;
            while next < group.len() {
                let slot = closest[group[next]];
                for (place, &other) in closest.iter().enumerate() {
                    if !is_grouped[place] && self.mean(slot, other) == least {
                        is_grouped[place] = true;
                        group.push(place);
                    }
                }
                next += 1;
            }
            group.sort_unstable();
            groups.push(group.into_iter().map(|place| closest[place]).collect());
        }
        groups
    }

    /// Merges clusters, the first of which keeps its slot.
    fn merge(&mut self, group: &[usize], height: Mean, merges: &mut Vec<Merge>) {
        let n_items = self.version.len();
        let mut parts: BinaryHeap<_> =
            group.iter().map(|&slot| Reverse((self.sizes[slot], slot, self.numbers[slot]))).collect();
        let mut number = self.numbers[group[0]];
        while let (Some(Reverse(one)), Some(Reverse(other))) = (parts.pop(), parts.pop()) {
            number = n_items + merges.len();
            let size = one.0 + other.0;
            let (left, right) = (one.2.min(other.2), one.2.max(other.2));
            merges.push(Merge { left, right, height: height.value(), size: size as usize });
            parts.push(Reverse((size, one.1.min(other.1), number)));
            if parts.len() == 1 {
                break;
            }
        }
        let slot = group[0];
        for &gone in &group[1..] {
            self.version[gone] += 1;
            self.sizes[slot] += self.sizes[gone];
        }
        self.version[slot] += 2;
        self.numbers[slot] = number;
        let version = &self.version;
        self.alive.retain(|&slot| version[slot].is_multiple_of(2));
        for &gone in &group[1..] {
            let (mut kept, row) = self.sums.multi_slice_mut((ndarray::s![slot, ..], ndarray::s![gone, ..]));
            self.alive.iter().for_each(|&other| kept[other] += row[other]);
        }
        for &other in &self.alive {
            self.sums[(other, slot)] = self.sums[(slot, other)];
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn merges(distances: Array2<u64>) -> Vec<(usize, usize, f64, usize)> {
        let found = average_linkage(distances);
        found.iter().map(|merge| (merge.left, merge.right, merge.height, merge.size)).collect()
    }

    #[test]
    fn the_nearest_are_merged_at_their_mean_distance() {
        let distances = array![[0, 2, 6, 9], [2, 0, 5, 7], [6, 5, 0, 4], [9, 7, 4, 0]];
        assert_eq!(merges(distances), [(0, 1, 2.0, 2), (2, 3, 4.0, 2), (4, 5, 27.0 / 4.0, 4)]);
        assert_eq!(merges(array![[0]]), []);
    }

    #[test]
    fn ties_are_merged_at_once() {
        // A square: all sides are 1, the diagonals 2.
        let square = array![[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]];
        assert_eq!(merges(square), [(0, 1, 1.0, 2), (2, 3, 1.0, 2), (4, 5, 1.0, 4)]);
        // Two pairs at the same height, and then one group.
        let pairs = array![[0, 1, 3, 3], [1, 0, 3, 3], [3, 3, 0, 1], [3, 3, 1, 0]];
        assert_eq!(merges(pairs), [(0, 1, 1.0, 2), (2, 3, 1.0, 2), (4, 5, 3.0, 4)]);
    }
}
