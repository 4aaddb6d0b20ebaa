//! Runs up to their stop.

pub(crate) mod artificial_stops;
pub(crate) mod audit;
pub(crate) mod calibrated_runs;
pub(crate) mod hidden_outcome;
pub(crate) mod stopped;

pub use artificial_stops::artificial_stops;
pub use audit::{RunGroup, TerminationAudit};
pub use calibrated_runs::{CalibratedRuns, CalibrationRuns};
pub use hidden_outcome::HiddenOutcome;
pub use stopped::{Observation, Stopped};
