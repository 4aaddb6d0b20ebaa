use scoring_rules::Level;

use super::sorted_scores::SortedScores;
#[cfg(feature = "serde")]
use crate::error::Error;
use crate::{calibration::online_calibrator::OnlineCalibrator, rank::least};

/// Split conformal prediction over runs: the margin is a quantile of the scores of past runs.
///
/// With K runs so far, each score of run i has weight `1 / ((K + 1) n_i)`, n_i being how many
/// scores the run has, and infinity has weight `1 / (K + 1)`; the margin is the quantile at the
/// coverage.
///
/// **Guarantee**: if runs are exchangeable, a prefix of the next run, picked at random, is covered
/// with at least the chance claimed, whatever the estimator was, as long as the estimator did not
/// learn from these runs. One that learns keeps the guarantee only roughly: each run is scored
/// before it is learnt from, so that early scores are those of an estimator that knew less. Where
/// runs change over time, take [`AdaptiveConformal`](crate::AdaptiveConformal) or
/// [`ConformalPid`](crate::ConformalPid).
///
/// Around an estimator of a point it is split conformal prediction proper, around one of quantiles
/// conformalized quantile regression.
///
/// Below `coverage / (1 - coverage)` runs the margin is infinite. Takes O(n) a run for n scores so
/// far, and keeps them all.
///
/// ```
/// use budget_estimation::{Error, Level, OnlineCalibrator, SplitConformal};
///
/// let mut calibrator = SplitConformal::new(Level::new(0.75)?);
/// for score in [4.0, 1.0, 3.0] {
///     assert_eq!(calibrator.margin(), f64::INFINITY);
///     calibrator.update(&[score]);
/// }
/// assert_eq!(calibrator.margin(), 4.0);
/// # Ok::<(), Error>(())
/// ```
///
/// References: Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World; Romano,
/// Patterson, Candès (2019), Conformalized quantile regression, NeurIPS; for several scores a run
/// Lee, Barber, Willett (2023), Distribution-free inference with hierarchical data, arXiv
/// 2306.06342.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct SplitConformal {
    coverage: Level,
    runs: f64,
    scores: SortedScores,
    margin: f64,
}

impl SplitConformal {
    /// Before the first run.
    #[must_use]
    pub fn new(coverage: Level) -> Self {
        Self { coverage, runs: 0.0, scores: SortedScores::default(), margin: f64::INFINITY }
    }

    /// The quantile of all scores so far at the coverage.
    fn margin_of_scores(&self) -> f64 {
        let least = least(self.coverage.get(), self.runs + 1.0);
        self.scores.at_weight(least).unwrap_or(f64::INFINITY)
    }
}

impl OnlineCalibrator for SplitConformal {
    fn margin(&self) -> f64 {
        self.margin
    }

    fn update(&mut self, scores: &[f64]) {
        if scores.is_empty() {
            return;
        }
        self.runs += 1.0;
        self.scores.add(scores, 1.0 / scores.len() as f64);
        self.margin = self.margin_of_scores();
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    coverage: Level,
    runs: u64,
    scores: SortedScores,
}

#[cfg(feature = "serde")]
impl From<SplitConformal> for Stored {
    fn from(state: SplitConformal) -> Self {
        let SplitConformal { coverage, runs, scores, .. } = state;
        Self { coverage, runs: runs as u64, scores }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for SplitConformal {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { coverage, runs, scores } = stored;
        if runs > scores.len() as u64 || (runs == 0) != (scores.len() == 0) {
            return Err(Error::StoredState { problem: "each run has at least one score" });
        }
        let mut state = Self { runs: runs as f64, scores, ..Self::new(coverage) };
        if runs > 0 {
            state.margin = state.margin_of_scores();
        }
        Ok(state)
    }
}
