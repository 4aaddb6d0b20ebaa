use scoring_rules::{CompensatedSum, ExactSum};

use crate::{Weight, scores::run_score::RunScore};

/// The odds ratios at which a conclusion changes to its opposite: the nearest below 1 and the nearest above 1.
///
/// `None` if no odds ratio on that side changes the conclusion. Both are 1 if the means are equal, up to
/// rounding, at an odds ratio of 1.
///
/// A conclusion that changes and changes back within a factor of 1.0003 in the odds may be missed. A
/// difference of up to 16 units in the last place (3.6e-15) of the size of the two means, and of the
/// contributions of cut-off runs, counts as no difference.
///
/// Cost: one sort, and about two passes over the cut-off runs for each unit of the log-odds. There are
/// 40 units on either side, plus the distance in log-odds between 1/2 and the most extreme
/// probability, and at most 700. If a difference stays close to 0 without changing its sign, up to
/// 8,192 passes for that unit.
///
/// ```
/// use censoring::{Error, Probability, RunScore, TiltedMean};
///
/// let success_probability = Probability::HALF;
/// let run = RunScore::Censored { success_probability, if_success: 1.0, if_failure: 0.0 };
/// // The mean is the probability of success: 0.5 now, and 0.75 at three times the odds.
/// let flip = TiltedMean::new(&[run], None)?.flip_at(0.75)?;
/// assert_eq!(flip.below, None);
/// assert!((flip.above.unwrap() - 3.0).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FlippingOdds {
    /// The largest odds ratio of at most 1 at which the conclusion changes.
    pub below: Option<f64>,
    /// The smallest odds ratio of at least 1 at which the conclusion changes.
    pub above: Option<f64>,
}

/// The log-odds beyond which a tilted probability is 0 or 1 up to rounding.
const SATURATED: f64 = 40.0;

/// The largest log odds ratio: exp(700) is close to the largest `f64`.
const LARGEST: f64 = 700.0;

/// The number of times that the search for a change halves one unit of the log-odds.
const HALVINGS: u32 = 12;

/// A mean minus a threshold.
#[derive(Debug)]
pub(crate) struct Contrast {
    /// The part that does not depend on the odds ratio.
    base: f64,
    /// Probabilities strictly between 0 and 1, strictly increasing, and the gain if each were 1.
    terms: Vec<(f64, f64)>,
    /// Differences up to this size are rounding.
    tolerance: f64,
}

/// The two parts of the difference at one odds ratio.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// Natural logarithm of the odds ratio.
    x: f64,
    /// The sum of the terms with a positive gain, which increases in x.
    up: f64,
    /// The sum of the terms with a negative gain, which is subtracted and increases in x.
    down: f64,
}

impl Contrast {
    pub(crate) fn new(runs: &[(RunScore, Weight)], threshold: f64) -> Self {
        let total: ExactSum = runs.iter().map(|run| run.1.get()).collect();
        let total = total.value();
        let (mut fixed, mut terms) = (ExactSum::default(), Vec::new());
        for &(score, weight) in runs {
            let at_failure = match score {
                RunScore::Complete(score) => score,
                RunScore::Censored { success_probability, if_success, if_failure } => {
                    let q = success_probability.get();
                    if q > 0.0 && q < 1.0 {
                        terms.push((q, weight.get() / total * (if_success - if_failure)));
                    }
                    if q == 1.0 { if_success } else { if_failure }
                }
            };
            fixed.add_product(weight.get(), at_failure);
        }
        let at_failure = fixed.value() / total;
        let (base, mut size) = (at_failure - threshold, at_failure.abs() + threshold.abs());
        // Runs with equal probabilities are combined.
        terms.sort_unstable_by(|a: &(f64, f64), b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let terms: Vec<_> = terms
            .chunk_by(|a, b| a.0 == b.0)
            .map(|tied| {
                size += tied.iter().map(|term| term.1.abs()).sum::<f64>();
                (tied[0].0, tied.iter().map(|term| term.1).collect::<ExactSum>().value())
            })
            .filter(|term| term.1 != 0.0)
            .collect();
        Self { base, terms, tolerance: 16.0 * f64::EPSILON * size }
    }

    pub(crate) fn flips(mut self) -> FlippingOdds {
        let now = self.value(self.point(0.0));
        if now.abs() <= self.tolerance {
            return FlippingOdds { below: Some(1.0), above: Some(1.0) };
        }
        if now < 0.0 {
            self.base = -self.base;
            self.terms.iter_mut().for_each(|term| term.1 = -term.1);
        }
        FlippingOdds { below: self.first_flip(-1.0), above: self.first_flip(1.0) }
    }

    fn point(&self, x: f64) -> Point {
        let (odds_ratio, mut up, mut down) =
            (x.exp(), CompensatedSum::default(), CompensatedSum::default());
        for &(q, gain) in &self.terms {
            let sum = if gain > 0.0 { &mut up } else { &mut down };
            sum.add(gain.abs() * tilted(q, odds_ratio));
        }
        Point { x, up: up.value(), down: down.value() }
    }

    fn value(&self, point: Point) -> f64 {
        self.base + point.up - point.down
    }

    /// Returns the odds ratio nearest to 1 at which the difference turns negative.
    fn first_flip(&self, direction: f64) -> Option<f64> {
        let farthest = self.terms.iter().map(|&(q, _)| (q / (1.0 - q)).ln().abs());
        let reach = (farthest.fold(0.0, f64::max) + SATURATED).min(LARGEST);
        let mut near = self.point(0.0);
        while near.x.abs() < reach {
            let far = self.point(near.x + direction);
            if let Some((still, flipped)) = self.bracket(near, far, HALVINGS) {
                // The sign may have changed earlier by less than the tolerance.
                let (mut still, mut back) = (still.x, (flipped.x - still.x).abs());
                while still != 0.0 && self.value(self.point(still)) < 0.0 {
                    still -= direction * back.min(still.abs());
                    back *= 2.0;
                }
                return Some(self.root(still, flipped.x).exp());
            }
            near = far;
        }
        None
    }

    /// Two close points, the nearer first, before and after the difference becomes negative by more than
    /// the tolerance.
    fn bracket(&self, near: Point, far: Point, halvings: u32) -> Option<(Point, Point)> {
        // Each part increases, so the difference in between is at least this.
        let least = self.base + near.up.min(far.up) - near.down.max(far.down);
        if least >= -self.tolerance {
            return None;
        }
        if halvings == 0 {
            return (self.value(far) < -self.tolerance).then_some((near, far));
        }
        let middle = self.point(f64::midpoint(near.x, far.x));
        self.bracket(near, middle, halvings - 1).or_else(|| self.bracket(middle, far, halvings - 1))
    }

    /// Returns the point at which the difference becomes negative, by bisection down to the last digit.
    fn root(&self, mut still: f64, mut flipped: f64) -> f64 {
        loop {
            let middle = f64::midpoint(still, flipped);
            if middle == still || middle == flipped {
                return middle;
            }
            if self.value(self.point(middle)) < 0.0 {
                flipped = middle;
            } else {
                still = middle;
            }
        }
    }
}

/// Multiplies the odds of a probability by `odds_ratio`: `q r / (1 - q + q r)`.
///
/// If the cut-off is related to the outcome, the odds of success after the stop are wrong by a factor that the data cannot
/// reveal. Probabilities of 0 and 1 do not change.
pub(crate) fn tilted(q: f64, odds_ratio: f64) -> f64 {
    // Without cancellation, a small probability keeps all its digits.
    q * odds_ratio / ((1.0 - q) + q * odds_ratio)
}
