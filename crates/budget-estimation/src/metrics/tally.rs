use scoring_rules::{ExactMean, ExactSum, Weight};

use crate::error::Error;

/// A sum of weights, counted in whole numbers as long as every weight is 1.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Tally {
    ones: u64,
    others: ExactSum,
}

impl Tally {
    #[inline]
    pub(crate) fn add(&mut self, weight: Weight) {
        if weight == Weight::ONE {
            self.ones = self.ones.saturating_add(1);
        } else {
            self.others.add(weight.get());
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.ones = self.ones.saturating_add(other.ones);
        self.others.merge(&other.others);
    }

    /// Returns the tally of all these together.
    pub(crate) fn sum<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        parts.into_iter().for_each(|part| sum.merge(part));
        sum
    }

    pub(crate) fn value(&self) -> f64 {
        let mut sum = self.others.clone();
        sum.add(self.ones as f64);
        sum.value()
    }
}

pub(crate) fn merge_tallies<const N: usize>(tallies: &mut [Tally; N], others: &[Tally; N]) {
    tallies.iter_mut().zip(others).for_each(|(tally, other)| tally.merge(other));
}

/// Adds one value to each mean, all with the same weight. Always inlined, as the `update_weighted` of the
/// measures are, so that the branches for other weights vanish from `update`.
#[inline(always)]
pub(crate) fn add_to_means<const N: usize>(
    means: &mut [ExactMean; N],
    values: [f64; N],
    weight: Weight,
) -> Result<(), Error> {
    for (mean, value) in means.iter_mut().zip(values) {
        if weight == Weight::ONE {
            mean.update(value);
        } else {
            mean.update_weighted(value, weight)?;
        }
    }
    Ok(())
}

pub(crate) fn merge_means<const N: usize>(means: &mut [ExactMean; N], others: &[ExactMean; N]) {
    means.iter_mut().zip(others).for_each(|(mean, other)| mean.merge(other));
}

/// Returns part / whole for a whole above 0. The ratio is infinite if it overflows, or if its product with
/// the weight overflows.
#[inline]
pub(crate) fn ratio(part: f64, whole: f64, weight: Weight) -> f64 {
    let ratio = part / whole;
    let is_finite = (ratio * weight.get()).is_finite();
    if is_finite { ratio } else { f64::INFINITY.copysign(part) }
}

/// `None` for an infinite number and for NaN, the difference of two.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Returns the means, each `None` if it is infinite and without a value of positive weight.
pub(crate) fn finish_means<const N: usize>(means: &[ExactMean; N]) -> [Option<f64>; N] {
    means.each_ref().map(|mean| mean.finish().ok().and_then(finite))
}
