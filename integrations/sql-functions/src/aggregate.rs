//! Functions of many rows.

use std::sync::Arc;

use datafusion_expr::AggregateUDF;

pub(crate) mod auroc_interval;
pub(crate) mod binned_state;
pub(crate) mod budget_metrics;
pub(crate) mod calibration_error;
pub(crate) mod cluster_mean;
pub(crate) mod exact_mean;
pub(crate) mod exact_sum;
pub(crate) mod figure;
pub(crate) mod function;
pub(crate) mod group_state;
pub(crate) mod groups;
pub(crate) mod pass_hat_k;
pub(crate) mod ranked_state;
pub(crate) mod ranks;
pub(crate) mod record;
pub(crate) mod reliability;
pub(crate) mod sliding;
pub(crate) mod stored_state;
pub(crate) mod whole;

use function::Aggregate;
use ranks::{Aurc, Auroc, AveragePrecision, Ranked};

/// The functions of many rows.
#[must_use]
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    vec![
        Aggregate::<Ranked<Aurc>>::udaf(),
        Aggregate::<Ranked<Auroc>>::udaf(),
        Aggregate::<Ranked<AveragePrecision>>::udaf(),
        Aggregate::<auroc_interval::AurocIntervalOfRows>::udaf(),
        Aggregate::<budget_metrics::BudgetMetricsOfRows>::udaf(),
        Aggregate::<calibration_error::CalibrationErrorOfRows>::udaf(),
        Aggregate::<cluster_mean::ClusterMeanOfRows>::udaf(),
        Aggregate::<exact_mean::ExactMeanOfRows>::udaf(),
        Aggregate::<exact_sum::ExactSumOfRows>::udaf(),
        Aggregate::<pass_hat_k::PassHatKOfRows<false>>::udaf(),
        Aggregate::<pass_hat_k::PassHatKOfRows<true>>::udaf(),
        Aggregate::<reliability::ReliabilityOfRows>::udaf(),
    ]
}
