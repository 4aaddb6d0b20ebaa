use trajectory_metrics::{Measure, estimates::ANY};

use crate::{compare::side_runs::Run, confidence, metrics::measure, report::key};

/// The value of a run that is compared.
pub(super) type Value = fn(&Run<'_>) -> Option<f64>;

/// A measure that is a mean over runs.
pub(super) struct Mean {
    pub(super) measure: Measure,
    pub(super) value: Value,
    /// The range of the values, from which intervals are made.
    pub(super) range: [f64; 2],
    /// The measure of the ratio of the second agent's use to the first agent's, if values are logarithms of use.
    pub(super) times: Option<Measure>,
    /// The measure of the sum over all runs divided by the number of successes.
    pub(super) per_success: Option<Measure>,
    /// The key and the name of the number of runs that have a value.
    pub(super) known: Option<[&'static str; 2]>,
}

pub(super) const GRADE: Value = |run| run.grade;
/// The lowest and the highest possible grade of a run.
pub(super) const LEAST: Value = |run| Some(run.grade.unwrap_or(0.0));
pub(super) const MOST: Value = |run| Some(run.grade.unwrap_or(1.0));

/// The success rate, for runs that either succeed or fail.
pub(super) const SUCCESS: Mean = Mean::of(
    measure! { "success_rate", "success rate", Higher, in [0.0, 1.0],
    "Share of the runs with a grade that succeeded." },
    GRADE,
);
/// The mean score, for runs that may succeed in part.
pub(super) const SCORE: Mean = Mean {
    measure: measure! { key::mean_score, "mean score", Higher, in [0.0, 1.0],
    "Mean score of the runs with a grade, from 0 to 1." },
    ..SUCCESS
};
const SUCCESS_OF_ALL: Measure = measure! {
    "success_rate_all", "success rate of all runs, whatever the missing grades are", Higher, in [0.0, 1.0],
    "Interval of the share of all runs that succeeded, including runs without a grade: it allows for every outcome that these could have had (bounds of Manski, interval of Imbens and Manski 2004)."
};
const SCORE_OF_ALL: Measure = measure! {
    "mean_score_all", "mean score of all runs, whatever the missing grades are", Higher, in [0.0, 1.0],
    "Interval of the mean score of all runs, including runs without a grade: it allows for every score that these could have had (bounds of Manski, interval of Imbens and Manski 2004)."
};

/// The overconfidence of other reports, computed from the confidence that a run stated last.
pub(super) const OVERCONFIDENCE_OF_LAST: Measure = Measure {
    key: "overconfidence_last",
    label: "overconfidence of the last confidence",
    ..confidence::OVERCONFIDENCE
};
pub(super) const GAIN_OF_LAST: Measure = Measure {
    key: "brier_gain_last",
    label: "Brier score gained by the last confidence over the base rate",
    help: "Brier score of the last confidences, minus the Brier score of a constant confidence: the success rate of these runs, which is known only afterwards. The interval uses standard errors by task, and needs 10 tasks with a success and 10 with a failure.",
    ..confidence::GAIN
};
/// The measures that the clause on confidence states.
pub(super) const VERDICTS: [Measure; 2] = [OVERCONFIDENCE_OF_LAST, GAIN_OF_LAST];
pub(super) const BRIER: Mean = Mean::varying(
    measure! { "brier_last", "Brier score of the last confidence", Higher, in [-1.0, 0.0],
    "Mean of -(confidence - outcome)^2; 0 is best. A partial success of g counts as a success with probability g." },
    |run| {
        let (stated, grade) = (run.confidence?, run.grade?);
        Some(-((stated - grade).powi(2) + grade * (1.0 - grade)))
    },
);
/// The stated confidence of a run with an outcome.
pub(super) const STATED: Value = |run| run.confidence.filter(|_| run.grade.is_some());
/// The grade of a run that stated a confidence.
pub(super) const JUDGED: Value = |run| run.confidence.and(run.grade);
/// The keys of the ratios that a sentence states.
pub(super) const TOKENS_RATIO: &str = "tokens_ratio";
pub(super) const COST_RATIO: &str = "cost_usd_ratio";
/// All means except for the success rate.
const OTHER_MEANS: [Mean; 13] = [
    Mean::of(
        measure! { "turns_per_run", "turns per run", Lower, in [0.0, f64::INFINITY],
        "Mean number of model calls, over the runs with a grade (over all runs if none has a grade)." },
        |run| Some(run.used?.turns? as f64),
    )
    .known("n_with_turns", "runs with turns")
    .per_success(measure! { "turns_per_success", "turns per success", Lower, in [0.0, f64::INFINITY],
    "Model calls of runs with a grade, divided by the number of successes." }),
    Mean::of(
        measure! { "turns_typical", "turns of a typical run", Lower, in [0.0, f64::INFINITY],
        "Geometric mean of the turns of the runs with a grade (of all runs if none has a grade)." },
        |run| Some((run.used?.turns? as f64).ln()),
    )
    .times(measure! { "turns_ratio", "ratio of the turns of a typical run", Lower, in [0.0, f64::INFINITY],
    "Geometric mean of the second agent's turns divided by that of the first agent; each task counts once." }),
    Mean::of(
        measure! { "tokens_per_run", "tokens per run", Lower, in [0.0, f64::INFINITY],
        "Mean number of tokens read and written, over the runs with a grade (over all runs if none has a grade)." },
        |run| Some(run.used?.tokens? as f64),
    )
    .known("n_with_tokens", "runs with tokens")
    .per_success(measure! { "tokens_per_success", "tokens per success", Lower, in [0.0, f64::INFINITY],
    "Tokens of runs with a grade, divided by the number of successes." }),
    Mean::of(
        measure! { "tokens_typical", "tokens of a typical run", Lower, in [0.0, f64::INFINITY],
        "Geometric mean of the tokens of the runs with a grade (of all runs if none has a grade)." },
        |run| Some((run.used?.tokens? as f64).ln()),
    )
    .times(measure! { TOKENS_RATIO, "ratio of the tokens of a typical run", Lower, in [0.0, f64::INFINITY],
    "Geometric mean of the second agent's tokens divided by that of the first agent; each task counts once." }),
    Mean::of(
        measure! { "cost_usd_per_run", "cost per run in USD", Lower, in [0.0, f64::INFINITY],
        "Mean cost, over the runs with a grade (over all runs if none has a grade)." },
        |run| run.used?.cost_usd,
    )
    .known("n_with_cost_usd", "runs with a cost")
    .per_success(measure! { "cost_usd_per_success", "cost per success in USD", Lower, in [0.0, f64::INFINITY],
    "Cost of runs with a grade, divided by the number of successes." }),
    Mean::of(
        measure! { "cost_usd_typical", "cost of a typical run in USD", Lower, in [0.0, f64::INFINITY],
        "Geometric mean of the cost of the runs with a grade (of all runs if none has a grade)." },
        |run| Some(run.used?.cost_usd?.ln()),
    )
    .times(measure! { COST_RATIO, "ratio of the cost of a typical run", Lower, in [0.0, f64::INFINITY],
    "Geometric mean of the second agent's costs divided by that of the first agent; each task counts once." }),
    Mean::of(
        measure! { "seconds_per_run", "seconds per run", Lower, in [0.0, f64::INFINITY],
        "Mean wall time, over the runs with a grade (over all runs if none has a grade)." },
        |run| run.used?.seconds,
    )
    .known("n_with_seconds", "runs with a time")
    .per_success(measure! { "seconds_per_success", "seconds per success", Lower, in [0.0, f64::INFINITY],
    "Wall time of runs with a grade, divided by the number of successes." }),
    Mean::of(
        measure! { "seconds_typical", "seconds of a typical run", Lower, in [0.0, f64::INFINITY],
        "Geometric mean of the wall time of the runs with a grade (of all runs if none has a grade)." },
        |run| Some(run.used?.seconds?.ln()),
    )
    .times(measure! { "seconds_ratio", "ratio of the wall time of a typical run", Lower, in [0.0, f64::INFINITY],
    "Geometric mean of the second agent's wall time divided by that of the first agent; each task counts once." }),
    Mean::of(
        measure! { "model_seconds_per_run", "seconds of model calls per run", Lower, in [0.0, f64::INFINITY],
        "Mean time of the model calls of a run, over the runs with a grade (over all runs if none has a grade). Simultaneous calls each count in full." },
        |run| run.used?.model_seconds,
    ),
    Mean::of(
        measure! { "tool_seconds_per_run", "seconds of tools per run", Lower, in [0.0, f64::INFINITY],
        "Mean time of the tool calls of a run, over the runs with a grade (over all runs if none has a grade). Simultaneous calls each count in full." },
        |run| run.used?.tool_seconds,
    ),
    Mean::varying(
        measure! { "confidence", "stated confidence", Neither, in [0.0, 1.0],
        "Mean of the last stated probability of success, over the runs with a grade." },
        STATED,
    )
    .known("n_with_confidence", "runs with confidence and grade"),
    Mean::of(OVERCONFIDENCE_OF_LAST, |run| Some(run.confidence? - run.grade?)),
    BRIER,
];

impl Mean {
    const fn of(measure: Measure, value: Value) -> Self {
        Self { measure, value, range: measure.range, times: None, per_success: None, known: None }
    }

    const fn times(self, measure: Measure) -> Self {
        Self { times: Some(measure), range: ANY, ..self }
    }

    /// Returns whether it is the mean of success, or of scores.
    pub(super) fn is_success(&self) -> bool {
        [SUCCESS.measure, SCORE.measure].contains(&self.measure)
    }

    /// Returns whether this is a mean of amounts, which few runs may dominate.
    pub(super) fn is_spending(&self) -> bool {
        self.measure.range == [0.0, f64::INFINITY] && self.times.is_none()
    }

    /// Creates a mean whose interval uses only its variance, because values vary little if outcomes are rare.
    const fn varying(measure: Measure, value: Value) -> Self {
        Self { range: ANY, ..Self::of(measure, value) }
    }

    const fn known(self, key: &'static str, label: &'static str) -> Self {
        Self { known: Some([key, label]), ..self }
    }

    const fn per_success(self, measure: Measure) -> Self {
        Self { per_success: Some(measure), ..self }
    }
}

pub(super) const PASS_AT: Measure = measure! { "pass_at_k", "pass@k", Higher, in [0.0, 1.0],
"Probability that at least one of k runs of a task succeeds, as a mean over tasks with at least k runs." };
pub(crate) const PASS_HAT: Measure = measure! { "pass_hat_k", "pass^k", Higher, in [0.0, 1.0],
"Probability that all of k runs of a task succeed, as a mean over tasks with at least k runs." };

/// The reason why a geometric mean is undefined.
pub(super) const NO_LOGARITHM: &str = "some runs have the value 0, which has no logarithm";

/// Returns all means. The mean of success comes first, or the mean of scores if some runs succeed in part.
pub(super) fn means(is_partial: bool) -> impl Iterator<Item = &'static Mean> {
    static FIRST: [Mean; 2] = [SUCCESS, SCORE];
    static OTHERS: [Mean; 13] = OTHER_MEANS;
    std::iter::once(&FIRST[usize::from(is_partial)]).chain(&OTHERS)
}

/// Returns the measure over all runs for the corresponding measure over runs with a grade.
pub(super) fn of_all(measure: Measure) -> Measure {
    if measure == SCORE.measure { SCORE_OF_ALL } else { SUCCESS_OF_ALL }
}

/// Returns the measures that are reported for one agent and for the difference between two agents.
#[must_use]
pub fn measures() -> Vec<Measure> {
    let first = [SUCCESS.measure, SUCCESS_OF_ALL, SCORE.measure, SCORE_OF_ALL];
    let others = means(false).skip(1);
    let others = others
        .flat_map(|mean| std::iter::once(mean.measure).chain(mean.per_success).chain(mean.times));
    first.into_iter().chain(others).chain([GAIN_OF_LAST, PASS_AT, PASS_HAT]).collect()
}
