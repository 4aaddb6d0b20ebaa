use censoring::{StopClass, StopReason};
use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    values::run::{Run, Score},
};

/// What a limit that ended a run means for the outcome.
///
/// Scorers also judge runs that a limit ended, so a log often holds both a limit and a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtLimit {
    /// The outcome is unknown: the run is censored where the limit ended it.
    Censored,
    /// The score that was given at the limit is the outcome.
    Scored,
}

/// How the outcome of a run follows from what its log says.
///
/// The caller states what a limit means, because a default would silently decide whether runs that
/// were cut off are failures.
///
/// ```
/// use censoring::StopReason;
/// use run_logs::{AtLimit, Error, OutcomePolicy, Run, RunLimit, Score};
///
/// let mut run = Run::new("sample-1");
/// run.scores.insert("match".to_owned(), Score { value: "I".into(), ..Score::default() });
/// run.stop = Some(StopReason::MaxTokens);
/// run.limit = Some(RunLimit { kind: "token".to_owned(), limit: Some(500.0), reason: None });
///
/// let scored = OutcomePolicy::new(AtLimit::Scored).judgement(&run)?;
/// assert_eq!((scored.outcome, scored.stop), (Some(false), Some(StopReason::MaxTokens)));
/// let censored = OutcomePolicy::new(AtLimit::Censored).judgement(&run)?;
/// assert_eq!((censored.outcome, censored.stop), (None, Some(StopReason::MaxTokens)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomePolicy {
    at_limit: AtLimit,
    scorer: Option<String>,
    threshold: f64,
    is_lenient: bool,
}

/// The outcome of a run and why it ended, as `censoring::Stopped` takes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// Whether the run succeeded; `None` if that is unknown.
    pub outcome: Option<bool>,
    /// Why the run ended; [`StopReason::Unjudged`] for a run that ended by itself without a score.
    pub stop: Option<StopReason>,
}

impl OutcomePolicy {
    /// A policy that takes the only scorer of a run and counts a score of at least 1 as a success.
    #[must_use]
    pub const fn new(at_limit: AtLimit) -> Self {
        Self { at_limit, scorer: None, threshold: 1.0, is_lenient: false }
    }

    /// Names the scorer whose value is the outcome, for logs with several scorers.
    #[must_use]
    pub fn with_scorer(mut self, name: impl Into<String>) -> Self {
        self.scorer = Some(name.into());
        self
    }

    /// Leaves the outcome of a run unknown where it would be an error that nothing says which of its scores it is.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Sets the lowest score that is a success.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for a threshold that is not finite.
    pub fn with_threshold(mut self, threshold: f64) -> Result<Self, Error> {
        if !threshold.is_finite() {
            let (name, value, range) = ("threshold", threshold, "finite");
            return Err(scoring_rules::Error::Setting { name, value, range }.into());
        }
        self.threshold = threshold;
        Ok(self)
    }

    /// The outcome of a run and its stop reason.
    ///
    /// A run that ended with an error, that its log excludes, or that has no score of the scorer has
    /// no outcome, unless there is a [grade](Run::grade) from beside the log. The words of inspect_ai count as it reads them: `C` is 1, `P` 0.5, `I` and `N` 0,
    /// `yes` and `true` 1, `no` and `false` 0 in any case; digits are a number.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] if the run has several scorers and the policy names none, or if the score
    /// does not stand for a number, unless the policy is [lenient](Self::lenient).
    pub fn judgement(&self, run: &Run) -> Result<Judgement, Error> {
        let stop = run.stop.clone();
        if let Some(grade) = run.grade {
            // Whatever the threshold is, a grade of 1 is a success.
            return Ok(Judgement { outcome: Some(grade >= self.threshold.min(1.0)), stop });
        }
        if let Some(reason) = &run.excluded {
            let stop = stop.filter(|stop| stop.class() == StopClass::Excluded);
            let stop = stop.unwrap_or_else(|| StopReason::Other(reason.clone()));
            return Ok(Judgement { outcome: None, stop: Some(stop) });
        }
        let is_cut_off = run.limit.is_some()
            || stop.as_ref().is_some_and(|stop| stop.class() == StopClass::Censored);
        if run.error.is_some() || (is_cut_off && self.at_limit == AtLimit::Censored) {
            return Ok(Judgement { outcome: None, stop });
        }
        let outcome = match run.outcome {
            Some(outcome) => Some(outcome),
            None => match self.scored(run) {
                Err(_) if self.is_lenient => None,
                scored => scored?.map(|score| score >= self.threshold),
            },
        };
        let completed = stop.as_ref().is_none_or(|stop| stop.class() == StopClass::Complete);
        let stop = if outcome.is_none() && completed { Some(StopReason::Unjudged) } else { stop };
        Ok(Judgement { outcome, stop })
    }

    /// The number that the scorer gave; `None` without a score.
    fn scored(&self, run: &Run) -> Result<Option<f64>, Error> {
        let mut scores = run.scores.iter();
        let (name, score) = match &self.scorer {
            Some(name) => match run.scores.get(name) {
                Some(score) => (name, score),
                None => return Ok(None),
            },
            None => match (scores.next(), scores.next()) {
                (None, _) => return Ok(None),
                (Some(only), None) => only,
                (Some(_), Some(_)) => {
                    let names: Vec<&str> = run.scores.keys().map(String::as_str).collect();
                    let reason =
                        format!("run {} has the scorers {}; name one", run.id, names.join(", "));
                    return Err(Error::Undefined { name: "outcome", reason });
                }
            },
        };
        if matches!(score.value, Value::Null) {
            return Ok(None);
        }
        let number = score_value(score).ok_or_else(|| {
            let reason = format!(
                "the score {name} of run {} does not stand for a number; name another scorer",
                run.id
            );
            Error::Undefined { name: "outcome", reason }
        })?;
        Ok(Some(number))
    }
}

/// The number that a score stands for.
///
/// Numbers and booleans stand for themselves. The words are those of inspect_ai: `C` is 1, `P` 0.5,
/// `I` and `N` 0, `yes` and `true` 1, `no` and `false` 0 in any case, and digits are a number. `None`
/// for any other value.
fn score_value(score: &Score) -> Option<f64> {
    match &score.value {
        Value::Bool(value) => Some(f64::from(*value)),
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Text(word) => match word.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            word => match word.to_ascii_lowercase().as_str() {
                "yes" | "true" => Some(1.0),
                "no" | "false" => Some(0.0),
                word => word.parse().ok().filter(|value: &f64| value.is_finite()),
            },
        },
        _ => None,
    }
}
