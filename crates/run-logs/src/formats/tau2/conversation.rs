use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::ReadOptions,
    formats::{
        chat::messages,
        token_counts::{Counts, Dialect},
    },
    values::run::{Arguments, Caller, Message, RecordedCall, Reply, Role, Turn, Usage},
};

/// The turns of a simulation while its messages are read.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) turns: Vec<Turn>,
    /// The messages that the agent has seen, if requests are wanted.
    seen: Option<Vec<Message>>,
    /// Whether a message of the agent or the user was read.
    has_begun: bool,
    /// The first turn that may have calls without a result.
    first_open: usize,
}

impl Conversation {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let seen = options.requests.then(Vec::new);
        Self { turns: Vec::new(), seen, has_begun: false, first_open: 0 }
    }

    /// Reads `messages`.
    pub(crate) fn read_messages(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.list(|json| {
            match entry(json)? {
                Entry::Said(role, said) => self.say(json, role, said)?,
                Entry::Results(results) => self.answer(results),
            }
            Ok(())
        })
    }

    /// Reads `ticks`, the moments of a spoken conversation with simultaneous actions of both sides. A tick is a turn of a side
    /// only if the side speaks or calls a tool.
    pub(crate) fn read_ticks(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        json.list(|json| {
            let (mut agent, mut user) = (Said::default(), Said::default());
            let (mut agent_calls, mut user_calls) = (Vec::new(), Vec::new());
            let (mut agent_results, mut user_results) = (Vec::new(), Vec::new());
            fields!(given |json| {
                "agent_chunk" => agent = entry(json)?.said(),
                "user_chunk" => user = entry(json)?.said(),
                "agent_tool_calls" => agent_calls = calls(json)?,
                "user_tool_calls" => user_calls = calls(json)?,
                "agent_tool_results" => agent_results = results(json)?,
                "user_tool_results" => user_results = results(json)?,
            })?;
            agent.calls = agent_calls;
            user.calls = user_calls;
            for (role, said, results) in
                [(Role::Assistant, agent, agent_results), (Role::User, user, user_results)]
            {
                if !(said.text.is_empty() && said.calls.is_empty()) {
                    self.say(json, role, said)?;
                }
                self.answer(results);
            }
            Ok(())
        })
    }

    fn say(&mut self, json: &mut Json<'_>, role: Role, said: Said) -> Result<(), Error> {
        if matches!(role, Role::System | Role::Tool) {
            self.see(Message::new(role, said.text));
            return Ok(());
        }
        let caller = if role == Role::Assistant { Caller::Agent } else { Caller::User };
        // The benchmark itself greets the user in the agent's name, at no cost.
        let is_free = |usage: &Usage| usage.input_tokens.is_none() && usage.cost_usd == Some(0.0);
        let is_greeting = !self.has_begun
            && caller == Caller::Agent
            && said.calls.is_empty()
            && said.usage.as_ref().is_some_and(is_free);
        self.has_begun = true;
        // A side calls the tools of the other one only in exceptional protocols.
        let (own, others): (Vec<_>, Vec<_>) =
            said.calls.into_iter().partition(|(_, by)| *by == caller);
        let own: Vec<RecordedCall> = own.into_iter().map(|(call, _)| call).collect();
        if caller == Caller::Agent {
            json.hold(self.seen.iter().flatten().map(Message::size).sum())?;
        }
        let before = self.seen.clone().filter(|_| caller == Caller::Agent).unwrap_or_default();
        let mut message = Message::new(role, said.text.clone());
        message.tool_calls = if caller == Caller::Agent { own.clone() } else { Vec::new() };
        if caller == Caller::Agent || !said.text.is_empty() {
            self.see(message);
        }
        if !is_greeting {
            self.push(caller, before, said.text, own, said.usage);
        }
        for (call, by) in others {
            self.push(by, Vec::new(), String::new(), vec![call], None);
        }
        Ok(())
    }

    fn push(
        &mut self,
        caller: Caller,
        request: Vec<Message>,
        text: String,
        tool_calls: Vec<RecordedCall>,
        usage: Option<Usage>,
    ) {
        let reply = Reply { text, tool_calls, usage, ..Reply::default() };
        self.turns.push(Turn { caller, request, reply: Some(reply), ..Turn::default() });
    }

    fn see(&mut self, message: Message) {
        if let Some(seen) = &mut self.seen {
            seen.push(message);
        }
    }

    /// Notes the results of tools. A result without an id belongs to the first open call of its caller.
    fn answer(&mut self, results: Vec<ToolResult>) {
        for result in results {
            let is_open = |call: &&mut RecordedCall| call.ok.is_none();
            let open = self.turns.iter_mut().skip(self.first_open);
            let mut calls = open
                .filter(|turn| turn.caller == result.caller)
                .filter_map(|turn| turn.reply.as_mut())
                .flat_map(|reply| &mut reply.tool_calls)
                .filter(is_open);
            let call = match result.id.as_str() {
                "" => calls.next(),
                id => calls.find(|call| call.id.as_deref() == Some(id)),
            };
            if let Some(call) = call {
                call.ok = Some(!result.is_error);
                call.error = result.is_error.then(|| result.text.clone());
            }
            if result.caller == Caller::Agent {
                let tool_call_id = Some(result.id).filter(|id| !id.is_empty());
                self.see(Message { tool_call_id, ..Message::new(Role::Tool, result.text) });
            }
        }
        let is_closed = |turn: &Turn| turn.calls().iter().all(|call| call.ok.is_some());
        while self.turns.get(self.first_open).is_some_and(is_closed) {
            self.first_open += 1;
        }
    }
}

