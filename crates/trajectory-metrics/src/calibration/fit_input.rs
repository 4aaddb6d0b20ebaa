//! What fits of logistic curves do with their records before they start.

use std::array::from_fn;

use scoring_rules::{Block, CompensatedSum, Probability, TiedBlocks};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{calibration::ridge_logistic::Record, error::Error};

/// The least scale of a feature: below it the training records have no spread to speak of.
const LEAST_SCALE: f64 = 1e-6;

/// A share of the weight that is none: its logit could not be told from infinity.
const NO_SHARE: f64 = 1e-200;

/// Weight of failures and of successes, where there are both.
pub(crate) fn both_outcomes(blocks: &TiedBlocks) -> Result<(f64, f64), Error> {
    let (failures, successes) = blocks.class_weights();
    let total = failures + successes;
    for (outcome, others) in [(true, failures), (false, successes)] {
        if others / total < NO_SHARE {
            return Err(Error::OneClass { outcome });
        }
    }
    Ok((failures, successes))
}

/// A record for each block.
pub(crate) fn records<const N: usize>(
    blocks: &TiedBlocks,
    features: impl Fn(Probability) -> [f64; N],
) -> Vec<Record<N>> {
    let (failures, successes) = blocks.class_weights();
    let total = failures + successes;
    let record = |block: &Block| Record {
        features: features(block.confidence),
        failures: block.failures / total,
        successes: block.successes / total,
    };
    blocks.as_slice().iter().map(record).collect()
}

/// How a feature was standardised.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Standard {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::mean"))]
    pub(crate) mean: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::scale"))]
    pub(crate) scale: f64,
    /// Whether there was so little spread that the floor of the scale took over.
    pub(crate) degenerate: bool,
}

/// Takes the weighted mean off each feature and divides by the weighted standard deviation, or by
/// 1e-6 where that is less.
pub(crate) fn standardise<const N: usize>(records: &mut [Record<N>]) -> [Standard; N] {
    from_fn(|i| {
        let (mean, std) = mean_and_std(records, i);
        let scale = std.max(LEAST_SCALE);
        for record in &mut *records {
            record.features[i] = (record.features[i] - mean) / scale;
        }
        Standard { mean, scale, degenerate: std < LEAST_SCALE }
    })
}

/// Weighted mean and population standard deviation of a feature. Taken about the first value, so
/// that equal values have exactly that mean and no deviation.
fn mean_and_std<const N: usize>(records: &[Record<N>], feature: usize) -> (f64, f64) {
    let first = records.first().map_or(0.0, |record| record.features[feature]);
    let about = |centre: f64, power: i32| {
        let mut sum = CompensatedSum::default();
        for record in records {
            let weight = record.failures + record.successes;
            sum.add(weight * (record.features[feature] - centre).powi(power));
        }
        sum.value()
    };
    let mean = first + about(first, 1);
    (mean, about(mean, 2).sqrt())
}
