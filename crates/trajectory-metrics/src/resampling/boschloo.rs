use statrs::function::factorial::ln_binomial;

use crate::{checks::setting, error::Error};

/// Returns the two-sided p-value, in (0, 1], of Boschloo's exact test of the hypothesis that two success rates are
/// equal.
///
/// The trials of each side are independent, and succeed with one probability; `trials` and `successes` have an entry for
/// each side. Tables of the two numbers of successes are ordered by the one-sided p-value F of Fisher's exact test,
///
/// ```text
/// F(a, b) = sum over i >= a of C(n1, i) C(n2, a + b - i) / C(n1 + n2, a + b)
/// p = max over r in [0, 1] of P(F(A, B) <= F(a, b)),  A ~ binomial(n1, r), B ~ binomial(n2, r)
/// ```
///
/// and the two-sided p-value is twice the smaller p-value of both directions, at most 1. If both rates are equal, the
/// probability that p is at most a level is at most this level, for any rate. The p-value is at most twice the p-value of
/// Fisher's one-sided test, which also fixes the total number of successes: for 5 of 5 successes against none of 5, it is 2 /
/// 4^5 = 0.002 instead of 0.008.
///
/// With more than 1,000 trials of both sides together, the result is twice Fisher's one-sided p-value, which is no smaller,
/// and close for this number of trials.
///
/// Cost: `N` tails of Fisher's test for N trials of both sides, and `O(sqrt(N))` sums of N terms for the maximum.
///
/// Reference: Boschloo (1970), Raised conditional level of significance for the 2 x 2-table when testing the equality of two
/// probabilities, Statistica Neerlandica 24, 1-9, doi:10.1111/j.1467-9574.1970.tb00104.x; Fisher (1935), The logic of
/// inductive inference, Journal of the Royal Statistical Society 98, 39-82, doi:10.2307/2342435. SciPy's
/// `scipy.stats.boschloo_exact` is the same test.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a side without trials, with more than 10 million, or with more successes than trials.
///
/// ```
/// use trajectory_metrics::{Error, boschloo_test};
///
/// // From always to never in five trials, and in a single one.
/// assert!((boschloo_test([5, 5], [5, 0])? - 2.0 / 4_f64.powi(5)).abs() < 1e-15);
/// assert!((boschloo_test([1, 1], [1, 0])? - 0.5).abs() < 1e-15);
/// assert_eq!(boschloo_test([5, 5], [3, 3])?, 1.0);
/// # Ok::<(), Error>(())
/// ```
pub fn boschloo_test(trials: [u64; 2], successes: [u64; 2]) -> Result<f64, Error> {
    for (n, successes) in trials.into_iter().zip(successes) {
        let range = "from 1 to 10 million";
        setting("number of trials", n as f64, (1..=10_000_000).contains(&n), range)?;
        let range = "at most the number of trials";
        setting("number of successes", successes as f64, successes <= n, range)?;
    }
    let ([n, m], [a, b]) = (trials, successes);
    let p = [one_sided([n, m], [a, b]), one_sided([m, n], [b, a])];
    Ok((2.0 * p[0].min(p[1])).min(1.0))
}

/// The largest number of trials of both sides for which the maximum is searched.
const MOST_TRIALS: u64 = 1_000;

/// The p-value against the alternative that the first rate is higher.
fn one_sided([n, m]: [u64; 2], [a, b]: [u64; 2]) -> f64 {
    let fisher = |a: u64, b: u64| fisher([n, m], [a, b]);
    let observed = fisher(a, b);
    if n + m > MOST_TRIALS || observed == 1.0 {
        return observed;
    }
    // Tables whose p-values differ only by rounding count as equally extreme.
    let bar = observed * (1.0 + 1e-9);
    // For each number of successes of the first side, the count of numbers of the second side, from 0 on, that are as extreme.
    // The count increases with the number of successes of the first side.
    let mut beside = 0;
    let tables: Vec<usize> = (0..=n)
        .map(|a| {
            while beside <= m && fisher(a, beside) <= bar {
                beside += 1;
            }
            beside as usize
        })
        .collect();
    let (first, second) = (Binomial::new(n), Binomial::new(m));
    let chance = |angle: f64| {
        let rate = angle.sin().powi(2);
        let mut below = vec![0.0];
        let mut sum = 0.0;
        below.extend(second.chances(rate).map(|chance| {
            sum += chance;
            sum
        }));
        first.chances(rate).zip(&tables).map(|(chance, count)| chance * below[*count]).sum::<f64>()
    };
    maximum(chance, ((n + m) as f64).sqrt()).min(observed)
}

