use crate::engines::gcd::gcd;

/// Returns `lcm(1, ..., n) / (k C(n, k))` for k from 0, which are whole numbers, and the multiple
/// `lcm(1, ..., n)`. The weight of k = 0 is 0. A probability is at most 1, so the weights of one
/// item never overflow. Returns `None` if the multiple does not fit in 64 bits, from n = 47 on.
pub(super) fn whole_weights(n: usize) -> Option<(Vec<u64>, u64)> {
    let n = n as u64;
    let unit = (1..=n).try_fold(1_u64, |lcm, k| (lcm / gcd(lcm, k)).checked_mul(k))?;
    let mut weights = vec![0];
    // n C(n - 1, k - 1) = k C(n, k), from k = 1.
    let mut sets = u128::from(n);
    for k in 1..=n {
        weights.push(u64::try_from(u128::from(unit) / sets).ok()?);
        sets = sets * u128::from(n - k) / u128::from(k);
    }
    Some((weights, unit))
}

/// Returns `1 / (k C(n, k))` for k from 0 to `most`. The weight of k = 0 is 0.
pub(super) fn real_weights(n: usize, most: usize) -> Vec<f64> {
    let mut weights = vec![0.0];
    let mut weight = 1.0 / n as f64;
    for k in 1..=most {
        weights.push(weight);
        weight *= k as f64 / n.saturating_sub(k).max(1) as f64;
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_up_to_46_items_and_sum_over_all_sets_to_one_chance() {
        for n in 1..=46 {
            let (weights, unit) = whole_weights(n).unwrap();
            let real = real_weights(n, n);
            // An item is in C(n - 1, k - 1) sets of k items.
            let (mut sets, mut sum) = (1_u128, 0_u128);
            for k in 1..=n {
                sum += u128::from(weights[k]) * sets;
                sets = sets * (n - k) as u128 / k as u128;
                let ratio = weights[k] as f64 / unit as f64 / real[k];
                assert!((ratio - 1.0).abs() < 1e-13, "n {n} k {k}: {ratio}");
            }
            assert_eq!(sum, u128::from(unit), "n {n}");
        }
        assert_eq!(whole_weights(47), None);
    }
}
