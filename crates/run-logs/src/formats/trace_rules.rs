use trajectory_metrics::ForecastPolicy;

use crate::{
    json_lines::parsing::InputError,
    rules::Repeats,
    values::confidence_scale::{ConfidenceScale, SeenConfidences},
};

/// How files of traces and tables are read. A [`ForecastPolicy`] alone stands for the other defaults.
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
/// assert_eq!(file.runs[0].forecasts[0].get(), 0.85);
/// # Ok::<(), InputError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceRules {
    /// What is done about forecasts that are missing or outside [0, 1].
    pub missing: ForecastPolicy,
    /// What confidences are parts of.
    pub scale: ConfidenceScale,
    /// What is done about rows that are in a table twice.
    pub repeats: Repeats,
}

impl From<ForecastPolicy> for TraceRules {
    fn from(missing: ForecastPolicy) -> Self {
        Self { missing, ..Self::default() }
    }
}

impl TraceRules {
    /// Checks the scale of the confidences of a whole file.
    pub(crate) fn check_scale(self, file: &str, seen: &SeenConfidences) -> Result<(), InputError> {
        let Some(problem) = self.scale.problem(seen) else { return Ok(()) };
        let (line, field) = seen.first.clone().unzip();
        Err(InputError { line, field, ..InputError::of_file(file, problem) })
    }
}
