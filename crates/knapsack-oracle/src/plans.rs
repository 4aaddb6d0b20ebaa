//! Plans that are made before anything is attempted.

pub(crate) mod plan;
pub(crate) mod plan_reading;
pub(crate) mod repair;
