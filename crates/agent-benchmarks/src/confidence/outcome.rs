use run_logs::{
    ConfidenceStream, FactRules, ForecastPolicy, MissingValue, RunTable, Score, StreamOptions,
};
use scoring_rules::Probability;
use trajectory_metrics::tool_calls::Value;

use crate::{confidence::settings::Instance, error::Error, values::record::Record};

/// The record of a conversation about a question.
///
/// The run of [`Self::record`] has the outcome: whether the answer is right. A run without an answer has
/// none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfidenceRecord {
    /// The run and what was wrong with its replies.
    pub record: Record,
    /// The answer.
    pub answer: Option<String>,
}

impl From<Record> for ConfidenceRecord {
    /// The record of another conversation in whose replies there may be a confidence, with the outcome of its run.
    fn from(record: Record) -> Self {
        Self { record, answer: None }
    }
}

impl ConfidenceRecord {
    pub(super) fn new(instance: &Instance, mut record: Record, answer: Option<String>) -> Self {
        let run = &mut record.run;
        run.metadata.insert("benchmark".to_owned(), "confidence".into());
        if let Some(answer) = &answer {
            let is_right = instance.question.checker.is_right(answer);
            run.outcome = Some(is_right);
            let value = Value::Bool(is_right);
            let score = Score { value, answer: Some(answer.clone()), ..Score::default() };
            run.scores.insert("right".to_owned(), score);
        }
        Self { record, answer }
    }

    /// The forecasts of a stream, one per step; `Err` within has the first step without one, from 1,
    /// and the reason.
    ///
    /// # Errors
    ///
    /// [`Error::RunLogs`] for scores that cannot be read, which no record of a conversation has.
    pub fn forecasts(
        &self,
        stream: ConfidenceStream,
    ) -> Result<Result<Vec<Probability>, (usize, MissingValue)>, Error> {
        let runs = [Ok(self.record.run.clone())];
        let policy = FactRules::default();
        let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
        let row = table.rows().first();
        let none = Err((1, MissingValue::NoReply));
        Ok(row.map_or(none, |row| row.forecasts(stream, ForecastPolicy::LeaveOut)))
    }
}
