use scoring_rules::{CompensatedSum, Interval, Level, Weight};

use crate::{
    checks::least, checks::same_length, error::Error, metrics::one_resource::OneResource,
    replay::sample::Sample,
};

/// Returns the two factors with the smallest mean interval loss on these samples. The lower bound of a sample's
/// interval is the first factor times the reference amount of the sample, and the upper bound is the second factor
/// times this amount.
///
/// For a reference m of each sample, the interval is `[a m, b m]`, and the result is `[a, b]`. Among the
/// references are
///
/// - 1 for every sample: the best constant interval, which uses no information about the run;
/// - [`Sample::linear_reference`], which knows the number of turns T;
/// - [`Sample::mean_cost_reference`], which knows T and the mean cost of all turns of the run.
///
/// The factors are chosen and scored on the same samples, so no estimator could know them. Like the two methods, they
/// are a reference for comparisons. [`Sample::with_estimate`] makes the samples of their intervals.
///
/// Counts feasible samples with a reference above 0, and ignores all others. The result is exact: the
/// interval loss at a coverage c is a sum of pinball losses at the levels `(1 - c) / 2` and
/// `(1 + c) / 2`, so that a and b are quantiles of `R / m` at these levels, with weights
/// proportional to m. Where a range of values is equally good, the smallest is taken. Takes one sort.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there is one weight per sample; [`Error::Unlike`] for samples of several
/// resources; [`Error::Prefix`] if a ratio overflows; [`scoring_rules::Error::Undefined`] if no sample counts.
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Level, Rollouts, Sample, best_interval, estimator_from_fn,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for costs in [[10.0, 20.0, 30.0], [30.0, 30.0, 30.0], [10.0, 10.0, 40.0]] {
///     rollouts.push(&costs, true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut silent = estimator_from_fn(|_| Ok(Estimate::NoAnswer));
/// let samples = rollouts.score(tokens, &mut silent)?;
///
/// // Amounts of 30, 30, 40, 50, 50 and 60 remained.
/// let coverage = Level::new(0.6)?;
/// let constant = best_interval(&samples, coverage, None, |_| Some(1.0))?;
/// assert_eq!((constant.low(), constant.high()), (30.0, 50.0));
///
/// let mean_cost = |sample: &Sample| Some(sample.mean_cost_reference());
/// let informed = best_interval(&samples, coverage, None, mean_cost)?;
/// assert_eq!((informed.low(), informed.high()), (1.0, 1.25));
/// // The first run spends 20 per turn: of [40, 50], 50 remained.
/// let unit = samples[0].mean_cost_reference();
/// let estimate = Estimate::interval(informed.low() * unit, informed.high() * unit)?;
/// assert!(samples[0].with_estimate(estimate)?.is_hit());
/// # Ok::<(), Error>(())
/// ```
///
/// References: Gneiting, Raftery (2007), Strictly proper scoring rules, prediction, and estimation,
/// doi:10.1198/016214506000001437, section 6.2; Koenker, Bassett (1978), Regression quantiles,
/// doi:10.2307/1913643.
pub fn best_interval(
    samples: &[Sample],
    coverage: Level,
    weights: Option<&[Weight]>,
    reference: impl Fn(&Sample) -> Option<f64>,
) -> Result<Interval, Error> {
    same_length("weights", samples.len(), weights.map_or(samples.len(), <[Weight]>::len))?;
    let (mut resource, mut ratios) = (OneResource::default(), Vec::new());
    for (at, sample) in samples.iter().enumerate() {
        resource.update(sample)?;
        let weight = weights.and_then(|all| all.get(at)).copied().unwrap_or(Weight::ONE);
        let Some(unit) = reference(sample).filter(|unit| *unit > 0.0) else { continue };
        if sample.is_feasible() && weight != Weight::ZERO {
            let ratio = sample.remaining() / unit;
            sample.check_size(&[ratio, unit], weight)?;
            ratios.push((ratio, unit * weight.get()));
        }
    }
    // Equal ratios are sorted by weight, so that the sums do not depend on the order of samples.
    ratios.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tail = (1.0 - coverage.get()) / 2.0;
    let ends = quantile(&ratios, tail).zip(quantile(&ratios, 1.0 - tail));
    let Some((low, high)) = ends else {
        let reason = "no feasible sample has a reference above 0";
        return Err(scoring_rules::checks::undefined("the best interval", reason).into());
    };
    Ok(Interval::new(low, high)?)
}

/// Returns the smallest value at which the sum of weights up to it reaches the share p of all weights. `None` without a
/// value.
fn quantile(values: &[(f64, f64)], p: f64) -> Option<f64> {
    let mut all = CompensatedSum::default();
    values.iter().for_each(|&(_, weight)| all.add(weight));
    let least = least(p, all.value());
    let mut sum = CompensatedSum::default();
    let reached = values.iter().find(|&&(_, weight)| {
        sum.add(weight);
        sum.value() >= least
    });
    reached.or(values.last()).map(|&(value, _)| value)
}
