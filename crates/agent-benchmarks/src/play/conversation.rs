use budget_estimation::{Advice, AdviceReason, AnswerMode, BudgetMonitor, Estimate};
use censoring::StopReason;
use run_logs::{Message, Reply, Role, Run, Usage};

use crate::{
    budget::instance::estimates,
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    play::{
        environment::{End, Environment, Play, names},
        record::{PlayRecord, PlayTurn, REWARD, tokens},
    },
    values::{record::ReplyEvent, request::Request},
};

/// The bounds of an answer's interval, as multiples of the expected amount.
const AROUND: [f64; 2] = [0.8, 1.25];

/// The answer to a call that an environment did not make.
const NOT_MADE: &str = "this call was not made";

/// The message after an answer that stays, if the environment has nothing to show.
const CONTINUE: &str = "Continue with the task.";

/// A run in an environment. Made by [`Play::conversation`].
///
/// A reply has an [`Error::Invalid`] and ends the run if [`Acted::spent`](crate::play::Acted::spent) has more amounts than
/// [`Environment::RESOURCES`] has names.
#[derive(Clone, Debug)]
pub struct PlayConversation<E> {
    settings: Play,
    environment: E,
    dialogue: Dialogue,
    monitor: Option<BudgetMonitor>,
    /// The positions of the requested resources among all resources that turns spend.
    asked: Vec<usize>,
    turns: Vec<PlayTurn>,
    /// What the model observes at the turn that waits for a reply.
    shown: Vec<String>,
    /// The number of messages before the question that waits for an answer.
    before_question: Option<usize>,
    end: Option<End>,
    is_truncated: bool,
    is_stopped: bool,
}

impl Play {
    /// Starts a run in this environment.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] for a name in [`Environment::RESOURCES`] that is empty, repeated or the name of a resource
    /// of tokens, and for questions about a resource that the environment does not spend, or with a cap out of range.
    pub fn conversation<E: Environment>(
        &self,
        id: &str,
        environment: E,
    ) -> Result<PlayConversation<E>, Error> {
        let resources = BudgetMonitor::new(names::<E>().map(|name| (name, None)))?;
        let place = |name: &String| {
            resources.resource(name)?;
            Ok(names::<E>().take_while(|it| it != name).count())
        };
        let asked = self.asks.iter().map(|(name, _)| place(name)).collect::<Result<_, Error>>()?;
        let instruction = self.instruction.clone().unwrap_or_else(|| environment.instruction());
        let shown = vec![environment.observation()];
        let messages =
            vec![Message::new(Role::System, instruction), Message::new(Role::User, &*shown[0])];
        let request = Request {
            sampling: self.sampling.clone(),
            tools: environment.tools(),
            ..Request::new(messages)
        };
        let mut run = Run::new(id);
        run.task = environment.task();
        let mut conversation = PlayConversation {
            settings: self.clone(),
            environment,
            dialogue: Dialogue::new(run, request),
            monitor: if self.asks.is_empty() { None } else { Some(self.monitor()?) },
            asked,
            turns: Vec::new(),
            shown,
            before_question: None,
            end: None,
            is_truncated: false,
            is_stopped: false,
        };
        if let Some(end) = conversation.environment.end() {
            conversation.finish_run(end);
        } else if self.most_turns == 0 {
            conversation.reach_turns();
        }
        Ok(conversation)
    }
}

impl<E: Environment> PlayConversation<E> {
    /// Returns the environment in its current state.
    #[must_use]
    pub const fn environment(&self) -> &E {
        &self.environment
    }

    /// Returns whether the run waits for an answer to a question about its budget, and not for the reply of a turn.
    #[must_use]
    pub const fn is_asking(&self) -> bool {
        self.before_question.is_some()
    }

    /// Returns the turns so far.
    #[must_use]
    pub fn turns(&self) -> &[PlayTurn] {
        &self.turns
    }

    /// Returns the maximum number of turns that remain.
    #[must_use]
    pub fn turns_left(&self) -> usize {
        self.settings.most_turns.saturating_sub(self.turns.len())
    }

    /// Returns the requested resources, each with the amount spent so far.
    fn asked(&self) -> impl Iterator<Item = (&str, f64)> {
        let spent = self.spent();
        let sum = move |place: usize| spent.iter().map(|turn| turn[place]).sum();
        let names = self.settings.asks.iter().map(|(name, _)| name.as_str());
        names.zip(self.asked.iter().map(move |place| sum(*place)))
    }

    /// Returns an answer to a question: intervals from 0.8 to 1.25 times the expected amount of a resource, computed from its
    /// name and the amount spent.
    pub(crate) fn answer_around(&self, expected: impl Fn(&str, f64) -> f64) -> String {
        let parts = self.asked().map(|(name, spent)| {
            let [low, high] = AROUND.map(|around| (around * expected(name, spent)).round());
            match self.asked.len() {
                1 => format!("[{low}, {high}]"),
                _ => format!("{name}:[{low}, {high}]"),
            }
        });
        format!("<answer>{}</answer>", Vec::from_iter(parts).join(", "))
    }

