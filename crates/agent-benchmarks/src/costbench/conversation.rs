use censoring::StopReason;
use run_logs::{Arguments, RecordedCall, Reply, Role, Run};
use scoring_rules::DecimalSum;
use tool_graph::{CallRecord, Episode, Tool, costbench::Task};
use trajectory_metrics::tool_calls::Value;

use crate::{
    costbench::{
        answer::is_id,
        instance::Instance,
        outcome::CostBenchRecord,
        preferences::{Preferences, combination, dimension_of},
        texts,
        tools::definitions,
        world::World,
    },
    engines::{conversation::Conversation, dialogue::Dialogue, model::ModelError},
    error::Error,
    values::{answer::answer_in, reply_event::ReplyEvent, request::Request},
};

/// A conversation in which a model solves one query of CostBench. Made by
/// [`Instance::conversation`].
///
/// - Of several calls in one reply, the first is made.
/// - A parameter with an unknown value counts as not given, so that the call fails as one with wrong
///   parameters. A call whose inputs were not obtained yet fails as an inaccessible one, whatever
///   identifiers it gives for them.
/// - `<answer>` ends the conversation. Calls beside it are not made.
/// - After the last call, the model can still answer; another call ends the conversation.
/// - After each reply without a call and without an answer, the user reminds the model; too many such
///   replies in a row end the conversation ([`CostBench::with_patience`](super::CostBench::with_patience))
///   as one whose replies cannot be read: this is no limit that was fixed in advance, which could be
///   censored.
#[derive(Clone, Debug)]
pub struct CostBenchConversation<'a> {
    instance: &'a Instance,
    episode: Episode<'a>,
    /// The tools that the model sees.
    tools: Vec<Tool>,
    world: World,
    preferences: Preferences,
    dialogue: Dialogue,
    idle: usize,
    paid: DecimalSum,
    answer: Option<String>,
    answer_is_right: bool,
}

impl Instance {
    /// A conversation in which the model solves the query.
    #[must_use]
    pub fn conversation(&self) -> CostBenchConversation<'_> {
        CostBenchConversation::new(self)
    }

    /// Repeats the conversation of a record, for example of one that was read from a log: the same
    /// replies lead to the same calls, costs and scores.
    ///
    /// # Errors
    ///
    /// [`Error::StoredValue`] if the run belongs to another query, and [`Error::Ended`] if it has
    /// more replies than the conversation takes.
    pub fn replay(&self, run: &Run) -> Result<CostBenchRecord, Error> {
        if run.id != self.query.id {
            let problem =
                format!("the run is of query {:?}; it must be of {:?}", run.id, self.query.id);
            return Err(Error::StoredValue { problem });
        }
        let mut conversation = self.conversation();
        for turn in &run.turns {
            match &turn.reply {
                Some(reply) => conversation.reply(reply.clone())?,
                None => {
                    let message = turn.error.clone().unwrap_or_default();
                    conversation.fail(&ModelError { message });
                }
            }
        }
        Ok(conversation.finish())
    }
}

impl<'a> CostBenchConversation<'a> {
    fn new(instance: &'a Instance) -> Self {
        let query = &instance.query;
        let mut world = World::new(instance.seed);
        world.restart(query.task());
        let settings = &instance.settings;
        let mut request = Request {
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            ..Request::default()
        };
        request.messages = vec![
            run_logs::Message::new(Role::System, texts::instructions(instance)),
            run_logs::Message::new(Role::User, texts::request_text(instance, &world)),
        ];
        let mut run = Run::new(query.id.clone());
        run.task = Some(query.task().name().to_owned());
        let episode = Episode::new(&instance.scenario);
        let mut conversation = Self {
            instance,
            episode,
            tools: Vec::new(),
            world,
            preferences: query.preferences,
            dialogue: Dialogue::new(run, request),
            idle: 0,
            paid: DecimalSum::default(),
            answer: None,
            answer_is_right: false,
        };
        conversation.show_tools();
        conversation
    }

    /// Shows the tools as they are now.
    fn show_tools(&mut self) {
        self.tools = self.episode.visible_tools();
        let (settings, split) = (&self.instance.settings, self.preferences.split());
        self.dialogue.request_mut().tools = definitions(settings, &self.tools, split);
    }

    /// Makes the first call of a reply.
    fn make_call(
        &mut self,
        call: &RecordedCall,
        events: &[ReplyEvent],
    ) -> Result<CallRecord, Error> {
        let mut events: Vec<ReplyEvent> =
            events.iter().filter(|event| event.call() == Some(0)).cloned().collect();
        let noted = events.len();
        let given = self.given(call, &mut events);
        for event in &events[noted..] {
            self.dialogue.note(event.clone());
        }
        let record = self.episode.call_with(&call.name, &given)?;
        self.paid.add(record.cost);
        let account = texts::account(record.cost, self.paid.value(), self.episode.calls_left());
        let result = if record.status.is_done() {
            Ok(format!("{}\n{account}", self.output(call, &record)))
        } else {
            let events: Vec<&ReplyEvent> = events.iter().collect();
            Err(format!("{}\n{account}", texts::fault(&call.name, &record.status, &events)))
        };
        self.dialogue.answer_call(0, result);
        Ok(record)
    }

