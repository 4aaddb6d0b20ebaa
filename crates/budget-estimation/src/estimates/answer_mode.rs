/// How much an answer of a model may stray from the form that was asked for.
///
/// ```
/// use budget_estimation::{AnswerError, AnswerMode, Error, Estimate, parse_answer};
///
/// let text = "<ANSWER>Impossible</ANSWER>";
/// assert_eq!(parse_answer(text, AnswerMode::Strict), Err(AnswerError::NoTag));
/// assert_eq!(parse_answer(text, AnswerMode::Lenient)?, Estimate::Impossible);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AnswerMode {
    /// One `<answer>` and one `</answer>` in the whole text, in small letters, and none in any
    /// other; between them exactly `impossible`, or the interval, with no white space but spaces
    /// inside it. Numbers are plain decimals: digits with at most one point and at most one
    /// exponent. Several resources come in the order asked for.
    Strict,
    /// Also: any case; any ASCII white space around each part; the last complete pair of tags
    /// counts; digits of a whole part may be grouped in threes by `,` or `_`; resources come in any
    /// order. With more than one comma between brackets the one before white space parts the ends:
    /// `[1,200, 3,400]`. A single comma always parts them: `[1,200]` runs from 1 to 200.
    Lenient,
}
