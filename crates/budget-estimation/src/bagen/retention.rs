use crate::{checks::setting, error::Error};

/// Returns the share of its reward that an estimator keeps on a new task: its reward on a task without training divided by
/// its reward on the task of its training.
///
/// At least 0; above 1 if it does better on the other task.
///
/// # Errors
///
/// [`scoring_rules::Error::Setting`] for a reward that is negative or not finite; [`scoring_rules::Error::Undefined`] if the reward on
/// the task of the training is 0.
///
/// ```
/// use budget_estimation::{Error, bagen::reward_retention};
///
/// assert_eq!(reward_retention(0.143, 0.052)?, 0.052 / 0.143);
/// assert!(matches!(reward_retention(0.0, 0.1), Err(Error::ScoringRules(_))));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix H, table 6.
pub fn reward_retention(in_task: f64, transferred: f64) -> Result<f64, Error> {
    for (name, value) in [("in-task reward", in_task), ("transferred reward", transferred)] {
        setting(name, value, (0.0..f64::INFINITY).contains(&value), "finite and at least 0")?;
    }
    if in_task == 0.0 {
        let (name, reason) = ("the retention", "the in-task reward is 0");
        return Err(scoring_rules::Error::Undefined { name, reason }.into());
    }
    Ok(transferred / in_task)
}
