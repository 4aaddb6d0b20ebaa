//! The options of `logs`.

use std::path::PathBuf;

use run_logs::Format;

use crate::{files::logs::formats, output::form::Forms};

/// Shows the runs that logs hold: scores, stop reason, limit, tokens, cost and calls
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Logs or folders of logs; without a file, bundled exchanges
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files; auto goes by their content
    #[arg(long, value_name = "F", default_value = "auto", value_parser = formats())]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard logs logs/2026-11-20T10-00-00.eval

A FILE is a log of inspect_ai (.eval or .json), a trajectory or trial of Harbor, results of tau2, chats and
responses in the formats of OpenAI, Anthropic, Gemini and Ollama, or has JSON Lines with recorded exchanges, for example
  {"id": "run-7", "task": "refund", "outcome": true, "turns": [{"request": {"messages": [{"role": "user", "content": "Refund A-104."}]}, "response": {"model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 12, "completion_tokens": 2}}}]}
"#;
