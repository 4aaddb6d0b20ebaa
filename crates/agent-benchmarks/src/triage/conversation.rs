use censoring::StopReason;
use knapsack_oracle::{Execution, Item, Plan, PlanReading, Pool, Regime, Step, UnsolvableCounts};
use run_logs::{Message, Reply, Role, Run};
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    triage::{
        instance::{Attempts, Instance, Triage},
        outcome::TriageRecord,
        prompts::solving,
        solving::{answer_of, output_tokens},
    },
    values::{
        question::{Attempted, Question},
        record::ReplyEvent,
        request::Request,
        tool_definition::object,
    },
};

/// A conversation in which a model plans the attempts at a pool of problems and, with live attempts, solves the planned
/// problems. Made by [`Instance::conversation`].
///
/// Each request is independent: a problem is solved without the plan and the other problems in sight.
#[derive(Clone, Debug)]
pub struct TriageConversation<'a> {
    instance: &'a Instance,
    dialogue: Dialogue,
    reading: Option<PlanReading>,
    /// The remaining steps, the next one last.
    steps: Vec<Step>,
    left: u64,
    /// The attempt of each question in this conversation, if there is one.
    attempts: Vec<Option<Attempted>>,
    /// The question whose attempt exceeded the remaining budget.
    overspent: Option<usize>,
}

impl Instance {
    /// Starts a conversation about the pool, beginning with the plan.
    #[must_use]
    pub fn conversation(&self) -> TriageConversation<'_> {
        let Instance { settings, questions, .. } = self;
        let text = planning(settings, questions, self.budget());
        let mut sampling = settings.sampling.clone();
        sampling.max_output_tokens = settings.plan_tokens.or(sampling.max_output_tokens);
        let request = Request {
            sampling,
            response_schema: (settings.has_schema && !settings.prompts.is_published)
                .then(|| plan_schema(questions)),
            ..Request::new(vec![Message::new(Role::User, text)])
        };
        TriageConversation {
            instance: self,
            dialogue: Dialogue::new(Run::new(self.name.clone()), request),
            reading: None,
            steps: Vec::new(),
            left: self.budget(),
            attempts: vec![None; questions.len()],
            overspent: None,
        }
    }
}

