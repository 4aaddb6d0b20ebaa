use scoring_rules::{ExactSum, Weight};

/// The exact sums of one value per row over the rows of each cluster. The mean of a resample has the bits of an
/// [`ExactMean`](scoring_rules::ExactMean) over its rows, added one by one, and takes one addition per cluster.
pub(crate) struct ClusterSums {
    /// Sums over the rows of each cluster, in multiples of `2^unit`.
    totals: Vec<i128>,
    unit: i32,
    /// The cluster and value of rows whose values are not finite or not multiples of `2^unit`.
    others: Vec<(u32, f64)>,
    rows: Vec<u32>,
}

/// The bits of a total, so that its negation and its rounding to f64 do not overflow.
const BITS: i32 = 125;

impl ClusterSums {
    /// Sums the values of rows, each with its cluster below `clusters`.
    pub(crate) fn new(values: impl Iterator<Item = (u32, f64)> + Clone, clusters: usize) -> Self {
        let mut rows = vec![0_u32; clusters];
        values.clone().for_each(|(cluster, _)| rows[cluster as usize] += 1);
        // In a resample, every drawn cluster may be the largest one.
        let largest = rows.iter().copied().max().map_or(1, u64::from);
        let most_rows = u128::from(largest) * clusters as u128;
        let finite = values.clone().filter(|(_, value)| value.is_finite());
        let size = finite.fold(f64::MIN_POSITIVE, |size, (_, value)| size.max(value.abs()));
        let bits = exponent(size) + 1 + (u128::BITS - most_rows.leading_zeros()) as i32;
        // Below this limit, powers of two that scale a value could be subnormal.
        let unit = (bits - BITS).max(-1_000);
        let mut sums = Self { totals: vec![0; clusters], unit, others: Vec::new(), rows };
        for (cluster, value) in values {
            let multiple = (value / power_of_two(unit)).trunc();
            if value.is_finite() && multiple * power_of_two(unit) == value {
                sums.totals[cluster as usize] += multiple as i128;
            } else {
                sums.others.push((cluster, value));
            }
        }
        sums
    }

    /// Returns the mean over the rows of a resample in which cluster g occurs `drawn[g]` times; NaN if it is undefined.
    pub(crate) fn mean(&self, drawn: &[u32]) -> f64 {
        let (mut total, mut weight) = (0_i128, 0_u64);
        for ((&sum, &rows), &drawn) in self.totals.iter().zip(&self.rows).zip(drawn) {
            total += sum * i128::from(drawn);
            weight += u64::from(rows) * u64::from(drawn);
        }
        let sum = if self.others.is_empty() {
            Some(total as f64 * power_of_two(self.unit)).filter(|sum| sum.is_finite())
        } else {
            self.sum_with_others(total, drawn)
        };
        // NaN if there is no row.
        sum.map_or(f64::NAN, |sum| sum / weight as f64)
    }

    /// The sum of a total and of the other rows; `None` if it overflows.
    fn sum_with_others(&self, mut total: i128, drawn: &[u32]) -> Option<f64> {
        let (mut sum, mut all_finite) = (ExactSum::default(), true);
        for &(cluster, value) in &self.others {
            let weight = Weight::from(drawn[cluster as usize]);
            if weight != Weight::ZERO {
                all_finite &= value.is_finite();
                sum.add_product(value, weight.get());
            }
        }
        while total != 0 {
            // Rounded to 53 bits, so that it is exact as an f64.
            let leading = total as f64;
            sum.add(leading * power_of_two(self.unit));
            total -= leading as i128;
        }
        let sum = sum.value();
        (sum.is_finite() || !all_finite).then_some(sum)
    }
}

/// The largest n with `2^n <= size`, for a normal number.
fn exponent(size: f64) -> i32 {
    (size.to_bits() >> 52) as i32 - 1023
}

/// 2^n for n in -1022..=1023.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}
