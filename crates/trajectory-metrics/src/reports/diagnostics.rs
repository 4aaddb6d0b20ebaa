use scoring_rules::{Binning, TiedBlocks};

use crate::{
    calibration::calibration_error::{brier_loss, expected_calibration_error},
    error::Error,
    ranks::{
        positive_class::PositiveClass,
        ranking::{aurc, auroc, average_precision},
    },
};

/// The diagnostics that the paper reports beside the trajectory proper score, of a scalar summary
/// of each trace. One that is not defined for the rows says why.
///
/// Stored with the feature `serde`, an undefined one is `{"undefined": "why"}`, and read back it is
/// [`Error::Stored`] with that reason.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 5.2 and appendix F.
///
/// ```
/// use trajectory_metrics::{Diagnostics, Error, Probability, TiedBlocks};
///
/// let confidence = Probability::from_slice(&[0.8, 0.4])?;
/// let of = |outcomes: &[bool]| {
///     Ok::<_, Error>(Diagnostics::new(&TiedBlocks::new(confidence, outcomes, None)?))
/// };
/// assert_eq!(of(&[true, false])?.auroc, Ok(1.0));
/// assert_eq!(of(&[true, true])?.auroc, Err(Error::OneClass { outcome: true }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Diagnostics {
    /// [`auroc`](crate::auroc()): higher is better.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub auroc: Result<f64, Error>,
    /// [`average_precision`](crate::average_precision()), failure positive: higher is better.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub average_precision: Result<f64, Error>,
    /// [`aurc`](crate::aurc()): lower is better.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub aurc: Result<f64, Error>,
    /// [`expected_calibration_error`] over ten bins of equal weight: lower is better.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub t_ece: Result<f64, Error>,
    /// [`brier_loss`]: lower is better.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub t_brier: Result<f64, Error>,
}

impl Diagnostics {
    /// The diagnostics of these rows.
    #[must_use]
    pub fn new(blocks: &TiedBlocks) -> Self {
        Self {
            auroc: auroc(blocks),
            average_precision: average_precision(blocks, PositiveClass::Failure),
            aurc: aurc(blocks),
            t_ece: expected_calibration_error(blocks, Binning::Quantile { bins: 10 }),
            t_brier: brier_loss(blocks),
        }
    }

    /// Each diagnostic by its name, in the order of the fields.
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
