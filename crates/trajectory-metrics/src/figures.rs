pub(crate) mod figure;
pub(crate) mod metric;

pub use figure::Figure;
pub use metric::{Better, Measure, Metric, Undefined};
