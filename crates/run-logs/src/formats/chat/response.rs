use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::{Error, Problem},
    formats::{
        chat::{
            gemini::{candidates, feedback},
            logprobs::{tokens, tokens_of},
            messages::{Blocks, ReadMessage, content, message},
            output::output,
        },
        counts::{Counts, Dialect},
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
    id: Option<String>,
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
    blocks: Option<Blocks>,
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
            "content" if json.token()? == b'[' => self.blocks = Some(content(json)?),
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
            "message" => json.optional(message)?.map(|read| {
                let ReadMessage { message, refusal, .. } = read;
                let (text, tool_calls) = (message.text, message.tool_calls);
                self.show(Reply { text, refusal, tool_calls, ..Reply::default() });
            }),
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
        if let (true, Some(blocks)) = (is_message, self.blocks.take()) {
            let Blocks { text, refusal, calls: tool_calls, .. } = blocks;
            self.single = Some(Reply { text, refusal, tool_calls, ..Reply::default() });
        }
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
    let (mut index, mut reply, mut content) = (next, Reply::default(), None);
    let mut is_known = false;
    fields!(|json| {
        "index" => index = json.optional(Json::count)?.unwrap_or(next),
        "message" => {
            is_known = true;
            json.optional(|json| {
                let ReadMessage { message, refusal, .. } = message(json)?;
                (reply.text, reply.tool_calls) = (message.text, message.tool_calls);
                reply.refusal = refusal;
                Ok(())
            })?;
        },
        "finish_reason" => reply.stop = json.optional(Json::text)?.map(Into::into),
        "logprobs" => json.optional(|json| {
            fields!(|json| { "content" => content = json.optional(tokens)?, })
        })?,
    })?;
    if !is_known {
        return Err(json.error_at("message", Problem::Missing));
    }
    reply.tokens = tokens_of(content, &reply.text);
    Ok((index, reply))
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
