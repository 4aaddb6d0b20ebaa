//! Linear relaxations: an upper bound, and what each item loses against it when set the other way.

/// Items whose choice is open: positive profits, weights from 1 to the capacity, and together more
/// than the capacity.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) capacity: i64,
    pub(super) profits: Vec<i64>,
    pub(super) weights: Vec<i64>,
    /// Divides every profit, so that a better choice is better by at least this much.
    pub(super) step: i64,
}

impl Items {
    pub(super) fn len(&self) -> usize {
        self.profits.len()
    }
}

/// A second limit, `counts . x <= limit`, moved into the objective at the price
/// `price / 2^shift` a unit.
///
/// It holds for every choice that fits and is better than the best one known. A price below zero
/// stands for `counts . x >= limit`.
#[derive(Clone, Debug)]
pub(super) struct Penalty {
    pub(super) counts: Vec<i64>,
    pub(super) limit: i64,
    pub(super) price: i64,
    pub(super) shift: u32,
}

/// What a loss is multiplied with so that rounding never makes it too large: sums of up to 2^22
/// losses gain a factor of at most (1 + 2^-53)^(2^22), which is below 1 + 2^-30.
pub(super) const SHAVE: f64 = 1.0 - 1.0 / (1_u64 << 30) as f64;

/// The relaxation at its best price of weight.
///
/// With the price of weight u and of the second limit v, a choice x is worth
/// `bound - losses(x) - u (capacity - weight(x)) - v (limit - counts(x))`, where `losses` adds
/// `loss[j]` for each item j not set as in `taken`. Both products are at least 0 for every choice
/// that fits and is better than the best one known, so the loss alone bounds its value.
#[derive(Debug)]
pub(super) struct Relaxation {
    /// The bound times `scale`.
    pub(super) bound: i128,
    pub(super) scale: i128,
    pub(super) taken: Vec<bool>,
    /// Price of a unit of weight, never above the true one.
    pub(super) price: f64,
    /// Loss of each item set the other way, never above the true one.
    pub(super) loss: Vec<f64>,
    /// The item at which the capacity runs out.
    pub(super) next: Option<usize>,
}

impl Relaxation {
    /// How far values from `target` on lie below the bound, never too low; none where no value can
    /// reach the target.
    pub(super) fn gap(&self, target: i64) -> Option<f64> {
        let gap = self.bound - i128::from(target) * self.scale;
        // Three roundings, each by a factor of at most 1 + 2^-53.
        (gap >= 0).then(|| gap as f64 / self.scale as f64 * (1.0 + 4.0 * f64::EPSILON))
    }

    /// The largest whole number that the bound allows, at most `total`.
    pub(super) fn floor(&self, total: i64) -> i64 {
        i64::try_from(self.bound.div_euclid(self.scale)).map_or(total, |floor| floor.min(total))
    }
}

