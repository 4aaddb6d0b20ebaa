/// Two compensated sums that are added side by side, in vector instructions. Each has the bits of a
/// [`CompensatedSum`](scoring_rules::CompensatedSum).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct PairedSum {
    #[cfg_attr(feature = "serde", serde(with = "numbers"))]
    sum: [f64; 2],
    /// The sums of the rounding errors; meaningless where the sum is not finite.
    error: [f64; 2],
}

impl PairedSum {
    #[inline(always)]
    pub(crate) fn add(&mut self, terms: [f64; 2]) {
        // A copy, so that both sums are loaded and stored as one vector.
        let mut next = *self;
        for (i, term) in terms.into_iter().enumerate() {
            let sum = self.sum[i] + term;
            let added = sum - self.sum[i];
            next.error[i] += (self.sum[i] - (sum - added)) + (term - added);
            next.sum[i] = sum;
        }
        *self = next;
    }

    #[inline(always)]
    pub(crate) fn values(&self) -> [f64; 2] {
        let mut values = self.sum;
        for (value, error) in values.iter_mut().zip(self.error) {
            *value = if value.is_finite() { *value + error } else { *value };
        }
        values
    }

    /// Sets the error to 0 where the sum is not finite. The error can then be NaN, which cannot be stored.
    pub(crate) fn stored(mut self) -> Self {
        for (error, sum) in self.error.iter_mut().zip(self.sum) {
            *error = if sum.is_finite() { *error } else { 0.0 };
        }
        self
    }

    /// Whether every error is finite, as in stored sums.
    pub(crate) fn is_valid(&self) -> bool {
        self.error.iter().all(|error| error.is_finite())
    }
}

/// Numbers that may be infinite, as a list.
#[cfg(feature = "serde")]
pub(crate) mod numbers {
    use scoring_rules::infinite::Number;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(numbers.iter().map(|&number| Number(number)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
        from: D,
    ) -> Result<[f64; N], D::Error> {
        let numbers = Vec::<Number>::deserialize(from)?;
        scoring_rules::checks::same_length("numbers", N, numbers.len())
            .map_err(serde::de::Error::custom)?;
        Ok(std::array::from_fn(|i| numbers[i].0))
    }
}

#[cfg(test)]
mod tests;
