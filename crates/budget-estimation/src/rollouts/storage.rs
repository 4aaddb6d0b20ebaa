use crate::{checks::is_amount, error::Error, resource::Resource, rollouts::column::Column};

/// Many runs of an agent, flat: one array of costs for each resource, and where each run ends.
///
/// Costs are finite and at least 0, checked once. A cost may be unknown, as where a model has no
/// price: nothing is then known of that resource from that turn on, and scoring it is a typed
/// error. Cached tokens are part of the input tokens; a resource of their own that is added to
/// these would count them twice.
///
/// Costs and caps are read as the decimals that they were written as, and added as such
/// ([`DecimalSum`](scoring_rules::DecimalSum)): three turns of 0.1 fit under a cap of 0.3. A sum is
/// rounded to the nearest f64, and exceeds a cap if that number is larger. The digits of a sum that
/// lie more than 37 places below its first are rounded away. What remains, and what is left under a
/// cap, are differences of such sums: exact for at most 15 digits, otherwise rounded as plain
/// subtraction is.
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
    /// Where each rollout ends in every column.
    pub(crate) ends: Vec<usize>,
    pub(crate) successes: Vec<bool>,
    pub(crate) censored: Vec<bool>,
    pub(crate) ids: Vec<Option<String>>,
    pub(crate) tasks: Vec<Option<String>>,
}

impl Rollouts {
    /// No rollout yet; the names of the resources that each of their turns spends, in this order.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a name; [`Error::ResourceName`] for an empty one and where two are
    /// the same.
    pub fn new<N: Into<String>>(resources: impl IntoIterator<Item = N>) -> Result<Self, Error> {
        let mut rollouts = Self {
            columns: Vec::new(),
            ends: Vec::new(),
            successes: Vec::new(),
            censored: Vec::new(),
            ids: Vec::new(),
            tasks: Vec::new(),
        };
        for name in resources {
            let name = rollouts.new_name(name.into())?;
            rollouts.columns.push(Column::new(name));
        }
        if rollouts.columns.is_empty() { Err(Error::Empty) } else { Ok(rollouts) }
    }

    pub(crate) fn new_name(&self, name: String) -> Result<String, Error> {
        if name.is_empty() || self.columns.iter().any(|column| column.name == name) {
            return Err(Error::ResourceName { name });
        }
        Ok(name)
    }

    /// Appends a run, and gives its position: the costs of its first turn, one a resource, then
    /// those of the second, and so on.
    ///
    /// # Errors
    ///
    /// [`Error::NoTurns`] without a cost; [`Error::CostCount`] unless there is one a turn and
    /// resource; [`Error::Cost`] for one that is not from 0 to 1e100. Nothing is appended then.
    pub fn push(&mut self, costs: &[f64], succeeded: bool) -> Result<usize, Error> {
        self.append(costs.len(), |i| Some(costs.get(i).copied().unwrap_or(f64::NAN)), succeeded)
    }

    /// The same where some costs are not known.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::push`].
    pub fn push_partly_known(
        &mut self,
        costs: &[Option<f64>],
        succeeded: bool,
    ) -> Result<usize, Error> {
        self.append(costs.len(), |i| costs.get(i).copied().flatten(), succeeded)
    }

    fn append(
        &mut self,
        n: usize,
        cost: impl Fn(usize) -> Option<f64>,
        succeeded: bool,
    ) -> Result<usize, Error> {
        let (rollout, resources) = (self.len(), self.columns.len());
        if n == 0 {
            return Err(Error::NoTurns { rollout });
        }
        if !n.is_multiple_of(resources) {
            return Err(Error::CostCount { rollout, found: n, resources });
        }
        self.check_costs(n, &cost, rollout, 1)?;
        for (index, column) in self.columns.iter_mut().enumerate() {
            column.push((index..n).step_by(resources).map(|i| cost(i).unwrap_or(f64::NAN)));
        }
        self.ends.push(self.ends.last().copied().unwrap_or(0) + n / resources);
        self.successes.push(succeeded);
        self.censored.push(false);
        self.ids.push(None);
        self.tasks.push(None);
        Ok(rollout)
    }

