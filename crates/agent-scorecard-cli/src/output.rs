//! What commands write: tables, reports per file, and errors.

pub(crate) mod file_reports;
pub(crate) mod form;
pub(crate) mod outputs;
pub(crate) mod program;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod threshold;
pub(crate) mod trajectories;
