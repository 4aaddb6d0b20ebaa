use scoring_rules::{LogScore, Probability, TiedBlocks};

use crate::{
    calibration::{cross_fit::cross_fit, folds::Folds, platt::Platt},
    error::Error,
    ranks::{
        positive_class::PositiveClass,
        ranking::{aurc, auroc, average_precision},
    },
    streams::{
        summary::Summary, tps::Tps, tps_family::TpsFamily, traces::Traces,
        weight_schedule::WeightSchedule,
    },
};

/// How far the trajectory log score moves while everything that looks at ranks stands still, by
/// [`fixed_rank_sensitivity`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct FixedRankSensitivity {
    /// AUROC of the raw stream's mean forecast, for every transform.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub auroc: f64,
    /// Average precision of it, failure positive, for every transform.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub average_precision: f64,
    /// AURC of it, for every transform.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub aurc: f64,
    /// The name of each transform and the mean trajectory log score of the transformed stream,
    /// clipped at 1e-6, in nats: `identity`, `affine` (0.4 + 0.2 p), `square_root`, `square` and
    /// `platt`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "read_scores"))]
    pub tps_log: [(&'static str, f64); 5],
}

/// The transforms, in the order of the scores.
const TRANSFORMS: [&str; 5] = ["identity", "affine", "square_root", "square", "platt"];

#[cfg(feature = "serde")]
fn read_scores<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<[(&'static str, f64); 5], D::Error> {
    let stored = <[(String, f64); 5] as serde::Deserialize>::deserialize(deserializer)?;
    if let Some((name, _)) =
        stored.iter().zip(TRANSFORMS).find(|((a, _), b)| a != b).map(|(s, _)| s)
    {
        return Err(serde::de::Error::unknown_variant(name, &TRANSFORMS));
    }
    Ok(named(stored.map(|(_, score)| score)))
}

/// Each score with the name of its transform.
fn named(scores: [f64; 5]) -> [(&'static str, f64); 5] {
    std::array::from_fn(|i| (TRANSFORMS[i], scores[i]))
}

impl FixedRankSensitivity {
    /// From the worst to the best of the five trajectory scores, in nats.
    #[must_use]
    pub fn span(&self) -> f64 {
        let scores = self.tps_log.map(|(_, score)| score);
        scores.into_iter().fold(f64::NEG_INFINITY, f64::max)
            - scores.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// Distorts the probabilities of every step, and keeps the scalar that runs are ranked by.
///
/// That scalar, the mean of a trace's raw forecasts under the schedule, is computed once and serves
/// every transform, as in the paper. So rank metrics are the same by construction; they are blind
/// to every rising transform of the scalar anyway. Means of transformed forecasts would be another
/// matter: a curve can change which of two traces has the higher mean. Platt scaling is
/// cross-fitted over the folds.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix E.
///
/// # Errors
///
/// As [`cross_fit`](crate::cross_fit()), whose fit needs both outcomes outside each fold.
///
/// ```
/// use trajectory_metrics::{Error, Folds, Traces, WeightSchedule, fixed_rank_sensitivity};
///
/// // Always nearly sure, and right half the time.
/// let said = [0.99, 0.98, 0.99, 0.98];
/// let raw = Traces::from_flat(&said, &[1, 2, 3, 4], &[true, false, false, true])?;
/// let folds = Folds::halves(raw.outcomes(), &[1, 2, 3, 4])?;
/// let found = fixed_rank_sensitivity(&raw, &folds, &WeightSchedule::LinearFront)?;
/// assert_eq!(found.auroc, 0.5);
/// assert!(found.span() > 1.0);
/// # Ok::<(), Error>(())
/// ```
pub fn fixed_rank_sensitivity(
    raw: &Traces,
    folds: &Folds,
    schedule: &WeightSchedule,
) -> Result<FixedRankSensitivity, Error> {
    let platt = cross_fit(&Platt::default(), raw, folds, schedule)?.into_traces();
    let rank = Summary::Weighted(schedule.clone()).of_each(raw)?;
    let blocks = TiedBlocks::new(&rank, raw.outcomes(), None)?;
    let tps = Tps::new(LogScore::clipped(TpsFamily::CLIP)?, schedule.clone());
    let under = |transform: fn(f64) -> f64| {
        // From [0, 1] into [0, 1], so the other arm is never taken.
        let curve = |_, p: Probability| Probability::new(transform(p.get())).unwrap_or(p);
        tps.mean(&raw.map_forecasts(curve), None)
    };
    Ok(FixedRankSensitivity {
        auroc: auroc(&blocks)?,
        average_precision: average_precision(&blocks, PositiveClass::Failure)?,
        aurc: aurc(&blocks)?,
        tps_log: named([
            tps.mean(raw, None)?,
            under(|p| 0.4 + 0.2 * p)?,
            under(f64::sqrt)?,
            under(|p| p * p)?,
            tps.mean(&platt, None)?,
        ]),
    })
}
