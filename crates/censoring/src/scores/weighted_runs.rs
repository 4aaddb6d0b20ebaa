use scoring_rules::{ExactMean, Weight, checks::same_length};

use crate::{checks::no_score, error::Error, stops::stopped::Stopped};

/// Calls `take` with the position, the run and the weight of each run of positive weight. An error
/// names its run.
pub(crate) fn for_each_run<'a>(
    runs: &[Stopped<'a>],
    weights: Option<&[Weight]>,
    mut take: impl FnMut(usize, &Stopped<'a>, Weight) -> Result<(), Error>,
) -> Result<(), Error> {
    same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
    for (position, run) in runs.iter().enumerate() {
        let weight = weights.map_or(Weight::ONE, |weights| weights[position]);
        if weight > Weight::ZERO {
            take(position, run, weight).map_err(|error| match error {
                named @ Error::ScoringRules(scoring_rules::Error::Entry { .. }) => named,
                error => Error::of_run(position, error),
            })?;
        }
    }
    Ok(())
}

/// Returns the mean of a score over the runs of positive weight.
pub(crate) fn mean_of_runs<'a>(
    runs: &[Stopped<'a>],
    weights: Option<&[Weight]>,
    mut score: impl FnMut(usize, &Stopped<'a>) -> Result<f64, Error>,
) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    for_each_run(runs, weights, |i, run, weight| {
        let value = score(i, run)?;
        // Minus infinity is a valid score.
        if value.is_nan() || value == f64::INFINITY {
            return Err(no_score(i, value));
        }
        Ok(mean.update_weighted(value, weight)?)
    })?;
    Ok(mean.finish()?)
}
