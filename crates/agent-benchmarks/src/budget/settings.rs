use budget_estimation::AnswerMode;

use crate::{
    budget::prompts::Prompts,
    error::Error,
    values::{macros::setters, request::Sampling},
};

/// The kind of a resource. It determines the words for the resource in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResourceKind {
    /// Tokens of a model.
    Tokens,
    /// Money.
    Money,
    /// Time, in the unit that the resource's name states.
    Time,
    /// Storage that is occupied over time, such as items times weeks.
    Space,
}

/// The settings of budget estimation: the resources to estimate, and the rules for reading answers.
///
/// ```
/// use agent_benchmarks::{Conversation, Reply, Request, converse};
/// use agent_benchmarks::budget::{Budget, ResourceKind, Rollouts};
///
/// let mut rollouts = Rollouts::new(["output_tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.set_content(0, 1, "I look at the board.")?;
///
/// let instance = Budget::new([("output_tokens", ResourceKind::Tokens)])?.instance(&rollouts, 0)?;
/// let model = |_: &Request| {
///     Ok(Reply { text: "<answer>[80, 100]</answer>".to_owned(), ..Reply::default() })
/// };
/// let record = converse(instance.conversation(), model)?;
/// let hits: Vec<bool> = record.samples(0).iter().map(|sample| sample.is_hit()).collect();
/// assert_eq!(hits, [true, true]);
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub(super) resources: Vec<(String, ResourceKind)>,
    pub(super) mode: AnswerMode,
    pub(super) cash: Option<(String, String)>,
    pub(super) sampling: Sampling,
    pub(super) prompts: Prompts,
    pub(super) with_system_of_run: bool,
    pub(super) think_tokens: Option<u32>,
    pub(super) point: bool,
}

impl Budget {
    /// Creates settings that ask for estimates of all these resources in one request, with lenient reading of answers
    /// and temperature 0.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] without a resource or if a resource is repeated.
    pub fn new<N: Into<String>>(
        resources: impl IntoIterator<Item = (N, ResourceKind)>,
    ) -> Result<Self, Error> {
        let resources: Vec<_> =
            resources.into_iter().map(|(name, kind)| (name.into(), kind)).collect();
        let is_repeated =
            |place: usize| resources[..place].iter().any(|(name, _)| *name == resources[place].0);
        let undefined =
            |reason| -> Error { scoring_rules::checks::undefined("the setting", reason).into() };
        if resources.is_empty() {
            return Err(undefined("it has no resource; give at least one"));
        }
        if (0..resources.len()).any(is_repeated) {
            return Err(undefined("a resource is named twice"));
        }
        Ok(Self {
            resources,
            mode: AnswerMode::Lenient,
            cash: None,
            sampling: Sampling { temperature: Some(0.0), ..Sampling::default() },
            prompts: Prompts::default(),
            with_system_of_run: true,
            think_tokens: Some(100),
            point: false,
        })
    }

    /// Sets a balance, such as cash, that requests show together with its target. The rollouts have the balance after
    /// each turn as the feature `feature`, and the required final balance as the key `target_key`. A run that missed
    /// its target must not be recorded as successful. No question is asked about a prefix whose balance is unknown.
    #[must_use]
    pub fn with_cash(mut self, feature: impl Into<String>, target_key: impl Into<String>) -> Self {
        self.cash = Some((feature.into(), target_key.into()));
        self
    }

    /// Makes this crate's own texts ask for one number instead of an interval. The number becomes an interval of zero
    /// width.
    #[must_use]
    pub const fn with_points(mut self) -> Self {
        (self.point, self.mode) = (true, AnswerMode::LenientPoints);
        self
    }

    setters! {
        /// Sets the tolerance for deviations of answers from the requested form.
        with_answer_mode(mode: AnswerMode);

        /// Sets the texts.
        with_prompts(prompts: Prompts);

        /// Sets whether the system prompt of the run is used, if the run has one; this is the default. Otherwise,
        /// the system prompt always comes from [`Prompts`], which is the published rule for Warehouse.
        with_system_of_run(with_system_of_run: bool);

        /// Sets the maximum number of tokens that a model may think before its answer, which this crate's own texts
        /// state. The default is 100; with `None`, they ask only for the answer. Published texts contain limits of
        /// their own.
        with_think_tokens(think_tokens: Option<u32>);

        /// Sets the sampling.
        with_sampling(sampling: Sampling);
    }
}
