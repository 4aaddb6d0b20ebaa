//! What calibration changes: the subcommand `calibration`.

pub(crate) mod command;
pub(crate) mod options;
