use scoring_rules::{DecimalSum, Probability, decimals::Decimal};

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    checks::{is_amount, same_length, setting},
    error::Error,
    estimates::{estimate::Estimate, reading::Reading},
    rollouts::decimals::left_of,
    stopping::{
        advice::{Advice, AdviceReason},
        stop_rule::{Seen, StopRule},
    },
};

scoring_rules::checked! {
    /// Watches a run. It takes the costs of each turn and the estimates made after the turn, and advises whether to
    /// continue.
    ///
    /// Costs are added and compared with caps as the decimals that were written, as in
    /// [`Rollouts`](crate::Rollouts). Memory does not grow with the run; a turn takes O(R + S) for R
    /// resources and S stop rules.
    ///
    /// With the feature `serde`, a monitor can be stored in the middle of a run and continues without a
    /// change in any later advice.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Advice, AdviceReason, BudgetMonitor, Error, Estimate, Reading, StopRule,
    /// };
    ///
    /// let rule = StopRule::impossible_in_a_row(2)?.with_reading(Reading::Cap);
    /// let mut monitor = BudgetMonitor::new([("tokens", Some(1000.0))])?.with_stop_rule(rule);
    /// let estimate = Estimate::interval(300.0, 600.0)?;
    /// assert_eq!(monitor.push(&[(200.0, estimate)], None)?, Advice::Continue);
    /// let advice = monitor.push(&[(400.0, estimate)], None)?;
    /// assert_eq!(advice, Advice::Warn(AdviceReason::MayNotFit { resource: "tokens".to_owned() }));
    /// // At least 300 more, but only 200 are left: the estimate itself says that this is impossible.
    /// let advice = monitor.push(&[(200.0, estimate)], None)?;
    /// assert_eq!(advice, Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
    /// let advice = monitor.push(&[(0.0, Estimate::Impossible)], None)?;
    /// assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct BudgetMonitor {
        resources: Vec<Watched>,
        /// The value of each resource's sum.
        #[cfg_attr(feature = "serde", serde(skip))]
        spent: Vec<f64>,
        rules: Vec<StopRule>,
        warn_at: f64,
        /// Impossible estimates in a row so far, by reading.
        in_a_row: [u32; 2],
        turns: u64,
    }
    restore: Self::restore
}

/// One resource of a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Watched {
    name: String,
    cap: Option<f64>,
    /// The sum from which on there is a warning; plus infinity for no warning.
    #[cfg_attr(feature = "serde", serde(skip))]
    near: f64,
    spent: DecimalSum,
}

impl BudgetMonitor {
    /// Creates a monitor of the resources that each turn spends. Each resource has a name and optionally a cap.
    ///
    /// Without a stop rule, only an exceeded cap stops the run.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a resource; [`Error::ResourceName`] for an empty or repeated name;
    /// [`Error::Cap`] for a cap that is not from 0 to 1e100.
    pub fn new<N: Into<String>>(
        resources: impl IntoIterator<Item = (N, Option<f64>)>,
    ) -> Result<Self, Error> {
        let mut watched: Vec<Watched> = Vec::new();
        for (name, cap) in resources {
            let name = name.into();
            if name.is_empty() || watched.iter().any(|other| other.name == name) {
                return Err(Error::ResourceName { name });
            }
            if let Some(value) = cap.filter(|cap| !is_amount(*cap)) {
                return Err(Error::Cap { resource: name, value });
            }
            let (near, spent) = (f64::INFINITY, DecimalSum::default());
            watched.push(Watched { name, cap, near, spent });
        }
        if watched.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        let spent = vec![0.0; watched.len()];
        let rules = Vec::new();
        Ok(Self { resources: watched, spent, rules, warn_at: 1.0, in_a_row: [0; 2], turns: 0 })
    }

