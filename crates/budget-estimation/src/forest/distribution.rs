use crate::ranks::least;

/// A distribution of some values.
#[derive(Clone, Copy, Debug)]
pub struct Distribution<'a> {
    /// In ascending order.
    pub(super) values: &'a [f64],
    /// The probability up to each value.
    pub(super) cumulative: &'a [f64],
}

impl Distribution<'_> {
    /// The smallest value whose cumulative probability is at least p.
    #[must_use]
    #[inline]
    pub fn quantile(&self, p: f64) -> f64 {
        let least = least(p, 1.0);
        let at = self.cumulative.partition_point(|&sum| sum < least);
        self.values.get(at).or(self.values.last()).copied().unwrap_or(0.0)
    }

    /// The probability of a value of at most x.
    #[must_use]
    pub fn probability_up_to(&self, x: f64) -> f64 {
        let at = self.values.partition_point(|&value| value <= x);
        if at == self.values.len() {
            return 1.0;
        }
        let sum = at.checked_sub(1).and_then(|at| self.cumulative.get(at)).copied();
        sum.unwrap_or(0.0).min(1.0)
    }
}