impl TriageConversation<'_> {
    fn take_plan(&mut self, text: &str) {
        let instance = self.instance;
        let read =
            if instance.settings.is_strict { PlanReading::new } else { PlanReading::published };
        let reading = read(text, &instance.pool, instance.budget());
        if reading.plan().is_some() {
            self.reading = Some(reading);
            let plan = self.plan();
            self.steps = plan.iter().flat_map(|plan| plan.steps()).rev().copied().collect();
            self.ask_next();
            return;
        }
        let problem = match &reading {
            PlanReading::DuplicateId { id, .. } => format!("the plan has {id:?} twice"),
            PlanReading::Unparseable { reason, at } => format!("{reason}, at byte {at}"),
            _ => "the reply has no plan".to_owned(),
        };
        self.dialogue.note(ReplyEvent::Unreadable { problem });
        self.reading = Some(reading);
        self.dialogue.end(StopReason::ParseError);
    }

    /// Returns the plan, reduced to the steps that are attempted.
    fn plan(&self) -> Option<Plan> {
        let plan = self.reading.as_ref()?.plan()?;
        let attempts_zero = self.instance.settings.attempts_zero;
        Some(if attempts_zero { plan.clone() } else { plan.without_zero_allocations() })
    }

    /// Requests the next problem of the plan that fits, or ends the conversation.
    fn ask_next(&mut self) {
        let Attempts::Live { regime, announced } = self.instance.settings.attempts else {
            return self.dialogue.end(StopReason::Completed);
        };
        while let Some(&Step { position, allocation }) = self.steps.last() {
            let limit = if regime == Regime::Enforced { allocation } else { self.left };
            if limit > self.left {
                break;
            }
            if limit == 0 {
                // No token may be written: nothing is solved in the enforced regime, and the plan ends in the advisory regime.
                if regime == Regime::Advisory {
                    break;
                }
                self.steps.pop();
                continue;
            }
            let banner = (announced && allocation > 0)
                .then_some((&self.instance.settings.prompts, allocation));
            let text = solving(&self.instance.questions[position], banner);
            let request = self.dialogue.request_mut();
            *request = Request::new(vec![Message::new(Role::User, text)]);
            request.sampling = self.instance.settings.sampling.clone();
            let most = request.sampling.max_output_tokens.map_or(limit, |most| most.min(limit));
            request.sampling.max_output_tokens = Some(most);
            return;
        }
        self.dialogue.end(StopReason::Completed);
    }

    fn take_solution(&mut self, step: Step, regime: Regime, text: &str, tokens: Option<u64>) {
        let answer = answer_of(text, &mut self.dialogue);
        let checker = &self.instance.questions[step.position].checker;
        let is_right = answer.is_some_and(|answer| checker.is_right(&answer));
        let limit = if regime == Regime::Enforced { step.allocation } else { self.left };
        let output_tokens = match (regime, tokens) {
            // The limit was part of the request, so a reply without a token count is taken to be within it.
            (Regime::Enforced, tokens) => tokens.unwrap_or(limit),
            (Regime::Advisory, Some(tokens)) => tokens,
            (Regime::Advisory, None) => {
                let problem = "the reply does not say how many tokens it used".to_owned();
                self.dialogue.note(ReplyEvent::Unreadable { problem });
                self.dialogue.end(StopReason::Other("no_usage".to_owned()));
                return;
            }
        };
        let solved = is_right && output_tokens <= limit;
        self.attempts[step.position] = Some(Attempted { output_tokens, solved });
        let spent = if regime == Regime::Enforced { step.allocation } else { output_tokens };
        match self.left.checked_sub(spent) {
            Some(left) => {
                self.left = left;
                self.ask_next();
            }
            None => {
                self.overspent = Some(step.position);
                self.dialogue.end(StopReason::Completed);
            }
        }
    }

    /// Returns the plan executed with the attempts of this conversation.
    fn live_execution(&self, plan: &Plan, regime: Regime) -> Result<Execution, Error> {
        let (pool, budget) = (&self.instance.pool, self.instance.budget());
        let made = |step: Step| self.attempts.get(step.position).copied().flatten();
        Ok(match regime {
            Regime::Enforced => plan.execute_capped(pool, budget, |step| {
                Ok::<_, Error>(made(step).is_some_and(|attempt| attempt.solved))
            })?,
            Regime::Advisory => {
                // Execution stops at the attempt that exceeded the remaining budget. Otherwise the remaining budget at the stop
                // is 0, so that problems without an attempt do not fit.
                let most = self.left.saturating_add(1);
                let items = pool.items().iter().zip(&self.attempts).enumerate();
                let items = items.map(|(place, (item, attempt))| {
                    let (tokens, solved) = match attempt {
                        Some(made) if self.overspent == Some(place) => (most, made.solved),
                        Some(made) => (made.output_tokens.max(1), made.solved),
                        None => (1, false),
                    };
                    Item::new(item.id(), item.value(), tokens, solved)
                });
                let live = Pool::new(items.collect::<Result<_, _>>()?)?;
                plan.execute(&live, budget, regime)?
            }
        })
    }

    fn executions(&self) -> Result<Vec<Execution>, Error> {
        let (pool, budget) = (&self.instance.pool, self.instance.budget());
        let Some(plan) = self.plan() else { return Ok(Vec::new()) };
        let has_ended = self.dialogue.stop() == Some(&StopReason::Completed);
        match self.instance.settings.attempts {
            Attempts::Recorded => {
                let regimes = [Regime::Advisory, Regime::Enforced].into_iter();
                let executions = regimes.map(|regime| Ok(plan.execute(pool, budget, regime)?));
                executions.collect()
            }
            Attempts::Live { .. } if !has_ended => Ok(Vec::new()),
            Attempts::Live { regime, .. } => Ok(vec![self.live_execution(&plan, regime)?]),
        }
    }
}

