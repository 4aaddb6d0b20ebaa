use crate::{checks::entries, error::Error};

/// Adjusts the p-values of several tests for the number of tests, by the method of Benjamini and Hochberg.
///
/// The adjusted p-value of the p-value with rank k, in ascending order of m p-values, is
///
/// ```text
/// q(k) = min over j >= k of p(j) m / j, at most 1
/// ```
///
/// Call a test with `q <= alpha` a discovery. If the tests are independent or positively dependent, the expected share of
/// false discoveries is at most alpha. If all null hypotheses are true, the probability of any discovery is at most alpha.
/// Equal p-values have equal adjusted p-values.
///
/// Cost: one sort.
///
/// Reference: Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and powerful approach to
/// multiple testing, Journal of the Royal Statistical Society B 57, 289-300,
/// doi:10.1111/j.2517-6161.1995.tb02031.x.
///
/// # Errors
///
/// [`scoring_rules::Error::Entry`] for a p-value outside [0, 1].
///
/// ```
/// use trajectory_metrics::{Error, benjamini_hochberg};
///
/// let adjusted = benjamini_hochberg(&[0.125, 0.75, 0.25, 1.0])?;
/// assert_eq!(adjusted, [0.5, 1.0, 0.5, 1.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    entries("p-value", p_values, |p| (0.0..=1.0).contains(p), "from 0 to 1")?;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_unstable_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 1.0_f64;
    for (rank, row) in order.iter().enumerate().rev() {
        let p = p_values[*row];
        // The largest p-value stays unchanged, in spite of rounding.
        least = least.min((p * p_values.len() as f64 / (rank + 1) as f64).max(p));
        adjusted[*row] = least;
    }
    Ok(adjusted)
}
