//! What calibration changes: the subcommand `calibration`.

pub(crate) mod command;
pub(crate) mod comparison;
pub(crate) mod options;
