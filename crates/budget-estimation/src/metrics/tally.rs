use scoring_rules::{ExactMean, ExactSum, Weight};

use crate::error::Error;

/// A sum of weights; whole numbers where all weights are.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub(crate) struct Tally {
    ones: u64,
    others: ExactSum,
}

/// The stored form, not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    ones: u64,
    others: ExactSum,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Tally {
    type Error = Error;

    fn try_from(Stored { ones, others }: Stored) -> Result<Self, Error> {
        let value = others.value();
        // A NaN is in no range.
        if (0.0..f64::INFINITY).contains(&value) {
            Ok(Self { ones, others })
        } else {
            Err(Error::StoredState { problem: "sums of weights are finite and at least 0" })
        }
    }
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

    pub(crate) fn value(&self) -> f64 {
        let mut sum = self.others.clone();
        sum.add(self.ones as f64);
        sum.value()
    }
}

/// Takes a value into a mean.
#[inline]
pub(crate) fn take(mean: &mut ExactMean, value: f64, weight: Weight) -> Result<(), Error> {
    if weight == Weight::ONE {
        mean.update(value);
        Ok(())
    } else {
        Ok(mean.update_weighted(value, weight)?)
    }
}

/// The mean, where there was anything of positive weight.
pub(crate) fn mean(mean: &ExactMean) -> Option<f64> {
    mean.finish().ok()
}
