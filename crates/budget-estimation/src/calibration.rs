//! Calibrates intervals online, run by run, so that they keep their nominal coverage.

pub(crate) mod adaptive_conformal;
pub(crate) mod calibrated;
