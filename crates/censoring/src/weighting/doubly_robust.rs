use scoring_rules::ExactSum;

use crate::{
    checks::can_be_averaged,
    error::Error,
    weighting::{ipcw::inverse, kaplan_meier::KaplanMeier, stop_times::StopTimes},
};

/// Returns the mean complete score of all runs, estimated with a model of being cut off and a model of the score. One of
/// these models may be wrong (augmented inverse-probability weighting).
///
/// - `scores`: the score of each complete run, and `None` for each cut-off run.
/// - `survival(run)`: the curve G of the run at a position, the probability of not being cut off: the
///   same for all runs, one per kind of task, or one per run ([`KaplanMeier::from_hazards`]).
/// - `prediction(run, t)`: the expected complete score m of that run, given the run up to t and no outcome by then. With a
///   probability of success q at t it is `q * score if successful + (1 - q) * score if not`, in expectation over the later
///   steps. It is called at times of G before the stop of the run, and at the stop of a cut-off run. This prediction must
///   not depend on anything after t, so its model should be fitted on other runs.
///
/// Each run contributes
///
/// ```text
/// A / G(Z-) - sum over times t < Z of G of m(t) (1 / G(t) - 1 / G(t-))
/// A = S  for a complete run,  m(Z)  for one cut off at Z
/// ```
///
/// Why it works. Write `dM(t) = [cut off at t] - h(t) [could have been cut off at t]` with the
/// hazard `h(t) = 1 - G(t) / G(t-)`. Because `1 / G(t) - 1 / G(t-) = h(t) / G(t)`, the contribution
/// is `[complete] S / G(Z-) + sum of m(t) dM(t) / G(t)`; with `m = S = 1` that is 1 for every run.
/// It therefore differs from S by
///
/// ```text
/// sum over t of (m(t) - S) dM(t) / G(t)
/// ```
///
/// Suppose that being cut off depends only on the run so far. Each term then has expectation 0 if G is
/// correct, because dM(t) has expectation 0 for any score; and also if m is correct, because
/// `m(t) - S` has expectation 0 whether or not the run is cut off at t.
///
/// If G decreases to 0, as under a common budget, runs cut off there count with their m, and m must be correct for them. The
/// estimate is in the units of the scores and may leave their range in small samples. It has the same bits in any order of
/// the runs; weights come from [`StopTimes`]. No prediction is computed at times at which no run can be cut off, or for runs
/// of weight 0.
///
/// Cost: O(n k) for n runs and k times of G.
///
/// Reference: Robins and Rotnitzky (1992), Recovery of information and adjustment for dependent
/// censoring using surrogate markers; Tsiatis (2006), Semiparametric theory and missing data,
/// chapters 9 and 10, doi:10.1007/0-387-37345-4.
///
/// # Errors
///
/// The first error of `prediction`; [`Error::ZeroSurvival`] with the first run whose G(Z-) is below 1e-100; [`Error::Prediction`] with
/// the first prediction that is not from -1e100 to 1e100;
/// [`Error::MissingScore`], [`Error::CensoredWithScore`] or [`scoring_rules::Error::Entry`] with the first run
/// whose score is missing or invalid; [`scoring_rules::Error::Length`] unless there is one entry per run.
///
/// ```
/// use censoring::{Error, KaplanMeier, RunEnd, StopTimes, doubly_robust_mean_score};
///
/// let ends = [RunEnd::Outcome, RunEnd::CutOff, RunEnd::Outcome];
/// let stops = StopTimes::new(&[1.0, 2.0, 3.0], ends, None)?;
/// let g = KaplanMeier::censoring_curve(&stops);
/// let scores = [Some(-0.1), None, Some(-0.2)];
/// // Predictions of each run after each of its steps.
/// let predicted = [vec![-0.2], vec![-0.2, -0.5], vec![-0.2, -0.4, -0.3]];
/// let m = |run: usize, t: f64| Ok::<_, Error>(predicted[run][t as usize - 1]);
///
/// // G falls to 1/2 at time 2, so the second run counts as predicted and the third as 2 * its
/// // score - 1 * its prediction at 2.
/// let mean = doubly_robust_mean_score(&scores, &stops, |_| &g, m)?;
/// assert!((mean - (-0.1 - 0.5 + (2.0 * -0.2 - -0.4)) / 3.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn doubly_robust_mean_score<'g, E: From<Error>>(
    scores: &[Option<f64>],
    stops: &StopTimes,
    survival: impl Fn(usize) -> &'g KaplanMeier,
    prediction: impl Fn(usize, f64) -> Result<f64, E>,
) -> Result<f64, E> {
    stops.check_scores(scores)?;
    let predict = |run, time| {
        let value = prediction(run, time)?;
        if can_be_averaged(value) {
            Ok(value)
        } else {
            Err(E::from(Error::Prediction { run, time, value }))
        }
    };
    let mut sum = ExactSum::default();
    for stop in stops.iter() {
        let g = survival(stop.run);
        inverse(g.before(stop.time), stop.run, stop.time)?;
        let at_stop = match scores[stop.run] {
            Some(score) => score,
            None => predict(stop.run, stop.time)?,
        };
        // A + sum of (A - m(t)) (1 / G(t) - 1 / G(t-)) is equal without rounding: the part that m
        // predicts cancels before it is multiplied by a large factor.
        let mut contribution = at_stop;
        let mut before = 1.0;
        for (&time, &survival) in g.times().iter().zip(g.survival()) {
            if time >= stop.time {
                break;
            }
            // G does not increase, so it is at least its value at the stop, which is positive.
            let after = survival.recip();
            // At times at which no run can be cut off, no prediction is needed.
            if after > before {
                contribution += (at_stop - predict(stop.run, time)?) * (after - before);
            }
            before = after;
        }
        sum.add_product(stop.weight, contribution);
    }
    Ok(sum.value() / stops.total())
}
