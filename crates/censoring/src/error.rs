use crate::reasons::exclusion::Exclusion;

/// What was wrong with the input, or why a number is not defined for it.
///
/// ```
/// use censoring::{Error, StopTimes};
///
/// let error = StopTimes::new(&[3.0, -1.0], &[true, false], None).unwrap_err();
/// assert_eq!(error, Error::StopTime { run: 1, value: -1.0 });
/// assert_eq!(error.to_string(), "run 1 stopped at -1; give a finite time of at least 0");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A forecast, an interval or a weight was not valid.
    #[error(transparent)]
    ScoringRules(scoring_rules::Error),
    /// A trace, a horizon or a step weight was not valid.
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
    /// A run that ended by itself has no outcome.
    #[error(
        "a completed run needs an outcome; give the stop reason \"unjudged\" where nobody judged it"
    )]
    CompletedWithoutOutcome,
    /// The run has no score: its outcome is unknown and its stop may itself be a sign of it.
    #[error("a run excluded for {0} has no score; count it in the audit instead")]
    Excluded(Exclusion),
    /// There is no run to compute from: none at all, none with a score, or none of positive weight.
    #[error(
        "no run to compute from; give at least one that was not excluded and has positive weight"
    )]
    Empty,
    /// A run stopped at no time.
    #[error("run {run} stopped at {value}; give a finite time of at least 0")]
    StopTime {
        /// Position of the run, from 0.
        run: usize,
        /// The time as given.
        value: f64,
    },
    /// A run got to where no run can get without being cut off, so that nothing can stand for it.
    #[error(
        "run {run} stopped at {time}, where the chance of not being cut off before is 0; \
         end the evaluation before that time"
    )]
    ZeroSurvival {
        /// Position of the run, from 0.
        run: usize,
        /// The time at which it stopped.
        time: f64,
    },
    /// The score of a run is no number that can be averaged under any weights.
    #[error("the score of run {run} is {value}; give a number from -1e100 to 1e100")]
    RunScore {
        /// Position of the run, from 0.
        run: usize,
        /// The score as given.
        value: f64,
    },
    /// A run was not cut off but has no score.
    #[error("run {run} was not cut off but has no score")]
    MissingScore {
        /// Position of the run, from 0.
        run: usize,
    },
    /// A run was censored, so its score cannot be known, but it has one.
    #[error("run {run} was cut off but has a score; give the scores of complete runs only")]
    CensoredWithScore {
        /// Position of the run, from 0.
        run: usize,
    },
    /// The score that a model predicts for a run is no number that can be averaged.
    #[error(
        "the score predicted for run {run} at {time} is {value}; give a number from -1e100 to 1e100"
    )]
    Prediction {
        /// Position of the run, from 0.
        run: usize,
        /// The time of the prediction.
        time: f64,
        /// The prediction as given.
        value: f64,
    },
    /// The score of a step is no number that differences can be taken of.
    #[error(
        "the score of step {step} is {value}; take a rule with scores from -1e100 to 1e100, such as \
         a clipped one"
    )]
    StepScore {
        /// The step, from 1.
        step: usize,
        /// Its score.
        value: f64,
    },
    /// A run of a sample cannot be used.
    #[error("run {run}: {error}")]
    Run {
        /// Position of the run, from 0.
        run: usize,
        /// What is wrong with it.
        error: Box<Self>,
    },
    /// Two streams that are compared run by run do not belong to the same runs.
    #[error(
        "run {run} has another end or length in the second stream; give the same runs in the same order"
    )]
    OtherRun {
        /// Position of the run, from 0.
        run: usize,
    },
    /// No continuation of a run has an outcome.
    #[error("no branch has an outcome; run more of them, or take the chance from a model")]
    NoBranch,
    /// A feature is no number that can be learnt from.
    #[error("feature {column} of row {row} is {value}; give a number from -1e100 to 1e100")]
    Feature {
        /// Position of the row, from 0.
        row: usize,
        /// Position of the feature, from 0.
        column: usize,
        /// The feature as given.
        value: f64,
    },
    /// The runs outside a fold are not enough to learn from.
    #[error("outside fold {fold}: {error}; what is outside each fold must be enough to learn from")]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// What was wrong outside it.
        error: Box<Self>,
    },
    /// A stored value is not one that this crate writes.
    #[error("a stored value is not valid: {problem}")]
    StoredValue {
        /// What is wrong.
        problem: &'static str,
    },
    /// An error in a chance can cost any amount under a rule without a bound.
    #[error(
        "the rule is unbounded, so no bound on the regret exists; take a bounded rule or clip it"
    )]
    UnboundedRule,
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
        let (name, value, range) = ("width", -1.0, "at least 0");
        let (what, expected, found) = ("weights", 2, 1);
        let wrong_end = scoring_rules::Error::Reversed { low: 1.0, high: 0.5 };
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
            (wrong_end, Error::ScoringRules(wrong_end)),
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
