use crate::{error::Error, sums::exact_sum::ExactSum, values::weight::Weight};

/// A weighted mean whose bits do not depend on the order of its values.
///
/// Sums are exact ([`ExactSum`]) and rounded once, so parts can be computed anywhere and merged in
/// any order, and a weight of 2 is the value given twice, to the last bit. Two means are equal
/// where they have taken in the same exact sum of values and of weights.
///
/// The mean of finite values is finite, also where their sum is beyond the largest number, as that of
/// twice [`f64::MAX`] is. Infinite values count as they do in [`ExactSum`]. What is a NaN there, a
/// NaN among the values or infinities of both signs, is an error here.
///
/// In JSON it is `{"total": …, "count": n, "weight": …}`: the sum of all weighted values, how many came
/// without a weight, and the sum of the weights of all others, with sums as of [`ExactSum`].
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct ExactMean {
    total: ExactSum,
    /// Weight of the values given without one.
    count: u64,
    /// Weight of all others.
    weight: ExactSum,
}

/// The form in which a mean is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    total: ExactSum,
    count: u64,
    weight: ExactSum,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for ExactMean {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { total, count, weight } = written;
        let value = weight.value();
        if !(0.0..f64::INFINITY).contains(&value) {
            let range = "a finite sum of at least 0";
            return Err(Error::Setting { name: "weight", value, range });
        }
        let mean = Self { total, count, weight };
        if mean.all_weight() == ExactSum::default() && mean.total != ExactSum::default() {
            // A total of nothing.
            return Err(Error::Empty);
        }
        Ok(mean)
    }
}

#[cfg(feature = "serde")]
impl From<ExactMean> for Written {
    fn from(mean: ExactMean) -> Self {
        let ExactMean { total, count, weight } = mean;
        Self { total, count, weight }
    }
}

impl ExactMean {
    /// Takes in one value of weight 1. After a NaN [`ExactMean::finish`] returns an error.
    #[inline]
    pub fn update(&mut self, value: f64) {
        self.total.add(value);
        self.count = self.count.saturating_add(1);
    }

    /// Takes in one value of the given weight; of weight 0 it leaves no trace.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for a NaN of positive weight, and for a finite value whose product with
    /// its weight is beyond the largest number. Nothing is taken in then. For values between 1e-200
    /// and 1e200 in size no product leaves the range of numbers.
    pub fn update_weighted(&mut self, value: f64, weight: Weight) -> Result<(), Error> {
        if weight != Weight::ZERO {
            if value.is_nan() {
                return Err(Error::NotFinite { what: "the value", value });
            }
            let product = value * weight.get();
            if product.is_infinite() && value.is_finite() {
                return Err(Error::NotFinite {
                    what: "the value times its weight",
                    value: product,
                });
            }
            self.total.add_product(value, weight.get());
            self.weight.add(weight.get());
        }
        Ok(())
    }

    /// Takes in everything that `other` has.
    pub fn merge(&mut self, other: &Self) {
        self.total.merge(&other.total);
        self.count = self.count.saturating_add(other.count);
        self.weight.merge(&other.weight);
    }

    /// The mean of all values so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] where nothing of positive weight was taken in; [`Error::NotFinite`] where a
    /// value was a NaN, or values were infinite with both signs.
    ///
    /// ```
    /// use scoring_rules::{Error, ExactMean};
    ///
    /// let of = |values: [f64; 2]| values.into_iter().collect::<ExactMean>().finish();
    /// assert_eq!(of([f64::MAX, f64::MAX])?, f64::MAX);
    /// assert_eq!(of([1.0, f64::INFINITY])?, f64::INFINITY);
    /// assert!(matches!(of([1.0, f64::NAN]), Err(Error::NotFinite { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn finish(&self) -> Result<f64, Error> {
        let weight = self.weight();
        if weight == 0.0 {
            return Err(Error::Empty);
        }
        let mean = self.total.divided_by(weight);
        if mean.is_nan() {
            return Err(Error::NotFinite { what: "the mean", value: mean });
        }
        Ok(mean)
    }

    /// The sum of all weights so far, at least 0; each value without a weight has weight 1.
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

impl Extend<f64> for ExactMean {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.update(value));
    }
}

impl FromIterator<f64> for ExactMean {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut mean = Self::default();
        mean.extend(values);
        mean
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_weight_of_zero_leaves_no_trace() {
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
    fn a_mean_is_finite_where_its_values_are_however_large_their_sum() {
        assert_eq!(mean(&[f64::MAX; 2]), Ok(f64::MAX));
        for copies in 1..300 {
            // The sum is rounded, and then the quotient.
            let found = mean(&vec![f64::MAX; copies]).unwrap();
            assert!((f64::MAX.next_down()..=f64::MAX).contains(&found), "{copies}: {found:e}");
            assert_eq!(mean(&vec![-f64::MAX; copies]), Ok(-found), "{copies}");
        }
        let next = f64::MAX.next_down();
        assert_eq!(mean(&[f64::MAX, next, next, f64::MAX.next_down().next_down()]), Ok(next));
        assert_eq!(mean(&[f64::MAX, f64::MAX / 2.0]), Ok(f64::MAX / 4.0 * 3.0));
        assert_eq!(mean(&[f64::MAX, f64::MAX, f64::INFINITY]), Ok(f64::INFINITY));
        let mut weighted = ExactMean::default();
        let two = Weight::new(2.0).unwrap();
        let error = weighted.update_weighted(-f64::MAX, two).unwrap_err();
        let product = f64::NEG_INFINITY;
        let what = "the value times its weight";
        assert_eq!(error, Error::NotFinite { what, value: product });
        assert_eq!(weighted, ExactMean::default());
    }

    #[test]
    fn a_mean_that_does_not_exist_is_an_error_and_never_a_nan() {
        for values in [[1.0, f64::NAN], [f64::INFINITY, f64::NEG_INFINITY]] {
            let error = mean(&values).unwrap_err();
            assert!(matches!(error, Error::NotFinite { what: "the mean", .. }), "{error}");
        }
        let mut weighted: ExactMean = [1.0].into_iter().collect();
        assert_eq!(weighted.update_weighted(f64::NAN, Weight::ZERO), Ok(()));
        let error = weighted.update_weighted(f64::NAN, Weight::ONE).unwrap_err();
        assert!(matches!(error, Error::NotFinite { what: "the value", .. }), "{error}");
        assert_eq!(weighted.finish(), Ok(1.0));
    }

    proptest! {
        #[test]
        fn a_whole_weight_is_that_many_copies(rows in prop::collection::vec((-20.0..0.0_f64, 1_u32..9), 1..40)) {
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
    fn means_are_equal_where_the_sums_of_values_and_of_weights_are() {
        let of = |rows: &[(f64, f64)]| {
            let mut mean = ExactMean::default();
            for &(value, weight) in rows {
                mean.update_weighted(value, Weight::new(weight).unwrap()).unwrap();
            }
            mean
        };
        assert_eq!(of(&[(0.5, 2.0), (1.0, 1.0)]), [1.0, 0.5, 0.5].into_iter().collect());
        assert_eq!(of(&[(0.0, 2.0), (1.5, 1.0)]), of(&[(0.5, 3.0)]));
        // The same mean of more weight, the same sum of more weight, another sum of the same weight.
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.5, 1.0)]));
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(1.0, 1.0)]));
        assert_ne!(of(&[(0.5, 2.0)]), of(&[(0.25, 2.0)]));
    }
}