    /// Returns the amounts of each resource that each turn spent. Unknown numbers of tokens count as 0.
    fn spent(&self) -> Vec<Vec<f64>> {
        let turns = tokens(&self.turns).into_iter().zip(&self.turns);
        let of_turn = |(tokens, turn): ([Option<f64>; 3], &PlayTurn)| {
            let tokens = tokens.map(|tokens| tokens.unwrap_or(0.0));
            tokens.into_iter().chain(turn.spent.iter().copied()).collect()
        };
        turns.map(of_turn).collect()
    }

    fn finish_run(&mut self, end: End) {
        self.end = Some(end);
        if end == End::AtLimit {
            self.dialogue.end(StopReason::MaxSteps);
        } else {
            self.dialogue.end(StopReason::Completed);
        }
    }

    fn reach_turns(&mut self) {
        self.end = Some(End::AtLimit);
        self.dialogue.end_at_limit("turns", self.settings.most_turns, "the most turns of a run");
    }

    /// Plays a turn: carries out the reply, and asks or continues.
    fn act(&mut self, reply: &Reply) -> Result<(), Error> {
        let usage = reply.usage.clone().unwrap_or_default();
        let mut turn = PlayTurn {
            observation: std::mem::take(&mut self.shown).join("\n"),
            reply: reply.text.clone(),
            tokens: [usage.input_tokens, usage.output_tokens],
            reasoning_tokens: usage.reasoning_tokens.unwrap_or(0),
            spent: vec![0.0; E::RESOURCES.len()],
            asking: [Some(0); 2],
            ..PlayTurn::default()
        };
        let most = self.settings.most_tokens_of_a_turn;
        if usage.total_tokens().zip(most).is_some_and(|(tokens, most)| tokens > most) {
            self.turns.push(turn);
            self.is_truncated = true;
            self.end = Some(End::AtLimit);
            let most = most.unwrap_or_default();
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            self.dialogue.end_at_limit("tokens", most, "the most tokens of a turn");
            return Ok(());
        }
        if let Some(text) = self.environment.repeated(&reply.text)
            && let Some(message) = self.dialogue.request_mut().messages.last_mut()
        {
            message.text = text;
        }
        let mut acted = self.environment.act(reply);
        if acted.spent.len() > E::RESOURCES.len() {
            self.dialogue.end(StopReason::Other("unknown_amounts".to_owned()));
            let (amounts, names) = (acted.spent.len(), E::RESOURCES);
            return Err(Error::invalid(format!(
                "a turn spent {amounts} amounts of the resources {names:?}; give at most one of each"
            )));
        }
        self.shown = self.answer_calls(reply, acted.results);
        for problem in acted.problems {
            self.dialogue.note(match acted.is_read {
                true => ReplyEvent::NotCarriedOut { problem },
                false => ReplyEvent::Unreadable { problem },
            });
        }
        (turn.reward, turn.penalty, turn.n_actions) =
            (acted.reward, acted.penalty, acted.n_actions);
        acted.spent.resize(E::RESOURCES.len(), 0.0);
        // The current turn does not count as remaining.
        (turn.spent, turn.features) = (acted.spent, self.environment.features());
        self.turns.push(turn);
        match self.environment.end() {
            Some(end) => self.finish_run(end),
            None if self.turns.len() >= self.settings.most_turns => self.reach_turns(),
            None if self.monitor.is_some() => self.ask(),
            None => self.show(),
        }
        Ok(())
    }

    /// Answers the calls of a reply, and returns the answers; calls without a result were not made.
    fn answer_calls(&mut self, reply: &Reply, results: Vec<Result<String, String>>) -> Vec<String> {
        let not_made = std::iter::repeat_with(|| Err(NOT_MADE.to_owned()));
        let results = results.into_iter().chain(not_made).take(reply.tool_calls.len());
        let answer = |(call, result): (usize, Result<String, String>)| {
            self.dialogue.answer_call(call, result.clone());
            result.unwrap_or_else(|error| error)
        };
        results.enumerate().map(answer).collect()
    }

    /// Shows the model the state before its next turn.
    fn show(&mut self) {
        let observation = self.environment.observation();
        let request = self.dialogue.request_mut();
        request.tools = self.environment.tools();
        let has_results = request.messages.last().is_some_and(|last| last.role == Role::Tool);
        if has_results && observation.is_empty() {
            return;
        }
        // The latest message can be an answer to a question, which the model must not continue.
        let is_kept = self.turns.last().is_some_and(|turn| turn.is_kept);
        let text = if is_kept && observation.is_empty() { CONTINUE } else { &observation };
        self.dialogue.say(Role::User, text);
        self.shown.extend(Some(observation).filter(|it| !it.is_empty()));
    }

