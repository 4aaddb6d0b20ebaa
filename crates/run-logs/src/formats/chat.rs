//! Chats, responses of model providers, and recorded exchanges.
//!
//! The fields of the providers' responses have different names, so that one reader handles all of them; the format only decides
//! which field a document must have.

pub(crate) mod document;
pub(crate) mod logprobs;
pub(crate) mod messages;
pub(crate) mod response;

use std::iter;

use crate::{
    error::Error,
    format::{About, Format},
    formats::log_reader::{Log, Opened, Reader, Shape, documents},
    values::run::Turn,
};

/// The readers of these formats.
pub(crate) const EXCHANGES: Reader = Reader {
    recognizes: is_exchanges,
    open: read,
    about: About {
        source: "write a line `{\"id\", \"task\", \"outcome\", \"stop\", \"turns\": [{\"request\", \"response\"}]}` for each run",
        reads: "text, calls, usage, cost, outcome, stop reason, log-probabilities if requested",
        lacks: "cost, unless the provider states it: `--prices`",
    },
};
pub(crate) const ANTHROPIC: Reader = Reader {
    recognizes: is_message,
    open: read,
    about: About {
        source: "save each reply of Anthropic's Messages API as a line of a file",
        reads: "text, calls, usage",
        lacks: "task and outcome: `--outcomes`, or exchanges; cost: `--prices`; log-probabilities: not available",
    },
};
pub(crate) const GEMINI: Reader = Reader {
    recognizes: |shape| {
        shape.has_key("candidates", "content")
            || shape.has_key("candidates", "finishReason")
            || (shape.has("usageMetadata") && shape.has("modelVersion"))
    },
    open: read,
    about: About {
        source: "save each response of Gemini as a line of a file",
        reads: "text, calls, usage, log-probabilities if requested",
        lacks: OUTSIDE,
    },
};
pub(crate) const OPENAI_RESPONSES: Reader = Reader {
    recognizes: |shape| {
        shape.text("object") == Some("response")
            || (shape.has("incomplete_details") && shape.has("output"))
    },
    open: read,
    about: About {
        source: "save each response of OpenAI's Responses API as a line of a file, or the output of a batch",
        reads: "text, calls, usage, log-probabilities if requested",
        lacks: OUTSIDE,
    },
};
pub(crate) const OPENAI_CHAT: Reader = Reader {
    recognizes: |shape| {
        shape.text("object") == Some("chat.completion")
            || shape.has_key("choices", "message")
            || (shape.has_all(&["model", "usage"]) && shape.has_no_key("choices"))
            || (shape.has("custom_id") && (shape.has("response") || shape.has("error")))
            || is_conversation(shape)
    },
    open: read,
    about: About {
        source: "save each chat completion or conversation as a line of a file, or the output of a batch",
        reads: "text, calls, usage, log-probabilities if requested",
        lacks: OUTSIDE,
    },
};
pub(crate) const OLLAMA: Reader = Reader {
    recognizes: |shape| shape.has("done") && (shape.has("message") || shape.has("response")),
    open: read,
    about: About {
        source: "save each response of Ollama as a line of a file",
        reads: "text, calls, usage",
        lacks: "task and outcome: `--outcomes`, or exchanges; cost: `--prices`; log-probabilities of calls",
    },
};

/// What a response does not hold.
const OUTSIDE: &str = "task and outcome: `--outcomes`, or exchanges; cost: `--prices`";

/// Returns whether the file holds recorded exchanges.
fn is_exchanges(shape: &Shape) -> bool {
    let is_turns = shape.has_key("turns", "request") || shape.has_key("turns", "response");
    // A run without turns, or whose turns are invalid.
    let is_turnless = shape.has_all(&["id", "outcome"]) && shape.has_no_key("turns");
    is_turns || is_turnless || (shape.has("request") && shape.has("response"))
}

/// Messages with roles, excluding the fields that identify a simulation of tau2.
fn is_conversation(shape: &Shape) -> bool {
    shape.has_key("messages", "role")
        && !["reward_info", "termination_reason", "simulations"].iter().any(|name| shape.has(name))
}

/// Returns whether the file holds a reply in the form of Anthropic's Messages API.
fn is_message(shape: &Shape) -> bool {
    shape.text("type") == Some("message")
        && (shape.has_key("content", "type") || shape.has_all(&["content", "stop_reason"]))
}

/// Opens a log.
fn read(log: Log<'_>) -> Result<Opened<'_>, Error> {
    let Log { source, format, options, .. } = log;
    let mut runs = documents(source, &options, move |json, number, options| {
        document::read(json, format, number, options)
    })?
    .peekable();
    let whole = move || {
        let mut run = match runs.next()? {
            Ok(run) if format == Format::Anthropic => run,
            other => return Some(other),
        };
        while let Some(Ok(next)) = runs.next_if(|next| {
            next.as_ref().is_ok_and(|next| match (&run.turns[..], &next.turns[..]) {
                ([turn], [piece]) if run.id == next.id => document::is_piece(turn, piece, true),
                _ => false,
            })
        }) {
            run.turns
                .iter_mut()
                .zip(next.turns)
                .for_each(|(turn, piece)| document::join(turn, piece));
            run.usage = run.turns.first().and_then(Turn::usage).cloned().unwrap_or_default();
        }
        Some(Ok(run))
    };
    Ok(Opened::new(format, iter::from_fn(whole)))
}
