use scoring_rules::{ExactSum, Probability};

use super::stop_rule::Alarm;
use crate::{
    acting::stop_rule::StopRule, checks::same_length, error::Error, replay::sample::Sample,
    resource::Resource, rollouts::storage::Rollouts,
};

/// What stopping runs early saved and lost, in counts that add up over benchmarks.
///
/// All rates are ratios of added counts (micro-averages): [`EarlyStops::merge`] of two benchmarks
/// is that of both together. Fields are public so that published counts can be added up too; a rate
/// of counts that cannot be is an error, and such counts are not read from a stored form.
///
/// ```
/// use budget_estimation::{EarlyStops, Error};
///
/// // One model on four benchmarks, from a published table.
/// let counts = [(0, 324, 0, 41), (7, 661, 48, 83), (0, 512, 12, 27), (176, 1279, 64, 64)];
/// let mut all = EarlyStops::default();
/// for (alarms, prefixes, stopped, failures) in counts {
///     let mut one = EarlyStops::default();
///     (one.false_alarm_prefixes, one.success_prefixes) = (alarms, prefixes);
///     (one.stopped_failures, one.failures) = (stopped, failures);
///     all.merge(&one)?;
/// }
/// assert_eq!(format!("{:.3}", all.false_abort_rate()?), "0.066");
/// assert_eq!((all.stopped_failures, all.failures), (124, 215));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1, tables 4 and 7.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
#[non_exhaustive]
pub struct EarlyStops {
    /// Prefixes of feasible runs at which the estimator raised an alarm.
    pub false_alarm_prefixes: u64,
    /// Prefixes of feasible runs.
    pub success_prefixes: u64,
    /// Feasible runs that were stopped.
    pub stopped_successes: u64,
    /// Feasible runs.
    pub successes: u64,
    /// Runs that were not feasible and were stopped.
    pub stopped_failures: u64,
    /// Runs that were not feasible.
    pub failures: u64,
    /// What runs that were not feasible spent after they were stopped, in the resource's unit.
    pub saved: f64,
    /// What runs that were not feasible spent in all.
    pub spent_by_failures: f64,
    /// Name of the resource that `saved` and `spent_by_failures` are amounts of, where it is known.
    pub resource: Option<String>,
}

/// The stored form, not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    false_alarm_prefixes: u64,
    success_prefixes: u64,
    stopped_successes: u64,
    successes: u64,
    stopped_failures: u64,
    failures: u64,
    saved: f64,
    spent_by_failures: f64,
    #[serde(default)]
    resource: Option<String>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for EarlyStops {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { false_alarm_prefixes, success_prefixes, stopped_successes, successes, .. } =
            stored;
        let Stored { stopped_failures, failures, saved, spent_by_failures, resource, .. } = stored;
        if false_alarm_prefixes > success_prefixes
            || stopped_successes > successes
            || stopped_failures > failures
        {
            return Err(Error::StoredState { problem: "no more is stopped than there is" });
        }
        // A NaN is in no range.
        if !(spent_by_failures.is_finite() && (0.0..=spent_by_failures).contains(&saved)) {
            let problem = "what was saved is from 0 to what failed runs spent";
            return Err(Error::StoredState { problem });
        }
        Ok(Self {
            false_alarm_prefixes,
            success_prefixes,
            stopped_successes,
            successes,
            stopped_failures,
            failures,
            saved,
            spent_by_failures,
            resource,
        })
    }
}

