//! The mean of a metric over rows.

use scoring_rules::Weight;
use trajectory_metrics::{Error, Figure, Level, Metric, Undefined, estimates};

use crate::{metrics::known, traces::figures::LEVEL};

/// Returns the mean of a metric over the rows that define it, each with the weight that it has. `what` names a row. Rows of
/// one cluster depend on each other; without clusters each row is one. The interval is of 95 %.
pub(crate) fn mean_figure<E>(
    metric: &Metric<E>,
    rows: &[&E],
    weight: Option<fn(&E) -> f64>,
    cluster: Option<fn(&E) -> usize>,
    what: &str,
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
            let weights = known(weights.map(Weight::from_slice).transpose().map_err(Error::from))?;
            let level = known(Level::new(LEVEL).map_err(Error::from))?;
            known(estimates::mean(values, weights, &clusters, metric.measure.range, level))
        }
    }
}
