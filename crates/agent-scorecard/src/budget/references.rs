use budget_estimation::{Error, Estimate, Level, Metrics, Sample, Weight, best_interval};

/// Returns the losses of three references: the best constant interval, and the best intervals that follow a linear
/// extrapolation that knows either the number of turns, or also the run's mean cost.
pub(super) fn reference_losses(
    samples: &[Sample],
    coverage: Level,
) -> Result<[Option<f64>; 3], Error> {
    Ok([
        reference_loss(samples, coverage, |_| Some(1.0))?,
        reference_loss(samples, coverage, Sample::linear_reference)?,
        reference_loss(samples, coverage, |sample| Some(sample.mean_cost_reference()))?,
    ])
}

/// Returns the mean interval loss of the best intervals that follow a reference; `None` without a feasible prefix.
fn reference_loss(
    samples: &[Sample],
    coverage: Level,
    reference: impl Fn(&Sample) -> Option<f64>,
) -> Result<Option<f64>, Error> {
    let best = match best_interval(samples, coverage, None, &reference) {
        Ok(best) => best,
        Err(Error::ScoringRules(scoring_rules::Error::Undefined { .. })) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut metrics = Metrics::default().with_coverage(coverage);
    for sample in samples {
        let unit = reference(sample).unwrap_or(0.0);
        let estimate = Estimate::interval(best.low() * unit, best.high() * unit)?;
        metrics.update(&sample.with_estimate(estimate)?, Weight::ONE)?;
    }
    Ok(metrics.finish()?.intervals.and_then(|intervals| intervals.interval_loss))
}
