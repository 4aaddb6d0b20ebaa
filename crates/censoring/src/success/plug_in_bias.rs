use scoring_rules::{ExactMean, Weight};
use trajectory_metrics::{Probability, ScoringRule};

use crate::{checks::same_length, error::Error};

/// The mean error of estimated probabilities of success among similar runs: the conditional-mean bias
/// r_t of a plug-in estimate.
///
/// ```text
/// mean of (estimate - truth)
/// ```
///
/// An exact score with estimated probabilities elicits `q_t + r_t` instead of q_t. It stays proper if
/// and only if r_t is 0 given the history at each step, so a mean over all runs is not enough: give
/// the runs of one group at a time (one step, one task, one bin of forecasts). `truths` are audited
/// probabilities, or 0 and 1 for known outcomes. A complete run is scored by its outcome, so it
/// enters with its outcome as its estimate; the bias is smaller if fewer runs are cut off.
///
/// Between -1 and 1; positive if estimates are too high. A weight of 2 counts as two equal rows, and a
/// weight of 0 has no effect. The result does not depend on the order of rows.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, remarks C.4 and C.5.
///
/// # Errors
///
/// [`Error::Length`] unless there is one entry per row in each argument; [`Error::ScoringRules`]
/// without a row of positive weight.
///
/// ```
/// use censoring::{Error, Probability, plug_in_bias};
///
/// let estimates = Probability::from_slice(&[0.75, 0.75, 0.75])?;
/// let outcomes = [Probability::ONE, Probability::ZERO, Probability::HALF];
/// assert_eq!(plug_in_bias(estimates, &outcomes, None)?, 0.25);
/// # Ok::<(), Error>(())
/// ```
pub fn plug_in_bias(
    estimates: &[Probability],
    truths: &[Probability],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("truths", estimates.len(), truths.len())?;
    if let Some(weights) = weights {
        same_length("weights", estimates.len(), weights.len())?;
    }
    let mut mean = ExactMean::default();
    for (row, (estimate, truth)) in estimates.iter().zip(truths).enumerate() {
        let off = estimate.get() - truth.get();
        mean.update_weighted(off, weights.map_or(Weight::ONE, |weights| weights[row]))?;
    }
    Ok(mean.finish()?)
}

/// An upper bound on how much a bias of estimated probabilities of success can change the loss of a
/// forecast relative to the truth, at one step.
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
/// [`Error::UnboundedRule`] if B is infinite, as for the log score without a clip;
/// [`Error::Setting`] unless the bias is from -1 to 1.
///
/// ```
/// use censoring::{Error, plug_in_regret_bound};
/// use trajectory_metrics::{BrierScore, LogScore};
///
/// assert_eq!(plug_in_regret_bound(&BrierScore, -0.125)?, 0.25);
/// let log = plug_in_regret_bound(&LogScore::exact(), 0.125);
/// assert_eq!(log, Err(Error::UnboundedRule));
/// # Ok::<(), Error>(())
/// ```
pub fn plug_in_regret_bound<R: ScoringRule>(rule: &R, bias: f64) -> Result<f64, Error> {
    if !(-1.0..=1.0).contains(&bias) {
        return Err(Error::Setting { name: "bias", value: bias, range: "from -1 to 1" });
    }
    let contrast = |p| (rule.score(p, true) - rule.score(p, false)).abs();
    let ends = [contrast(Probability::ZERO), contrast(Probability::ONE)];
    if ends.into_iter().all(f64::is_finite) {
        Ok(2.0 * ends[0].max(ends[1]) * bias.abs())
    } else {
        Err(Error::UnboundedRule)
    }
}

#[cfg(test)]
mod tests {
    use trajectory_metrics::{BetaScore, LogScore};

    use super::*;
    use crate::from_fn;

    #[test]
    fn only_a_log_score_that_is_clipped_has_a_bound() {
        let log = LogScore::exact();
        assert_eq!(plug_in_regret_bound(&log, 0.0), Err(Error::UnboundedRule));
        let floor = -(1e-6_f64.ln());
        let bound = plug_in_regret_bound(&LogScore::clipped(1e-6).unwrap(), 0.5).unwrap();
        assert!((bound - floor).abs() < 1e-5, "{bound}");
        // B(3, 4) for a certainty that failed, B(2, 5) for one that came true.
        let beta = BetaScore::new(2.0, 4.0).unwrap();
        let bound = plug_in_regret_bound(&beta, 0.5).unwrap();
        assert!((bound - 1.0 / 30.0).abs() < 1e-15, "{bound}");
    }

    #[test]
    fn a_constant_on_top_of_a_rule_leaves_the_bound() {
        let brier = from_fn(|p: Probability, y: bool| 2.0 - (p.get() - f64::from(y)).powi(2));
        assert_eq!(plug_in_regret_bound(&brier, 0.25), Ok(0.5));
    }

    #[test]
    fn a_bias_outside_its_range_and_another_length_are_refused() {
        for bias in [1.5, -1.5, f64::NAN] {
            let error = plug_in_regret_bound(&LogScore::exact(), bias).unwrap_err();
            assert!(error.to_string().starts_with("bias is"), "{error}");
        }
        let one = [Probability::ONE];
        let length = |what, found| Err(Error::Length { what, expected: 1, found });
        assert_eq!(plug_in_bias(&one, &[], None), length("truths", 0));
        assert_eq!(plug_in_bias(&one, &one, Some(&[Weight::ONE; 2])), length("weights", 2));
        let empty = Err(scoring_rules::Error::Empty.into());
        assert_eq!(plug_in_bias(&one, &one, Some(&[Weight::ZERO])), empty);
    }
}
