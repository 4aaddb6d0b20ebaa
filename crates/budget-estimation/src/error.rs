use crate::{answer_error::AnswerError, resource::Resource};

/// What was wrong with the input, or why a number is not defined for it.
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
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// An interval, a value or a weight was not valid, or there were too few clusters.
    #[error(transparent)]
    ScoringRules(scoring_rules::Error),
    /// A resampling could not be made.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
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
    /// Two arguments that go together differ in length.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// The argument of the wrong length.
        what: &'static str,
        /// The length that it should have.
        expected: usize,
        /// The length that it has.
        found: usize,
    },
    /// A resource has no name, or two have the same.
    #[error("a resource is called {name:?}; give each a name of its own")]
    ResourceName {
        /// The name as given.
        name: String,
    },
    /// No resource has this name or handle.
    #[error("there is no resource {name}; take one of those that the rollouts were made with")]
    NoSuchResource {
        /// The name, or the handle's position.
        name: String,
    },
    /// There is no such rollout.
    #[error("there is no rollout {rollout}; there are {rollouts}, counted from 0")]
    NoSuchRollout {
        /// The position asked for.
        rollout: usize,
        /// How many there are.
        rollouts: usize,
    },
    /// A rollout has no such prefix.
    #[error("rollout {rollout} has no prefix of {turn} turns to score; it has {turns} turns")]
    NoSuchTurn {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// Completed turns, as asked for.
        turn: usize,
        /// The turns that it has.
        turns: usize,
    },
    /// A rollout has no turn.
    #[error("rollout {rollout} has no turn; give at least one")]
    NoTurns {
        /// Position of the rollout, from 0.
        rollout: usize,
    },
    /// The costs of a rollout are not one per turn and resource.
    #[error("rollout {rollout} has {found} costs; give {resources} for each turn")]
    CostCount {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// How many costs were given.
        found: usize,
        /// How many resources there are.
        resources: usize,
    },
    /// A cost is negative, too large or no number.
    #[error("rollout {rollout}, turn {turn}: {resource} is {value}; give a number from 0 to 1e100")]
    Cost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The turn, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
        /// The cost as given.
        value: f64,
    },
    /// A cost that is needed is not known.
    #[error("rollout {rollout}, turn {turn}: {resource} is not known; leave this rollout out")]
    UnknownCost {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// The first such turn, from 1.
        turn: usize,
        /// Name of the resource.
        resource: String,
    },
    /// A cap is negative, too large or no number.
    #[error("the cap on {resource} is {value}; give a number from 0 to 1e100")]
    Cap {
        /// Name of the resource.
        resource: String,
        /// The cap as given.
        value: f64,
    },
    /// An end of an estimate is below 0.
    #[error("an estimate runs from {low} to {high}; what remains is never below 0")]
    NegativeEstimate {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Nothing remains to be spent, so nothing can be measured in parts of it.
    #[error(
        "rollout {rollout}, turn {turn}: nothing remains to be spent; leave out samples that are \
         trivial"
    )]
    NothingRemains {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// Completed turns.
        turn: usize,
    },
    /// A line of a file could not be read or written.
    #[error("line {line}: {field}{}{problem}", if field.is_empty() { "" } else { ": " })]
    Line {
        /// The line, from 1.
        line: usize,
        /// The field, such as `turns[3].cost_usd`; empty where it is about the whole line.
        field: String,
        /// What is wrong.
        problem: String,
    },
    /// The answer of a model could not be read.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// No sample is of a run that succeeded within its caps.
    #[error("no sample is feasible; intervals are scored on runs that succeed within their caps")]
    NoFeasibleSample,
    /// Two parts that were to be merged were not made with the same settings.
    #[error("the parts differ in {what}; make both with the same")]
    Unlike {
        /// In what they differ.
        what: &'static str,
    },
    /// A sample's interval is too far from what remained to be compared with it in numbers.
    #[error("rollout {rollout}, turn {turn}: the interval is too large for a relative error")]
    TooLarge {
        /// Position of the rollout, from 0.
        rollout: usize,
        /// Completed turns.
        turn: usize,
    },
    /// Lists of samples that go together, one a resource, are not of the same prefixes.
    #[error("entry {index}: the samples of all resources must be of the same rollout and turn")]
    OtherPrefix {
        /// Position in the lists, from 0.
        index: usize,
    },
    /// A sample is of another resource than the one asked about.
    #[error("sample {sample} is of {found}; give samples of {expected} only")]
    OtherResource {
        /// Position of the sample, from 0.
        sample: usize,
        /// Name of the resource asked about.
        expected: String,
        /// Name of the sample's resource.
        found: String,
    },
    /// Samples of two resources were given to one measure, whose units cannot be added.
    #[error(
        "a sample is of the resource at position {}, earlier ones are of that at position {}; \
         evaluate each resource on its own",
        found.index,
        expected.index
    )]
    MixedResources {
        /// The resource of the samples before.
        expected: Resource,
        /// The resource of this sample.
        found: Resource,
    },
    /// A sample is not one of the rollouts that it is given with: what it had spent, its turns or what
    /// remained are not those of its rollout.
    #[error(
        "sample {sample} is not of rollout {rollout} and the resource asked about; give samples with the \
         rollouts that they were made from"
    )]
    OtherRollouts {
        /// Position of the sample, from 0.
        sample: usize,
        /// Position of the rollout that it names, from 0.
        rollout: usize,
    },
    /// Amounts of two resources were to be added, whose units are not the same.
    #[error("amounts of {found:?} cannot be added to those of {expected:?}; keep them apart")]
    MixedUnits {
        /// Name of the resource of the amounts before.
        expected: String,
        /// Name of the resource of these amounts.
        found: String,
    },
    /// A stored state is not one that can be reached.
    #[error("a stored state is not valid: {problem}")]
    StoredState {
        /// What is wrong.
        problem: &'static str,
    },
    /// A file of another evaluation could not be read.
    #[error("{place}: {problem}")]
    Released {
        /// The place in the file, such as `line 12` or `results[3]`.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// An estimator could not answer, for a reason of its own.
    #[error("the estimator could not answer: {reason}")]
    Estimator {
        /// The reason.
        reason: String,
    },
    /// Samples are not in order.
    #[error(
        "sample {sample} comes before the one in front of it; sort samples by rollout, then by turn, \
         each prefix once"
    )]
    SampleOrder {
        /// Position of the sample, from 0.
        sample: usize,
    },
    /// A run that succeeded was not censored.
    #[error("rollout {rollout} succeeded, so nothing cut it off")]
    CensoredSuccess {
        /// Position of the rollout, from 0.
        rollout: usize,
    },
}

