use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    formats::{
        chat::{
            logprobs::{more_tokens, tokens, tokens_of},
            messages::{CallFields, content, function, message},
        },
        token_counts::{Counts, Dialect},
    },
    values::{
        run::{Message, Reply, Turn, Usage},
        tokens::Tokens,
    },
};

/// The problem of a reply that is an object without the fields of any known form.
pub(crate) const UNKNOWN_REPLY: Problem = Problem::Unsupported {
    what: "a reply in none of the forms of OpenAI, Anthropic, Gemini and Ollama",
};

/// A turn, with facts that belong to its run.
pub(crate) struct ReadTurn {
    pub(crate) turn: Turn,
    /// The id of the response.
    pub(crate) id: Option<String>,
    pub(crate) usage: Option<Usage>,
    /// Whether the reply is in the form of Anthropic's Messages API.
    pub(crate) is_message: bool,
}

/// A response while it is read.
#[derive(Default)]
pub(crate) struct Response {
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    /// The replies of a provider that may return several, by their index.
    replies: Vec<(u64, Reply)>,
    /// The only reply of other providers.
    single: Option<Reply>,
    /// Log-probabilities outside the message.
    tokens: Option<Tokens>,
    stop: Option<String>,
    status: Option<String>,
    counts: Option<Counts>,
    is_gemini: bool,
    error: Option<String>,
    is_any: bool,
    /// Whether an envelope held an object.
    has_body: bool,
    /// The HTTP status next to the response body in a batch.
    http_status: Option<u64>,
    /// The fields `type` and `content`, which identify a reply of Anthropic.
    kind: Option<String>,
    blocks: Option<Reply>,
}

