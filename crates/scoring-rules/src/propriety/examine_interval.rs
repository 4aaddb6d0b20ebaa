use super::{
    candidates::ends,
    distribution::{Distribution, Expected},
    interval_examination::{IntervalCounterexample, IntervalExamination},
    shapes::shapes,
};
use crate::{
    error::Error,
    values::{interval::Interval, level::Level},
};

/// Gains up to this share of the scores count as rounding.
const ROUNDING: f64 = 1e-10;

impl IntervalExamination {
    /// Examines whether a score of intervals rewards honesty, by trying it.
    ///
    /// `score` returns the score of a forecast interval under an outcome; higher is better. The honest
    /// interval of a distribution is its central one, for coverage c from the quantile at level
    /// `(1 - c) / 2` to the one at `(1 + c) / 2`. Up to 1,045 distributions of two and three outcomes are
    /// tried, over the whole range of possible outcomes and over parts of it. More outcomes are not
    /// needed: the gain of one interval over another is linear in the distribution, and among all
    /// distributions with the same central interval it is largest for one with at most three outcomes.
    /// The masses beyond the quantiles include some that are 1, 3 and 10 percent more or less than
    /// `(1 - c) / 2`, so that a penalty for outcomes outside of the interval is found wrong if it is off
    /// by a little more than 1 percent. In each distribution, every interval with ends at the outcomes,
    /// next to them, half way between them or at the ends of the range is compared with the honest one.
    ///
    /// The counterexample is the one with the largest relative gain: the gain divided by the larger
    /// absolute value of the two expected scores. A gain of up to 1e-10 of the scores counts as rounding,
    /// and so as a tie; leave out large parts of a score that depend on the outcome alone. A proper
    /// score that rounds the ends, such as one computed from the middle and half the width, may be
    /// called improper if the range is narrower than some 1e11 units in the last place of its larger
    /// end. An examination without a counterexample shows that none of these intervals gains under any
    /// of these distributions; it proves nothing about others. No random numbers are used.
    ///
    /// # Errors
    ///
    /// [`Error::IntervalScore`] if a score is NaN or plus infinity; minus infinity is a valid score.
    /// [`Error::Setting`] if the width of the range of outcomes is not from 1e-290 to 1e290, or less than
    /// 1e4 units in the last place of its larger end.
    ///
    /// # Example
    ///
    /// ```
    /// use scoring_rules::{Interval, Level, propriety::IntervalExamination};
    ///
    /// let outcomes = Interval::new(1.0, 1000.0)?;
    /// let coverage = Level::new(0.8)?;
    ///
    /// // Rewards a hit, and a narrow one more: an interval narrower than the honest one gains.
    /// let reward = |claimed: Interval, y: f64| {
    ///     if claimed.contains(y) { (1.0 - claimed.width() / y).max(0.0) } else { 0.0 }
    /// };
    /// let found = IntervalExamination::new(reward, coverage, outcomes)?.counterexample.unwrap();
    /// assert!(found.better.width() < found.honest.width());
    /// assert!(found.better_score > found.honest_score);
    ///
    /// // The width, and a penalty for outcomes outside that fits the coverage: honesty pays.
    /// let penalised = |claimed: Interval, y: f64| {
    ///     let outside = (claimed.low() - y).max(0.0) + (y - claimed.high()).max(0.0);
    ///     -claimed.width() - 2.0 / (1.0 - 0.8) * outside
    /// };
    /// let examination = IntervalExamination::new(penalised, coverage, outcomes)?;
    /// assert!(examination.counterexample.is_none() && examination.tied == 0);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    ///
    /// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
    /// estimation, section 6.2, doi:10.1198/016214506000001437.
    pub fn new(
        score: impl Fn(Interval, f64) -> f64,
        coverage: Level,
        outcomes: Interval,
    ) -> Result<Self, Error> {
        check_width(outcomes)?;
        let tail = (1.0 - coverage.get()) / 2.0;
        let mut found = Self { counterexample: None, tied: 0, distributions: 0, intervals: 0 };
        let mut largest = 0.0;
        for distribution in shapes(outcomes, tail) {
            let Some(honest) = distribution.central(tail) else { continue };
            let mut tied = false;
            let honest_expected = distribution.expected(&score, honest)?;
            let ends = ends(&distribution.outcomes, outcomes);
            for (i, &low) in ends.iter().enumerate() {
                for &high in &ends[i..] {
                    let other = Interval::new(low, high)?;
                    if other == honest {
                        continue;
                    }
                    found.intervals += 1;
                    let expected = distribution.expected(&score, other)?;
                    match compared(honest_expected, expected) {
                        Compared::Loss => {}
                        Compared::Tie => tied = true,
                        Compared::Gain { relative } if relative > largest => {
                            largest = relative;
                            found.counterexample = Some(counterexample(
                                &distribution,
                                [honest, other],
                                [honest_expected.score, expected.score],
                            ));
                        }
                        Compared::Gain { .. } => {}
                    }
                }
            }
            found.distributions += 1;
            found.tied += usize::from(tied);
        }
        Ok(found)
    }
}

