//! How well a scalar confidence ranks successes above failures.

pub(crate) mod areas;
pub(crate) mod auroc_difference;
pub(crate) mod bootstrap_auroc;
pub(crate) mod curves;
pub(crate) mod delong;
pub(crate) mod positive_class;
pub(crate) mod ranking;
pub(crate) mod selective_risk;

pub use areas::{auroc, average_precision};
pub use curves::{
    PrecisionRecallPoint, RiskCoveragePoint, RocPoint, precision_recall_curve, risk_coverage_curve,
    roc_curve,
};
pub use positive_class::PositiveClass;
pub use ranking::Ranking;
pub use selective_risk::{augrc, aurc, excess_aurc};
