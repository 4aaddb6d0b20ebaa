//! The options of `paths`.

use std::path::PathBuf;

use crate::output::form::Forms;

/// Compares the tool calls of agents with the calls that their tasks expect
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Files of tool calls, each with a column, and so is each model where a file names several; without a
    /// file, bundled runs
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Compare calls by name alone; by default also by their exact arguments
    #[arg(long)]
    pub(crate) ignore_arguments: bool,
    /// Add a report on the runs of all columns together to --json
    #[arg(long)]
    pub(crate) pool: bool,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard paths calls.jsonl --ignore-arguments

A FILE has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "refund", "agent_calls": [{"name": "find_order", "args": {"order": "A-104"}, "ok": true}], "expected_calls": [{"name": "find_order", "args": {"order": "A-104"}}, {"name": "refund", "args": {"amount": 39.5}}], "success": false}
id              name of the run
task            name of the task; the runs of a task are its trials
agent_calls     what the agent called, in order: name, args if there are any, and optionally whether the
                tool took the call without an error (ok)
expected_calls  what the task expects, in order
success         true, false, 1 or 0
model           optional name of the model; of several models, each gets a column
Other fields of a run are ignored.
"#;
