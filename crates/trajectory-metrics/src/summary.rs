use scoring_rules::Probability;

use crate::{Error, Trace, Traces, WeightSchedule};

/// How to collapse a stream of forecasts into one number, for the diagnostics that need one.
///
/// No collapse keeps what the stream says: a score of the collapsed number can favour a dishonest
/// stream. Use [`Tps`](crate::Tps) to score the stream, and these for ranking and calibration
/// diagnostics.
///
/// Reference: Evaluator failure modes in agentic uncertainty quantification, theorem B.
///
/// ```
/// use trajectory_metrics::{Error, Probability, Summary, Trace, WeightSchedule};
///
/// let trace = Trace::new(Probability::from_slice(&[0.25, 0.75, 0.5])?, true)?;
/// assert_eq!(Summary::Last.of(trace)?.get(), 0.5);
/// assert_eq!(Summary::Mean.of(trace)?.get(), 0.5);
/// assert_eq!(Summary::Minimum.of(trace)?.get(), 0.25);
/// let front = Summary::Weighted(WeightSchedule::LinearFront);
/// assert!((front.of(trace)?.get() - 2.75 / 6.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Summary {
    /// The last forecast.
    Last,
    /// The mean of all forecasts.
    Mean,
    /// The lowest forecast.
    Minimum,
    /// The mean under a weight schedule. The paper's diagnostics use linear-front.
    Weighted(WeightSchedule),
}

impl Summary {
    /// The summary of one trace. A constant stream has exactly its constant as its mean, so that
    /// equal streams tie whatever their length.
    ///
    /// # Errors
    ///
    /// [`Error::ScheduleTooShort`] where custom weights do not reach the trace's end.
    pub fn of(&self, trace: Trace<'_>) -> Result<Probability, Error> {
        let forecasts = trace.forecasts();
        match self {
            // A trace is never empty.
            Self::Last => Ok(forecasts[forecasts.len() - 1]),
            Self::Minimum => Ok(forecasts.iter().copied().fold(Probability::ONE, Ord::min)),
            Self::Mean => mean(&WeightSchedule::Uniform, forecasts),
            Self::Weighted(schedule) => mean(schedule, forecasts),
        }
    }

    /// The summary of each trace.
    ///
    /// # Errors
    ///
    /// As [`Self::of`].
    pub fn of_each(&self, traces: &Traces) -> Result<Vec<Probability>, Error> {
        traces.iter().map(|trace| self.of(trace)).collect()
    }
}

/// Taken about the first forecast: a constant stream then has no rounding, nor a result outside
/// the range of its forecasts by more than the last digit, which the clamp takes back.
fn mean(schedule: &WeightSchedule, forecasts: &[Probability]) -> Result<Probability, Error> {
    let first = forecasts[0].get();
    let distance = |forecast: Probability, _: bool| forecast.get() - first;
    let mean = first + schedule.sum(&distance, forecasts, true, forecasts.len())?;
    Ok(Probability::new(mean.clamp(0.0, 1.0))?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_constant_stream_is_its_own_mean(p in 0.0..=1.0_f64, n in 1_usize..200) {
            let values = vec![p; n];
            let trace = Trace::new(Probability::from_slice(&values).unwrap(), true).unwrap();
            for schedule in WeightSchedule::NAMED {
                prop_assert_eq!(Summary::Weighted(schedule).of(trace).unwrap().get(), p);
            }
        }

        #[test]
        fn a_weighted_mean_is_the_sum_of_weights_times_forecasts(
            values in prop::collection::vec(0.0..=1.0_f64, 1..80),
        ) {
            let trace = Trace::new(Probability::from_slice(&values).unwrap(), true).unwrap();
            for schedule in WeightSchedule::NAMED {
                let weights = schedule.weights(values.len()).unwrap();
                let direct: f64 = weights.iter().zip(&values).map(|(w, p)| w * p).sum();
                let mean = Summary::Weighted(schedule).of(trace).unwrap().get();
                prop_assert!((mean - direct).abs() < 1e-14);
            }
        }
    }
}
