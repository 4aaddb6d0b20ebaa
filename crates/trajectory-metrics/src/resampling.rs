//! Standard errors, confidence intervals and tests for rows that may come in clusters.

pub(crate) mod arm;
pub(crate) mod bca;
pub(crate) mod bootstrap;
pub(crate) mod bootstrap_mean;
pub(crate) mod boschloo;
pub(crate) mod cluster_error;
pub(crate) mod clustered_rows;
pub(crate) mod draws;
pub(crate) mod false_discovery;
pub(crate) mod jackknife;
pub(crate) mod replicates;
pub(crate) mod sign_flip;

pub use arm::Arm;
pub use bootstrap::Bootstrap;
pub use boschloo::boschloo_test;
pub use cluster_error::ClusterEstimate;
pub use false_discovery::benjamini_hochberg;
pub use replicates::Replicates;
pub use sign_flip::SignFlipTest;
