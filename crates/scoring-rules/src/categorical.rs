//! Scores of a forecast for one of several classes. Higher is better.
//!
//! For two classes they are the rules for yes/no events: [`log_score`] is
//! [`LogScore`](crate::LogScore), [`brier_score`] is twice [`BrierScore`](crate::BrierScore) and
//! [`ranked_probability_score`] is [`BrierScore`](crate::BrierScore) itself.

use crate::{
    error::Error, sums::compensated_sum::CompensatedSum, values::probability::Probability,
};

/// A probability for each of at least two classes, together 1. Borrowed and checked once.
///
/// With the feature `serde` it is written as the list of its probabilities, and not read, because it
/// borrows them.
///
/// The sum may be off by up to 1e-9, as numbers that were rounded or written down are; they are
/// taken as they are and not scaled.
///
/// ```
/// use scoring_rules::{Categorical, Error};
///
/// let forecast = Categorical::new(&[0.25, 0.5, 0.25])?;
/// assert_eq!(forecast.probabilities()[1].get(), 0.5);
/// assert_eq!(Categorical::new(&[0.5, 0.75]), Err(Error::Total { sum: 1.25 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Categorical<'a>(&'a [Probability]);

impl<'a> Categorical<'a> {
    /// Checks one number a class, without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::TooFew`] for fewer than two classes; [`Error::NotAProbabilityAt`] with the first
    /// entry that is none; [`Error::Total`] where they do not sum to 1 within 1e-9.
    pub fn new(probabilities: &'a [f64]) -> Result<Self, Error> {
        let found = probabilities.len();
        if found < 2 {
            return Err(Error::TooFew { what: "classes", least: 2, found });
        }
        let checked = Probability::from_slice(probabilities)?;
        let sum = sum_of(checked.iter(), |p| p);
        if (sum - 1.0).abs() <= 1e-9 { Ok(Self(checked)) } else { Err(Error::Total { sum }) }
    }

    /// The probabilities, one a class.
    #[must_use]
    pub fn probabilities(self) -> &'a [Probability] {
        self.0
    }

    /// The classes before one, its probability, and the classes after it.
    fn around(self, class: usize) -> Result<(&'a [Probability], f64, &'a [Probability]), Error> {
        match self.0.split_at_checked(class) {
            Some((before, [here, after @ ..])) => Ok((before, here.get(), after)),
            _ => Err(Error::NoSuchClass { class, classes: self.0.len() }),
        }
    }
}

/// The logarithmic score, `ln` of the probability given to the class that happened, in nats.
///
/// From minus infinity, for a class that was ruled out, to 0; strictly proper. Takes O(1).
///
/// Reference: Good (1952), Rational decisions, doi:10.1111/j.2517-6161.1952.tb00104.x.
///
/// # Errors
///
/// [`Error::NoSuchClass`] for an outcome that the forecast has no class for.
///
/// ```
/// use scoring_rules::{Categorical, Error, categorical::log_score};
///
/// let forecast = Categorical::new(&[0.25, 0.5, 0.25])?;
/// assert_eq!(log_score(forecast, 1)?, 0.5_f64.ln());
/// assert_eq!(log_score(forecast, 3), Err(Error::NoSuchClass { class: 3, classes: 3 }));
/// # Ok::<(), Error>(())
/// ```
pub fn log_score(forecast: Categorical<'_>, outcome: usize) -> Result<f64, Error> {
    let (_, p, _) = forecast.around(outcome)?;
    Ok(p.ln())
}

/// The Brier (quadratic) score: minus the sum over all classes of `(p_k - 1{k happened})^2`.
///
/// From -2 to 0; strictly proper. For two classes it is twice the score of a yes/no event. Takes
/// O(K).
///
/// Reference: Brier (1950), Verification of forecasts expressed in terms of probability,
/// doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
///
/// # Errors
///
/// [`Error::NoSuchClass`] for an outcome that the forecast has no class for.
///
/// ```
/// use scoring_rules::{Categorical, categorical::brier_score};
///
/// let forecast = Categorical::new(&[0.25, 0.5, 0.25])?;
/// assert_eq!(brier_score(forecast, 1)?, -0.375);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn brier_score(forecast: Categorical<'_>, outcome: usize) -> Result<f64, Error> {
    let (before, p, after) = forecast.around(outcome)?;
    let others = sum_of(before.iter().chain(after), |p| p * p);
    // A difference, so that a right certainty has plain zero and not negative zero.
    Ok(0.0 - ((1.0 - p) * (1.0 - p) + others))
}

/// The spherical score: the probability of the class that happened, over the length of the vector
/// of all, `p_y / sqrt(sum of p_k^2)`.
///
/// In [0, 1]; strictly proper. Takes O(K).
///
/// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
/// estimation, section 3.1, doi:10.1198/016214506000001437.
///
/// # Errors
///
/// [`Error::NoSuchClass`] for an outcome that the forecast has no class for.
///
/// ```
/// use scoring_rules::{Categorical, categorical::spherical_score};
///
/// let forecast = Categorical::new(&[0.5, 0.25, 0.25])?;
/// assert!((spherical_score(forecast, 0)? - 0.5 / 0.375_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn spherical_score(forecast: Categorical<'_>, outcome: usize) -> Result<f64, Error> {
    let (_, p, _) = forecast.around(outcome)?;
    Ok(p / sum_of(forecast.0.iter(), |p| p * p).sqrt())
}

/// The ranked probability score of ordered classes: minus the sum over all thresholds between
/// neighbours of the squared probability given to the wrong side of the threshold.
///
/// With cumulative probabilities F_k these are the squared differences `(F_k - 1{y <= k})^2`. From
/// `-(K - 1)` to 0, the best; strictly proper. Unlike the other scores it punishes a forecast for a
/// far class more than one for a near class. Takes O(K).
///
/// Reference: Epstein (1969), A scoring system for probability forecasts of ranked categories,
/// doi:10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2.
///
/// # Errors
///
/// [`Error::NoSuchClass`] for an outcome that the forecast has no class for.
///
/// ```
/// use scoring_rules::{Categorical, categorical::ranked_probability_score};
///
/// let forecast = Categorical::new(&[0.25, 0.5, 0.25])?;
/// assert_eq!(ranked_probability_score(forecast, 0)?, -(0.75 * 0.75 + 0.25 * 0.25));
/// assert_eq!(ranked_probability_score(forecast, 1)?, -(0.25 * 0.25 + 0.25 * 0.25));
/// # Ok::<(), scoring_rules::Error>(())
/// ```
pub fn ranked_probability_score(forecast: Categorical<'_>, outcome: usize) -> Result<f64, Error> {
    let (before, _, after) = forecast.around(outcome)?;
    // From each end inwards, as 1 - F would lose the digits of a small probability of the far end.
    let (mut low, mut high) = (CompensatedSum::default(), CompensatedSum::default());
    let below = sum_of(before.iter(), |p| square_so_far(&mut low, p));
    let above = sum_of(after.iter().rev(), |p| square_so_far(&mut high, p));
    Ok(0.0 - (below + above))
}

fn square_so_far(sum: &mut CompensatedSum, p: f64) -> f64 {
    sum.add(p);
    sum.value() * sum.value()
}

fn sum_of<'a>(
    probabilities: impl Iterator<Item = &'a Probability>,
    mut term: impl FnMut(f64) -> f64,
) -> f64 {
    let mut sum = CompensatedSum::default();
    probabilities.for_each(|p| sum.add(term(p.get())));
    sum.value()
}
