use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    values::tokens::Tokens,
};

/// The state while a list of tokens is read: one token and its alternatives, in reused buffers.
#[derive(Default)]
struct Buffers {
    text: Vec<u8>,
    raw: Vec<u8>,
    alternative_bytes: Vec<u8>,
    /// End of the bytes, and log-probability.
    alternatives: Vec<(usize, f64)>,
}

/// Reads a list of `{"token", "logprob", "bytes"?, "top_logprobs"?}`.
pub(crate) fn tokens(json: &mut Json<'_>) -> Result<Tokens, Error> {
    let (mut tokens, mut buffers) = (Tokens::default(), Buffers::default());
    append(json, &mut tokens, &mut buffers)?;
    Ok(tokens)
}

/// Reads a list of tokens and appends them to `tokens`.
pub(crate) fn more_tokens(json: &mut Json<'_>, tokens: &mut Tokens) -> Result<(), Error> {
    append(json, tokens, &mut Buffers::default())
}

/// Returns the tokens of a text. `None` for an empty list with a text that is not empty: such a log has no tokens.
pub(crate) fn tokens_of(tokens: Option<Tokens>, text: &str) -> Option<Tokens> {
    tokens.filter(|tokens| !tokens.is_empty() || text.is_empty())
}

fn append(json: &mut Json<'_>, tokens: &mut Tokens, buffers: &mut Buffers) -> Result<(), Error> {
    let Buffers { text, raw, alternative_bytes, alternatives } = buffers;
    json.list(|json| {
        alternative_bytes.clear();
        alternatives.clear();
        text.clear();
        let (mut logprob, mut has_bytes) = (None, false);
        fields!(|json, field| {
            "top_logprobs" => json.optional(|json| json.list(|json| {
                let start = alternative_bytes.len();
                let (mut logprob, mut has_bytes) = (None, false);
                fields!(|json, field| {
                    in PARTS => part(
                        json, field, start, alternative_bytes, raw, &mut logprob, &mut has_bytes
                    )?,
                })?;
                let logprob = logprob.ok_or_else(|| json.error_at("logprob", Problem::Missing))?;
                alternatives.push((alternative_bytes.len(), logprob));
                Ok(())
            }))?,
            in PARTS => part(json, field, 0, text, raw, &mut logprob, &mut has_bytes)?,
        })?;
        let logprob = logprob.ok_or_else(|| json.error_at("logprob", Problem::Missing))?;
        json.hold(text.len() + alternative_bytes.len() + 32 + 16 * alternatives.len())?;
        tokens.push(text, logprob);
        let mut start = 0;
        for &(end, logprob) in alternatives.iter() {
            tokens.push_alternative(alternative_bytes.get(start..end).unwrap_or_default(), logprob);
            start = end;
        }
        Ok(())
    })
}

named_fields! {
    /// Reads a field of a token. Its text or bytes replace the content of `text` from `start` on; bytes have priority over the
    /// text.
    const PARTS, fn part(
        json: &mut Json<'_>,
        field: &str,
        start: usize,
        text: &mut Vec<u8>,
        raw: &mut Vec<u8>,
        logprob: &mut Option<f64>,
        has_bytes: &mut bool
    ), |json, field| {
        // Some servers write null for a token that has no probability.
        "logprob" => *logprob = Some(json.optional(Json::any_real)?.unwrap_or(f64::NAN)),
        "token" => {
            if json.token()? != b'"' {
                return Err(json.type_error("a string"));
            }
            json.string_to_scratch()?;
            if str::from_utf8(&json.scratch).is_err() {
                return Err(json.error(Problem::NotUtf8));
            }
            if !*has_bytes {
                text.truncate(start);
                text.extend_from_slice(&json.scratch);
            }
        },
        "bytes" => json.optional(|json| {
            raw.clear();
            json.bytes(raw)?;
            text.truncate(start);
            text.extend_from_slice(raw);
            *has_bytes = true;
            Ok(())
        })?,
    }
}
