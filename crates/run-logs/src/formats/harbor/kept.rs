use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::harbor::{calls::tool_calls, metrics::usage_back},
    values::{message::Reply, tokens::Tokens},
};

/// What our own writer keeps of a step beyond the format.
#[derive(Debug, Default)]
pub(crate) struct KeptStep {
    /// The position of the turn in its run.
    pub(crate) position: Option<u64>,
    /// Whether the turn has no reply.
    pub(crate) has_failed: bool,
    /// Whether the reply has no usage.
    pub(crate) is_unmeasured: bool,
    /// Whether the log names no model for the turn.
    pub(crate) has_no_model: bool,
    pub(crate) error: Option<String>,
    /// The refusal, the tokens and the stop reason of the reply.
    pub(crate) reply: Reply,
    pub(crate) other_replies: Vec<Reply>,
}

/// Reads `extra` of a step.
pub(crate) fn kept_step(json: &mut Json<'_>) -> Result<Option<KeptStep>, Error> {
    const KEPT: &[&str] =
        &["turn", "failed", "unmeasured", "without_model", "error", "reply", "other_replies"];
    if json.token()? != b'{' {
        return json.skip().map(|()| None);
    }
    let mut found = None;
    json.object(&[&["run_logs"]], |json, _| {
        if json.token()? != b'{' {
            return json.skip();
        }
        let mut kept = KeptStep::default();
        json.object(&[KEPT], |json, field| {
            match field {
                "turn" => kept.position = Some(json.count()?),
                "failed" => kept.has_failed = json.boolean()?,
                "unmeasured" => kept.is_unmeasured = json.boolean()?,
                "without_model" => kept.has_no_model = json.boolean()?,
                "error" => kept.error = Some(json.text()?),
                "reply" => kept.reply = reply(json)?,
                _ => kept.other_replies = json.list_of(reply)?,
            }
            Ok(())
        })?;
        found = Some(kept);
        Ok(())
    })?;
    Ok(found)
}

fn reply(json: &mut Json<'_>) -> Result<Reply, Error> {
    const REPLY: &[&str] = &["text", "refusal", "tool_calls", "tokens", "stop", "usage"];
    let mut reply = Reply::default();
    json.object(&[REPLY], |json, field| {
        match field {
            "text" => reply.text = json.text()?,
            "refusal" => reply.refusal = Some(json.text()?),
            "tool_calls" => reply.tool_calls = tool_calls(json)?,
            "tokens" => reply.tokens = Some(tokens(json)?),
            "stop" => reply.stop = Some(json.text()?.into()),
            _ => reply.usage = Some(usage_back(json)?),
        }
        Ok(())
    })?;
    Ok(reply)
}

/// Reads tokens: `[[token, logprob, [token, logprob], …], …]`.
fn tokens(json: &mut Json<'_>) -> Result<Tokens, Error> {
    let mut tokens = Tokens::default();
    json.list(|json| {
        json.begin_list()?;
        let (bytes, logprob) = token(json)?;
        json.hold(bytes.len() + 32)?;
        tokens.push(&bytes, logprob);
        while json.next_element()? {
            json.begin_list()?;
            let (bytes, logprob) = token(json)?;
            json.hold(bytes.len() + 32)?;
            tokens.push_alternative(&bytes, logprob);
            while json.next_element()? {
                json.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(tokens)
}

/// Reads the first two elements of an open list: text or bytes, and a log-probability.
fn token(json: &mut Json<'_>) -> Result<(Vec<u8>, f64), Error> {
    let mut bytes = Vec::new();
    if json.next_element()? {
        if json.token()? == b'"' {
            bytes = json.text()?.into_bytes();
        } else {
            json.bytes(&mut bytes)?;
        }
        if json.next_element()? {
            let logprob = json.optional(Json::any_real)?;
            return Ok((bytes, logprob.unwrap_or(f64::NAN)));
        }
    }
    Err(json.error(Problem::Missing))
}
