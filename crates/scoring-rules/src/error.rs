/// What was wrong with the input.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is not a probability.
    #[error("{value} is not a probability; give a number in [0, 1]")]
    NotAProbability {
        /// The number as given.
        value: f64,
    },
    /// An entry of a slice is not a probability.
    #[error("entry {index} is {value}, not a probability; give numbers in [0, 1]")]
    NotAProbabilityAt {
        /// Position in the slice, from 0.
        index: usize,
        /// The number as given.
        value: f64,
    },
    /// A setting is outside its range.
    #[error("{name} is {value}; it must be {range}")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// The number as given.
        value: f64,
        /// The range that is allowed, in words.
        range: &'static str,
    },
    /// A weight is not 0 and not between 1e-100 and 1e100.
    #[error("weight is {value}; weights must be 0 or from 1e-100 to 1e100")]
    Weight {
        /// The number as given.
        value: f64,
    },
    /// There is nothing to average: no value, or only values of weight zero.
    #[error("nothing to average; give at least one value of positive weight")]
    Empty,
    /// Two arguments that go together, row by row, differ in length.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// The argument.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A number that must be finite is a NaN or infinite.
    #[error("{what} is {value}; give a finite number")]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// The number as given.
        value: f64,
    },
    /// A number that may be infinite is a NaN.
    #[error("{what} is NaN; give a number")]
    NotANumber {
        /// Which number.
        what: &'static str,
    },
    /// The ends of an interval are in the wrong order.
    #[error("the interval runs from {low} to {high}; give the lower end first")]
    Reversed {
        /// The end given as the lower one.
        low: f64,
        /// The end given as the upper one.
        high: f64,
    },
    /// The weight of a row is not 0 and not between 1e-100 and 1e100.
    #[error("row {index}: weight is {value}; weights must be 0 or from 1e-100 to 1e100")]
    WeightAt {
        /// Position of the row, from 0.
        index: usize,
        /// The weight as given.
        value: f64,
    },
    /// An entry that must be finite is a NaN or infinite.
    #[error("{what}, entry {index}: {value}; give finite numbers")]
    NotFiniteAt {
        /// Which list.
        what: &'static str,
        /// Position in the list, from 0.
        index: usize,
        /// The number as given.
        value: f64,
    },
    /// An entry comes too low after the one before it.
    #[error("{what}, entry {index}: {value} after {before}; give them in rising order")]
    OutOfOrder {
        /// Which list.
        what: &'static str,
        /// Position of the later of the two, from 0.
        index: usize,
        /// The number before it.
        before: f64,
        /// The number as given.
        value: f64,
    },
    /// There are fewer than are needed.
    #[error("{what}: {found} given, at least {least} needed")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// How many are needed.
        least: usize,
        /// How many there are.
        found: usize,
    },
    /// A quantile has no partner on the other side of the median.
    #[error(
        "entry {index} is the quantile of level {level}; give that of one minus this level as well"
    )]
    NoPartner {
        /// Position of the quantile, from 0.
        index: usize,
        /// Its level.
        level: f64,
    },
    /// The median is missing among the quantiles.
    #[error("there is no median; give the quantile of level 0.5 as well")]
    NoMedian,
    /// The probabilities of all classes do not add up to 1.
    #[error("the probabilities of all classes sum to {sum}; give ones that sum to 1 within 1e-9")]
    Total {
        /// What they sum to.
        sum: f64,
    },
    /// The forecast has no such class.
    #[error("there is no class {class}; the forecast has {classes}, counted from 0")]
    NoSuchClass {
        /// The class asked for, from 0.
        class: usize,
        /// How many there are.
        classes: usize,
    },
    /// Two forecasters that are compared did not forecast the same outcomes.
    #[error(
        "{} weigh {first} in one and {second} in the other; compare forecasts of the same rows",
        if *.outcome { "successes" } else { "failures" }
    )]
    OtherOutcomes {
        /// The outcome whose weights differ.
        outcome: bool,
        /// Its weight with the first.
        first: f64,
        /// Its weight with the second.
        second: f64,
    },
    /// The terms of a decomposition do not sum to the mean loss.
    #[error(
        "the terms sum to {sum}, but the mean loss is {mean_loss}; a rule's divergence and entropy \
         must follow from its scores"
    )]
    TermsDoNotAddUp {
        /// The mean loss.
        mean_loss: f64,
        /// The sum of the terms, which should be the mean loss.
        sum: f64,
    },
    /// A scoring rule under examination gave a score that has no expectation.
    #[error(
        "the rule scores the forecast {forecast} with {value} where the outcome is {outcome}; \
         a score is a number or minus infinity"
    )]
    Score {
        /// The forecast that was scored.
        forecast: f64,
        /// The outcome it was scored against.
        outcome: bool,
        /// The score: a NaN or plus infinity.
        value: f64,
    },
    /// A score of intervals under examination gave a score that has no expectation.
    #[error(
        "the score of the interval from {low} to {high} is {value} where the outcome is {outcome}; \
         a score is a number or minus infinity"
    )]
    IntervalScore {
        /// The lower end of the interval that was scored.
        low: f64,
        /// Its upper end.
        high: f64,
        /// The outcome it was scored against.
        outcome: f64,
        /// The score: a NaN or plus infinity.
        value: f64,
    },
    /// Two arrays that go together differ in shape.
    #[cfg(feature = "ndarray")]
    #[error("{what}, axis {axis}: expected length {expected}, found {found}")]
    Shape {
        /// The argument.
        what: &'static str,
        /// The first axis in which they differ, from 0.
        axis: usize,
        /// The length it should have.
        expected: usize,
        /// The length it has; 0 where there is no such axis.
        found: usize,
    },
}
