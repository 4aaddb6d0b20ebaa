use crate::Error;

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
/// [`Error::TooFewTrials`] where k is more than the trials; [`Error::Setting`] for k = 0 and for
/// more successes than trials.
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
/// As [`pass_at_k`].
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
    for i in 0..steps {
        chance *= (from - i) as f64 / (trials - i) as f64;
        if chance == 0.0 {
            break;
        }
    }
    Ok(chance)
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
