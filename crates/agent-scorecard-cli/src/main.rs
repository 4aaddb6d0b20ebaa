//! The command `agent-scorecard`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    agent_scorecard_cli::run(env::args_os())
}
