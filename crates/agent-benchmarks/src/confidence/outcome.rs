use run_logs::{
    ConfidenceField, ConfidenceStream, FactRules, ForecastPolicy, MissingValue, Reply, RunTable,
    StreamOptions,
};
use scoring_rules::Probability;

use crate::{error::Error, values::record::Record};

/// The record of a conversation about a question.
///
/// The run of [`Self::record`] has the outcome: whether the answer is right. A run without an answer has
/// none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfidenceRecord {
    /// The run, and the problems of its replies.
    pub record: Record,
    /// The answer.
    pub answer: Option<String>,
    /// Whether stated confidences outside [0, 1] are clipped.
    pub(super) clips: bool,
}

impl From<Record> for ConfidenceRecord {
    /// Creates an outcome from the record of another conversation whose replies may contain a confidence, with the outcome of its
    /// run.
    fn from(record: Record) -> Self {
        Self { record, answer: None, clips: false }
    }
}

impl ConfidenceRecord {
    /// Returns the forecasts of a stream, one per step. If a step has no forecast, the inner `Err` has the number of
    /// the first such step, from 1, and the reason.
    ///
    /// # Errors
    ///
    /// [`Error::RunLogs`] for unreadable scores, which no record of a conversation has.
    pub fn forecasts(
        &self,
        stream: ConfidenceStream,
    ) -> Result<Result<Vec<Probability>, (usize, MissingValue)>, Error> {
        let runs = [Ok(self.record.run.clone())];
        // The grade is not needed.
        let policy = FactRules { is_lenient: true, ..FactRules::default() };
        let table = RunTable::new(runs, &policy, &StreamOptions::default())?;
        let row = table.rows().first();
        let none = Err((1, MissingValue::NoReply));
        Ok(row.map_or(none, |row| match row.forecasts(stream, ForecastPolicy::LeaveOut) {
            Err((_, MissingValue::ConfidenceOutOfRange { .. })) if self.clips => {
                let clipped = (1..).zip(row.values(stream)).map(|(step, stated)| match stated {
                    Ok(stated) => Ok(*stated),
                    Err(MissingValue::ConfidenceOutOfRange { value }) => {
                        Ok(if *value > 0.0 { Probability::ONE } else { Probability::ZERO })
                    }
                    Err(reason) => Err((step, reason.clone())),
                });
                clipped.collect()
            }
            found => found,
        }))
    }

    /// Returns the number of stated confidences that are outside [0, 1] and are clipped.
    #[must_use]
    pub fn clipped(&self) -> usize {
        let field = ConfidenceField::default();
        let replies = self.record.run.agent_turns().filter_map(|turn| turn.reply.as_ref());
        let is_outside = |reply: &&Reply| {
            matches!(field.value(reply), Err(MissingValue::ConfidenceOutOfRange { .. }))
        };
        if self.clips { replies.filter(is_outside).count() } else { 0 }
    }
}
