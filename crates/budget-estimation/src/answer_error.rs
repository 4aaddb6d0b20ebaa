use crate::short_number::Short;

/// The reason why the answer of a model cannot be read.
///
/// ```
/// use budget_estimation::{AnswerError, AnswerMode, Error, parse_answer};
///
/// let error = parse_answer("<answer>[9, 7]</answer>", AnswerMode::Strict).unwrap_err();
/// assert_eq!(error, AnswerError::Reversed { low: 9.0, high: 7.0 });
/// assert_eq!(error.to_string(), "the interval runs from 9 to 7; give the lower bound first");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "problem"))]
#[non_exhaustive]
pub enum AnswerError {
    /// There is no complete `<answer>...</answer>`.
    #[error("there is no <answer>...</answer>; give one")]
    NoTag,
    /// There are several tags. This is an error only in strict mode.
    #[error("there is more than one <answer> or </answer>; give one of each")]
    SeveralTags,
    /// The answer is a single number instead of an interval.
    #[error("the answer is one number; give an interval [low, high]")]
    Scalar,
    /// The lower bound is above the upper bound.
    #[error("the interval runs from {} to {}; give the lower bound first", Short(*low), Short(*high))]
    Reversed {
        /// The first bound.
        low: f64,
        /// The second bound.
        high: f64,
    },
    /// A bound of an interval is below 0.
    #[error("a bound of the interval is {}; give a number of at least 0", Short(*value))]
    Negative {
        /// The bound.
        value: f64,
    },
    /// A bound of an interval is infinite, NaN, or too large.
    #[error("a bound of the interval is not finite; give a finite number")]
    NotFinite,
    /// A resource has no interval.
    #[error("resource {index} has no interval; give one for each resource")]
    MissingResource {
        /// Position of the resource among the requested resources, from 0.
        index: usize,
    },
    /// An interval names an unknown resource, a resource that already has an interval, or, in strict mode, a resource
    /// out of order.
    #[error(
        "interval {index} names an unknown resource, or one that is repeated or out of order; give \
         each resource once, in the requested order"
    )]
    UnexpectedResource {
        /// Position of the interval in the answer, from 0.
        index: usize,
    },
    /// The answer is neither an interval nor `impossible`.
    #[error("the answer must be an interval [low, high] or the word impossible")]
    Malformed,
}
