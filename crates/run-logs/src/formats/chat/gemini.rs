use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    formats::chat::{logprobs::tokens_of, messages::function},
    values::{run::Reply, tokens::Tokens},
};

/// Reads `candidates` of Gemini.
pub(crate) fn candidates(
    json: &mut Json<'_>,
    replies: &mut Vec<(u64, Reply)>,
) -> Result<(), Error> {
    json.list(|json| {
        json.hold(size_of::<Reply>())?;
        let next = replies.len() as u64;
        let (mut index, mut reply, mut tokens) = (next, Reply::default(), None);
        fields!(given |json| {
            "index" => index = json.count()?,
            "content" => content(json, &mut reply)?,
            "finishReason" => reply.stop = Some(json.text()?.into()),
            "logprobsResult" => tokens = logprobs_result(json)?,
        })?;
        reply.tokens = tokens_of(tokens, &reply.text);
        replies.push((index, reply));
        Ok(())
    })
}

/// Reads the parts of a candidate. Thoughts are not part of its text.
fn content(json: &mut Json<'_>, reply: &mut Reply) -> Result<(), Error> {
    fields!(given |json| {
        "parts" => json.list(|json| {
            let (mut text, mut is_thought) = (None, false);
            fields!(given |json| {
                "text" => text = Some(json.text()?),
                "thought" => is_thought = json.boolean()?,
                "functionCall" => reply.tool_calls.push(function(json, Some("id"))?),
            })?;
            if let (Some(text), false) = (text, is_thought) {
                reply.text.push_str(&text);
            }
            Ok(())
        })?,
    })
}

/// Reads `logprobsResult`: the chosen tokens, and in a second list the most probable ones.
fn logprobs_result(json: &mut Json<'_>) -> Result<Option<Tokens>, Error> {
    let (mut chosen, mut top): (Option<Tokens>, Option<Vec<Tokens>>) = (None, None);
    fields!(given |json| {
        "chosenCandidates" => chosen = Some(token_list(json)?),
        "topCandidates" => top = Some(json.list_of(|json| {
            let mut step = Tokens::default();
            fields!(given |json| { "candidates" => step = token_list(json)?, })?;
            Ok(step)
        })?),
    })?;
    let (Some(chosen), Some(top)) = (&chosen, &top) else { return Ok(chosen) };
    if chosen.len() != top.len() {
        let value = format!("a list of {}", top.len());
        let expected = "one entry per chosen token";
        return Err(json.error_at("topCandidates", Problem::Value { value, expected }));
    }
    let mut tokens = Tokens::default();
    for (token, step) in chosen.iter().zip(top) {
        tokens.push(token.bytes, token.logprob);
        step.iter().for_each(|other| tokens.push_alternative(other.bytes, other.logprob));
    }
    Ok(Some(tokens))
}

/// Reads a list of `{"token", "logProbability"}`. A missing probability becomes NaN.
fn token_list(json: &mut Json<'_>) -> Result<Tokens, Error> {
    let mut tokens = Tokens::default();
    json.list(|json| {
        let (mut text, mut logprob) = (String::new(), f64::NAN);
        fields!(given |json| {
            "token" => text = json.text()?,
            "logProbability" => logprob = json.any_real()?,
        })?;
        json.hold(32)?;
        tokens.push(text.as_bytes(), logprob);
        Ok(())
    })?;
    Ok(tokens)
}

/// Reads why a prompt was blocked.
pub(crate) fn feedback(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    let mut reason = None;
    fields!(given |json| { "blockReason" => reason = Some(json.text()?), })?;
    Ok(reason.map(|reason| format!("the prompt was blocked: {reason}")))
}
