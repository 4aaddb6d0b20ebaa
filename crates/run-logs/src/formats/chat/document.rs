use crate::{
    engines::json::reader::Json,
    error::{Error, Problem},
    format::Format,
    formats::chat::{
        messages::{messages, request},
        response::{ReadTurn, Response, error_text},
    },
    read_options::ReadOptions,
    values::{
        message::{Message, Reply, Role},
        run::{Run, Turn},
        usage::Usage,
    },
};

/// The fields of a run, and those of a response that stands alone.
const DOCUMENT: &[&str] = &[
    "id",
    "custom_id",
    "task",
    "trial",
    "outcome",
    "stop",
    "horizon",
    "turns",
    "messages",
    "request",
    // Those of `response::RESPONSE`:
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

/// Reads one document: a run with turns, a conversation, or one response.
pub(crate) fn read(
    json: &mut Json<'_>,
    format: Format,
    number: u64,
    options: &ReadOptions,
) -> Result<Run, Error> {
    let mut run = Run::default();
    let (mut id, mut custom_id) = (None, None);
    let (mut turns, mut conversation, mut sent) = (None, None, Vec::new());
    let mut response = Response::default();
    json.object(DOCUMENT, |json, field| {
        match field {
            "id" => {
                id = json.optional(Json::name)?;
                json.place_mut().sample = id.clone();
            }
            "custom_id" => custom_id = json.optional(Json::name)?,
            "task" => run.task = json.optional(Json::name)?,
            "trial" => run.trial = json.optional(Json::count)?,
            "outcome" => run.outcome = json.optional(Json::boolean)?,
            "stop" => run.stop = json.optional(Json::text)?.map(Into::into),
            "horizon" => run.horizon = json.optional(Json::count)?,
            "turns" => turns = json.optional(|json| exchanges(json, options))?,
            "messages" => conversation = json.optional(messages)?,
            "request" => sent = request(json, options)?,
            field => response.field(json, field)?,
        }
        Ok(())
    })?;
    let single = response.is_any().then(|| response.turn(sent));
    if turns.is_none() && conversation.is_none() && single.is_none() {
        let field = match format {
            Format::Exchanges => "turns",
            Format::OpenAiResponses => "output",
            Format::Gemini => "candidates",
            Format::Ollama => "message",
            _ => "messages",
        };
        return Err(json.error_at(field, Problem::Missing));
    }
    let alone = Usage::default();
    let mut used: Option<Usage> = None;
    let mut response_id = None;
    let parts = turns.into_iter().flatten().chain(single).map(|read| {
        response_id = response_id.take().or(read.id);
        let usage = read.usage.as_ref().unwrap_or(&alone);
        used = Some(used.as_ref().map_or_else(|| usage.clone(), |sum| sum.plus(usage)));
        read.turn
    });
    run.turns = conversation.map_or(Ok(Vec::new()), |said| spoken(json, said, options))?;
    let has_conversation = !run.turns.is_empty();
    run.turns.extend(parts);
    if let (Some(used), false) = (used, has_conversation) {
        run.usage = used;
    }
    run.model = run.turns.iter().find_map(|turn| turn.model.clone());
    run.id = custom_id.or(id).or(response_id).unwrap_or_else(|| number.to_string());
    Ok(run)
}

/// Reads recorded exchanges: `[{"request", "response"}]`.
fn exchanges(json: &mut Json<'_>, options: &ReadOptions) -> Result<Vec<ReadTurn>, Error> {
    let mut turns = Vec::new();
    json.list(|json| {
        json.hold(size_of::<ReadTurn>())?;
        let (mut sent, mut response, mut error) = (Vec::new(), Response::default(), None);
        json.object(&["request", "response", "error"], |json, field| {
            match field {
                "request" => sent = request(json, options)?,
                "response" => {
                    json.optional(|json| response.read(json))?;
                }
                _ => error = error_text(json)?,
            }
            Ok(())
        })?;
        let mut read = response.turn(sent);
        // An error of the exchange says more than that nothing was received.
        if read.turn.reply.is_none() || read.turn.error.is_none() {
            read.turn.error = error.or(read.turn.error);
        }
        turns.push(read);
        Ok(())
    })?;
    Ok(turns)
}

/// The turns of a conversation: one for each message of the model.
fn spoken(
    json: &mut Json<'_>,
    messages: Vec<(Message, Option<String>)>,
    options: &ReadOptions,
) -> Result<Vec<Turn>, Error> {
    let mut turns = Vec::new();
    let mut before: Vec<Message> = Vec::new();
    for (message, refusal) in messages {
        if message.role == Role::Assistant {
            let reply = Reply {
                text: message.text.clone(),
                refusal,
                tool_calls: message.tool_calls.clone(),
                ..Reply::default()
            };
            json.hold(before.iter().map(Message::size).sum())?;
            turns.push(Turn { request: before.clone(), reply: Some(reply), ..Turn::default() });
        }
        if options.requests() {
            before.push(message);
        }
    }
    Ok(turns)
}
