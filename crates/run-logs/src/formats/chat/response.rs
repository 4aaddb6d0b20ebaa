use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    formats::chat::{
        blocks::{Blocks, content},
        gemini::{candidates, feedback},
        logprobs::{tokens, tokens_of},
        messages::{ReadMessage, message},
        output::output,
        usage::{CacheTokens, gemini_usage, usage},
    },
    values::{
        message::{Message, Reply},
        run::Turn,
        tokens::Tokens,
        usage::Usage,
    },
};

/// The fields of a response of any provider.
pub(crate) const RESPONSE: &[&str] = &[
    "id",
    "model",
    "choices",
    "usage",
    "error",
    "output",
    "status",
    "incomplete_details",
    "candidates",
    "usageMetadata",
    "modelVersion",
    "responseId",
    "promptFeedback",
    "message",
    "response",
    "logprobs",
    "done_reason",
    "prompt_eval_count",
    "eval_count",
    "body",
    "type",
    "content",
    "stop_reason",
];

/// The problem of a reply that is an object without the fields of any known form.
pub(crate) const UNKNOWN_REPLY: Problem = Problem::Unsupported {
    what: "a reply in none of the forms of OpenAI, Anthropic, Gemini and Ollama",
};

/// A turn, with what belongs to its run.
pub(crate) struct ReadTurn {
    pub(crate) turn: Turn,
    /// The id of the response.
    pub(crate) id: Option<String>,
    pub(crate) usage: Option<Usage>,
}

/// A response while it is read.
#[derive(Default)]
pub(crate) struct Response {
    id: Option<String>,
    pub(crate) model: Option<String>,
    /// The replies of a provider that may give several, by their index.
    replies: Vec<(u64, Reply)>,
    /// The only reply of other providers.
    single: Option<Reply>,
    /// Log-probabilities beside the message.
    tokens: Option<Tokens>,
    stop: Option<String>,
    status: Option<String>,
    usage: Option<Usage>,
    cache: CacheTokens,
    error: Option<String>,
    is_any: bool,
    /// Whether an envelope held an object.
    has_body: bool,
    /// The fields `type` and `content`, by which a reply of Anthropic is known.
    kind: Option<String>,
    blocks: Option<Blocks>,
}

