#![doc = include_str!("../README.md")]

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::{AggregateUDF, ScalarUDF, registry::FunctionRegistry};

mod aggregate;
mod columns;
mod scalar;
mod specification;

use aggregate::{
    function::Aggregate,
    ranks::{Aurc, Auroc, AveragePrecision, Ranked},
};
use scalar::function::Scalar;

/// Registers all functions, for example in a `SessionContext`.
///
/// On a cluster every process must do this: the client, the scheduler and the workers.
///
/// # Errors
///
/// The error of a registry that does not accept functions.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in aggregate_functions() {
        registry.register_udaf(function)?;
    }
    Ok(())
}

/// The functions of one row, each with its `try_` form, which gives NULL for a row that the function refuses.
#[must_use]
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    [
        Scalar::<scalar::beta_score::BetaScoreOfRow>::udfs("try_beta_score"),
        Scalar::<scalar::brier_score::BrierScoreOfRow>::udfs("try_brier_score"),
        Scalar::<scalar::censored_tps::CensoredTpsOfRow>::udfs("try_censored_tps"),
        Scalar::<scalar::cost_gap::CostGapOfRow>::udfs("try_cost_gap"),
        Scalar::<scalar::edit_distance::EditDistanceOfRow>::udfs("try_edit_distance"),
        Scalar::<scalar::interval_loss::IntervalLossOfRow>::udfs("try_interval_loss"),
        Scalar::<scalar::log_score::LogScoreOfRow>::udfs("try_log_score"),
        Scalar::<scalar::outcome::OutcomeOfRow>::udfs("try_outcome"),
        Scalar::<scalar::tps::TpsOfRow>::udfs("try_tps"),
    ]
    .concat()
}

/// The functions of many rows.
#[must_use]
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    vec![
        Aggregate::<Ranked<Aurc>>::udaf(),
        Aggregate::<Ranked<Auroc>>::udaf(),
        Aggregate::<Ranked<AveragePrecision>>::udaf(),
        Aggregate::<aggregate::auroc_interval::AurocIntervalOfRows>::udaf(),
        Aggregate::<aggregate::budget_metrics::BudgetMetricsOfRows>::udaf(),
        Aggregate::<aggregate::calibration_error::CalibrationErrorOfRows>::udaf(),
        Aggregate::<aggregate::cluster_mean::ClusterMeanOfRows>::udaf(),
        Aggregate::<aggregate::exact_mean::ExactMeanOfRows>::udaf(),
        Aggregate::<aggregate::exact_sum::ExactSumOfRows>::udaf(),
        Aggregate::<aggregate::pass_hat_k::PassHatKOfRows<false>>::udaf(),
        Aggregate::<aggregate::pass_hat_k::PassHatKOfRows<true>>::udaf(),
        Aggregate::<aggregate::reliability::ReliabilityOfRows>::udaf(),
    ]
}
