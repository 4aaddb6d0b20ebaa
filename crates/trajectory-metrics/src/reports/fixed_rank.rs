use scoring_rules::{LogScore, Probability, TiedBlocks};

use crate::{
    calibration::{cross_fit::CrossFit, folds::Folds, platt::Platt},
    error::Error,
    reports::diagnostics::Diagnostics,
    streams::{summary::Summary, tps::Tps, traces::Traces, weight_schedule::WeightSchedule},
};

/// The trajectory log scores of a stream and of four transforms that leave all rank metrics unchanged, from
/// [`FixedRankSensitivity::new`].
///
/// The scores of the five streams are mean trajectory log scores, clipped at 1e-6, in nats.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FixedRankSensitivity {
    /// AUROC of the mean forecasts of the raw stream, which is the same for all transforms.
    pub auroc: f64,
    /// Average precision with failure as the positive class. It is the same for all transforms.
    pub average_precision: f64,
    /// AURC. It is the same for all transforms.
    pub aurc: f64,
    /// The score of the raw stream.
    pub identity: f64,
    /// The score of the forecasts `0.4 + 0.2 p`.
    pub affine: f64,
    /// The score of the square roots of the forecasts.
    pub square_root: f64,
    /// The score of the squares of the forecasts.
    pub square: f64,
    /// The score of the forecasts after cross-fitted Platt scaling.
    pub platt: f64,
}

impl FixedRankSensitivity {
    /// Scores the raw forecasts and each transform of them, but always ranks a run by one number: the weighted mean of
    /// its raw forecasts.
    ///
    /// This scalar is the mean of the raw forecasts of a trace under the schedule. As in the paper, it is
    /// computed once and used for every transform, so that rank metrics are the same by construction.
    /// Rank metrics are invariant under increasing transforms of the scalar. Means of transformed
    /// forecasts are different: a transform can change which of two traces has the higher mean. Platt
    /// scaling is cross-fitted over the folds.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix E.
    ///
    /// # Errors
    ///
    /// The errors of [`CrossFit::new`](crate::CrossFit::new), which needs both outcomes outside each fold.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Folds, Traces, WeightSchedule, FixedRankSensitivity};
    ///
    /// // Always nearly certain, and right half of the time.
    /// let forecasts = [0.99, 0.98, 0.99, 0.98];
    /// let raw = Traces::from_flat(&forecasts, &[1, 2, 3, 4], &[true, false, false, true])?;
    /// let folds = Folds::new(raw.outcomes(), &[1, 2, 3, 4], 2)?;
    /// let found = FixedRankSensitivity::new(&raw, &folds, &WeightSchedule::LinearFront)?;
    /// assert_eq!(found.auroc, 0.5);
    /// assert!(found.span() > 1.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(raw: &Traces, folds: &Folds, schedule: &WeightSchedule) -> Result<Self, Error> {
        let platt = CrossFit::new(&Platt::default(), raw, folds, schedule)?.traces;
        let rank = Summary::Weighted(schedule.clone()).forecasts(raw)?;
        let blocks = TiedBlocks::new(&rank, raw.outcomes(), None)?;
        let [auroc, average_precision, aurc] = Diagnostics::of_ranks(&blocks);
        let tps = Tps::new(LogScore::clipped(LogScore::CLIP)?, schedule.clone());
        let under = |transform: fn(f64) -> f64| {
            // The transforms map [0, 1] into [0, 1], so that the fallback is never used.
            let curve = |_, p: Probability| Probability::new(transform(p.get())).unwrap_or(p);
            tps.mean(&raw.map_forecasts(curve), None)
        };
        Ok(Self {
            auroc: auroc?,
            average_precision: average_precision?,
            aurc: aurc?,
            identity: tps.mean(raw, None)?,
            affine: under(|p| 0.4 + 0.2 * p)?,
            square_root: under(f64::sqrt)?,
            square: under(|p| p * p)?,
            platt: tps.mean(&platt, None)?,
        })
    }

    /// Returns the best minus the worst score of the raw and the transformed forecasts, in nats; at least 0.
    #[must_use]
    pub fn span(&self) -> f64 {
        let scores = [self.identity, self.affine, self.square_root, self.square, self.platt];
        scores.into_iter().fold(f64::NEG_INFINITY, f64::max)
            - scores.into_iter().fold(f64::INFINITY, f64::min)
    }
}
