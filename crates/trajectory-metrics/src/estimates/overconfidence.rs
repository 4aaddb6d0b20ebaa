use std::collections::BTreeSet;

use scoring_rules::{Interval, Level};

use crate::{
    error::Error,
    estimates::{ANY, SHARE, means::mean},
    figures::figure::Figure,
};

/// With fewer clusters with a success, or with a failure, a correlation is a poor estimate.
const LEAST_OF_OUTCOME: usize = 10;

/// Returns the mean confidence minus the success rate of the same runs. If all runs succeed, outcomes do not vary, and
/// the usual interval of a mean difference would be too narrow. The bounds are therefore computed from the interval
/// `[l, u]` of the success rate p, the interval of the mean confidence c, and the correlation r of the two over
/// clusters:
///
/// ```text
/// low  = c - p - sqrt((c - l_c)^2 - 2 r (c - l_c) (u_p - p) + (u_p - p)^2)
/// high = c - p + sqrt((u_c - c)^2 - 2 r (u_c - c) (p - l_p) + (p - l_p)^2)
/// ```
///
/// A positive correlation is used only if at least 10 clusters have an outcome above 0 and at least 10 have one below 1. With
/// fewer clusters it is a poor estimate, and is replaced by 0, which gives a wider interval.
///
/// Reference: Zou and Donner (2008), Construction of confidence limits about effect measures,
/// doi:10.1002/sim.3095.
///
/// # Errors
///
/// The errors of [`mean`] of values in [0, 1]; [`scoring_rules::Error::Length`] unless there is an outcome for each confidence.
///
/// ```
/// use trajectory_metrics::{Error, Level, estimates::overconfidence};
///
/// let tasks: Vec<usize> = (0..40).collect();
/// let outcomes: Vec<f64> = tasks.iter().map(|task| f64::from(task % 2 == 0)).collect();
/// let found = overconfidence(&[0.9; 40], &outcomes, &tasks, Level::new(0.95)?)?;
/// let ends = found.interval?;
/// assert!((found.value - 0.4).abs() < 1e-12 && ends.low() > 0.2 && ends.high() < 0.6);
/// # Ok::<(), Error>(())
/// ```
pub fn overconfidence<G: Ord>(
    confidence: &[f64],
    outcomes: &[f64],
    clusters: &[G],
    level: Level,
) -> Result<Figure, Error> {
    crate::checks::same_length("outcomes", confidence.len(), outcomes.len())?;
    let apart: Vec<f64> =
        confidence.iter().zip(outcomes).map(|(stated, outcome)| stated - outcome).collect();
    let of = |values: &[f64], range| mean(values, None, clusters, range, level);
    // Confidence varies little where outcomes are rare, and its interval is based on its variance.
    let [stated, rate, found] = [of(confidence, ANY)?, of(outcomes, SHARE)?, of(&apart, ANY)?];
    let [both, of_stated, of_rate] =
        [found, stated, rate].map(|it| it.standard_error.unwrap_or(0.0));
    let product = 2.0 * of_stated * of_rate;
    let shared = of_stated.powi(2) + of_rate.powi(2) - both.powi(2);
    let with = |is: fn(&f64) -> bool| {
        let rows = clusters.iter().zip(outcomes).filter(|(_, outcome)| is(outcome));
        rows.map(|(cluster, _)| cluster).collect::<BTreeSet<&G>>().len()
    };
    let rarer = with(|outcome| *outcome > 0.0).min(with(|outcome| *outcome < 1.0));
    let most = if rarer >= LEAST_OF_OUTCOME { 1.0 } else { 0.0 };
    let r = if product > 0.0 { (shared / product).clamp(-1.0, most) } else { 0.0 };
    // Rounding can make the result negative for equal distances.
    let away = |a: f64, b: f64| (a * a - 2.0 * r * a * b + b * b).max(0.0).sqrt();
    // A confidence that does not vary is known.
    let [low, high] = match stated.interval {
        Ok(it) if of_stated > 0.0 => [stated.value - it.low(), it.high() - stated.value],
        _ => [0.0; 2],
    };
    let interval = rate.interval.map(|it| {
        let (value, rate) = (found.value, rate.value);
        Interval::between(value - away(low, it.high() - rate), value + away(high, rate - it.low()))
    });
    Ok(Figure { interval, ..found })
}
