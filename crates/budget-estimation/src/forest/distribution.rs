use crate::checks::least;

/// A distribution of some values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distribution<'a> {
    /// In ascending order.
    pub(super) values: &'a [f64],
    /// The probability up to each value.
    pub(super) cumulative: &'a [f64],
}

/// Replaces the probabilities of values, which lower bounds follow if there are any, by cumulative
/// probabilities.
///
/// With lower bounds this is the Kaplan-Meier estimate. Consider the rows that are known to reach a value,
/// and the probability above all earlier values. The value receives the share of this probability that it has
/// of these rows. Lower bounds reach their own value.
pub(super) fn accumulate(space: &mut Vec<f64>, values: usize) {
    let mut sum = 0.0;
    if space.len() <= values {
        for entry in space.iter_mut() {
            sum += *entry;
            *entry = sum;
        }
        return;
    }
    let (ends, bounds) = space.split_at_mut(values);
    // The probability of reaching each value, in the place of the lower bounds, which are used up.
    for (end, bound) in ends.iter().zip(bounds.iter_mut()).rev() {
        sum += *end + *bound;
        *bound = sum;
    }
    let mut surviving = 1.0;
    for (end, reaching) in ends.iter_mut().zip(bounds) {
        if *end > 0.0 {
            surviving *= (1.0 - *end / *reaching).max(0.0);
        }
        *end = 1.0 - surviving;
    }
    space.truncate(values);
}

impl Distribution<'_> {
    /// Returns the smallest value whose cumulative probability is at least p.
    #[inline]
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        let least = least(p, 1.0);
        let at = self.cumulative.partition_point(|&sum| sum < least);
        self.values.get(at).or(self.values.last()).copied().unwrap_or(0.0)
    }

    /// Returns the probability of a value of at most x.
    pub(crate) fn probability_up_to(&self, x: f64) -> f64 {
        let at = self.values.partition_point(|&value| value <= x);
        if at == self.values.len() {
            return 1.0;
        }
        let sum = at.checked_sub(1).and_then(|at| self.cumulative.get(at)).copied();
        sum.unwrap_or(0.0).min(1.0)
    }
}