    /// Adds a rule that stops the run because of its estimates. If there are several rules, one that applies is
    /// enough.
    #[must_use]
    pub fn with_stop_rule(mut self, rule: StopRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Makes the monitor warn once a share of a cap is spent, such as 0.9. With 1, the default, there is no warning.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the share is from 0 to 1.
    pub fn with_warning_at(mut self, share: f64) -> Result<Self, Error> {
        let valid = (0.0..=1.0).contains(&share);
        setting("share of a cap to warn at", share, valid, "from 0 to 1")?;
        self.warn_at = share;
        for resource in &mut self.resources {
            // The product of the two decimals as written.
            let near = |cap| Decimal::shortest(share).times(Decimal::shortest(cap)).nearest();
            let cap = resource.cap.filter(|_| share < 1.0);
            resource.near = cap.map_or(f64::INFINITY, near);
        }
        Ok(self)
    }

    /// Records a turn: for each resource, in the order given to [`Self::new`], the cost of the turn and the estimated
    /// remaining cost; optionally also the stated probability of failure.
    ///
    /// Returns the first advice that applies: a cap is exceeded; a stop rule applies, in the order of the rules; the
    /// estimate is `impossible`; an interval may not fit under a cap; a cap is near. An interval whose lower bound exceeds
    /// the amount left under a cap counts as `impossible` in a warning, and in stop rules by
    /// [`Reading::Cap`](crate::Reading).
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one entry per resource; [`Error::Cost`] for
    /// a cost that is not from 0 to 1e100; [`Error::NegativeEstimate`] for an interval that begins
    /// below 0. The turn is not added.
    pub fn push(
        &mut self,
        resources: &[(f64, Estimate)],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        let turn = usize::try_from(self.turns).unwrap_or(usize::MAX).saturating_add(1);
        same_length("resources of a turn", self.resources.len(), resources.len())?;
        for (resource, &(value, _)) in self.resources.iter().zip(resources) {
            if !is_amount(value) {
                let resource = resource.name.clone();
                return Err(Error::Cost { rollout: 0, turn, resource, value });
            }
        }
        let estimates: Vec<Estimate> = resources.iter().map(|(_, estimate)| *estimate).collect();
        estimates.iter().try_for_each(|estimate| estimate.checked().map(|_| ()))?;
        self.spend(resources.iter().map(|&(cost, _)| Some(cost)));
        self.advise(&estimates, failure_probability)
    }

    /// Adds the known ones of the costs of a turn, which have been checked.
    pub(crate) fn spend(&mut self, costs: impl IntoIterator<Item = Option<f64>>) {
        self.turns = self.turns.saturating_add(1);
        let totals = self.resources.iter_mut().zip(&mut self.spent);
        for ((resource, total), cost) in totals.zip(costs) {
            cost.into_iter().for_each(|cost| resource.spent.add(cost));
            *total = resource.spent.value();
        }
    }

    /// Takes the estimates before the first turn, k = 0, one per resource, and the stated probability of failure, if
    /// any. Returns the first advice that applies, as [`push`](Self::push) does. An `impossible` here counts as the
    /// first of consecutive ones.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] after a turn; [`scoring_rules::Error::Length`] unless there is one estimate per resource;
    /// [`Error::NegativeEstimate`] for an interval that begins below 0.
    ///
    /// ```
    /// use budget_estimation::{
    ///     Advice, AdviceReason, BudgetMonitor, Error, Estimate, Reading, StopRule,
    /// };
    ///
    /// let rule = StopRule::impossible_in_a_row(2)?.with_reading(Reading::Cap);
    /// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0))])?.with_stop_rule(rule);
    /// let advice = monitor.begin(&[Estimate::interval(200.0, 300.0)?], None)?;
    /// assert_eq!(advice, Advice::Warn(AdviceReason::Impossible { in_a_row: 1 }));
    /// let advice = monitor.push(&[(10.0, Estimate::Impossible)], None)?;
    /// assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
    /// assert!(monitor.begin(&[Estimate::NoAnswer], None).is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn begin(
        &mut self,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        let (name, range) = ("number of completed turns", "0 before the first turn");
        setting(name, self.turns as f64, self.turns == 0, range)?;
        self.advise(estimates, failure_probability)
    }

