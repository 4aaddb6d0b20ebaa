use scoring_rules::{ExactMean, ScoringRule, Weight, checks::same_length};
use trajectory_metrics::{Tps, Trace};

use crate::{
    error::Error,
    scores::{censoring_shift::CensoringShift, simple_score::simple_score},
    stops::stopped::Stopped,
};

/// The mean change in the score of runs if outcomes are hidden: the score as a failure up to a stop, minus the score of
/// all steps with the true outcome. The change has two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanShift {
    /// The number of runs of positive weight, including those whose outcome stays known.
    pub runs: u64,
    /// The number of runs whose outcome is hidden.
    pub hidden: u64,
    /// The mean complete score, which uses all steps and the true outcome.
    pub complete_score: f64,
    /// The mean simple score, which uses the steps up to the stop and counts the run as a failure.
    pub simple_score: f64,
    /// The mean of each part of the shift. Runs whose outcome stays known have a shift of 0.
    pub shift: CensoringShift,
}

/// The effect of hiding outcomes on the mean score of complete runs, made by
/// [`HiddenOutcomeShift::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HiddenOutcomeShift {
    /// The shift over all runs.
    pub all: MeanShift,
    /// The shift over the runs that failed; `None` if there are none.
    pub failures: Option<MeanShift>,
    /// The shift over the runs that succeeded; `None` if there are none.
    pub successes: Option<MeanShift>,
    /// The largest distance, over the runs whose outcome is hidden, between the shift in closed form and the simple
    /// score minus the complete score. Only rounding makes it positive.
    pub largest_identity_error: f64,
}

impl HiddenOutcomeShift {
    /// Computes the mean change in the score of complete runs if runs are cut off after the steps in `stops` and scored
    /// by [`simple_score`](crate::simple_score()). The change is split into the two parts of a
    /// [`CensoringShift`](crate::CensoringShift), and given for all runs, for failures and for successes.
    ///
    /// `stops` has one entry per run: the step after which the run is cut off, or `None` if its outcome
    /// stays known, as [`artificial_stops`](crate::artificial_stops()) returns them.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix I.1 and table 10.
    ///
    /// A run of weight 2 counts as two equal runs in the means, and as one in the numbers of runs. A run of
    /// weight 0 is left out.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one stop per run, and one weight if weights are given;
    /// [`Error::At`] with the first run that [`CensoringShift::new`](crate::CensoringShift::new) refuses, or
    /// with a score of NaN; [`Error::ScoringRules`] without a run of positive weight, and if scores of both
    /// plus and minus infinity leave a mean undefined.
    ///
    /// ```
    /// use censoring::{Error, Probability, Tps, Trace, WeightSchedule, HiddenOutcomeShift};
    /// use trajectory_metrics::BrierScore;
    ///
    /// let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// let forecasts = Probability::from_slice(&[0.25, 0.5])?;
    /// let runs = [Trace::new(forecasts, true)?, Trace::new(forecasts, false)?];
    /// let shift = HiddenOutcomeShift::new(&tps, &runs, &[Some(1), None], None)?;
    /// // Step 1 of the success counts as -1/16 instead of -9/16, and step 2 no longer as -1/4.
    /// let successes = shift.successes.unwrap();
    /// assert_eq!((successes.shift.prefix_swap, successes.shift.tail_omission), (0.25, 0.125));
    /// assert_eq!(shift.failures.unwrap().shift.total(), 0.0);
    /// assert_eq!(shift.all.simple_score - shift.all.complete_score, 0.375 / 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<R: ScoringRule>(
        tps: &Tps<R>,
        runs: &[Trace<'_>],
        stops: &[Option<usize>],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        same_length("stops", runs.len(), stops.len())?;
        same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
        let mut largest_identity_error = 0.0_f64;
        let mut sums = [Means::default(), Means::default(), Means::default()];
        for (run, (&trace, &stop)) in runs.iter().zip(stops).enumerate() {
            let weight = weights.map_or(Weight::ONE, |weights| weights[run]);
            if weight == Weight::ZERO {
                continue;
            }
            let of_run = |error| Error::of_run(run, error);
            let complete = tps.score(trace).map_err(|error| of_run(error.into()))?;
            let (simple, shift) = match stop {
                None => (complete, CensoringShift { prefix_swap: 0.0, tail_omission: 0.0 }),
                Some(stop) => {
                    let shift = CensoringShift::new(tps, trace, stop).map_err(of_run)?;
                    let simple = Stopped::with_hidden_outcome(trace, stop)
                        .and_then(|run| simple_score(tps, &run))
                        .map_err(of_run)?;
                    // All scores in these numbers are finite.
                    let error = (shift.total() - (simple - complete)).abs();
                    largest_identity_error = largest_identity_error.max(error);
                    (simple, shift)
                }
            };
            let values = [complete, simple, shift.prefix_swap, shift.tail_omission];
            for sum in [0, 1 + usize::from(trace.outcome())] {
                sums[sum].update(stop.is_some(), values, weight).map_err(of_run)?;
            }
        }
        let [all, failures, successes] = sums;
        let some = |means: Means| if means.runs > 0 { means.finish().map(Some) } else { Ok(None) };
        Ok(Self {
            all: all.finish()?,
            failures: some(failures)?,
            successes: some(successes)?,
            largest_identity_error,
        })
    }
}

#[derive(Clone, Debug, Default)]
struct Means {
    runs: u64,
    hidden: u64,
    means: [ExactMean; 4],
}

impl Means {
    fn update(&mut self, hidden: bool, values: [f64; 4], weight: Weight) -> Result<(), Error> {
        self.runs += 1;
        self.hidden += u64::from(hidden);
        for (mean, value) in self.means.iter_mut().zip(values) {
            mean.update_weighted(value, weight)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<MeanShift, Error> {
        let [complete, simple, swap, tail] = self.means.map(|mean| mean.finish());
        Ok(MeanShift {
            runs: self.runs,
            hidden: self.hidden,
            complete_score: complete?,
            simple_score: simple?,
            shift: CensoringShift { prefix_swap: swap?, tail_omission: tail? },
        })
    }
}
