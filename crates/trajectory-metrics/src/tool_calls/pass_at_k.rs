use crate::{checks::setting, error::Error};

/// Returns the unbiased estimate of the probability that at least one of k trials succeeds, given that c of n trials
/// succeeded: `1 - C(n - c, k) / C(n, k)`.
///
/// In [0, 1]; higher is better. Among all choices of k of the n trials, it is the share with at
/// least one success. It is computed as a sum of positive terms, so that small probabilities are
/// accurate, in `min(k, c)` steps.
///
/// Reference: Chen et al. (2021), Evaluating large language models trained on code,
/// arXiv:2107.03374, equation 1.
///
/// # Errors
///
/// [`Error::TooFewTrials`] if k exceeds the number of trials; [`scoring_rules::Error::Setting`] for
/// k = 0, for more successes than trials, for more than 2^53 trials, and if `min(k, c)` exceeds 10
/// million.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::pass_at_k};
///
/// // Of the six pairs of four trials, only the pair of both failures has no success.
/// assert!((pass_at_k(4, 2, 2)? - 5.0 / 6.0).abs() < 1e-15);
/// assert!(matches!(pass_at_k(4, 2, 5), Err(Error::TooFewTrials { k: 5, trials: 4, .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn pass_at_k(trials: u64, successes: u64, k: u64) -> Result<f64, Error> {
    check(trials, successes, k)?;
    if trials - successes < k {
        return Ok(1.0);
    }
    // C(n - c, k) / C(n, k) is the product over i < k of 1 - c / (n - i), and the same with c and k
    // exchanged. One minus the product grows by a share of the remainder.
    let steps = checked_steps("smaller of k and the number of successes", k.min(successes))?;
    let share = k.max(successes) as f64;
    let mut chance = 0.0;
    for i in 0..steps {
        chance += (1.0 - chance) * (share / (trials - i) as f64);
    }
    Ok(chance)
}

/// Returns the unbiased estimate of the probability that all of k trials succeed, given that c of n trials succeeded:
/// `C(c, k) / C(n, k)`.
///
/// In [0, 1]; higher is better. Among all choices of k of the n trials, it is the share without a
/// failure. It measures reliability, while [`pass_at_k`] measures the best of several attempts; for
/// k = 1 both are the success rate. Takes `min(k, n - c)` steps.
///
/// Reference: Yao, Shinn, Razavi and Narasimhan (2024), tau-bench: a benchmark for
/// tool-agent-user interaction in real-world domains, arXiv:2406.12045.
///
/// # Errors
///
/// The errors of [`pass_at_k`], with `min(k, n - c)` instead of `min(k, c)`.
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
    let steps = checked_steps("smaller of k and the number of failures", k.min(failures))?;
    let from = if k <= failures { successes } else { trials - k };
    Ok((0..steps).map(|i| (from - i) as f64 / (trials - i) as f64).product())
}

fn check(trials: u64, successes: u64, k: u64) -> Result<(), Error> {
    setting("number of trials", trials as f64, trials <= 1 << 53, "at most 2^53")?;
    let range = "at most the number of trials";
    setting("number of successes", successes as f64, successes <= trials, range)?;
    setting("k", k as f64, k > 0, "at least 1")?;
    if k > trials { Err(Error::TooFewTrials { k, trials }) } else { Ok(()) }
}

/// Limits the time to a fraction of a second.
fn checked_steps(name: &'static str, steps: u64) -> Result<u64, Error> {
    setting(name, steps as f64, steps <= 10_000_000, "at most 10 million")?;
    Ok(steps)
}