    /// Returns the first advice that applies to these estimates, given the amounts spent.
    pub(crate) fn advise(
        &mut self,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        same_length("estimates of a turn", self.resources.len(), estimates.len())?;
        estimates.iter().try_for_each(|estimate| estimate.checked().map(|_| ()))?;
        // An estimate before the first turn may be given again.
        self.in_a_row = if self.turns == 0 { [0; 2] } else { self.in_a_row };
        let left: Vec<f64> = self.left().map(|left| left.unwrap_or(f64::INFINITY)).collect();
        let named = |at: Option<usize>| Some(self.resources[at?].name.clone());
        let shown = estimates.iter().zip(&left).map(|(estimate, left)| (*estimate, Some(*left)));
        let seen = Seen::new(&mut self.in_a_row, shown, failure_probability);
        let in_a_row = |reading: Reading| seen.impossible_in_a_row[reading as usize];
        if let Some(resource) = named(left.iter().position(|left| *left < 0.0)) {
            return Ok(Advice::Stop(AdviceReason::CapExceeded { resource }));
        }
        if let Some(rule) = self.rules.iter().find(|rule| rule.holds(&seen)) {
            return Ok(Advice::Stop(match (*rule, failure_probability) {
                (StopRule::FailureProbability { .. }, Some(probability)) => {
                    AdviceReason::FailureProbability { probability }
                }
                (StopRule::NotWorthwhile { value }, _) => {
                    let (worth, cost) = seen.worth_and_cost(value).unwrap_or_default();
                    AdviceReason::NotWorthwhile { worth, cost }
                }
                (StopRule::Impossible { reading, .. }, _) => {
                    AdviceReason::Impossible { in_a_row: in_a_row(reading) }
                }
                _ => AdviceReason::Impossible { in_a_row: in_a_row(Reading::Cap) },
            }));
        }
        let exceeds = |(estimate, left): (&Estimate, &f64)| {
            estimate.ends().is_some_and(|interval| interval.high() > *left)
        };
        let may_not_fit = estimates.iter().zip(&left).position(exceeds);
        let near = |(resource, spent): (&Watched, &f64)| *spent >= resource.near;
        Ok(if in_a_row(Reading::Cap) > 0 {
            Advice::Warn(AdviceReason::Impossible { in_a_row: in_a_row(Reading::Cap) })
        } else if let Some(resource) = named(may_not_fit) {
            Advice::Warn(AdviceReason::MayNotFit { resource })
        } else if let Some(resource) = named(self.resources.iter().zip(&self.spent).position(near))
        {
            Advice::Warn(AdviceReason::NearCap { resource })
        } else {
            Advice::Continue
        })
    }

    /// Returns the names of the resources, in the order of [`Self::new`].
    #[must_use]
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.resources.iter().map(|resource| resource.name.as_str())
    }

    /// Returns the cap on each resource; `None` without a cap.
    #[must_use]
    pub fn caps(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.resources.iter().map(|resource| resource.cap)
    }

    /// Returns the amount of each resource left under its cap, negative if the cap is exceeded; `None` without a cap.
    ///
    /// ```
    /// use budget_estimation::{BudgetMonitor, Error, Estimate};
    ///
    /// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0)), ("usd", None)])?;
    /// monitor.push(&[(30.0, Estimate::NoAnswer), (0.01, Estimate::NoAnswer)], None)?;
    /// assert!(monitor.names().zip(monitor.left()).eq([("tokens", Some(70.0)), ("usd", None)]));
    /// assert!(monitor.caps().eq([Some(100.0), None]));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn left(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.resources.iter().map(|it| it.cap.map(|cap| left_of(cap, it.spent)))
    }

    /// Returns the amount of each resource spent so far.
    #[must_use]
    pub fn spent(&self) -> &[f64] {
        &self.spent
    }

    /// Returns the number of turns so far.
    #[must_use]
    pub const fn turns(&self) -> u64 {
        self.turns
    }
}

#[cfg(feature = "serde")]
impl BudgetMonitor {
    /// Checks a stored monitor, and computes the parts that are not stored.
    fn restore(&mut self) -> Result<(), Error> {
        let fresh = Self::new(self.names().zip(self.caps()))?.with_warning_at(self.warn_at)?;
        for (resource, fresh) in self.resources.iter_mut().zip(fresh.resources) {
            resource.near = fresh.near;
        }
        self.spent = self.resources.iter().map(|resource| resource.spent.value()).collect();
        let amounts = self.spent.iter().all(|spent| (0.0..f64::INFINITY).contains(spent));
        stored(amounts, "what was spent must be finite and at least 0")?;
        let begun = self.turns > 0 || self.spent.iter().all(|&spent| spent == 0.0);
        stored(begun, "nothing is spent before the first turn")?;
        // There can also be an estimate before the first turn.
        let most = self.turns.saturating_add(1);
        let valid = self.in_a_row.iter().all(|&row| u64::from(row) <= most);
        stored(valid, "in_a_row must be at most the number of turns plus 1")
    }
}