impl Response {
    /// Reads a response that is an object.
    pub(crate) fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        fields!(|json, field| {
            "id" => {
                let id = json.optional(Json::name)?;
                self.id = self.id.take().or(id);
            },
            in Self::FIELDS => self.field(json, field)?,
        })
    }

    /// Whether a field with a reply or an error was read.
    pub(crate) fn is_any(&self) -> bool {
        self.is_any || self.is_message() || self.refused().is_some()
    }

    /// The status, in words, with which a server refused a request of a batch.
    fn refused(&self) -> Option<String> {
        let status = self.http_status.filter(|status| *status >= 400)?;
        Some(format!("the server replied with status {status}"))
    }

    /// Whether an envelope contained a reply of an unknown form.
    pub(crate) fn is_unknown(&self) -> bool {
        self.has_body && !self.is_any()
    }

    /// Whether this is a reply in the form of Anthropic's Messages API.
    fn is_message(&self) -> bool {
        self.kind.as_deref() == Some("message") && self.blocks.is_some()
    }

    named_fields! {
        /// Reads one field of a response, other than its id.
        pub(crate) const FIELDS, fn field(&mut self, json: &mut Json<'_>, field: &str), |json, field| {
            "model" | "modelVersion" => {
                let model = json.optional(Json::text)?;
                self.model = self.model.take().or(model);
            },
            "responseId" => self.id = json.optional(Json::text)?.or(self.id.take()),
            "usage" | "usageMetadata" => {
                self.is_gemini |= field == "usageMetadata";
                self.counts = json.optional(Counts::read)?.or(self.counts.take());
            },
            "prompt_eval_count" | "eval_count" => {
                self.counts.get_or_insert_default().field(json, field)?;
            },
            "status" if json.token()? == b'"' => self.status = Some(json.text()?),
            "incomplete_details" => json.optional(|json| {
                fields!(|json| { "reason" => self.stop = json.optional(Json::text)?, })
            })?,
            "done_reason" => self.stop = json.optional(Json::text)?,
            "type" if json.token()? == b'"' => self.kind = Some(json.text()?),
            "stop_reason" if json.token()? == b'"' => self.stop = Some(json.text()?),
            "content" if json.token()? == b'[' => self.blocks = Some(content(json)?.0),
            "logprobs" => self.tokens = json.optional(tokens)?,
            // The other fields show that this is a response, unless they are null.
            "status_code" if json.token()?.is_ascii_digit() => {
                self.http_status = Some(json.count()?);
            },
            // A failing server may send a text.
            "body" if json.token()? == b'"' => {
                let text = json.text()?;
                self.error = self.error.take().or(Some(text).filter(|text| !text.is_empty()));
            },
            "body" => json.optional(|json| self.envelope(json))?,
            "response" if json.token()? == b'"' => {
                let text = json.text()?;
                self.show(Reply { text, ..Reply::default() });
            },
            "response" => json.optional(|json| self.envelope(json))?,
            "choices" => json.optional(|json| {
                self.is_any = true;
                json.list(|json| {
                    let next = self.replies.len() as u64;
                    self.replies.push(choice(json, next)?);
                    Ok(())
                })
            })?,
            "candidates" => json.optional(|json| {
                self.is_any = true;
                candidates(json, &mut self.replies)
            })?,
            "output" => json.optional(output)?.map(|reply| self.show(reply)),
            "promptFeedback" => {
                let blocked = json.optional(feedback)?;
                self.is_any |= blocked.is_some();
                self.error = blocked.flatten().or(self.error.take());
            },
            "error" if json.token()? != b'n' => {
                self.is_any = true;
                self.error = error_text(json)?;
            },
            "message" => json.optional(message)?.map(|read| self.show(read.said)),
        }
    }

    /// Reads an envelope: `{"response": {"body": {…}}}`.
    fn envelope(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        self.has_body = true;
        self.read(json)
    }

    /// Takes the only reply.
    fn show(&mut self, reply: Reply) {
        self.is_any = true;
        self.single = Some(reply);
    }

    /// Returns the turn that this response ends.
    pub(crate) fn turn(mut self, request: Vec<Message>) -> ReadTurn {
        // The names of the counts do not identify Anthropic's; the form of the reply does.
        let (is_message, refused) = (self.is_message(), self.refused());
        let dialect = match (is_message, self.is_gemini) {
            (true, _) => Dialect::CacheBeside,
            (_, true) => Dialect::Gemini,
            _ => Dialect::OpenAi,
        };
        self.single = self.blocks.take().filter(|_| is_message).or(self.single.take());
        let usage = self.counts.map(|counts| counts.usage(dialect));
        let mut replies = self.replies;
        replies.sort_by_key(|&(index, _)| index);
        let mut replies: Vec<Reply> = replies.into_iter().map(|(_, reply)| reply).collect();
        if let Some(mut reply) = self.single {
            if let Some(tokens) = self.tokens {
                reply.tokens = tokens_of(Some(tokens), &reply.text);
            }
            let word = match self.status.as_deref() {
                Some("completed") => Some("completed".to_owned()),
                _ => self.stop,
            };
            reply.stop = reply.stop.or(word.map(Into::into));
            replies.push(reply);
        }
        let mut replies = replies.into_iter();
        let mut turn = Turn {
            model: self.model,
            request,
            reply: replies.next(),
            other_replies: replies.collect(),
            ..Turn::default()
        };
        if let Some(reply) = &mut turn.reply {
            reply.usage = usage.clone();
            reply.id.clone_from(&self.id);
        }
        let silent =
            || turn.reply.is_none().then(|| refused.unwrap_or("the log has no reply".to_owned()));
        turn.error = self.error.or_else(silent);
        ReadTurn { turn, id: self.id, usage, is_message }
    }
}

/// Reads one choice of a chat response, and its index.
fn choice(json: &mut Json<'_>, next: u64) -> Result<(u64, Reply), Error> {
    json.hold(size_of::<Reply>())?;
    let (mut index, mut said, mut stop, mut content) = (next, None, None, None);
    fields!(|json| {
        "index" => index = json.optional(Json::count)?.unwrap_or(next),
        "message" => said = Some(json.optional(message)?.map(|read| read.said)),
        "finish_reason" => stop = json.optional(Json::text)?.map(Into::into),
        "logprobs" => json.optional(|json| {
            fields!(|json| { "content" => content = json.optional(tokens)?, })
        })?,
    })?;
    let said = said.ok_or_else(|| json.error_at("message", Problem::Missing))?.unwrap_or_default();
    let tokens = tokens_of(content, &said.text);
    Ok((index, Reply { tokens, stop, ..said }))
}

