//! The items of one level, grouped by node.

use ndarray::ArrayView1;

/// The items in the order of their labels, and where each group starts; its buffers are reused by [`Self::fill`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    order: Vec<usize>,
    /// The start of each group, and the end of the last one.
    starts: Vec<usize>,
}

impl Groups {
    pub(crate) fn new(labels: ArrayView1<'_, i32>) -> Self {
        let mut groups = Self::default();
        groups.fill(labels);
        groups
    }

    /// Groups the items by label, by a counting sort: within a group they keep their order.
    pub(crate) fn fill(&mut self, labels: ArrayView1<'_, i32>) {
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(group_sizes(labels).iter().map(|&size| {
            end += size as usize;
            end
        }));
        let mut next = self.starts.clone();
        self.order.clear();
        self.order.resize(labels.len(), 0);
        for (item, &label) in labels.iter().enumerate() {
            let position = &mut next[label as usize];
            self.order[*position] = item;
            *position += 1;
        }
    }

    /// The items of each group that has any.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.starts.windows(2).map(|ends| &self.order[ends[0]..ends[1]]).filter(|group| !group.is_empty())
    }

    /// The items before, in and after a group.
    pub(crate) fn split_at_group(&self, label: usize) -> [&[usize]; 3] {
        let (start, end) = (self.starts[label], self.starts[label + 1]);
        [&self.order[..start], &self.order[start..end], &self.order[end..]]
    }
}

/// The number of items with each label.
pub(crate) fn group_sizes(labels: ArrayView1<'_, i32>) -> Vec<u32> {
    let mut sizes = vec![0; labels.iter().max().map_or(0, |&last| last as usize + 1)];
    for &label in labels {
        sizes[label as usize] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn items_are_grouped_by_label() {
        let labels = array![3, 0, 3, 1, 0];
        let groups = Groups::new(labels.view());
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[1, 4][..], &[3], &[0, 2]]);
        assert_eq!(groups.split_at_group(1), [&[1, 4][..], &[3], &[0, 2]]);
        assert_eq!(group_sizes(labels.view()), [2, 1, 0, 2]);
    }
}
