use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::chat::{calls::function, logprobs::tokens_of},
    values::{message::Reply, tokens::Tokens},
};

/// Reads `candidates` of Gemini.
pub(crate) fn candidates(
    json: &mut Json<'_>,
    replies: &mut Vec<(u64, Reply)>,
) -> Result<(), Error> {
    const CANDIDATE: &[&str] = &["index", "content", "finishReason", "logprobsResult"];
    json.list(|json| {
        json.hold(size_of::<Reply>())?;
        let next = replies.len() as u64;
        let (mut index, mut reply, mut tokens) = (next, Reply::default(), None);
        json.object(CANDIDATE, |json, field| {
            if json.null()? {
                return Ok(());
            }
            match field {
                "index" => index = json.count()?,
                "content" => content(json, &mut reply)?,
                "finishReason" => reply.stop = Some(json.text()?.into()),
                _ => tokens = logprobs_result(json)?,
            }
            Ok(())
        })?;
        reply.tokens = tokens_of(tokens, &reply.text);
        replies.push((index, reply));
        Ok(())
    })
}

/// Reads the parts of a candidate. Thoughts are not part of its text.
fn content(json: &mut Json<'_>, reply: &mut Reply) -> Result<(), Error> {
    json.object(&["parts"], |json, _| {
        if json.null()? {
            return Ok(());
        }
        json.list(|json| {
            let (mut text, mut is_thought) = (None, false);
            json.object(&["text", "thought", "functionCall"], |json, field| {
                match field {
                    "text" => text = json.optional(Json::text)?,
                    "thought" => is_thought = json.optional(Json::boolean)?.unwrap_or(false),
                    _ => {
                        let call = json.optional(|json| function(json, Some("id")))?;
                        reply.tool_calls.extend(call);
                    }
                }
                Ok(())
            })?;
            if let (Some(text), false) = (text, is_thought) {
                reply.text.push_str(&text);
            }
            Ok(())
        })
    })
}

/// Reads `logprobsResult`: the chosen tokens, and in a second list the most probable ones.
fn logprobs_result(json: &mut Json<'_>) -> Result<Option<Tokens>, Error> {
    let (mut chosen, mut top): (Option<Tokens>, Option<Vec<Tokens>>) = (None, None);
    json.object(&["chosenCandidates", "topCandidates"], |json, field| {
        if json.null()? {
            return Ok(());
        }
        match field {
            "chosenCandidates" => chosen = Some(token_list(json)?),
            _ => {
                let steps = top.get_or_insert_default();
                json.list(|json| {
                    json.hold(size_of::<Tokens>())?;
                    let mut step = Tokens::default();
                    json.object(&["candidates"], |json, _| {
                        step = json.optional(token_list)?.unwrap_or_default();
                        Ok(())
                    })?;
                    steps.push(step);
                    Ok(())
                })?;
            }
        }
        Ok(())
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

/// Reads a list of `{"token", "logProbability"}`. A probability that is not given is NaN.
fn token_list(json: &mut Json<'_>) -> Result<Tokens, Error> {
    let mut tokens = Tokens::default();
    json.list(|json| {
        let (mut text, mut logprob) = (String::new(), f64::NAN);
        json.object(&["token", "logProbability"], |json, field| {
            match field {
                "token" => text = json.optional(Json::text)?.unwrap_or_default(),
                _ => logprob = json.optional(Json::any_real)?.unwrap_or(f64::NAN),
            }
            Ok(())
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
    json.object(&["blockReason"], |json, _| {
        reason = json.optional(Json::text)?;
        Ok(())
    })?;
    Ok(reason.map(|reason| format!("the prompt was blocked: {reason}")))
}