/// Relaxes whole items, without or with a second limit.
pub(super) fn relax(items: &Items, penalty: Option<&Penalty>) -> Relaxation {
    let shift = penalty.map_or(0, |penalty| penalty.shift);
    let gains = penalty.map(|penalty| gains(items, penalty));
    let gains: &[i64] = gains.as_deref().unwrap_or(&items.profits);
    let (order, before) = split(items, gains);
    let next = order.get(before).map(|&(_, item)| item as usize);
    // The price of weight is price / unit.
    let (price, unit) = next.map_or((0, 1), |item| {
        let (gain, weight) = (gains[item], items.weights[item]);
        let divisor = gcd(gain.unsigned_abs(), weight.unsigned_abs()).cast_signed();
        (gain / divisor, weight / divisor)
    });
    let mut taken = vec![false; items.len()];
    order[..before].iter().for_each(|&(_, item)| taken[item as usize] = true);

    let scale = i128::from(unit) << shift;
    let scale_down = SHAVE / scale as f64;
    let mut bound = i128::from(price) * i128::from(items.capacity);
    if let Some(penalty) = penalty {
        bound += i128::from(penalty.price) * i128::from(penalty.limit) * i128::from(unit);
    }
    let mut loss = Vec::with_capacity(items.len());
    let largest = |of: &[i64]| of.iter().fold(0, |top, x| x.unsigned_abs().max(top));
    let fits = |a: u64, b: i64| a.checked_mul(b.unsigned_abs()).is_some_and(|c| c < 1 << 62);
    let pairs = gains.iter().zip(&items.weights).zip(&mut taken);
    if fits(largest(gains), unit) && fits(largest(&items.weights), price) {
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
    Relaxation { bound, scale, taken, price: price as f64 * scale_down, loss, next }
}

/// Profits less the price of the second limit, times `2^shift`.
fn gains(items: &Items, penalty: &Penalty) -> Vec<i64> {
    let gain = |(&profit, &count): (&i64, &i64)| (profit << penalty.shift) - penalty.price * count;
    items.profits.iter().zip(&penalty.counts).map(gain).collect()
}

/// Items of positive gain with those before the returned position first in gain per weight; the one
/// at that position is the first that does not fit with all before it.
///
/// Ratios are rounded: a wrong order among near ties costs nothing, as any price of weight is valid.
fn split(items: &Items, gains: &[i64]) -> (Vec<(f64, u32)>, usize) {
    let mut order = Vec::with_capacity(items.len());
    for (item, (&gain, &weight)) in (0_u32..).zip(gains.iter().zip(&items.weights)) {
        if gain > 0 {
            order.push((gain as f64 / weight as f64, item));
        }
    }
    let weight = |entry: &(f64, u32)| items.weights[entry.1 as usize];
    let mut room = items.capacity;
    let (mut from, mut to) = (0, order.len());
    while from < to {
        let part = &mut order[from..to];
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
                return (order, from + high + position);
            }
            room -= weight;
        }
        from += low;
    }
    (order, from)
}

/// Brings entries above the pivot to the front and those below to the back; where the equal ones
/// begin and end.
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

/// The price of the second limit at which the bound is lowest, if it binds at all.
///
/// The bound is convex in the price, and its slope is the limit less the counts of the relaxed
/// choice; the change of sign is found by halving.
pub(super) fn best_price(items: &Items, mut penalty: Penalty, at_most: bool) -> Option<Penalty> {
    let sign = if at_most { 1 } else { -1 };
    // The slope of the bound while the price moves away from zero.
    let falls = |penalty: &Penalty| {
        let gains = gains(items, penalty);
        let (order, before) = split(items, &gains);
        let (mut room, mut used) = (items.capacity, 0.0);
        for &(_, item) in &order[..before] {
            room -= items.weights[item as usize];
            used += penalty.counts[item as usize] as f64;
        }
        if let Some(&(_, item)) = order.get(before) {
            let part = room as f64 / items.weights[item as usize] as f64;
            used += part * penalty.counts[item as usize] as f64;
        }
        let limit = penalty.limit as f64;
        if at_most { used > limit } else { used < limit }
    };
    penalty.price = 0;
    if !falls(&penalty) {
        return None;
    }
    let (mut low, mut high) = (0_i64, 1_i64);
    let top = items.profits.iter().max()? << penalty.shift;
    loop {
        penalty.price = sign * high;
        if high > top || !falls(&penalty) {
            break;
        }
        low = high;
        high *= 2;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        penalty.price = sign * middle;
        if falls(&penalty) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let bound = |price: i64| {
        let penalty = Penalty { price: sign * price, ..penalty.clone() };
        let relaxed = relax(items, Some(&penalty));
        // Comparable to more digits than a whole number has.
        relaxed.bound as f64 / relaxed.scale as f64
    };
    penalty.price = sign * if bound(low) < bound(high) { low } else { high };
    Some(penalty)
}

pub(super) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