/// The largest value for angles between 0 and a right angle, of a function whose peaks are about `1 / sharpness` wide.
fn maximum(of: impl Fn(f64) -> f64, sharpness: f64) -> f64 {
    let steps = (8.0 * sharpness).ceil().max(32.0);
    let width = std::f64::consts::FRAC_PI_2 / steps;
    let grid: Vec<f64> = (0..=steps as usize).map(|at| of(at as f64 * width)).collect();
    let best = grid.iter().copied().fold(0.0, f64::max);
    let peaks = (1..grid.len() - 1).filter(|at| {
        grid[*at] >= grid[at - 1] && grid[*at] >= grid[at + 1] && grid[*at] > 0.9 * best
    });
    let golden = 0.5 * (5_f64.sqrt() - 1.0);
    peaks.fold(best, |best, at| {
        let (mut low, mut high) = ((at - 1) as f64 * width, (at + 1) as f64 * width);
        let mut best = best;
        while high - low > 1e-9 {
            let [left, right] = [high - golden * (high - low), low + golden * (high - low)];
            let [of_left, of_right] = [of(left), of(right)];
            best = best.max(of_left).max(of_right);
            if of_left > of_right { high = right } else { low = left }
        }
        best
    })
}

/// The logarithms of the binomial coefficients, from which the probability of each number of successes is computed.
struct Binomial(Vec<f64>);

impl Binomial {
    fn new(trials: u64) -> Self {
        Self((0..=trials).map(|successes| ln_binomial(trials, successes)).collect())
    }

    fn chances(&self, rate: f64) -> impl Iterator<Item = f64> {
        let (of_one, of_other) = (rate.ln(), (-rate).ln_1p());
        let last = self.0.len() - 1;
        // 0 times the logarithm of 0 counts as 0.
        let times = |n: usize, ln: f64| if n == 0 { 0.0 } else { n as f64 * ln };
        self.0.iter().enumerate().map(move |(successes, choices)| {
            (choices + times(successes, of_one) + times(last - successes, of_other)).exp()
        })
    }
}

/// The probability that the first side has at least `a` successes, given the total number of successes.
fn fisher([n, m]: [u64; 2], [a, b]: [u64; 2]) -> f64 {
    let total = a + b;
    let chance =
        |a: u64| (ln_binomial(n, a) + ln_binomial(m, total - a) - ln_binomial(n + m, total)).exp();
    let (least, most) = (total.saturating_sub(m), n.min(total));
    // The ratio of two probabilities: `a + 1` successes to `a` successes.
    let ratio = |a: u64| {
        let (up, down) = ((n - a) as f64 * (total - a) as f64, (a + 1) as f64);
        up / (down * (m + a + 1 - total) as f64)
    };
    let sum = |terms: &mut dyn Iterator<Item = f64>, first: f64| {
        let mut term = first;
        let mut sum = first;
        for factor in terms {
            term *= factor;
            sum += term;
            if term < 1e-18 * sum {
                break;
            }
        }
        sum
    };
    // Away from the middle, terms only fall.
    if a as f64 * (n + m) as f64 >= n as f64 * total as f64 {
        return sum(&mut (a..most).map(ratio), chance(a)).min(1.0);
    }
    if a == least {
        return 1.0;
    }
    1.0 - sum(&mut (least..a - 1).rev().map(|a| 1.0 / ratio(a)), chance(a - 1))
}

#[cfg(test)]
mod tests;
