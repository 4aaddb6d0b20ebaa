mod estimate;
mod estimator;
mod linear;

pub use estimate::Estimate;
pub use estimator::Estimator;
pub use linear::LinearEstimator;
