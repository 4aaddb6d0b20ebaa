use scoring_rules::checks::setting;

use crate::{
    error::Error,
    values::{question::Question, request::Sampling},
};

/// A setting of stated confidence: the number of steps and the sampling.
///
/// ```
/// use agent_benchmarks::{Checker, Question, Reply, converse, model_from_fn};
/// use agent_benchmarks::confidence::{Confidence, ConfidenceStream};
///
/// let checker = Checker::YesNo { answer: true };
/// let question = Question::new("q1", "Is ice lighter than water?", checker);
/// let mut steps = [("continue", "0.6"), ("answer: yes", "0.9")].into_iter();
/// let model = model_from_fn(|_| {
///     let (action, confidence) = steps.next().unwrap_or_default();
///     let text = format!(
///         "<thought>Ice floats.</thought><action>{action}</action><confidence>{confidence}</confidence>"
///     );
///     Ok(Reply { text, ..Reply::default() })
/// });
/// let instance = Confidence::new(4)?.instance(&question);
/// let record = converse(instance.conversation(), model)?;
/// assert_eq!(record.record.run.outcome, Some(true));
/// let stated = record.forecasts(ConfidenceStream::StatedConfidence)?.expect("each step has one");
/// assert_eq!(stated.iter().map(|it| it.get()).collect::<Vec<_>>(), [0.6, 0.9]);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    pub(super) step_limit: usize,
    pub(super) patience: usize,
    pub(super) sampling: Sampling,
    pub(super) top_logprobs: Option<u8>,
}

/// A question in a setting. Made by [`Confidence::instance`].
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub(super) settings: Confidence,
    pub(super) question: Question,
}

impl Confidence {
    /// The setting with at most this many steps (the paper: 16 for StrategyQA, 7 for HotpotQA),
    /// temperature 0, the five most probable tokens, and at most two repairs of a step: an end after
    /// three replies in a row that have no readable action or confidence.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a limit of 0.
    pub fn new(step_limit: usize) -> Result<Self, Error> {
        setting("step limit", step_limit as f64, step_limit > 0, "at least 1")?;
        Ok(Self {
            step_limit,
            patience: 3,
            sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
            top_logprobs: Some(5),
        })
    }

    /// Sets the sampling.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Sets how many of the most probable tokens are asked for; `None` for no log-probabilities.
    #[must_use]
    pub const fn with_top_logprobs(mut self, tokens: Option<u8>) -> Self {
        self.top_logprobs = tokens;
        self
    }

    /// Sets after how many replies in a row without a readable action or confidence the conversation
    /// ends; the repairs of a step are one fewer.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for 0.
    pub fn with_patience(mut self, replies: usize) -> Result<Self, Error> {
        setting("patience", replies as f64, replies > 0, "at least 1")?;
        self.patience = replies;
        Ok(self)
    }

    /// A question in this setting.
    #[must_use]
    pub fn instance(&self, question: &Question) -> Instance {
        Instance { settings: self.clone(), question: question.clone() }
    }
}

impl Instance {
    /// The setting.
    #[must_use]
    pub const fn settings(&self) -> &Confidence {
        &self.settings
    }

    /// The question.
    #[must_use]
    pub const fn question(&self) -> &Question {
        &self.question
    }
}
