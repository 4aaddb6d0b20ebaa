//! One reply in several pieces of a log, such as one turn or line per block of its content. Each piece has the id and the usage
//! of the whole reply.

use crate::values::run::{RecordedCall, Reply, Turn, Usage};

/// Returns whether a turn is a further piece of the reply of an earlier turn whose reply has the same id.
///
/// Some servers give the same id to every reply, so that an id does not suffice.
pub(crate) fn is_piece(turn: &Turn, next: &Turn, is_message: bool) -> bool {
    let (Some(reply), Some(more)) = (&turn.reply, &next.reply) else { return false };
    let is_one_call = match (&reply.usage, &more.usage) {
        // A reply in progress has a lower count of output tokens.
        (Some(a), Some(b)) if is_message => a.input_tokens == b.input_tokens,
        (Some(a), Some(b)) => a == b,
        _ => is_message,
    };
    let is_one_request =
        turn.request == next.request || turn.request.is_empty() || next.request.is_empty();
    is_one_call && is_one_request && turn.model == next.model
}

/// Adds a piece to the turn of its reply. Parts that both have count once.
pub(crate) fn join(turn: &mut Turn, next: Turn) {
    turn.error = turn.error.take().or(next.error);
    let (Some(reply), Some(more)) = (&mut turn.reply, next.reply) else { return };
    let Reply { text, refusal, tool_calls, tokens, stop, usage } = more;
    if text.starts_with(&reply.text) {
        // A reply that was written several times while in progress.
        (reply.text, reply.tokens) = (text, tokens.or(reply.tokens.take()));
    } else if !reply.text.ends_with(&text) {
        reply.text.push_str(&text);
        reply.tokens = reply.tokens.take().zip(tokens).map(|(mut all, more)| {
            all.append(&more);
            all
        });
    }
    for call in tool_calls {
        let is_known =
            |known: &RecordedCall| *known == call || (call.id.is_some() && known.id == call.id);
        if !reply.tool_calls.iter().any(is_known) {
            reply.tool_calls.push(call);
        }
    }
    reply.refusal = reply.refusal.take().or(refusal);
    reply.stop = stop.or(reply.stop.take());
    reply.usage = match (reply.usage.take(), usage) {
        (Some(a), Some(b)) => {
            let cost = a.cost_usd.into_iter().chain(b.cost_usd).reduce(f64::max);
            Some(Usage::with_counts_of(&a, &b, Option::max, cost))
        }
        (a, b) => a.or(b),
    };
}
