use std::fmt;

/// An error of this crate. Its message states the problem, the place, and the valid input.
///
/// Crates that depend on this one wrap this type for a wrong setting, length or entry, empty input, an
/// undefined result and an invalid stored value. One pattern therefore matches such an error everywhere. The
/// fields of a variant can become more, so that patterns end in `..`. With the feature `serde` an error is written as its
/// message. The type is `Copy`, so that checked constants such as
/// `const HALF: Result<Probability, Error> = Probability::new(0.5)` can be unwrapped at compile time.
///
/// ```compile_fail,E0638
/// # let error = scoring_rules::Error::Empty;
/// let is_length = matches!(error, scoring_rules::Error::Length { what: _, expected: 3, found: 2 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is not a probability.
    #[error("{value} is not a probability; give a number in [0, 1]", value = Short(.value))]
    #[non_exhaustive]
    NotAProbability {
        /// The given number.
        value: f64,
    },
    /// An entry of a slice is not a probability.
    #[error(
        "entry {index} is {value}, which is not a probability; give numbers in [0, 1]",
        value = Short(.value)
    )]
    #[non_exhaustive]
    NotAProbabilityAt {
        /// The position in the slice, counted from 0.
        index: usize,
        /// The given number.
        value: f64,
    },
    /// A text, or a name with parameters, does not denote an [`AnyRule`](crate::AnyRule).
    #[error(
        "no such scoring rule; give log, log:CLIP, brier, spherical, boosting, beta:ALPHA,BETA, power:POWER,BASELINE, \
         pseudospherical:POWER,BASELINE or elementary:THRESHOLD"
    )]
    UnknownRule,
    /// A setting or an argument is outside its range.
    #[error("{name} is {value}; it must be {range}", value = Short(.value))]
    #[non_exhaustive]
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// The given number.
        value: f64,
        /// The valid range, in words.
        range: &'static str,
    },
    /// A weight is neither 0 nor a number from 1e-100 to 1e100.
    #[error("weight is {value}; weights must be 0 or from 1e-100 to 1e100", value = Short(.value))]
    #[non_exhaustive]
    Weight {
        /// The given number.
        value: f64,
    },
    /// There are no values, or all of them have weight 0.
    #[error("the input is empty; give at least one row of positive weight")]
    Empty,
    /// An argument does not have the expected number of entries.
    #[error("{what}: expected {expected}, found {found}")]
    #[non_exhaustive]
    Length {
        /// The argument.
        what: &'static str,
        /// The expected length.
        expected: usize,
        /// The length of the argument.
        found: usize,
    },
    /// An entry of a list is outside its range.
    #[error("{what} {index} is {value}; it must be {range}", value = Short(.value))]
    #[non_exhaustive]
    Entry {
        /// What an entry of the list is, in words.
        what: &'static str,
        /// The position in the list, counted from 0.
        index: usize,
        /// The given number.
        value: f64,
        /// The valid range, in words.
        range: &'static str,
    },
    /// A value that was stored earlier breaks a rule of its type.
    #[error("a stored value is invalid: {problem}")]
    #[non_exhaustive]
    StoredValue {
        /// The rule that is broken.
        problem: &'static str,
    },
    /// A number that must be finite is NaN or infinite.
    #[error("{what} is {value}; it must be finite")]
    #[non_exhaustive]
    NotFinite {
        /// The name of the number, with an article.
        what: &'static str,
        /// The given number.
        value: f64,
    },
    /// A number that may be infinite is NaN.
    #[error("{what} is NaN; it must be a number, which may be infinite")]
    #[non_exhaustive]
    NotANumber {
        /// The name of the number, with an article.
        what: &'static str,
    },
    /// The lower bound of an interval is above its upper bound.
    #[error("the lower bound {low} is above the upper bound {high}; give the lower bound first")]
    #[non_exhaustive]
    Reversed {
        /// The given lower bound.
        low: f64,
        /// The given upper bound.
        high: f64,
    },
    /// The weight of a row is neither 0 nor a number from 1e-100 to 1e100.
    #[error(
        "row {index}: weight is {value}; weights must be 0 or from 1e-100 to 1e100",
        value = Short(.value)
    )]
    #[non_exhaustive]
    WeightAt {
        /// The position of the row, counted from 0.
        index: usize,
        /// The given weight.
        value: f64,
    },
    /// An entry that must be finite is NaN or infinite.
    #[error("{what}, entry {index}: {value} is not finite; give finite numbers")]
    #[non_exhaustive]
    NotFiniteAt {
        /// The name of the list.
        what: &'static str,
        /// The position in the list, counted from 0.
        index: usize,
        /// The given number.
        value: f64,
    },
    /// An entry is too low to follow the previous entry.
    #[error("{what}, entry {index}: {value} after {before}; give the entries in ascending order")]
    #[non_exhaustive]
    OutOfOrder {
        /// The name of the list.
        what: &'static str,
        /// The position of the later entry, counted from 0.
        index: usize,
        /// The previous entry.
        before: f64,
        /// The given number.
        value: f64,
    },
    /// There are fewer items than needed.
    #[error("{what}: {found} given, at least {least} needed")]
    #[non_exhaustive]
    TooFew {
        /// The name of the items.
        what: &'static str,
        /// The number of items needed.
        least: usize,
        /// The number of items given.
        found: usize,
    },
    /// Quantiles are not symmetric about the median: a level has no counterpart at one minus this level.
    #[error(
        "entry {index} has level {level}, but no entry has the level 1 - {level}; give both quantiles"
    )]
    #[non_exhaustive]
    NoPartner {
        /// The position of the quantile, counted from 0.
        index: usize,
        /// The level of the quantile.
        level: f64,
    },
    /// There is no quantile of level 0.5.
    #[error("the median is missing; give the quantile of level 0.5 as well")]
    NoMedian,
    /// A quantity is undefined for this input.
    #[error("{name} is undefined: {reason}")]
    #[non_exhaustive]
    Undefined {
        /// The name of the quantity, with an article.
        name: &'static str,
        /// The reason, in words.
        reason: &'static str,
    },
    /// Two forecasters that are compared did not forecast the same outcomes.
    #[error(
        "the weight of {} is {first} in the first input and {second} in the second; compare forecasts \
         of the same rows",
        if *.outcome { "successes" } else { "failures" }
    )]
    #[non_exhaustive]
    OutcomesDiffer {
        /// The outcome whose weight differs.
        outcome: bool,
        /// The weight of the outcome in the first input.
        first: f64,
        /// The weight of the outcome in the second input.
        second: f64,
    },
    /// The terms of a decomposition do not sum to the mean loss.
    #[error(
        "the terms sum to {sum}, not to the mean loss {mean_loss}; the divergence or the entropy of \
         the rule does not match its scores"
    )]
    #[non_exhaustive]
    TermsDoNotAddUp {
        /// The mean loss.
        mean_loss: f64,
        /// The sum of the terms.
        sum: f64,
    },
    /// A score of the examined rule is NaN or plus infinity.
    #[error(
        "the score of the forecast {forecast} for the outcome {outcome} is {value}; a score must be \
         finite or minus infinity"
    )]
    #[non_exhaustive]
    Score {
        /// The forecast.
        forecast: f64,
        /// The outcome.
        outcome: bool,
        /// The score.
        value: f64,
    },
    /// An array does not have the same shape as another array.
    #[cfg(feature = "ndarray")]
    #[error("{what}, axis {axis}: expected length {expected}, found {found}")]
    #[non_exhaustive]
    Shape {
        /// The argument.
        what: &'static str,
        /// The first axis that differs, counted from 0.
        axis: usize,
        /// The expected length of the axis.
        expected: usize,
        /// The length of the axis, or 0 if the argument does not have it.
        found: usize,
    },
}

crate::serialize_as_text!(Error);

/// A number in a message: in scientific notation if plain digits would contain many zeros.
struct Short<'a>(&'a f64);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let is_long = size.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size);
        if is_long { write!(f, "{:e}", self.0) } else { write!(f, "{}", self.0) }
    }
}
