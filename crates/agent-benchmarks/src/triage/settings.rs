use knapsack_oracle::{Alpha, Pool};

use crate::{
    error::Error,
    questions::Question,
    triage::{pool::TriagePool, solving::SolvingConversation},
    values::request::Sampling,
};

/// The opening of the planning prompt. The rules, the problems, the budget and the form of the plan are
/// the same under each.
///
/// Reference: TRIAGE, appendix C.2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framing {
    /// A set of problems under a budget (variant A, the default).
    #[default]
    Neutral,
    /// An agent with assignments (variant B).
    Agent,
    /// An exam with a time limit (variant C).
    Exam,
}

impl Framing {
    /// All framings.
    pub const ALL: [Self; 3] = [Self::Neutral, Self::Agent, Self::Exam];

    /// The name in tables and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Agent => "agent",
            Self::Exam => "exam",
        }
    }
}

/// A setting of TRIAGE.
///
/// ```
/// use agent_benchmarks::{Conversation, Reply, converse, model_from_fn};
/// use agent_benchmarks::questions::read_questions;
/// use agent_benchmarks::triage::{Alpha, Regime, Triage, baseline_pool};
/// use run_logs::Usage;
///
/// let file = br#"{"id": "easy", "question": "2 + 2?", "kind": "numeric", "answer": 4}
/// {"id": "hard", "question": "Which prime follows 10^9?", "kind": "numeric", "answer": 1000000007}"#;
/// let questions = read_questions(file)?;
///
/// // A model that knows one answer, and spends 10 tokens on every question.
/// let model = model_from_fn(|request: &agent_benchmarks::Request| {
///     let planning = request.response_schema.is_some();
///     let text = if planning { r#"{"plan": [{"id": "easy", "allocation": 10}]}"# } else { "<answer>4</answer>" };
///     let usage = Usage { output_tokens: Some(10), ..Usage::default() };
///     Ok(Reply { text: text.to_owned(), usage: Some(usage), ..Reply::default() })
/// });
///
/// let triage = Triage::new(Alpha::new(0.5)?);
/// let solved: Vec<_> = questions.iter().map(|it| converse(triage.baseline(it), model.clone())).collect();
/// let pool = triage.pool("pool-1", &questions, baseline_pool(&questions, &solved)?)?;
/// assert_eq!(pool.budget(), 10);
///
/// let record = converse(pool.conversation(), model);
/// assert_eq!(record.efficiency(Regime::Advisory)?.map(|it| it.score()), Some(1.0));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Triage {
    pub(super) alpha: Alpha,
    pub(super) framing: Framing,
    pub(super) domain: String,
    pub(super) really_attempts: bool,
    pub(super) sampling: Sampling,
    pub(super) top_logprobs: Option<u8>,
}

impl Triage {
    /// The setting of the paper with this share of the costs as budget: neutral framing, temperature 0,
    /// execution by recorded costs.
    #[must_use]
    pub fn new(alpha: Alpha) -> Self {
        Self {
            alpha,
            framing: Framing::Neutral,
            domain: "problems".to_owned(),
            really_attempts: false,
            sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
            top_logprobs: None,
        }
    }

    /// Sets the framing of the planning prompt.
    #[must_use]
    pub fn with_framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Sets what the problems are called, in the plural, such as "mathematics problems".
    #[must_use]
    pub fn with_domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = domain.into();
        self
    }

    /// Sets whether the model really solves the problems of its plan, each with its allocation as the hard
    /// limit of the reply. Otherwise, the plan is executed by the recorded costs and outcomes.
    #[must_use]
    pub fn with_real_attempts(mut self, really_attempts: bool) -> Self {
        self.really_attempts = really_attempts;
        self
    }

    /// Sets how the model should draw its tokens. A limit of tokens holds for the baseline and for the
    /// plan; real attempts have their allocation.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Asks for log-probabilities, of this many most probable tokens at each position.
    #[must_use]
    pub fn with_top_logprobs(mut self, top_logprobs: Option<u8>) -> Self {
        self.top_logprobs = top_logprobs;
        self
    }

    /// The share of the costs of a pool that is its budget.
    #[must_use]
    pub const fn alpha(&self) -> Alpha {
        self.alpha
    }

    /// A conversation in which the model solves one question alone, without a budget.
    #[must_use]
    pub fn baseline(&self, question: &Question) -> SolvingConversation {
        SolvingConversation::new(self, question)
    }

    /// A pool in this setting. `items` has the costs and outcomes of the questions, in their order; see
    /// [`baseline_pool`](super::baseline_pool).
    ///
    /// # Errors
    ///
    /// [`Error::StoredValue`] if the items are not those of the questions, in the same order and with the
    /// same values, and [`Error::KnapsackOracle`] if the pool has no references.
    pub fn pool(
        &self,
        id: impl Into<String>,
        questions: &[Question],
        items: Pool,
    ) -> Result<TriagePool, Error> {
        TriagePool::new(self, id.into(), questions, items)
    }
}
