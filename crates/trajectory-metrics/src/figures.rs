mod cluster_figure;
pub(crate) mod clustered;
pub(crate) mod figure;
pub(crate) mod metric;

pub use clustered::{Clustered, Intervals};
pub use figure::Figure;
pub use metric::{Better, Measure, Metric, Undefined};
