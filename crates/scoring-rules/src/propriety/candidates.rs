use crate::values::interval::Interval;

/// The ends of dishonest intervals to try, in increasing order: the outcomes, points next to them,
/// the middles between them, and the limits of the range.
pub(super) fn ends(support: &[f64], outcomes: Interval) -> Vec<f64> {
    const BESIDE: f64 = 1.0 / 1024.0;
    let mut ends = vec![outcomes.low(), outcomes.high()];
    ends.extend(support);
    let limits = |i: usize| support.get(i).copied();
    for (i, &here) in support.iter().enumerate() {
        let below = i.checked_sub(1).and_then(limits).unwrap_or(outcomes.low());
        let above = limits(i + 1).unwrap_or(outcomes.high());
        ends.push(here + (above - here) / 2.0);
        for other in [below, above] {
            ends.push(here + (other - here) * BESIDE);
        }
    }
    ends.retain(|&end| outcomes.contains(end));
    ends.sort_unstable_by(f64::total_cmp);
    ends.dedup();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_lie_on_beside_and_between_outcomes_and_reach_the_limits() {
        let outcomes = Interval::new(0.0, 8.0).unwrap();
        let ends = ends(&[2.0, 4.0], outcomes);
        let (low, high) = (2.0 / 1024.0, 4.0 / 1024.0);
        let wanted = [0.0, 2.0 - low, 2.0, 2.0 + low, 3.0, 4.0 - low, 4.0, 4.0 + high, 6.0, 8.0];
        assert_eq!(ends.len(), wanted.len(), "{ends:?}");
        assert!(ends.iter().zip(wanted).all(|(end, want)| (end - want).abs() < 1e-14), "{ends:?}");
    }
}