/// A message of the agent, of the simulated user, or of the system.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// The calls, and who makes them.
    pub(crate) calls: Vec<(RecordedCall, Caller)>,
    pub(crate) usage: Option<Usage>,
}

/// A result of a tool.
#[derive(Debug)]
pub(crate) struct ToolResult {
    pub(crate) id: String,
    pub(crate) caller: Caller,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// The content of one entry of the messages.
#[derive(Debug)]
pub(crate) enum Entry {
    Said(Role, Said),
    Results(Vec<ToolResult>),
}

impl Entry {
    /// Returns the text; results of tools say nothing.
    fn said(self) -> Said {
        if let Self::Said(_, said) = self { said } else { Said::default() }
    }
}

/// Reads a message of any role.
pub(crate) fn entry(json: &mut Json<'_>) -> Result<Entry, Error> {
    json.hold(size_of::<Entry>())?;
    let (mut role, mut said, mut is_audio) = (None, Said::default(), false);
    let (mut id, mut caller, mut is_error, mut several) = (String::new(), None, false, None);
    let (mut used, mut cost) = (None, None);
    fields!(given |json| {
        "role" => role = Some(messages::role(json)?),
        "content" => said.text = json.text()?,
        "tool_calls" => said.calls = calls(json)?,
        "cost" => cost = Some(json.amount()?),
        "usage" => used = Some(Counts::read(json)?.usage(Dialect::OpenAi)),
        "is_audio" => is_audio = json.boolean()?,
        "id" => id = json.name()?,
        "requestor" => caller = requestor(json)?,
        "error" => is_error = json.boolean()?,
        "tool_messages" => several = Some(results(json)?),
    })?;
    let role = role.ok_or_else(|| json.error_at("role", Problem::Missing))?;
    if used.is_some() || cost.is_some() {
        let used = used.unwrap_or_default();
        said.usage = Some(Usage { cost_usd: cost.or(used.cost_usd), ..used });
    }
    // The content of a spoken message is encoded audio.
    if is_audio {
        said.text.clear();
    }
    Ok(match (role, several) {
        (Role::Tool, Some(results)) => Entry::Results(results),
        (Role::Tool, None) => {
            let caller = caller.unwrap_or_default();
            Entry::Results(vec![ToolResult { id, caller, text: said.text, is_error }])
        }
        (role, _) => Entry::Said(role, said),
    })
}

/// Reads results of tools.
pub(crate) fn results(json: &mut Json<'_>) -> Result<Vec<ToolResult>, Error> {
    let results = json.list_of(|json| match entry(json)? {
        Entry::Results(found) => Ok(found),
        Entry::Said(..) => {
            let (value, expected) = ("another role".to_owned(), "tool");
            Err(json.error_at("role", Problem::Value { value, expected }))
        }
    })?;
    Ok(results.into_iter().flatten().collect())
}

/// Reads `tool_calls`, and who makes each call.
pub(crate) fn calls(json: &mut Json<'_>) -> Result<Vec<(RecordedCall, Caller)>, Error> {
    json.list_of(|json| {
        let (mut id, mut name, mut caller) = (None, None, None);
        let mut arguments = Arguments::default();
        fields!(|json| {
            "id" => id = json.optional(Json::name)?.filter(|id| !id.is_empty()),
            "name" => name = Some(json.text()?),
            "arguments" => arguments = Arguments::Parsed(Value::Map(json.value_map()?)),
            "requestor" => caller = requestor(json)?,
        })?;
        let name = name.ok_or_else(|| json.error_at("name", Problem::Missing))?;
        let mut call = RecordedCall::new(name, arguments);
        call.id = id;
        Ok((call, caller.unwrap_or_default()))
    })
}

/// Reads the caller of a tool: `assistant` or `user`.
pub(crate) fn requestor(json: &mut Json<'_>) -> Result<Option<Caller>, Error> {
    json.optional(|json| {
        json.word("assistant or user", |word| match word {
            "assistant" => Some(Caller::Agent),
            "user" => Some(Caller::User),
            _ => None,
        })
    })
}
