use arrow::array::BooleanArray;
use datafusion_common::{Result, exec_datafusion_err};
use scoring_rules::{ScoringRule, score_slice};

use crate::arguments::{Arguments, Numbers};

/// The columns of a forecast and its outcome, as the first two arguments.
pub(crate) struct ForecastRows<'a> {
    p: Numbers<'a>,
    y: &'a BooleanArray,
}

impl<'a> ForecastRows<'a> {
    pub(crate) fn new(arguments: &Arguments<'a>) -> Result<Self> {
        Ok(Self { p: arguments.numbers(0)?, y: arguments.outcomes(1)? })
    }

    /// Sets `values` to the scores of the rows from `start` on, with the bits of [`score_slice`], in which
    /// the score of a row does not depend on other rows.
    ///
    /// # Errors
    ///
    /// An execution error that names the first forecast that is no probability.
    pub(crate) fn score(
        &self,
        rule: &impl ScoringRule,
        start: usize,
        values: &mut [f64],
    ) -> Result<()> {
        let forecasts = self.p.probabilities(start, values.len())?;
        let all = self.y.values().slice(start, values.len());
        let (mut bits, mut outcomes) = (all.iter(), [false; 64]);
        let blocks = forecasts.chunks(outcomes.len()).zip(values.chunks_mut(outcomes.len()));
        for (forecasts, values) in blocks {
            let outcomes = &mut outcomes[..values.len()];
            for (outcome, bit) in outcomes.iter_mut().zip(bits.by_ref()) {
                *outcome = bit;
            }
            score_slice(rule, forecasts, outcomes, values)
                .map_err(|error| exec_datafusion_err!("{error}"))?;
        }
        Ok(())
    }
}

/// Scores rows, in one call for each run of rows that have the same settings as the first of them.
pub(crate) fn score_rows(
    values: &mut [f64],
    is_same_as_before: impl Fn(usize) -> bool,
    mut score: impl FnMut(usize, &mut [f64]) -> Result<()>,
) -> Result<()> {
    let mut start = 0;
    while start < values.len() {
        let end = (start + 1..values.len()).find(|&row| !is_same_as_before(row));
        let end = end.unwrap_or(values.len());
        score(start, &mut values[start..end])?;
        start = end;
    }
    Ok(())
}

/// The score of one row.
pub(crate) fn score_row(score: impl FnOnce(&mut [f64]) -> Result<()>) -> Result<f64> {
    let mut value = [0.0];
    score(&mut value).map(|()| value[0])
}
