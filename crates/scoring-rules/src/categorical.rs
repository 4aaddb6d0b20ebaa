use crate::{
    checks::setting, error::Error, sums::compensated_sum::CompensatedSum,
    values::probability::Probability,
};

/// A forecast of one of at least two classes: their probabilities, borrowed and checked once.
///
/// The probabilities must sum to 1 within 1e-9, which allows for rounding. They are not rescaled.
///
/// All scores are higher for better forecasts. For two classes, [`Self::log_score`] equals
/// [`LogScore`](crate::LogScore), [`Self::brier_score`] is twice [`BrierScore`](crate::BrierScore), and
/// [`Self::ranked_probability_score`] equals [`BrierScore`](crate::BrierScore).
///
/// With the feature `serde` a forecast is written as the list of its probabilities. Reading is not
/// supported, because a forecast borrows its probabilities.
///
/// ```
/// use scoring_rules::{Categorical, Error, Probability};
///
/// let forecast = Categorical::new(Probability::from_slice(&[0.25, 0.5, 0.25])?)?;
/// assert_eq!(forecast.log_score(1)?, 0.5_f64.ln());
/// let wrong = Categorical::new(Probability::from_slice(&[0.5, 0.75])?);
/// assert!(matches!(wrong, Err(Error::Setting { value: 1.25, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Categorical<'a>(&'a [Probability]);

impl<'a> Categorical<'a> {
    /// Creates a forecast from the probabilities of all classes.
    ///
    /// # Errors
    ///
    /// [`Error::TooFew`] for fewer than two classes; [`Error::Setting`] if the probabilities do
    /// not sum to 1 within 1e-9.
    pub fn new(probabilities: &'a [Probability]) -> Result<Self, Error> {
        let found = probabilities.len();
        if found < 2 {
            return Err(Error::TooFew { what: "classes", least: 2, found });
        }
        let sum = sum_of(probabilities.iter(), |p| p);
        let is_one = (sum - 1.0).abs() <= 1e-9;
        setting("the sum of the probabilities of all classes", sum, is_one, "1 within 1e-9")?;
        Ok(Self(probabilities))
    }

    /// The probabilities of the classes before a class, of the class, and of the classes after it.
    fn around(self, class: usize) -> Result<(&'a [Probability], f64, &'a [Probability]), Error> {
        match self.0.split_at_checked(class) {
            Some((before, [here, after @ ..])) => Ok((before, here.get(), after)),
            _ => {
                let range = "below the number of classes; classes are counted from 0";
                Err(Error::Setting { name: "the class", value: class as f64, range })
            }
        }
    }

    /// Returns the logarithmic score: `ln` of the probability of the class that occurred, in nats.
    ///
    /// From minus infinity, for a class of probability 0, to 0; strictly proper. Cost: O(1).
    ///
    /// Reference: Good (1952), Rational decisions, doi:10.1111/j.2517-6161.1952.tb00104.x.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the outcome is not a class of the forecast.
    ///
    /// ```
    /// use scoring_rules::{Categorical, Error, Probability};
    ///
    /// let forecast = Categorical::new(Probability::from_slice(&[0.25, 0.5, 0.25])?)?;
    /// assert_eq!(forecast.log_score(1)?, 0.5_f64.ln());
    /// assert!(matches!(forecast.log_score(3), Err(Error::Setting { name: "the class", .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn log_score(self, outcome: usize) -> Result<f64, Error> {
        let (_, p, _) = self.around(outcome)?;
        Ok(p.ln())
    }

    /// Returns the Brier (quadratic) score: minus the sum over all classes of
    /// `(p_k - 1{k occurred})^2`.
    ///
    /// From -2 to 0; strictly proper. For two classes it is twice the score of a binary event. Cost:
    /// O(K).
    ///
    /// Reference: Brier (1950), Verification of forecasts expressed in terms of probability,
    /// doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the outcome is not a class of the forecast.
    ///
    /// ```
    /// use scoring_rules::{Categorical, Probability};
    ///
    /// let forecast = Categorical::new(Probability::from_slice(&[0.25, 0.5, 0.25])?)?;
    /// assert_eq!(forecast.brier_score(1)?, -0.375);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    pub fn brier_score(self, outcome: usize) -> Result<f64, Error> {
        let (before, p, after) = self.around(outcome)?;
        let others = sum_of(before.iter().chain(after), |p| p * p);
        // The subtraction avoids negative zero.
        Ok(0.0 - ((1.0 - p) * (1.0 - p) + others))
    }

    /// Returns the spherical score: the probability of the class that occurred, divided by the
    /// Euclidean norm of all probabilities, `p_y / sqrt(sum of p_k^2)`.
    ///
    /// In [0, 1]; strictly proper. Cost: O(K).
    ///
    /// Reference: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
    /// estimation, section 3.1, doi:10.1198/016214506000001437.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the outcome is not a class of the forecast.
    ///
    /// ```
    /// use scoring_rules::{Categorical, Probability};
    ///
    /// let forecast = Categorical::new(Probability::from_slice(&[0.5, 0.25, 0.25])?)?;
    /// assert!((forecast.spherical_score(0)? - 0.5 / 0.375_f64.sqrt()).abs() < 1e-15);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    pub fn spherical_score(self, outcome: usize) -> Result<f64, Error> {
        let (_, p, _) = self.around(outcome)?;
        Ok(p / sum_of(self.0.iter(), |p| p * p).sqrt())
    }

    /// Returns the ranked probability score of ordered classes: minus the sum of `(F_k - 1{y <= k})^2`
    /// over all classes k except the last, with cumulative probabilities F_k.
    ///
    /// From `-(K - 1)` to 0; strictly proper. Unlike the other scores it depends on the order of the
    /// classes: probability on a class far from the observed class costs more than on a near class.
    /// Cost: O(K).
    ///
    /// Reference: Epstein (1969), A scoring system for probability forecasts of ranked categories,
    /// doi:10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the outcome is not a class of the forecast.
    ///
    /// ```
    /// use scoring_rules::{Categorical, Probability};
    ///
    /// let forecast = Categorical::new(Probability::from_slice(&[0.25, 0.5, 0.25])?)?;
    /// assert_eq!(forecast.ranked_probability_score(0)?, -(0.75 * 0.75 + 0.25 * 0.25));
    /// assert_eq!(forecast.ranked_probability_score(1)?, -(0.25 * 0.25 + 0.25 * 0.25));
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    pub fn ranked_probability_score(self, outcome: usize) -> Result<f64, Error> {
        let (before, _, after) = self.around(outcome)?;
        // Summed from both ends, because 1 - F would lose the digits of small probabilities.
        let (mut low, mut high) = (CompensatedSum::default(), CompensatedSum::default());
        let below = sum_of(before.iter(), |p| square_so_far(&mut low, p));
        let above = sum_of(after.iter().rev(), |p| square_so_far(&mut high, p));
        Ok(0.0 - (below + above))
    }
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
