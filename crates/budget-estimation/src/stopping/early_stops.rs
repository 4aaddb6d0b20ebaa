use crate::{checks::setting, error::Error};

/// Counts of what early stopping saves and loses.
///
/// All rates are ratios of summed counts (micro-averages), so that [`EarlyStops::merge`] gives the rates
/// of several benchmarks together. The fields are public so that published counts can be merged too.
/// Impossible counts, such as more stopped runs than runs, are an error in every rate and when they are
/// deserialized.
///
/// ```
/// use budget_estimation::{EarlyStops, Error};
///
/// // Two benchmarks: false alarms, prefixes of feasible runs, stopped failures, failures.
/// let counts = [(2, 40, 3, 4), (1, 60, 5, 6)];
/// let mut all = EarlyStops::default();
/// for (alarms, prefixes, stopped, failures) in counts {
///     let mut one = EarlyStops::default();
///     (one.false_alarm_prefixes, one.success_prefixes) = (alarms, prefixes);
///     (one.stopped_failures, one.failures) = (stopped, failures);
///     all.merge(&one)?;
/// }
/// assert_eq!(all.false_abort_rate()?, 0.03);
/// assert_eq!((all.stopped_failures, all.failures), (8, 10));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1, tables 4 and 7.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EarlyStops {
    /// The number of prefixes of feasible runs at which the estimator raised an alarm.
    pub false_alarm_prefixes: u64,
    /// The number of prefixes of feasible runs.
    pub success_prefixes: u64,
    /// The number of feasible runs that the rule stops.
    pub stopped_successes: u64,
    /// The number of feasible runs.
    pub successes: u64,
    /// The number of infeasible runs that the rule stops.
    pub stopped_failures: u64,
    /// The number of infeasible runs.
    pub failures: u64,
    /// The cost that infeasible runs had after the stop, in the unit of the resource.
    pub saved: f64,
    /// The total cost of infeasible runs.
    pub spent_by_failures: f64,
    /// The name of the resource in which `saved` and `spent_by_failures` are counted, if known.
    pub resource: Option<String>,
}

impl EarlyStops {
    /// Adds the counts of other runs. If both counts name a resource, it must be the same.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] for counts of another resource; nothing is added.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        match (&self.resource, &other.resource) {
            (Some(expected), Some(found)) if expected != found => {
                let problem = format!(
                    "amounts of {found:?} cannot be added to amounts of {expected:?}; keep them apart"
                );
                return Err(Error::Unlike { problem });
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

    /// Returns the share of prefixes of feasible runs at which there was an alarm, in [0, 1]; lower is better.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without such a prefix; [`scoring_rules::Error::Setting`] for more alarms than prefixes.
    pub fn false_abort_rate(&self) -> Result<f64, Error> {
        let range = "from 0 to success_prefixes";
        let part = self.false_alarm_prefixes as f64;
        ratio("false_alarm_prefixes", part, self.success_prefixes as f64, range)
    }

    /// Returns the share of the feasible runs that the rule stops, in [0, 1]; lower is better. One alarm stops a run,
    /// so this share can be much larger than the share of prefixes with an alarm.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a feasible run; [`scoring_rules::Error::Setting`] for more stops than runs.
    pub fn success_lost(&self) -> Result<f64, Error> {
        let part = self.stopped_successes as f64;
        ratio("stopped_successes", part, self.successes as f64, "from 0 to successes")
    }

    /// Returns by how much the rule lowers the success rate over all runs, in [0, 1]; lower is better. The paper
    /// reports it in percentage points.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a run; [`scoring_rules::Error::Setting`] for more stops than feasible runs.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1.
    pub fn success_rate_lost(&self) -> Result<f64, Error> {
        let (stopped, successes) = (self.stopped_successes as f64, self.successes as f64);
        let (name, range) = ("stopped_successes", "from 0 to successes");
        setting(name, stopped, stopped <= successes, range)?;
        ratio(name, stopped, successes + self.failures as f64, range)
    }

    /// Returns the share of the cost of infeasible runs that the rule saves, in [0, 1]; higher is better.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] if there are no infeasible runs, or they spent nothing;
    /// [`scoring_rules::Error::Setting`] if the saved amount is negative or larger than their cost.
    pub fn saved_share(&self) -> Result<f64, Error> {
        ratio("saved", self.saved, self.spent_by_failures, "from 0 to spent_by_failures")
    }
}

fn ratio(name: &'static str, part: f64, whole: f64, range: &'static str) -> Result<f64, Error> {
    if whole.is_nan() || whole <= 0.0 {
        return Err(scoring_rules::Error::Empty.into());
    }
    setting(name, part, (0.0..=whole.min(f64::MAX)).contains(&part), range)?;
    Ok(part / whole)
}
