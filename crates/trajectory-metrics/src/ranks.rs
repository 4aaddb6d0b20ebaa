//! Measures of how well a scalar confidence ranks successes above failures.

pub(crate) mod areas;
pub(crate) mod auroc_difference;
pub(crate) mod bootstrap_auroc;
pub(crate) mod curves;
pub(crate) mod delong;
pub(crate) mod drawn_ranks;
pub(crate) mod positive_class;
pub(crate) mod ranking;
pub(crate) mod selective_risk;
