use std::fmt;

use scoring_rules::Probability;

use crate::{error::Error, forecast_fault::ForecastFault};

/// The treatment of forecasts that are missing, NaN or outside [0, 1].
///
/// These policies also apply to a live loop ([`OnlineTps::with_policy`](crate::OnlineTps::with_policy))
/// and to whole runs, such as runs from a file ([`ForecastPolicy::check_run`]).
///
/// | policy | missing or NaN | a number outside [0, 1] |
/// |---|---|---|
/// | [`Refuse`](Self::Refuse) (default) | error | error |
/// | [`LeaveOut`](Self::LeaveOut) | the run is left out | the run is left out |
/// | [`Skip`](Self::Skip) | the step is skipped | the step is skipped |
/// | [`CarryForward`](Self::CarryForward) | the previous forecast is repeated | the previous forecast is repeated |
/// | [`CarryForwardFrom`](Self::CarryForwardFrom) | the same, from a value before the first step | the same |
/// | [`Clip`](Self::Clip) | error | 0 or 1, whichever is nearer |
///
/// If the first forecast of a run is faulty, [`CarryForward`](Self::CarryForward) has no forecast to repeat, and
/// the run is left out; [`CarryForwardFrom`](Self::CarryForwardFrom) repeats its value instead.
/// [`Clip`](Self::Clip) never turns NaN into a number. Every repair and every run that is left out is counted in
/// [`ForecastCounts`].
///
/// A skipped step is not a step of the stream: the steps with a forecast are renumbered and weighted as in a
/// shorter run of only these steps. A horizon counts steps of the whole run and therefore does not apply to a
/// stream with skipped steps. A run in which every step is skipped is left out.
///
/// Leaving out or repairing runs changes the sample: report the counts together with the scores.
///
/// ```
/// use trajectory_metrics::{CheckedRun, Error, ForecastCounts, ForecastFault, ForecastPolicy};
///
/// let run = [Some(0.7), None, Some(1.5)];
/// let mut counts = ForecastCounts::default();
///
/// let refused = ForecastPolicy::Refuse.check_run(&run, &mut counts);
/// assert!(matches!(refused, Err(Error::Forecast { step: 2, fault: ForecastFault::Missing, .. })));
///
/// let left_out = ForecastPolicy::LeaveOut.check_run(&run, &mut counts)?;
/// assert_eq!(left_out, CheckedRun::LeftOut { step: 2, fault: ForecastFault::Missing });
///
/// let carried = ForecastPolicy::CarryForward.check_run(&run, &mut counts)?;
/// let CheckedRun::Kept(forecasts) = carried else { panic!() };
/// assert_eq!(forecasts[2].get(), 0.7);
///
/// assert_eq!((counts.runs, counts.left_out_runs, counts.carried), (2, 1, 2));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ForecastPolicy {
    /// Returns an error that names the step and the fault.
    #[default]
    Refuse,
    /// Leaves out the whole run and counts it.
    LeaveOut,
    /// Skips the step, so that only the steps with a valid forecast are scored. Leaves out a run without any such
    /// step.
    Skip,
    /// Repeats the previous forecast; leaves out a run whose first forecast is faulty.
    CarryForward,
    /// Repeats the previous forecast, or takes this value before the first valid forecast. Leaves out no run.
    CarryForwardFrom(Probability),
    /// Moves a number outside [0, 1], including infinities, to the nearer bound; refuses missing forecasts and NaN.
    Clip,
}

/// The result of [`ForecastPolicy::check_run`] for one run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CheckedRun {
    /// The run is kept, with these forecasts.
    Kept(Vec<Probability>),
    /// The run is left out, because of this faulty forecast.
    LeftOut {
        /// The step, from 1.
        step: usize,
        /// The fault of its forecast.
        fault: ForecastFault,
    },
}