impl Response {
    /// Reads a response that is an object.
    pub(crate) fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.object(RESPONSE, |json, field| match field {
            "id" => {
                let id = json.optional(Json::name)?;
                self.id = self.id.take().or(id);
                Ok(())
            }
            field => self.field(json, field),
        })
    }

    /// Whether a field with a reply or an error was read.
    pub(crate) fn is_any(&self) -> bool {
        self.is_any || self.is_message()
    }

    /// Whether an envelope held a reply of an unknown form.
    pub(crate) fn is_unknown(&self) -> bool {
        self.has_body && !self.is_any()
    }

    /// Whether this is a reply in the form of Anthropic's Messages API.
    fn is_message(&self) -> bool {
        self.kind.as_deref() == Some("message") && self.blocks.is_some()
    }

    /// Reads one field of a response.
    pub(crate) fn field(&mut self, json: &mut Json<'_>, field: &str) -> Result<(), Error> {
        match field {
            "model" | "modelVersion" => {
                let model = json.optional(Json::text)?;
                self.model = self.model.take().or(model);
            }
            "responseId" => self.id = json.optional(Json::text)?.or(self.id.take()),
            "usage" => {
                if let Some((usage, cache)) = json.optional(usage)? {
                    (self.usage, self.cache) = (Some(usage), cache);
                }
            }
            "usageMetadata" => self.usage = json.optional(gemini_usage)?.or(self.usage.take()),
            "prompt_eval_count" => self.counts().input_tokens = json.optional(Json::count)?,
            "eval_count" => self.counts().output_tokens = json.optional(Json::count)?,
            "status" if json.token()? != b'"' => json.skip()?,
            "status" => self.status = json.optional(Json::text)?,
            "incomplete_details" => {
                json.optional(|json| {
                    json.object(&["reason"], |json, _| {
                        self.stop = json.optional(Json::text)?;
                        Ok(())
                    })
                })?;
            }
            "done_reason" => self.stop = json.optional(Json::text)?,
            "type" | "stop_reason" if json.token()? != b'"' => json.skip()?,
            "type" => self.kind = json.optional(Json::text)?,
            "stop_reason" => self.stop = json.optional(Json::text)?,
            "content" if json.token()? != b'[' => json.skip()?,
            "content" => self.blocks = Some(content(json)?),
            "logprobs" => self.tokens = json.optional(tokens)?,
            _ => return self.reply_field(json, field),
        }
        Ok(())
    }

    /// Reads a field that shows that this is a response.
    fn reply_field(&mut self, json: &mut Json<'_>, field: &str) -> Result<(), Error> {
        if json.null()? {
            return Ok(());
        }
        let is_body = field == "body" || (field == "response" && json.token()? != b'"');
        if is_body {
            // An envelope: `{"response": {"body": {…}}}`.
            self.has_body = true;
            return self.read(json);
        }
        self.is_any = true;
        match field {
            "choices" => json.list(|json| {
                let next = self.replies.len() as u64;
                self.replies.push(choice(json, next)?);
                Ok(())
            }),
            "candidates" => candidates(json, &mut self.replies),
            "output" => {
                self.single = Some(output(json)?);
                Ok(())
            }
            "promptFeedback" => {
                self.error = feedback(json)?.or(self.error.take());
                Ok(())
            }
            "error" => {
                self.error = error_text(json)?;
                Ok(())
            }
            "message" => {
                let ReadMessage { message, refusal, .. } = message(json)?;
                let (text, tool_calls) = (message.text, message.tool_calls);
                self.single = Some(Reply { text, refusal, tool_calls, ..Reply::default() });
                Ok(())
            }
            _ => {
                self.single = Some(Reply { text: json.text()?, ..Reply::default() });
                Ok(())
            }
        }
    }

    fn counts(&mut self) -> &mut Usage {
        self.usage.get_or_insert_default()
    }

    /// The turn that this response ends.
    pub(crate) fn turn(mut self, request: Vec<Message>) -> ReadTurn {
        if let (true, Some(blocks)) = (self.is_message(), self.blocks.take()) {
            let Blocks { text, refusal, calls: tool_calls, .. } = blocks;
            self.single = Some(Reply { text, refusal, tool_calls, ..Reply::default() });
            if let Some(usage) = &mut self.usage {
                self.cache.add_to(usage);
            }
        }
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
            reply.usage = self.usage.clone();
        }
        let silent = || turn.reply.is_none().then(|| "the log has no reply".to_owned());
        turn.error = self.error.or_else(silent);
        ReadTurn { turn, id: self.id, usage: self.usage }
    }
}

/// Reads one choice of a chat response, and its index.
fn choice(json: &mut Json<'_>, next: u64) -> Result<(u64, Reply), Error> {
    const CHOICE: &[&str] = &["index", "message", "finish_reason", "logprobs"];
    json.hold(size_of::<Reply>())?;
    let (mut index, mut reply, mut content) = (next, Reply::default(), None);
    let mut is_known = false;
    json.object(CHOICE, |json, field| {
        match field {
            "index" => index = json.optional(Json::count)?.unwrap_or(next),
            "message" => {
                is_known = true;
                json.optional(|json| {
                    let ReadMessage { message, refusal, .. } = message(json)?;
                    (reply.text, reply.tool_calls) = (message.text, message.tool_calls);
                    reply.refusal = refusal;
                    Ok(())
                })?;
            }
            "finish_reason" => reply.stop = json.optional(Json::text)?.map(Into::into),
            _ => {
                json.optional(|json| {
                    json.object(&["content"], |json, _| {
                        content = json.optional(tokens)?;
                        Ok(())
                    })
                })?;
            }
        }
        Ok(())
    })?;
    if !is_known {
        return Err(json.error_at("message", Problem::Missing));
    }
    reply.tokens = tokens_of(content, &reply.text);
    Ok((index, reply))
}

/// Reads an error: its text, or its `message` if it is an object.
pub(crate) fn error_text(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    match json.token()? {
        b'n' => json.null().map(|_| None),
        b'{' => {
            let mut text = None;
            json.object(&["message"], |json, _| {
                text = json.optional(Json::text)?;
                Ok(())
            })?;
            Ok(text.or_else(|| Some("an error without a message".to_owned())))
        }
        _ => json.text().map(Some),
    }
}
