use std::fmt;

use crate::{rule::ScoringRule, values::probability::Probability};

/// Creates a scoring rule from a function of the forecast and the outcome.
///
/// ```
/// use scoring_rules::{Error, Probability, ScoringRule, from_fn};
///
/// let quadratic = from_fn(|p: Probability, outcome| {
///     let y = f64::from(outcome);
///     -(p.get() - y) * (p.get() - y)
/// });
/// assert_eq!(quadratic.score(Probability::HALF, true), -0.25);
/// assert_eq!(quadratic.entropy(Probability::HALF), 0.25);
/// # Ok::<(), Error>(())
/// ```
pub const fn from_fn<F: Fn(Probability, bool) -> f64>(score: F) -> FromFn<F> {
    FromFn { function: score }
}

/// An implementation of a trait by a function, such as the scoring rule that [`from_fn`] creates. In this workspace,
/// functions whose names end in `from_fn` create it.
#[derive(Clone, Copy)]
pub struct FromFn<F> {
    /// The function. The field is public for the other crates of this workspace.
    #[doc(hidden)]
    pub function: F,
}

impl<F: Fn(Probability, bool) -> f64> ScoringRule for FromFn<F> {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        (self.function)(forecast, outcome)
    }
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}
