/// Why the answer of a model could not be read.
///
/// ```
/// use budget_estimation::{AnswerError, AnswerMode, Error, parse_answer};
///
/// let error = parse_answer("<answer>[9, 7]</answer>", AnswerMode::Strict).unwrap_err();
/// assert_eq!(error, AnswerError::Reversed { low: 9.0, high: 7.0 });
/// assert_eq!(error.to_string(), "the interval runs from 9 to 7; give the lower end first");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "problem"))]
#[non_exhaustive]
pub enum AnswerError {
    /// There is no `<answer>` with an end to it.
    #[error("there is no <answer>...</answer>")]
    NoTag,
    /// There is more than one tag; an error in strict mode only.
    #[error("there is more than one <answer> or </answer>")]
    SeveralTags,
    /// The answer is one number.
    #[error("the answer is one number; give an interval [low, high]")]
    Scalar,
    /// The lower end is above the upper one.
    #[error("the interval runs from {low} to {high}; give the lower end first")]
    Reversed {
        /// The first end.
        low: f64,
        /// The second end.
        high: f64,
    },
    /// An end is below 0.
    #[error("an end of the interval is {value}; what remains is never below 0")]
    Negative {
        /// The end.
        value: f64,
    },
    /// An end is infinite, no number, or too large for one.
    #[error("an end of the interval is not finite")]
    NotFinite,
    /// A resource has no interval.
    #[error("resource {index} has no interval; give one for each resource")]
    MissingResource {
        /// Position of the resource among those asked for, from 0.
        index: usize,
    },
    /// An interval is of no resource that was asked for, of one that has one already, or, in strict
    /// mode, not of the one whose turn it is.
    #[error("interval {index} is of an unknown resource, or of one that is not due here")]
    UnexpectedResource {
        /// Position of the interval in the answer, from 0.
        index: usize,
    },
    /// The answer is something else.
    #[error("the answer is neither an interval [low, high] nor impossible")]
    Malformed,
}
