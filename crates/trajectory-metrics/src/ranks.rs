//! How well a scalar confidence ranks runs.

pub(crate) mod auroc_difference;
pub(crate) mod bootstrap_auroc;
pub(crate) mod curves;
pub(crate) mod delong;
pub(crate) mod positive_class;
pub(crate) mod ranking;
pub(crate) mod resample;
pub(crate) mod selective;

pub use auroc_difference::auroc_difference;
pub use curves::{
    PrecisionRecallPoint, RiskCoveragePoint, RocPoint, precision_recall_curve, risk_coverage_curve,
    roc_curve,
};
pub use delong::{AurocDifference, AurocEstimate, delong, delong_test};
pub use positive_class::PositiveClass;
pub use ranking::{aurc, auroc, average_precision};
pub use resample::Ranking;
pub use selective::{augrc, excess_aurc};
