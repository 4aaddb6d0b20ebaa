//! The command `agent-scores`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    agent_scores::run(env::args_os())
}
