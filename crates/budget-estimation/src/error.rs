use crate::{answer_error::AnswerError, resource::Resource, short_number::Short};

/// The reason why an input is invalid or a number is undefined.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// let error = rollouts.push(&[10.0, -5.0], true).unwrap_err();
/// let resource = "tokens".to_owned();
/// assert_eq!(error, Error::Cost { rollout: 0, turn: 2, resource, value: -5.0 });
/// assert_eq!(error.to_string(), "rollout 0, turn 2: tokens is -5; give a number from 0 to 1e100");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the crate `scoring_rules`, which all crates share: an invalid setting, value or weight,
    /// arguments of different lengths, an empty input, or an undefined result.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// An error of the crate `trajectory_metrics`, in a bootstrap.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
    /// An error of the crate `censoring`, in the model of success.
    #[error(transparent)]
    Censoring(#[from] censoring::Error),
    /// The name of a resource is empty or repeated.
    #[error("resource name {name:?} is empty or repeated; give each resource its own name")]
    ResourceName {
        /// The given name.
        name: String,
    },
    /// No resource has this name or handle.
    #[error("there is no resource {name}; use a resource of these rollouts")]
    NoSuchResource {
        /// The name, or the position in a handle from other rollouts.
        name: String,
    },
    /// The name of a key or feature is empty, taken, or a field with another meaning.
    #[error(
        "{name:?} cannot name a key or feature; give a name that is not empty, not taken and not a field of the format"
    )]
    ColumnName {
        /// The given name.
        name: String,
    },
    /// No key or feature has this name.
    #[error("there is no key or feature {name:?}; declare it with `with_keys` or `with_features`")]
    NoSuchColumn {
        /// The given name.
        name: String,
    },
    /// A numeric feature is NaN or too large.
    #[error(
        "rollout {rollout}, turn {turn}: {name} is {}; give a number from -1e100 to 1e100",
        Short(*value)
    )]
    Feature {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The turn, from 1; 0 for the facts known before the first turn.
        turn: usize,
        /// Name of the feature.
        name: String,
        /// The given number.
        value: f64,
    },
    /// There is no rollout at this position.
    #[error("there is no rollout {rollout}; there are {rollouts} rollouts, counted from 0")]
    NoSuchRollout {
        /// The requested position.
        rollout: usize,
        /// The number of rollouts.
        rollouts: usize,
    },
    /// A rollout has no such turn, or its prefix of that length cannot be scored.
    #[error("rollout {rollout}: turn {turn} is out of range; the rollout has {turns} turns")]
    NoSuchTurn {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The requested number of completed turns.
        turn: usize,
        /// The number of turns of the rollout.
        turns: usize,
    },
    /// A rollout has no turns.
    #[error("rollout {rollout} has no turns; give at least one")]
    NoTurns {
        /// Position of the rollout, from 0.
        rollout: usize,
    },
    /// A rollout does not have one cost per turn and resource.
    #[error("rollout {rollout} has {found} costs; give {resources} for each turn")]
    CostCount {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The number of costs given.
        found: usize,
        /// The number of resources.
        resources: usize,
    },
    /// A cost is negative, too large or NaN.
    #[error(
        "rollout {rollout}, turn {turn}: {resource} is {}; give a number from 0 to 1e100",
        Short(*value)
    )]
    Cost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The turn, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
        /// The given cost.
        value: f64,
    },
    /// A cost that is needed is unknown.
    #[error("rollout {rollout}, turn {turn}: {resource} is unknown; leave this rollout out")]
    UnknownCost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The first such turn, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
    },
    /// A cap is negative, too large or NaN.
    #[error("the cap on {resource} is {}; give a number from 0 to 1e100", Short(*value))]
    Cap {
        /// Name of the resource.
        resource: String,
        /// The given cap.
        value: f64,
    },
    /// An estimate begins below 0.
    #[error("an estimate runs from {} to {}; give ends of at least 0", Short(*low), Short(*high))]
    NegativeEstimate {
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
    },
    /// The remaining cost of a sample is 0, so no value can be divided by it.
    #[error("rollout {rollout}, turn {turn}: nothing remained; leave out trivial samples")]
    NothingRemains {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The number of completed turns.
        turn: usize,
    },
    /// A line of a file cannot be read or written.
    #[error("line {line}: {field}{}{problem}", if field.is_empty() { "" } else { ": " })]
    Line {
        /// The line, from 1.
        line: usize,
        /// The field, such as `turns[3].cost_usd`; empty if the problem is the whole line.
        field: String,
        /// The problem.
        problem: String,
    },
    /// The answer of a model cannot be read.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// Two parts with different settings cannot be merged.
    #[error("the parts differ in {what}; make both with the same settings")]
    Unlike {
        /// The setting in which they differ.
        what: &'static str,
    },
    /// The error or the width of an interval times the weight overflows, or a ratio to a given reference.
    #[error("rollout {rollout}, turn {turn}: the interval is too large; its error overflows")]
    TooLarge {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The number of completed turns.
        turn: usize,
    },
    /// Lists of samples, one list per resource, do not belong to the same prefixes.
    #[error("entry {index}: the samples of all resources must belong to the same rollout and turn")]
    OtherPrefix {
        /// Position in the lists, from 0.
        index: usize,
    },
    /// A sample belongs to another resource than the requested one.
    #[error("sample {sample} belongs to {found}; give only samples of {expected}")]
    OtherResource {
        /// Position of the sample, from 0.
        sample: usize,
        /// Name of the requested resource.
        expected: String,
        /// Name of the sample's resource.
        found: String,
    },
    /// One measure was given samples of two resources, which have no common unit.
    #[error(
        "a sample belongs to another resource than earlier samples; evaluate each resource separately"
    )]
    MixedResources {
        /// The resource of earlier samples.
        expected: Resource,
        /// The resource of this sample.
        found: Resource,
    },
    /// A sample does not match its rollout in turns, costs, cap or success.
    #[error(
        "sample {sample} does not match rollout {rollout}; give the samples together with the \
         rollouts that they were made from"
    )]
    OtherRollouts {
        /// Position of the sample, from 0.
        sample: usize,
        /// Position of the rollout that the sample names, from 0.
        rollout: usize,
    },
    /// Amounts of two resources cannot be added.
    #[error("amounts of {found:?} cannot be added to amounts of {expected:?}; keep them apart")]
    MixedUnits {
        /// Name of the resource of earlier amounts.
        expected: String,
        /// Name of the resource of these amounts.
        found: String,
    },
    /// An estimator failed with its own error.
    #[error("the estimator failed: {reason}")]
    Estimator {
        /// The reason.
        reason: String,
    },
    /// Samples are not sorted, or repeat a prefix.
    #[error(
        "sample {sample} is out of order; sort samples by rollout and turn, with each prefix once"
    )]
    SampleOrder {
        /// Position of the sample, from 0.
        sample: usize,
    },
    /// A recorded run has ended and takes no further turn and no second end.
    #[error("the run has ended; record a new one")]
    RunEnded,
    /// A run that succeeded cannot be marked as cut off.
    #[error("rollout {rollout} succeeded; only a failed rollout can be marked as cut off")]
    CensoredSuccess {
        /// Position of the rollout, from 0.
        rollout: usize,
    },
}
