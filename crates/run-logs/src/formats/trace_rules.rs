use censoring::{StopClass, StopReason};
use scoring_rules::Probability;
use trajectory_metrics::ForecastPolicy;

use crate::{
    fact_rules::{AtLimit, PLACE_SCORES, Repeats, ScoreRange, graded_in_range, stated, success},
    json_lines::{fields::Given, parsing::InputError},
    values::confidence_scale::{ConfidenceScale, SeenConfidences},
};

/// The rules for reading files of traces and tables. A [`ForecastPolicy`] converts to rules with defaults for everything else.
///
/// ```
/// use run_logs::{ConfidenceScale, ForecastPolicy, TraceFile, TraceRules, json_lines::InputError};
///
/// let table = b"id,confidence,correct\na,85,1\nb,40,0\n";
/// let refused = TraceFile::read("runs.csv", &table[..], ForecastPolicy::Refuse).unwrap_err();
/// assert!(refused.problem.contains("2 of 2 values are above 1"), "{refused}");
///
/// let rules = TraceRules { scale: ConfidenceScale::Percent, ..TraceRules::default() };
/// let file = TraceFile::read("runs.csv", &table[..], rules)?;
/// assert_eq!(file.runs.forecasts(0)[0].get(), 0.85);
/// # Ok::<(), InputError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceRules {
    /// The treatment of forecasts that are missing or outside [0, 1].
    pub missing: ForecastPolicy,
    /// The scale of confidences.
    pub scale: ConfidenceScale,
    /// The treatment of repeated rows in a table.
    pub repeats: Repeats,
    /// The lowest score that counts as a success, if outcomes are numbers.
    pub success_at: Option<f64>,
    /// The lowest and the highest score, if these are not 0 and 1.
    pub score_range: Option<ScoreRange>,
    /// The rule for runs that a limit ended; without it, the outcome in the file counts.
    pub at_limit: Option<AtLimit>,
}

impl From<ForecastPolicy> for TraceRules {
    fn from(missing: ForecastPolicy) -> Self {
        Self { missing, ..Self::default() }
    }
}

impl TraceRules {
    /// Returns the outcome of a run, or the grade of one that succeeded in part.
    pub(crate) fn judged(
        self,
        given: Option<Given>,
        stop: Option<&StopReason>,
    ) -> Result<(Option<bool>, Option<Probability>), String> {
        let is_at_limit = stop.is_some_and(|stop| stop.class() == StopClass::Censored);
        match self.at_limit.filter(|_| is_at_limit) {
            Some(AtLimit::Failed) => return Ok((Some(false), None)),
            Some(AtLimit::Unknown) => return Ok((None, None)),
            Some(AtLimit::Graded) | None => {}
        }
        let score = match given {
            Some(Given::Score(score)) => score,
            Some(Given::Outcome(outcome)) => return Ok((Some(outcome), None)),
            None => return Ok((None, None)),
        };
        let outside = |range| format!("{score} is outside the range {range} of scores");
        let graded = graded_in_range(score, self.success_at, self.score_range);
        let (grade, outcome) = graded.map_err(outside)?;
        match Probability::new(grade) {
            Ok(grade) => Ok((outcome, Some(grade).filter(|_| outcome.is_none()))),
            Err(_) => Err(format!("{score} is a score beyond 0 to 1; {PLACE_SCORES}")),
        }
    }

    /// Describes in words which runs are successes.
    pub(crate) fn success(self) -> String {
        success(self.success_at, self.score_range, "an outcome of true or 1")
    }

    /// Returns the rules that differ from the default and have no other place in an account, each with its option.
    pub(crate) fn stated(self) -> impl Iterator<Item = String> {
        stated(self.repeats, self.scale)
    }

    /// Checks the scale of the confidences of a whole file.
    pub(crate) fn check_scale(self, file: &str, seen: &SeenConfidences) -> Result<(), InputError> {
        let Some(problem) = self.scale.problem(seen) else { return Ok(()) };
        let (line, field) = seen.first.clone().unzip();
        Err(InputError { line, field, ..InputError::of_file(file, problem) })
    }
}