/// Reads an error: its text, or its `message` or else its `code` if it is an object.
pub(crate) fn error_text(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    match json.token()? {
        b'n' => json.null().map(|_| None),
        b'{' => {
            let (mut text, mut code) = (None, None);
            fields!(|json| {
                "message" => text = json.optional(Json::text)?,
                "code" if matches!(json.token()?, b'"' | b'0'..=b'9') => code = Some(json.name()?),
            })?;
            Ok(text.or(code).or_else(|| Some("an error without a message".to_owned())))
        }
        _ => json.text().map(Some),
    }
}

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
            "content" => parts(json, &mut reply)?,
            "finishReason" => reply.stop = Some(json.text()?.into()),
            "logprobsResult" => tokens = logprobs_result(json)?,
        })?;
        reply.tokens = tokens_of(tokens, &reply.text);
        replies.push((index, reply));
        Ok(())
    })
}

/// Reads the parts of a candidate. Thoughts are not part of its text.
fn parts(json: &mut Json<'_>, reply: &mut Reply) -> Result<(), Error> {
    fields!(given |json| { "parts" => json.list(|json| part(json, reply))?, })
}

/// Reads a part of a candidate.
pub(crate) fn part(json: &mut Json<'_>, reply: &mut Reply) -> Result<(), Error> {
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

/// Reads `output` of the Responses form: messages and calls. Other items, such as reasoning, are skipped.
///
/// The reply has tokens if each of its texts has tokens.
pub(crate) fn output(json: &mut Json<'_>) -> Result<Reply, Error> {
    let mut reply = Reply::default();
    let mut tokens = Spoken::default();
    json.list(|json| item(json, &mut reply, &mut tokens))?;
    reply.tokens = tokens.tokens.filter(|_| !tokens.is_partial);
    Ok(reply)
}

/// The tokens of all texts.
#[derive(Default)]
struct Spoken {
    tokens: Option<Tokens>,
    /// Whether a text has no tokens.
    is_partial: bool,
}

fn item(json: &mut Json<'_>, reply: &mut Reply, tokens: &mut Spoken) -> Result<(), Error> {
    json.hold(size_of::<Reply>())?;
    let (mut kind, mut call) = (None, CallFields::default());
    fields!(|json, field| {
        "type" => kind = json.optional(Json::text)?,
        // The id of the item differs from the id of the call.
        "call_id" => call.id = json.optional(Json::name)?,
        "content" if json.token()? == b'[' => json.list(|json| text_part(json, reply, tokens))?,
        "content" => json.skip()?,
        // Other tools have names and inputs of other types.
        "arguments" | "input" if json.token()? != b'"' => json.skip()?,
        in CallFields::FIELDS => call.field(json, field)?,
    })?;
    if matches!(kind.as_deref(), Some("function_call" | "custom_tool_call")) {
        reply.tool_calls.push(call.finish(json)?);
    }
    Ok(())
}

/// Reads a part of a message: text with its log-probabilities, or a refusal.
fn text_part(json: &mut Json<'_>, reply: &mut Reply, tokens: &mut Spoken) -> Result<(), Error> {
    let (mut kind, mut text, mut refusal) = (None, None, None);
    let (mut read, mut is_listed) = (Tokens::default(), false);
    fields!(given |json| {
        "type" => kind = Some(json.text()?),
        "text" => text = Some(json.text()?),
        "refusal" => refusal = Some(json.text()?),
        "logprobs" => {
            is_listed = true;
            more_tokens(json, &mut read)?;
        },
    })?;
    if let Some(refusal) = refusal {
        reply.refusal.get_or_insert_default().push_str(&refusal);
    }
    // Texts of reasoning have another kind.
    let is_text = kind.as_deref().is_none_or(|kind| kind == "output_text");
    if let (Some(text), true) = (text, is_text) {
        tokens.is_partial |= read.is_empty() && !text.is_empty();
        if is_listed {
            tokens.tokens.get_or_insert_default().append(&read);
        }
        reply.text.push_str(&text);
    }
    Ok(())
}
