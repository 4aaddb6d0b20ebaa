use censoring::{Continuations, Probability};
use run_logs::Run;

use crate::{
    confidence::{outcome::ConfidenceRecord, step::action_text},
    engines::continuation::count_continuations,
};

/// Follow-up questions about a run after its end, for [`ConfidenceFigures::of`](super::ConfidenceFigures::of).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowUp {
    /// The probability of success of a cut-off run, if it is known from a source other than continuations. It must not
    /// be learned from a stream that is scored.
    pub success: Option<Probability>,
    /// The continuations of the run, from its stop or from other steps. Continuations from the stop of a cut-off run
    /// give the probability that it would have succeeded. Continuations after a step give the reference probability for
    /// the distance of each forecast of that step. If each step has continuations from the state before it, the
    /// [`Predictor::Derived`](super::Predictor::Derived) streams over them follow.
    pub continued: Vec<Continued>,
    /// Further streams by name, such as answers to [`Instance::probe`](super::Instance::probe) or clusters of answers by the
    /// caller's function: a forecast for each step, or the name of the reason why the run has none.
    pub streams: Vec<(String, Result<Vec<Probability>, String>)>,
}

/// The continuations of a run from one of its steps, made by [`Instance::after`](super::Instance::after) and
/// [`Branch`](crate::Branch).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continued {
    /// The number of steps of the run before the continuations: 0 for its beginning, and all its steps for a cut-off run.
    pub step: usize,
    /// The numbers of continuations by their outcome.
    pub counts: Continuations,
    /// The answers of the continuations that gave one.
    pub answers: Vec<String>,
    /// The action of each continuation in its first step, as the model wrote it.
    pub actions: Vec<String>,
}

impl Continued {
    /// The minimum number of outcomes for an estimated probability of success, as in the paper's appendix H.2.
    pub const MIN_VALID: u64 = 5;

    /// Summarizes the continuations of a run that start after `step` steps.
    #[must_use]
    pub fn new(step: usize, branches: &[ConfidenceRecord]) -> Self {
        let first_action = |run: &Run| {
            let reply = run.agent_turns().nth(step)?.reply.as_ref()?;
            action_text(&reply.text).map(str::to_owned)
        };
        let runs = || branches.iter().map(|branch| &branch.record.run);
        Self {
            step,
            counts: count_continuations(runs()),
            answers: branches.iter().filter_map(|branch| branch.answer.clone()).collect(),
            actions: runs().filter_map(first_action).collect(),
        }
    }

    /// Returns the probability of success after the step; `None` with fewer than [`Self::MIN_VALID`] outcomes.
    #[must_use]
    pub fn success(&self) -> Option<Probability> {
        let estimate = self.counts.estimate().ok()?;
        (self.counts.valid() >= Self::MIN_VALID).then_some(estimate.probability)
    }

    /// Returns the squared distance of a forecast to the true probability of success, minus the expected contribution of the
    /// estimate's error: `(F - q)^2 - q (1 - q) / (M - 1)` for a share q of M outcomes. Its mean equals the mean of
    /// `(F - q_t)^2`; a single value can be negative. `None` as in [`Self::success`].
    ///
    /// ```
    /// use agent_benchmarks::{Continuations, Error, Probability, confidence::Continued};
    ///
    /// let counts = Continuations { successes: 4, failures: 1, unresolved: 3, invalid: 1 };
    /// let continued = Continued { counts, ..Continued::default() };
    /// assert_eq!(continued.success().map(|chance| chance.get()), Some(0.8));
    /// let distance = continued.squared_distance(Probability::HALF);
    /// assert!((distance.unwrap() - (0.09 - 0.16 / 4.0)).abs() < 1e-15);
    ///
    /// let few = Continued { counts: Continuations { failures: 0, ..counts }, ..Continued::default() };
    /// assert_eq!(few.success(), None);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn squared_distance(&self, forecast: Probability) -> Option<f64> {
        let (share, outcomes) = (self.success()?.get(), self.counts.valid() as f64);
        Some((forecast.get() - share).powi(2) - share * (1.0 - share) / (outcomes - 1.0))
    }
}