/// Checks that the range is wide enough for outcomes and ends between them, and narrow enough for any
/// penalty that fits a coverage, which is up to 2e16 times the width.
fn check_width(outcomes: Interval) -> Result<(), Error> {
    let value = outcomes.high() - outcomes.low();
    let larger = outcomes.low().abs().max(outcomes.high().abs());
    let range = if !(1e-290..=1e290).contains(&value) {
        "from 1e-290 to 1e290; measure outcomes in another unit"
    } else if value < 1e4 * (larger.next_up() - larger) {
        "at least 1e4 units in the last place of its larger end; measure from a zero nearby"
    } else {
        return Ok(());
    };
    Err(Error::Setting { name: "width of the range of outcomes", value, range })
}

enum Compared {
    Loss,
    Tie,
    Gain { relative: f64 },
}

fn compared(honest: Expected, other: Expected) -> Compared {
    let endless = |expected: Expected| expected.score == f64::NEG_INFINITY;
    match (endless(honest), endless(other)) {
        (true, true) => return Compared::Tie,
        (true, false) => return Compared::Gain { relative: f64::INFINITY },
        (false, true) => return Compared::Loss,
        (false, false) => {}
    }
    let gain = other.score - honest.score;
    let rounding = ROUNDING * honest.size.max(other.size);
    if gain > rounding {
        Compared::Gain { relative: gain / honest.score.abs().max(other.score.abs()) }
    } else if gain < -rounding {
        Compared::Loss
    } else {
        Compared::Tie
    }
}

fn counterexample(
    distribution: &Distribution,
    [honest, better]: [Interval; 2],
    [honest_score, better_score]: [f64; 2],
) -> IntervalCounterexample {
    IntervalCounterexample {
        outcomes: distribution.outcomes.clone(),
        probabilities: distribution.probabilities.clone(),
        honest,
        better,
        honest_score,
        better_score,
        gain: better_score - honest_score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(score: f64, size: f64) -> Expected {
        Expected { score, size }
    }

    #[test]
    fn a_gain_must_exceed_the_rounding_of_the_scores_and_is_relative_to_the_larger_one() {
        let relative = |honest, other| match compared(honest, other) {
            Compared::Gain { relative } => Some(relative),
            _ => None,
        };
        assert_eq!(relative(expected(-4.0, 4.0), expected(-2.0, 2.0)), Some(0.5));
        assert_eq!(relative(expected(2.0, 2.0), expected(8.0, 8.0)), Some(0.75));
        // Large scores of both signs that cancel: a gain of the size of their rounding does not count.
        assert_eq!(relative(expected(-1e-6, 1e6), expected(1e-6, 1e6)), None);
        assert_eq!(relative(expected(-1.0, 1.0), expected(-2.0, 2.0)), None);
    }

    #[test]
    fn scores_that_are_all_zero_tie_and_so_do_two_that_cost_infinitely_much() {
        let endless = expected(f64::NEG_INFINITY, f64::INFINITY);
        let tie = |honest, other| matches!(compared(honest, other), Compared::Tie);
        assert!(tie(expected(0.0, 0.0), expected(0.0, 0.0)) && tie(endless, endless));
        assert!(!tie(endless, expected(-1.0, 1.0)) && !tie(expected(-1.0, 1.0), endless));
    }
}
