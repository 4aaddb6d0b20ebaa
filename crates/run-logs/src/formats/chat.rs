//! Chats, responses of model providers, and recorded exchanges.
//!
//! The fields of the providers' responses have different names, so that one reader handles all of them; the format only decides
//! which field a document must have.

pub(crate) mod document;
pub(crate) mod logprobs;
pub(crate) mod messages;
pub(crate) mod response;

use std::{io::Read, iter};

use crate::{
    error::Error,
    format::{Format, ReadOptions},
    formats::log_reader::{Opened, Shape, documents},
};

/// Returns which of these formats the first bytes of a file show, if any.
pub(crate) fn recognizes(shape: &Shape) -> Option<Format> {
    let is_turns = shape.has_key("turns", "request") || shape.has_key("turns", "response");
    // A run without turns, or whose turns are invalid.
    let is_turnless = shape.has_all(&["id", "outcome"]) && shape.has_no_key("turns");
    if is_turns || is_turnless || (shape.has("request") && shape.has("response")) {
        Some(Format::Exchanges)
    } else if is_message(shape) {
        Some(Format::Anthropic)
    } else if shape.has_key("candidates", "content")
        || (shape.has_key("candidates", "finishReason"))
        || (shape.has("usageMetadata") && shape.has("modelVersion"))
    {
        Some(Format::Gemini)
    } else if shape.text("object") == Some("response")
        || (shape.has("incomplete_details") && shape.has("output"))
    {
        Some(Format::OpenAiResponses)
    } else if shape.text("object") == Some("chat.completion")
        || shape.has_key("choices", "message")
        || (shape.has_all(&["model", "usage"]) && shape.has_no_key("choices"))
        || (shape.has("custom_id") && (shape.has("response") || shape.has("error")))
        || is_conversation(shape)
    {
        Some(Format::OpenAiChat)
    } else if shape.has("done") && (shape.has("message") || shape.has("response")) {
        Some(Format::Ollama)
    } else {
        None
    }
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
pub(crate) fn read<'a>(
    source: impl Read + 'a,
    format: Format,
    options: &ReadOptions,
) -> Result<Opened<'a>, Error> {
    let mut runs = documents(source, options, move |json, number, options| {
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
            let reply = run.turns.first().and_then(|turn| turn.reply.as_ref());
            run.usage = reply.and_then(|reply| reply.usage.clone()).unwrap_or_default();
        }
        Some(Ok(run))
    };
    Ok(Opened { format, reader: Box::new(iter::from_fn(whole)), owned: None })
}
