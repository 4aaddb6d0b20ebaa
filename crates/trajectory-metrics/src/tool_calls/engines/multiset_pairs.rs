use std::cmp::Ordering;

/// The positions of equal calls in both paths, paired by occurrence: the first of its kind with the
/// first, the second with the second.
pub(crate) fn multiset_pairs<T: Ord>(actual: &[T], reference: &[T]) -> Vec<(usize, usize)> {
    // Stable, so that equal calls stay in the order of their path.
    let sorted = |calls: &[T]| {
        let mut order: Vec<usize> = (0..calls.len()).collect();
        order.sort_by(|&i, &j| calls[i].cmp(&calls[j]));
        order
    };
    let (a, b) = (sorted(actual), sorted(reference));
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        let order = actual[x].cmp(&reference[y]);
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
        if order == Ordering::Equal {
            pairs.push((x, y));
        }
    }
    pairs
}
