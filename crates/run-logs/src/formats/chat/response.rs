use crate::{
    engines::json::reader::Json,
    error::Error,
    formats::chat::{
        gemini::{candidates, feedback},
        logprobs::{tokens, tokens_of},
        messages::message,
        output::output,
        usage::{gemini_usage, usage},
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
];

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
    model: Option<String>,
    /// The replies of a provider that may give several, by their index.
    replies: Vec<(u64, Reply)>,
    /// The only reply of other providers.
    single: Option<Reply>,
    /// Log-probabilities beside the message.
    tokens: Option<Tokens>,
    stop: Option<String>,
    status: Option<String>,
    usage: Option<Usage>,
    error: Option<String>,
    is_any: bool,
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
    pub(crate) const fn is_any(&self) -> bool {
        self.is_any
    }

    /// Reads one field of a response.
    pub(crate) fn field(&mut self, json: &mut Json<'_>, field: &str) -> Result<(), Error> {
        match field {
            "model" | "modelVersion" => {
                let model = json.optional(Json::text)?;
                self.model = self.model.take().or(model);
            }
            "responseId" => self.id = json.optional(Json::text)?.or(self.id.take()),
            "usage" => self.usage = json.optional(usage)?.or(self.usage.take()),
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
                let (message, refusal) = message(json)?;
                let (text, tool_calls) = (message.text, message.tool_calls);
                self.single = Some(Reply { text, refusal, tool_calls, ..Reply::default() });
                Ok(())
            }
            "response" if json.token()? == b'"' => {
                self.single = Some(Reply { text: json.text()?, ..Reply::default() });
                Ok(())
            }
            // Envelopes: `{"response": {"body": {…}}}`.
            _ => self.read(json),
        }
    }

    fn counts(&mut self) -> &mut Usage {
        self.usage.get_or_insert_default()
    }

    /// The turn that this response ends.
    pub(crate) fn turn(self, request: Vec<Message>) -> ReadTurn {
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
    json.object(CHOICE, |json, field| {
        match field {
            "index" => index = json.optional(Json::count)?.unwrap_or(next),
            "message" => {
                json.optional(|json| {
                    let (message, refusal) = message(json)?;
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
