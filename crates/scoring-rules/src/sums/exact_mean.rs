use crate::{
    checks::{not_nan, same_length},
    error::Error,
    sums::exact_sum::ExactSum,
    values::weight::Weight,
};

crate::checked! {
    /// A weighted mean that is the same to the last bit in whatever order the values are added.
    ///
    /// Sums are exact ([`ExactSum`]) and rounded once, so that parts can be computed separately and
    /// merged in any order, and a value of weight 2 gives the same bits as the value added twice. Two
    /// means are equal if the exact sums of their values and of their weights are equal.
    ///
    /// An infinite value makes the mean infinite. The mean is an error if a value is NaN, if values are
    /// infinite with both signs, or if the sum of finite values exceeds the largest f64.
    ///
    /// In JSON it is `{"total": …, "count": n, "weight": …}`: the sum of all weighted values, the
    /// number of values added without a weight, and the sum of the weights of all other values. The
    /// sums are written as [`ExactSum`] writes them.
    ///
    /// ```
    /// use scoring_rules::{Error, ExactMean, Weight};
    ///
    /// let mut mean = ExactMean::default();
    /// mean.update(-0.1);
    /// mean.update_weighted(-0.4, Weight::new(2.0)?)?;
    ///
    /// let mut twice = ExactMean::default();
    /// twice.extend([-0.4, -0.4]);
    /// let mut rest = ExactMean::default();
    /// rest.update(-0.1);
    /// twice.merge(&rest);
    /// assert_eq!(mean.finish()?.to_bits(), twice.finish()?.to_bits());
    /// assert_eq!(mean, twice);
    ///
    /// assert_eq!(ExactMean::default().finish(), Err(Error::Empty));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, Default)]
    pub struct ExactMean {
        total: ExactSum,
        /// The number of values added without a weight.
        count: u64,
        /// The weight of all other values.
        weight: ExactSum,
    }
    check: ExactMean::check
}

impl ExactMean {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let value = self.weight.value();
        let is_valid = (0.0..f64::INFINITY).contains(&value);
        crate::checks::setting("weight", value, is_valid, "a finite sum of at least 0")?;
        if self.all_weight() == ExactSum::default() && self.total != ExactSum::default() {
            return Err(Error::Empty);
        }
        Ok(())
    }

    /// Returns the mean of values, with weights if weights are given.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one weight per value; the errors of [`Self::update_weighted`]
    /// and [`Self::finish`].
    ///
    /// ```
    /// use scoring_rules::{Error, ExactMean, Weight};
    ///
    /// let weights = Weight::from_slice(&[1.0, 3.0])?;
    /// assert_eq!(ExactMean::of([0.0, 1.0].into_iter(), Some(weights))?, 0.75);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn of(
        values: impl ExactSizeIterator<Item = f64>,
        weights: Option<&[Weight]>,
    ) -> Result<f64, Error> {
        let mut mean = Self::default();
        match weights {
            None => mean.extend(values),
            Some(weights) => {
                same_length("weights", values.len(), weights.len())?;
                for (value, &weight) in values.zip(weights) {
                    mean.update_weighted(value, weight)?;
                }
            }
        }
        mean.finish()
    }

    /// Adds one value of weight 1. If the value is NaN, [`ExactMean::finish`] returns an error.
    #[inline]
    pub fn update(&mut self, value: f64) {
        self.total.add(value);
        self.count = self.count.saturating_add(1);
    }

    #[inline(always)]
    fn update_all(&mut self, values: impl IntoIterator<Item = f64>) {
        let mut count = 0;
        self.total.add_all(values.into_iter().inspect(|_| count += 1));
        self.count = self.count.saturating_add(count);
    }

    /// Adds one value of the given weight. A value of weight 0 changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::NotANumber`] for a NaN of positive weight; [`Error::NotFinite`] if the product of a
    /// finite value and its weight exceeds the largest f64. The mean is unchanged then. Values up to
    /// 1e200 in size never overflow.
    pub fn update_weighted(&mut self, value: f64, weight: Weight) -> Result<(), Error> {
        if weight != Weight::ZERO {
            not_nan("the value", value)?;
            let product = value * weight.get();
            if product.is_infinite() && value.is_finite() {
                let what = "the value times its weight";
                return Err(Error::NotFinite { what, value: product });
            }
            self.total.add_product(value, weight.get());
            self.weight.add(weight.get());
        }
        Ok(())
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.total.merge(&other.total);
        self.count = self.count.saturating_add(other.count);
        self.weight.merge(&other.weight);
    }

    /// Returns the mean of all values so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if no value has positive weight; [`Error::Undefined`] if a value is NaN, or
    /// values are infinite with both signs; [`Error::NotFinite`] if all values are finite and the
    /// size of their sum exceeds the largest f64.
    ///
    /// ```
    /// use scoring_rules::{Error, ExactMean};
    ///
    /// let mean = |values: [f64; 2]| values.into_iter().collect::<ExactMean>().finish();
    /// assert_eq!(mean([1.0, 2.0])?, 1.5);
    /// assert_eq!(mean([1.0, f64::INFINITY])?, f64::INFINITY);
    /// assert!(matches!(mean([1.0, f64::NAN]), Err(Error::Undefined { .. })));
    /// assert!(matches!(mean([f64::MAX; 2]), Err(Error::NotFinite { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn finish(&self) -> Result<f64, Error> {
        let weight = self.weight();
        if weight == 0.0 {
            return Err(Error::Empty);
        }
        let total = self.total.value();
        if total.is_nan() {
            let reason = "a value is NaN, or values are infinite with both signs";
            return Err(Error::Undefined { name: "the mean", reason });
        }
        if total.is_infinite() && self.total.has_finite_terms() {
            return Err(Error::NotFinite { what: "the sum of the values", value: total });
        }
        Ok(total / weight)
    }

    /// Returns the sum of all weights, at least 0. A value added without a weight has weight 1.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.all_weight().value()
    }

    fn all_weight(&self) -> ExactSum {
        let mut weight = self.weight.clone();
        weight.add(self.count as f64);
        weight
    }
}

impl PartialEq for ExactMean {
    fn eq(&self, other: &Self) -> bool {
        self.total == other.total && self.all_weight() == other.all_weight()
    }
}

collecting!(ExactMean, update_all);
