//! The items of a level, node by node.

use ndarray::ArrayView1;

/// The number of items with each label.
pub fn sizes_of(labels: ArrayView1<'_, i32>) -> Vec<u32> {
    let mut sizes = vec![0; labels.iter().max().map_or(0, |&last| last as usize + 1)];
    for &label in labels {
        sizes[label as usize] += 1;
    }
    sizes
}

/// All items, those with the same label beside each other.
pub fn in_order(labels: ArrayView1<'_, i32>, order: &mut Vec<usize>) {
    let mut next = 0;
    let mut starts = sizes_of(labels);
    for start in &mut starts {
        next += std::mem::replace(start, next);
    }
    order.clear();
    order.resize(labels.len(), 0);
    for (item, &label) in labels.iter().enumerate() {
        let place = &mut starts[label as usize];
        order[*place as usize] = item;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn items_are_grouped_by_label() {
        let labels = array![2, 0, 2, 1, 0];
        let mut order = Vec::new();
        in_order(labels.view(), &mut order);
        assert_eq!(order, [1, 4, 3, 0, 2]);
        assert_eq!(sizes_of(labels.view()), [2, 1, 2]);
    }
}
