use scoring_rules::{Binning, CompensatedSum, TiedBlocks};

use crate::{
    calibration::calibration_error::{T_ECE_BINS, brier_loss, expected_calibration_error},
    error::Error,
    ranks::{
        areas::{auroc, average_precision},
        positive_class::{PositiveClass, both_classes},
        selective_risk::aurc,
    },
};

/// The diagnostics that the paper reports together with the trajectory proper score. Each trace is first summarized by
/// one number. An undefined diagnostic is an error that states the reason.
///
/// With the feature `serde`, an undefined diagnostic is written as null.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 5.2 and appendix F.
///
/// ```
/// use trajectory_metrics::{Diagnostics, Error, Probability, TiedBlocks};
///
/// let confidence = Probability::from_slice(&[0.8, 0.4])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false], None)?;
/// assert_eq!(Diagnostics::new(&blocks).auroc, Ok(1.0));
/// let blocks = TiedBlocks::new(confidence, &[true, true], None)?;
/// assert!(matches!(Diagnostics::new(&blocks).auroc, Err(Error::OneClass { outcome: true, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Diagnostics {
    /// [`auroc`](crate::auroc()): higher is better.
    pub auroc: Result<f64, Error>,
    /// [`average_precision`](crate::average_precision()) with failure as the positive class: higher is better.
    pub average_precision: Result<f64, Error>,
    /// [`aurc`](crate::aurc()): lower is better.
    pub aurc: Result<f64, Error>,
    /// [`expected_calibration_error`] over ten bins of equal weight: lower is better.
    pub t_ece: Result<f64, Error>,
    /// [`brier_loss`]: lower is better.
    pub t_brier: Result<f64, Error>,
}

impl Diagnostics {
    /// Computes the diagnostics of tied blocks of confidences.
    #[must_use]
    pub fn new(blocks: &TiedBlocks) -> Self {
        let [auroc, average_precision, aurc] = Self::of_ranks(blocks);
        Self {
            auroc,
            average_precision,
            aurc,
            t_ece: expected_calibration_error(blocks, Binning::Quantile { bins: T_ECE_BINS }),
            t_brier: brier_loss(blocks),
        }
    }

    /// Computes the first three diagnostics, which depend on ranks only: AUROC, average precision and AURC.
    ///
    /// It takes one pass over the blocks, which for many rows takes half of the time of the three functions. The
    /// results have the same bits.
    ///
    /// ```
    /// use trajectory_metrics::{Diagnostics, Error, TiedBlocks, aurc};
    ///
    /// let logits = TiedBlocks::from_scores(&[41.0, 39.0, 40.0], &[true, false, true], None)?;
    /// assert_eq!(Diagnostics::of_ranks(&logits), [Ok(1.0), Ok(1.0), aurc(&logits)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn of_ranks<S>(blocks: &TiedBlocks<S>) -> [Result<f64, Error>; 3] {
        let Ok((failures, successes)) = both_classes(blocks) else {
            let precision = average_precision(blocks, PositiveClass::Failure);
            return [auroc(blocks), precision, aurc(blocks)];
        };
        let [mut twice_right, mut precision, mut risk] = [CompensatedSum::default(); 3];
        let (mut failures_below, mut below) = (0.0, 0.0);
        let (mut failures_above, mut above) = (0.0, 0.0);
        // The pass goes up for the first two and down for AURC.
        for (up, down) in blocks.as_slice().iter().zip(blocks.as_slice().iter().rev()) {
            twice_right.add(up.successes * (2.0 * failures_below + up.failures));
            failures_below += up.failures;
            below += up.weight();
            precision.add(up.failures * (failures_below / below));
            failures_above += down.failures;
            above += down.weight();
            risk.add(down.weight() * (failures_above / above));
        }
        [
            twice_right.value() / (2.0 * failures * successes),
            precision.value() / failures,
            risk.value() / above,
        ]
        .map(|area| Ok(area.min(1.0)))
    }

    /// Returns the name and value of each diagnostic, in the order of the fields.
    ///
    /// ```
    /// use trajectory_metrics::{Diagnostics, TiedBlocks};
    ///
    /// let [(name, value), ..] = Diagnostics::new(&TiedBlocks::default()).by_name();
    /// assert!(name == "auroc" && value.is_err());
    /// ```
    pub fn by_name(self) -> [(&'static str, Result<f64, Error>); 5] {
        let Self { auroc, average_precision, aurc, t_ece, t_brier } = self;
        [
            ("auroc", auroc),
            ("average_precision", average_precision),
            ("aurc", aurc),
            ("t_ece", t_ece),
            ("t_brier", t_brier),
        ]
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Diagnostics {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.clone().by_name().map(|(name, value)| (name, value.ok())))
    }
}
