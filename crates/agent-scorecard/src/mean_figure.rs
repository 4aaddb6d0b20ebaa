//! The mean of a metric over rows, with an interval that resamples rows.

use scoring_rules::Weight;
use trajectory_metrics::{
    Bootstrap, Error, ExactMean, Figure, Level, Metric, NoInterval, Seed, Undefined,
};

/// How an interval of 95 % is made. With 0 resamples, figures have no interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resamples {
    pub resamples: usize,
    pub seed: u64,
}

/// The mean of a metric over the rows that define it, each with the weight that it has. `what` names a row.
/// Rows of one cluster are resampled together; without clusters each row is one.
pub(crate) fn mean_figure<E>(
    metric: &Metric<E>,
    rows: &[&E],
    weight: Option<fn(&E) -> f64>,
    cluster: Option<fn(&E) -> usize>,
    what: &str,
    how: Resamples,
) -> Result<Figure, Undefined> {
    let (mut values, mut weights, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    let mut clusters = Vec::new();
    for row in rows {
        match metric.value(row) {
            Ok(value) => {
                clusters.push(cluster.map_or(values.len(), |cluster| cluster(row)));
                values.push(value);
                weights.push(weight.map_or(1.0, |weight| weight(row)));
            }
            Err(reason) if reasons.contains(&reason.to_string()) => {}
            Err(reason) => reasons.push(reason.to_string()),
        }
    }
    match values.as_slice() {
        [] if rows.is_empty() => Err(Undefined::new(format!("there is no {what}"))),
        [] => Err(Undefined::new(format!("in every {what} {}", reasons.join(" or ")))),
        values => {
            let weights = weight.is_some().then_some(weights.as_slice());
            let figure = resampled(values, weights, &clusters, metric.is_share(), how);
            figure.map_err(|error| Undefined::new(error.to_string()))
        }
    }
}

fn resampled(
    values: &[f64],
    weights: Option<&[f64]>,
    clusters: &[usize],
    is_share: bool,
    Resamples { resamples, seed }: Resamples,
) -> Result<Figure, Error> {
    let weights = weights.map(Weight::from_slice).transpose()?;
    let level = Level::new(0.95)?;
    let mut distinct = clusters.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if resamples == 0 || distinct.len() == 1 {
        let mut mean = ExactMean::default();
        for (at, &value) in values.iter().enumerate() {
            mean.update_weighted(value, weights.map_or(Weight::ONE, |weights| weights[at]))?;
        }
        let figure = Figure::from(mean.finish()?);
        if resamples == 0 {
            return Ok(figure);
        }
        return Ok(Figure { interval: Err(NoInterval::too_few(1, level)), ..figure });
    }
    let is_independent = distinct.len() == values.len();
    let bootstrap = match is_independent {
        true => Bootstrap::rows(values.len(), Seed::new(seed))?,
        false => Bootstrap::clusters(clusters, Seed::new(seed))?,
    };
    let replicates = bootstrap.mean(values, weights, resamples)?;
    let is_share = is_share && is_independent;
    let replicates = if is_share { replicates.of_independent_outcomes() } else { replicates };
    Ok(replicates.figure(level))
}
