use scoring_rules::checks::{entries, same_length};

use crate::error::Error;

/// Computes Kendall's tau-b between two rankings of the same items, given as scores:
/// `(concordant - discordant) / sqrt((pairs - ties in a) * (pairs - ties in b))`, from -1 to 1.
///
/// Takes O(n log n).
///
/// ```
/// use knapsack_oracle::{Error, kendall_tau_b};
///
/// assert_eq!(kendall_tau_b(&[1.0, 2.0, 3.0], &[10.0, 30.0, 20.0])?, 1.0 / 3.0);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Kendall (1945), The treatment of ties in ranking problems,
/// doi:10.1093/biomet/33.3.239; Knight (1966), A computer method for calculating Kendall's tau with
/// ungrouped data, doi:10.1080/01621459.1966.10480879.
///
/// # Errors
///
/// Returns [`scoring_rules::Error::Length`] if the lists differ in length, [`scoring_rules::Error::Entry`] for a NaN, and
/// [`scoring_rules::Error::Undefined`] if all scores of one list are equal, which includes lists of fewer than two
/// scores.
pub fn kendall_tau_b(a: &[f64], b: &[f64]) -> Result<f64, Error> {
    same_length("second scores", a.len(), b.len())?;
    for (what, scores) in [("first score", a), ("second score", b)] {
        entries(what, scores, |score| !score.is_nan(), "a number")?;
    }
    // Adding 0 turns -0 into 0. `total_cmp` would order -0 before 0.
    let mut pairs: Vec<(f64, f64)> = a.iter().zip(b).map(|(&a, &b)| (a + 0.0, b + 0.0)).collect();
    pairs.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let tied_a = tied_pairs(&pairs, |x, y| x.0 == y.0);
    let tied_both = tied_pairs(&pairs, |x, y| x == y);
    let mut seconds: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let discordant = sort_counting_swaps(&mut seconds);
    let tied_b = tied_pairs(&seconds, |x, y| x == y);
    let all = pairs_of(a.len() as u64);
    if tied_a == all || tied_b == all {
        let (name, reason) = ("Kendall's tau-b", "all scores of one list are equal");
        return Err(scoring_rules::checks::undefined(name, reason).into());
    }
    // Pairs without a tie are concordant or discordant.
    let untied = all + tied_both - tied_a - tied_b;
    let difference = untied as f64 - 2.0 * discordant as f64;
    // With a single root, rankings that agree have a tau-b of exactly 1.
    let product = u128::from(all - tied_a) * u128::from(all - tied_b);
    Ok(difference / (product as f64).sqrt())
}

const fn pairs_of(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Counts the pairs within runs of equal neighbours.
fn tied_pairs<T>(sorted: &[T], same: impl Fn(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(same).map(|run| pairs_of(run.len() as u64)).sum()
}

/// Sorts by merging and counts the pairs that were in the wrong order.
fn sort_counting_swaps(values: &mut Vec<f64>) -> u64 {
    let n = values.len();
    let mut merged = Vec::with_capacity(n);
    let (mut swaps, mut width) = (0_u64, 1);
    while width < n {
        merged.clear();
        for start in (0..n).step_by(2 * width) {
            let block = &values[start..n.min(start + 2 * width)];
            let (mut left, mut right) = block.split_at(width.min(block.len()));
            while let (Some((&x, rest_left)), Some((&y, rest_right))) =
                (left.split_first(), right.split_first())
            {
                if x <= y {
                    merged.push(x);
                    left = rest_left;
                } else {
                    merged.push(y);
                    swaps += left.len() as u64;
                    right = rest_right;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(values, &mut merged);
        width *= 2;
    }
    swaps
}
