use std::collections::BTreeMap;

use censoring::StopReason;
use knapsack_oracle::{PlanReading, Step, repair_plan};
use run_logs::{Message, Reply, Role, Run};

use crate::{
    engines::{conversation::Conversation, dialogue::Dialogue, model::ModelError},
    error::Error,
    triage::{outcome::TriageRecord, pool::TriagePool, solving::noted_answer, texts},
    values::{reply_event::ReplyEvent, request::Request},
};

/// A conversation in which a model plans for a pool. Made by [`TriagePool::conversation`].
///
/// - The first reply is the plan, read and repaired by [`repair_plan`]. One that cannot be read ends the
///   conversation.
/// - With real attempts, each problem of the plan is then asked alone, with its allocation as the hard
///   limit of the reply, in the order of the plan and for as long as allocations fit in the budget. A
///   problem with an allocation of 0 is not asked.
/// - An attempt with more tokens than its allocation, which a provider should have cut off, counts as not
///   solved.
#[derive(Clone, Debug)]
pub struct TriageConversation<'a> {
    pool: &'a TriagePool,
    dialogue: Dialogue,
    reading: Option<PlanReading>,
    /// The attempts that are still to be asked, the next one last.
    open: Vec<Step>,
    /// Whether the attempt of a problem was right.
    solved: BTreeMap<usize, bool>,
}

impl TriagePool {
    /// A conversation in which a model plans, and with
    /// [`Triage::with_real_attempts`](super::Triage::with_real_attempts) carries the plan out.
    #[must_use]
    pub fn conversation(&self) -> TriageConversation<'_> {
        TriageConversation::new(self)
    }

    /// Repeats the conversation of a record, for example of one that was read from a log.
    ///
    /// # Errors
    ///
    /// [`Error::StoredValue`] if the run is of another pool, and [`Error::Ended`] if it has more replies
    /// than the conversation takes.
    pub fn replay(&self, run: &Run) -> Result<TriageRecord, Error> {
        if run.id != self.id {
            let problem = format!("the run is of pool {:?}; it must be of {:?}", run.id, self.id);
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

impl<'a> TriageConversation<'a> {
    fn new(pool: &'a TriagePool) -> Self {
        let settings = &pool.settings;
        let request = Request {
            messages: vec![
                Message::new(Role::System, texts::planning(pool)),
                Message::new(Role::User, texts::problems(pool)),
            ],
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            response_schema: Some(texts::plan_schema()),
            ..Request::default()
        };
        let mut run = Run::new(pool.id.clone());
        run.task = Some(pool.id.clone());
        let dialogue = Dialogue::new(run, request);
        Self { pool, dialogue, reading: None, open: Vec::new(), solved: BTreeMap::new() }
    }

    /// Takes the plan.
    fn plan(&mut self, text: &str) {
        let reading = repair_plan(text, &self.pool.pool, self.pool.budget);
        let problem = match &reading {
            PlanReading::OverBudget { allocated, .. } => Some(format!(
                "the allocations are {allocated} tokens together; the budget is {}",
                self.pool.budget
            )),
            PlanReading::DuplicateId { id, .. } => Some(format!("the plan has {id:?} twice")),
            PlanReading::Unparseable { reason, .. } => Some(format!("there is no plan: {reason}")),
            _ => None,
        };
        if let Some(problem) = problem {
            self.dialogue.note(ReplyEvent::Unreadable { problem });
        }
        if self.pool.settings.really_attempts
            && let Some(plan) = reading.plan()
        {
            self.open = asked(plan.steps(), self.pool.budget);
        }
        self.reading = Some(reading);
        self.ask_next();
    }

    /// Takes the answer to the problem that was asked last.
    fn attempt(&mut self, reply: &Reply) {
        let Some(step) = self.open.pop() else { return };
        let answer = noted_answer(&mut self.dialogue, &reply.text);
        let checker = self.pool.questions.get(step.position).map(|question| &question.checker);
        let is_right =
            answer.zip(checker).is_some_and(|(answer, checker)| checker.is_right(answer));
        let tokens = reply.usage.as_ref().and_then(|usage| usage.output_tokens);
        let fits = tokens.is_none_or(|tokens| tokens <= step.allocation);
        if !fits {
            let problem = format!("the reply has more than its {} tokens", step.allocation);
            self.dialogue.note(ReplyEvent::Unreadable { problem });
        }
        self.solved.insert(step.position, is_right && fits);
        self.ask_next();
    }

    /// Makes the request of the next attempt, alone, or ends the conversation.
    fn ask_next(&mut self) {
        let next = self
            .open
            .last()
            .and_then(|step| Some((self.pool.questions.get(step.position)?, step.allocation)));
        let Some((question, allocation)) = next else {
            let is_read = self.reading.as_ref().is_some_and(|reading| reading.plan().is_some());
            self.dialogue.end(if is_read { StopReason::Completed } else { StopReason::ParseError });
            return;
        };
        let request = self.dialogue.request_mut();
        request.messages = vec![
            Message::new(Role::System, texts::solving_within(&question.checker, allocation)),
            Message::new(Role::User, question.block()),
        ];
        request.response_schema = None;
        request.sampling.max_output_tokens = Some(allocation);
    }
}

/// The attempts to ask, the first one last: those that fit in the budget, until one does not.
fn asked(steps: &[Step], mut budget: u64) -> Vec<Step> {
    let fits = |step: &&Step| match budget.checked_sub(step.allocation) {
        Some(left) => {
            budget = left;
            true
        }
        None => false,
    };
    let mut asked: Vec<Step> = steps.iter().take_while(fits).copied().collect();
    asked.retain(|step| step.allocation > 0);
    asked.reverse();
    asked
}

impl Conversation for TriageConversation<'_> {
    type Record = TriageRecord;

    fn request(&self) -> Option<&Request> {
        self.dialogue.request()
    }

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        self.dialogue.take(reply.clone())?;
        if self.reading.is_none() {
            self.plan(&reply.text);
        } else {
            self.attempt(&reply);
        }
        Ok(())
    }

    fn fail(&mut self, error: &ModelError) {
        self.dialogue.fail(error);
    }

    fn finish(self) -> TriageRecord {
        TriageRecord::new(self.pool, self.dialogue.finish(), self.reading, &self.solved)
    }
}
