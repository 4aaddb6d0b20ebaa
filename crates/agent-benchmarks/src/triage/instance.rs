use knapsack_oracle::{Alpha, InformedPlanner, Item, Plan, Pool, ReferencePlanner, Regime};

use crate::{
    error::Error,
    triage::prompts::{Framing, Prompts},
    values::{macros::setters, question::Question, request::Sampling},
};

/// A pool of questions with its budget and with the values of reference planners. Made by [`Triage::instance`].
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub(super) settings: Triage,
    pub(super) name: String,
    pub(super) questions: Vec<Question>,
    pub(super) pool: Pool,
    budget: u64,
    pub(super) oracle: f64,
    pub(super) random: f64,
    pub(super) cheapest_first: f64,
    pub(super) greedy: f64,
}

impl Triage {
    /// Creates the instance of a pool of questions in this setting. The name distinguishes pools; the same pool should have the
    /// same name in all settings.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a question without a recorded attempt; [`scoring_rules::Error::Empty`] for an empty pool;
    /// [`Error::KnapsackOracle`] for ids that occur twice, or values and costs out of range.
    pub fn instance(
        &self,
        name: impl Into<String>,
        questions: &[Question],
    ) -> Result<Instance, Error> {
        let items = questions.iter().map(|question| {
            let attempt = question.recorded.ok_or_else(|| {
                let needs = "give its output tokens and whether it was solved";
                Error::invalid(format!(
                    "question {:?} has no recorded attempt; {needs}",
                    question.id
                ))
            })?;
            let Question { id, value, .. } = question;
            Ok(Item::new(id, *value, attempt.output_tokens, attempt.solved)?)
        });
        let pool = Pool::new(items.collect::<Result<_, Error>>()?)?;
        let budget = pool.budget(self.alpha);
        // These planners allot the true costs of attempts, so both regimes earn the same.
        let earned = |planner: &dyn InformedPlanner| {
            let plan = Plan::informed(planner, &pool, budget)?;
            Ok::<_, Error>(plan.execute(&pool, budget, Regime::Advisory)?.earned)
        };
        Ok(Instance {
            settings: self.clone(),
            name: name.into(),
            questions: questions.to_vec(),
            budget,
            oracle: pool.oracle(budget)?.value,
            random: pool.random_exact(budget)?.value,
            cheapest_first: earned(&ReferencePlanner::CheapestFirst)?,
            greedy: earned(&ReferencePlanner::ValuePerCost)?,
            pool,
        })
    }
}

impl Instance {
    /// Returns the benchmark settings.
    #[must_use]
    pub const fn settings(&self) -> &Triage {
        &self.settings
    }

    /// Returns the name of the pool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the questions in the order in which the model sees them.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns the recorded attempts.
    #[must_use]
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns the budget in tokens.
    #[must_use]
    pub const fn budget(&self) -> u64 {
        self.budget
    }
}

/// The source of the outcomes of planned attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attempts {
    /// The attempts were recorded earlier; plans are executed in both regimes.
    #[default]
    Recorded,
    /// The attempts are live: the model solves the problems of its plan, in one regime.
    ///
    /// - [`Regime::Enforced`]: the allocation of each problem limits the tokens of the reply. A reply that used more is wrong.
    /// - [`Regime::Advisory`]: for each problem, the remaining budget limits the tokens of the reply, and the tokens of the reply
    ///   are spent. The conversation ends without an execution if a reply does not state its number of tokens.
    Live {
        /// The regime.
        regime: Regime,
        /// Whether the solver is told the allocation of its problem. In section 3.2 of the paper it is not told: only
        /// the token limit of the request enforces the allocation.
        announced: bool,
    },
}

/// The settings of TRIAGE: the budget as a share of the cost, the framing, and the execution of plans.
///
/// ```
/// use agent_benchmarks::{Attempted, Checker, Conversation, Question};
/// use agent_benchmarks::triage::{Alpha, Framing, Triage};
///
/// let question = |id: &str, tokens, solved| {
///     Question::new(id, "What is 6 times 7?", Checker::Numeric { answer: 42.0, tolerance: 0.0 })
///         .with_recorded(Attempted { output_tokens: tokens, solved })
/// };
/// let questions = [question("a", 300, true), question("b", 500, false)];
/// let instance = Triage::new(Alpha::new(0.5)?)
///     .with_framing(Framing::Exam)
///     .instance("pool 1", &questions)?;
/// assert_eq!(instance.budget(), 400);
///
/// let conversation = instance.conversation();
/// let request = conversation.request().expect("the model speaks first");
/// assert!(request.messages[0].text.contains("400") && request.response_schema.is_some());
/// assert_eq!(conversation.finish().oracle, 1.0);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Triage {
    pub(super) alpha: Alpha,
    pub(super) framing: Framing,
    pub(super) subject: String,
    pub(super) prompts: Prompts,
    pub(super) attempts: Attempts,
    pub(super) sampling: Sampling,
    pub(super) plan_tokens: Option<u64>,
    pub(super) has_schema: bool,
    pub(super) is_strict: bool,
    pub(super) attempts_zero: bool,
}

impl Triage {
    /// Creates settings with a budget of this share of the recorded attempts' cost, the neutral framing, recorded
    /// attempts, temperature 0, and the published rules for reading and executing plans.
    #[must_use]
    pub fn new(alpha: Alpha) -> Self {
        Self {
            alpha,
            framing: Framing::default(),
            subject: "problems".to_owned(),
            prompts: Prompts::default(),
            attempts: Attempts::default(),
            sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
            plan_tokens: None,
            has_schema: true,
            is_strict: false,
            attempts_zero: false,
        }
    }

    /// Returns the budget as a share of the recorded attempts' cost.
    #[must_use]
    pub const fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// Sets the words that the request uses for the problems, such as `geometry problems`.
    #[must_use]
    pub fn with_subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    setters! {
        /// Sets the framing.
        with_framing(framing: Framing);

        /// Sets the texts.
        with_prompts(prompts: Prompts);

        /// Sets the source of the outcomes of attempts.
        with_attempts(attempts: Attempts);

        /// Sets the sampling. When the model solves a problem, its token limit is the limit of the sampling or that of
        /// the regime, whichever is smaller.
        with_sampling(sampling: Sampling);

        /// Sets the maximum number of tokens in the reply with the plan. The default is the limit of the sampling.
        with_plan_tokens(plan_tokens: Option<u64>);

        /// Sets whether plans are read by [`PlanReading::new`](knapsack_oracle::PlanReading::new), which drops allocations other
        /// than numbers of tokens and refuses a plan with a repeated item. Otherwise the published rules apply
        /// ([`PlanReading::published`](knapsack_oracle::PlanReading::published)).
        with_strict_plans(is_strict: bool);

        /// Sets whether the advisory regime attempts items with an allocation of 0. Otherwise the planned set is defined as in
        /// the paper, `S = {i : a_i > 0}`; see
        /// [`Plan::without_zero_allocations`](knapsack_oracle::Plan::without_zero_allocations).
        with_zero_allocations(attempts_zero: bool);

        /// Sets whether requests for a plan have a JSON schema, which some servers refuse. By default they have one, unless the
        /// texts are [published](Prompts::published). The words of a request always ask for JSON.
        with_schema(has_schema: bool);
    }
}
