use crate::engines::gcd::gcd;

/// The items whose choice is open: their profits are positive, their weights are from 1 to the
/// capacity, and together they weigh more than the capacity.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) capacity: i64,
    pub(super) profits: Vec<i64>,
    pub(super) weights: Vec<i64>,
    /// Divides every profit, so a better choice is better by at least this much.
    pub(super) step: i64,
}

impl Items {
    pub(super) fn new(capacity: i64, profits: Vec<i64>, weights: Vec<i64>) -> Self {
        let divisor = |numbers: &[i64]| {
            let mut divisor = 0;
            for &number in numbers {
                divisor = gcd(number.unsigned_abs(), divisor);
                if divisor == 1 {
                    break;
                }
            }
            divisor.cast_signed()
        };
        let step = divisor(&profits);
        // The weight of every choice is a multiple of the divisor.
        let capacity = capacity - capacity % divisor(&weights).max(1);
        Self { capacity, profits, weights, step }
    }

    pub(super) fn len(&self) -> usize {
        self.profits.len()
    }

    /// Returns the largest multiple of `step` that is at most `value`.
    pub(super) fn round_down(&self, value: i64) -> i64 {
        value - value % self.step
    }
}
