mod budget_estimator;
pub(crate) mod estimator;
mod linear;
mod past_quantiles;
mod scoring;
mod screened;

pub use budget_estimator::BudgetEstimator;
pub use estimator::{Estimator, estimator_from_fn};
pub use linear::LinearEstimator;
pub use past_quantiles::PastQuantiles;
pub use screened::Screened;
