//! How many runs of files succeeded, and why others are not scored.

pub(crate) use run_logs::json_lines::RunCounts;
