use scoring_rules::{ExactMean, Weight, checks::setting};
use trajectory_metrics::{Probability, ScoringRule};

use crate::error::Error;

/// An estimated probability of success, and the probability found later. The fields have names, because swapping the
/// two would reverse the sign of the bias.
///
/// ```compile_fail,E0308
/// # use censoring::{Probability, plug_in_bias};
/// let (estimates, truths) = ([Probability::HALF], [Probability::ONE]);
/// plug_in_bias(&estimates, &truths, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditedEstimate {
    /// The estimate.
    pub estimate: Probability,
    /// The audited probability; 0 or 1 for a known outcome.
    pub truth: Probability,
}

/// Returns the mean error of estimated success probabilities of similar runs, such as those of a task. Raghu et al.
/// (2026) call it r_t, the conditional-mean bias of a plug-in estimate.
///
/// ```text
/// mean of (estimate - truth)
/// ```
///
/// An exact score with estimated probabilities elicits `q_t + r_t` instead of q_t. It stays proper if
/// and only if r_t is 0 given the history at each step, so a mean over all runs is not enough: give
/// the runs of one group at a time (one step, one task, one bin of forecasts). A complete run is scored by its outcome,
/// so it enters with its outcome as its estimate; the bias is smaller if fewer runs are cut off.
///
/// Between -1 and 1; positive if estimates are too high. A weight of 2 counts as two equal rows, and a
/// weight of 0 has no effect. The result does not depend on the order of rows.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, remarks C.4 and C.5.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there is one weight per row; [`Error::ScoringRules`] without a row of positive
/// weight.
///
/// ```
/// use censoring::{AuditedEstimate, Error, Probability, plug_in_bias};
///
/// let estimate = Probability::new(0.75)?;
/// let truths = [Probability::ONE, Probability::ZERO, Probability::HALF];
/// let runs = truths.map(|truth| AuditedEstimate { estimate, truth });
/// assert_eq!(plug_in_bias(&runs, None)?, 0.25);
/// # Ok::<(), Error>(())
/// ```
pub fn plug_in_bias(runs: &[AuditedEstimate], weights: Option<&[Weight]>) -> Result<f64, Error> {
    let off = runs.iter().map(|run| run.estimate.get() - run.truth.get());
    Ok(ExactMean::of(off, weights)?)
}

/// Returns an upper bound on the regret at one step. The regret is the expected score that a forecast loses because it
/// is optimal for success probabilities with this bias instead of the true ones.
///
/// ```text
/// 2 B |r|,   B = the largest |S(p, 1) - S(p, 0)| over all p
/// ```
///
/// Multiplied by the weight of the step, it bounds the effect of the bias on a trajectory score; the
/// bounds of several steps add up. In the units of the rule. For a proper rule, S(p, 1) - S(p, 0)
/// does not decrease in p, so B is found at 0 and 1; for a rule that is not proper, the result is
/// meaningless.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, remark C.5.
///
/// # Errors
///
/// [`Error::Undetermined`] if B is infinite, as for the log score without a clip;
/// [`scoring_rules::Error::Setting`] unless the bias is from -1 to 1.
///
/// ```
/// use censoring::{Error, plug_in_regret_bound};
/// use trajectory_metrics::{BrierScore, LogScore};
///
/// assert_eq!(plug_in_regret_bound(&BrierScore, -0.125)?, 0.25);
/// let log = plug_in_regret_bound(&LogScore::exact(), 0.125);
/// assert!(matches!(log, Err(Error::Undetermined { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn plug_in_regret_bound<R: ScoringRule>(rule: &R, bias: f64) -> Result<f64, Error> {
    setting("bias", bias, (-1.0..=1.0).contains(&bias), "from -1 to 1")?;
    let contrast = |p| (rule.score(p, true) - rule.score(p, false)).abs();
    let ends = [contrast(Probability::ZERO), contrast(Probability::ONE)];
    if ends.into_iter().all(f64::is_finite) {
        Ok(2.0 * ends[0].max(ends[1]) * bias.abs())
    } else {
        Err(Error::Undetermined {
            problem: "the rule is unbounded, so the regret has no bound; use a bounded rule or clip it",
        })
    }
}