    /// That the costs that are known can be costs; the first one is of the turn given.
    pub(crate) fn check_costs(
        &self,
        n: usize,
        cost: impl Fn(usize) -> Option<f64>,
        rollout: usize,
        first_turn: usize,
    ) -> Result<(), Error> {
        let resources = self.columns.len();
        for i in 0..n {
            if let Some(value) = cost(i)
                && !is_amount(value)
            {
                let resource = self.columns.get(i % resources).map(|column| column.name.clone());
                let (turn, resource) = (first_turn + i / resources, resource.unwrap_or_default());
                return Err(Error::Cost { rollout, turn, resource, value });
            }
        }
        Ok(())
    }

    /// Names a rollout.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] where there is none at this position.
    pub fn set_id(&mut self, rollout: usize, id: impl Into<String>) -> Result<(), Error> {
        let rollouts = self.len();
        let entry = self.ids.get_mut(rollout).ok_or(Error::NoSuchRollout { rollout, rollouts })?;
        *entry = Some(id.into());
        Ok(())
    }

    /// Says which task a rollout worked on; several may have worked on one.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] where there is none at this position.
    pub fn set_task(&mut self, rollout: usize, task: impl Into<String>) -> Result<(), Error> {
        let rollouts = self.len();
        let entry =
            self.tasks.get_mut(rollout).ok_or(Error::NoSuchRollout { rollout, rollouts })?;
        *entry = Some(task.into());
        Ok(())
    }

    /// Says that a rollout did not end by itself: a budget cut it off, and to succeed it would have
    /// spent more. It counts as a failure still; [`PastQuantiles::survival_aware`] learns from it.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] where there is none at this position; [`Error::CensoredSuccess`]
    /// where it succeeded.
    ///
    /// [`PastQuantiles::survival_aware`]: crate::PastQuantiles::survival_aware
    pub fn set_censored(&mut self, rollout: usize) -> Result<(), Error> {
        let rollouts = self.len();
        if *self.successes.get(rollout).ok_or(Error::NoSuchRollout { rollout, rollouts })? {
            return Err(Error::CensoredSuccess { rollout });
        }
        if let Some(entry) = self.censored.get_mut(rollout) {
            *entry = true;
        }
        Ok(())
    }

    /// Caps a resource for every rollout, those to come included.
    ///
    /// # Errors
    ///
    /// [`Error::Cap`] for one that is not from 0 to 1e100; [`Error::NoSuchResource`] for a handle
    /// of other rollouts.
    pub fn set_cap(&mut self, resource: Resource, cap: f64) -> Result<(), Error> {
        let column = self.column_for_cap(resource, cap)?;
        column.caps.fill(cap);
        column.cap = cap;
        Ok(())
    }

    /// Caps a resource for one rollout.
    ///
    /// # Errors
    ///
    /// As [`Rollouts::set_cap`]; [`Error::NoSuchRollout`] where there is none at this position.
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
        let none = || Error::NoSuchResource { name: resource.index.to_string() };
        let column = self.columns.get_mut(resource.index).ok_or_else(none)?;
        if is_amount(cap) {
            Ok(column)
        } else {
            Err(Error::Cap { resource: column.name.clone(), value: cap })
        }
    }

    /// That a cap could be set.
    #[cfg(feature = "serde")]
    pub(crate) fn check_cap(&mut self, resource: Resource, cap: f64) -> Result<(), Error> {
        self.column_for_cap(resource, cap).map(|_| ())
    }

    /// Number of rollouts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no rollout.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The handle of a resource.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] where none has this name.
    pub fn resource(&self, name: &str) -> Result<Resource, Error> {
        let found = self.columns.iter().position(|column| column.name == name);
        let none = || Error::NoSuchResource { name: name.to_owned() };
        found.map(|index| Resource { index }).ok_or_else(none)
    }

    /// All resources with their names, in their order.
    #[must_use]
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (Resource, &str)> {
        let columns = self.columns.iter().enumerate();
        columns.map(|(index, column)| (Resource { index }, column.name.as_str()))
    }

    pub(crate) fn column(&self, resource: Resource) -> Result<&Column, Error> {
        let none = || Error::NoSuchResource { name: resource.index.to_string() };
        self.columns.get(resource.index).ok_or_else(none)
    }
}
