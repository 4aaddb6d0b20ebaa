use crate::error::Error;

/// The chance that at least one of k trials succeeds, without bias from n trials of which c
/// succeeded: `1 - C(n - c, k) / C(n, k)`.
///
/// In [0, 1], higher is better: the share of all choices of k of the n trials that have a success.
/// Taken as a sum of positive terms, so that small chances keep their digits; `min(k, c)` steps.
///
/// Reference: Chen et al. (2021), Evaluating large language models trained on code,
/// arXiv:2107.03374, equation 1.
///
/// # Errors
///
/// [`Error::TooFewTrials`] where k is more than the trials; [`Error::Setting`] for k = 0, for more
/// successes than trials, and for an estimate that is not settled after 10 million steps: both k and
/// the successes are more than that, and the chance is still below 1.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::pass_at_k};
///
/// // Of the six pairs of four trials only the one of both failures has no success.
/// assert!((pass_at_k(4, 2, 2)? - 5.0 / 6.0).abs() < 1e-15);
/// assert_eq!(pass_at_k(4, 2, 5), Err(Error::TooFewTrials { k: 5, trials: 4 }));
/// # Ok::<(), Error>(())
/// ```
pub fn pass_at_k(trials: u64, successes: u64, k: u64) -> Result<f64, Error> {
    check(trials, successes, k)?;
    if trials - successes < k {
        return Ok(1.0);
    }
    // C(n - c, k) / C(n, k) is the product over i < k of 1 - c / (n - i), and the same with c and k
    // exchanged. One minus the product grows by a share of what is left.
    let (steps, share) = (k.min(successes), k.max(successes) as f64);
    if steps > MAX_STEPS {
        // The product falls with each step: below the last digit of 1, the answer is 1.
        let mut all_fail = 1.0;
        for i in 0..MAX_STEPS {
            all_fail *= 1.0 - share / (trials - i) as f64;
            if all_fail < f64::EPSILON / 4.0 {
                return Ok(1.0);
            }
        }
        return too_long(steps);
    }
    let mut chance = 0.0;
    for i in 0..steps {
        chance += (1.0 - chance) * (share / (trials - i) as f64);
        if chance >= 1.0 {
            return Ok(1.0);
        }
    }
    Ok(chance)
}

/// The chance that all of k trials succeed, without bias from n trials of which c succeeded:
/// `C(c, k) / C(n, k)`.
///
/// In [0, 1], higher is better: the share of all choices of k of the n trials that have no failure.
/// It asks for reliability where [`pass_at_k`] asks for luck; for k = 1 both are the success rate.
/// `min(k, n - c)` steps.
///
/// Reference: Yao, Shinn, Razavi and Narasimhan (2024), tau-bench: a benchmark for
/// tool-agent-user interaction in real-world domains, arXiv:2406.12045.
///
/// # Errors
///
/// As [`pass_at_k`]; an estimate is settled when it is too small for a number other than 0.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::pass_hat_k};
///
/// assert!((pass_hat_k(4, 3, 2)? - 0.5).abs() < 1e-15);
/// assert_eq!(pass_hat_k(4, 1, 2)?, 0.0);
/// # Ok::<(), Error>(())
/// ```
pub fn pass_hat_k(trials: u64, successes: u64, k: u64) -> Result<f64, Error> {
    check(trials, successes, k)?;
    if successes < k {
        return Ok(0.0);
    }
    // The product over i < k of (c - i) / (n - i), or over i < n - c of (n - k - i) / (n - i).
    let failures = trials - successes;
    let (steps, from) = if k <= failures { (k, successes) } else { (failures, trials - k) };
    let mut chance = 1.0;
    for i in 0..steps.min(MAX_STEPS) {
        chance *= (from - i) as f64 / (trials - i) as f64;
        if chance == 0.0 {
            return Ok(0.0);
        }
    }
    if steps <= MAX_STEPS { Ok(chance) } else { too_long(steps) }
}

/// The most steps that an estimate may take, a fraction of a second.
const MAX_STEPS: u64 = 10_000_000;

fn too_long(steps: u64) -> Result<f64, Error> {
    let range = "at most 10 million, unless the estimate is settled before";
    Err(Error::Setting { name: "number of steps", value: steps as f64, range })
}

fn check(trials: u64, successes: u64, k: u64) -> Result<(), Error> {
    if successes > trials {
        let (value, range) = (successes as f64, "at most the number of trials");
        return Err(Error::Setting { name: "number of successes", value, range });
    }
    if k == 0 {
        return Err(Error::Setting { name: "k", value: 0.0, range: "at least 1" });
    }
    if k > trials { Err(Error::TooFewTrials { k, trials }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_would_take_too_many_steps_are_an_error_and_others_of_that_size_return() {
        let far = 1_u64 << 60;
        // 2^32 steps to 1 - 1/e, and 2^30 to 1/e.
        for result in
            [pass_at_k(u64::MAX, 1 << 32, 1 << 32), pass_hat_k(far, far - (1 << 30), 1 << 30)]
        {
            let is_steps = matches!(result, Err(Error::Setting { name: "number of steps", .. }));
            assert!(is_steps, "{result:?}");
        }
        // Nothing is left to add or to multiply after a few steps.
        assert_eq!(pass_at_k(far, far / 2, far / 2), Ok(1.0));
        assert_eq!(pass_hat_k(far, far / 2, far / 2), Ok(0.0));
        // One in 50 succeeds: single steps are below the last digit long before the end.
        assert_eq!(pass_at_k(far, far / 50, far / 50), Ok(1.0));
        // Either count may be large where the other is small.
        assert_eq!(pass_at_k(far, 1, far / 2), Ok(0.5));
        assert_eq!(pass_hat_k(far, far / 2, 1), Ok(0.5));
    }
}
