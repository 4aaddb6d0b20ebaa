use crate::{error::Error, values::interval::Interval};

/// Finitely many outcomes with their probabilities.
#[derive(Clone, Debug)]
pub(super) struct Distribution {
    /// Rising.
    pub(super) outcomes: Vec<f64>,
    /// Positive, with sum 1.
    pub(super) probabilities: Vec<f64>,
}

impl Distribution {
    /// From outcomes with positive weights, in any order; equal outcomes become one.
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

    /// The interval with `tail` below and `tail` above: from the first outcome at which more than
    /// `tail` has come up from below to the one at which it has from above. `None` where one of the
    /// quantiles is not unique, that is where what has come up is `tail` or nearly so.
    pub(super) fn central(&self, tail: f64) -> Option<Interval> {
        let points = || self.outcomes.iter().copied().zip(self.probabilities.iter().copied());
        let low = quantile(points(), tail)?;
        let high = quantile(points().rev(), tail)?;
        Interval::new(low, high).ok()
    }

    /// The same outcomes and the same central interval, with either quantile almost at the next
    /// outcome: below the interval and above it lies `tail * (1 + share)` each, its ends left out
    /// if the share is negative and counted in if it is positive. A side without any outcome stays
    /// so. `None` where that cannot be or changes nothing.
    pub(super) fn on_the_edge(&self, tail: f64, share: f64) -> Option<Self> {
        let honest = self.central(tail)?;
        let (low, high) = (honest.low(), honest.high());
        let below = |y: f64| y < low || (share > 0.0 && y == low);
        let above = |y: f64| y > high || (share > 0.0 && y == high);
        let [mut lower, mut middle, mut upper] = [0.0; 3];
        for (&y, &probability) in self.outcomes.iter().zip(&self.probabilities) {
            match (below(y), above(y)) {
                (true, true) => return None,
                (true, false) => lower += probability,
                (false, true) => upper += probability,
                (false, false) => middle += probability,
            }
        }
        let wanted = |now: f64| if now > 0.0 { tail * (1.0 + share) } else { 0.0 };
        let rest = 1.0 - wanted(lower) - wanted(upper);
        if middle == 0.0 || rest <= 0.0 || (lower == 0.0 && upper == 0.0) {
            return None;
        }
        let points = self.outcomes.iter().zip(&self.probabilities).map(|(&y, &probability)| {
            let (now, wanted) = match (below(y), above(y)) {
                (true, _) => (lower, wanted(lower)),
                (_, true) => (upper, wanted(upper)),
                _ => (middle, rest),
            };
            (y, probability / now * wanted)
        });
        let edge = Self::new(points);
        (edge.central(tail) == Some(honest)).then_some(edge)
    }

    /// What an interval is expected to score, and the mean size of its scores.
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
    // Small next to both tails and to what lies between them.
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
    fn on_the_edge_the_quantiles_are_those_of_before_and_hardly_so() {
        let dice = Distribution::new((1..=6).map(|i| (f64::from(i), 1.0)));
        let honest = dice.central(0.2);
        let sums = |edge: &Distribution, n: usize| -> [f64; 2] {
            let p = &edge.probabilities;
            [p.iter().take(n).sum(), p.iter().rev().take(n).sum()]
        };
        let near = |sums: [f64; 2], want: f64| sums.iter().all(|sum| (sum - want).abs() < 1e-15);
        let inside = dice.on_the_edge(0.2, -0.01).unwrap();
        assert!(inside.central(0.2) == honest && near(sums(&inside, 1), 0.198), "{inside:?}");
        let outside = dice.on_the_edge(0.2, 0.01).unwrap();
        assert!(outside.central(0.2) == honest && near(sums(&outside, 2), 0.202), "{outside:?}");
        assert_eq!(inside.outcomes, dice.outcomes);

        // Without outcomes beyond the ends, between them, or room for them.
        let coin = Distribution::new([(0.0, 1.0), (1.0, 1.0)]);
        assert!(coin.on_the_edge(0.2, -0.01).is_none() && coin.on_the_edge(0.2, 0.01).is_none());
        assert!(dice.on_the_edge(0.495, 0.03).is_none());
    }

    #[test]
    fn outcomes_rise_and_equal_ones_are_one() {
        let one = Distribution::new([(1.0, 1.0), (2.0, 1.0), (1.0, 2.0)]);
        assert_eq!(one.outcomes, [1.0, 2.0]);
        assert_eq!(one.probabilities, [0.75, 0.25]);
    }

    #[test]
    fn a_score_without_an_expectation_is_refused_by_name() {
        let coin = Distribution::new([(0.0, 1.0), (1.0, 1.0)]);
        let all = Interval::new(0.0, 1.0).unwrap();
        let error = coin.expected(&|_, y| 1.0 / (1.0 - y), all).unwrap_err();
        let wanted =
            Error::IntervalScore { low: 0.0, high: 1.0, outcome: 1.0, value: f64::INFINITY };
        assert_eq!(error, wanted);
    }

    #[test]
    fn a_quantile_that_is_nearly_not_unique_is_none() {
        // Nearly is next to the tail, and to what is left between the tails.
        for (tail, near) in [(0.1, 1e-4), (0.45, 1e-4), (0.495, 1e-5), (1e-6, 1e-9)] {
            for (share, unique) in [(-0.9, false), (0.9, false), (-1.2, true), (1.2, true)] {
                let low = tail + share * near;
                let shape = Distribution::new([(0.0, low), (1.0, 1.0 - low)]);
                assert_eq!(shape.central(tail).is_some(), unique, "{tail} {share}");
            }
        }
    }

    #[test]
    fn a_side_of_the_edge_without_outcomes_stays_so() {
        let steps = Distribution::new([(0.0, 0.5), (1.0, 0.35), (2.0, 0.15)]);
        let edge = steps.on_the_edge(0.2, -0.01).unwrap();
        assert_eq!(edge.outcomes, steps.outcomes);
        assert!((edge.probabilities[2] - 0.198).abs() < 1e-15, "{edge:?}");
        assert!((edge.probabilities[0] / edge.probabilities[1] - 0.5 / 0.35).abs() < 1e-14);
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
