//! Second limits that hold for every choice worth looking at.

use super::incumbent::Incumbent;
use super::relaxation::{Items, Penalty, best_price, gcd, relax};
use super::solver;

/// Counts above this make no limit that is worth its price.
const LARGEST_COUNT: i64 = 1_000;

/// An upper bound on what is better than `best`, from relaxations with a second limit.
///
/// Tried are the number of items, and the rest of profits after a multiple of the weights has been
/// taken off: of profits 10 + weight, say, or 20 and 30 + weight, that rest takes few values.
/// Whichever counts they are, a choice that fits has no more of them than the best choice for them,
/// and one that is better than the best known needs at least as many as the cheapest such choice.
pub(super) fn second_bound(items: &Items, best: &Incumbent) -> i64 {
    let total: i64 = items.profits.iter().sum();
    let bits = |x: i64| i64::BITS - x.leading_zeros();
    let largest = items.weights.iter().copied().max().unwrap_or(0);
    let Some(shift) = 50_u32.checked_sub(bits(total)).map(|spare| spare.min(6)) else {
        return total;
    };
    if bits(total) + shift + bits(largest) + bits(items.len() as i64) + 12 > 126 {
        return total;
    }
    let mut tightest = total;
    for counts in remainders(items).into_iter().chain([vec![1; items.len()]]) {
        let sum: i64 = counts.iter().sum();
        for at_most in [true, false] {
            let limit = if at_most {
                solver::quick_bound(items.capacity, &counts, &items.weights)
            } else {
                let spare = total - best.value - items.step;
                sum - solver::quick_bound(spare, &counts, &items.profits)
            };
            let penalty = Penalty { counts: counts.clone(), limit, price: 0, shift };
            let Some(penalty) = best_price(items, penalty, at_most) else { continue };
            tightest = tightest.min(relax(items, Some(&penalty)).floor(total));
        }
    }
    tightest
}

/// For slopes between the first few items: what profits differ by from that multiple of weights, in
/// units of their greatest common divisor, if small and of one sign.
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
    // All ones are tried anyway.
    counts.iter().any(|&count| count != 1).then_some(counts)
}
