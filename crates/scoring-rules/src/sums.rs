//! Sums and means that are exact or nearly exact.

/// Implements `Extend` and `FromIterator` by a method that adds one number.
macro_rules! collecting {
    ($type:ident, $add_all:ident) => {
        impl Extend<f64> for $type {
            #[inline]
            fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
                self.$add_all(values);
            }
        }

        impl FromIterator<f64> for $type {
            fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
                let mut collected = Self::default();
                collected.extend(values);
                collected
            }
        }
    };
}

pub(crate) mod compensated_sum;
pub(crate) mod decimal_sum;
pub mod decimals;
pub(crate) mod exact_mean;
pub(crate) mod exact_sum;
