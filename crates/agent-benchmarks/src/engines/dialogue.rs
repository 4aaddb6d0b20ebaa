use censoring::StopReason;
use run_logs::{Caller, Message, Reply, Role, Run, RunLimit, Turn, Usage};
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::conversation::ModelError,
    error::Error,
    values::{
        record::{Record, ReplyEvent, TurnEvent, reply_events},
        request::Request,
        tool_definition::object,
    },
};

/// Implements the methods of a conversation that its field `dialogue` answers. The argument is the expression for the problem
/// with a reply of `$this`.
macro_rules! through_dialogue {
    (|$this:ident| $problem:expr) => {
        fn request(&self) -> Option<&crate::values::request::Request> {
            self.dialogue.request()
        }

        fn problem(&self) -> Option<String> {
            let $this = self;
            $problem
        }

        fn fail(&mut self, error: &crate::engines::conversation::ModelError) {
            self.dialogue.fail(error);
        }
    };
}
pub(crate) use through_dialogue;

/// The field for the messages of requests in the metadata of a run.
const REQUESTS: &str = "requests";

/// The waiting request of a conversation, and the record of its turns.
///
/// Every protocol contains a dialogue. The protocol decides the next request; the dialogue keeps the records.
#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    request: Request,
    run: Run,
    events: Vec<TurnEvent>,
    has_ended: bool,
    /// The messages of the request of each turn, except for messages that repeat the dialogue before it.
    requests: Vec<Value>,
    /// The messages of the last request, and the reply to it.
    known: Vec<Message>,
}

impl Dialogue {
    /// Starts with a request. `run` has the facts that are known before the first reply.
    pub(crate) fn new(run: Run, request: Request) -> Self {
        let (events, requests, known) = <(Vec<_>, Vec<_>, Vec<_>)>::default();
        Self { request, run, events, has_ended: false, requests, known }
    }

    /// Returns the request that waits for a reply.
    pub(crate) fn request(&self) -> Option<&Request> {
        (!self.has_ended).then_some(&self.request)
    }

    /// Returns the messages and settings of the request. They are available after the end, too.
    pub(crate) const fn request_so_far(&self) -> &Request {
        &self.request
    }

    /// Returns the request in preparation, for changes to its messages and tools.
    pub(crate) fn request_mut(&mut self) -> &mut Request {
        &mut self.request
    }

    /// Keeps the messages of the waiting request.
    fn keep_request(&mut self) {
        let messages = &self.request.messages;
        let repeats = messages.iter().zip(&self.known).take_while(|(new, old)| new == old).count();
        let new = messages[repeats..].iter().map(|message| {
            object(vec![
                ("role", message.role.name().into()),
                ("content", message.text.as_str().into()),
            ])
        });
        self.requests.push(object(vec![
            ("repeats", Value::Integer(repeats as i128)),
            ("messages", new.collect::<Vec<_>>().into()),
        ]));
    }

    /// Takes a reply: adds it to the messages and to the record, and returns its problems.
    pub(crate) fn take(&mut self, reply: Reply) -> Result<Vec<ReplyEvent>, Error> {
        if self.has_ended {
            return Err(Error::Ended);
        }
        self.keep_request();
        let events = reply_events(&self.request, &reply);
        events.iter().for_each(|event| self.note_at(self.run.turns.len(), event.clone()));
        self.request.messages.push(Message {
            role: Role::Assistant,
            text: reply.text.clone(),
            tool_calls: reply.tool_calls.clone(),
            tool_call_id: None,
        });
        self.known.clone_from(&self.request.messages);
        let mut turn = Turn::default();
        turn.reply = Some(reply);
        self.run.turns.push(turn);
        Ok(events)
    }

    /// Records an event of the latest reply.
    pub(crate) fn note(&mut self, event: ReplyEvent) {
        self.note_at(self.run.turns.len().saturating_sub(1), event);
    }

    /// Marks the latest reply as one to be requested again, so that its turn is no step of the run.
    pub(crate) fn discard_reply(&mut self) {
        if let Some(turn) = self.run.turns.last_mut() {
            turn.caller = Caller::FailedAttempt;
        }
    }

