pub(crate) mod clustered;
pub(crate) mod figure;
pub(crate) mod metric;
