use crate::reasons::exclusion::Exclusion;

/// The reason why an input is invalid or a result is undefined.
///
/// ```
/// use censoring::{Error, RunEnd, StopTimes};
///
/// let error = StopTimes::new(&[3.0, -1.0], [RunEnd::CutOff, RunEnd::Outcome], None).unwrap_err();
/// assert!(matches!(error, Error::ScoringRules(scoring_rules::Error::Entry { index: 1, value: -1.0, .. })));
/// assert_eq!(error.to_string(), "stop time of run 1 is -1; it must be finite and at least 0");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, a length, an entry of a list or a weight is invalid, or the input is empty.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A trace, a horizon, a step weight or a set of training rows is invalid.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
    /// A run that ended by itself has no outcome.
    #[error(
        "a completed run needs an outcome; if nobody judged it, give the stop reason \"unjudged\""
    )]
    CompletedWithoutOutcome,
    /// The run has no score: its outcome is unknown, and its stop may be related to the outcome.
    #[error("a run that is excluded because of {0} has no score; count it in the audit instead")]
    Excluded(Exclusion),
    /// A run reached a time that no run can reach without being cut off.
    #[error(
        "run {run} stopped at {time}, but the probability of not being cut off before is 0; \
         end the evaluation before that time"
    )]
    ZeroSurvival {
        /// Position of the run, from 0.
        run: usize,
        /// The time at which it stopped.
        time: f64,
    },
    /// A complete run has no score.
    #[error("run {run} is complete but has no score; give the score of every complete run")]
    MissingScore {
        /// Position of the run, from 0.
        run: usize,
    },
    /// A run that was cut off has a score, although its score cannot be known.
    #[error("run {run} was cut off but has a score; give the scores of complete runs only")]
    CensoredWithScore {
        /// Position of the run, from 0.
        run: usize,
    },
    /// The score that a model predicts for a run is NaN or too large to be averaged.
    #[error(
        "run {run}: the score predicted at {time} is {value}; predictions must be from -1e100 to 1e100"
    )]
    Prediction {
        /// Position of the run, from 0.
        run: usize,
        /// The time of the prediction.
        time: f64,
        /// The prediction as given.
        value: f64,
    },
    /// The score of a step is infinite, NaN or too large for differences.
    #[error(
        "step {step}: the score is {value}; use a rule with scores from -1e100 to 1e100, such as a \
         clipped rule"
    )]
    StepScore {
        /// The step, from 1.
        step: usize,
        /// Its score.
        value: f64,
    },
    /// A run of a sample is invalid.
    #[error("run {run} is invalid")]
    Run {
        /// Position of the run, from 0.
        run: usize,
        /// The problem with the run.
        source: Box<Self>,
    },
    /// A row of features is invalid.
    #[error("row {row} is invalid")]
    Row {
        /// Position of the row, from 0.
        row: usize,
        /// The problem with the row.
        source: Box<Self>,
    },
    /// Two streams that are compared run by run belong to different runs.
    #[error(
        "run {run} differs in end or length between the streams; give the same runs in the same order"
    )]
    OtherRun {
        /// Position of the run, from 0.
        run: usize,
    },
    /// No continuation of a run has an outcome.
    #[error(
        "no continuation has an outcome; run more of them or take the probability from a model"
    )]
    NoBranch,
    /// No model can be fitted to the runs outside a fold.
    #[error("no model can be fitted to the runs outside fold {fold}")]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// The error of the fit.
        source: Box<Self>,
    },
    /// The scores of a rule are unbounded, so an error in a probability can cost any amount.
    #[error("the rule is unbounded, so the regret has no bound; use a bounded rule or clip it")]
    UnboundedRule,
}
