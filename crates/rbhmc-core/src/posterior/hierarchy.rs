//! A rooted tree over items, given by the parent of each entry: the items first, then the nodes, each before its parent.

use std::ops::Range;

/// The items of every entry are contiguous in `order`.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    n_items: usize,
    /// The items, so ordered that the items of each entry follow one another.
    pub order: Vec<usize>,
    /// The places of each entry's items in `order`.
    ranges: Vec<Range<usize>>,
    /// The parent of each entry but the last, which is the root.
    parents: Vec<usize>,
    /// The child with the most items, for each node.
    largest: Vec<usize>,
}

impl Hierarchy {
    /// Reads the parents of `n_items` items and of the nodes after them; None unless each parent is a node that comes
    /// after its children, each node has a child, and only the last entry has no parent, which is written −1.
    pub fn new(parents: &[i32], n_items: usize) -> Option<Self> {
        let (root, n_entries) = (parents.len().checked_sub(1)?, parents.len());
        if n_items == 0 || n_items > n_entries || parents[root] != -1 {
            return None;
        }
        let parents: Vec<usize> =
            parents[..root].iter().map(|&parent| usize::try_from(parent).ok()).collect::<Option<_>>()?;
        let mut sizes: Vec<usize> = (0..n_entries).map(|entry| usize::from(entry < n_items)).collect();
        let mut largest = vec![usize::MAX; n_entries - n_items];
        for (entry, &parent) in parents.iter().enumerate() {
            if sizes[entry] == 0 || parent <= entry || parent < n_items || parent >= n_entries {
                return None;
            }
            sizes[parent] += sizes[entry];
            let largest = &mut largest[parent - n_items];
            if *largest == usize::MAX || sizes[entry] > sizes[*largest] {
                *largest = entry;
            }
        }
        if sizes[root] != n_items {
            return None;
        }
        let mut starts = vec![0; n_entries];
        let mut next = vec![0; n_entries];
        for (entry, &parent) in parents.iter().enumerate().rev() {
            starts[entry] = next[parent];
            next[parent] += sizes[entry];
            next[entry] = starts[entry];
        }
        let mut order = vec![0; n_items];
        (0..n_items).for_each(|item| order[starts[item]] = item);
        let ranges = starts.iter().zip(&sizes).map(|(&start, &size)| start..start + size).collect();
        Some(Self { n_items, order, ranges, parents, largest })
    }

    pub fn n_items(&self) -> usize {
        self.n_items
    }

    pub fn n_entries(&self) -> usize {
        self.ranges.len()
    }

    pub fn parent(&self, entry: usize) -> Option<usize> {
        self.parents.get(entry).copied()
    }

    pub fn range(&self, entry: usize) -> Range<usize> {
        self.ranges[entry].clone()
    }

    /// The parent of an entry that is the largest child of it.
    pub fn heavy_parent(&self, entry: usize) -> Option<usize> {
        self.parent(entry).filter(|&parent| self.largest[parent - self.n_items] == entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_an_entry_are_contiguous() {
        // 5 = {0, 3}, 6 = {1, 2, 4}, 7 all.
        let tree = Hierarchy::new(&[5, 6, 6, 5, 6, 7, 7, -1], 5).unwrap();
        let items = |entry: usize| {
            let mut items = tree.order[tree.range(entry)].to_vec();
            items.sort_unstable();
            items
        };
        assert_eq!((items(5), items(6), items(7)), (vec![0, 3], vec![1, 2, 4], vec![0, 1, 2, 3, 4]));
        assert_eq!(items(2), [2]);
        assert_eq!((tree.heavy_parent(6), tree.heavy_parent(5), tree.heavy_parent(7)), (Some(7), None, None));
    }

    #[test]
    fn what_is_not_a_tree_is_refused() {
        for (parents, n_items) in [
            (&[][..], 0),
            (&[-1], 2),
            (&[2, 2, 1], 2),
            (&[2, -1, -1], 2),
            (&[1, -1, -1], 2),
            (&[3, 3, 3, -1], 2),
            (&[4, 4, 4, -1], 2),
            (&[2, 2, 2, -1], 2),
        ] {
            assert!(Hierarchy::new(parents, n_items).is_none(), "{parents:?}");
        }
        assert!(Hierarchy::new(&[-1], 1).is_some());
        assert!(Hierarchy::new(&[2, 2, 3, -1], 2).is_some());
    }
}
