use crate::{Error, ExactSum, Weight};

/// A weighted mean whose bits do not depend on the order of its values.
///
/// Sums are exact ([`ExactSum`]) and rounded once, so parts can be computed anywhere and merged in
/// any order, and a weight of 2 is the value given twice, to the last bit. Two means are equal
/// where they have taken in the same exact sum of values and of weights.
///
/// ```
/// use scoring_rules::{Error, ExactMean, Weight};
///
/// let mut mean = ExactMean::default();
/// mean.update(-0.1);
/// mean.update_weighted(-0.4, Weight::new(2.0)?);
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
    /// Weight of the values given without one.
    count: u64,
    /// Weight of all others.
    weight: ExactSum,
}

impl ExactMean {
    /// Takes in one value of weight 1.
    #[inline]
    pub fn update(&mut self, value: f64) {
        self.total.add(value);
        self.count += 1;
    }

    /// Takes in one value of the given weight; of weight 0 it leaves no trace.
    ///
    /// For values between 1e-200 and 1e200 in size no product leaves the range of numbers.
    pub fn update_weighted(&mut self, value: f64, weight: Weight) {
        if weight != Weight::ZERO {
            self.total.add_product(value, weight.get());
            self.weight.add(weight.get());
        }
    }

    /// Takes in everything that `other` has.
    pub fn merge(&mut self, other: &Self) {
        self.total.merge(&other.total);
        self.count += other.count;
        self.weight.merge(&other.weight);
    }

    /// The mean of all values so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] where nothing of positive weight was taken in.
    pub fn finish(&self) -> Result<f64, Error> {
        let weight = self.all_weight().value();
        if weight > 0.0 { Ok(self.total.value() / weight) } else { Err(Error::Empty) }
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
        mean.update_weighted(3.0, Weight::ZERO);
        assert_eq!(mean.finish(), Err(Error::Empty));
    }

    #[test]
    fn an_infinite_value_counts_unless_its_weight_is_zero() {
        let mut mean: ExactMean = [1.0].into_iter().collect();
        mean.update_weighted(f64::NEG_INFINITY, Weight::ZERO);
        assert_eq!(mean.finish(), Ok(1.0));
        mean.update_weighted(f64::NEG_INFINITY, Weight::new(0.5).unwrap());
        assert_eq!(mean.finish(), Ok(f64::NEG_INFINITY));
    }

    proptest! {
        #[test]
        fn a_whole_weight_is_that_many_copies(rows in prop::collection::vec((-20.0..0.0_f64, 1_u32..9), 1..40)) {
            let (mut weighted, mut copied) = (ExactMean::default(), ExactMean::default());
            for &(value, weight) in &rows {
                weighted.update_weighted(value, weight.into());
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
                        mean.update_weighted(value, Weight::new(weight).unwrap());
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
                mean.update_weighted(value, Weight::new(weight).unwrap());
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
