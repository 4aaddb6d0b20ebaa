//! The linear relaxation: an upper bound on the value of all choices, and how far the bound falls
//! for each item that is set the other way.

use super::items::Items;
use crate::engines::gcd::gcd;

/// The factor that keeps rounding from making a loss too large. Rounding multiplies a sum of up to
/// 2^22 losses by at most (1 + 2^-53)^(2^22), which is below 1 + 2^-30.
pub(super) const SHAVE: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;

/// The linear relaxation at the best price u per unit of weight.
///
/// With this price, a choice x is worth `bound - losses(x) - u (capacity - weight(x))`, where `losses` adds
/// `loss[j]` for each item j not set as in `taken`. The product is at least 0 for every choice that fits, so
/// the losses are enough to bound its value.
#[derive(Debug)]
pub(super) struct Relaxation {
    /// The bound times `scale`.
    bound: i128,
    scale: i128,
    pub(super) taken: Vec<bool>,
    /// The loss of each item if it is set the other way, rounded down.
    pub(super) loss: Vec<f64>,
    /// The item that no longer fits in the capacity.
    pub(super) next: Option<usize>,
}

impl Relaxation {
    /// Returns how far the target lies below the bound, rounded up. `None` if no value can reach
    /// the target.
    pub(super) fn gap(&self, target: i64) -> Option<f64> {
        let gap = self.bound - i128::from(target) * self.scale;
        // There are three roundings, each by a factor of at most 1 + 2^-53.
        (gap >= 0).then(|| gap as f64 / self.scale as f64 * (1.0 + 4.0 * f64::EPSILON))
    }

    /// Returns the bound rounded down, and at most `total`.
    pub(super) fn floor(&self, total: i64) -> i64 {
        i64::try_from(self.bound.div_euclid(self.scale)).map_or(total, |floor| floor.min(total))
    }
}

/// Solves the linear relaxation.
pub(super) fn relax(items: &Items) -> Relaxation {
    let gains = &items.profits;
    let split = split(items, gains);
    let (price, unit) = split.price(items, gains);
    let mut taken = vec![false; items.len()];
    split.order[..split.before].iter().for_each(|&(_, item)| taken[item as usize] = true);

    let scale = i128::from(unit);
    let scale_down = SHAVE / unit as f64;
    let mut bound = i128::from(price) * i128::from(items.capacity);
    let mut loss = Vec::with_capacity(items.len());
    let fits = |of: &[i64], by: i64| {
        let largest = of.iter().fold(0, |top: i64, &x| top.max(x));
        largest.checked_mul(by).is_some_and(|product| product < 1 << 62)
    };
    let pairs = gains.iter().zip(&items.weights).zip(&mut taken);
    // Both branches compute the same; 64-bit numbers are much faster.
    if fits(gains, unit) && fits(&items.weights, price) {
        for ((&gain, &weight), taken) in pairs {
            let gain = gain * unit - weight * price;
            *taken = (gain > 0) | (*taken & (gain == 0));
            bound += i128::from(gain.max(0));
            loss.push(gain.abs() as f64 * scale_down);
        }
    } else {
        let (unit, price) = (i128::from(unit), i128::from(price));
        for ((&gain, &weight), taken) in pairs {
            let gain = i128::from(gain) * unit - i128::from(weight) * price;
            *taken = (gain > 0) | (*taken & (gain == 0));
            bound += gain.max(0);
            loss.push(gain.abs() as f64 * scale_down);
        }
    }
    Relaxation { bound, scale, taken, loss, next: split.next() }
}

/// The items of positive gain, partitioned at the capacity: the items that the relaxation takes come first.
#[derive(Debug)]
pub(super) struct Split {
    /// The gain per weight of each item, and the item.
    order: Vec<(f64, u32)>,
    before: usize,
}

impl Split {
    /// Returns the items that are taken as a whole.
    pub(super) fn whole(&self) -> impl Iterator<Item = usize> {
        self.order[..self.before].iter().map(|&(_, item)| item as usize)
    }

    /// Returns the item of which a part is taken.
    pub(super) fn next(&self) -> Option<usize> {
        self.order.get(self.before).map(|&(_, item)| item as usize)
    }

    /// Returns the price per unit of weight as a fraction.
    pub(super) fn price(&self, items: &Items, gains: &[i64]) -> (i64, i64) {
        self.next().map_or((0, 1), |item| {
            let (gain, weight) = (gains[item], items.weights[item]);
            let divisor = gcd(gain.unsigned_abs(), weight.unsigned_abs()).cast_signed();
            (gain / divisor, weight / divisor)
        })
    }
}

/// Fills the capacity in order of gain per weight, without sorting all items.
///
/// Ratios are rounded. A wrong order among near ties is harmless, because any price is valid.
pub(super) fn split(items: &Items, gains: &[i64]) -> Split {
    let mut order = Vec::with_capacity(items.len());
    for (item, (&gain, &weight)) in (0_u32..).zip(gains.iter().zip(&items.weights)) {
        if gain > 0 {
            order.push((gain as f64 / weight as f64, item));
        }
    }
    let weight = |entry: &(f64, u32)| items.weights[entry.1 as usize];
    let mut room = items.capacity;
    let (mut from, mut to) = (0, order.len());
    let mut rounds = 0;
    while from < to {
        let part = &mut order[from..to];
        rounds += 1;
        if rounds == 50 {
            // In a sorted part, the middle element is always a good pivot.
            part.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        let pivot = median(part[0].0, part[part.len() / 2].0, part[part.len() - 1].0);
        let (high, low) = partition(part, pivot);
        let heavy: i64 = part[..high].iter().map(weight).sum();
        if heavy > room {
            to = from + high;
            continue;
        }
        room -= heavy;
        for (position, entry) in part[high..low].iter().enumerate() {
            let weight = weight(entry);
            if weight > room {
                return Split { order, before: from + high + position };
            }
            room -= weight;
        }
        from += low;
    }
    Split { order, before: from }
}

/// Moves entries above the pivot to the front and entries below it to the back. Returns the range
/// of entries equal to the pivot.
fn partition(part: &mut [(f64, u32)], pivot: f64) -> (usize, usize) {
    let (mut high, mut at, mut low) = (0, 0, part.len());
    while at < low {
        let ratio = part[at].0;
        if ratio > pivot {
            part.swap(high, at);
            high += 1;
            at += 1;
        } else if ratio < pivot {
            low -= 1;
            part.swap(at, low);
        } else {
            at += 1;
        }
    }
    (high, low)
}

fn median(a: f64, b: f64, c: f64) -> f64 {
    a.min(b).max(a.max(b).min(c))
}
