/// The quantile of values that each stand for so many rows as their weight says, by linear
/// interpolation between order statistics: the value at position `p (n - 1)`, counted from 0, of n
/// rows (type 7 of Hyndman and Fan 1996, doi:10.1080/00031305.1996.10473566; numpy's default).
///
/// With weights n is their sum, so that a weight of 2 is the row given twice; where n is below 1 it
/// is the lowest value. Moves the values around; those of weight 0 are not to be in the list.
///
/// Linear where all weights are 1, otherwise one sort.
pub(crate) fn quantiles<const N: usize>(
    values: &mut [(f64, f64)],
    levels: [f64; N],
) -> Option<[f64; N]> {
    if values.is_empty() {
        return None;
    }
    if values.iter().all(|&(_, weight)| weight == 1.0) {
        return Some(levels.map(|level| {
            let position = level * (values.len() - 1) as f64;
            let below = (position as usize).min(values.len() - 1);
            let (_, &mut (low, _), above) =
                values.select_nth_unstable_by(below, |a, b| a.0.total_cmp(&b.0));
            let high = above.iter().map(|&(value, _)| value).min_by(f64::total_cmp);
            interpolated(low, high.unwrap_or(low), position - below as f64)
        }));
    }
    // By weight too, so that the sums below do not depend on the order of the rows.
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = values.iter().map(|&(_, weight)| weight).sum();
    Some(levels.map(|level| {
        let position = (level * (total - 1.0)).max(0.0);
        let below = position.floor();
        interpolated(row(values, below), row(values, below + 1.0), position - below)
    }))
}

/// The value of the row at a place, counted from 0, where each value stands for its weight in rows.
fn row(values: &[(f64, f64)], place: f64) -> f64 {
    let mut reached = 0.0;
    let mut last = 0.0;
    for &(value, weight) in values {
        reached += weight;
        last = value;
        if reached > place {
            break;
        }
    }
    last
}

/// Exact at both ends.
fn interpolated(low: f64, high: f64, share: f64) -> f64 {
    if share < 0.5 { low + (high - low) * share } else { high - (high - low) * (1.0 - share) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_whole_weight_is_that_many_rows(rows in prop::collection::vec((0_u8..20, 1_u8..5), 1..30)) {
            let mut weighted: Vec<_> =
                rows.iter().map(|&(value, n)| (f64::from(value), f64::from(n))).collect();
            let mut copies: Vec<_> = rows
                .iter()
                .flat_map(|&(value, n)| (0..n).map(move |_| (f64::from(value), 1.0)))
                .collect();
            let levels = [0.0, 0.1, 0.5, 0.9, 1.0];
            prop_assert_eq!(quantiles(&mut weighted, levels), quantiles(&mut copies, levels));
        }
    }

    #[test]
    fn less_than_a_row_in_all_is_the_lowest_value() {
        assert_eq!(quantiles(&mut [(3.0, 0.2), (1.0, 0.1)], [0.9]), Some([1.0]));
        assert_eq!(quantiles::<1>(&mut [], [0.9]), None);
    }
}
