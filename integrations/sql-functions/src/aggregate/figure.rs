use arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use scoring_rules::{Error, Level};
use trajectory_metrics::Figure;

use crate::aggregate::record::{record, record_type};

/// The coverage of intervals.
pub(crate) fn level() -> std::result::Result<Level, Error> {
    Level::new(0.95)
}

/// The parts of a figure, the first of which is its value.
fn parts(value: &'static str) -> [(&'static str, DataType); 6] {
    [
        (value, DataType::Float64),
        ("standard_error", DataType::Float64),
        ("low", DataType::Float64),
        ("high", DataType::Float64),
        ("clusters", DataType::Int64),
        ("no_interval", DataType::Utf8),
    ]
}

/// The type of [`figure_record`].
pub(crate) fn figure_type(value: &'static str) -> DataType {
    record_type(&parts(value))
}

/// A figure with its interval, or with the reason why it has none.
pub(crate) fn figure_record(
    value: &'static str,
    figure: &Figure,
    clusters: usize,
) -> Result<ScalarValue> {
    let ends = figure.interval.as_ref().ok();
    let values = vec![
        ScalarValue::from(figure.value),
        ScalarValue::from(figure.standard_error),
        ScalarValue::from(ends.map(|ends| ends.low())),
        ScalarValue::from(ends.map(|ends| ends.high())),
        ScalarValue::from(clusters as i64),
        ScalarValue::Utf8(figure.interval.as_ref().err().map(ToString::to_string)),
    ];
    record(&parts(value), values)
}
