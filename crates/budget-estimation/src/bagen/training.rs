use crate::bagen::text::{all_bracketed, is_impossible, strip, tag_content, whole_number};

/// An answer as the released training code reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainingAnswer {
    /// The model predicts that the run cannot finish within its budget.
    Impossible,
    /// Two whole numbers in brackets, in the order of the answer, which may be reversed.
    Ends([f64; 2]),
    /// One whole number; it never gets a reward.
    Scalar(f64),
}

impl TrainingAnswer {
    /// The middle of the two ends, or the one number; `None` for [`TrainingAnswer::Impossible`].
    #[must_use]
    pub fn midpoint(&self) -> Option<f64> {
        match *self {
            Self::Impossible => None,
            Self::Ends([first, second]) => Some((first + second) / 2.0),
            Self::Scalar(value) => Some(value),
        }
    }
}

/// Reads an answer about tokens as BAGEN's training and the evaluation of its checkpoints do.
///
/// The content of the first `<answer>…</answer>`, in lower case, is `impossible` in any case, contains
/// `[low, high]` of whole numbers anywhere, or is one whole number. `None` for every other text.
///
/// Reference: `scripts/budget-rl/budget_probe_reward.py`, `parse_answer`.
///
/// ```
/// use budget_estimation::bagen::{TrainingAnswer, parse_training_answer};
///
/// let answer = parse_training_answer("<answer>about [80, 120], I think</answer>");
/// assert_eq!(answer, Some(TrainingAnswer::Ends([80.0, 120.0])));
/// assert_eq!(parse_training_answer("<ANSWER>[80, 120]</ANSWER>"), None);
/// ```
#[must_use]
pub fn parse_training_answer(text: &str) -> Option<TrainingAnswer> {
    let content = tag_content(text, false)?;
    if is_impossible(content) {
        return Some(TrainingAnswer::Impossible);
    }
    if let Some(ends) = all_bracketed(content, whole_number).next() {
        return Some(TrainingAnswer::Ends(ends));
    }
    let (value, rest) = whole_number(strip(content))?;
    rest.is_empty().then_some(TrainingAnswer::Scalar(value))
}

/// The reward of an answer in BAGEN's training; `remaining` is `None` if the run cannot finish.
///
/// For a run that can finish, `1.8 max(0, 1 - width / remaining)` if the two numbers are in order and
/// contain what remained, and 0 otherwise. 0.2 for `impossible` if the run cannot finish. If nothing
/// remained, only the answer `[0, 0]` gets 1.8. In [0, 1.8]. The paper's rule is
/// [`rule_reward`](crate::rule_reward).
///
/// Reference: `scripts/budget-rl/budget_probe_reward.py`, `compute_score`.
///
/// ```
/// use budget_estimation::bagen::training_reward;
///
/// assert_eq!(training_reward("<answer>[80, 120]</answer>", Some(100.0)), 0.6 * 1.8);
/// assert_eq!(training_reward("<answer>[80, 120]</answer>", None), 0.0);
/// assert_eq!(training_reward("<answer>impossible</answer>", None), 0.2);
/// ```
#[must_use]
pub fn training_reward(text: &str, remaining: Option<f64>) -> f64 {
    match (parse_training_answer(text), remaining) {
        (Some(TrainingAnswer::Impossible), None) => 0.2,
        (Some(TrainingAnswer::Ends([low, high])), Some(remaining)) if low <= high => {
            let accuracy = if remaining == 0.0 {
                if high == 0.0 { 1.0 } else { 0.0 }
            } else if low <= remaining && remaining <= high {
                (1.0 - (high - low) / remaining).max(0.0)
            } else {
                0.0
            };
            accuracy * 1.8
        }
        _ => 0.0,
    }
}
