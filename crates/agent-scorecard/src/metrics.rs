//! Tables of metrics, and means of measures.

use scoring_rules::Level;
use trajectory_metrics::{Error, Figure, Measure, Undefined, estimates};

/// Metrics of one type, a row each: key, label, which values are better, the ends of the values if they have any, what
/// the metric is, its value, and further properties such as the name of a bar.
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

/// One measure, as a row of [`metrics`] without a value.
macro_rules! measure {
    ($key:expr, $label:expr, $better:ident, $(in [$($end:expr),+],)? $help:expr) => {
        trajectory_metrics::Measure::new($key, $label, trajectory_metrics::Better::$better, $help)
            $(.within($($end),+))?
    };
}

pub(crate) use {measure, metrics};

/// Returns the mean of values of this measure, whose range decides how its interval is made.
pub(crate) fn mean<G: Ord>(
    measure: &Measure,
    values: &[f64],
    clusters: &[G],
    level: Level,
) -> Result<Figure, Undefined> {
    known(estimates::mean(values, None, clusters, measure.range, level))
}

/// Returns a figure, or why there is none.
pub(crate) fn known<T>(found: Result<T, Error>) -> Result<T, Undefined> {
    found.map_err(|error| match error {
        Error::ScoringRules(scoring_rules::Error::Empty) => Undefined::new("no run has a value"),
        error => Undefined::new(error.to_string()),
    })
}
