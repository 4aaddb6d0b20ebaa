use crate::forecast_fault::ForecastFault;

/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of `scoring-rules`, such as a forecast outside [0, 1] or a value that is NaN.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A trace has no forecast.
    #[error("trace {index} is empty; give at least one forecast a trace")]
    EmptyTrace {
        /// Position of the trace, from 0.
        index: usize,
    },
    /// There is no row to compute from, or none of positive weight.
    #[error("no rows; give at least one row of positive weight")]
    Empty,
    /// All rows of positive weight have the same outcome, so that nothing can be told apart.
    #[error("all outcomes are {}; give rows of both kinds", if *.outcome { "successes" } else { "failures" })]
    OneClass {
        /// The outcome that all rows share.
        outcome: bool,
    },
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
    /// The ends of the traces in a flat array do not grow.
    #[error("trace {index} ends at {end}; ends must grow and the last must be the number of steps")]
    Ends {
        /// Position of the trace, from 0.
        index: usize,
        /// Its end as given.
        end: usize,
    },
    /// A custom weight is not between 1e-100 and 1e100.
    #[error("the weight of step {step} is {value}; give a number from 1e-100 to 1e100")]
    StepWeight {
        /// The step, from 1.
        step: usize,
        /// The weight as given.
        value: f64,
    },
    /// A horizon is shorter than the trace it belongs to.
    #[error("the horizon is {horizon} but the trace has {steps} steps")]
    Horizon {
        /// The horizon as given.
        horizon: usize,
        /// Length of the trace.
        steps: usize,
    },
    /// A horizon is longer than any run can be.
    #[error("the horizon is {horizon}; it must be at most 4294967295 steps")]
    HorizonTooLong {
        /// The horizon as given.
        horizon: usize,
    },
    /// A trace is longer than the custom weights reach.
    #[error("a horizon of {horizon} needs as many custom weights; there are {weights}")]
    ScheduleTooShort {
        /// The horizon asked for.
        horizon: usize,
        /// The number of custom weights.
        weights: usize,
    },
    /// No schedule has this name.
    #[error(
        "no weight schedule is called {name:?}; there are linear-front, uniform, exponential-front and linear-back"
    )]
    ScheduleName {
        /// The name as given.
        name: String,
    },
    /// A forecast is missing, NaN or outside [0, 1], and the policy does not repair it.
    #[error(
        "the forecast of step {step} is {fault}; give a number from 0 to 1 or a policy that repairs it"
    )]
    Forecast {
        /// The step, from 1.
        step: usize,
        /// What is wrong with its forecast.
        fault: ForecastFault,
    },
    /// The run has no score because a policy left it out.
    #[error("the run was left out: the forecast of step {step} is {fault}")]
    RunLeftOut {
        /// The step, from 1.
        step: usize,
        /// What is wrong with its forecast.
        fault: ForecastFault,
    },
    /// No forecast policy has this name.
    #[error(
        "no forecast policy is called {name:?}; there are refuse, leave_out, carry_forward and clip"
    )]
    PolicyName {
        /// The name as given.
        name: String,
    },
    /// A stored run was begun under other weights.
    #[error(
        "the run was begun with {expected} weights, not {found}; give the schedule that it was begun with"
    )]
    OtherSchedule {
        /// Name of the schedule in the stored state.
        expected: &'static str,
        /// Name of the schedule that was given.
        found: &'static str,
    },
    /// A stored state is not one that a run can be in.
    #[error("the stored state is broken: {what}")]
    BrokenState {
        /// What holds in every state of a run.
        what: &'static str,
    },
    /// Why a result that was stored and read back is undefined.
    #[error("{reason}")]
    Stored {
        /// The message of the error that was stored.
        reason: String,
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
    /// A logit is no number.
    #[error("the logit of step {step} is not a number")]
    Logit {
        /// The step, from 1.
        step: usize,
    },
    /// A resampled statistic was undefined in every replicate.
    #[error("the statistic was undefined in all {resamples} resamples")]
    NoReplicate {
        /// The number of resamples.
        resamples: usize,
    },
    /// The rows of one outcome weigh too little for a variance.
    #[error(
        "{} weigh {weight} together; a variance needs more than one row of each outcome",
        if *.outcome { "successes" } else { "failures" }
    )]
    TooLight {
        /// The outcome.
        outcome: bool,
        /// Weight of its rows.
        weight: f64,
    },
    /// Replicates that are to be compared were not drawn together.
    #[error("the replicates are of other draws; compare those of the same rows, clusters and seed")]
    OtherDraws,
    /// All replicates lie on one side of the estimate, so that their bias cannot be corrected.
    #[error("all {replicates} replicates lie on one side of the estimate; take another interval")]
    OneSided {
        /// The number of replicates that were defined.
        replicates: usize,
    },
    /// The traces outside a fold are not enough to fit a calibration map on.
    #[error(
        "outside fold {fold} of the traces: {error}; what is outside each fold must be enough to fit on"
    )]
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// What was wrong outside it.
        error: Box<Self>,
    },
    /// Two streams or models that are compared row by row are not of the same rows.
    #[error(
        "row {index} has different outcomes in the two samples; give the same rows in the same order"
    )]
    OutcomeDiffers {
        /// Position of the first row, or trace, that differs, from 0.
        index: usize,
    },
    /// There are fewer trials than are to be drawn from them.
    #[error("k is {k} but the task has {trials} trials; k must be at most that")]
    TooFewTrials {
        /// How many trials are drawn.
        k: u64,
        /// How many there are.
        trials: u64,
    },
    /// One task says nothing of how tasks differ.
    #[error("a standard error over tasks needs tasks whose weights sum to more than 1")]
    OneTask,
    /// The arguments of a call are given as a text that holds no JSON object.
    #[error(
        "the arguments of a call of {tool:?} are no JSON object: {problem}; give an object, an empty text or null"
    )]
    CallArguments {
        /// The tool's name.
        tool: String,
        /// What is wrong with the text.
        problem: String,
    },
    /// A rule compares a field that is in neither of two calls.
    #[error(
        "field {field:?} is neither in the call{} nor in the expected call; name fields of the expected call, nested ones with dots, as in time.start",
        tool.as_ref().map(|tool| format!(" of {tool:?}")).unwrap_or_default()
    )]
    UnknownField {
        /// The tool's name, if it is known.
        tool: Option<String>,
        /// The field as the rule names it.
        field: String,
    },
    /// A pair of a partial order names a call that is not there.
    #[error("pair {index} of the order names expected call {call}; there are {calls}, from 0")]
    OrderedCall {
        /// Position of the pair, from 0.
        index: usize,
        /// The call that it names.
        call: usize,
        /// The number of expected calls.
        calls: usize,
    },
    /// A partial order goes round in a circle.
    #[error("expected call {call} would have to come before itself; take out a pair of the circle")]
    OrderCycle {
        /// The first call on a circle.
        call: usize,
    },
    /// Too many calls are interchangeable for the matcher but not for the order.
    #[error("no answer within {states} states; make the matcher or the order stricter")]
    OrderSearch {
        /// The number of states that were looked at.
        states: usize,
    },
}
