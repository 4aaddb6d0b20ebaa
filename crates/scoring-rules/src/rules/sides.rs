use crate::values::probability::Probability;

/// A forecast as the probabilities of both outcomes, each with all its digits, which `1 - p` of a
/// rounded p near 1 does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sides {
    /// The probability of the event.
    pub(crate) p: f64,
    /// The probability of the opposite.
    pub(crate) rest: f64,
}

impl Sides {
    #[inline]
    pub(crate) fn new(forecast: Probability) -> Self {
        Self { p: forecast.get(), rest: forecast.complement().get() }
    }

    /// `p = 1 / (1 + exp(-logit))`; a NaN makes both sides NaN.
    pub(crate) fn of_logit(logit: f64) -> Self {
        let small = (-logit.abs()).exp();
        let (near, far) = (1.0 / (1.0 + small), small / (1.0 + small));
        if logit < 0.0 { Self { p: far, rest: near } } else { Self { p: near, rest: far } }
    }

    /// The probability of the given outcome, then of the other outcome.
    #[inline]
    pub(crate) fn of(self, outcome: bool) -> (f64, f64) {
        if outcome { (self.p, self.rest) } else { (self.rest, self.p) }
    }

    /// Raises both sides of the forecast to at least `least`.
    pub(crate) fn inside(self, least: f64) -> Self {
        Self { p: self.p.max(least), rest: self.rest.max(least) }
    }
}

/// The probability of the outcome y, which is 0 or 1, and of the other outcome, without a branch.
#[inline(always)]
pub(crate) fn sides_of_row(p: f64, y: f64) -> (f64, f64) {
    ((p - (1.0 - y)).abs(), (p - y).abs())
}
