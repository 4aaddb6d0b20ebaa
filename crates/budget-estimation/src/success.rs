//! The probability that a run succeeds within its caps, and the claim that it cannot.

mod abort_limit;
mod calibration_runs;
mod key_effects;
mod screened;
mod success_fit;
mod success_forecaster;
mod success_rows;

pub use abort_limit::{AbortLimit, AbortUnit};
pub use screened::Screened;
pub use success_forecaster::{SuccessForecast, SuccessForecaster};