impl EarlyStops {
    /// Adds the counts of other runs. Counts without the name of a resource go with any.
    ///
    /// # Errors
    ///
    /// [`Error::MixedUnits`] for those of another resource; nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        match (&self.resource, &other.resource) {
            (Some(expected), Some(found)) if expected != found => {
                let (expected, found) = (expected.clone(), found.clone());
                return Err(Error::MixedUnits { expected, found });
            }
            (None, Some(name)) => self.resource = Some(name.clone()),
            _ => {}
        }
        let add = |count: &mut u64, more: u64| *count = count.saturating_add(more);
        add(&mut self.false_alarm_prefixes, other.false_alarm_prefixes);
        add(&mut self.success_prefixes, other.success_prefixes);
        add(&mut self.stopped_successes, other.stopped_successes);
        add(&mut self.successes, other.successes);
        add(&mut self.stopped_failures, other.stopped_failures);
        add(&mut self.failures, other.failures);
        self.saved += other.saved;
        self.spent_by_failures += other.spent_by_failures;
        Ok(())
    }

    /// Share of the prefixes of feasible runs at which there was an alarm, in [0, 1]; lower is
    /// better.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without such a prefix; [`Error::Setting`] where more of them raised an
    /// alarm.
    pub fn false_abort_rate(&self) -> Result<f64, Error> {
        let range = "from 0 to success_prefixes";
        let part = self.false_alarm_prefixes as f64;
        ratio("false_alarm_prefixes", part, self.success_prefixes as f64, range)
    }

    /// Share of the feasible runs that were stopped, in [0, 1]: the successes lost. At least as
    /// large as it looks by prefixes, since one alarm is enough.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a feasible run; [`Error::Setting`] where more were stopped.
    pub fn success_lost(&self) -> Result<f64, Error> {
        let part = self.stopped_successes as f64;
        ratio("stopped_successes", part, self.successes as f64, "from 0 to successes")
    }

    /// Share of what failed runs spent that stopping saved, in [0, 1]; higher is better.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] where failed runs spent nothing, or there are none; [`Error::Setting`]
    /// unless what was saved is from 0 to what they spent.
    pub fn saved_share(&self) -> Result<f64, Error> {
        ratio("saved", self.saved, self.spent_by_failures, "from 0 to spent_by_failures")
    }
}

fn ratio(name: &'static str, part: f64, whole: f64, range: &'static str) -> Result<f64, Error> {
    if whole.is_nan() || whole <= 0.0 {
        return Err(Error::Empty);
    }
    // A NaN is in no range.
    if (0.0..=whole.min(f64::MAX)).contains(&part) {
        Ok(part / whole)
    } else {
        Err(Error::Setting { name, value: part, range })
    }
}

/// What a rule would have done to these runs, from the samples of their estimates.
///
/// A run is stopped after the first prefix at which the rule says so, and what it would have spent
/// later is saved. False alarms are counted at every prefix of a feasible run at which the rule
/// says so, also beyond the first: the paper's false aborts. All runs count, also those without a
/// sample.
///
/// `failure_probabilities`, where given, are one a sample.
///
/// # Errors
///
/// [`Error::OtherResource`] for a sample of another resource: what is saved is counted in units of
/// `resource`. [`Error::OtherRollouts`] for a sample whose turns and costs are not those of its rollout.
/// [`Error::SampleOrder`] unless samples are sorted by rollout, and by turn within one;
/// [`Error::NoSuchRollout`] for one of other rollouts; [`Error::Length`] unless there is one
/// probability a sample; [`Error::UnknownCost`] where the cost of a run is not known.
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Prefix, Rollouts, StopRule, early_stopping, score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 30.0], true)?;
/// rollouts.push(&[90.0, 70.0, 40.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut careful = |prefix: &Prefix<'_>| match prefix.usage().total() {
///     used if used > 150.0 => Ok(Estimate::Impossible),
///     used => Estimate::interval(used, 2.0 * used),
/// };
/// let samples = score_rollouts(&rollouts, tokens, &mut careful)?;
/// let stops = early_stopping(&rollouts, tokens, &samples, None, StopRule::first_impossible())?;
/// assert_eq!(stops.false_abort_rate()?, 0.0);
/// assert_eq!(stops.saved_share()?, 40.0 / 200.0);
/// # Ok::<(), Error>(())
/// ```
pub fn early_stopping(
    rollouts: &Rollouts,
    resource: Resource,
    samples: &[Sample],
    failure_probabilities: Option<&[Probability]>,
    rule: StopRule,
) -> Result<EarlyStops, Error> {
    let given = failure_probabilities.map_or(samples.len(), <[Probability]>::len);
    same_length("failure_probabilities", samples.len(), given)?;
    let name = rollouts.column(resource)?.name.clone();
    let mut stops = EarlyStops { resource: Some(name), ..EarlyStops::default() };
    let (mut saved, mut spent) = (ExactSum::default(), ExactSum::default());
    for run in Runs::new(rollouts, resource, samples)? {
        let run = run?;
        let mut alarm = Alarm::new(rule);
        let mut stopped_at: Option<&Sample> = None;
        for (i, sample) in run.samples.iter().enumerate() {
            let stated = failure_probabilities.and_then(|all| all.get(run.first + i)).copied();
            let now = alarm.push(sample.estimate(), stated);
            if now && stopped_at.is_none() {
                stopped_at = Some(sample);
            }
            if run.feasible {
                stops.success_prefixes += 1;
                stops.false_alarm_prefixes += u64::from(now);
            }
        }
        let stopped = u64::from(stopped_at.is_some());
        if run.feasible {
            stops.successes += 1;
            stops.stopped_successes += stopped;
        } else {
            stops.failures += 1;
            stops.stopped_failures += stopped;
            saved.add(stopped_at.map_or(0.0, Sample::remaining));
            spent.add(run.total);
        }
    }
    stops.saved = saved.value();
    stops.spent_by_failures = spent.value();
    Ok(stops)
}

