//! The power and pseudospherical families of scores.

pub(crate) mod baseline;
mod functions;
pub(crate) mod power_score;
pub(crate) mod pseudospherical_score;
