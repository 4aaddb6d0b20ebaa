use std::collections::BTreeMap;

use censoring::StopReason;
use run_logs::{Message, RecordedCall, Reply, Role, Run};
use tool_graph::{CallRecord, Episode, Tool, costbench::Task};
use trajectory_metrics::tool_calls::Value;

use crate::{
    costbench::{
        instance::Instance,
        outcome::CostBenchRecord,
        preferences::{Preferences, dimension_of},
        reply_rules::{digits, found_number, has_answer, is_id, is_last_word},
        texts::{self, definitions},
        world::World,
    },
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    values::{checker::answer_in, record::ReplyEvent, request::Request},
};

/// A conversation in which a model solves one query of CostBench. Made by
/// [`Instance::conversation`].
///
/// - If a reply has several calls, only the first is made.
/// - A parameter with an unknown value counts as missing, so that the call fails because of wrong parameters. A call whose inputs
///   were not obtained yet fails as inaccessible, whatever its identifiers.
/// - `<answer>` ends the conversation. Calls in the same reply are not made.
/// - [`ReplyRules`](super::ReplyRules) says which arguments and answers are taken, whether the last call leaves a reply for an
///   answer, and whether a reply without a call ends the conversation. If it does not, the user reminds the model after each
///   reply without a call and without an answer. Too many such replies in a row end the conversation
///   ([`CostBench::with_patience`](super::CostBench::with_patience)) as one with unreadable replies: this is no limit fixed in
///   advance, so it cannot be censored.
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
    replies: usize,
    /// The latest text that can contain an answer; empty after a reply without text.
    last_word: String,
}

impl Instance {
    /// Starts a conversation in which the model solves the query.
    #[must_use]
    pub fn conversation(&self) -> CostBenchConversation<'_> {
        let Self { query, settings, .. } = self;
        let world = self.world();
        let request = Request {
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            parallel_tool_calls: Some(false),
            ..Request::new(vec![
                Message::new(Role::System, texts::system(self)),
                Message::new(Role::User, texts::request_text(self, &world)),
            ])
        };
        let mut run = Run::new(query.id.clone());
        run.task = Some(query.task().name().to_owned());
        let mut conversation = CostBenchConversation {
            instance: self,
            episode: Episode::new(&self.scenario),
            tools: Vec::new(),
            world,
            preferences: query.preferences,
            dialogue: Dialogue::new(run, request),
            idle: 0,
            replies: 0,
            last_word: String::new(),
        };
        conversation.show_tools();
        conversation
    }
}

