use scoring_rules::{Block, CompensatedSum, ExactSum, Probability, TiedBlocks, Weight};

use crate::{
    checks::same_length,
    error::Error,
    numerics::normal::two_sided_tail,
    ranks::{
        curves::both_classes,
        ranking::{auroc, to_unit},
    },
};

/// Placements are shares. Where they vary by less than this it is by rounding, and what was divided
/// by it would be anything.
const ROUNDING: f64 = 1e-14;

/// AUROC with an estimate of its standard error, made by [`delong`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct AurocEstimate {
    /// The area, as [`auroc`] gives it.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub auroc: f64,
    /// DeLong's estimate of its standard error over samples of as many independent rows; at
    /// least 0, and 0 where placements vary by less than 1e-14, no more than rounding.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::not_negative"))]
    pub standard_error: f64,
}

/// AUROC with DeLong's standard error.
///
/// The placement of a success is the share of failures below it, of a failure the share of
/// successes above it, ties counting one half. With m successes and n failures
///
/// ```text
/// standard error^2 = (sample variance of placements of successes) / m + (that of failures) / n
/// ```
///
/// Weights are numbers of rows: 2 is the row twice, a class needs a weight above 1, and weights
/// must not be normalised. Rows are taken as independent; where they share a task, use
/// [`Bootstrap::clusters`](crate::Bootstrap::clusters). Zero for a perfect ranking, which says that
/// the sample holds no sign of its error, not that there is none.
///
/// Cost: linear, after the sort of the blocks.
///
/// Reference: DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more
/// correlated receiver operating characteristic curves, doi:10.2307/2531595; by ranks Sun and Xu
/// (2014), Fast implementation of DeLong's algorithm for comparing the areas under correlated
/// receiver operating characteristic curves, doi:10.1109/LSP.2014.2337313.
///
/// # Errors
///
/// [`Error::OneClass`] without both a failure and a success; [`Error::TooLight`] where one of them
/// weighs no more than 1 (or 1e-9 more); [`Error::Empty`] on empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, delong};
///
/// let confidence = Probability::from_slice(&[0.2, 0.4, 0.6, 0.8])?;
/// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
/// let estimate = delong(&blocks)?;
/// assert_eq!(estimate.auroc, 0.75);
/// // Placements are 1/2 and 1 in both classes, of variance 1/8.
/// assert_eq!(estimate.standard_error, ((1.0_f64 / 8.0) / 2.0 + (1.0 / 8.0) / 2.0).sqrt());
/// # Ok::<(), Error>(())
/// ```
pub fn delong<S>(blocks: &TiedBlocks<S>) -> Result<AurocEstimate, Error> {
    let [failures, successes] = both_heavy(blocks)?;
    let mut variance = 0.0;
    for (class, other) in [(failures, successes), (successes, failures)] {
        // Placements are kept as twice the weight of the other class below, a whole number where
        // weights are, so that equal ones differ by nothing.
        let placements = || {
            let scale = to_unit(other.weight);
            let mut below = 0.0;
            blocks.as_slice().iter().map(move |block| {
                let (own, others) = class.of(block);
                let twice = 2.0 * below + scale * others;
                below += scale * others;
                (own, twice)
            })
        };
        let mut sum = CompensatedSum::default();
        placements().for_each(|(weight, twice)| sum.add(weight * twice));
        let mean = sum.value() / class.weight;
        let mut squares = CompensatedSum::default();
        placements().for_each(|(weight, twice)| squares.add(weight * (twice - mean).powi(2)));
        variance += class.variance_of_mean(squares.value(), other);
    }
    Ok(AurocEstimate { auroc: auroc(blocks)?, standard_error: variance.sqrt() })
}

/// The difference of two AUROCs on the same rows, made by [`delong_test`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct AurocDifference {
    /// AUROC of the first confidence minus that of the second, in [-1, 1].
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::difference"))]
    pub difference: f64,
    /// Estimate of its standard error; at least 0, and 0 where differences of placements vary by
    /// less than 1e-14, no more than rounding.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::not_negative"))]
    pub standard_error: f64,
}

impl AurocDifference {
    /// Difference over standard error, which is about standard normal where the two areas are the
    /// same. None where the standard error is 0.
    #[must_use]
    pub fn z(&self) -> Option<f64> {
        (self.standard_error > 0.0).then(|| self.difference / self.standard_error)
    }

    /// The probability of a difference at least as far from 0, on either side, where the two areas
    /// are the same; by the normal distribution. None where the standard error is 0.
    #[must_use]
    pub fn p_value(&self) -> Option<f64> {
        self.z().map(two_sided_tail)
    }
}

