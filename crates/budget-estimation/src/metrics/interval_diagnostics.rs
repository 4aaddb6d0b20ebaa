use scoring_rules::{ExactMean, Weight};

use crate::{
    error::Error,
    metrics::tally::{Tally, add_to_means, finish_means, merge_means, ratio},
    replay::sample::Sample,
};

/// The means of the diagnostics.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Diagnostics {
    width_over_cap: [ExactMean; 1],
    /// Signed midpoint bias and width adequacy, over feasible samples.
    calibration: [ExactMean; 2],
}

/// Directions and widths of intervals, for the diagnostic figures of the paper, from
/// [`Metrics::with_diagnostics`](crate::Metrics::with_diagnostics).
///
/// Unlike [`IntervalSummary`](crate::IntervalSummary), misses and widths are counted over the intervals of all
/// runs, including runs that fail.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut metrics = Metrics::new().with_diagnostics();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(60.0, 80.0)?)?)?;
/// // A miss on a run that failed counts as well; there is no feasible sample and no cap.
/// let summary = metrics.finish()?.diagnostics.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.optimistic_share, summary.conservative_share), (1.0, 0.0));
/// assert_eq!((summary.mean_midpoint_bias, summary.mean_width_over_cap), (None, None));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, sections 4.2 and 5.2, figures 6, 11 and 12.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiagnosticSummary {
    /// The share of the intervals, of feasible runs or not, that lie below the remaining cost.
    pub optimistic_share: f64,
    /// The share of the intervals that lie above the remaining cost.
    pub conservative_share: f64,
    /// Mean of the width divided by the cap, over the intervals of runs with a cap above 0; `None` if there
    /// are none.
    pub mean_width_over_cap: Option<f64>,
    /// Mean signed error of the midpoint divided by the remaining cost, over feasible samples with an
    /// interval; negative if the estimates are too low. `None` if there are none.
    pub mean_midpoint_bias: Option<f64>,
    /// Mean width adequacy, in [0, 1], over feasible samples with an interval: the half-width divided by
    /// the absolute error of the midpoint, at most 1. It is 1 for a hit. `None` if there are none. The
    /// paper names this quantity without defining it.
    pub mean_width_adequacy: Option<f64>,
}

impl Diagnostics {
    /// Adds an interval with this width and signed error of the midpoint, of which the sizes are checked.
    #[inline(never)]
    pub(super) fn update(
        &mut self,
        sample: &Sample,
        [width, error]: [f64; 2],
        weight: Weight,
    ) -> Result<(), Error> {
        if let Some(cap) = sample.cap().filter(|cap| *cap > 0.0) {
            let share = ratio(width, cap, weight);
            add_to_means(&mut self.width_over_cap, [share], weight)?;
        }
        if !sample.is_feasible() {
            return Ok(());
        }
        // Rounding of the midpoint must not give a hit less than 1.
        let adequacy = if sample.is_hit() { 1.0 } else { (width / 2.0 / error.abs()).min(1.0) };
        let bias = ratio(error, sample.remaining(), weight);
        add_to_means(&mut self.calibration, [bias, adequacy], weight)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        merge_means(&mut self.width_over_cap, &other.width_over_cap);
        merge_means(&mut self.calibration, &other.calibration);
    }

    /// Returns the summary with the numbers of hits, optimistic and conservative misses; `None` without an
    /// interval.
    pub(super) fn finish(&self, sides: [Tally; 3]) -> Option<DiagnosticSummary> {
        let [hits, optimistic, conservative] = sides.each_ref().map(Tally::value);
        let intervals = hits + optimistic + conservative;
        let [mean_width_over_cap] = finish_means(&self.width_over_cap);
        let [mean_midpoint_bias, mean_width_adequacy] = finish_means(&self.calibration);
        (intervals > 0.0).then(|| DiagnosticSummary {
            optimistic_share: optimistic / intervals,
            conservative_share: conservative / intervals,
            mean_width_over_cap,
            mean_midpoint_bias,
            mean_width_adequacy,
        })
    }
}