impl Conversation for TriageConversation<'_> {
    type Record = TriageRecord;

    through_dialogue!(|it| it.dialogue.problem_if_whole());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let (text, tokens) = (reply.text.clone(), output_tokens(&reply));
        self.dialogue.take(reply)?;
        match (self.instance.settings.attempts, self.steps.pop()) {
            (Attempts::Live { regime, .. }, Some(step)) => {
                self.take_solution(step, regime, &text, tokens);
            }
            _ => self.take_plan(&text),
        }
        Ok(())
    }

    fn finish(self) -> TriageRecord {
        // The plan was read for this pool, so only excessive token counts have no execution.
        let executions = self.executions().unwrap_or_default();
        let Self { instance, dialogue, reading, attempts, .. } = self;
        let settings = &instance.settings;
        let (live_regime, is_announced) = match settings.attempts {
            Attempts::Recorded => (None, false),
            Attempts::Live { regime, announced } => (Some(regime), announced),
        };
        let mut record = dialogue.finish();
        record.keep("benchmark", "triage");
        record.keep("alpha", settings.alpha.get());
        record.keep("framing", settings.framing.name());
        record.keep("budget", Value::Integer(i128::from(instance.budget())));
        record.keep("is_live", live_regime.is_some());
        record.score("oracle", instance.oracle);
        record.score("random", instance.random);
        for execution in &executions {
            let name = match execution.regime {
                Regime::Advisory => "earned_advisory",
                Regime::Enforced => "earned_enforced",
            };
            record.score(name, execution.earned);
        }
        let mut unsolvable = UnsolvableCounts::default();
        let marks: Vec<bool> = instance.questions.iter().map(Question::is_unsolvable).collect();
        if let Some(plan) = reading.as_ref().and_then(PlanReading::plan) {
            // The plan was read for this pool.
            let _ = unsolvable.update(plan, &marks);
        }
        TriageRecord {
            record,
            reading,
            executions,
            attempts,
            live_regime,
            is_announced,
            unsolvable,
            alpha: settings.alpha,
            framing: settings.framing,
            budget: instance.budget(),
            oracle: instance.oracle,
            random: instance.random,
            cheapest_first: instance.cheapest_first,
            greedy: instance.greedy,
        }
    }
}

/// Returns the request for a plan.
fn planning(settings: &Triage, questions: &[Question], budget: u64) -> String {
    let block = |question: &Question| {
        let Question { id, value, .. } = question;
        format!("[id: {id}] (points: {value})\n{}", question.block())
    };
    settings.prompts.plan(settings.framing).fill(|place| match place {
        "domain" => settings.subject.as_str().into(),
        "B" => budget.to_string().into(),
        _ => questions.iter().map(block).collect::<Vec<_>>().join("\n\n").into(),
    })
}

/// Returns the JSON Schema of a plan.
fn plan_schema(questions: &[Question]) -> Value {
    let ids = questions.iter().map(|question| Value::from(question.id.as_str())).collect();
    let id = object(vec![("type", "string".into()), ("enum", Value::List(ids))]);
    let allocation = object(vec![("type", "integer".into()), ("minimum", Value::Integer(0))]);
    let entry = closed(vec![("id", id), ("allocation", allocation)]);
    let plan = object(vec![("type", "array".into()), ("items", entry)]);
    closed(vec![("plan", plan)])
}

/// Returns the schema of an object that has these properties and no others.
fn closed(properties: Vec<(&str, Value)>) -> Value {
    let required = properties.iter().map(|(name, _)| Value::from(*name)).collect();
    object(vec![
        ("type", "object".into()),
        ("properties", object(properties)),
        ("required", Value::List(required)),
        ("additionalProperties", Value::Bool(false)),
    ])
}
