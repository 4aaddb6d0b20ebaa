//! Sums and means that are exact or nearly exact.

pub(crate) mod compensated_sum;
pub(crate) mod decimal_sum;
pub mod decimals;
pub(crate) mod exact_mean;
pub(crate) mod exact_sum;

pub use compensated_sum::CompensatedSum;
pub use decimal_sum::DecimalSum;
pub use exact_mean::ExactMean;
pub use exact_sum::ExactSum;
