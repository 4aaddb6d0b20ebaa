//! Tables of metrics, and means of measures.

use scoring_rules::{Level, Weight};
use trajectory_metrics::{Error, Figure, Measure, Metric, Undefined, estimates};

use crate::options::LEVEL;

/// Creates an array of metrics of one type. Each row has the key, the label, the better direction, the bounds of the
/// values if there are any, the description, the value, and further properties such as the name of a bar.
macro_rules! metrics {
    ($evaluated:ty; $($key:expr, $label:expr, $better:expr, $(in [$($end:expr),+],)? $help:expr, $value:expr
        $(, .$property:ident($($argument:expr),*))*;)+) => {{
        #[allow(unused_imports)]
        use trajectory_metrics::Better::{Higher, Lower, Neither};
        [$({
            let value: fn(&$evaluated) -> Result<f64, trajectory_metrics::Undefined> = $value;
            trajectory_metrics::Metric::new($key, $label, $better, $help, value)
                $(.within($($end),+))? $(.$property($($argument),*))*
        }),+]
    }};
}

/// Creates one measure from a row of [`metrics`] without a value.
macro_rules! measure {
    ($key:expr, $label:expr, $better:ident, $(in [$($end:expr),+],)? $help:expr) => {
        trajectory_metrics::Measure::new($key, $label, trajectory_metrics::Better::$better, $help)
            $(.within($($end),+))?
    };
}

pub(crate) use {measure, metrics};

/// Returns the metric with this key, looked up by the compiler: a key that no metric has does not compile.
#[expect(clippy::panic, reason = "in a constant")]
pub(crate) const fn metric<'a, E>(mut rest: &'a [Metric<E>], key: &str) -> &'a Metric<E> {
    while let [metric, others @ ..] = rest {
        if is_same(metric.measure.key.as_bytes(), key.as_bytes()) {
            return metric;
        }
        rest = others;
    }
    panic!("no metric has this key");
}

/// Returns the measure with this key as [`metric`] does.
#[expect(clippy::panic, reason = "in a constant")]
pub(crate) const fn named(mut rest: &[Measure], key: &str) -> Measure {
    while let [measure, others @ ..] = rest {
        if is_same(measure.key.as_bytes(), key.as_bytes()) {
            return *measure;
        }
        rest = others;
    }
    panic!("no measure has this key");
}

const fn is_same(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([first, rest @ ..], [other, others @ ..]) = (a, b) {
        if *first != *other {
            return false;
        }
        (a, b) = (rest, others);
    }
    a.is_empty() && b.is_empty()
}

/// Returns the mean of values of this measure. The range of the measure determines the kind of interval.
pub(crate) fn mean<G: Ord>(
    measure: &Measure,
    values: &[f64],
    clusters: &[G],
    level: Level,
) -> Result<Figure, Undefined> {
    known(estimates::mean(values, None, clusters, measure.range, level))
}

/// Returns a figure, or the reason why it is undefined.
pub(crate) fn known<T>(found: Result<T, Error>) -> Result<T, Undefined> {
    found.map_err(|error| match error {
        Error::ScoringRules(scoring_rules::Error::Empty) => Undefined::new("no run has a value"),
        error => Undefined::new(error.to_string()),
    })
}

/// Returns the weighted mean of a metric over the rows for which it is defined, with a 95 % interval. `what` names a
/// row. Rows of one cluster are not independent; without clusters, all rows are independent.
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
            let range = metric.measure.range;
            known(estimates::mean(values, weights, &clusters, range, LEVEL))
        }
    }
}
