use crate::{
    checks::is_amount,
    error::Error,
    resource::Resource,
    rollouts::{
        column::Column,
        declared_column::{FeatureColumn, KeyColumn, TASK},
    },
};
use std::collections::BTreeMap;

/// Fields of the JSON Lines that are no keys or features.
pub(crate) const FIELDS: [&str; 11] = [
    "id",
    "task",
    "turns",
    "success",
    "cut_off",
    "caps",
    "content",
    "start",
    "stop",
    "stop_reason",
    "achieved",
];

scoring_rules::checked! {
    /// Many runs of an agent, stored flat: one array of costs per resource, and the end position of each run.
    ///
    /// Costs are finite and at least 0, which is checked once. A cost may be unknown, for example if a
    /// model has no price; scoring that resource of such a run is a typed error. Cached tokens are part
    /// of the input tokens: a separate resource for them, added to the input tokens, would count them
    /// twice.
    ///
    /// Costs and caps are added and compared as the decimals that were written
    /// ([`DecimalSum`](scoring_rules::DecimalSum)): three turns of 0.1 fit under a cap of 0.3. Digits of a sum that
    /// lie more than 37 places below its first digit are rounded away. The remaining cost of a run is a difference of
    /// two such sums, exact for at most 15 digits and otherwise rounded as in plain subtraction. The amount left under
    /// a cap is the exact difference, rounded once.
    ///
    /// With the feature `serde`, rollouts can be stored with all that was set, and read back through the checks of the
    /// methods.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["input_tokens", "output_tokens"])?;
    /// let first = rollouts.push(&[900.0, 50.0, 1000.0, 20.0, 1100.0, 80.0], true)?;
    /// let output = rollouts.resource("output_tokens")?;
    /// rollouts.set_cap(output, 200.0)?;
    ///
    /// let rollout = rollouts.get(first)?;
    /// assert_eq!(rollout.turns(), 3);
    /// assert_eq!(rollout.usage(output)?.cumulative(), [50.0, 70.0, 150.0]);
    /// assert_eq!(rollout.remaining(output, 1)?, 100.0);
    /// assert!(rollout.is_feasible()?);
    ///
    /// let error = rollouts.push(&[900.0, 50.0, 1000.0, -20.0], true).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "rollout 1, turn 2: output_tokens is -20; give a number from 0 to 1e100"
    /// );
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct Rollouts {
        pub(crate) columns: Vec<Column>,
        /// The end of each rollout in every column.
        pub(crate) ends: Vec<usize>,
        pub(crate) successes: Vec<bool>,
        pub(crate) censored: Vec<bool>,
        pub(crate) ids: Vec<Option<String>>,
        pub(crate) keys: Vec<KeyColumn>,
        pub(crate) features: Vec<FeatureColumn>,
        /// By rollout and turn, 0 being before the first turn.
        #[cfg_attr(feature = "serde", serde(with = "crate::rollouts::stored"))]
        pub(crate) contents: BTreeMap<(usize, usize), String>,
        /// By rollout and turn, from 1.
        #[cfg_attr(feature = "serde", serde(with = "crate::rollouts::stored"))]
        pub(crate) observations: BTreeMap<(usize, usize), String>,
    }
    restore: Self::restore
}

impl Rollouts {
    /// Creates an empty collection. Each turn spends the resources with these names, in this order.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a name; [`Error::ResourceName`] for an empty or repeated name.
    pub fn new<N: Into<String>>(resources: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let mut rollouts = Self::with_columns(Vec::new());
        rollouts.keys.push(KeyColumn::new(TASK.to_owned()));
        for name in resources {
            let column = rollouts.new_resource(name.into())?;
            rollouts.columns.push(column);
        }
        if rollouts.columns.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        Ok(rollouts)
    }

    /// Resources without a rollout.
    pub(crate) const fn with_columns(columns: Vec<Column>) -> Self {
        Self {
            columns,
            ends: Vec::new(),
            successes: Vec::new(),
            censored: Vec::new(),
            ids: Vec::new(),
            keys: Vec::new(),
            features: Vec::new(),
            contents: BTreeMap::new(),
            observations: BTreeMap::new(),
        }
    }

    /// Returns an empty column that follows the present ones.
    pub(crate) fn new_resource(&self, name: String) -> Result<Column, Error> {
        if name.is_empty() || self.has_column(&name) {
            return Err(Error::ResourceName { name });
        }
        let resource = Resource::after(self.columns.last().map(|last| last.resource), &name);
        Ok(Column::new(name, resource))
    }

    /// Checks the name of a new key or feature.
    pub(crate) fn new_column_name(&self, name: String) -> Result<String, Error> {
        if name.is_empty() || self.has_column(&name) || FIELDS.contains(&name.as_str()) {
            return Err(Error::ColumnName { name });
        }
        Ok(name)
    }

