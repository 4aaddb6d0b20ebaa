//! Functions of one row.

use std::sync::Arc;

use datafusion_expr::ScalarUDF;

pub(crate) mod beta_score;
pub(crate) mod brier_score;
pub(crate) mod censored_tps;
pub(crate) mod cost_gap;
pub(crate) mod edit_distance;
pub(crate) mod function;
pub(crate) mod interval_loss;
pub(crate) mod log_score;
pub(crate) mod outcome;
pub(crate) mod rule;
pub(crate) mod score_rows;
pub(crate) mod tps;

use function::Scalar;

/// The functions of one row, each with its `try_` form, which gives NULL for a row that the function refuses.
#[must_use]
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    [
        Scalar::<beta_score::BetaScoreOfRow>::udfs("try_beta_score"),
        Scalar::<brier_score::BrierScoreOfRow>::udfs("try_brier_score"),
        Scalar::<censored_tps::CensoredTpsOfRow>::udfs("try_censored_tps"),
        Scalar::<cost_gap::CostGapOfRow>::udfs("try_cost_gap"),
        Scalar::<edit_distance::EditDistanceOfRow>::udfs("try_edit_distance"),
        Scalar::<interval_loss::IntervalLossOfRow>::udfs("try_interval_loss"),
        Scalar::<log_score::LogScoreOfRow>::udfs("try_log_score"),
        Scalar::<outcome::OutcomeOfRow>::udfs("try_outcome"),
        Scalar::<tps::TpsOfRow>::udfs("try_tps"),
    ]
    .concat()
}
