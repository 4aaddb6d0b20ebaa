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

/// The functions of one row.
#[must_use]
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    vec![
        Scalar::<scalar::beta_score::BetaScoreOfRow>::udf(),
        Scalar::<scalar::brier_score::BrierScoreOfRow>::udf(),
        Scalar::<scalar::censored_tps::CensoredTpsOfRow>::udf(),
        Scalar::<scalar::cost_gap::CostGapOfRow>::udf(),
        Scalar::<scalar::edit_distance::EditDistanceOfRow>::udf(),
        Scalar::<scalar::interval_loss::IntervalLossOfRow>::udf(),
        Scalar::<scalar::log_score::LogScoreOfRow>::udf(),
        Scalar::<scalar::tps::TpsOfRow>::udf(),
    ]
}

/// The functions of many rows.
#[must_use]
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    vec![
        Aggregate::<Ranked<Aurc>>::udaf(),
        Aggregate::<Ranked<Auroc>>::udaf(),
        Aggregate::<Ranked<AveragePrecision>>::udaf(),
        Aggregate::<aggregate::budget_metrics::BudgetMetricsOfRows>::udaf(),
        Aggregate::<aggregate::calibration_error::CalibrationErrorOfRows>::udaf(),
        Aggregate::<aggregate::cluster_mean::ClusterMeanOfRows>::udaf(),
        Aggregate::<aggregate::exact_mean::ExactMeanOfRows>::udaf(),
        Aggregate::<aggregate::exact_sum::ExactSumOfRows>::udaf(),
        Aggregate::<aggregate::pass_hat_k::PassHatKOfRows>::udaf(),
        Aggregate::<aggregate::reliability::ReliabilityOfRows>::udaf(),
    ]
}