    fn ask(&mut self) {
        let caps = self.settings.asks.iter().map(|(_, cap)| *cap);
        let parts = self.asked().zip(caps).map(|((name, spent), cap)| {
            let cap = cap.map_or(String::new(), |cap| format!(" of {cap}"));
            format!("{name} {spent}{cap}")
        });
        let parts = Vec::from_iter(parts).join(", ");
        let form = match &self.settings.asks[..] {
            [_] => "[low, high]".to_owned(),
            several => {
                let each = several.iter().map(|(name, _)| format!("{name}:[low, high]"));
                Vec::from_iter(each).join(", ")
            }
        };
        let question = format!(
            "So far the run has spent {parts}. How much more will it spend until the task is done, from the next turn on? Answer with an interval that is narrow and yet holds the true amount, as in <answer>{form}</answer>, or with <answer>impossible</answer> if the task cannot be done any more."
        );
        self.before_question = Some(self.dialogue.request_so_far().messages.len());
        self.dialogue.say(Role::User, question);
    }

    /// Takes the answer to a question.
    fn answer(&mut self, reply: &Reply, start: usize) -> Result<(), Error> {
        let names = self.settings.asks.iter().map(|(name, _)| name.as_str());
        let estimates = estimates(&reply.text, names, AnswerMode::Lenient, &mut self.dialogue);
        let spent = self.spent().pop().unwrap_or_default();
        let costs = self.asked.iter().map(|place| spent.get(*place).copied().unwrap_or(0.0));
        let costs: Vec<(f64, Estimate)> = costs.zip(estimates.iter().copied()).collect();
        let advice = match &mut self.monitor {
            Some(monitor) => Some(monitor.push(&costs, None)?),
            None => None,
        };
        self.answer_calls(reply, Vec::new());
        if !self.settings.keeps_answers {
            self.dialogue.request_mut().messages.truncate(start);
        }
        let is_cap = |it: &&Advice| matches!(it, Advice::Stop(AdviceReason::CapExceeded { .. }));
        let advised = advice.as_ref().filter(|it| self.settings.enforces_caps || !is_cap(it));
        let stop = advised.and_then(Advice::stop_reason);
        if let Some(turn) = self.turns.last_mut() {
            let usage = reply.usage.clone().unwrap_or_default();
            turn.answer = Some(reply.text.clone());
            (turn.estimates, turn.advice) = (estimates, advice);
            turn.asking = [usage.input_tokens, usage.output_tokens];
            turn.asking_reasoning = usage.reasoning_tokens.unwrap_or(0);
            turn.is_kept = self.settings.keeps_answers;
        }
        match stop {
            Some(stop) => {
                self.end = Some(End::AtLimit);
                self.is_stopped = true;
                self.dialogue.end(stop);
            }
            None => self.show(),
        }
        Ok(())
    }
}

impl<E: Environment> Conversation for PlayConversation<E> {
    type Record = PlayRecord;

    through_dialogue!(|it| it.dialogue.problem());

    fn awaits(&self) -> usize {
        usize::from(self.is_asking())
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        self.dialogue.take(reply.clone())?;
        match self.before_question.take() {
            Some(start) => self.answer(&reply, start),
            None => self.act(&reply),
        }
    }

    fn finish(self) -> PlayRecord {
        let succeeded = self.end == Some(End::Succeeded);
        let first = self.dialogue.request_so_far().messages.first();
        let instruction = first.map_or(String::new(), |message| message.text.clone());
        let record = self.dialogue.finish();
        let Self { turns, end, is_truncated, is_stopped, environment, .. } = self;
        let outcome = end.filter(|_| !is_stopped).map(|_| succeeded);
        let mut played =
            PlayRecord { record, instruction, turns, end, succeeded, is_truncated, is_stopped };
        match environment.has_goal() {
            true => played.record.run.outcome = outcome,
            false if outcome.is_some() => played.record.score(REWARD, played.reward()),
            false => {}
        }
        played
    }
}

/// Plays a run with a policy: a function that takes the run so far, including its environment, and returns the next
/// reply.
///
/// The number of tokens of a request or reply is a quarter of its characters, rounded up, so that budgets of tokens can be
/// studied without a model.
///
/// # Errors
///
/// The errors of [`Conversation::reply`].
pub fn play<E: Environment>(
    mut conversation: PlayConversation<E>,
    mut policy: impl FnMut(&PlayConversation<E>) -> String,
) -> Result<PlayRecord, Error> {
    let tokens =
        |characters: usize| Some(characters.div_ceil(Request::CHARACTERS_PER_TOKEN) as u64);
    while let Some(request) = conversation.request() {
        let input = request.messages.iter().map(|message| message.text.chars().count()).sum();
        let text = policy(&conversation);
        let usage = Usage {
            input_tokens: tokens(input),
            output_tokens: tokens(text.chars().count()),
            ..Usage::default()
        };
        conversation.reply(Reply { text, usage: Some(usage), ..Reply::default() })?;
    }
    Ok(conversation.finish())
}
