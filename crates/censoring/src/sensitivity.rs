//! Sensitivity of conclusions to the probabilities of success after a stop.

pub(crate) mod flip;
pub(crate) mod tilt;
pub(crate) mod tilted_mean;

pub use flip::FlippingOdds;
pub use tilt::tilt;
pub use tilted_mean::TiltedMean;
