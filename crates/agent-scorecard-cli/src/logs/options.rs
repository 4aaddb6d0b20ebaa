//! The options of `logs`.

use std::path::PathBuf;

use run_logs::Format;

use crate::output::form::Forms;

/// Shows the runs that logs hold: scores, stop reason, limit, tokens, cost and calls
#[derive(Debug, clap::Args)]
#[command(after_help = FORMAT)]
pub(crate) struct Options {
    /// Logs or folders of logs; without a file, bundled exchanges
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the files: auto (by content), inspect, exchanges, openai_chat, openai_responses,
    /// anthropic, gemini, ollama, atif, harbor or tau2
    #[arg(long, value_name = "F", default_value = "auto", value_parser = format)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const FORMAT: &str = r#"Example: agent-scorecard logs logs/2026-11-20T10-00-00.eval

A FILE is a log or a
folder of logs; without a FILE the program reads bundled exchanges.
--format F  auto (default: by content), inspect, exchanges, openai_chat, openai_responses, anthropic, gemini,
            ollama, atif, harbor or tau2
--json      prints one JSON object

A FILE is a log of inspect_ai (.eval or .json), a trajectory or trial of Harbor, results of tau2, chats and
responses in the formats of OpenAI, Anthropic, Gemini and Ollama, or has JSON Lines with recorded exchanges, for example
  {"id": "run-7", "task": "refund", "outcome": true, "turns": [{"request": {"messages": [{"role": "user", "content": "Refund A-104."}]}, "response": {"model": "m-1", "choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 12, "completion_tokens": 2}}}]}
"#;

pub(crate) fn format(text: &str) -> Result<Format, &'static str> {
    text.parse().map_err(|_| "--help lists the formats")
}