    /// The names of the parameters that a call gives; those with unusable values are left out.
    fn given(&self, call: &RecordedCall, events: &mut Vec<ReplyEvent>) -> Vec<String> {
        let Arguments::Parsed(Value::Map(arguments)) = &call.arguments else { return Vec::new() };
        let is_invalid = |name: &str| {
            events.iter().any(|event| {
                matches!(event, ReplyEvent::InvalidValue { argument, .. } if argument == name)
            })
        };
        let mut given: Vec<String> =
            arguments.keys().filter(|name| !is_invalid(name)).cloned().collect();
        given.retain(|name| {
            let Some(Value::Text(id)) = arguments.get(name) else { return true };
            // Preferences are words, and a data type that was not obtained has no value at all.
            let is_object = dimension_of(name).is_none() && self.world.latest(name).is_some();
            if !is_object || self.world.combination(name, id).is_some() {
                return true;
            }
            events.push(ReplyEvent::InvalidValue {
                call: 0,
                tool: call.name.clone(),
                argument: name.clone(),
                problem: format!("{id:?} is not an identifier that you were given"),
            });
            false
        });
        given
    }

    /// Gives the model what a call returns.
    fn output(&mut self, call: &RecordedCall, record: &CallRecord) -> String {
        let settings = &self.instance.settings;
        let entry = record.tool.and_then(|tool| settings.library.entries().get(tool).copied());
        let tool = self.tools.iter().find(|tool| tool.name == record.name);
        let (Some(entry), Some(tool)) = (entry, tool) else { return String::new() };
        let Arguments::Parsed(Value::Map(arguments)) = &call.arguments else {
            return String::new();
        };
        let text = |name: &str| match arguments.get(name) {
            Some(Value::Text(text)) => text.as_str(),
            _ => "",
        };
        let mut wanted = [""; 4];
        let mut from_object = None;
        for input in &tool.inputs {
            match dimension_of(input) {
                Some((_, dimension)) => wanted[dimension] = text(input),
                None if input == "TimeInfo" => {}
                // The place is known from the label, except to the tools that look for a location.
                None if input == "LocationPreference" && entry.task != Task::Location => {}
                None => from_object = self.world.combination(input, text(input)),
            }
        }
        let made = from_object.or_else(|| combination(entry.task, wanted)).unwrap_or_default();
        let is_list = entry.last >= 1 && entry.last + 1 < settings.library.task_length();
        let candidates = is_list.then(|| self.world.candidates(made, entry.last - 1));
        let lines = tool.outputs.iter().map(|output| {
            let id = self.world.give(output, made);
            texts::result(output, &id, candidates)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Lets the model see an event, as far as it is told.
    fn after_event(&mut self, event: usize) {
        if let Some(preferences) = self.instance.preferences_after(event) {
            self.preferences = preferences;
            self.world.restart(preferences.task());
            self.dialogue
                .say(Role::User, texts::new_preferences(self.instance, &preferences, event));
        }
        self.show_tools();
    }

    /// Takes a reply without a call and without an answer.
    fn remind(&mut self, problem: Option<&str>) {
        self.idle += 1;
        if self.idle >= self.instance.settings.patience {
            self.dialogue.end(StopReason::ParseError);
            return;
        }
        let goal = self.preferences.task().goal();
        self.dialogue.say(Role::User, texts::reminder(goal, self.episode.calls_left(), problem));
    }
}

impl Conversation for CostBenchConversation<'_> {
    type Record = CostBenchRecord;

    fn request(&self) -> Option<&Request> {
        self.dialogue.request()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let (text, calls) = (reply.text.clone(), reply.tool_calls.clone());
        let events = self.dialogue.take(reply)?;
        let answer = answer_in(&text);
        if let Ok(Some(answer)) = answer {
            for call in 0..calls.len() {
                self.dialogue.answer_call(call, Err(texts::ANSWERED.to_owned()));
            }
            self.answer_is_right = is_id(answer, &self.world.right_answer(&self.preferences));
            self.answer = Some(answer.to_owned());
            self.dialogue.end(StopReason::Completed);
            return Ok(());
        }
        let problem = answer.err();
        if let Some(problem) = problem {
            self.dialogue.note(ReplyEvent::Unreadable { problem: problem.to_owned() });
        }
        let Some(first) = calls.first() else {
            let is_known = |event: &ReplyEvent| {
                matches!(event, ReplyEvent::EmptyText | ReplyEvent::Refusal { .. })
            };
            if problem.is_none() && !events.iter().any(is_known) {
                let problem = "there is neither a call nor an answer".to_owned();
                self.dialogue.note(ReplyEvent::Unreadable { problem });
            }
            self.remind(problem);
            return Ok(());
        };
        self.idle = 0;
        if self.episode.calls_left() == 0 {
            let limit = self.instance.settings.call_limit;
            self.dialogue.end_at_limit("tool_calls", limit, "a call after the last one");
            return Ok(());
        }
        if calls.len() > 1 {
            self.dialogue.note(ReplyEvent::SeveralCalls { made: calls.len() });
        }
        let record = self.make_call(first, &events)?;
        for call in 1..calls.len() {
            self.dialogue.answer_call(call, Err(texts::ONE_CALL.to_owned()));
        }
        if let Some(event) = record.event {
            self.after_event(event);
        }
        Ok(())
    }

    fn fail(&mut self, error: &ModelError) {
        self.dialogue.fail(error);
    }

    fn finish(self) -> CostBenchRecord {
        let transcript = self.episode.finish(self.answer_is_right);
        CostBenchRecord::new(self.instance, self.dialogue.finish(), transcript, self.answer)
    }
}
