/// Quantiles by linear interpolation between order statistics: the value at position `p (n - 1)`,
/// counted from 0, among n rows (type 7 of Hyndman and Fan 1996,
/// doi:10.1080/00031305.1996.10473566; NumPy's default). `None` without a value.
///
/// Each value has a weight above 0, and n is the sum of the weights, so that a weight of 2 counts
/// as the row given twice. If n is below 1, every quantile is the lowest value. Reorders the values.
///
/// Takes linear time if all weights are 1, and otherwise one sort.
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
    // Equal values are sorted by weight, so that the sums below do not depend on the order of rows.
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = values.iter().map(|&(_, weight)| weight).sum();
    Some(levels.map(|level| {
        let position = (level * (total - 1.0)).max(0.0);
        let below = position.floor();
        interpolated(value_at(values, below), value_at(values, below + 1.0), position - below)
    }))
}

/// Returns the value at a position, counted from 0. Each value takes a number of positions equal to its
/// weight.
fn value_at(values: &[(f64, f64)], position: f64) -> f64 {
    let mut reached = 0.0;
    let mut last = 0.0;
    for &(value, weight) in values {
        reached += weight;
        last = value;
        if reached > position {
            break;
        }
    }
    last
}

/// Linear interpolation, exact at both ends.
fn interpolated(low: f64, high: f64, share: f64) -> f64 {
    if share == 0.0 || low == high {
        low
    } else if share < 0.5 {
        low + (high - low) * share
    } else {
        high - (high - low) * (1.0 - share)
    }
}