impl From<scoring_rules::Error> for Error {
    fn from(error: scoring_rules::Error) -> Self {
        match error {
            scoring_rules::Error::Empty => Self::Empty,
            scoring_rules::Error::Length { what, expected, found } => {
                Self::Length { what, expected, found }
            }
            scoring_rules::Error::Setting { name, value, range } => {
                Self::Setting { name, value, range }
            }
            other => Self::ScoringRules(other),
        }
    }
}

impl From<trajectory_metrics::Error> for Error {
    fn from(error: trajectory_metrics::Error) -> Self {
        match error {
            trajectory_metrics::Error::Empty => Self::Empty,
            trajectory_metrics::Error::Length { what, expected, found } => {
                Self::Length { what, expected, found }
            }
            trajectory_metrics::Error::Setting { name, value, range } => {
                Self::Setting { name, value, range }
            }
            trajectory_metrics::Error::ScoringRules(error) => error.into(),
            other => Self::TrajectoryMetrics(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_crate_below_noticed_has_the_name_that_it_has_here() {
        let (name, value, range) = ("step", -1.0, "at least 0");
        let (what, expected, found) = ("weights", 2, 1);
        let weight = scoring_rules::Error::Weight { value };
        for (below, here) in [
            (scoring_rules::Error::Empty, Error::Empty),
            (
                scoring_rules::Error::Setting { name, value, range },
                Error::Setting { name, value, range },
            ),
            (
                scoring_rules::Error::Length { what, expected, found },
                Error::Length { what, expected, found },
            ),
            (weight, Error::ScoringRules(weight)),
        ] {
            let text = below.to_string();
            assert_eq!(Error::from(trajectory_metrics::Error::from(below)), here);
            assert_eq!(Error::from(below), here);
            if here != Error::Empty {
                assert_eq!(here.to_string(), text);
            }
        }
    }
}
