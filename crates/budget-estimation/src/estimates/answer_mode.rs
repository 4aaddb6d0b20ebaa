/// How far an answer may deviate from the requested format.
///
/// ```
/// use budget_estimation::{AnswerError, AnswerMode, Error, Estimate, parse_answer};
///
/// let text = "<ANSWER>Impossible</ANSWER>";
/// assert_eq!(parse_answer(text, AnswerMode::Strict), Err(AnswerError::NoTag));
/// assert_eq!(parse_answer(text, AnswerMode::Lenient)?, Estimate::Impossible);
///
/// let text = "<answer>1,200</answer>";
/// assert_eq!(parse_answer(text, AnswerMode::Lenient), Err(AnswerError::Scalar));
/// let point = parse_answer(text, AnswerMode::LenientPoints)?;
/// assert_eq!(point, Estimate::interval(1200.0, 1200.0)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerMode {
    /// The whole text contains one `<answer>` and one `</answer>`, in lower case, and no such tag in another
    /// case. Between them is exactly `impossible`, or an interval without white space other than spaces.
    /// Numbers are plain decimals with at most one point and at most one exponent. Several resources come in
    /// the requested order.
    Strict,
    /// Also accepts any case, any ASCII white space around each part, several pairs of tags (the last
    /// complete pair counts), digits before the point that are grouped in threes by `,` or `_`, and resources
    /// in any order. If there are several commas between the brackets, the comma before white space separates
    /// the bounds: `[1,200, 3,400]`. A single comma always separates them: `[1,200]` runs from 1 to 200.
    Lenient,
    /// Also accepts a single number v and reads it as the interval `[v, v]`. In an answer about several
    /// resources, a number ends at a comma that is not followed by a digit.
    LenientPoints,
}

impl AnswerMode {
    pub(super) const fn is_strict(self) -> bool {
        matches!(self, Self::Strict)
    }
}
