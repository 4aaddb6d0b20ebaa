use crate::{error::Error, sums::exact_sum::ExactSum, values::weight::Weight};

crate::checked! {
    /// A weighted mean whose bits do not depend on the order of the values.
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
        if !(0.0..f64::INFINITY).contains(&value) {
            let range = "a finite sum of at least 0";
            return Err(Error::Setting { name: "weight", value, range });
        }
        if self.all_weight() == ExactSum::default() && self.total != ExactSum::default() {
            return Err(Error::Empty);
        }
        Ok(())
    }

    /// Adds one value of weight 1. After NaN, [`ExactMean::finish`] returns an error.
    #[inline]
    pub fn update(&mut self, value: f64) {
        self.total.add(value);
        self.count = self.count.saturating_add(1);
    }

    /// Adds one value of the given weight. A value of weight 0 changes nothing.
    ///
    /// # Errors
    ///
    /// For a value of positive weight, [`Error::NotANumber`] if it is NaN, and [`Error::NotFinite`]
    /// if it is finite and its product with the weight exceeds the largest f64. The mean is
    /// unchanged then. Values up to 1e200 in size never overflow.
    pub fn update_weighted(&mut self, value: f64, weight: Weight) -> Result<(), Error> {
        if weight != Weight::ZERO {
            if value.is_nan() {
                return Err(Error::NotANumber { what: "the value" });
            }
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

    /// The mean of all values so far.
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

    /// The sum of all weights, at least 0. A value added without a weight has weight 1.
    ///
    /// ```
    /// use scoring_rules::{Error, ExactMean, Weight};
    ///
    /// let mut mean: ExactMean = [0.2, 0.4].into_iter().collect();
    /// mean.update_weighted(0.3, Weight::new(1.5)?)?;
    /// assert_eq!(mean.weight(), 3.5);
    /// # Ok::<(), Error>(())
    /// ```
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

collecting!(ExactMean, update);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_value_of_weight_zero_changes_nothing() {
        let mut mean = ExactMean::default();
        mean.update_weighted(3.0, Weight::ZERO).unwrap();
        assert_eq!(mean.finish(), Err(Error::Empty));
    }

    #[test]
    fn an_infinite_value_counts_unless_its_weight_is_zero() {
        let mut mean: ExactMean = [1.0].into_iter().collect();
        mean.update_weighted(f64::NEG_INFINITY, Weight::ZERO).unwrap();
        assert_eq!(mean.finish(), Ok(1.0));
        mean.update_weighted(f64::NEG_INFINITY, Weight::new(0.5).unwrap()).unwrap();
        assert_eq!(mean.finish(), Ok(f64::NEG_INFINITY));
    }

    fn mean(values: &[f64]) -> Result<f64, Error> {
        values.iter().copied().collect::<ExactMean>().finish()
    }

    #[test]
    fn a_sum_beyond_the_largest_number_is_an_error_and_not_an_infinite_mean() {
        for sign in [1.0, -1.0] {
            let error = mean(&[sign * f64::MAX; 2]).unwrap_err();
            let value = sign * f64::INFINITY;
            assert_eq!(error, Error::NotFinite { what: "the sum of the values", value });
        }
        assert_eq!(mean(&[f64::MAX, f64::MAX, -f64::MAX]), Ok(f64::MAX / 3.0));
        assert_eq!(mean(&[f64::MAX, f64::MAX, f64::INFINITY]), Ok(f64::INFINITY));
    }

    #[test]
    fn a_product_with_a_weight_beyond_the_largest_number_is_an_error() {
        let mut weighted = ExactMean::default();
        let two = Weight::new(2.0).unwrap();
        let error = weighted.update_weighted(-f64::MAX, two).unwrap_err();
        let product = f64::NEG_INFINITY;
        let what = "the value times its weight";
        assert_eq!(error, Error::NotFinite { what, value: product });
        assert_eq!(weighted, ExactMean::default());
    }

    #[test]
    fn a_mean_that_does_not_exist_is_an_error_and_not_nan() {
        for values in [[1.0, f64::NAN], [f64::INFINITY, f64::NEG_INFINITY]] {
            let error = mean(&values).unwrap_err();
            assert!(matches!(error, Error::Undefined { name: "the mean", .. }), "{error}");
        }
        let mut weighted: ExactMean = [1.0].into_iter().collect();
        assert_eq!(weighted.update_weighted(f64::NAN, Weight::ZERO), Ok(()));
        let error = weighted.update_weighted(f64::NAN, Weight::ONE).unwrap_err();
        assert!(matches!(error, Error::NotANumber { what: "the value" }), "{error}");
        assert_eq!(weighted.finish(), Ok(1.0));
    }

    proptest! {
        #[test]
        fn an_integer_weight_gives_the_same_bits_as_copies(rows in prop::collection::vec((-20.0..0.0_f64, 1_u32..9), 1..40)) {
            let (mut weighted, mut copied) = (ExactMean::default(), ExactMean::default());
            for &(value, weight) in &rows {
                weighted.update_weighted(value, weight.into()).unwrap();
                copied.extend((0..weight).map(|_| value));
            }
            prop_assert_eq!(weighted.finish().unwrap().to_bits(), copied.finish().unwrap().to_bits());
        }

        #[test]
        fn parts_may_be_merged_in_any_order(
            rows in prop::collection::vec((-20.0..0.0_f64, prop_oneof![Just(1.0), 0.1..9.0_f64]), 1..40),
            at in any::<prop::sample::Index>(),
        ) {
            let of = |rows: &[(f64, f64)]| {
                let mut mean = ExactMean::default();
                for &(value, weight) in rows {
                    if weight == 1.0 {
                        mean.update(value);
                    } else {
                        mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap();
                    }
                }
                mean
            };
            let (all, (low, high)) = (of(&rows), rows.split_at(at.index(rows.len())));
            for (first, then) in [(low, high), (high, low)] {
                let mut merged = of(first);
                merged.merge(&of(then));
                prop_assert_eq!(&merged, &all);
                prop_assert_eq!(merged.finish().unwrap().to_bits(), all.finish().unwrap().to_bits());
            }
        }
    }

    #[test]
    fn means_are_equal_if_the_sums_of_values_and_of_weights_are_equal() {
        let of = |rows: &[(f64, f64)]| {
            let mut mean = ExactMean::default();
            for &(value, weight) in rows {
                mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap();
            }
            mean
        };
        assert_eq!(of(&[(0.5, 2.0), (1.0, 1.0)]), [1.0, 0.5, 0.5].into_iter().collect());
        assert_eq!(of(&[(0.0, 2.0), (1.5, 1.0)]), of(&[(0.5, 3.0)]));
        // An equal mean with another weight, an equal sum with another weight, another sum.
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.5, 1.0)]));
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(1.0, 1.0)]));
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.25, 2.0)]));
    }
}
