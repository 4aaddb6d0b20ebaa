use scoring_rules::{
    ExactMean,
    checks::{same_length, setting},
};

use crate::{
    Weight,
    checks::{can_be_averaged, too_large},
    error::Error,
    scores::run_score::RunScore,
    sensitivity::flip::{Contrast, FlippingOdds, tilted},
};

/// The mean score of runs as a function of an odds ratio: the true odds of success after a cut-off divided by the given
/// odds.
///
/// ```text
/// complete: S,   cut off: q S1 + (1 - q) S0  with  odds(q) = odds ratio * odds(success chance)
/// ```
///
/// At an odds ratio of 1, cut-off runs are scored at the given probabilities. As the ratio approaches 0, all of them count
/// as failures, and as it approaches infinity, as successes, except for probabilities of exactly 0 and 1. The mean is not
/// monotone in the odds ratio: a success raises the score of a confident run and lowers the score of an unconfident run.
///
/// A weight of 2 counts as two equal runs, and a weight of 0 has no effect, but its scores are still
/// checked. Means have the same bits in any order of the runs.
///
/// Reference: Scharfstein, Rotnitzky and Robins (1999), Adjusting for nonignorable drop-out using
/// semiparametric nonresponse models, doi:10.1080/01621459.1999.10473862.
///
/// ```
/// use censoring::{Error, Probability, RunScore, TiltedMean};
///
/// // Brier scores of a stream that forecasts 0.8 in each of three runs. The last was cut off.
/// let success_probability = Probability::HALF;
/// let cut_off = RunScore::Censored { success_probability, if_success: -0.04, if_failure: -0.64 };
/// let runs = [RunScore::Complete(-0.04), RunScore::Complete(-0.64), cut_off];
/// let mean = TiltedMean::new(&runs, None)?;
/// assert!((mean.score(1.0)? - -0.34).abs() < 1e-15);
///
/// // Above -0.4, unless the odds of success after the stop are less than 1/4 of their estimate: a
/// // probability of 0.2 instead of 0.5. No odds ratio above 1 changes that.
/// let flip = mean.flip_at(-0.4)?;
/// assert!((flip.below.unwrap() - 0.25).abs() < 1e-14);
/// assert_eq!(flip.above, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct TiltedMean {
    /// Runs of positive weight.
    runs: Vec<(RunScore, Weight)>,
}

impl TiltedMean {
    /// Creates the function from the scores of the runs.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Entry`] with the first run that has a score outside -1e100 to 1e100;
    /// [`scoring_rules::Error::Length`] unless there is one weight per run; [`scoring_rules::Error::Empty`] without a run of positive
    /// weight.
    pub fn new(runs: &[RunScore], weights: Option<&[Weight]>) -> Result<Self, Error> {
        same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
        let mut kept = Vec::with_capacity(runs.len());
        for (run, &score) in runs.iter().enumerate() {
            for value in score.either() {
                if !can_be_averaged(value) {
                    return Err(too_large("score of run", run, value));
                }
            }
            let weight = weights.map_or(Weight::ONE, |weights| weights[run]);
            if weight > Weight::ZERO {
                kept.push((score, weight));
            }
        }
        if kept.is_empty() {
            Err(Error::ScoringRules(scoring_rules::Error::Empty))
        } else {
            Ok(Self { runs: kept })
        }
    }

    /// Returns the mean score at an odds ratio.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the odds ratio is positive and finite.
    pub fn score(&self, odds_ratio: f64) -> Result<f64, Error> {
        let is_valid = odds_ratio > 0.0 && odds_ratio < f64::INFINITY;
        setting("odds_ratio", odds_ratio, is_valid, "above 0 and finite")?;
        let mut mean = ExactMean::default();
        for &(score, weight) in &self.runs {
            let value = match score {
                RunScore::Complete(score) => score,
                RunScore::Censored { success_probability, if_success, if_failure } => {
                    let q = tilted(success_probability.get(), odds_ratio);
                    q * if_success + (1.0 - q) * if_failure
                }
            };
            mean.update_weighted(value, weight)?;
        }
        Ok(mean.finish()?)
    }

    /// Returns the odds ratios at which the mean crosses `threshold`. [`FlippingOdds`] describes cost and tolerance.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the threshold is from -1e100 to 1e100.
    pub fn flip_at(&self, threshold: f64) -> Result<FlippingOdds, Error> {
        let is_valid = can_be_averaged(threshold);
        setting("threshold", threshold, is_valid, "from -1e100 to 1e100")?;
        Ok(Contrast::new(&self.runs, threshold).flips())
    }
}