    fn note_at(&mut self, turn: usize, event: ReplyEvent) {
        self.events.push(TurnEvent { turn, event });
    }

    /// Adds a message of the user or of the system.
    pub(crate) fn say(&mut self, role: Role, text: impl Into<String>) {
        self.request.messages.push(Message::new(role, text));
    }

    /// Answers a call of the latest reply, and records whether the call worked: `Err` has the message that is also sent to the
    /// model.
    pub(crate) fn answer_call(&mut self, call: usize, result: Result<String, String>) {
        let reply = self.run.turns.last_mut().and_then(|turn| turn.reply.as_mut());
        let Some(made) = reply.and_then(|reply| reply.tool_calls.get_mut(call)) else { return };
        made.ok = Some(result.is_ok());
        made.error = result.as_ref().err().cloned();
        let text = result.unwrap_or_else(|error| error);
        let mut message = Message::new(Role::Tool, text);
        message.tool_call_id.clone_from(&made.id);
        self.request.messages.push(message);
    }

    /// Ends the conversation because the model gives no reply.
    pub(crate) fn fail(&mut self, error: &ModelError) {
        if self.has_ended {
            return;
        }
        self.keep_request();
        let problem = error.message.clone();
        self.note_at(self.run.turns.len(), ReplyEvent::NoReply { problem: problem.clone() });
        let mut turn = Turn::default();
        turn.error = Some(problem.clone());
        self.run.turns.push(turn);
        self.run.error = Some(problem);
        self.end(StopReason::Other("no_reply".to_owned()));
    }

    /// Returns the reason why the latest reply could not be used, if there is one.
    pub(crate) fn problem(&self) -> Option<String> {
        let turn = self.run.turns.len().checked_sub(1)?;
        let events = self.events.iter().rev().take_while(|event| event.turn == turn);
        let mut problems = events.filter_map(|event| match &event.event {
            ReplyEvent::Unreadable { problem } => Some(problem.clone()),
            ReplyEvent::EmptyText => Some("it has neither text nor calls".to_owned()),
            _ => None,
        });
        problems.next()
    }

    /// Returns the reason why the latest reply could not be used, for protocols in which a truncated or refused reply
    /// is one of the measured outcomes; see [`Self::problem`].
    pub(crate) fn problem_if_whole(&self) -> Option<String> {
        let reply = self.run.turns.last().and_then(|turn| turn.reply.as_ref())?;
        let is_whole = reply.stop != Some(StopReason::MaxTokens) && reply.refusal.is_none();
        self.problem().filter(|_| is_whole)
    }

    /// Returns the reason for the end of the conversation; `None` while the conversation continues.
    pub(crate) const fn stop(&self) -> Option<&StopReason> {
        self.run.stop.as_ref()
    }

    /// Ends the conversation.
    pub(crate) fn end(&mut self, stop: StopReason) {
        self.has_ended = true;
        self.run.stop = Some(stop);
    }

    /// Ends the conversation at a limit.
    pub(crate) fn end_at_limit(&mut self, kind: &str, limit: usize, reason: &str) {
        self.end(StopReason::MaxSteps);
        self.run.limit = Some(RunLimit {
            kind: kind.to_owned(),
            limit: Some(limit as f64),
            reason: Some(reason.to_owned()),
        });
    }

    /// Continues after an end.
    pub(crate) fn reopen(&mut self) {
        self.has_ended = false;
        (self.run.stop, self.run.limit) = (None, None);
    }

    /// Returns the record, with the usage of all replies.
    pub(crate) fn finish(mut self) -> Record {
        let replies = self.run.turns.iter().filter_map(|turn| turn.reply.as_ref());
        let mut usages = replies.map(|reply| reply.usage.clone().unwrap_or_default());
        let first = usages.next();
        self.run.usage = first
            .map_or_else(Usage::default, |first| usages.fold(first, |sum, usage| sum.plus(&usage)));
        self.run.metadata.insert(REQUESTS.to_owned(), self.requests.into());
        Record { run: self.run, events: self.events }
    }
}
