/// The quantile of values that each stand for so many rows as their weight says, by linear
/// interpolation between order statistics: the value at position `p (n - 1)`, counted from 0, of n
/// rows (type 7 of Hyndman and Fan 1996, doi:10.1080/00031305.1996.10473566; numpy's default).
///
/// With weights n is their sum, so that a weight of 2 is the row given twice; where n is below 1 it
/// is the lowest value. Sorts the values; those of weight 0 are not to be in the list.
pub(crate) fn sorted_quantiles<const N: usize>(
    values: &mut [(f64, f64)],
    levels: [f64; N],
) -> Option<[f64; N]> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (first, _) = *values.first()?;
    let total: f64 = values.iter().map(|&(_, weight)| weight).sum();
    Some(levels.map(|level| {
        let position = (level * (total - 1.0)).max(0.0);
        let below = position.floor();
        let (mut low, mut high) = (None, None);
        let (mut reached, mut last) = (0.0, first);
        for &(value, weight) in &*values {
            reached += weight;
            last = value;
            if low.is_none() && reached > below {
                low = Some(value);
            }
            if reached > below + 1.0 {
                high = Some(value);
                break;
            }
        }
        let low = low.unwrap_or(last);
        let high = high.unwrap_or(last);
        interpolated(low, high, position - below)
    }))
}

/// Exact at both ends.
fn interpolated(low: f64, high: f64, share: f64) -> f64 {
    if share < 0.5 { low + (high - low) * share } else { high - (high - low) * (1.0 - share) }
}
