use scoring_rules::{ExactSum, Weight};

use crate::{
    checks::{can_be_averaged, same_length, too_large},
    error::Error,
};

/// How a run ended, for the times of [`StopTimes`]. An `event` of other libraries is an outcome here.
///
/// ```
/// use censoring::RunEnd;
///
/// assert_eq!(RunEnd::cut_off_if(true), RunEnd::CutOff);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RunEnd {
    /// The run ended with a known outcome, a success or a failure.
    Outcome,
    /// The run was cut off before its outcome was known.
    CutOff,
}

impl RunEnd {
    /// [`RunEnd::CutOff`] if the condition holds.
    #[must_use]
    pub const fn cut_off_if(condition: bool) -> Self {
        if condition { Self::CutOff } else { Self::Outcome }
    }
}

/// The time at which each run stopped, and whether it was cut off or ended with a known outcome.
///
/// In terms of survival analysis, a known outcome is the event and a cut-off run is censored. Times are
/// steps, tokens or seconds: any finite numbers of at least 0. If an outcome and a cut-off share a
/// time, the outcome comes first: a run that was cut off at step 30 completed its step 30 without an
/// outcome.
///
/// A [`Stopped`](crate::Stopped) run stops after as many steps as it has forecasts. The caller decides
/// whether only runs that a budget ended count as cut off, or also those that a failure or a monitor
/// ended; the decision must agree with the curve by which runs are weighted.
///
/// A weight of 2 counts as two equal runs. A run of weight 0 has no effect, and no curve or prediction
/// is computed for it; its time and its score are still checked.
///
/// ```
/// use censoring::{Error, RunEnd, StopTimes};
///
/// let ends = [RunEnd::Outcome, RunEnd::CutOff];
/// let stops = StopTimes::new(&[4.0, 9.0], ends, None)?;
/// assert_eq!((stops.times(), stops.censored()), (&[4.0, 9.0][..], &[false, true][..]));
///
/// let error = StopTimes::new(&[4.0, -1.0], [RunEnd::Outcome, RunEnd::CutOff], None).unwrap_err();
/// assert!(matches!(error, Error::Entry { index: 1, value: -1.0, .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StopTimes<'a> {
    times: &'a [f64],
    censored: Vec<bool>,
    weights: Option<&'a [Weight]>,
    /// The weight of all runs, positive.
    total: f64,
}

/// A run of positive weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Its position among all runs.
    pub(crate) run: usize,
    pub(crate) time: f64,
    pub(crate) censored: bool,
    pub(crate) weight: f64,
}

impl<'a> StopTimes<'a> {
    /// Checks times and weights; `ends` tells of each run how it ended.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] with the first run whose time is negative or not finite;
    /// [`Error::Length`] unless there is one entry per run in each argument; [`Error::Empty`] without a
    /// run of positive weight.
    pub fn new(
        times: &'a [f64],
        ends: impl IntoIterator<Item = RunEnd>,
        weights: Option<&'a [Weight]>,
    ) -> Result<Self, Error> {
        let censored: Vec<bool> = ends.into_iter().map(|end| end == RunEnd::CutOff).collect();
        same_length("ends", times.len(), censored.len())?;
        if let Some(run) = times.iter().position(|time| !(0.0..f64::INFINITY).contains(time)) {
            return Err(stop_time(run, times[run]));
        }
        let mut total = times.len() as f64;
        if let Some(weights) = weights {
            same_length("weights", times.len(), weights.len())?;
            total = weights.iter().map(|weight| weight.get()).collect::<ExactSum>().value();
        }
        if total > 0.0 { Ok(Self { times, censored, weights, total }) } else { Err(Error::Empty) }
    }

    /// The time at which each run stopped.
    #[must_use]
    pub const fn times(&self) -> &'a [f64] {
        self.times
    }

    /// Whether each run was cut off before its outcome was known.
    #[must_use]
    pub fn censored(&self) -> &[bool] {
        &self.censored
    }

    /// The weight of all runs.
    pub(crate) const fn total(&self) -> f64 {
        self.total
    }

    /// The runs of positive weight.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Stop> + use<'_, 'a> {
        let Self { times, censored, weights, .. } = self;
        times
            .iter()
            .zip(censored)
            .enumerate()
            .map(move |(run, (&time, &censored))| {
                let weight = weights.map_or(Weight::ONE, |weights| weights[run]).get();
                Stop { run, time, censored, weight }
            })
            .filter(|stop| stop.weight > 0.0)
    }

    /// Checks that complete runs, and only those, have a score that can be averaged.
    pub(crate) fn check_scores(&self, scores: &[Option<f64>]) -> Result<(), Error> {
        same_length("scores", self.times.len(), scores.len())?;
        for (run, (score, &censored)) in scores.iter().zip(&self.censored).enumerate() {
            match *score {
                None if !censored => return Err(Error::MissingScore { run }),
                Some(_) if censored => return Err(Error::CensoredWithScore { run }),
                Some(value) if !can_be_averaged(value) => {
                    return Err(too_large(run, value));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The error for a time that is negative or not finite.
const fn stop_time(run: usize, value: f64) -> Error {
    Error::Entry { what: "stop time of run", index: run, value, range: "finite and at least 0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_none_are_named() {
        let of = |times: &[f64], weights: Option<&[Weight]>| {
            StopTimes::new(times, [RunEnd::Outcome, RunEnd::CutOff], weights)
                .map(|_| ())
                .unwrap_err()
        };
        for value in [-1e-300, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(of(&[0.0, value], None), stop_time(1, value));
        }
        assert!(matches!(of(&[f64::NAN, -1.0], None), Error::Entry { index: 0, .. }));
        let length = |what, found| Error::Length { what, expected: 2, found };
        assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ONE])), length("weights", 1));
        let three = StopTimes::new(&[1.0, 2.0], [RunEnd::CutOff; 3], None).unwrap_err();
        assert_eq!(three, length("ends", 3));
        let empty = Error::Empty;
        assert_eq!(of(&[1.0, 2.0], Some(&[Weight::ZERO; 2])), empty);
        assert_eq!(StopTimes::new(&[], [], None), Err(empty));
    }

    #[test]
    fn complete_runs_and_only_those_have_a_score() {
        let stops = StopTimes::new(&[1.0, 2.0], [RunEnd::Outcome, RunEnd::CutOff], None).unwrap();
        assert_eq!(stops.check_scores(&[Some(-0.5), None]), Ok(()));
        assert_eq!(stops.check_scores(&[None, None]), Err(Error::MissingScore { run: 0 }));
        let both = [Some(1.0), Some(1.0)];
        assert_eq!(stops.check_scores(&both), Err(Error::CensoredWithScore { run: 1 }));
        for value in [f64::NEG_INFINITY, f64::INFINITY, -1.1e100] {
            assert_eq!(stops.check_scores(&[Some(value), None]), Err(too_large(0, value)));
        }
        let error = stops.check_scores(&[Some(f64::NAN), None]).unwrap_err();
        assert!(matches!(error, Error::Entry { index: 0, .. }));
    }
}