scoring_rules::checked! {
    /// Counts of runs that were kept, repaired and left out under a [`ForecastPolicy`].
    ///
    /// Repairs are counted in kept runs only. [`Self::merge`] adds the counts of parts of a sample.
    ///
    /// ```
    /// use trajectory_metrics::{Error, ForecastCounts, ForecastPolicy};
    ///
    /// let mut counts = ForecastCounts::default();
    /// for run in [&[Some(1.5), Some(-0.1)][..], &[Some(0.5)]] {
    ///     ForecastPolicy::Clip.check_run(run, &mut counts)?;
    /// }
    /// assert_eq!((counts.runs, counts.repaired_runs, counts.clipped), (2, 1, 2));
    /// let text = "2 runs: 1 repaired (2 forecasts clipped, 0 carried forward, 0 skipped), 0 left out";
    /// assert_eq!(counts.to_string(), text);
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct ForecastCounts {
        /// All runs, kept or left out.
        pub runs: u64,
        /// Runs that were left out.
        pub left_out_runs: u64,
        /// Kept runs with at least one repaired forecast.
        pub repaired_runs: u64,
        /// Forecasts of kept runs that were moved to 0 or 1.
        pub clipped: u64,
        /// Forecasts of kept runs that were replaced by the previous forecast.
        pub carried: u64,
        /// Steps of kept runs that were skipped.
        // Missing in states that were stored by version 0.2.
        #[cfg_attr(feature = "serde", serde(default))]
        pub skipped: u64,
    }
    check: ForecastCounts::check
}

impl ForecastCounts {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let Self { runs, left_out_runs, repaired_runs, clipped, carried, skipped } = *self;
        // Saturating, as in `merge`.
        let is_valid = left_out_runs.saturating_add(repaired_runs) <= runs;
        let range = "at least the number of runs that were left out or repaired";
        crate::checks::setting("number of runs", runs as f64, is_valid, range)?;
        let repairs = clipped.saturating_add(carried).saturating_add(skipped);
        let is_valid = repaired_runs <= repairs && (repaired_runs > 0 || repairs == 0);
        let range = "from 1 to the number of repairs, or 0 without repairs";
        let (name, value) = ("number of repaired runs", repaired_runs as f64);
        Ok(crate::checks::setting(name, value, is_valid, range)?)
    }

    /// Adds the counts of other runs. Counts that would exceed 2^64 - 1 stay at this maximum.
    pub fn merge(&mut self, other: Self) {
        self.runs = self.runs.saturating_add(other.runs);
        self.left_out_runs = self.left_out_runs.saturating_add(other.left_out_runs);
        self.repaired_runs = self.repaired_runs.saturating_add(other.repaired_runs);
        self.clipped = self.clipped.saturating_add(other.clipped);
        self.carried = self.carried.saturating_add(other.carried);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    /// The counts of one kept run with these repairs.
    pub(crate) const fn kept(clipped: u64, carried: u64, skipped: u64) -> Self {
        let repaired_runs = (clipped > 0 || carried > 0 || skipped > 0) as u64;
        Self { runs: 1, left_out_runs: 0, repaired_runs, clipped, carried, skipped }
    }

    /// The counts of one run that is left out.
    pub(crate) const LEFT_OUT: Self =
        Self { runs: 1, left_out_runs: 1, repaired_runs: 0, clipped: 0, carried: 0, skipped: 0 };
}

impl fmt::Display for ForecastCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, left_out_runs, repaired_runs, clipped, carried, skipped } = self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let (s_of_runs, s_of_forecasts) = (plural(*runs), plural(*clipped));
        write!(
            f,
            "{runs} run{s_of_runs}: {repaired_runs} repaired ({clipped} forecast{s_of_forecasts} \
             clipped, {carried} carried forward, {skipped} skipped), {left_out_runs} left out"
        )
    }
}

/// One value after the check of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Checked {
    AsGiven(Probability),
    Clipped(Probability),
    Carried(Probability),
    Skipped(ForecastFault),
    LeftOut(ForecastFault),
}

impl ForecastPolicy {
    /// One policy of each kind, in the order of declaration; [`Self::CarryForwardFrom`] has the value 0.5.
    pub const ALL: [Self; 6] = [
        Self::Refuse,
        Self::LeaveOut,
        Self::Skip,
        Self::CarryForward,
        Self::CarryForwardFrom(Probability::HALF),
        Self::Clip,
    ];

