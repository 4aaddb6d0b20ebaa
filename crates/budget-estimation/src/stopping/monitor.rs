use scoring_rules::{DecimalSum, Probability};

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    budgets::budget::Budget,
    checks::{is_amount, same_length, setting, share_of},
    error::Error,
    estimates::{estimate::Estimate, reading::Reading},
    resource::Resource,
    rollouts::decimals::left_of,
    stopping::{
        advice::{Advice, AdviceReason},
        stop_rule::{Seen, StopRule},
    },
};

scoring_rules::checked! {
    /// Watches the run of one agent. It takes the costs of each turn and the estimates made after the turn, and advises
    /// whether to continue. Once it has advised to stop, it does so at every later turn.
    ///
    /// Stop rules count consecutive turns, so that each agent needs a monitor of its own. Agents that share what they may
    /// spend have a [`Budget`](crate::Budget), and ask their monitors by [`advise`](Self::advise).
    ///
    /// Costs are added and compared with caps as the decimals that were written, as in
    /// [`Rollouts`](crate::Rollouts). Memory does not grow with the run; a turn takes O(R S) for R
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
        /// The first advice to stop.
        stop: Option<AdviceReason>,
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
    spent: DecimalSum,
    /// Whether its last answer was impossible, by reading.
    last: [bool; 2],
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
            watched.push(Watched { name, cap, spent: DecimalSum::default(), last: [false; 2] });
        }
        if watched.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        let spent = vec![0.0; watched.len()];
        let rules = Vec::new();
        Ok(Self {
            resources: watched,
            spent,
            rules,
            warn_at: 1.0,
            in_a_row: [0; 2],
            turns: 0,
            stop: None,
        })
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
        self.check(&estimates)?;
        self.spend(resources.iter().map(|&(cost, _)| Some(cost)));
        self.advise_alone(&estimates, failure_probability)
    }

    /// Records a turn of an agent that spends from a shared budget. The caller settles the costs of the turn in that
    /// budget. The monitor must have the resources of the budget and no caps. Returns the advice as
    /// [`push`](Self::push) does, under the caps of the budget and of the budgets above it: an exceeded cap stops every
    /// agent, whoever exceeded it. Amounts that are reserved for calls under way can cause a warning, but no stop. If
    /// the budget was stopped, the advice is to stop for the reason of that stop.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless the monitor has the resources of the budget, in the same order, and no caps; the errors of
    /// [`begin`](Self::begin) for the estimates.
    ///
    /// ```
    /// use budget_estimation::{Advice, AdviceReason, Budget, BudgetMonitor, Error, Estimate, StopRule};
    ///
    /// let budget = Budget::new([("tokens", Some(1000.0))])?;
    /// let monitor = BudgetMonitor::new([("tokens", None)])?;
    /// let mut agent = monitor.with_stop_rule(StopRule::first_impossible());
    /// budget.reserve(&[("tokens", 300.0)])?.settle(&[("tokens", 350.0)])?;
    /// let estimates = [Estimate::interval(100.0, 200.0)?];
    /// assert_eq!(agent.advise(&budget, &estimates, None)?, Advice::Continue);
    /// // Another agent spends 500 tokens, so that 150 are left for both.
    /// budget.spend(&[("tokens", 500.0)])?;
    /// let warning = AdviceReason::MayNotFit { resource: "tokens".to_owned() };
    /// assert_eq!(agent.advise(&budget, &estimates, None)?, Advice::Warn(warning));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn advise(
        &mut self,
        budget: &Budget,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        self.check_within(budget, estimates)?;
        self.turns = self.turns.saturating_add(1);
        self.advise_within(budget, estimates, failure_probability)
    }

    fn check_within(&self, budget: &Budget, estimates: &[Estimate]) -> Result<(), Error> {
        if !budget.resources().map(|it| it.name).eq(self.names())
            || self.caps().any(|cap| cap.is_some())
        {
            let problem = "the monitor must have the resources of the budget, and no caps";
            return Err(Error::Unlike { problem: problem.to_owned() });
        }
        self.check(estimates)
    }

    /// Returns the first advice that applies after a turn that is recorded already.
    pub(crate) fn advise_within(
        &mut self,
        budget: &Budget,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        self.check_within(budget, estimates)?;
        if let (None, Some(reason)) = (&self.stop, budget.stop_reason()) {
            self.stop = Some(AdviceReason::BudgetStopped { reason: reason.clone() });
        }
        let left: Vec<_> = budget.resources().map(|it| it.left).collect();
        let (unspent, near): (Vec<_>, Vec<_>) = budget.unspent(self.warn_at).unzip();
        Ok(self.advice(estimates, (&unspent, &left), &near, failure_probability))
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
    /// first of consecutive answers.
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
        self.advise_alone(estimates, failure_probability)
    }

    fn check(&self, estimates: &[Estimate]) -> Result<(), Error> {
        same_length("estimates of a turn", self.resources.len(), estimates.len())?;
        let of_rules = self.rules.iter().filter_map(|rule| rule.resource());
        let own = |resource: &Resource| self.resource_at(resource.index) == Some(*resource);
        of_rules.clone().find(|resource| !own(resource)).map_or(Ok(()), |it| Err(it.unknown()))?;
        estimates.iter().try_for_each(|estimate| estimate.checked().map(|_| ()))
    }

    /// Returns the first advice that applies to these estimates, given the amounts that this agent spent.
    pub(crate) fn advise_alone(
        &mut self,
        estimates: &[Estimate],
        failure_probability: Option<Probability>,
    ) -> Result<Advice, Error> {
        self.check(estimates)?;
        let totals = self.resources.iter().zip(&self.spent);
        let near = totals.map(|(it, &spent)| self.is_near(it.cap, spent));
        let (left, near): (Vec<_>, Vec<_>) = self.left().zip(near).unzip();
        Ok(self.advice(estimates, (&left, &left), &near, failure_probability))
    }

    /// Returns whether the share of a cap is spent at which there is a warning.
    fn is_near(&self, cap: Option<f64>, spent: f64) -> bool {
        self.warn_at < 1.0 && cap.is_some_and(|cap| spent >= share_of(cap, self.warn_at))
    }

    fn advice(
        &mut self,
        estimates: &[Estimate],
        (unspent, left): (&[Option<f64>], &[Option<f64>]),
        near: &[bool],
        failure_probability: Option<Probability>,
    ) -> Advice {
        // An estimate before the first turn may be given again.
        if self.turns == 0 {
            self.in_a_row = [0; 2];
            self.resources.iter_mut().for_each(|it| it.last = [false; 2]);
        }
        let shown: Vec<_> = estimates.iter().copied().zip(unspent.iter().copied()).collect();
        let last = self.resources.iter_mut().map(|it| &mut it.last);
        let seen = Seen::new(&mut self.in_a_row, last, &shown, failure_probability);
        let named = |at: usize| self.resources[at].name.clone();
        let in_a_row = |reading: Reading| seen.impossible_in_a_row[reading as usize];
        if let Some(reason) = &self.stop {
            return Advice::Stop(reason.clone());
        }
        let exceeded = unspent.iter().position(|left| left.is_some_and(|left| left < 0.0));
        let at = |rule: &StopRule| rule.resource().map_or(0, |resource| resource.index);
        let rule = self.rules.iter().find(|rule| rule.holds(&seen, at(rule)));
        let stop = match (exceeded, rule) {
            (Some(at), _) => Some(AdviceReason::CapExceeded { resource: named(at) }),
            (None, Some(rule)) => Some(match (*rule, failure_probability) {
                (StopRule::FailureProbability { .. }, Some(probability)) => {
                    AdviceReason::FailureProbability { probability }
                }
                (StopRule::NotWorthwhile { value, .. }, _) => {
                    let (worth, cost) = seen.worth_and_cost(value, at(rule)).unwrap_or_default();
                    AdviceReason::NotWorthwhile { worth, cost }
                }
                (StopRule::Impossible { reading, .. }, _) => {
                    AdviceReason::Impossible { in_a_row: in_a_row(reading) }
                }
                _ => AdviceReason::Impossible { in_a_row: in_a_row(Reading::Cap) },
            }),
            (None, None) => None,
        };
        if let Some(reason) = stop {
            self.stop = Some(reason.clone());
            return Advice::Stop(reason);
        }
        let exceeds = |(estimate, left): (&Estimate, &Option<f64>)| {
            let high = estimate.ends().map(|interval| interval.high());
            high.zip(*left).is_some_and(|(high, left)| high > left)
        };
        if in_a_row(Reading::Cap) > 0 {
            Advice::Warn(AdviceReason::Impossible { in_a_row: in_a_row(Reading::Cap) })
        } else if let Some(at) = estimates.iter().zip(left).position(exceeds) {
            Advice::Warn(AdviceReason::MayNotFit { resource: named(at) })
        } else if let Some(at) = near.iter().position(|&near| near) {
            Advice::Warn(AdviceReason::NearCap { resource: named(at) })
        } else {
            Advice::Continue
        }
    }

    /// Returns the handle of a resource, for [`StopRule::not_worthwhile`].
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for an unknown name.
    pub fn resource(&self, name: &str) -> Result<Resource, Error> {
        let at = self.resources.iter().position(|resource| resource.name == name);
        let found = at.and_then(|at| self.resource_at(at));
        found.ok_or_else(|| Error::NoSuchResource { name: name.to_owned() })
    }

    fn resource_at(&self, index: usize) -> Option<Resource> {
        let named = self.resources.get(..=index)?;
        named.iter().fold(None, |before, it| Some(Resource::after(before, &it.name)))
    }

    /// Returns the names of the resources, in the order of [`Self::new`].
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.resources.iter().map(|resource| resource.name.as_str())
    }

    /// Returns the cap on each resource; `None` without a cap.
    pub(crate) fn caps(&self) -> impl ExactSizeIterator<Item = Option<f64>> {
        self.resources.iter().map(|resource| resource.cap)
    }

    /// Returns the amount of each resource left under its cap, in the order of [`Self::new`]; negative if the
    /// cap is exceeded, `None` without a cap.
    ///
    /// ```
    /// use budget_estimation::{BudgetMonitor, Error, Estimate};
    ///
    /// let mut monitor = BudgetMonitor::new([("tokens", Some(100.0)), ("usd", None)])?;
    /// monitor.push(&[(30.0, Estimate::NoAnswer), (0.01, Estimate::NoAnswer)], None)?;
    /// assert!(monitor.left().eq([Some(70.0), None]));
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
        Self::new(self.names().zip(self.caps()))?.with_warning_at(self.warn_at)?;
        self.spent = self.resources.iter().map(|resource| resource.spent.value()).collect();
        let amounts = self.spent.iter().all(|spent| (0.0..f64::INFINITY).contains(spent));
        stored(amounts, "what was spent must be finite and at least 0")?;
        let begun = self.turns > 0 || self.spent.iter().all(|&spent| spent == 0.0);
        stored(begun, "nothing is spent before the first turn")?;
        use AdviceReason::{MayNotFit, NearCap};
        let stops = !matches!(self.stop, Some(MayNotFit { .. } | NearCap { .. }));
        stored(stops, "this advice is a warning and no stop")?;
        // There can also be an estimate before the first turn.
        let most = self.turns.saturating_add(1);
        let valid = self.in_a_row.iter().all(|&row| u64::from(row) <= most);
        stored(valid, "in_a_row must be at most the number of turns plus 1")?;
        let open = |at: usize| self.resources.iter().any(|resource| resource.last[at]);
        let valid = (0..2).all(|at| (self.in_a_row[at] > 0) == open(at));
        stored(valid, "in_a_row must be above 0 exactly if a last answer was impossible")
    }
}