/// Compares two confidences that were given for the same rows: DeLong's test of equal AUROC.
///
/// Each confidence comes with the outcomes of its rows, which must be the same, row by row. For two
/// models that each made runs of their own use [`auroc_difference`](crate::auroc_difference()).
///
/// The standard error is that of the mean difference of placements (see [`delong`]), row by row,
/// so that what the two have in common cancels. Two confidences that rank the rows alike differ by
/// 0 with a standard error of 0, and there is nothing to test. Weights and independence as in
/// [`delong`].
///
/// Cost: two sorts, O(n log n).
///
/// Reference: as [`delong`].
///
/// # Errors
///
/// As [`TiedBlocks::new`] and [`delong`]; [`Error::Length`] unless the second confidence and its
/// outcomes have as many rows as the first; [`Error::OutcomeDiffers`] with the first row that has
/// another outcome.
///
/// ```
/// use trajectory_metrics::{Error, Probability, delong_test};
///
/// let first = Probability::from_slice(&[0.1, 0.3, 0.2, 0.8, 0.6, 0.9])?;
/// let second = Probability::from_slice(&[0.5, 0.5, 0.5, 0.5, 0.5, 0.6])?;
/// let outcomes = [false, false, true, true, false, true];
/// let test = delong_test(first, &outcomes, second, &outcomes, None)?;
/// assert!((test.difference - 1.0 / 9.0).abs() < 1e-15);
/// assert!(test.z().is_some_and(|z| z < 1.0) && test.p_value() > Some(0.3));
///
/// let same = delong_test(first, &outcomes, first, &outcomes, None)?;
/// assert_eq!((same.difference, same.standard_error, same.z()), (0.0, 0.0, None));
///
/// let others = [false, false, true, true, true, true];
/// let error = delong_test(first, &outcomes, second, &others, None);
/// assert_eq!(error, Err(Error::OutcomeDiffers { index: 4 }));
/// # Ok::<(), Error>(())
/// ```
pub fn delong_test(
    first: &[Probability],
    first_outcomes: &[bool],
    second: &[Probability],
    second_outcomes: &[bool],
    weights: Option<&[Weight]>,
) -> Result<AurocDifference, Error> {
    let outcomes = first_outcomes;
    same_length("first outcomes", first.len(), outcomes.len())?;
    same_length("second confidences", first.len(), second.len())?;
    same_length("second outcomes", first.len(), second_outcomes.len())?;
    if let Some(index) = outcomes.iter().zip(second_outcomes).position(|(a, b)| a != b) {
        return Err(Error::OutcomeDiffers { index });
    }
    let sorted = [first, second].map(|rows| TiedBlocks::new(rows, outcomes, weights));
    let [first_blocks, second_blocks] = sorted;
    let (first_blocks, second_blocks) = (first_blocks?, second_blocks?);
    let classes = both_heavy(&first_blocks)?;
    let (first_ranks, second_ranks) =
        (Placements::new(&first_blocks, classes), Placements::new(&second_blocks, classes));

    let (mut difference, mut variance) = (0.0, 0.0);
    for [class, other] in [classes, [classes[1], classes[0]]] {
        let rows = || {
            let rows =
                outcomes.iter().enumerate().filter(|&(_, &outcome)| outcome == class.outcome);
            rows.map(|(row, _)| {
                let weight = weights.map_or(1.0, |weights| weights[row].get());
                let above = first_ranks.of(first[row], class.outcome);
                (weight, above - second_ranks.of(second[row], class.outcome))
            })
        };
        // Exact sums, so that the order of the rows leaves no trace.
        let mut sum = ExactSum::default();
        rows().for_each(|(weight, gap)| sum.add_product(weight, gap));
        let mean = sum.value() / class.weight;
        let mut squares = ExactSum::default();
        rows().for_each(|(weight, gap)| squares.add_product(weight, (gap - mean).powi(2)));
        variance += class.variance_of_mean(squares.value(), other);
        if class.outcome {
            difference = mean / other.twice_in_units();
        }
    }
    Ok(AurocDifference { difference, standard_error: variance.sqrt() })
}

/// Twice the weight of the other class below each block, half of the block's own taken in.
pub(crate) struct Placements<'a> {
    blocks: &'a TiedBlocks,
    /// For a failure, and for a success.
    twice: Vec<[f64; 2]>,
}

impl<'a> Placements<'a> {
    pub(crate) fn new(blocks: &'a TiedBlocks, classes: [Class; 2]) -> Self {
        let scales = classes.map(|class| to_unit(class.weight));
        // Compensated, as another order of the same rows must come to the same.
        let mut below = [CompensatedSum::default(); 2];
        let twice = blocks.as_slice().iter().map(|block| {
            let inside = [scales[0] * block.failures, scales[1] * block.successes];
            let [failures, successes] = below.map(|sum| 2.0 * sum.value());
            below.iter_mut().zip(inside).for_each(|(sum, inside)| sum.add(inside));
            [successes + inside[1], failures + inside[0]]
        });
        Self { blocks, twice: twice.collect() }
    }

    pub(crate) fn of(&self, confidence: Probability, outcome: bool) -> f64 {
        let at = self.blocks.as_slice().partition_point(|block| block.confidence < confidence);
        // Every row of positive weight is in a block; of weight 0 it adds nothing wherever it
        // stands.
        self.twice.get(at).map_or(0.0, |twice| twice[usize::from(outcome)])
    }
}

/// All rows of one outcome.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    pub(crate) outcome: bool,
    pub(crate) weight: f64,
}

impl Class {
    /// The weight of this class and of the other in a block.
    fn of<S>(self, block: &Block<S>) -> (f64, f64) {
        if self.outcome {
            (block.successes, block.failures)
        } else {
            (block.failures, block.successes)
        }
    }

    /// Twice the weight of the class in the units of [`Placements`].
    pub(crate) fn twice_in_units(self) -> f64 {
        2.0 * to_unit(self.weight) * self.weight
    }

    /// Of the mean placement, from the squared distances of placements kept as in [`delong`].
    fn variance_of_mean(self, squares: f64, other: Self) -> f64 {
        let unit = other.twice_in_units();
        let variance = squares / (self.weight - 1.0) / (unit * unit);
        if variance > ROUNDING * ROUNDING { variance / self.weight } else { 0.0 }
    }
}

/// Failures and successes, where both weigh enough for a variance.
fn both_heavy<S>(blocks: &TiedBlocks<S>) -> Result<[Class; 2], Error> {
    let (failures, successes) = both_classes(blocks)?;
    let classes = [(false, failures), (true, successes)];
    for (outcome, weight) in classes {
        // A single row does not vary, and of a little more the excess is lost to rounding.
        if weight <= 1.0 + 1e-9 {
            return Err(Error::TooLight { outcome, weight });
        }
    }
    Ok(classes.map(|(outcome, weight)| Class { outcome, weight }))
}