    /// Applies the policy to the values of one run, which are in the order of its steps, and updates `counts`.
    ///
    /// `None` is a missing value. An empty run is kept; [`Traces::push`](crate::Traces::push) refuses
    /// it.
    ///
    /// # Errors
    ///
    /// [`Error::Forecast`] with the first value that the policy refuses; `counts` is then unchanged.
    pub fn check_run(
        self,
        values: &[Option<f64>],
        counts: &mut ForecastCounts,
    ) -> Result<CheckedRun, Error> {
        let mut forecasts = Vec::with_capacity(values.len());
        let (mut clipped, mut carried, mut skipped) = (0, 0, 0);
        let mut first_skipped = None;
        for (i, &value) in values.iter().enumerate() {
            let step = i + 1;
            forecasts.push(match self.check(step, value, forecasts.last().copied())? {
                Checked::AsGiven(forecast) => forecast,
                Checked::Clipped(forecast) => {
                    clipped += 1;
                    forecast
                }
                Checked::Carried(forecast) => {
                    carried += 1;
                    forecast
                }
                Checked::Skipped(fault) => {
                    skipped += 1;
                    first_skipped.get_or_insert((step, fault));
                    continue;
                }
                Checked::LeftOut(fault) => {
                    counts.merge(ForecastCounts::LEFT_OUT);
                    return Ok(CheckedRun::LeftOut { step, fault });
                }
            });
        }
        if let (true, Some((step, fault))) = (forecasts.is_empty(), first_skipped) {
            counts.merge(ForecastCounts::LEFT_OUT);
            return Ok(CheckedRun::LeftOut { step, fault });
        }
        counts.merge(ForecastCounts::kept(clipped, carried, skipped));
        Ok(CheckedRun::Kept(forecasts))
    }

    /// Checks the value of one step, counted from 1, given the previous forecast.
    #[inline]
    pub(crate) fn check(
        self,
        step: usize,
        value: Option<f64>,
        before: Option<Probability>,
    ) -> Result<Checked, Error> {
        let fault = match value {
            None => ForecastFault::Missing,
            Some(value) => match Probability::new(value) {
                Ok(forecast) => return Ok(Checked::AsGiven(forecast)),
                Err(_) if value.is_nan() => ForecastFault::Nan,
                Err(_) => ForecastFault::OutOfRange(value),
            },
        };
        match (self, fault, before) {
            (Self::Clip, ForecastFault::OutOfRange(value), _) => {
                Ok(Checked::Clipped(if value < 0.0 { Probability::ZERO } else { Probability::ONE }))
            }
            (Self::CarryForward | Self::CarryForwardFrom(_), _, Some(before))
            | (Self::CarryForwardFrom(before), _, None) => Ok(Checked::Carried(before)),
            (Self::Skip, ..) => Ok(Checked::Skipped(fault)),
            (Self::CarryForward, _, None) | (Self::LeaveOut, ..) => Ok(Checked::LeftOut(fault)),
            (Self::Refuse | Self::Clip, ..) => Err(Error::Forecast { step, fault }),
        }
    }
}

impl fmt::Display for ForecastPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Refuse => "refuse",
            Self::LeaveOut => "leave_out",
            Self::Skip => "skip",
            Self::CarryForward => "carry_forward",
            Self::CarryForwardFrom(first) => {
                return f.pad(&format!("carry_forward_from={}", first.get()));
            }
            Self::Clip => "clip",
        })
    }
}

impl std::str::FromStr for ForecastPolicy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let named = match name.split_once('=') {
            Some(("carry_forward_from", first)) => {
                let first = first.parse().ok().and_then(|first| Probability::new(first).ok());
                first.map(Self::CarryForwardFrom)
            }
            _ => Self::ALL.into_iter().find(|policy| policy.to_string() == name),
        };
        named.ok_or_else(|| Error::UnknownName {
            what: "forecast policy",
            name: name.to_owned(),
            known: "refuse, leave_out, skip, carry_forward, carry_forward_from=P with P from 0 to 1, and clip",
        })
    }
}
