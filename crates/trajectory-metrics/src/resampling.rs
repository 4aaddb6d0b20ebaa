//! Standard errors, confidence intervals and tests for rows that may come in clusters.

pub(crate) mod arm;
pub(crate) mod bootstrap;
pub(crate) mod bootstrap_mean;
pub(crate) mod boschloo;
pub(crate) mod cluster_estimate;
pub(crate) mod cluster_sums;
pub(crate) mod clustered_rows;
pub(crate) mod draws;
pub(crate) mod false_discovery;
pub(crate) mod replicate_loop;
pub(crate) mod replicates;
pub(crate) mod sign_flip;
