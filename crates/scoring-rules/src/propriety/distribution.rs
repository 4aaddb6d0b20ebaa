use crate::{error::Error, values::interval::Interval};

/// A distribution of finitely many outcomes.
#[derive(Clone, Debug)]
pub(super) struct Distribution {
    /// In increasing order.
    pub(super) outcomes: Vec<f64>,
    /// Positive, with sum 1.
    pub(super) probabilities: Vec<f64>,
}

impl Distribution {
    /// Makes a distribution from outcomes with positive weights, in any order. Equal outcomes are merged.
    pub(super) fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut points: Vec<_> = points.into_iter().collect();
        points.sort_by(|one, two| one.0.total_cmp(&two.0));
        let (mut outcomes, mut probabilities) = (Vec::new(), Vec::new());
        for (outcome, weight) in points {
            match probabilities.last_mut() {
                Some(last) if outcomes.last() == Some(&outcome) => *last += weight,
                _ => {
                    outcomes.push(outcome);
                    probabilities.push(weight);
                }
            }
        }
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= total);
        Self { outcomes, probabilities }
    }

    /// The central interval with `tail` below and `tail` above. It starts at the first outcome where the
    /// cumulative mass from below exceeds `tail`, and ends at the last outcome where the cumulative mass
    /// from above exceeds `tail`. `None` if a quantile is not unique because a mass is equal or very
    /// close to `tail`.
    pub(super) fn central(&self, tail: f64) -> Option<Interval> {
        let points = || self.outcomes.iter().copied().zip(self.probabilities.iter().copied());
        let low = quantile(points(), tail)?;
        let high = quantile(points().rev(), tail)?;
        Interval::new(low, high).ok()
    }

    /// The expected score of an interval, and the mean size of its scores.
    pub(super) fn expected(
        &self,
        score: &impl Fn(Interval, f64) -> f64,
        interval: Interval,
    ) -> Result<Expected, Error> {
        let mut expected = Expected { score: 0.0, size: 0.0 };
        for (&outcome, &probability) in self.outcomes.iter().zip(&self.probabilities) {
            let value = score(interval, outcome);
            if value.is_nan() || value == f64::INFINITY {
                let (low, high) = (interval.low(), interval.high());
                return Err(Error::IntervalScore { low, high, outcome, value });
            }
            expected.score += probability * value;
            expected.size += probability * value.abs();
        }
        Ok(expected)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) score: f64,
    pub(super) size: f64,
}

fn quantile(points: impl Iterator<Item = (f64, f64)>, tail: f64) -> Option<f64> {
    // Small compared with the tails and with the mass between them.
    let margin = (1e-3 * tail.min(1.0 - 2.0 * tail)).max(1e-12);
    let (mut passed, mut found) = (0.0, None);
    for (outcome, probability) in points {
        passed += probability;
        if (passed - tail).abs() <= margin {
            return None;
        }
        if passed > tail {
            found = found.or(Some(outcome));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_central_interval_leaves_at_most_the_tail_on_either_side() {
        let dice = Distribution::new((1..=6).map(|i| (f64::from(i), 1.0)));
        assert_eq!(dice.central(0.1), Interval::new(1.0, 6.0).ok());
        assert_eq!(dice.central(0.2), Interval::new(2.0, 5.0).ok());
        assert_eq!(dice.central(0.4), Interval::new(3.0, 4.0).ok());
    }

    #[test]
    fn a_quantile_that_is_not_unique_is_none() {
        let coin = Distribution::new([(0.0, 1.0), (1.0, 1.0)]);
        assert_eq!(coin.central(0.5), None);
        let dice = Distribution::new((1..=6).map(|i| (f64::from(i), 1.0)));
        assert_eq!(dice.central(1.0 / 6.0), None);
        assert_eq!(dice.central(1.0 / 3.0), None);
    }

    #[test]
    fn outcomes_are_sorted_and_equal_ones_are_merged() {
        let one = Distribution::new([(1.0, 1.0), (2.0, 1.0), (1.0, 2.0)]);
        assert_eq!(one.outcomes, [1.0, 2.0]);
        assert_eq!(one.probabilities, [0.75, 0.25]);
    }

    #[test]
    fn a_quantile_that_is_nearly_not_unique_is_none() {
        // Close compared with the tail, or with the mass between the tails.
        for (tail, near) in [(0.1, 1e-4), (0.45, 1e-4), (0.495, 1e-5), (1e-6, 1e-9)] {
            for (share, unique) in [(-0.9, false), (0.9, false), (-1.2, true), (1.2, true)] {
                let low = tail + share * near;
                let shape = Distribution::new([(0.0, low), (1.0, 1.0 - low)]);
                assert_eq!(shape.central(tail).is_some(), unique, "{tail} {share}");
            }
        }
    }

    #[test]
    fn an_expected_score_comes_with_the_mean_size_of_the_scores() {
        let dice = Distribution::new((1..=6).map(|i| (f64::from(i), 1.0)));
        let expected = dice.expected(&|_, y| y - 3.5, dice.central(0.2).unwrap()).unwrap();
        assert!(
            expected.score.abs() < 1e-15 && (expected.size - 1.5).abs() < 1e-15,
            "{expected:?}"
        );
    }
}