impl CostBenchConversation<'_> {
    /// Shows the tools in their current state.
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
        let arguments = self.instance.settings.reply_rules.arguments(&call.arguments);
        let arguments = arguments.unwrap_or_default();
        let given = self.given(call, &arguments, &mut events);
        for event in &events[noted..] {
            self.dialogue.note(event.clone());
        }
        let record = self.episode.call_with(&call.name, &given)?;
        let price = texts::price(record.cost);
        let result = if record.status.is_done() {
            Ok(self.output(&arguments, &record, &price))
        } else {
            let events: Vec<&ReplyEvent> = events.iter().collect();
            let own = || format!("{}\n{price}", texts::fault(&call.name, &record.status, &events));
            let tool = self.tools.iter().find(|tool| tool.name == call.name);
            let (episode, given) = (&self.episode, (&arguments, &events[..]));
            let instance = self.instance;
            Err(texts::released_fault(instance, episode, tool, &record, self.replies, given)
                .unwrap_or_else(own))
        };
        self.dialogue.answer_call(0, result);
        Ok(record)
    }

    /// Returns the names of the parameters that a call gives; parameters with unusable values are left out.
    fn given(
        &self,
        call: &RecordedCall,
        arguments: &BTreeMap<String, Value>,
        events: &mut Vec<ReplyEvent>,
    ) -> Vec<String> {
        let tool = self.dialogue.request().and_then(|request| request.tool(&call.name));
        let ignores_extra = self.instance.settings.reply_rules.ignores_extra_parameters;
        let mut given = Vec::new();
        for (name, value) in arguments {
            let parameter =
                tool.and_then(|tool| tool.parameters.iter().find(|it| it.name == *name));
            let is_usable = match (parameter, value) {
                (None, _) => tool.is_none() || !ignores_extra,
                (Some(parameter), _) if parameter.problem(value).is_some() => false,
                // Preferences are words, and a data type that was not obtained has no value at all.
                (_, Value::Text(id))
                    if dimension_of(name).is_none() && self.world.latest(name).is_some() =>
                {
                    let is_known = self.object(&call.name, name, id).is_some();
                    if !is_known {
                        events.push(ReplyEvent::InvalidValue {
                            call: 0,
                            tool: call.name.clone(),
                            argument: name.clone(),
                            problem: format!("{id:?} is not an identifier that you were given"),
                        });
                    }
                    is_known
                }
                _ => true,
            };
            if is_usable {
                given.push(name.clone());
            }
        }
        given
    }

    /// Returns the combination of the object with this id, as far as the rules take the id.
    fn object(&self, tool: &str, data_type: &str, id: &str) -> Option<u32> {
        let rules = self.instance.settings.reply_rules;
        let held = self.world.combination(data_type, id);
        let bare = || {
            let bracketed = format!("<{}>", id.trim_matches(['<', '>']));
            self.world.combination(data_type, &bracketed).filter(|_| rules.takes_bare_ids)
        };
        let forged = || {
            let number = digits(&id.replace(data_type, ""));
            let is_number = number.len() == 5;
            // The released environment looks only at the identifiers of single tools.
            let is_unseen =
                || self.tools.iter().any(|it| it.name == tool && it.components.len() > 1);
            let is_taken = data_type == "TimeInfo" || is_number || is_unseen();
            let number = number.parse().ok();
            let is_place = || self.world.is_place(number.unwrap_or_default());
            let chooses = data_type == "LocationPreference" && self.chooses(tool);
            (rules.takes_forged_ids && is_taken && (!chooses || is_place()))
                .then(|| self.world.combination_of(data_type, number.unwrap_or_default()))
        };
        held.or_else(bare).or_else(forged)
    }

    /// Returns whether a tool chooses by preferences.
    fn chooses(&self, tool: &str) -> bool {
        let mut tools = self.tools.iter().filter(|it| it.name == tool);
        tools.any(|it| it.inputs.iter().any(|input| dimension_of(input).is_some()))
            && self.preferences.task() != Task::Location
    }

    /// Gives the model the result of a call.
    fn output(
        &mut self,
        arguments: &BTreeMap<String, Value>,
        record: &CallRecord,
        price: &str,
    ) -> String {
        let settings = &self.instance.settings;
        let entry = record.tool.and_then(|tool| settings.library.entries().get(tool).copied());
        let tool = self.tools.iter().find(|tool| tool.name == record.name);
        let (Some(entry), Some(tool)) = (entry, tool) else { return String::new() };
        let text = |name: &str| match arguments.get(name) {
            Some(Value::Text(text)) => text.as_str(),
            _ => "",
        };
        let mut wanted = [""; 4];
        let (mut from_object, mut place) = (None, None);
        for input in &tool.inputs {
            match dimension_of(input) {
                Some((_, dimension)) => wanted[dimension] = text(input),
                None if input == "TimeInfo" => {}
                // The place is known from the label, except to the tools that look for a location.
                None if input == "LocationPreference" && entry.task != Task::Location => {
                    place = self.object(&tool.name, input, text(input));
                }
                None => from_object = self.object(&tool.name, input, text(input)),
            }
        }
        let chosen = || Preferences::new(entry.task, wanted).ok();
        let chosen = || chosen().map(|chosen| self.world.number_of(&chosen, place));
        let made = from_object.or_else(chosen).unwrap_or_default();
        let is_list = entry.last >= 1 && entry.last + 1 < settings.library.task_length();
        let candidates = is_list.then(|| self.world.candidates(made, entry.last - 1));
        let outputs = tool.outputs.iter().map(|output| (output, self.world.give(output, made)));
        let outputs: Vec<_> = outputs.collect();
        let released =
            outputs.last().and_then(|(_, id)| texts::released_result(self.instance, tool, id));
        let own = || {
            let lines = outputs.iter().map(|(output, id)| texts::result(output, id, candidates));
            lines.chain([price.to_owned()]).collect::<Vec<_>>().join("\n")
        };
        released.unwrap_or_else(own)
    }

    /// Shows an event to the model, as far as the event is announced.
    fn after_event(&mut self, event: usize) {
        if let Some(change) = self.instance.change(event) {
            self.preferences = change.0;
            self.world
                .restart(change.0.task(), change.1.as_ref().map(|released| released.entry().given));
            let (world, replies) = (&self.world, self.replies);
            let text = texts::new_preferences(self.instance, world, change, event, replies);
            self.dialogue.say(Role::User, text);
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

    through_dialogue!(|it| it.dialogue.problem());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let (text, calls) = (reply.text.clone(), reply.tool_calls.clone());
        let events = self.dialogue.take(reply)?;
        let rules = self.instance.settings.reply_rules;
        self.replies += 1;
        if is_last_word(&text) || text.is_empty() {
            self.last_word.clone_from(&text);
        }
        let answer = answer_in(&text);
        let is_answered = match rules.finds_answers {
            true => has_answer(&text),
            false => answer.is_ok(),
        };
        if is_answered {
            for call in 0..calls.len() {
                self.dialogue.answer_call(call, Err(texts::ANSWERED.to_owned()));
            }
            self.dialogue.end(StopReason::Completed);
            return Ok(());
        }
        let problem = answer.err().filter(|_| text.contains("<answer>"));
        if let Some(problem) = problem.clone() {
            self.dialogue.note(ReplyEvent::Unreadable { problem });
        }
        let Some(first) = calls.first() else {
            let is_known = |event: &ReplyEvent| {
                matches!(event, ReplyEvent::EmptyText | ReplyEvent::Refusal { .. })
            };
            if problem.is_none() && !events.iter().any(is_known) {
                let problem = "there is neither a call nor an answer".to_owned();
                self.dialogue.note(ReplyEvent::Unreadable { problem });
            }
            if rules.ends_at_text {
                // A model that gives up without an answer has still completed the conversation.
                self.dialogue.end(StopReason::Completed);
            } else {
                self.remind(problem.as_deref());
            }
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
            self.dialogue.answer_call(call, Err(texts::one_call(self.instance)));
        }
        if let Some(event) = record.event {
            self.after_event(event);
        }
        let limit = self.instance.settings.call_limit;
        if rules.limits_replies && self.replies >= limit {
            self.dialogue.end_at_limit("replies", limit, "no reply is left for an answer");
        }
        Ok(())
    }

    fn finish(self) -> CostBenchRecord {
        let right = self.world.right_answer(&self.preferences);
        let answer = answer_in(&self.last_word).ok();
        let is_right = match self.instance.settings.reply_rules.finds_answers {
            true => found_number(&self.last_word).is_some_and(|number| number == digits(&right)),
            false => answer.is_some_and(|answer| is_id(answer, &right)),
        };
        let transcript = self.episode.finish(is_right);
        let answer = answer.map(str::to_owned);
        CostBenchRecord::new(self.instance, self.dialogue.finish(), transcript, answer)
    }
}
