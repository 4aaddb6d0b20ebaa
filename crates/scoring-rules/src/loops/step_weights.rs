use crate::{sums::compensated_sum::CompensatedSum, values::probability::Probability};

/// Whole-number weights for the steps of a run, before they are normalised.
///
/// Sums with whole weights have shortcuts: a weighted sum of logs, for example, is one log of a
/// product. [`ScoringRule::weighted_sum`](crate::ScoringRule::weighted_sum) computes such sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StepWeights {
    /// Equal weights: 1, 1, 1, …
    Equal,
    /// Decreasing weights: n, n - 1, …, 1 for a run of n steps.
    Falling,
    /// Increasing weights: 1, 2, 3, …
    Rising,
}

/// Converts through a signed integer, which takes one instruction.
#[inline]
fn to_f64(n: usize) -> f64 {
    n.min(i64::MAX as usize) as i64 as f64
}

/// The number of steps that are added without compensation.
const BLOCK: usize = 64;

impl StepWeights {
    /// Returns the sum of the weights for a run of n steps.
    ///
    /// ```
    /// use scoring_rules::StepWeights;
    ///
    /// assert_eq!(StepWeights::Equal.total(3), 3.0);
    /// assert_eq!(StepWeights::Falling.total(3), 3.0 + 2.0 + 1.0);
    /// ```
    #[must_use]
    #[inline]
    pub fn total(self, n: usize) -> f64 {
        let n = to_f64(n);
        match self {
            Self::Equal => n,
            Self::Falling | Self::Rising => n * (n + 1.0) / 2.0,
        }
    }

    /// Returns the weighted sum of `score` over the steps.
    ///
    /// Steps are added in a fixed order, so that the result always has the same bits. The error
    /// does not grow with the length of the run.
    #[inline]
    pub(crate) fn sum(self, steps: &[Probability], score: impl Fn(Probability) -> f64) -> f64 {
        let (start, change) = match self {
            Self::Equal => (1.0, 0.0),
            Self::Falling => (to_f64(steps.len()), -1.0),
            Self::Rising => (1.0, 1.0),
        };
        if steps.len() <= BLOCK {
            block_sum(steps, start, change, score)
        } else {
            sum_of_blocks(steps, start, change, score)
        }
    }
}

/// Adds the sums of blocks with compensation.
#[cold]
#[inline(never)]
fn sum_of_blocks(
    steps: &[Probability],
    start: f64,
    change: f64,
    score: impl Fn(Probability) -> f64,
) -> f64 {
    let mut total = CompensatedSum::default();
    for (i, block) in steps.chunks(BLOCK).enumerate() {
        let start = start + change * (i * BLOCK) as f64;
        total.add(block_sum(block, start, change, &score));
    }
    total.value()
}

/// Adds even and odd steps in separate lanes.
#[inline(always)]
fn block_sum(
    steps: &[Probability],
    start: f64,
    change: f64,
    score: impl Fn(Probability) -> f64,
) -> f64 {
    let (mut sums, mut weight) = ([0.0; 2], start);
    for (i, &step) in steps.iter().enumerate() {
        sums[i % 2] += weight * score(step);
        weight += change;
    }
    sums[0] + sums[1]
}