/// One run with its samples.
pub(crate) struct Run<'a> {
    pub(crate) feasible: bool,
    pub(crate) total: f64,
    pub(crate) samples: &'a [Sample],
    /// Where its samples begin among all.
    pub(crate) first: usize,
}

/// Every run of some rollouts, each with its stretch of the samples.
pub(crate) struct Runs<'a> {
    rollouts: &'a Rollouts,
    resource: Resource,
    samples: &'a [Sample],
    next: usize,
    at: usize,
}

impl<'a> Runs<'a> {
    pub(crate) fn new(
        rollouts: &'a Rollouts,
        resource: Resource,
        samples: &'a [Sample],
    ) -> Result<Self, Error> {
        let key = |sample: &Sample| (sample.rollout(), sample.turn());
        for (i, pair) in samples.windows(2).enumerate() {
            if let [before, after] = pair
                && key(before) >= key(after)
            {
                return Err(Error::SampleOrder { sample: i + 1 });
            }
        }
        let name = |resource| rollouts.column(resource).map(|column| column.name.clone());
        let expected = name(resource)?;
        if let Some(sample) = samples.iter().position(|sample| sample.resource() != resource) {
            let found = samples.get(sample).map_or(Ok(String::new()), |s| name(s.resource()))?;
            return Err(Error::OtherResource { sample, expected, found });
        }
        if let Some(last) = samples.last() {
            rollouts.get(last.rollout())?;
        }
        Ok(Self { rollouts, resource, samples, next: 0, at: 0 })
    }

    fn run(&mut self, index: usize) -> Result<Run<'a>, Error> {
        let rollout = self.rollouts.get(index)?;
        let rest = self.samples.get(self.at..).unwrap_or_default();
        let end = rest.partition_point(|sample| sample.rollout() <= index);
        let first = self.at;
        self.at += end;
        let (feasible, whole) = (rollout.is_feasible()?, rollout.whole(self.resource)?);
        let samples = rest.get(..end).unwrap_or_default();
        for (i, sample) in samples.iter().enumerate() {
            // A sample has the position of a resource alone, which is another one in other rollouts.
            let same = sample.turns() == rollout.turns()
                && rollout.cumulative(self.resource, sample.turn())? == sample.used()
                && whole.remaining_after(sample.used()) == sample.remaining();
            if !same {
                return Err(Error::OtherRollouts { sample: first + i, rollout: index });
            }
        }
        Ok(Run { feasible, total: whole.total, samples, first })
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Result<Run<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.rollouts.len() {
            return None;
        }
        self.next += 1;
        Some(self.run(index))
    }
}