    /// Returns whether a resource, a declared key or a feature has this name.
    fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
            || self.keys.iter().skip(1).any(|key| key.name == name)
            || self.features.iter().any(|feature| feature.name == name)
    }

    /// Appends a run and returns its position. The costs are listed turn by turn; each turn has one cost per resource,
    /// or `None` for an unknown cost.
    ///
    /// # Errors
    ///
    /// [`Error::Rollout`] without a cost; [`Error::CostCount`] unless there is one cost per turn and
    /// resource; [`Error::Cost`] for a cost that is not from 0 to 1e100. Nothing is appended.
    pub fn push<C: Copy + Into<Option<f64>>>(
        &mut self,
        costs: &[C],
        succeeded: bool,
    ) -> Result<usize, Error> {
        let (rollout, resources) = (self.len(), self.columns.len());
        if costs.is_empty() {
            return Err(Error::Rollout { rollout, problem: "has no turns; give at least one" });
        }
        if !costs.len().is_multiple_of(resources) {
            return Err(Error::CostCount { rollout, found: costs.len(), resources });
        }
        self.check_costs(costs, rollout, 1)?;
        for (index, column) in self.columns.iter_mut().enumerate() {
            let own = costs.iter().skip(index).step_by(resources);
            column.push(own.map(|&cost| cost.into().unwrap_or(f64::NAN)));
        }
        self.end_rollout(costs.len() / resources, succeeded);
        Ok(rollout)
    }

    /// Records a rollout of which the costs have been appended to the columns.
    fn end_rollout(&mut self, turns: usize, succeeded: bool) {
        self.ends.push(self.ends.last().copied().unwrap_or(0) + turns);
        self.successes.push(succeeded);
        self.censored.push(false);
        self.ids.push(None);
    }

    /// Checks the known costs; the first cost belongs to `first_turn`.
    fn check_costs<C: Copy + Into<Option<f64>>>(
        &self,
        costs: &[C],
        rollout: usize,
        first_turn: usize,
    ) -> Result<(), Error> {
        let wrong = |(i, &cost): (usize, &C)| Some((i, cost.into().filter(|it| !is_amount(*it))?));
        let Some((i, value)) = costs.iter().enumerate().find_map(wrong) else { return Ok(()) };
        let resources = self.columns.len();
        let (turn, resource) =
            (first_turn + i / resources, self.columns[i % resources].name.clone());
        Err(Error::Cost { rollout, turn, resource, value })
    }

    /// Sets the name of a rollout.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] if there is no rollout at this position.
    pub fn set_id(&mut self, rollout: usize, id: impl Into<String>) -> Result<(), Error> {
        self.get(rollout)?;
        self.ids[rollout] = Some(id.into());
        Ok(())
    }

    /// Sets the content of a turn, counted from 1, such as the reply of the agent and the results of tools. Turn 0 is
    /// for content that is known before the first turn, such as the task. This crate does not interpret contents. A
    /// [`Prefix`](crate::Prefix) shows an estimator the contents of its completed turns, so that a model can be asked
    /// about recorded runs without seeing their future.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] if there is no rollout at this position; [`Error::NoSuchTurn`] if it
    /// has fewer turns.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// for (turn, text) in ["Sort the list.", "read_file", "sort", "done"].into_iter().enumerate() {
    ///     rollouts.set_content(0, turn, text)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// let first = rollouts.get(0)?.replay(tokens)?.next().ok_or(scoring_rules::Error::Empty)?;
    /// assert_eq!((first.content(0), first.content(1)), (Some("Sort the list."), Some("read_file")));
    /// assert_eq!(first.content(2), None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn set_content(
        &mut self,
        rollout: usize,
        turn: usize,
        content: impl Into<String>,
    ) -> Result<(), Error> {
        let turns = self.get(rollout)?.turns();
        if turn > turns {
            return Err(Error::NoSuchTurn { rollout, turn, turns });
        }
        self.contents.insert((rollout, turn), content.into());
        Ok(())
    }

    /// Sets what the agent observed before it acted in a turn, counted from 1, such as the question or the results of
    /// the turn before. A [`Prefix`](crate::Prefix) shows the observation of turn 1 and of each completed turn, together
    /// with the agent's action. It does not show the results of the last completed turn, which are the observation of
    /// the next turn.
    ///
    /// # Errors
    ///
    /// As [`Self::set_content`], and [`Error::NoSuchTurn`] for turn 0.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// for (turn, text) in [(1, "Sort the list."), (2, "3 1 2"), (3, "1 2 3")] {
    ///     rollouts.set_observation(0, turn, text)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// let first = rollouts.get(0)?.replay(tokens)?.next().ok_or(scoring_rules::Error::Empty)?;
    /// assert_eq!((first.observation(1), first.observation(2)), (Some("Sort the list."), None));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 3.1.
    pub fn set_observation(
        &mut self,
        rollout: usize,
        turn: usize,
        observation: impl Into<String>,
    ) -> Result<(), Error> {
        let turns = self.get(rollout)?.turns();
        if turn == 0 || turn > turns {
            return Err(Error::NoSuchTurn { rollout, turn, turns });
        }
        self.observations.insert((rollout, turn), observation.into());
        Ok(())
    }

    /// Marks a failed rollout as cut off by a budget: it would otherwise have spent more. It still counts as a failure.
    /// [`PastQuantiles::survival_aware`] learns from such rollouts, but not from other failures.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] if there is no rollout at this position; [`Error::Rollout`]
    /// if the rollout succeeded.
    ///
    /// [`PastQuantiles::survival_aware`]: crate::PastQuantiles::survival_aware
    pub fn set_censored(&mut self, rollout: usize) -> Result<(), Error> {
        if self.get(rollout)?.succeeded() {
            let problem = "succeeded; only a failed rollout can be marked as cut off";
            return Err(Error::Rollout { rollout, problem });
        }
        self.censored[rollout] = true;
        Ok(())
    }

    /// Sets whether a rollout succeeded; it is then not cut off.
    pub(crate) fn set_outcome(&mut self, rollout: usize, succeeded: bool) {
        (self.successes[rollout], self.censored[rollout]) = (succeeded, false);
    }

    /// Sets the cap on a resource for every rollout, including rollouts that are added later.
    ///
    /// # Errors
    ///
    /// [`Error::Cap`] for a cap that is not from 0 to 1e100; [`Error::NoSuchResource`] for a handle
    /// from other rollouts.
    pub fn set_cap(&mut self, resource: Resource, cap: f64) -> Result<(), Error> {
        let column = self.column_for_cap(resource, cap)?;
        column.caps.fill(cap);
        column.cap = Some(cap);
        Ok(())
    }

    /// Sets the cap on a resource for one rollout.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_cap`]; [`Error::NoSuchRollout`] if there is no rollout at this position.
    pub fn set_cap_of(
        &mut self,
        rollout: usize,
        resource: Resource,
        cap: f64,
    ) -> Result<(), Error> {
        let rollouts = self.len();
        let caps = &mut self.column_for_cap(resource, cap)?.caps;
        *caps.get_mut(rollout).ok_or(Error::NoSuchRollout { rollout, rollouts })? = cap;
        Ok(())
    }

    fn column_for_cap(&mut self, resource: Resource, cap: f64) -> Result<&mut Column, Error> {
        let own = self.columns.get_mut(resource.index).filter(|own| own.resource == resource);
        let column = own.ok_or_else(|| resource.unknown())?;
        if is_amount(cap) {
            Ok(column)
        } else {
            Err(Error::Cap { resource: column.name.clone(), value: cap })
        }
    }

    /// Returns the number of rollouts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no rollout.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the handle of a resource.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] if no resource has this name.
    pub fn resource(&self, name: &str) -> Result<Resource, Error> {
        let found = self.columns.iter().find(|column| column.name == name);
        let none = || Error::NoSuchResource { name: name.to_owned() };
        found.map(|column| column.resource).ok_or_else(none)
    }

    /// Returns all resources with their names, in their order.
    #[must_use]
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (Resource, &str)> {
        self.columns.iter().map(|column| (column.resource, column.name.as_str()))
    }

    pub(crate) fn column(&self, resource: Resource) -> Result<&Column, Error> {
        let own = self.columns.get(resource.index).filter(|own| own.resource == resource);
        own.ok_or_else(|| resource.unknown())
    }
}

/// A rollout that grows turn by turn, for a run in progress. Only such a rollout can have no turn.
impl Rollouts {
    /// Appends a rollout without a turn.
    pub(crate) fn begin(&mut self) {
        for column in &mut self.columns {
            column.push(std::iter::empty());
        }
        self.end_rollout(0, false);
    }

    /// Appends a turn to the last rollout.
    pub(crate) fn continue_with(&mut self, costs: &[Option<f64>]) -> Result<(), Error> {
        let rollout = self.len().checked_sub(1).ok_or(scoring_rules::Error::Empty)?;
        let (found, resources) = (costs.len(), self.columns.len());
        if found != resources {
            return Err(Error::CostCount { rollout, found, resources });
        }
        let turns = self.get(rollout)?.turns();
        self.check_costs(costs, rollout, turns + 1)?;
        for (column, cost) in self.columns.iter_mut().zip(costs) {
            column.continue_with(cost.unwrap_or(f64::NAN));
        }
        if let Some(end) = self.ends.last_mut() {
            *end += 1;
        }
        Ok(())
    }
}
