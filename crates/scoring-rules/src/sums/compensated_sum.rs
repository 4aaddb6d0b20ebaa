crate::checked! {
    /// A compensated sum: a running sum that also tracks its rounding errors.
    ///
    /// The error of the result is a few units in the last place for any number of terms, unless the
    /// terms cancel. The result depends on the order of the terms, unlike the result of
    /// [`ExactSum`](crate::ExactSum).
    ///
    /// In JSON it is `{"sum": …, "error": …}`, and an infinite sum is `"inf"` or `"-inf"`. A sum that
    /// is NaN cannot be written.
    ///
    /// Reference: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
    /// Summen, doi:10.1002/zamm.19740540106; for the form without a branch, Knuth (1997), The art of
    /// computer programming, volume 2, section 4.2.2.
    ///
    /// ```
    /// use scoring_rules::CompensatedSum;
    ///
    /// let mut sum = CompensatedSum::default();
    /// for term in [1.0, 1e100, 1.0, -1e100] {
    ///     sum.add(term);
    /// }
    /// assert_eq!(sum.value(), 2.0);
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct CompensatedSum {
        #[cfg_attr(feature = "serde", serde(with = "crate::infinite"))]
        sum: f64,
        /// The sum of the rounding errors; meaningless if the sum is not finite.
        #[cfg_attr(feature = "serde", serde(serialize_with = "zero_unless_finite"))]
        error: f64,
    }
    check: |sum| {
        if sum.error.is_finite() { Ok(()) } else { Err("the error of the sum is not finite") }
    }
}

#[cfg(feature = "serde")]
fn zero_unless_finite<S: serde::Serializer>(error: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(if error.is_finite() { *error } else { 0.0 })
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        // The exact rounding error, without a branch on which of the two numbers is larger.
        let added = sum - self.sum;
        self.error += (self.sum - (sum - added)) + (term - added);
        self.sum = sum;
    }

    /// Returns the sum so far. It is infinite or NaN if plain addition gives infinity or NaN.
    #[must_use]
    #[inline]
    pub fn value(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.error } else { self.sum }
    }
}
