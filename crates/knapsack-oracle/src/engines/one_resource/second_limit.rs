//! Additional limits that every improvement of the best known choice satisfies.

use super::{incumbent::Incumbent, items::Items, quick_bound::quick_bound, relaxation::split};
use crate::engines::gcd::gcd;

/// The largest count. Limits on larger counts rarely help.
const LARGEST_COUNT: i64 = 1_000;

/// A limit on the sum of `counts` over the chosen items. It holds for every choice that fits and is
/// better than the best one known.
#[derive(Debug)]
struct SecondLimit<'a> {
    items: &'a Items,
    counts: &'a [i64],
    limit: i64,
    /// 1 if the sum is at most the limit, -1 if it is at least the limit.
    sign: i64,
    /// Prices are in units of `2^-shift`.
    shift: u32,
}

/// Returns an upper bound on the values better than `best`, from relaxations with a second limit.
///
/// The limits are on the number of items, and on the remainders of the profits after a multiple of
/// the weights is subtracted. If profits are the weight plus 10, or plus 20 or 30, these remainders
/// take few values. For any counts, a choice that fits has at most as large a sum as the best
/// choice for these counts, and a choice better than `best` has at least as large a sum as the
/// cheapest such choice.
pub(super) fn second_bound(items: &Items, best: &Incumbent, budget: u64) -> i64 {
    let total: i64 = items.profits.iter().sum();
    let bits = |x: i64| i64::BITS - x.leading_zeros();
    let heaviest = items.weights.iter().copied().max().unwrap_or(0);
    // Gains then fit into 62 bits, and bounds into 126.
    let Some(shift) = 50_u32.checked_sub(bits(total)).map(|spare| spare.min(6)) else {
        return total;
    };
    if bits(total) + shift + bits(heaviest) + bits(items.len() as i64) + 12 > 126 {
        return total;
    }
    let mut tightest = total;
    for counts in remainders(items).into_iter().chain([vec![1; items.len()]]) {
        let most = quick_bound(items.capacity, &counts, &items.weights, budget);
        let spare = total - best.value - items.step;
        let sum: i64 = counts.iter().sum();
        let least = sum - quick_bound(spare, &counts, &items.profits, budget);
        for (limit, sign) in [(most, 1), (least, -1)] {
            let second = SecondLimit { items, counts: &counts, limit, sign, shift };
            tightest = tightest.min(second.best_bound(total));
        }
    }
    tightest
}

impl SecondLimit<'_> {
    /// Returns the bound at the price at which it is lowest, or `total` if no price helps.
    ///
    /// The bound is convex in the price. Its slope is the limit minus the counts of the relaxed
    /// choice, and its change of sign is found by doubling and then bisection.
    fn best_bound(&self, total: i64) -> i64 {
        if !self.falls(0) {
            return total;
        }
        let dearest = self.items.profits.iter().fold(0, |top: i64, &x| top.max(x)) << self.shift;
        let (mut low, mut high) = (0, 1);
        while high <= dearest && self.falls(high) {
            low = high;
            high *= 2;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.falls(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        // Any price is valid, so only the bound must be exact.
        total.min(self.bound(low, total)).min(self.bound(high, total))
    }

    /// Returns the profits minus the price of their counts, times `2^shift`.
    fn gains(&self, price: i64) -> Vec<i64> {
        let price = self.sign * price;
        let pairs = self.items.profits.iter().zip(self.counts);
        pairs.map(|(profit, count)| (profit << self.shift) - price * count).collect()
    }

    /// Returns whether the bound falls as the price rises.
    fn falls(&self, price: i64) -> bool {
        let split = split(self.items, &self.gains(price));
        let (mut room, mut used) = (self.items.capacity, 0);
        for item in split.whole() {
            room -= self.items.weights[item];
            used += self.counts[item];
        }
        let part = split.next().map_or(0.0, |item| {
            room as f64 / self.items.weights[item] as f64 * self.counts[item] as f64
        });
        ((used - self.limit) as f64 + part) * self.sign as f64 > 0.0
    }

    /// Returns the bound of the relaxation at this price, rounded down, and at most `total`.
    fn bound(&self, price: i64, total: i64) -> i64 {
        let gains = self.gains(price);
        let (of_weight, unit) = split(self.items, &gains).price(self.items, &gains);
        let (of_weight, unit) = (i128::from(of_weight), i128::from(unit));
        let mut bound = of_weight * i128::from(self.items.capacity)
            + i128::from(self.sign * price) * i128::from(self.limit) * unit;
        for (&gain, &weight) in gains.iter().zip(&self.items.weights) {
            bound += (i128::from(gain) * unit - i128::from(weight) * of_weight).max(0);
        }
        i64::try_from(bound.div_euclid(unit << self.shift)).map_or(total, |floor| floor.min(total))
    }
}

/// Returns the remainders of the profits for the slopes between the first few items: the
/// differences from that multiple of the weights, divided by their greatest common divisor.
/// Remainders that are large or of both signs are left out.
fn remainders(items: &Items) -> Vec<Vec<i64>> {
    let mut slopes: Vec<(i64, i64)> = Vec::new();
    let few = items.len().min(6);
    for a in 0..few {
        for b in a + 1..few {
            let rise = items.profits[a] - items.profits[b];
            let run = items.weights[a] - items.weights[b];
            if run != 0 && (rise > 0) == (run > 0) && rise != 0 {
                let divisor = gcd(rise.unsigned_abs(), run.unsigned_abs());
                let slope = (rise.unsigned_abs() / divisor, run.unsigned_abs() / divisor);
                if slope.0 <= 1_000 && slope.1 <= 1_000 {
                    let slope = (slope.0.cast_signed(), slope.1.cast_signed());
                    if !slopes.contains(&slope) {
                        slopes.push(slope);
                    }
                }
            }
        }
    }
    slopes.into_iter().filter_map(|slope| remainder(items, slope)).collect()
}

fn remainder(items: &Items, (rise, run): (i64, i64)) -> Option<Vec<i64>> {
    let mut divisor = 0;
    let mut largest = 0;
    let mut sign = 0;
    for (&profit, &weight) in items.profits.iter().zip(&items.weights) {
        let rest = profit.checked_mul(run)?.checked_sub(weight.checked_mul(rise)?)?;
        if rest.signum() * sign < 0 {
            return None;
        }
        sign = if rest == 0 { sign } else { rest.signum() };
        largest = largest.max(rest.checked_abs()?);
        divisor = gcd(divisor, rest.unsigned_abs());
        if divisor > 0 && largest / divisor.cast_signed() > LARGEST_COUNT {
            return None;
        }
    }
    if divisor == 0 {
        return None;
    }
    let rests = items.profits.iter().zip(&items.weights);
    let counts: Vec<i64> =
        rests.map(|(p, w)| (p * run - w * rise).abs() / divisor.cast_signed()).collect();
    // Counts of 1 for every item are tried in any case.
    counts.iter().any(|&count| count != 1).then_some(counts)
}
