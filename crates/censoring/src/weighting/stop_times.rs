use std::sync::Arc;

use scoring_rules::{
    ExactSum, Weight,
    checks::{entries, same_length},
};

use crate::{
    checks::{can_be_averaged, too_large},
    error::Error,
    reasons::stop_class::StopClass,
    stops::stopped::Stopped,
};

/// The time at which each run stopped, and whether it was cut off or ended with a known outcome.
///
/// In terms of survival analysis, a known outcome is the event and a cut-off run is censored. Times are
/// steps, tokens or seconds: any finite numbers of at least 0. If an outcome and a cut-off share a
/// time, the outcome comes first: a run that was cut off at step 30 completed its step 30 without an
/// outcome.
///
/// [`Self::from_runs`] takes them from [`Stopped`] runs. Otherwise the caller decides which runs count as cut
/// off: only runs ended by a budget, or also runs ended by a failure or a monitor. The decision must agree
/// with the curve used for weighting.
///
/// A weight of 2 counts as two equal runs. A run of weight 0 has no effect, and no curve or prediction
/// is computed for it; its time and its score are still checked.
///
/// ```
/// use censoring::{Error, KaplanMeier, StopTimes};
///
/// let stops = StopTimes::new(&[4.0, 9.0], &[false, true], None)?;
/// assert_eq!(KaplanMeier::censoring_curve(&stops).at(9.0), 0.0);
///
/// let error = StopTimes::new(&[4.0, -1.0], &[false, true], None).unwrap_err();
/// assert!(matches!(error, Error::ScoringRules(scoring_rules::Error::Entry { index: 1, value: -1.0, .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StopTimes {
    times: Arc<[f64]>,
    censored: Arc<[bool]>,
    /// The runs in the order of their times, which resamples share.
    order: Arc<[u32]>,
    weights: Arc<[Weight]>,
    /// The weight of all runs, positive.
    total: f64,
}

/// A run of positive weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// The position of the run among all runs.
    pub(crate) run: usize,
    pub(crate) time: f64,
    pub(crate) censored: bool,
    pub(crate) weight: f64,
}

impl StopTimes {
    /// Creates the stop times of runs. `censored` states for each run whether it was cut off.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Entry`] with the first run whose time is negative or not finite;
    /// [`scoring_rules::Error::Length`] unless there is one entry per run in each argument;
    /// [`scoring_rules::Error::Empty`] without a run of positive weight.
    pub fn new(
        times: &[f64],
        censored: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        same_length("censored", times.len(), censored.len())?;
        let is_valid = |time: &f64| (0.0..f64::INFINITY).contains(time);
        entries("stop time of run", times, is_valid, "finite and at least 0")?;
        same_length("weights", times.len(), weights.map_or(times.len(), <[Weight]>::len))?;
        let weights = weights.map_or_else(|| vec![Weight::ONE; times.len()].into(), Arc::from);
        Self::of(times.into(), censored.into(), weights)
    }

    /// Creates the stop times of runs, counted in steps: the time of a run is the number of its forecasts.
    ///
    /// An excluded run has neither an outcome nor a time at which a budget ended it. It keeps its place
    /// among the runs, as one that was cut off, with a weight of 0.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one weight per run;
    /// [`scoring_rules::Error::Empty`] without a run of positive weight that is not excluded.
    ///
    /// ```
    /// use censoring::{Error, Probability, StopReason, StopTimes, Stopped};
    ///
    /// let forecasts = [Probability::HALF; 3];
    /// let runs = [
    ///     Stopped::new(&forecasts[..2], Some(true), None)?,
    ///     Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?,
    /// ];
    /// let stops = StopTimes::from_runs(&runs, None)?;
    /// assert_eq!(stops, StopTimes::new(&[2.0, 3.0], &[false, true], None)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_runs(runs: &[Stopped<'_>], weights: Option<&[Weight]>) -> Result<Self, Error> {
        same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
        let weight = |(position, run): (usize, &Stopped<'_>)| match run.class() {
            StopClass::Excluded => Weight::ZERO,
            _ => weights.map_or(Weight::ONE, |weights| weights[position]),
        };
        Self::of(
            runs.iter().map(|run| run.forecasts().len() as f64).collect(),
            runs.iter().map(|run| run.outcome().is_none()).collect(),
            runs.iter().enumerate().map(weight).collect(),
        )
    }

    fn of(times: Arc<[f64]>, censored: Arc<[bool]>, weights: Arc<[Weight]>) -> Result<Self, Error> {
        let mut order: Arc<[u32]> = (0..times.len() as u32).collect();
        Arc::make_mut(&mut order).sort_by(|&a, &b| times[a as usize].total_cmp(&times[b as usize]));
        Self { times, censored, order, weights: Arc::default(), total: 0.0 }.reweighted(weights)
    }

    /// Returns the same runs with other weights, one per run.
    pub(crate) fn reweighted(&self, weights: Arc<[Weight]>) -> Result<Self, Error> {
        let total = weights.iter().map(|weight| weight.get()).collect::<ExactSum>().value();
        if total > 0.0 {
            Ok(Self { weights, total, ..self.clone() })
        } else {
            Err(scoring_rules::Error::Empty.into())
        }
    }

    /// Returns the number of runs.
    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns the run at this position, which has a positive weight.
    pub(crate) fn stop(&self, run: usize) -> Stop {
        let weight = self.weights[run].get();
        Stop { run, time: self.times[run], censored: self.censored[run], weight }
    }

    /// Returns the weight of all runs.
    pub(crate) const fn total(&self) -> f64 {
        self.total
    }

    /// Returns all runs in the order of their times, including those without weight.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Divides runs that are in the order of their times into the runs of each time, from the last time back.
    pub(crate) fn tied<'a>(&'a self, runs: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
        let time = |run: &u32| self.times[*run as usize];
        runs.chunk_by(move |a, b| time(a) == time(b)).rev()
    }

    /// Returns the runs of positive weight.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Stop> {
        let Self { times, censored, weights, .. } = self;
        times
            .iter()
            .zip(censored.iter())
            .enumerate()
            .map(|(run, (&time, &censored))| Stop {
                run,
                time,
                censored,
                weight: weights[run].get(),
            })
            .filter(|stop| stop.weight > 0.0)
    }

    pub(crate) fn check_scores(&self, scores: &[Option<f64>]) -> Result<(), Error> {
        same_length("scores", self.times.len(), scores.len())?;
        for (run, (score, &censored)) in scores.iter().zip(self.censored.iter()).enumerate() {
            match *score {
                None if !censored => {
                    let problem =
                        "is complete but has no score; give the score of every complete run";
                    return Err(Error::Run { run, problem });
                }
                Some(_) if censored => {
                    let problem =
                        "was cut off but has a score; give the scores of complete runs only";
                    return Err(Error::Run { run, problem });
                }
                Some(value) if !can_be_averaged(value) => {
                    return Err(too_large("score of run", run, value));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
